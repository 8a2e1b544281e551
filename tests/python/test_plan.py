"""Plans: what a call costs, threads, forks, the end of the process."""

import ctypes
import os
import subprocess
import sys
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import gemmgen
from arrays import Array, OnDevice, Tensor, a_value, b_value, product
from gemmgen._library import lib


def operands(m=8, n=8, k=16):
    return Tensor("f16", (m, k), a_value), Tensor("f16", (k, n), b_value), Tensor("f32", (m, n))


class Overhead(unittest.TestCase):
    # Seconds a call beyond what the call itself takes, on a core that does the reference work in
    # REFERENCE; a slower core has as much more time as it takes longer for that work.
    LIMIT = 3e-6
    REFERENCE = 1.6e-6

    @staticmethod
    def reference():
        return sum(len(str(i)) for i in range(20))

    def test_a_call_beside_the_c_call(self):
        """A plan of no rows launches nothing: all that its call takes is Python's share, and the C
        call's own checks."""
        a, b, d = (OnDevice(Array(x.type.name, x.shape)) for x in operands(m=0))
        plan = gemmgen.plan(a, b, d, device="emu")
        count = 1000

        def time_of(function):
            begin = time.process_time()  # other programs' turns on the core do not count
            for _ in range(count):
                function()
            return (time.process_time() - begin) / count

        rounds = [[time_of(f) for f in (plan, self.reference, lambda: None)] for _ in range(100)]
        each, work, bare = (min(times) for times in zip(*rounds))
        limit = self.LIMIT * max(1, work / self.REFERENCE)
        print(
            f"a plan's call takes {each * 1e6:.2f} us in Python and the library ({bare * 1e6:.2f} us "
            f"of them a loop's and an empty call's); at most {limit * 1e6:.2f} by the reference of "
            f"{work * 1e6:.2f} us"
        )
        self.assertLess(each, limit)

    def test_nothing_is_allocated_or_prepared(self):
        a, b, d = map(OnDevice, operands())
        plan = gemmgen.plan(a, b, d, device="emu")
        called = []
        names = [
            name
            for name in (
                "gg_gemm_choose",
                "gg_gemm_prepare",
                "gg_prepare",
                "gg_memory_alloc",
                "gg_workspace_alloc",
                "gg_synchronize",
                "gg_gemm_launch",
            )
        ]
        real = {name: getattr(lib, name) for name in names}
        try:
            for name in names:
                setattr(lib, name, lambda *_, name=name: called.append(name) or 0)
            plan()
        finally:
            for name, function in real.items():
                setattr(lib, name, function)
        self.assertEqual(called, [])
        self.assertEqual(d.values(), product(a.host, b.host))


class Plans(unittest.TestCase):
    def test_facts(self):
        a, b, d = operands(64, 64, 64)
        plan = gemmgen.plan(a, b, d)
        self.assertIs(plan.out, d)
        self.assertIn("gemm_", plan.kernel)
        self.assertIn("64 x 64 x 64 x 1 by gemm_", repr(plan))
        self.assertIs(plan.tuned, False)

    def test_new_numbers_in_the_same_arrays(self):
        a, b, d = operands()
        plan = gemmgen.plan(a, b, d)
        self.assertEqual(plan().values(), product(a, b))
        for i in range(8):
            a.put((i, 0), 3)
        self.assertEqual(plan().values(), product(a, b))

    def test_a_workspace_of_its_own(self):
        a, b, d = operands(16, 16, 4096)
        sums = Tensor("f32", (16,))
        plan = gemmgen.plan(a, b, d, epilogue="sum", sum=sums)
        self.assertGreater(plan.workspace_bytes, 0)
        plan()
        wanted = product(a, b)
        self.assertEqual(d.values(), wanted)
        self.assertEqual(
            sums.values(), {(j,): sum(wanted[i, j] for i in range(16)) for j in range(16)}
        )

    def test_streams(self):
        emulator = gemmgen.device("emu")
        stream, error = ctypes.c_void_p(), ctypes.c_void_p()
        lib.gg_stream_open.argtypes = [
            ctypes.POINTER(ctypes.c_void_p),
            ctypes.c_void_p,
            ctypes.c_void_p,
        ]
        self.assertEqual(lib.gg_stream_open(ctypes.byref(stream), emulator.context, error), 0)
        a, b, d = map(OnDevice, operands())
        gemmgen.plan(a, b, d, device="emu", stream=stream.value)()
        self.assertEqual(d.values(), product(a.host, b.host))
        gemmgen.matmul(a, b, d, alpha=2, device="emu", stream=stream.value)
        self.assertEqual(d.values(), {at: 2 * x for at, x in product(a.host, b.host).items()})


class Threads(unittest.TestCase):
    def test_many_at_once(self):
        def work(i):
            n = 8 + 8 * (i % 3)
            a, b, d = operands(n=n)
            for _ in range(3):
                gemmgen.matmul(a, b, d, alpha=1 + i)
            plan = gemmgen.plan(a, b, d, alpha=1 + i)
            plan()
            return d.values() == {at: (1 + i) * x for at, x in product(a, b).items()}

        with ThreadPoolExecutor(8) as pool:
            self.assertTrue(all(pool.map(work, range(24))))

    def test_errors_are_a_threads_own(self):
        seen = {}

        def work(i):
            word = "bias" if i % 2 else "gelu"
            try:
                gemmgen.generate(f"arch: sm_80\na: f16\nb: f16\nd: f32\nepilogue: [{word}x]\n")
            except gemmgen.Error as error:
                seen[i] = word in error.message

        threads = [threading.Thread(target=work, args=(i,)) for i in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(seen, {i: True for i in range(16)})


PROGRAM = """
import os, sys
import gemmgen
from arrays import Tensor, a_value, b_value, product
a, b, d = Tensor("f16", (8, 16), a_value), Tensor("f16", (16, 8), b_value), Tensor("f32", (8, 8))
plan = gemmgen.plan(a, b, d)
plan()
"""


def run(program, **environment):
    return subprocess.run(
        [sys.executable, "-c", PROGRAM + program],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=120,
    )


class Processes(unittest.TestCase):
    def check(self, program, **environment):
        done = run(program, **environment)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout

    def test_exit_with_plans_alive(self):
        self.check("sys.plan = plan; sys.cycle = [plan]; sys.cycle.append(sys.cycle)")

    def test_a_driver_error_is_raised_and_forgotten(self):
        """Of a D whose memory is gone. The device is of no use afterwards, as a GPU would be."""
        said = self.check("""
from arrays import Array, OnDevice
a, b, d = map(OnDevice, (a, b, d))
plan = gemmgen.plan(a, b, d, device="emu")
plan._product.device.free(d.address)
for _ in range(2):
    try:
        plan()
        plan._product.device.synchronize()
    except gemmgen.Error as error:
        print(error.name, error.stage)
try:
    gemmgen.generate("arch: sm_80\\n")
except gemmgen.Error as error:
    print(error.name)
""")
        self.assertRegex(said, "DRIVER runtime\nDRIVER runtime\nSPEC_MISSING")

    def test_exit_closes_the_emulator(self):
        counters = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"gemmgen-{os.getpid()}.json")
        try:
            self.check("", GEMMGEN_EMU_COUNTERS=counters)
            self.assertGreater(os.path.getsize(counters), 0)
        finally:
            if os.path.exists(counters):
                os.remove(counters)

    def test_exit_while_a_thread_computes(self):
        self.check("""
import threading
def work():
    while True:
        plan()
threading.Thread(target=work, daemon=True).start()
""")

    def test_fork(self):
        self.check("""
child = os.fork()
if child == 0:
    e = Tensor("f32", (8, 8))
    gemmgen.matmul(a, b, e)
    os._exit(0 if e.values() == product(a, b) and gemmgen.device("emu") is not plan._product.device
    else 1)
assert os.waitpid(child, 0)[1] == 0
gemmgen.matmul(a, b, d)
assert d.values() == product(a, b)
""")

    def test_no_library(self):
        done = subprocess.run(
            [sys.executable, "-c", "import gemmgen"],
            capture_output=True,
            text=True,
            env={**os.environ, "GEMMGEN_LIBRARY": "/nowhere/libgemmgen.so"},
        )
        self.assertIn(
            "ImportError: gemmgen: libgemmgen cannot be loaded: /nowhere/libgemmgen.so", done.stderr
        )


if __name__ == "__main__":
    unittest.main()
