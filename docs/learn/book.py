#!/usr/bin/env python3
"""The ladder's book: book.py [--check] GEMMGEN renews the pages of this folder, and specs/ladder's.

A page is written by hand, but for what a command makes:

    ```console                         a line behind "$ " is run; what follows it is its output
    <!-- $ COMMAND -->                 its output is the paragraph or the fenced block that follows;
                                       in front of a picture it writes the picture's file

Commands are bash's, see the repository's specs/ and docs/, and have gemmgen on their PATH. Some are
this program's own: book.py way, rungs, figures, chart, below. With --check nothing is written: the
exit status is 1 where a page or a picture is not what its commands make, a link leads nowhere, a
rung has no page, or a page lacks a part that each has. Needs no GPU."""

import difflib
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

FOLDER = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(FOLDER))
BOOK = "docs/learn/"
OTHERS = ["specs/ladder/README.md"]  # a page of the book, too
HOPPER, CUDA_CORES = "docs/performance/h100/ladder.tsv", "docs/performance/h200/ladder.tsv"
# By how the names of a ladder's specs begin: where it was measured (else the model is asked), and on
# which extents.
LADDERS = {"": (HOPPER, (8192, 4096)),
           "simt_": (CUDA_CORES, (4096,)),
           "sm100_": (None, (8192, 4096))}
COMMAND = re.compile(r"<!-- \$ (.*?) -->$")


# ---- Rungs ---------------------------------------------------------------------------------------


def stems(prefix):
    """The rungs of a ladder, from the first on: the names of their specs and pages."""
    names = sorted(os.listdir(os.path.join(ROOT, "specs/ladder")))
    return [name[:-5] for name in names if re.match(prefix + r"\d.*\.yaml$", name)]


def ladder_of(stem):
    return next(prefix for prefix in LADDERS if stem in stems(prefix))


def before(stem):
    """The rung below, in a list; none is below the first."""
    rungs_there = stems(ladder_of(stem))
    return rungs_there[:rungs_there.index(stem)][-1:]


def number_of(stem):
    return int(re.match(r"\d+", stem[len(ladder_of(stem)):]).group())


def title_of(stem):
    """What is new on a rung: its page's heading, behind the number."""
    with open(os.path.join(FOLDER, stem + ".md")) as page:
        return page.readline().split(": ", 1)[1].strip()


def kernel_of(stem):
    with open(os.path.join(ROOT, "specs/ladder", stem + ".yaml")) as spec:
        return re.search(r"^name: (\S+)", spec.read(), re.M).group(1)


def measured(path):
    """Rows of `gemmgen bench --tsv`: {(kernel, extent): row}."""
    with open(os.path.join(ROOT, path)) as table:
        names = table.readline().split()
        rows = [dict(zip(names, line.split())) for line in table]
    return {(row["kernel"], int(re.search(r",(\d+)x", row["case"]).group(1))): row for row in rows}


def modelled(stem, extent):
    """TFLOP/s of a rung of Blackwell's as the model has it."""
    types = "e2m1:ue4m3,e2m1:ue4m3,bf16" if "nvfp4" in stem else "bf16,bf16,bf16"
    said = subprocess.run(["gemmgen", "explain", "--json", "--problem", f"{extent} {extent} {extent}",
                           "--types", types, "--arch", "100", f"specs/ladder/{stem}.yaml"],
                          check=True, capture_output=True, text=True)
    return json.loads(said.stdout)["candidates"][0]["tflops"]


def published(extent):
    """TFLOP/s of cuBLAS on a B200, as others have published them."""
    with open(os.path.join(ROOT, "docs/performance/b200/published.tsv")) as table:
        rows = [line.split("\t") for line in table]
    return next(float(row[6]) for row in rows if row[1:6] == ["cuBLAS", "bf16", *[str(extent)] * 3])


# ---- What this program says, as a command of a page ------------------------------------------------


def way(stem):
    """Where one goes on from a rung."""
    after = [one for one in stems(ladder_of(stem)) if before(one) == [stem]]
    return " · ".join([*(f"[← {title_of(one)}]({one}.md)" for one in before(stem)),
                       "[The ladder](README.md)",
                       f"[the spec](../../specs/ladder/{stem}.yaml)",
                       *(f"[{title_of(one)} →]({one}.md)" for one in after)])


def three_digits(value):
    return f"{value:.2f}" if value < 1 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def heads_of(prefix):
    path, extents = LADDERS[prefix]
    return [*map(str, extents), *([f"of cuBLASLt, {extents[0]}"] if path else [])]


def figures(stem):
    """Cells of a rung's row."""
    path, extents = LADDERS[ladder_of(stem)]
    if not path:
        return [three_digits(modelled(stem, extent)) for extent in extents]
    rows = [measured(path)[kernel_of(stem), extent] for extent in extents]
    ratio = float(rows[0]["ours"]) / float(rows[0]["lt_heur"])
    return [*(three_digits(float(row["ours"])) for row in rows),
            f"{ratio:.2f}" if ratio > 0.01 else f"{ratio:.4f}"]


def yardstick(prefix):
    """Cells of a table's last row: what others have."""
    path, extents = LADDERS[prefix]
    if not path:
        return ["published: cuBLAS in bf16", *map(three_digits, map(published, extents))]
    rows = [measured(path)[kernel_of(stems(prefix)[0]), extent] for extent in extents]
    bests = [f"{row['lt_heur']}, {row['lt_best']}" for row in rows]
    return ["cuBLASLt's first choice, its best", *bests, ""]


def rungs(prefix="", pages="", specs="../../specs/ladder/"):
    """A ladder as a table, with links to its pages and specs in these folders."""
    heads = ["rung", "what is new", *heads_of(prefix)]
    rows = [heads, ["---"] * 2 + ["---:"] * (len(heads) - 2)]
    rows += [[f"[{number_of(stem)}]({specs}{stem}.yaml)", f"[{title_of(stem)}]({pages}{stem}.md)",
              *figures(stem)] for stem in stems(prefix)]
    return "\n".join("| " + " | ".join(row) + " |" for row in [*rows, ["", *yardstick(prefix)]])


def told(stem):
    """A rung's figures below those of the rung before."""
    rows = [["TFLOP/s", *heads_of(ladder_of(stem))]]
    rows += [[kernel_of(one), *figures(one)] for one in [*before(stem), stem]]
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join("  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])])
                     for row in rows)


def chart():
    """The measured ladder as bars, under what cuBLASLt's first choice has."""
    rows, left, wide, high, top = measured(HOPPER), 300, 560, 26, 34
    first, scale = float(rows["naive", 8192]["lt_heur"]), wide / 800
    bottom, x = top + high * len(stems("")), left + first * scale
    width, height = left + wide + 60, bottom + 30
    size = f'width="{width}" height="{height}"'
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width} {height}">',
           "<style>text{font:13px Helvetica,Arial,sans-serif;fill:#1a1a1a}"
           ".end{text-anchor:end}.line{stroke:#d55e00;stroke-width:2;stroke-dasharray:5 3}</style>",
           f'<rect {size} fill="#fff"/>',
           '<text x="12" y="20">8192 x 8192 x 8192 in bf16 on an H100, TFLOP/s</text>']
    for i, stem in enumerate(stems("")):
        value, y = float(rows[kernel_of(stem), 8192]["ours"]), top + high * i
        name = f"{number_of(stem)}. {title_of(stem)}"
        out += [f'<text class="end" x="{left - 8}" y="{y + 16}">{name}</text>',
                f'<rect x="{left}" y="{y + 2}" width="{max(value * scale, 1):.1f}" '
                f'height="{high - 6}" fill="#93bfe0"/>',
                f'<text x="{left + 8}" y="{y + 16}">{three_digits(value)}</text>']
    out += [f'<path class="line" d="M{x:.1f} {top - 4}V{bottom + 4}"/>',
            f'<text class="end" x="{x:.1f}" y="{bottom + 20}">'
            f"cuBLASLt's first choice: {first:.0f}</text>", "</svg>"]
    return "\n".join(out)


SAYS = {"way": way, "rungs": rungs, "figures": told, "chart": chart}


# ---- Commands ------------------------------------------------------------------------------------


class Workshop:
    """A folder in which commands run; what they write to images/ is theirs."""

    def __init__(self, folder, gemmgen):
        self.folder, self.said = folder, {}
        for name in ("specs", "docs"):
            os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
        os.mkdir(os.path.join(folder, "images"))
        programs = os.path.join(folder, "programs")
        os.mkdir(programs)
        os.symlink(os.path.abspath(gemmgen), os.path.join(programs, "gemmgen"))
        self.environment = {**os.environ, "LC_ALL": "C.UTF-8",
                            "PATH": programs + ":" + os.environ["PATH"]}

    def run(self, command):
        """What it says, without blanks at the ends of lines; None: it failed, and said why."""
        ran = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=self.folder,
                             env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True, check=False)
        if ran.returncode != ("| gemmgen check -" in command):  # which is shown to refuse
            print(f"{command}: exit status {ran.returncode}\n{ran.stdout}", file=sys.stderr)
            return None
        return [line.rstrip() for line in ran.stdout.splitlines()]

    def run_all(self, commands):
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            self.said = dict(zip(commands, pool.map(self.run, commands)))
        return None not in self.said.values()


# ---- Pages ---------------------------------------------------------------------------------------


def consoles(lines):
    """What is shown of each command in a console's lines, which may go on behind a backslash."""
    shown, goes_on = [], False
    for line in lines:
        if goes_on:
            shown[-1].append(line)
        elif line.startswith("$ "):
            shown.append([line])
        goes_on = (goes_on or line.startswith("$ ")) and line.endswith("\\")
    return shown


def command_of(shown):
    return " ".join(line.rstrip("\\").strip() for line in shown)[2:]


def commands_of(lines):
    found, at = [], 0
    while at < len(lines):
        comment = COMMAND.match(lines[at])
        if comment:
            found.append(comment.group(1))
        elif lines[at].startswith("```"):
            end = lines.index("```", at + 1)
            if lines[at] == "```console":
                found += [command_of(shown) for shown in consoles(lines[at + 1:end])]
            at = end
        at += 1
    return found


def end_of_output(lines, at):
    """Where what a comment's command made ends: a fenced block's last line, or the paragraph's."""
    if lines[at].startswith("```"):
        return lines.index("```", at + 1) + 1
    while at < len(lines) and lines[at]:
        at += 1
    return at


def renewed(lines, said):
    """The page with what its commands say now."""
    out, at = [], 0
    while at < len(lines):
        line, comment = lines[at], COMMAND.match(lines[at])
        out.append(line)
        at += 1
        if comment and at < len(lines) and not lines[at].startswith("!["):
            end, output = end_of_output(lines, at), said[comment.group(1)]
            fenced = lines[at].startswith("```")
            out += [lines[at], *output, "```"] if fenced else output
            at = end
        elif line == "```console":
            end = lines.index("```", at)
            for shown in consoles(lines[at:end]):
                out += [*shown, *said[command_of(shown)]]
            at = end
    return out


def slug(heading):
    """GitHub's anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).replace(" ", "-")


def anchors(path):
    with open(path) as page:
        return {slug(line.lstrip("#").strip()) for line in page if line.startswith("#")}


def dead_links(page, lines):
    """Links and pictures that lead nowhere."""
    text, base = "\n".join(lines), os.path.dirname(os.path.join(ROOT, page))
    text = re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M)
    dead = []
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        target, _, anchor = link.partition("#")
        path = os.path.normpath(os.path.join(base, target)) if target else os.path.join(ROOT, page)
        if re.match(r"https?:", link):
            continue
        into = anchor and path.endswith(".md")
        if not os.path.exists(path) or (into and anchor not in anchors(path)):
            dead.append(f"{page}: {link} leads nowhere")
    return dead


def missing_parts(stem, lines):
    """What a rung's page must have, and this one has not."""
    commands, text, spec = commands_of(lines), "\n".join(lines), f"specs/ladder/{stem}.yaml"

    def runs(words, of=spec):
        return any(command.startswith(words) and of in command for command in commands)

    needs = {"its way on": runs(f"{BOOK}book.py way {stem}", ""),
             "its figures": runs(f"{BOOK}book.py figures {stem}", ""),
             "its spec": runs("grep"),
             "a listing of its kernel": runs("gemmgen gen"),
             "a run in the emulator": runs("gemmgen run"),
             "a picture": f"](images/{stem}.svg)" in text,
             "a question with its answer": "## A question" in text and "<details>" in text}
    for one in before(stem):
        needs[f"the diff from {one}"] = runs("gemmgen diff", f"specs/ladder/{one}.yaml {spec}")
    return [f"{BOOK}{stem}.md: lacks {part}" for part, there in needs.items() if not there]


def spec_figures():
    """A spec that tells of its speed tells what was measured."""
    wrong = []
    for stem in stems(""):
        row = measured(HOPPER)[kernel_of(stem), 8192]
        with open(os.path.join(ROOT, "specs/ladder", stem + ".yaml")) as spec:
            told = re.search(r"H100: ([\d.]+) TFLOP/s, ([\d.]+) of", spec.read())
        ours, ratio = float(row["ours"]), float(row["ours"]) / float(row["lt_heur"])
        if not told or float(told.group(1)) != ours or abs(float(told.group(2)) - ratio) > 0.006:
            wrong.append(f"specs/ladder/{stem}.yaml: {HOPPER} has {row['ours']}, {ratio:.4f}")
    return wrong


# ---- The whole -----------------------------------------------------------------------------------


def read_pages():
    pages = {}
    names = [BOOK + name for name in sorted(os.listdir(FOLDER)) if name.endswith(".md")]
    for name in names + OTHERS:
        with open(os.path.join(ROOT, name)) as page:
            pages[name] = page.read().splitlines()
    return pages


def hold(what, path, text, check):
    """Holds a file to its text, or writes it; says what is wrong."""
    old = None
    if os.path.exists(path):
        with open(path) as file:
            old = file.read()
    if old == text:
        return []
    if not check:
        with open(path, "w") as file:
            file.write(text)
        return []
    changes = difflib.unified_diff((old or "").splitlines(), text.splitlines(), what,
                                   "what its commands make", lineterm="", n=1)
    return [f"{what}: is not what its commands make; scripts/learn renews it", *list(changes)[:40]]


def hold_pictures(made, check):
    """Holds the pictures that commands have made to those that are there, or writes them."""
    there, wrong = os.path.join(FOLDER, "images"), []
    for name in sorted(os.listdir(made)):
        with open(os.path.join(made, name)) as picture:
            wrong += hold(f"{BOOK}images/{name}", os.path.join(there, name), picture.read(), check)
    stray = sorted(set(os.listdir(there)) - set(os.listdir(made)))
    return wrong + [f"{BOOK}images/{name}: no command makes it" for name in stray]


def hold_rungs(pages):
    wrong = []
    for stem in [stem for prefix in LADDERS for stem in stems(prefix)]:
        page = f"{BOOK}{stem}.md"
        wrong += missing_parts(stem, pages[page]) if page in pages else [f"{page}: is not there"]
    return wrong


def main():
    if sys.argv[1] in SAYS:
        print(SAYS[sys.argv[1]](*sys.argv[2:]))
        return 0
    check, gemmgen = "--check" in sys.argv[1:], sys.argv[-1]
    pages, wrong = read_pages(), []
    commands = {command for lines in pages.values() for command in commands_of(lines)}
    with tempfile.TemporaryDirectory() as folder:
        workshop = Workshop(folder, gemmgen)
        if not workshop.run_all(sorted(commands)):
            return 1
        for page, lines in pages.items():
            new = renewed(lines, workshop.said)
            wrong += hold(page, os.path.join(ROOT, page), "\n".join(new) + "\n", check)
        wrong += hold_pictures(os.path.join(folder, "images"), check)
    wrong += hold_rungs(pages) + spec_figures()
    for page, lines in pages.items():
        wrong += dead_links(page, lines)
    print("\n".join(wrong) if wrong else f"{len(pages)} pages, {len(commands)} commands")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
