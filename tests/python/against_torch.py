"""gemmgen.matmul against torch.matmul: 60 shapes of 8 types, on a GPU.

    python tests/python/against_torch.py [--types f16,bf16] [--shapes N] [--no-times] [--emulator]

Each product is computed twice. Of small integers no sum is rounded, and D must be the exact result,
rounded once: a lost product fails. Of normal deviates D is compared with a product of float64. Then
both are timed, by events around launches that follow each other, and the ratio is told: it fails
nothing. Streams, CUDA graphs, torch.compile and what a call costs are checked once.

--emulator runs a few small products in host memory, to try this program without a GPU. Without
torch or a GPU it says so and ends with 77, "skipped"; with 1 where something is wrong.
"""

import argparse
import statistics
import sys
import time

import gemmgen

try:
    import torch
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

# What is multiplied, what D is, and how far off it may be, relative to its largest element.
TYPES = {
    "f16": (torch.float16, torch.float16, 2e-3),
    "bf16": (torch.bfloat16, torch.bfloat16, 1e-2),
    "tf32": (torch.float32, torch.float32, 2e-3),
    "f32": (torch.float32, torch.float32, 2e-5),
    "f64": (torch.float64, torch.float64, 1e-13),
    "e4m3": (torch.float8_e4m3fn, torch.bfloat16, 1e-2),
    "e5m2": (torch.float8_e5m2, torch.bfloat16, 1e-2),
    "s8": (torch.int8, torch.int32, 0),
}

# Batch, M, N, K.
SQUARES = [(1, n, n, n) for n in (64, 128, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096)]
LAYERS = [
    (1, m, n, k)
    for m in (1, 16, 128, 2048)
    for n, k in ((4096, 4096), (11008, 4096), (4096, 11008), (3072, 768), (768, 3072))
]
ODD = [
    (1, m, n, k)
    for m, n, k in (
        (17, 33, 65),
        (100, 100, 100),
        (127, 129, 131),
        (255, 511, 1023),
        (777, 333, 555),
        (1000, 1, 1000),
        (1, 1000, 1000),
        (1, 1, 1),
        (5, 3, 7),
        (2047, 2049, 1025),
        (300, 200, 104),
        (1500, 5120, 1280),
    )
]
LONG = [
    (1, 64, 64, 16384),
    (1, 16, 128, 32768),
    (1, 256, 256, 8192),
    (1, 4096, 64, 64),
    (1, 64, 4096, 64),
    (1, 8192, 128, 32),
]
BATCHES = [
    (b, m, n, k)
    for b, m, n, k in (
        (2, 64, 64, 64),
        (8, 128, 128, 64),
        (16, 512, 64, 512),
        (16, 512, 512, 64),
        (32, 77, 77, 40),
        (64, 33, 65, 17),
        (12, 197, 197, 64),
        (12, 197, 64, 197),
        (4, 1024, 1024, 128),
        (3, 1, 512, 256),
        (7, 256, 1, 128),
    )
]
SHAPES = SQUARES + LAYERS + ODD + LONG + BATCHES
assert len(SHAPES) == 60


def operand(fill, batch, rows, columns, transposed, device):
    """A matrix of float64, or a batch; transposed: of the other major."""
    shape = (batch,) if batch > 1 else ()
    shape += (columns, rows) if transposed else (rows, columns)
    x = (
        torch.randint(-2, 3, shape, device=device).double()
        if fill == "integers"
        else torch.randn(shape, device=device, dtype=torch.float64)
    )
    return x.mT if transposed else x


def typed(x, dtype):
    """In a type, its strides as they are."""
    if dtype == torch.int8 and not bool((x == x.round()).all()):
        x = (x * 30).clamp(-127, 127).round()
    if x.is_contiguous():
        return x.to(dtype)
    return x.mT.contiguous().to(dtype).mT


def torchs(name):
    """torch's own product of a type; None where it has none."""

    def scaled(a, b):
        one = torch.ones((), device=a.device)
        return torch._scaled_mm(a, b, one, one, out_dtype=torch.bfloat16)

    def plain(a, b):
        torch.backends.cuda.matmul.allow_tf32 = name == "tf32"
        return torch.matmul(a, b)

    return {"e4m3": scaled, "e5m2": None, "s8": torch._int_mm}.get(name, plain)


def wrong_of(name, d, wanted, exact, dtype, tolerance):
    """What is wrong with a result; "" where nothing is."""
    if d.shape != wanted.shape or d.dtype != dtype:
        return f"{tuple(d.shape)} of {d.dtype}"
    if exact:
        count = int((d.double() != wanted.to(dtype).double()).sum())
        return f"{count} of {d.numel()} elements are wrong" if count else ""
    error = ((d.double() - wanted).abs().max() / wanted.abs().max().clamp(min=1)).item()
    return (
        "" if error <= tolerance else f"off by {error:.2e} of the largest, {tolerance:.0e} allowed"
    )


def seconds(function, repeat=20):
    """One call's time, by events around many."""
    for _ in range(3):
        function()
    best = []
    for _ in range(3):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(repeat):
            function()
        end.record()
        end.synchronize()
        best.append(begin.elapsed_time(end) / 1e3 / repeat)
    return min(best)


class Check:
    def __init__(self, given):
        self.given, self.device = given, "cpu" if given.emulator else "cuda"
        self.passed = self.failed = 0
        self.ratios = {}

    def judge(self, what, wrong):
        self.passed, self.failed = self.passed + (not wrong), self.failed + bool(wrong)
        if wrong:
            print(f"FAILED {what}: {wrong}", flush=True)

    def product(self, name, index, shape):
        batch, m, n, k = shape
        dtype, result, tolerance = TYPES[name]
        what = f"{name} {'x'.join(map(str, shape))}"
        majors = index % 4
        for fill in ("integers", "normal"):
            a = typed(operand(fill, batch, m, k, majors & 1, self.device), dtype)
            b = typed(operand(fill, batch, k, n, majors & 2, self.device), dtype)
            d = gemmgen.matmul(a, b, tf32=name == "tf32")
            wanted = a.double() @ b.double()
            exact = fill == "integers" or dtype == torch.int8
            self.judge(f"{what} of {fill}", wrong_of(name, d, wanted, exact, result, tolerance))
        if not (self.given.no_times or self.given.emulator):
            self.times(name, what, a, b)

    def times(self, name, what, a, b):
        plan = gemmgen.plan(a, b, tf32=name == "tf32")
        ours, function = seconds(plan), torchs(name)
        try:
            if function is None:
                raise RuntimeError("torch has no such product")
            theirs = seconds(lambda: function(a, b))
        except (RuntimeError, TypeError, ValueError) as error:
            print(
                f"{what:30} {ours * 1e6:9.1f} us; torch: {str(error).splitlines()[0][:60]}",
                flush=True,
            )
            return
        self.ratios.setdefault(name, []).append(ours / theirs)
        print(
            f"{what:30} {ours * 1e6:9.1f} us; torch {theirs * 1e6:9.1f} us; {ours / theirs:5.2f}  "
            f"{plan.kernel}",
            flush=True,
        )

    def streams_and_graphs(self):
        """On a stream of torch's, captured by torch, also where a workspace is shared among
        CTAs."""
        for m, n, k in ((512, 512, 512), (32, 64, 16384)):
            a = torch.randint(-2, 3, (m, k), device="cuda").half()
            b = torch.randint(-2, 3, (k, n), device="cuda").half()
            out = torch.empty(m, n, device="cuda")
            plan = gemmgen.plan(a, b, out)
            side = torch.cuda.Stream()
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                d = gemmgen.matmul(a, b, dtype="f32")
                plan()
            torch.cuda.current_stream().wait_stream(side)
            torch.cuda.synchronize()
            wanted = a.double() @ b.double()
            self.judge(f"stream {m}x{n}x{k}", wrong_of("f16", d, wanted, True, torch.float32, 0))
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                d = gemmgen.matmul(a, b, dtype="f32")
                plan()
            for _ in range(3):
                a.copy_(torch.randint(-2, 3, (m, k), device="cuda"))
                graph.replay()
                torch.cuda.synchronize()
                wanted = a.double() @ b.double()
                for which, x in (("matmul", d), ("plan", out)):
                    self.judge(
                        f"graph of {which} {m}x{n}x{k}",
                        wrong_of("f16", x, wanted, True, torch.float32, 0),
                    )

    def compiled(self):
        def layer(a, b, bias):
            return gemmgen.matmul(a, b, epilogue="bias relu", bias=bias, dtype=torch.float32) + 1

        m, n, k = (16, 32, 16) if self.given.emulator else (512, 1024, 256)
        a = torch.randint(-2, 3, (m, k), device=self.device).half()
        b = torch.randint(-2, 3, (k, n), device=self.device).half()
        bias = torch.randint(-2, 3, (n,), device=self.device).float()
        wanted = (a.double() @ b.double() + bias).relu() + 1
        backend = "aot_eager" if self.given.emulator else "inductor"
        d = torch.compile(layer, fullgraph=True, backend=backend)(a, b, bias)
        self.judge(
            f"torch.compile by {backend}", wrong_of("f16", d, wanted, True, torch.float32, 0)
        )

    def overhead(self):
        """What a plan's call takes on the host: of no rows, which launches nothing, and of a
        launch."""
        for m in (0, 64):
            a = torch.empty(m, 64, device="cuda", dtype=torch.float16)
            b = torch.empty(64, 64, device="cuda", dtype=torch.float16)
            plan = gemmgen.plan(a, b)
            took = []
            for _ in range(20):
                torch.cuda.synchronize()
                begin = time.perf_counter()
                for _ in range(200):
                    plan()
                took.append((time.perf_counter() - begin) / 200)
            each = statistics.median(took) * 1e6
            print(
                f"a plan's call {'with' if m else 'without'} a launch takes {each:.2f} us",
                flush=True,
            )
            if not m:
                self.judge("overhead of a call", "" if each < 3 else f"{each:.2f} us, 3 allowed")

    def run(self):
        shapes = SHAPES[: self.given.shapes]
        if self.given.emulator:
            shapes = [
                shape for shape in SHAPES if shape[0] * shape[1] * shape[2] * shape[3] < 1 << 18
            ]
        for name in self.given.types.split(","):
            for index, shape in enumerate(shapes):
                try:
                    self.product(name, index, shape)
                except gemmgen.Error as error:
                    self.judge(f"{name} {shape}", str(error))
        self.compiled()
        if not self.given.emulator:
            self.streams_and_graphs()
            self.overhead()
        for name, ratios in self.ratios.items():
            mean = statistics.geometric_mean(ratios)
            print(
                f"{name}: {mean:.3f} of torch's time on the mean, of {len(ratios)} shapes, "
                f"{min(ratios):.2f} to {max(ratios):.2f}"
            )
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--types", default=",".join(TYPES))
    parser.add_argument("--shapes", type=int, default=len(SHAPES), help="how many of them")
    parser.add_argument("--no-times", action="store_true")
    parser.add_argument("--emulator", action="store_true")
    given = parser.parse_args()
    strays = set(given.types.split(",")) - set(TYPES)
    if strays:
        parser.error(f"--types knows {', '.join(TYPES)}, not {', '.join(sorted(strays))}")
    if not given.emulator and not torch.cuda.is_available():
        print("skipped: torch finds no GPU")
        return 77
    torch.manual_seed(1)
    where = gemmgen.device("emu" if given.emulator else torch.cuda.current_device())
    print(f"gemmgen {gemmgen.__version__}, torch {torch.__version__}, {where}", flush=True)
    return Check(given).run()


if __name__ == "__main__":
    sys.exit(main())
