#!/usr/bin/env python3
"""PTX with comments is the PTX without, and what they say is so.

    check_annotate.py GEMMGEN SPEC[:nvrtc]...

Of each spec, by its template or with :nvrtc by NVRTC: but for lines of comment the text is the plain
one, and ptxas makes the same cubin of both (where there is a ptxas); every asynchronous instruction
has a remark; and in the emulator, with instructions put before those that have remarks or addresses,
the address that a register really has lies in the ring, at the barrier, in the stage that is named,
or the kernel traps; and who is said to wait at a barrier is who waits there."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ASYNC = re.compile(
    r"(mbarrier\.(arrive|expect_tx|try_wait|test_wait)|cp\.async|cp\.reduce\.async|st\.async|red\.async|"
    r"wgmma\.(mma_async|commit_group|wait_group)|tcgen05\.(mma|cp|ld|st|commit|wait)\b|clusterlaunchcontrol\.try_cancel)")
REGISTER = r"(%?[\w$.]+)"


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    return done.returncode, done.stdout, done.stderr


# ---- Statements -----------------------------------------------------------------------------------


def is_comment(line):
    return not line.strip() or line.strip().startswith("//")


def check_plain(plain, annotated):
    """All lines of the plain text in their order, and lines of comment between them."""
    lines = iter(annotated)
    for wanted in plain:
        for line in lines:
            if line == wanted:
                break
            assert is_comment(line), f"a statement was added: {line}"
        else:
            raise AssertionError(f"a line is gone: {wanted}")
    assert all(is_comment(line) for line in lines)


def instructions(lines):
    """(number of the first line, text without comments, comments above) of each instruction."""
    above, number = [], 0
    while number < len(lines):
        line = lines[number]
        if is_comment(line):
            if line.strip():
                above.append(line.strip()[2:].strip())
            number += 1
            continue
        first, text = number, line.split("//")[0]
        while not re.search(r"[;:{}]\s*$", text) and number + 1 < len(lines) and not re.match(r"\s*\.", text):
            number += 1
            text += " " + lines[number].split("//")[0].strip()
        yield first, text.strip(), above
        above, number = [], number + 1


def remark_of(above):
    """The remark among comments, with its further lines."""
    for i, line in enumerate(above):
        if line.startswith("async: "):
            return " ".join(above[i:])[len("async: "):]
    return None


def check_remarks(lines):
    count = 0
    for number, text, above in instructions(lines):
        if ASYNC.search(text.replace("::", "..")) and not text.startswith("."):
            assert remark_of(above), f"line {number + 1} has no remark: {text}"
            count += 1
    return count


# ---- ptxas ----------------------------------------------------------------------------------------


def find_ptxas():
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    return shutil.which("ptxas") or shutil.which(os.path.join(home, "bin", "ptxas"))


def check_cubin(ptxas, folder, target, texts):
    made = []
    for i, text in enumerate(texts):
        path = os.path.join(folder, "k.ptx")  # a cubin may know what it was made of
        out = os.path.join(folder, f"{i}.cubin")
        with open(path, "w") as file:
            file.write(text)
        code, _, err = run(ptxas, f"-arch={target}", path, "-o", out)
        assert code == 0, err
        made.append(open(out, "rb").read())
    assert made[0] == made[1], "ptxas makes another cubin of it"


# ---- The emulator ---------------------------------------------------------------------------------


class Rings:
    """What the head of the text says of shared memory."""

    def __init__(self, text):
        self.stages, self.barriers = {}, {}
        head = text.split("\n\n")[0].replace("\n//   ", " ")
        for line in re.findall(r"^// ([\w -]+: .*filled by.*)$", head, re.M):
            name, rest = line.split(": ", 1)
            instances, depth = re.match(r"(?:(\d+) x )?(\d+)", rest).groups()
            depth = int(depth)
            placed = re.search(r" of (\d+) bytes from (\d+) on", rest)
            if placed:
                each, begin = map(int, placed.groups())
                self.stages[name] = (begin, each, depth, depth * int(instances or 1))
            for count, kind, begin in re.findall(r"(\d+) barriers ([\w -]+) at (\d+)", rest):
                self.barriers[kind, name] = (int(begin), 8, depth, int(count))


class Checks:
    """Instructions that trap where an address is not where the comments say."""

    def __init__(self, text):
        self.rings, self.count = Rings(text), 0
        self.shared = re.search(r"^\.extern \.shared .* ([\w$]+)\[\];", text, re.M).group(1)

    def lies_in(self, guard, register, offset, area, stage):
        begin, each, depth, count = area
        self.count += 1
        lines = [
            "{ .reg .pred %chk_bad, %chk_on; .reg .b32 %chk_at, %chk_of;",
            f"mov.u32 %chk_of, {self.shared};",
            f"add.u32 %chk_at, {register}, {offset};",
            "and.b32 %chk_at, %chk_at, 0xffffff;",  # in whichever CTA of the cluster
            "and.b32 %chk_of, %chk_of, 0xffffff;",
            f"sub.u32 %chk_at, %chk_at, %chk_of; sub.u32 %chk_at, %chk_at, {begin};",
        ]
        lines += self.trap(guard, f"setp.ge.u32 %chk_bad, %chk_at, {each * count};")
        if stage is not None:
            lines.append(f"div.u32 %chk_at, %chk_at, {each}; rem.u32 %chk_at, %chk_at, {depth};")
            lines += self.trap(guard, f"setp.ne.u32 %chk_bad, %chk_at, {stage};")
        return " ".join(lines) + " }"

    def describes(self, guard, register, area):
        begin, each, depth, count = area
        self.count += 1
        return " ".join([
            "{ .reg .pred %chk_bad, %chk_on; .reg .b32 %chk_at, %chk_of; .reg .b64 %chk_desc;",
            f"and.b64 %chk_desc, {register}, 0x3fff; cvt.u32.u64 %chk_at, %chk_desc; shl.b32 %chk_at, %chk_at, 4;",
            f"mov.u32 %chk_of, {self.shared}; and.b32 %chk_of, %chk_of, 0x3ffff;",
            f"sub.u32 %chk_at, %chk_at, %chk_of; sub.u32 %chk_at, %chk_at, {begin};",
            *self.trap(guard, f"setp.ge.u32 %chk_bad, %chk_at, {each * count};"), "}"])

    @staticmethod
    def trap(guard, test):
        if not guard:
            return [test, "@%chk_bad trap;"]
        sign, predicate = ("not.pred %chk_on, " if guard[0] == "!" else "mov.pred %chk_on, "), guard.lstrip("!")
        return [test, f"{sign}{predicate}; and.pred %chk_bad, %chk_bad, %chk_on; @%chk_bad trap;"]

    def of_remark(self, text, remark):
        """Checks of what a remark names."""
        guard = re.match(r"@(!?%?[\w$]+)\s", text)
        guard = guard and guard.group(1)
        places = re.findall(r"\[" + REGISTER + r"(?:\s*\+\s*(\d+))?\]", text)
        barrier = re.search(r"barrier ([\w -]+), (?:(?:stage (%?[\w$]+)|a stage) of )?ring ([\w-]+(?: operands)?)", remark)
        if barrier and places and (barrier[1], barrier[3]) in self.rings.barriers:
            register, offset = places[-1]
            yield self.lies_in(guard, register, offset or 0, self.rings.barriers[barrier[1], barrier[3]], barrier[2])
        memory = re.search(r" (?:to|from|another CTA's) (?:(?:stage (%?[\w$]+)|a stage) of )?ring ([\w-]+)", remark)
        if memory and places and memory[2] in self.rings.stages and "tcgen05" not in text and "wgmma" not in text:
            register, offset = places[0]
            yield self.lies_in(guard, register, offset or 0, self.rings.stages[memory[2]], memory[1])
        if re.search(r"(wgmma\.mma_async|tcgen05\.(mma|cp))", text):
            named = re.findall(r"(?: A| B| from)(?: in)? (?:stage %?[\w$]+ of |a stage of )?ring ([\w-]+)", remark)
            registers = re.findall(r"(%\w+)", re.sub(r"\{[^}]*\}|\[[^\]]*\]", "", text.split(" ", 1)[1]))
            for register, ring in zip(registers, named):
                yield self.describes(guard, register, self.rings.stages[ring])

    def of_roles(self, text, roles):
        """Checks of registers whose role is an address, where they are addresses."""
        guard = re.match(r"@(!?%?[\w$]+)\s", text)
        guard = guard and guard.group(1)
        for register in re.findall(r"\[" + REGISTER + r"\]", text):
            if roles.get(register) in self.rings.stages:
                yield self.lies_in(guard, register, 0, self.rings.stages[roles[register]], None)


def roles_in(above, roles):
    for line in above:
        for register, role in re.findall(r"(%[\w$.]+) = ([^;]+)", line):
            ring = re.match(r"address in ring ([\w-]+)", role)
            roles[register] = ring and ring[1]  # a name may be another register's in another scope


def instrumented(text):
    """The text with checks, and how many."""
    lines, roles, before = text.split("\n"), {}, {}
    checks = Checks(text)
    for number, instruction, above in instructions(lines):
        roles_in(above, roles)
        remark = remark_of(above)
        added = list(checks.of_roles(instruction, roles))
        if remark:
            added += checks.of_remark(instruction, remark)
        if added:
            before[number] = added
    out = []
    for number, line in enumerate(lines):
        out += before.get(number, [])
        out.append(line)
    return "\n".join(out), checks.count


def check_waiters(text, trace):
    """Warps of the timeline have their roles' names, and waits those of barriers."""
    said, roles = {}, {}
    for _, _, above in instructions(text.split("\n")):
        remark = remark_of(above) or ""
        for barrier, role in re.findall(r"barrier ([\w -]+), [^;]*; ([\w ]+) waits for it", remark):
            assert said.setdefault(barrier, role) == role, f"two wait at {barrier}"
    with open(trace) as file:
        events = json.load(file)["traceEvents"]
    for event in events:
        where = event.get("pid"), event.get("tid")
        if event.get("name") == "thread_name":
            roles[where] = re.sub(r"( \d+)?, warp \d+$", "", event["args"]["name"])
        barrier = re.match(r"([\w -]+)\[\d+\]$", event.get("name", ""))
        if event.get("ph") == "X" and barrier and not said.get(barrier[1], "every role").startswith("every role"):
            assert roles[where] == said[barrier[1]], f"{roles[where]}, not {said[barrier[1]]}, waits at {barrier[1]}"


FINGERPRINT = re.compile(r"\bgemmgen_[0-9a-f]{16}\b")


def check_addresses(gemmgen, folder, spec, name, text):
    checked, count = instrumented(text)
    # A text in a kernel's place is known by the kernel's own fingerprint.
    with open(os.path.join(folder, "cu", name + ".cu")) as file:
        checked = FINGERPRINT.sub(FINGERPRINT.findall(file.read())[-1], checked)
    override = os.path.join(folder, "override")
    os.makedirs(override, exist_ok=True)
    with open(os.path.join(override, name + ".ptx"), "w") as file:
        file.write(checked)
    environment = dict(os.environ, GEMMGEN_OVERRIDE_DIR=override)
    arch = re.search(r"^\.target sm_(\d+)", text, re.M).group(1)
    trace = os.path.join(folder, "trace.json")
    code, out, err = run(gemmgen, "run", spec, "--device", f"emu:{arch}", "--trace", trace, *SHAPE, env=environment)
    assert code == 0, out + err
    check_waiters(text, trace)
    assert name + ".ptx is used" in err, err
    assert count, "no address is checked"
    return count


SHAPE = os.environ.get("ANNOTATE_SHAPE", "-m 300 -n 280 -k 400").split()

# ---- All ------------------------------------------------------------------------------------------


def generate(gemmgen, folder, spec, nvrtc):
    """(name, plain text, annotated text)."""
    texts, environment = [], dict(os.environ)
    source = os.path.join(folder, "cu")
    code, _, err = run(gemmgen, "gen", spec, "-o", source + "/")
    assert code == 0, err
    if nvrtc:  # a text in the template's place, which is the one that it would be made of
        environment["GEMMGEN_OVERRIDE_DIR"] = source
    for option in [], ["--annotate"]:
        code, out, err = run(gemmgen, "gen", "--emit", "ptx", *option, spec, env=environment)
        assert code == 0, err
        texts.append(out)
    return os.listdir(source)[0][:-3], texts[0], texts[1]


def check(gemmgen, ptxas, argument):
    spec, _, how = argument.partition(":")
    with tempfile.TemporaryDirectory() as folder:
        name, plain, annotated = generate(gemmgen, folder, spec, how == "nvrtc")
        check_plain(plain.split("\n"), annotated.split("\n"))
        remarks = check_remarks(annotated.split("\n"))
        target = re.search(r"^\.target (\w+)", plain, re.M).group(1)
        if ptxas:
            check_cubin(ptxas, folder, target, [plain, annotated])
        addresses = check_addresses(gemmgen, folder, spec, name, annotated)
    print(f"{argument}: {remarks} remarks, {addresses} addresses checked", flush=True)


def main():
    gemmgen, ptxas = os.path.realpath(sys.argv[1]), find_ptxas()
    failed = 0
    for argument in sys.argv[2:]:
        try:
            check(gemmgen, ptxas, argument)
        except AssertionError as error:
            failed += 1
            print(f"FAILED: {argument}: {error}", flush=True)
    sys.exit(failed > 0)


main()
