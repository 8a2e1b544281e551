"""Scale factors, in the emulator of an sm_120: mxfp8 and nvfp4 by factors of blocks, numbers and
vectors, beside float64. Skipped where this Python has no numpy."""

import os
import sys
import unittest

os.environ["GEMMGEN_EMU_ARCH"] = "120"
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

from arrays import Tensor

rng = np.random.default_rng(11)
E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])


def e2m1(rows, k):
    """Random elements of e2m1, two a byte, and what they are."""
    codes = rng.integers(0, 16, (rows, k))
    values = E2M1[codes & 7] * np.where(codes & 8, -1, 1)
    return (codes[:, ::2] | codes[:, 1::2] << 4).astype(np.uint8), values


def ue4m3(rows, columns):
    """Random factors from 1/4 to 4, powers of two and half of them more, and what they are."""
    exponents, halves = rng.integers(5, 9, (rows, columns)), rng.integers(0, 2, (rows, columns))
    codes = (exponents << 3 | halves << 2).astype(np.uint8)
    return codes, np.exp2(exponents - 7.0) * (1 + halves / 2)


def ue8m0(rows, columns):
    exponents = rng.integers(125, 130, (rows, columns))
    return exponents.astype(np.uint8), np.exp2(exponents - 127.0)


def spread(factors, block, k):
    return np.repeat(factors, block, axis=1)[:, :k]


class Scales(unittest.TestCase):
    def close(self, d, wanted, tolerance=1e-6):
        error = np.abs(np.asarray(d, np.float64) - wanted).max() / np.abs(wanted).max()
        self.assertLess(error, tolerance)

    def nvfp4(self, m, n, k):
        a, wide_a = e2m1(m, k)
        w, wide_w = e2m1(n, k)
        of_a, factors_a = ue4m3(m, k // 16)
        of_w, factors_w = ue4m3(n, k // 16)
        wanted = (wide_a * spread(factors_a, 16, k)) @ (wide_w * spread(factors_w, 16, k)).T
        return a, w, of_a, of_w, wanted

    def test_nvfp4(self):
        a, w, of_a, of_w, wanted = self.nvfp4(40, 24, 128)
        scale_a = gemmgen.pack_scales(of_a, type="ue4m3")
        scale_b = gemmgen.pack_scales(of_w, type="ue4m3")
        self.assertEqual((scale_a.block, scale_a.rows, scale_a.k), (16, 40, 128))
        one, two = gemmgen.e2m1(a), gemmgen.e2m1(w).T
        d = gemmgen.matmul(one, two, scale_a=scale_a, scale_b=scale_b, dtype="f32")
        self.close(d, wanted)
        bias = rng.standard_normal(24).astype(np.float32)
        d = gemmgen.matmul(
            one,
            two,
            scale_a=scale_a,
            scale_b=scale_b,
            dtype="f32",
            epilogue="bias relu",
            bias=bias,
            alpha=0.5,
        )
        self.close(d, np.maximum(wanted / 2 + bias, 0))
        plan = gemmgen.plan(one, two, scale_a=scale_a, scale_b=scale_b, dtype="f32")
        self.close(plan(), wanted)

    def test_mxfp8(self):
        m, n, k = 24, 40, 96
        values = [rng.integers(-4, 5, (rows, k)) for rows in (m, n)]
        a, w = (Tensor("e4m3", v.shape, lambda i, j, v=v: int(v[i, j])) for v in values)
        of_a, factors_a = ue8m0(m, 3)
        of_w, factors_w = ue8m0(n, 3)
        d = np.empty((m, n), np.float32)
        gemmgen.matmul(
            a,
            w.T,
            d,
            scale_a=gemmgen.pack_scales(of_a, type="ue8m0"),
            scale_b=gemmgen.pack_scales(of_w, type="ue8m0"),
        )
        wanted = (values[0] * spread(factors_a, 32, k)) @ (values[1] * spread(factors_w, 32, k)).T
        self.close(d, wanted)

    def test_the_last_block(self):
        scales = gemmgen.pack_scales(ue8m0(3, 2)[0], type="ue8m0", k=40)
        self.assertEqual((scales.k, scales.factors.shape), (40, (512,)))
        with self.assertRaisesRegex(ValueError, "k = 70 elements in blocks of 32 have 3 factors"):
            gemmgen.pack_scales(ue8m0(3, 2)[0], type="ue8m0", k=70)

    def test_numbers_and_vectors(self):
        a, b = rng.standard_normal((24, 32)), rng.standard_normal((32, 40))
        a, b = a.astype(np.float32), b.astype(np.float32)
        wide = a.astype(np.float64) @ b.astype(np.float64)
        rows, columns = (rng.random(n).astype(np.float32) + 0.5 for n in (24, 40))
        number = np.array([3], np.float32)
        bias = rng.standard_normal(40).astype(np.float32)
        self.close(gemmgen.matmul(a, b, scale_a=2, scale_b=np.float32(0.25)), wide / 2)
        self.close(gemmgen.matmul(a, b, scale_a=number, scale_b=0.5), 1.5 * wide)
        both = wide * rows[:, None] * columns
        self.close(gemmgen.matmul(a, b, scale_a=rows, scale_b=columns), both)
        self.close(gemmgen.matmul(a, b, scale_a=rows[:, None], scale_b=columns[None]), both)
        d = gemmgen.matmul(
            a, b, scale_a=rows, scale_b=columns, alpha=2, epilogue="bias relu", bias=bias
        )
        self.close(d, np.maximum(2 * both + bias, 0))
        c = rng.standard_normal((24, 40)).astype(np.float32)
        self.close(gemmgen.matmul(a, b, c=c, beta=2, scale_a=number), 3 * wide + 2 * c)
        d = gemmgen.matmul(
            a,
            b,
            scale_a=rows,
            scale_b=number,
            epilogue=["bias", {"scale": {"along": "n"}}, "scale"],
            bias=bias,
            scale=columns,
            scale2=number,
        )
        self.close(d, (wide * rows[:, None] * 3 + bias) * columns * 3)

    def test_what_is_refused(self):
        a, w, of_a, of_w, _ = self.nvfp4(8, 8, 64)
        scale = gemmgen.pack_scales(of_a, type="ue4m3")
        one, two = gemmgen.e2m1(a), gemmgen.e2m1(w).T
        with self.assertRaisesRegex(TypeError, "has them of both: scale_b is missing"):
            gemmgen.matmul(one, two, scale_a=scale, dtype="f32")
        other = gemmgen.pack_scales(of_w[:, :2], type="ue4m3")
        with self.assertRaisesRegex(ValueError, "scale_b has the factors of 8 x 32 elements, and"):
            gemmgen.matmul(one, two, scale_a=scale, scale_b=other, dtype="f32")
        with self.assertRaisesRegex(TypeError, "factors are of uint8: they are float8_e8m0fnu"):
            gemmgen.pack_scales(of_a)
        with self.assertRaisesRegex(TypeError, "e2m1 lies in bytes, uint8, and these are f32"):
            gemmgen.matmul(gemmgen.e2m1(np.zeros((8, 8), np.float32)), two)
        f32 = np.zeros((8, 8), np.float32)
        with self.assertRaisesRegex(ValueError, r"scale_a has shape \(2, 3\): it is one number"):
            gemmgen.matmul(f32, f32, scale_a=np.zeros((2, 3), np.float32))
        with self.assertRaisesRegex(ValueError, "scale_a and scale_b become operations in front"):
            gemmgen.matmul(f32, f32, scale_a=f32[0], epilogue="[{relu: {}}]")

    @unittest.skipUnless(torch, "there is no torch")
    def test_torch(self):
        a, w, of_a, of_w, wanted = self.nvfp4(16, 24, 64)
        one, two = torch.from_numpy(a), torch.from_numpy(w)
        factors = [
            gemmgen.pack_scales(torch.from_numpy(f).view(torch.float8_e4m3fn)) for f in (of_a, of_w)
        ]
        d = gemmgen.matmul(
            gemmgen.e2m1(one),
            gemmgen.e2m1(two).T,
            scale_a=factors[0],
            scale_b=factors[1],
            dtype=torch.float32,
        )
        self.close(d, wanted)
        if hasattr(torch, "float4_e2m1fn_x2"):
            packed = [t.view(torch.float4_e2m1fn_x2) for t in (one, two)]
            d = gemmgen.matmul(packed[0], packed[1].T, scale_a=factors[0], scale_b=factors[1])
            self.close(d.float(), wanted, 1e-2)
        a8 = torch.randint(-4, 5, (16, 64)).to(torch.float8_e4m3fn)
        rows, number = torch.rand(16), torch.rand(())
        d = gemmgen.matmul(a8, a8.T, scale_a=rows, scale_b=number, dtype=torch.float32)
        self.close(d, (a8.double() @ a8.double().T * rows[:, None] * number).numpy())


if __name__ == "__main__":
    unittest.main()
