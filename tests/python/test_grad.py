"""Gradients of matmul() and mlp(), in the emulator, beside torch's own in float64; under
torch.compile, too. Skipped where this Python has no torch."""

import sys
import unittest

import gemmgen

try:
    import torch
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

F = torch.nn.functional
ACTIVATIONS = {
    "": lambda x: x,
    "relu": torch.relu,
    "gelu": F.gelu,
    "silu": F.silu,
}


def leaf(*shape, dtype=torch.float32):
    return (torch.randn(*shape) / 2).to(dtype).requires_grad_()


def wide(tensors):
    return [t.detach().double().requires_grad_() for t in tensors]


class Gradients(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(7)

    def same(self, leaves, run, reference, tolerance=1e-5):
        """Gradients of both, for a D that every element of which counts differently."""
        d = run(*leaves)
        weights = torch.randn(d.shape)
        d.backward(weights.to(d.dtype))
        others = wide(leaves)
        wanted = reference(*others)
        wanted.backward(weights.to(d.dtype).double())
        self.near(d, wanted, tolerance)
        for mine, other in zip(leaves, others):
            self.assertEqual(mine.grad.dtype, mine.dtype)
            self.near(mine.grad, other.grad, tolerance)

    def near(self, mine, wanted, tolerance):
        error = (mine.double() - wanted).abs().max() / wanted.abs().max()
        self.assertLess(error.item(), tolerance)

    def test_a_and_b(self):
        self.same((leaf(24, 40), leaf(40, 32)), gemmgen.matmul, torch.matmul)
        self.same(
            (leaf(24, 40), leaf(32, 40)),
            lambda a, w: gemmgen.matmul(a, w.T, alpha=0.5),
            lambda a, w: a @ w.T / 2,
        )

    def test_types(self):
        for dtype, tolerance in (
            (torch.bfloat16, 2e-2),
            (torch.float16, 2e-3),
            (torch.float64, 1e-12),
        ):
            self.same(
                (leaf(16, 32, dtype=dtype), leaf(32, 24, dtype=dtype)),
                gemmgen.matmul,
                torch.matmul,
                tolerance,
            )
        self.same(  # D in f32: its gradient is rounded to the type of what it is multiplied by
            (leaf(16, 32, dtype=torch.bfloat16), leaf(32, 24, dtype=torch.bfloat16)),
            lambda a, b: gemmgen.matmul(a, b, dtype=torch.float32),
            torch.matmul,
            2e-2,
        )

    def test_epilogues(self):
        for name, activation in ACTIVATIONS.items():
            for form in ("erf", "tanh") if name == "gelu" else ("",):
                item = {"gelu": {"form": form}} if form else name
                with self.subTest(name, form=form):
                    self.same(
                        (leaf(24, 32), leaf(32, 40), leaf(40)),
                        lambda a, b, bias: gemmgen.matmul(
                            a, b, epilogue=["bias", item] if item else "bias", bias=bias
                        ),
                        lambda a, b, bias: (
                            F.gelu(a @ b + bias, approximate="tanh")
                            if form == "tanh"
                            else activation(a @ b + bias)
                        ),
                    )

    def test_residuals_and_c(self):
        self.same(
            (leaf(16, 24), leaf(24, 32), leaf(16, 32), leaf(16, 32), leaf(16)),
            lambda a, b, c, r, bias: gemmgen.matmul(
                a,
                b,
                c=c,
                alpha=2,
                beta=0.5,
                epilogue=[{"bias": {"along": "m"}}, "relu", "residual"],
                bias=bias,
                residual=r,
            ),
            lambda a, b, c, r, bias: torch.relu(2 * a @ b + c / 2 + bias[:, None]) + r,
        )
        self.same(
            (leaf(16, 24), leaf(24, 32), leaf(16, 32), leaf(16, 32)),
            lambda a, b, r, s: gemmgen.matmul(
                a, b, epilogue="residual silu residual", residual=r, residual2=s
            ),
            lambda a, b, r, s: F.silu(a @ b + r) + s,
        )

    def test_batches(self):
        self.same(  # weights of a layer, bias of all
            (leaf(3, 8, 24), leaf(32, 24), leaf(32)),
            lambda x, w, bias: gemmgen.matmul(x, w.T, epilogue="bias gelu", bias=bias),
            lambda x, w, bias: F.gelu(x @ w.T + bias),
        )
        self.same((leaf(3, 8, 24), leaf(3, 24, 16)), gemmgen.matmul, torch.matmul)
        self.same((leaf(8, 24), leaf(3, 24, 16)), gemmgen.matmul, torch.matmul)

    def test_expanded_gradients(self):
        a, b = leaf(8, 16), leaf(16, 24)
        gemmgen.matmul(a, b).sum().backward()
        self.near(a.grad, b.detach().double().sum(1).expand(8, 16), 1e-5)

    def test_only_what_is_asked_for(self):
        a, b = leaf(8, 16), torch.randn(16, 24)
        gemmgen.matmul(a, b, epilogue="relu").sum().backward()
        self.assertIsNotNone(a.grad)
        with torch.no_grad():
            d = gemmgen.matmul(a, b, epilogue="sigmoid")
        self.assertFalse(d.requires_grad)

    def test_what_has_none(self):
        a, b = leaf(8, 16), leaf(16, 24)
        for epilogue, told in (
            ("sigmoid", "the operation sigmoid"),
            ("relu bias", "the operation bias behind an activation"),
            ("[{relu: {}}]", "an epilogue in YAML"),
        ):
            bias = {"bias": torch.zeros(24)} if "bias" in epilogue else {}
            d = gemmgen.matmul(a, b, epilogue=epilogue, **bias)
            with self.assertRaisesRegex(NotImplementedError, told):
                d.sum().backward()

    def test_compiled(self):
        def loss(x, w, bias):
            return gemmgen.matmul(x, w.T, epilogue="bias gelu", bias=bias).square().sum()

        leaves = leaf(16, 24), leaf(32, 24), leaf(32)
        torch.compile(loss, fullgraph=True, backend="aot_eager")(*leaves).backward()
        others = wide(leaves)
        F.gelu(others[0] @ others[1].T + others[2]).square().sum().backward()
        for mine, other in zip(leaves, others):
            self.near(mine.grad, other.grad, 1e-5)

    def test_mlp(self):
        for name in ("gelu", "relu", "silu"):
            for biases in (True, False):
                with self.subTest(name, biases=biases):
                    leaves = [leaf(2, 12, 24), leaf(40, 24), leaf(16, 40)]
                    more = [leaf(40), leaf(16)] if biases else []
                    self.same(
                        (*leaves, *more),
                        lambda *given: gemmgen.mlp(*given, activation=name),
                        lambda x, w1, w2, b1=0, b2=0: ACTIVATIONS[name](x @ w1.T + b1) @ w2.T + b2,
                    )

    def test_mlp_compiled(self):
        leaves = [leaf(12, 24), leaf(40, 24), leaf(16, 40), leaf(40), leaf(16)]
        compiled = torch.compile(gemmgen.mlp, fullgraph=True, backend="aot_eager")
        self.same(leaves, compiled, lambda x, w1, w2, b1, b2: F.gelu(x @ w1.T + b1) @ w2.T + b2)

    def test_mlp_refuses(self):
        x, w1, w2 = leaf(12, 24), leaf(40, 24), leaf(16, 40)
        with self.assertRaisesRegex(
            ValueError, "the activation is 'tanh'; it is relu, gelu or silu"
        ):
            gemmgen.mlp(x, w1, w2, activation="tanh")
        with self.assertRaisesRegex(ValueError, "do not follow each other"):
            gemmgen.mlp(x, w2, w1)


if __name__ == "__main__":
    unittest.main()
