"""numpy's arrays, in the emulator, against float64. Skipped where this Python has no numpy."""

import sys
import unittest

import gemmgen

try:
    import numpy as np
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None

rng = np.random.default_rng(7)


def normal(*shape, dtype=np.float16):
    return rng.standard_normal(shape).astype(dtype)


def wide(x):
    return x.astype(np.float64)


class Numpy(unittest.TestCase):
    def close(self, d, wanted, tolerance):
        error = np.abs(wide(d) - wanted).max() / max(1, np.abs(wanted).max())
        self.assertLess(error, tolerance)

    def test_new_results(self):
        for dtype, tolerance in ((np.float16, 1e-3), (np.float32, 1e-6), (np.float64, 1e-14)):
            a, b = normal(40, 70, dtype=dtype), normal(70, 24, dtype=dtype)
            d = gemmgen.matmul(a, b)
            self.assertEqual((d.dtype, d.shape), (np.dtype(dtype), (40, 24)))
            self.close(d, wide(a) @ wide(b), tolerance)
        a = rng.integers(-100, 100, (16, 32), dtype=np.int8)
        b = rng.integers(-100, 100, (32, 48), dtype=np.int8)
        d = gemmgen.matmul(a, b)
        self.assertEqual(d.dtype, np.int32)
        np.testing.assert_array_equal(d, a.astype(np.int32) @ b.astype(np.int32))

    def test_dtype_by_any_name(self):
        a, b = normal(8, 16), normal(16, 8)
        for dtype in ("f32", "float32", np.float32, np.dtype(np.float32)):
            self.assertEqual(gemmgen.matmul(a, b, dtype=dtype).dtype, np.float32)

    def test_views(self):
        big = normal(64, 96, dtype=np.float32)
        for a in (big[3:20, 8:40], big[:32, 5:30].T, big.T[4:20, 1:20]):
            b = normal(a.shape[1], 24, dtype=np.float32)
            self.close(gemmgen.matmul(a, b), wide(a) @ wide(b), 1e-6)
        with self.assertRaisesRegex(ValueError, "a row or a column has to be contiguous"):
            gemmgen.matmul(big[:, ::2], normal(48, 8, dtype=np.float32))

    def test_out_in_the_middle(self):
        big = np.full((20, 40), 7, np.float32)
        a, b = normal(8, 16), normal(16, 24)
        gemmgen.matmul(a, b, big[4:12, 8:32])
        self.close(big[4:12, 8:32], wide(a) @ wide(b), 1e-6)
        big[4:12, 8:32] = 7
        self.assertTrue((big == 7).all())

    def test_batch(self):
        a, b = normal(2, 3, 8, 16), normal(2, 3, 16, 24)
        self.close(gemmgen.matmul(a, b, dtype="f32"), wide(a) @ wide(b), 1e-6)
        self.close(gemmgen.matmul(a, b[0, 0], dtype="f32"), wide(a) @ wide(b[0, 0]), 1e-6)

    def test_epilogue(self):
        a, b, bias = normal(24, 32), normal(32, 40), normal(40, dtype=np.float32)
        residual = normal(24, 40)
        d = gemmgen.matmul(
            a, b, epilogue="bias silu residual", bias=bias, residual=residual, dtype="f32"
        )
        x = wide(a) @ wide(b) + wide(bias)
        self.close(d, x / (1 + np.exp(-x)) + wide(residual), 1e-5)

    def test_read_only(self):
        a, b, d = normal(8, 8), normal(8, 8), np.empty((8, 8), np.float16)
        a.setflags(write=False)
        self.close(gemmgen.matmul(a, b), wide(a) @ wide(b), 1e-3)
        d.setflags(write=False)
        with self.assertRaisesRegex(ValueError, "read-only"):
            gemmgen.matmul(a, b, d)

    def test_other_types(self):
        with self.assertRaisesRegex(TypeError, "complex128, which gemmgen does not multiply"):
            gemmgen.matmul(np.zeros((4, 4), complex), np.zeros((4, 4), complex))

    @unittest.skipUnless(ml_dtypes, "there is no ml_dtypes")
    def test_types_of_ml_dtypes(self):
        for dtype, result in (
            (ml_dtypes.bfloat16, ml_dtypes.bfloat16),
            (ml_dtypes.float8_e4m3fn, ml_dtypes.bfloat16),
            (ml_dtypes.float8_e5m2, ml_dtypes.bfloat16),
        ):
            a, b = normal(16, 32, dtype=dtype), normal(32, 16, dtype=dtype)
            d = gemmgen.matmul(a, b)
            self.assertEqual(d.dtype, np.dtype(result))
            self.close(d, wide(a) @ wide(b), 1e-2)


if __name__ == "__main__":
    unittest.main()
