"""Sparse operands, in the emulator of an sm_100, beside float64: pruned, compressed, multiplied,
expanded. Skipped where this Python has no numpy."""

import os
import sys
import unittest

os.environ["GEMMGEN_EMU_ARCH"] = "100"
import gemmgen

try:
    import numpy as np
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

try:
    import torch
except ImportError as error:
    torch = None
    print(f"without torch: {error}")

rng = np.random.default_rng(5)


def normal(*shape):
    return rng.standard_normal(shape).astype(np.float16)


class Sparse(unittest.TestCase):
    def close(self, d, wanted, tolerance=1e-3):
        error = np.abs(np.asarray(d, np.float64) - wanted).max() / np.abs(wanted).max()
        self.assertLess(error, tolerance)

    def test_prune(self):
        dense = normal(20, 64)
        pruned = gemmgen.prune(dense)
        groups = pruned.reshape(20, 16, 4)
        self.assertTrue(((groups != 0).sum(-1) == 2).all())
        least = np.sort(np.abs(dense.reshape(20, 16, 4)), axis=-1)[..., 2]
        self.assertTrue((np.abs(groups).max(-1) >= least).all())
        self.assertTrue(((pruned == dense) | (pruned == 0)).all())

    def test_there_and_back(self):
        for shape in ((20, 64), (130, 40), (1, 8)):
            pruned = gemmgen.prune(normal(*shape))
            compressed = gemmgen.compress(pruned)
            self.assertEqual(compressed.shape, shape)
            np.testing.assert_array_equal(compressed.dense(), pruned)
        with self.assertRaisesRegex(ValueError, "take .T of this one"):
            compressed.T.dense()

    def test_sparse_a(self):
        a, b = gemmgen.prune(normal(40, 128)), normal(128, 24)
        compressed = gemmgen.compress(a)
        wanted = a.astype(np.float64) @ b.astype(np.float64)
        self.close(gemmgen.matmul(compressed, b), wanted)
        bias = rng.standard_normal(24).astype(np.float32)
        d = gemmgen.matmul(compressed, b, dtype="f32", epilogue="bias relu", bias=bias)
        self.close(d, np.maximum(wanted + bias, 0), 1e-5)
        plan = gemmgen.plan(compressed, b, dtype="f32")
        self.close(plan(), wanted, 1e-5)

    def test_sparse_b(self):
        w, x = gemmgen.prune(normal(48, 128)), normal(2, 8, 128)
        d = gemmgen.matmul(x, gemmgen.compress(w).T, dtype="f32")
        self.close(d, x.astype(np.float64) @ w.astype(np.float64).T, 1e-5)

    def test_e2m1_in_pairs(self):
        codes = rng.integers(0, 256, (24, 128), dtype=np.uint8)
        pruned = gemmgen.prune(gemmgen.e2m1(codes))
        kept = (pruned.array.reshape(24, 32, 4) != 0).sum(-1)  # of four bytes, pairs, two at most
        self.assertTrue((kept <= 2).all())
        compressed = gemmgen.compress(pruned)
        self.assertEqual(compressed.shape, (24, 256))
        np.testing.assert_array_equal(compressed.dense().array, pruned.array)

    def test_what_is_refused(self):
        with self.assertRaisesRegex(gemmgen.Error, "PROBLEM_SPARSE"):
            gemmgen.compress(normal(8, 64))
        with self.assertRaisesRegex(ValueError, "has to have contiguous rows"):
            gemmgen.prune(normal(8, 64).T)
        compressed = gemmgen.compress(gemmgen.prune(normal(8, 64)))
        with self.assertRaisesRegex(ValueError, "a of shape .* has 64 columns, b of shape"):
            gemmgen.matmul(compressed, normal(32, 8))

    @unittest.skipUnless(torch, "there is no torch")
    def test_torch(self):
        w = gemmgen.prune(torch.randn(48, 64, dtype=torch.bfloat16))
        x = torch.randn(8, 64, dtype=torch.bfloat16)
        compressed = gemmgen.compress(w)
        self.assertTrue(torch.equal(compressed.dense(), w))
        wanted = (x.double() @ w.double().T).numpy()
        d = gemmgen.matmul(x, compressed.T, dtype=torch.float32)
        self.close(d, wanted, 1e-5)
        self.close(gemmgen.matmul(compressed, x.T, dtype=torch.float32), wanted.T, 1e-5)
        x.requires_grad_()
        with self.assertRaisesRegex(
            NotImplementedError, "sparse operands and e2m1 have no gradients"
        ):
            gemmgen.matmul(x, compressed.T)
        with torch.no_grad():
            self.close(gemmgen.matmul(x, compressed.T, dtype=torch.float32), wanted, 1e-5)


if __name__ == "__main__":
    unittest.main()
