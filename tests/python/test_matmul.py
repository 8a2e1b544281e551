"""Products in the emulator, exact, against sums of Python's numbers."""

import unittest

import gemmgen
from arrays import Array, OnDevice, Tensor, a_value, b_value, product


class Products(unittest.TestCase):
    M, N, K = 24, 40, 32

    def operands(self, name, m=M, n=N, k=K):
        return Tensor(name, (m, k), a_value), Tensor(name, (k, n), b_value)

    def check(self, d, wanted):
        self.assertEqual(d.values(), wanted)

    def test_types(self):
        results = {
            "f16": "f32",
            "bf16": "f32",
            "f32": "f32",
            "f64": "f64",
            "e4m3": "f32",
            "e5m2": "f32",
            "s8": "s32",
            "u8": "s32",
        }
        for name, result in results.items():
            with self.subTest(name):
                value = a_value if name != "u8" else lambda i, k: (i + k) % 5
                a = Tensor(name, (self.M, self.K), value)
                b = Tensor(name, (self.K, self.N), value)
                d = Tensor(result, (self.M, self.N))
                self.assertIs(gemmgen.matmul(a, b, d), d)
                self.check(d, product(a, b))

    def test_tf32(self):
        a, b = self.operands("f32")
        d = Tensor("f32", (self.M, self.N))
        plan = gemmgen.plan(a, b, d, tf32=True)
        plan()
        self.check(d, product(a, b))
        self.assertIn("tf32", plan.kernel)
        with self.assertRaisesRegex(TypeError, "tf32 is how f32 is multiplied"):
            gemmgen.matmul(*self.operands("f16"), Tensor("f32", (self.M, self.N)), tf32=True)

    def test_majors(self):
        for a_rows in (True, False):
            for b_rows in (True, False):
                for d_rows in (True, False):
                    a = Tensor("f16", (self.M, self.K) if a_rows else (self.K, self.M), a_value)
                    b = Tensor("f16", (self.K, self.N) if b_rows else (self.N, self.K), b_value)
                    d = Tensor("f32", (self.M, self.N) if d_rows else (self.N, self.M))
                    a, b, d = a if a_rows else a.T, b if b_rows else b.T, d if d_rows else d.T
                    gemmgen.matmul(a, b, d)
                    self.check(d, product(a, b))

    def test_views_with_gaps(self):
        a = Tensor("f16", (self.M, self.K), a_value, (self.K + 8, 1))
        b = Tensor("f16", (self.K, self.N), b_value, (self.N + 16, 1))
        d = Tensor("f32", (self.M, self.N), None, (self.N + 4, 1))
        gemmgen.matmul(a, b, d)
        self.check(d, product(a, b))
        self.assertEqual(d.strays(), 0)

    def test_odd_extents(self):
        a, b = self.operands("bf16", 17, 33, 19)
        d = Tensor("f32", (17, 33))
        gemmgen.matmul(a, b, d)
        self.check(d, product(a, b))
        self.assertEqual(d.strays(), 0)

    def test_one_row_and_one_column(self):
        for m, n, k in ((1, 24, 16), (24, 1, 16), (8, 8, 1), (1, 1, 1)):
            with self.subTest((m, n, k)):
                a, b = self.operands("f32", m, n, k)
                d = Tensor("f32", (m, n))
                gemmgen.matmul(a, b, d)
                self.check(d, product(a, b))

    def test_empty(self):
        for m, n, k in ((0, 8, 8), (8, 0, 8)):
            a, b = self.operands("f16", m, n, k)
            plan = gemmgen.plan(a, b, Tensor("f32", (m, n)))
            plan()
            self.assertEqual(plan.kernel, "")
        a, b = self.operands("f16", 8, 8, 0)
        d = Tensor("f32", (8, 8))
        gemmgen.matmul(a, b, d)
        self.check(d, {(i, j): 0 for i in range(8) for j in range(8)})

    def test_batch(self):
        a = Tensor("f16", (2, 3, 8, 16), a_value)
        b = Tensor("f16", (16, 24), b_value)
        d = Tensor("f32", (2, 3, 8, 24))
        gemmgen.matmul(a, b, d)
        left, right = a.values(), b.values()
        self.check(
            d,
            {
                (x, y, i, j): sum(left[x, y, i, k] * right[k, j] for k in range(16))
                for x in range(2)
                for y in range(3)
                for i in range(8)
                for j in range(24)
            },
        )
        b = Tensor("f16", (3, 16, 24), b_value)
        with self.assertRaisesRegex(ValueError, "b, .*no one stride"):
            gemmgen.matmul(a, b, d)
        with self.assertRaisesRegex(ValueError, "batches of 3 and 2"):
            gemmgen.matmul(a, Tensor("f16", (2, 16, 24), b_value), d)

    def test_a_batch_that_shares_b_is_one_product(self):
        b = Tensor("f16", (16, 24), b_value)
        right = b.values()

        def plan(a, d, batch, **operands):
            plan = gemmgen.plan(a, b, d, epilogue="residual bias" if operands else None, **operands)
            plan()
            left = a.values()
            more = operands["residual"].values() if operands else {}
            self.check(
                d,
                {
                    at: (
                        sum(left[(*at[:-1], k)] * right[k, at[-1]] for k in range(16))
                        + more.get(at, 0)
                        + (at[-1] if operands else 0)
                    )
                    for at in d.values()
                },
            )
            self.assertEqual(plan._product.problem.batch, batch)

        a, d = Tensor("f16", (2, 3, 4, 16), a_value), Tensor("f32", (2, 3, 4, 24))
        residual, bias = Tensor("f16", d.shape, a_value), Tensor("f32", (24,), lambda j: j)
        plan(a, d, 1)
        plan(a, d, 1, residual=residual, bias=bias)
        plan(Tensor("f16", (5, 1, 16), a_value), Tensor("f32", (5, 1, 24)), 1)
        # With other strides, or where each has a residual's rows elsewhere, it is a batch.
        gaps = Tensor("f16", d.shape, a_value, (3 * 128, 128, 24, 1))
        plan(a, d, 6, residual=gaps, bias=bias)
        plan(Tensor("f16", (6, 4, 16), a_value, (80, 16, 1)), Tensor("f32", (6, 4, 24)), 6)
        each = Tensor("f32", (3, 24), lambda x, j: j)
        plan(
            Tensor("f16", (3, 4, 16), a_value),
            Tensor("f32", (3, 4, 24)),
            3,
            residual=Tensor("f16", (3, 4, 24), a_value),
            bias=each,
        )

    def test_alpha_beta_in_place(self):
        a, b = self.operands("f16")
        for name in ("f32", "f16"):
            d = Tensor(name, (self.M, self.N), lambda i, j: (i + j) % 4)
            before = d.values()
            gemmgen.matmul(a, b, d, c=d, alpha=2, beta=0.5)
            wanted = product(a, b)
            self.check(d, {at: 2 * wanted[at] + before[at] / 2 for at in wanted})
        d = Tensor("f64", (self.M, self.N))
        a, b = self.operands("f64")
        gemmgen.matmul(a, b, d, alpha=1 + 2**-40)
        self.check(d, {at: x * (1 + 2**-40) for at, x in product(a, b).items()})
        d = Tensor("s32", (self.M, self.N))
        a, b = self.operands("s8")
        gemmgen.matmul(a, b, d, alpha=3)
        self.check(d, {at: 3 * x for at, x in product(a, b).items()})

    def test_beta_0_reads_no_c(self):
        a, b = self.operands("f16")
        d = Tensor("f32", (self.M, self.N))
        gemmgen.matmul(a, b, d, c=d, beta=0)  # of NaN
        self.check(d, product(a, b))
        with self.assertRaisesRegex(TypeError, "beta is 1, and there is no c"):
            gemmgen.matmul(a, b, d, beta=1)

    def test_device_arrays(self):
        a, b = (OnDevice(x) for x in self.operands("f16"))
        d = OnDevice(Array("f32", (self.M, self.N)), stream=1)
        gemmgen.matmul(a, b, d, device="emu")
        self.check(d, product(a.host, b.host))
        plan = gemmgen.plan(a, b, d, alpha=2, device="emu")
        plan()
        self.check(d, {at: 2 * x for at, x in product(a.host, b.host).items()})

    def test_long_k_shares_tiles_in_a_workspace(self):
        a, b = (OnDevice(x) for x in self.operands("f16", 16, 16, 4096))
        d = OnDevice(Array("f32", (16, 16)))
        for _ in range(2):
            gemmgen.matmul(a, b, d, device="emu")
            self.check(d, product(a.host, b.host))
        plan = gemmgen.plan(a, b, d, device="emu")
        for _ in range(2):
            plan()
            self.check(d, product(a.host, b.host))


class Epilogues(unittest.TestCase):
    M, N, K = 16, 32, 16

    def setUp(self):
        self.a = Tensor("f16", (self.M, self.K), a_value)
        self.b = Tensor("f16", (self.K, self.N), b_value)
        self.d = Tensor("f32", (self.M, self.N))
        self.product = product(self.a, self.b)

    def check(self, function):
        self.assertEqual(self.d.values(), {at: function(x, *at) for at, x in self.product.items()})

    def matmul(self, **arguments):
        gemmgen.matmul(self.a, self.b, self.d, **arguments)

    def test_words(self):
        bias = Tensor("f32", (self.N,), lambda j: j % 3 - 1)
        self.matmul(epilogue="bias relu", bias=bias)
        self.check(lambda x, i, j: max(x + j % 3 - 1, 0))

    def test_types_of_operands_are_put_in(self):
        bias = Tensor("bf16", (self.N,), lambda j: j % 3 - 1)
        for epilogue in ("bias", ["bias"], [{"bias": {"along": "n"}}], ["bias", "relu"][:1]):
            self.matmul(epilogue=epilogue, bias=bias)
            self.check(lambda x, i, j: x + j % 3 - 1)
        self.matmul(epilogue="[{bias: {type: bf16}}]", bias=bias)
        self.check(lambda x, i, j: x + j % 3 - 1)
        with self.assertRaisesRegex(TypeError, "bias is of bf16, and the epilogue's is of f32"):
            self.matmul(epilogue="[bias]", bias=bias)

    def test_types_that_are_fixed_or_said(self):
        sums = Tensor("f16", (self.N,)), Tensor("f32", (self.N,))
        for given in (sums, sums[::-1]):
            with self.assertRaisesRegex(TypeError, "sum2? is of f16, and the epilogue's is of f32"):
                self.matmul(epilogue="sum sum", sum=given[0], sum2=given[1])
        with self.assertRaisesRegex(TypeError, "bias is of f32, and the epilogue's is of f16"):
            self.matmul(
                epilogue=[{"bias": {"type": "f16"}}], bias=Tensor("f32", (self.N,), lambda j: 0)
            )

    def test_two_of_a_kind_along_both_ways(self):
        self.matmul(
            epilogue=[{"scale": {"along": "m"}}, {"scale": {"along": "n"}}],
            scale=Tensor("f32", (self.M,), lambda i: i % 3),
            scale2=Tensor("f32", (self.N,), lambda j: j % 2 + 1),
        )
        self.check(lambda x, i, j: x * (i % 3) * (j % 2 + 1))

    def test_alpha_comes_first(self):
        bias = Tensor("f32", (self.N,), lambda j: j)
        self.matmul(epilogue="bias", bias=bias, alpha=2)
        self.check(lambda x, i, j: 2 * x + j)
        with self.assertRaisesRegex(ValueError, "alpha and beta belong to the operation linear"):
            self.matmul(epilogue="[bias]", bias=bias, alpha=2)
        self.matmul(epilogue="[linear, bias]", bias=bias, alpha=2)
        self.check(lambda x, i, j: 2 * x + j)

    def test_matrices_and_numbers(self):
        residual = Tensor("f16", (self.M, self.N), lambda i, j: (i - j) % 4, (self.N + 8, 1))
        self.matmul(epilogue="residual", residual=residual)
        self.check(lambda x, i, j: x + (i - j) % 4)
        self.matmul(
            epilogue=["residual", {"scale": {"along": "all"}}],
            residual=residual,
            scale=Tensor("f32", (), lambda: 3),
        )
        self.check(lambda x, i, j: 3 * (x + (i - j) % 4))

    def test_expressions_and_operands(self):
        self.matmul(
            epilogue=["operand", {"expr": "x * 2 + t0 * t1"}],
            t1=Tensor("f32", (self.M, self.N), lambda i, j: j % 3),
            expr=Tensor("f16", (self.M, self.N), lambda i, j: i % 3),
        )
        self.check(lambda x, i, j: 2 * x + (i % 3) * (j % 3))

    def test_what_is_written(self):
        aux = Tensor("f32", (self.M, self.N))
        amax, sums = Tensor("f32", (1,), lambda i: 0), Tensor("f32", (self.N,))
        self.matmul(epilogue="aux relu amax sum", aux=aux, amax=amax, sum=sums)
        self.check(lambda x, i, j: max(x, 0))
        self.assertEqual(aux.values(), self.product)
        d = self.d.values()
        self.assertEqual(amax.get((0,)), max(d.values()))
        self.assertEqual(
            sums.values(), {(j,): sum(d[i, j] for i in range(self.M)) for j in range(self.N)}
        )

    def test_gate(self):
        self.d = Tensor("f32", (self.M, self.N // 2))
        bias = Tensor("f32", (self.N,), lambda j: j % 2)
        self.matmul(epilogue=["bias", {"gated": {"act": "relu"}}], bias=bias)
        self.assertEqual(
            self.d.values(),
            {
                (i, j): max(self.product[i, 2 * j], 0) * (self.product[i, 2 * j + 1] + 1)
                for i in range(self.M)
                for j in range(self.N // 2)
            },
        )

    def test_batch_of_vectors(self):
        a = Tensor("f16", (2, self.M, self.K), a_value)
        d = Tensor("f32", (2, self.M, self.N))
        bias = Tensor("f32", (2, self.N), lambda x, j: x + j)
        left, right = a.values(), self.b.values()
        wanted = {
            (x, i, j): sum(left[x, i, k] * right[k, j] for k in range(self.K)) + x + j
            for x in range(2)
            for i in range(self.M)
            for j in range(self.N)
        }
        gemmgen.matmul(a, self.b, d, epilogue="bias", bias=bias)
        self.assertEqual(d.values(), wanted)

    def test_column_major_d(self):
        self.d = Tensor("f32", (self.N, self.M)).T
        residual = Tensor("f32", (self.N, self.M), lambda j, i: i % 2).T
        self.matmul(epilogue="residual", residual=residual)
        self.check(lambda x, i, j: x + i % 2)
        with self.assertRaisesRegex(ValueError, "residual, .*has to be column-major, as D is"):
            self.matmul(epilogue="residual", residual=Tensor("f32", (self.M, self.N), a_value))

    def test_refused(self):
        bias = Tensor("f32", (self.N,), lambda j: 0)
        for error, words, arguments in (
            (TypeError, "bias is missing: give it as bias=", {"epilogue": "bias"}),
            (
                TypeError,
                "bias2= belongs to no operation",
                {"epilogue": "bias", "bias": bias, "bias2": bias},
            ),
            (TypeError, "bias= belongs to no operation .* takes no arrays", {"bias": bias}),
            (
                ValueError,
                r"bias has shape \(16,\), and its last extent has to be 32",
                {"epilogue": "bias", "bias": Tensor("f32", (16,), lambda j: 0)},
            ),
            (
                ValueError,
                "residual has shape",
                {"epilogue": "residual", "residual": Tensor("f32", (8, 8), a_value)},
            ),
            (
                ValueError,
                r"scale has shape \(32,\), and is one number",
                {"epilogue": "scale", "scale": bias},
            ),
            (TypeError, "an epilogue is words", {"epilogue": 7}),
            (gemmgen.Error, "did you mean 'bias'", {"epilogue": "bais", "bais": bias}),
            (gemmgen.Error, "", {"epilogue": "[relu"}),
        ):
            with self.subTest(words), self.assertRaisesRegex(error, words):
                self.matmul(**arguments)


class Misuse(unittest.TestCase):
    def check(self, error, words, *arguments, **keywords):
        with self.assertRaisesRegex(error, words):
            gemmgen.matmul(*arguments, **keywords)

    def test_shapes_and_strides(self):
        a, b = Tensor("f16", (8, 16), a_value), Tensor("f16", (16, 8), b_value)
        d = Tensor("f32", (8, 8))
        self.check(ValueError, "a of shape .* has 16 columns, b of shape .* has 8 rows", a, a, d)
        self.check(ValueError, "a has 1 dimensions", Tensor("f16", (16,), lambda i: 0), b, d)
        self.check(
            ValueError,
            r"out has shape \(8, 9\); the product has \(8, 8\)",
            a,
            b,
            Tensor("f32", (8, 9)),
        )
        self.check(
            ValueError,
            "a, f16 of shape .*: a row or a column has to be contiguous",
            Tensor("f16", (8, 16), a_value, (64, 2)),
            b,
            d,
        )
        self.check(ValueError, "contiguous", Tensor("f16", (8, 16), a_value, (0, 1)), b, d)
        self.check(TypeError, "out is of f32, and dtype says f16", a, b, d, dtype="f16")
        self.check(
            ValueError,
            "b has 7 columns, and behind a gate they have to be even",
            a,
            Tensor("f16", (16, 7), b_value),
            d,
            epilogue="gated",
        )

    def test_arrays(self):
        a, b = Tensor("f16", (8, 16), a_value), Tensor("f16", (16, 8), b_value)
        d = Tensor("f32", (8, 8))
        self.check(TypeError, "a is a list, which has neither DLPack", [[1.0]], b, d)
        self.check(TypeError, "gemmgen allocates D for arrays of torch, numpy and cupy", a, b)
        self.check(TypeError, "is no type that gemmgen multiplies", a, b, d, dtype="f17")
        self.check(ValueError, r"several places \(a: 0, b: host", OnDevice(a), b, d)
        self.check(ValueError, "arrays in host memory are for the emulator", a, b, d, device=0)
        self.check(
            ValueError,
            "arrays are on device 0, and device is 1",
            *map(OnDevice, (a, b, d)),
            device=1,
        )
        with self.assertRaisesRegex(ValueError, "a device is a CUDA ordinal or 'emu', not 'gpu'"):
            gemmgen.device("gpu")

    def test_the_library_refuses(self):
        a, b = Tensor("s8", (8, 16), a_value), Tensor("f16", (16, 8), b_value)
        with self.assertRaises(gemmgen.Error) as caught:
            gemmgen.matmul(a, b, Tensor("f32", (8, 8)))
        error = caught.exception
        self.assertTrue(error.status > 0 and error.name and error.message, vars(error))
        self.assertIn(error.message, str(error))
        self.assertIn(f"[{error.name}]", str(error))


if __name__ == "__main__":
    unittest.main()
