"""cupy's arrays on a GPU: __cuda_array_interface__, DLPack, streams. Skipped where this Python has
no cupy, or there is no GPU."""

import sys
import unittest

import gemmgen

try:
    import cupy as cp

    cp.cuda.runtime.getDeviceCount()
except Exception as error:  # also what cupy says of a missing driver
    print(f"skipped: {error}")
    sys.exit(77)


class OnlyDlpack:
    """An array whose one interface is DLPack; `versioned`: it knows of max_version."""

    def __init__(self, array, versioned=True):
        self.array, self.versioned = array, versioned

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, *, stream=None, **rest):
        if rest and not self.versioned:
            raise TypeError(f"unknown: {rest}")
        return self.array.__dlpack__(stream=stream, **rest)


def integers(*shape, dtype=cp.float16):
    return cp.random.randint(-2, 3, shape).astype(dtype)


def exact(a, b):
    return a.astype(cp.float64) @ b.astype(cp.float64)


class Cupy(unittest.TestCase):
    def check(self, d, wanted):
        cp.cuda.runtime.deviceSynchronize()
        self.assertTrue(bool((d.astype(cp.float64) == wanted).all()))

    def test_new_results(self):
        for dtype in (cp.float16, cp.float32, cp.float64, cp.int8):
            a, b = integers(128, 64, dtype=dtype), integers(64, 96, dtype=dtype)
            d = gemmgen.matmul(a, b)
            self.assertIsInstance(d, cp.ndarray)
            self.check(d, exact(a, b))

    def test_views_and_epilogue(self):
        a, b, bias = integers(64, 128)[:, :72], integers(96, 72).T, integers(96, dtype=cp.float32)
        d = gemmgen.matmul(a, b, epilogue="bias relu", bias=bias, dtype="f32")
        self.check(d, cp.maximum(exact(a, b) + bias, 0))

    def test_current_stream(self):
        stream = cp.cuda.Stream(non_blocking=True)
        a, b = integers(512, 512), integers(512, 512)
        cp.cuda.runtime.deviceSynchronize()
        with stream:
            for _ in range(10):
                a *= 1
                d = gemmgen.matmul(a, b, dtype="f32")
                e = d + 1
        stream.synchronize()
        self.check(e, exact(a, b) + 1)

    def test_dlpack(self):
        a, b = integers(64, 64), integers(64, 64)
        d = cp.empty((64, 64), cp.float32)
        for versioned in (True, False):
            d.fill(7)
            cp.cuda.runtime.deviceSynchronize()
            gemmgen.matmul(*(OnlyDlpack(x, versioned) for x in (a, b, d)))
            self.check(d, exact(a, b))

    def test_plan(self):
        a, b = integers(64, 4096), integers(4096, 64)
        plan = gemmgen.plan(a, b, dtype="f32")
        for _ in range(3):
            self.check(plan(), exact(a, b))


if __name__ == "__main__":
    unittest.main()
