"""matmul() and plan()."""

from __future__ import annotations

import sys
from ctypes import byref, c_int64
from dataclasses import replace
from typing import Any

from . import _library
from ._arrays import E2m1, View, is_torch
from ._epilogue import Epilogue
from ._error import Error, call, error_reference, raise_error
from ._host import Mirror
from ._library import lib
from ._product import Asked, Product, plain
from ._scales import Scale, Scales, fold_scales
from ._sparse import Sparse
from ._types import BY_TORCH, E2M1

_LEGACY = (0, 1)  # two names of the driver for the stream that is the default


def _torch_stream(product_view: View) -> int:
    """torch's current stream of the device that a tensor is on."""
    from ._torch import current_stream

    return current_stream(product_view.place)


def _stream_of(product: Product, stream: int | None) -> int:
    """Where a launch goes: what the caller says, torch's current stream, that of the arrays'
    producer, else the default one."""
    if stream is not None:
        return int(stream)
    if product.on_host or product.device.emulated:
        return 0
    first = product.views["a"]
    if is_torch(first.owner):
        return _torch_stream(first)
    return next((v.stream for v in product.views.values() if v.stream is not None), 0)


def _await_producers(product: Product, stream: int) -> None:
    """__cuda_array_interface__ says on which stream its array is made: another one is waited
    for."""
    for other in {v.stream for v in product.views.values() if v.stream is not None}:
        if other != stream and not (other in _LEGACY and stream in _LEGACY):
            product.device.synchronize(other)


def _workspace(product: Product, stream: int) -> Any:
    """Sets the problem's workspace: the stream's, and while torch captures a graph one of the
    graph's own memory. Gives what has to live until the launch is on the stream."""
    count = product.workspace_bytes()
    first = product.views["a"]
    if is_torch(first.owner) and not product.device.emulated:
        from ._torch import captured_workspace

        own = captured_workspace(first.owner, count)
        if own is not None:
            product.problem.workspace, product.problem.workspace_bytes = own.data_ptr(), count
            return own
    address, has = product.device.workspace(stream, count)
    product.problem.workspace, product.problem.workspace_bytes = address, has
    return None


class Plan:
    """A product that is checked, compiled and prepared: calling it launches, and does nothing else.

    Made by plan(). A call neither compiles nor allocates nor waits, so that it may be captured in a
    CUDA graph; it reads and writes the very arrays that it was made with, which it keeps, and what
    other streams do with them is the caller's to order. A plan has a workspace of its own where its
    kernel takes one, and then may run once at a time: launch it on one stream, or on several in
    turn. Arrays in host memory are copied to the emulator and back by each call, which has computed
    when it returns.

    Attributes:
        out: D, as it was given or allocated.
        kernel: the name of the kernel that was chosen; "" where there is nothing to compute.
        tuned: whether `gemmgen tune` has measured it, else it is the model's choice.
        workspace_bytes: how much memory it has besides; 0 for most.
    """

    def __init__(self, product: Product, stream: int | None) -> None:
        self.out = product.out
        self._product, self._stream = product, stream
        self._mirror = Mirror(product) if product.on_host else None
        self._prepared = _library.Prepared()
        self._reference = byref(self._prepared)
        self._launch = lib.gg_launch_prepared
        self._current = self._current_stream()
        self.workspace_bytes = 0
        choice = _library.GemmChoice()
        product.problem.workspace, product.problem.workspace_bytes = 256, product.workspace_bytes()
        call(
            "gg_gemm_choose",
            byref(choice),
            product.device.gemm,
            byref(product.form),
            byref(product.problem),
        )
        self.kernel = (choice.kernel or b"").decode()
        self.tuned = bool(choice.tuned)
        self._prepare(choice)

    def _prepare(self, choice: _library.GemmChoice) -> None:
        product = self._product
        if not choice.module:
            self._own_workspace(0)
            return
        need = c_int64()
        call("gg_workspace_bytes", byref(need), choice.module, byref(product.problem))
        self._own_workspace(need.value)
        try:
            call("gg_prepare", self._reference, choice.module, byref(product.problem))
        except Error:  # chosen for other strides, which it could address: choose for these
            self._own_workspace(product.workspace_bytes())
            call(
                "gg_gemm_prepare",
                self._reference,
                product.device.gemm,
                byref(product.form),
                byref(product.problem),
            )

    def _own_workspace(self, count: int) -> None:
        device, problem = self._product.device, self._product.problem
        problem.workspace = device.workspace_alloc(count) if count else 0
        problem.workspace_bytes = self.workspace_bytes = count
        if count:
            device.free_with(self, problem.workspace)

    def _current_stream(self) -> Any:
        """What a call without a stream asks for one: torch. None: it is always the same."""
        first = self._product.views["a"]
        if self._stream is None and is_torch(first.owner) and not self._product.device.emulated:
            from ._torch import raw_stream

            return raw_stream, first.place
        if self._stream is None:
            self._stream = _stream_of(self._product, None)
        return None

    def __call__(self, stream: int | None = None) -> Any:
        """Launches on a stream (a CUstream's handle, as torch's ``cuda_stream``), by default
        torch's current one, else that of planning. Gives `out`. Error: DRIVER, what the driver
        says."""
        if self._mirror is not None:
            self._run_on_host(self._mirror)
            return self.out
        if stream is None:
            current = self._current
            stream = self._stream if current is None else current[0](current[1])
        if self._launch(self._reference, stream, error_reference()):
            raise_error()
        return self.out

    def _run_on_host(self, mirror: Mirror) -> None:
        device = self._product.device
        with device.lock:
            mirror.write()
            call("gg_launch_prepared", self._reference, 0)
            device.synchronize()
            mirror.read()

    def __repr__(self) -> str:
        p = self._product.problem
        return f"<gemmgen.Plan {p.m} x {p.n} x {p.k} x {p.batch} by {self.kernel or 'nothing'}>"


def run(product: Product, stream: int | None) -> None:
    """Computes a product once."""
    if product.on_host:
        Plan(product, None)()
        return
    at = _stream_of(product, stream)
    _await_producers(product, at)
    keep = _workspace(product, at)
    call("gg_gemm_launch", product.device.gemm, byref(product.form), byref(product.problem), at)
    del keep


def _is_special(array: Any) -> bool:
    """Whether it is more than an array: what torch's operators have no argument for."""
    four_bits = is_torch(array) and BY_TORCH.get(str(array.dtype)) is E2M1
    return four_bits or isinstance(array, (Sparse, E2m1))


def _refuse_gradients(*arrays: Any) -> None:
    """Of products that are no operator of torch: they would silently have none."""
    tensors = [array for array in arrays if is_torch(array) and array.requires_grad]
    if tensors and sys.modules["torch"].is_grad_enabled():
        raise NotImplementedError(
            "products with factors of blocks, sparse operands and e2m1 have no gradients: call "
            "matmul under torch.no_grad(), or with tensors that are detached"
        )


def matmul(
    a: Any,
    b: Any,
    out: Any = None,
    c: Any = None,
    alpha: float = 1.0,
    beta: float = 0.0,
    epilogue: Epilogue = None,
    *,
    dtype: Any = None,
    accumulator: str | None = None,
    tf32: bool = False,
    fast_accumulation: bool = False,
    scale_a: Scale = None,
    scale_b: Scale = None,
    stream: int | None = None,
    device: int | str | None = None,
    **operands: Any,
) -> Any:
    """D = epilogue(alpha * A * B + beta * C), by the best of the shipped kernels.

    The first call for a form compiles (NVRTC, or the disk cache); those for a product that was seen
    do not. On a GPU the call returns when the launch is on the stream; of arrays in host memory,
    when D is there: the emulator computes it, bit by bit as a GPU would, and slowly.

    Args:
        a: (..., M, K), b: (..., K, N); one of them may be compress()ed, each may be
            e2m1(). Extents in front are a batch, and broadcast as numpy's do.
            Rows or columns are contiguous: views that are transposed are as they are, nothing is
            copied.
        out: D, (..., M, N), of either major, or (..., M, N / 2) behind a gate; None: a new one,
            row-major.
        c: (..., M, N), of either major. Not read where beta is 0, as in the BLAS. It may be `out`.
        alpha, beta: numbers of the host.
        epilogue: words ("bias gelu"), a list (["bias", {"gelu": {"form": "tanh"}}]), or YAML as
            behind a spec's ``epilogue:``. docs/epilogues.md has the operations; what an operation
            reads or writes comes as a keyword of its name: ``bias=``, a second one's ``bias2=``,
            ``residual=``, ``scale=``, ``aux=``, ``t1=``. Vectors are (N,) along n and (M,) along m,
            with a batch in front or one for all; numbers () or (1,); matrices as D, of its major.
            Their types are put into words and lists; YAML says them itself. ``aux``, ``amax`` and
            ``sum`` are written.
        dtype: D's type where `out` is None: gemmgen's name ("bf16"), numpy's or torch's. Default:
            A's; of 8-bit floats bf16, of 8-bit integers s32.
        accumulator: the type of sums: "f32", of f64 "f64", of integers "s32"; "f16" of f16.
        tf32: f32 is multiplied by tensor cores, as tf32. Else by CUDA cores, in full.
        fast_accumulation: sums of 8-bit floats may stay short, as cuBLASLt's fast accumulation.
        scale_a, scale_b: factors of A and B. By pack_scales(), of blocks along K (mxfp8, nvfp4),
            both of them; a number, or an array of one, of the whole matrix; (M,) of the rows of a,
            (N,) of the columns of b. Numbers and vectors multiply before alpha does.
        stream: a CUstream's handle (an int). Default: torch's current stream; else that of
            ``__cuda_array_interface__``; else the default one. Streams that the interface names
            otherwise are waited for.
        device: "emu": device addresses are the emulator's. Default: where the arrays are.

    Returns:
        `out`, or the new D: of torch, cupy or numpy, as `a` is.

    Raises:
        TypeError, ValueError: arrays that do not fit each other, or that no GEMM takes as they are.
        Error: what libgemmgen refuses or cannot do; no GPU, no NVRTC.
    """
    alpha, epilogue, operands = fold_scales(scale_a, scale_b, alpha, beta, epilogue, operands)
    asked = Asked(alpha, beta, epilogue, dtype, accumulator, tf32, fast_accumulation)
    blocks = [scale if isinstance(scale, Scales) else None for scale in (scale_a, scale_b)]
    if is_torch(a) and not (any(blocks) or _is_special(a) or _is_special(b)):
        from ._torch import matmul as of_tensors

        return of_tensors(a, b, out, c, asked, stream, device, operands)
    _refuse_gradients(plain(a), plain(b), c, *operands.values())
    asked = replace(asked, scale_a=blocks[0], scale_b=blocks[1])
    product = Product(a, b, out, c, asked, operands, stream, device)
    run(product, stream)
    return product.out


def plan(
    a: Any,
    b: Any,
    out: Any = None,
    c: Any = None,
    alpha: float = 1.0,
    beta: float = 0.0,
    epilogue: Epilogue = None,
    *,
    dtype: Any = None,
    accumulator: str | None = None,
    tf32: bool = False,
    fast_accumulation: bool = False,
    scale_a: Scale = None,
    scale_b: Scale = None,
    stream: int | None = None,
    device: int | str | None = None,
    **operands: Any,
) -> Plan:
    """Checks, compiles and prepares what matmul() with the same arguments computes, once; calling
    the plan launches it, as often as there is something new in the arrays.

    Arguments and errors are matmul()'s. With torch it is outside of autograd and torch.compile."""
    alpha, epilogue, operands = fold_scales(scale_a, scale_b, alpha, beta, epilogue, operands)
    blocks = [scale if isinstance(scale, Scales) else None for scale in (scale_a, scale_b)]
    asked = Asked(
        alpha, beta, epilogue, dtype, accumulator, tf32, fast_accumulation, blocks[0], blocks[1]
    )
    product = Product(a, b, out, c, asked, operands, stream, device)
    return Plan(product, stream)


def mlp(
    x: Any,
    w1: Any,
    w2: Any,
    bias1: Any = None,
    bias2: Any = None,
    *,
    activation: str = "gelu",
) -> Any:
    """A perceptron of torch's tensors, activation(x @ w1.T + bias1) @ w2.T + bias2, whose backward
    pass goes through the activation, and sums up bias1's gradient, in the kernel that multiplies
    by w2.

    Args:
        x: (..., in). w1: (hidden, in), w2: (out, hidden), as torch.nn.Linear has them.
        bias1: (hidden,), bias2: (out,), or None.
        activation: "gelu" (by erf), "relu" or "silu".
    """
    if not is_torch(x):
        raise TypeError(f"mlp is of torch's tensors, not of {type(x).__name__}")
    from ._torch import _grad

    return _grad.mlp(x, w1, w2, bias1, bias2, activation)
