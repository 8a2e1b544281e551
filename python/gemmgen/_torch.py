"""torch: the custom operators of the library gemmgen, streams, graphs.

Imported with the first tensor; torch is there then. The operators make matmul() opaque to
torch.compile, torch.export and fake tensors: their fakes give D's extents, and compute nothing.
"""

import json
from typing import Any, Callable, Dict, Mapping, NamedTuple, Optional, Sequence

import torch
from torch import Tensor

from . import _epilogue, _library
from ._matmul import run
from ._product import Asked, Product, form_types, result_type
from ._types import BY_TORCH, type_of

WRITTEN = ("aux", "amax", "sum")  # operations that write their operand

raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None) or (
    lambda index: torch.cuda.current_stream(index).cuda_stream
)


def current_stream(index: Any) -> int:
    """The handle of torch's current stream of a device."""
    return int(raw_stream(index))


def captured_workspace(like: Tensor, count: int) -> Optional[Tensor]:
    """While a graph is captured, a workspace from the graph's own memory, whose counters the graph
    sets to 0; else None."""
    if not torch.cuda.is_current_stream_capturing():
        return None
    out = torch.empty(count, dtype=torch.uint8, device=like.device)
    out[: _library.WORKSPACE_COUNTERS].zero_()
    return out


# ---- The operators ----

_LIST = "list:"  # in front of an epilogue that was a list: operators have no such argument

ARGUMENTS = (
    "Tensor a, Tensor b, Tensor? c, float alpha, float beta, str? epilogue, ScalarType? dtype, "
    "str? accumulator, bool tf32, bool fast_accumulation, int? stream, str names, Tensor[] operands"
)


class _Call(NamedTuple):
    """An operator's arguments. Arrays that are read and those that are written come apart, each
    list with its names, by commas."""

    a: Tensor
    b: Tensor
    c: Optional[Tensor]
    alpha: float
    beta: float
    epilogue: Optional[str]
    dtype: Optional[torch.dtype]
    accumulator: Optional[str]
    tf32: bool
    fast_accumulation: bool
    stream: Optional[int]
    names: str
    operands: Sequence[Tensor]
    written: str = ""
    results: Sequence[Tensor] = ()

    def asked(self) -> Asked:
        epilogue = self.epilogue
        if epilogue is not None and epilogue.startswith(_LIST):
            epilogue = json.loads(epilogue[len(_LIST) :])
        return Asked(
            self.alpha,
            self.beta,
            epilogue,
            self.dtype,
            self.accumulator,
            self.tf32,
            self.fast_accumulation,
        )

    def given(self) -> Dict[str, Tensor]:
        names = [name for part in (self.names, self.written) for name in part.split(",") if name]
        return dict(zip(names, (*self.operands, *self.results)))

    def compute(self, out: Optional[Tensor] = None) -> Tensor:
        asked, given = self.asked(), self.given()
        product = Product(self.a, self.b, out, self.c, asked, given, self.stream, None)
        run(product, self.stream)
        result: Tensor = product.out
        return result

    def store(self, out: Tensor) -> None:
        self.compute(out)

    def empty(self) -> Tensor:
        """A D of the extents and the type that compute() makes."""
        asked = self.asked()
        of_a, of_b = BY_TORCH[str(self.a.dtype)], BY_TORCH[str(self.b.dtype)]
        result = result_type(of_a, asked.dtype)
        types = form_types(of_a, of_b, result, asked)
        given = {name: BY_TORCH[str(tensor.dtype)].name for name, tensor in self.given().items()}
        c = self.c if asked.beta else None
        factors = asked.alpha != 1 or asked.beta != 0
        found = _epilogue.read(asked.epilogue, types, c is not None, factors, given)
        lead = torch.broadcast_shapes(
            self.a.shape[:-2], self.b.shape[:-2], () if c is None else c.shape[:-2]
        )
        columns = self.b.shape[-1] // 2 if found.gate else self.b.shape[-1]
        return self.a.new_empty(
            (*lead, self.a.shape[-2], columns), dtype=getattr(torch, result.torch)
        )


def define(
    name: str,
    schema: str,
    written: Sequence[str],
    real: Callable[..., Any],
    fake: Callable[..., Any],
) -> None:
    operator = torch.library.custom_op(
        "gemmgen::" + name, real, mutates_args=written, schema=schema
    )
    operator.register_fake(fake)


define(
    "matmul",
    f"({ARGUMENTS}) -> Tensor",
    (),
    lambda *arguments: _Call(*arguments).compute(),
    lambda *arguments: _Call(*arguments).empty(),
)
define(
    "matmul_with",
    f"({ARGUMENTS}, str written, Tensor(x!)[] results) -> Tensor",
    ("results",),
    lambda *arguments: _Call(*arguments).compute(),
    lambda *arguments: _Call(*arguments).empty(),
)
define(
    "matmul_out",
    f"(Tensor(d!) out, {ARGUMENTS}, str written, Tensor(x!)[] results) -> ()",
    ("out", "results"),
    lambda out, *arguments: _Call(*arguments).store(out),
    lambda out, *arguments: None,
)


def text_of_list(epilogue: Any) -> str:
    """A list as an operator's argument."""
    return _LIST + json.dumps(list(epilogue))


# Where torch compiles it is a constant.
_text_of = torch.compiler.assume_constant_result(text_of_list)


def _is_written(name: str) -> bool:
    return _epilogue.word(name) in WRITTEN


def matmul(
    a: Tensor,
    b: Tensor,
    out: Optional[Tensor],
    c: Optional[Tensor],
    asked: Asked,
    stream: Optional[int],
    device: Any,
    operands: Mapping[str, Tensor],
) -> Tensor:
    """matmul() of tensors, by the operator that it is."""
    if device is not None:
        raise ValueError("tensors of torch know their device: leave device out")
    epilogue, dtype = asked.epilogue, asked.dtype
    if dtype is not None and not isinstance(dtype, torch.dtype):
        dtype = getattr(torch, type_of(dtype).torch)
    if epilogue is not None and not isinstance(epilogue, str):
        epilogue = _text_of(epilogue)
    read = {name: t for name, t in operands.items() if t is not None and not _is_written(name)}
    written = {name: t for name, t in operands.items() if t is not None and _is_written(name)}
    arguments = (
        a,
        b,
        c,
        float(asked.alpha),
        float(asked.beta),
        epilogue,
        dtype,
        asked.accumulator,
        asked.tf32,
        asked.fast_accumulation,
        stream,
        ",".join(read),
        list(read.values()),
    )
    results = (",".join(written), list(written.values()))
    if out is None and not written and _grad.saves(_Call(*arguments), list(read.values())):
        saved: Tensor = torch.ops.gemmgen.matmul_saving(*arguments)[0]
        return saved
    if out is not None:
        torch.ops.gemmgen.matmul_out(out, *arguments, *results)
        return out
    made: Tensor = (
        torch.ops.gemmgen.matmul_with(*arguments, *results)
        if written
        else torch.ops.gemmgen.matmul(*arguments)
    )
    return made


from . import _grad  # noqa: E402  (whose operators are made of what is above)
