"""torch: the operators, their fakes, torch.compile and torch.export, on tensors in host memory,
which the emulator computes. Skipped where this Python has no torch."""

import sys
import unittest

import gemmgen

try:
    import torch
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)


def layer(a, b, bias):
    return gemmgen.matmul(a, b, epilogue="bias relu", bias=bias) * 2


def in_place(a, b, bias):
    out = torch.empty(a.shape[0], b.shape[1], dtype=torch.float32)
    amax = torch.zeros(1)
    gemmgen.matmul(a, b, out, epilogue=["bias", "relu", "amax"], bias=bias, amax=amax)
    return out, amax


def with_aux(a, b, bias):
    aux = torch.empty(a.shape[0], b.shape[1], dtype=torch.float32)
    d = gemmgen.matmul(a, b, epilogue="bias aux relu", bias=bias, aux=aux, dtype="f32")
    return d, aux


class Module(torch.nn.Module):
    def forward(self, a, b, bias):
        return layer(a, b, bias)


class Torch(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(3)
        self.a = torch.randn(40, 64, dtype=torch.bfloat16)
        self.b = torch.randn(64, 48, dtype=torch.bfloat16)
        self.bias = torch.randn(48)
        self.before = self.a.double() @ self.b.double() + self.bias
        self.wanted = self.before.relu()
        self.operands = self.a, self.b, self.bias

    def close(self, d, wanted, tolerance):
        self.assertLess(((d.double() - wanted).abs().max() / wanted.abs().max()).item(), tolerance)

    def test_compile_first(self):
        """Of the first call of the process, which registers the operators: it is named so to run
        first."""
        compiled = torch.compile(layer, fullgraph=True, backend="aot_eager")
        self.close(compiled(*self.operands), 2 * self.wanted, 5e-3)

    def test_compile_what_is_written(self):
        for function, other in ((in_place, self.wanted.max()), (with_aux, self.before)):
            for run in (function, torch.compile(function, fullgraph=True, backend="aot_eager")):
                d, more = run(*self.operands)
                self.close(d, self.wanted, 1e-5)
                self.close(more, other, 1e-5)

    def test_export(self):
        program = torch.export.export(
            Module(), self.operands, dynamic_shapes=({0: torch.export.Dim("m")}, None, None)
        )
        self.assertIn("gemmgen.matmul.default", [str(node.target) for node in program.graph.nodes])
        self.close(program.module()(self.a[:8], self.b, self.bias), 2 * self.wanted[:8], 5e-3)

    def test_fake(self):
        from torch._subclasses.fake_tensor import FakeTensorMode

        with FakeTensorMode():
            a = torch.empty(3, 40, 64, dtype=torch.float16, device="cuda")
            b = torch.empty(64, 48, dtype=torch.float16, device="cuda")
            d = gemmgen.matmul(a, b, epilogue="gated")
            self.assertEqual(
                (d.shape, d.dtype, d.device.type), ((3, 40, 24), torch.float16, "cuda")
            )

    def test_operators_are_well_formed(self):
        common = None, 1.0, 0.0, "bias relu", None, None, False, False, None, "bias", [self.bias]
        torch.library.opcheck(torch.ops.gemmgen.matmul.default, (self.a, self.b, *common))
        torch.library.opcheck(
            torch.ops.gemmgen.matmul_out.default,
            (torch.empty(40, 48), self.a, self.b, *common, "", []),
        )

    def test_what_is_written_is_as_the_library_says(self):
        from gemmgen import _epilogue, _torch

        found = _epilogue._operations(
            (0, 0, 3, 3), False, b"[aux, amax, sum, bias, scale, residual]"
        )
        for extra in found.extras:
            self.assertEqual(extra.written, _torch._is_written(extra.name + "2"))

    def test_in_place(self):
        d = torch.ones(40, 48)
        for _ in range(2):
            self.assertIs(gemmgen.matmul(self.a, self.b, d, c=d, beta=1), d)
        self.close(d, 2 * (self.before - self.bias) + 1, 1e-5)

    def test_gradients_are_refused(self):
        """Where something is written besides; test_grad.py has those that there are."""
        aux = torch.empty(40, 48, dtype=torch.bfloat16)
        d = gemmgen.matmul(self.a, torch.nn.Parameter(self.b), epilogue="aux relu", aux=aux)
        with self.assertRaisesRegex(RuntimeError, "backward through gemmgen.matmul"):
            d.sum().backward()

    def test_plan(self):
        plan = gemmgen.plan(self.a, self.b, dtype="f32")
        self.close(plan(), self.before - self.bias, 1e-5)

    def test_misuse(self):
        with self.assertRaisesRegex(TypeError, "torch.complex64, which gemmgen does not multiply"):
            gemmgen.matmul(self.a.to(torch.complex64), self.b)
        with self.assertRaisesRegex(ValueError, "tensors of torch know their device"):
            gemmgen.matmul(self.a, self.b, device="emu")
        with self.assertRaisesRegex(ValueError, "a is on device meta"):
            gemmgen.plan(self.a.to("meta"), self.b)


if __name__ == "__main__":
    unittest.main()
