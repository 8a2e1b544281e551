"""Gradients of matmul() for torch, and a perceptron whose backward pass is in fused kernels.

Imported by _torch, whose operators these belong to. A product's gradients are products: of a
dX * B^T, of b A^T * dX, with dX the gradient of what the activation gets. What that was, a forward
pass that will be differentiated stores besides (``aux``), but for a relu at the end, which D tells.
"""

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import torch
from torch import Tensor

from . import _epilogue, _torch
from ._types import BY_TORCH

_ACTIVATIONS = ("relu", "gelu", "silu")
_ADDED = ("bias", "residual")
_FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


class Recipe(NamedTuple):
    """What an epilogue does, as far as gradients go: additions, an activation, additions."""

    before: Tuple[Tuple[str, Any], ...]  # keywords of operands that are added to x, and options
    activation: str  # "": there is none
    form: str  # of gelu: "erf" or "tanh"
    behind: Tuple[str, ...]  # residuals
    at: int  # the activation's place in the list

    @property
    def saves(self) -> bool:
        """Whether what the activation gets has to be stored: D does not tell it."""
        return bool(self.activation) and (self.activation != "relu" or bool(self.behind))


def _refuse(what: str) -> NotImplementedError:
    return NotImplementedError(
        f"gemmgen.matmul has no gradient of {what}: it has one of linear, bias and residual with "
        "at most one of relu, gelu and silu, in words or a list; under torch.no_grad(), or of "
        "tensors that are detached, anything goes"
    )


def recipe_of(epilogue: _epilogue.Epilogue) -> Recipe:
    """Reads an epilogue. NotImplementedError where it has more than that."""
    items = _epilogue.items_of(epilogue)
    if items is None and epilogue is not None:
        raise _refuse(f"an epilogue in YAML, {epilogue!r}")
    before: List[Tuple[str, Any]] = []
    behind: List[str] = []
    activation, form, at = "", "erf", 0
    seen: Dict[str, int] = {}
    for index, item in enumerate(items or []):
        ((kind, options),) = item.items() if isinstance(item, dict) else ((item, None),)
        options = options if isinstance(options, dict) else {}
        seen[kind] = seen.get(kind, 0) + 1
        name = kind if seen[kind] == 1 else f"{kind}{seen[kind]}"
        if kind in _ACTIVATIONS and not activation:
            activation, at = kind, index
            form = "erf" if options.get("form", "erf") == "erf" else "tanh"
        elif kind in _ADDED and not activation:
            before.append((name, options))
        elif kind == "residual":
            behind.append(name)
        elif kind != "linear" or activation:
            raise _refuse(f"the operation {kind}" + (" behind an activation" if activation else ""))
    return Recipe(tuple(before), activation, form, tuple(behind), at)


# ---- A product's ----


def _through(activation: str, form: str, grad: Tensor, before: Tensor) -> Tensor:
    """The gradient of what an activation gets."""
    before = before.to(grad.dtype)
    if activation == "relu":
        return torch.where(before > 0, grad, torch.zeros_like(grad))
    if activation == "gelu":
        approximate = "none" if form == "erf" else "tanh"
        return torch.ops.aten.gelu_backward(grad, before, approximate=approximate)
    return torch.ops.aten.silu_backward(grad, before)


def _sum_to(grad: Tensor, like: Tensor) -> Tensor:
    """Of an operand that all of a batch share: the sum of its products' gradients."""
    return grad.sum_to_size(like.shape) if grad.shape != like.shape else grad


def _of_vector(grad: Tensor, like: Tensor, options: Any) -> Tensor:
    """A bias's: sums over rows (along n) or over columns, in f32 at least."""
    wide = grad.float() if grad.dtype in (torch.float16, torch.bfloat16) else grad
    sums = wide.sum(-1 if options.get("along") == "m" else -2)
    return _sum_to(sums, like).to(like.dtype)


def _lines(x: Tensor) -> Tensor:
    """With contiguous rows or columns: what autograd expands is neither."""
    has = x.stride(-1) == 1 and x.stride(-2) >= x.shape[-1]
    turned = x.stride(-2) == 1 and x.stride(-1) >= x.shape[-2]
    return x if has or turned else x.contiguous()


def _product(a: Tensor, b: Tensor, alpha: float, dtype: torch.dtype, tf32: bool) -> Tensor:
    """A product of a backward pass: in the type of what it is a gradient of."""
    same = a.dtype
    asked = _torch.Asked(alpha=alpha, dtype=dtype, tf32=tf32 and same == torch.float32)
    return _torch.matmul(_lines(a), _lines(b), None, None, asked, None, None, {})


def _of_a(grad: Tensor, a: Tensor, b: Tensor, call: Any) -> Tensor:
    return _sum_to(_product(grad.to(b.dtype), b.mT, call.alpha, a.dtype, call.tf32), a)


def _of_b(grad: Tensor, a: Tensor, b: Tensor, call: Any) -> Tensor:
    grad = grad.to(a.dtype)
    if b.dim() == 2 and a.dim() > 2:  # a layer's weights: one product over all rows
        a, grad = a.reshape(-1, a.shape[-1]), grad.reshape(-1, grad.shape[-1])
    return _sum_to(_product(a.mT, grad, call.alpha, b.dtype, call.tf32), b)


def _setup(ctx: Any, inputs: Tuple[Any, ...], output: Any) -> None:
    call = _torch._Call(*inputs)
    saved = output[1] if isinstance(output, (tuple, list)) else output
    ctx.call = call._replace(a=None, b=None, c=None, operands=())
    ctx.has_c = call.c is not None and call.beta != 0
    ctx.save_for_backward(call.a, call.b, saved, *([call.c] if ctx.has_c else []), *call.operands)


def _backward(ctx: Any, grad: Tensor, _aux: Optional[Tensor] = None) -> Tuple[Any, ...]:
    call, needs = ctx.call, ctx.needs_input_grad
    a, b, saved, *rest = ctx.saved_tensors
    c = rest.pop(0) if ctx.has_c else None
    given = dict(zip(call.names.split(","), rest))
    if a.dtype not in _FLOATS or b.dtype not in _FLOATS:
        raise _refuse(f"operands of {a.dtype} and {b.dtype}")
    recipe = recipe_of(call.asked().epilogue)
    inner = _through(recipe.activation, recipe.form, grad, saved) if recipe.activation else grad
    grads: Dict[str, Tensor] = {name: _sum_to(grad, given[name]) for name in recipe.behind}
    for name, options in recipe.before:
        of = given[name]
        found = (
            _sum_to(inner, of) if name.startswith("residual") else _of_vector(inner, of, options)
        )
        grads[name] = found
    return (
        _of_a(inner, a, b, call) if needs[0] else None,
        _of_b(inner, a, b, call) if needs[1] else None,
        _sum_to(inner * call.beta, c).to(c.dtype) if c is not None and needs[2] else None,
        *([None] * 9),
        [grads[name].to(of.dtype) if name in grads else None for name, of in given.items() if name],
    )


def _saving(*arguments: Any) -> Tuple[Tensor, Tensor]:
    """A product, and what its activation gets."""
    call = _torch._Call(*arguments)
    items = list(_epilogue.items_of(call.asked().epilogue) or [])
    items.insert(recipe_of(call.asked().epilogue).at, "aux")
    aux = call.empty()
    call = call._replace(epilogue=_torch.text_of_list(items), written="aux", results=[aux])
    return call.compute(), aux


def _empty_saving(*arguments: Any) -> Tuple[Tensor, Tensor]:
    call = _torch._Call(*arguments)
    return call.empty(), call.empty()


_torch.define(
    "matmul_saving", f"({_torch.ARGUMENTS}) -> (Tensor, Tensor)", (), _saving, _empty_saving
)
for _name in ("matmul", "matmul_saving"):
    torch.library.register_autograd("gemmgen::" + _name, _backward, setup_context=_setup)


def saves(call: _torch._Call, operands: Sequence[Tensor]) -> bool:
    """Whether a product will be differentiated, and has to store what its activation gets."""
    tensors = [t for t in (call.a, call.b, call.c, *operands) if t is not None]
    if not torch.is_grad_enabled() or not any(t.requires_grad for t in tensors):
        return False
    try:
        return recipe_of(call.asked().epilogue).saves
    except NotImplementedError:  # which a backward pass says, if there is one
        return False


# ---- A perceptron ----

_DERIVATIVES = {"relu": "drelu", "gelu": "dgelu", "silu": "dsilu"}


def _call(
    a: Tensor, b: Tensor, epilogue: Any = None, dtype: Any = None, **operands: Tensor
) -> Tensor:
    asked = _torch.Asked(epilogue=epilogue, dtype=dtype)
    return _torch.matmul(_lines(a), _lines(b), None, None, asked, None, None, operands)


def _mlp(
    x: Tensor, w1: Tensor, b1: Optional[Tensor], w2: Tensor, b2: Optional[Tensor], activation: str
) -> Tuple[Tensor, Tensor, Tensor]:
    """D, the hidden layer, and what its activation gets."""
    before = x.new_empty((x.shape[0], w1.shape[0]))
    bias = {} if b1 is None else {"bias": b1}
    hidden = _call(x, w1.mT, [*bias, "aux", activation], **bias, aux=before)
    bias = {} if b2 is None else {"bias": b2}
    return _call(hidden, w2.mT, [*bias] or None, **bias), hidden, before


def _mlp_backward(
    grad: Tensor, x: Tensor, w1: Tensor, w2: Tensor, hidden: Tensor, before: Tensor, activation: str
) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
    """Of x, w1, the first bias and w2. One kernel multiplies by w2, goes back through the
    activation and sums up the bias's gradient."""
    sums = torch.empty(w1.shape[0], dtype=torch.float32, device=x.device)
    back = _DERIVATIVES[activation]
    inner = _call(grad, w2, [back, {"sum": {"along": "n"}}], **{back: before}, sum=sums)
    return _call(inner, w1), _call(inner.mT, x), sums, _call(grad.mT, hidden)


_torch.define(
    "mlp",
    "(Tensor x, Tensor w1, Tensor? b1, Tensor w2, Tensor? b2, str activation) -> "
    "(Tensor, Tensor, Tensor)",
    (),
    _mlp,
    lambda x, w1, b1, w2, b2, activation: (
        x.new_empty((x.shape[0], w2.shape[0])),
        x.new_empty((x.shape[0], w1.shape[0])),
        x.new_empty((x.shape[0], w1.shape[0])),
    ),
)
_torch.define(
    "mlp_backward",
    "(Tensor grad, Tensor x, Tensor w1, Tensor w2, Tensor hidden, Tensor before, str activation)"
    " -> (Tensor, Tensor, Tensor, Tensor)",
    (),
    _mlp_backward,
    lambda grad, x, w1, w2, hidden, before, activation: (
        x.new_empty(x.shape),
        w1.new_empty(w1.shape),
        x.new_empty(w1.shape[0], dtype=torch.float32),
        w2.new_empty(w2.shape),
    ),
)


def _mlp_setup(ctx: Any, inputs: Tuple[Any, ...], output: Tuple[Tensor, ...]) -> None:
    x, w1, b1, w2, b2, ctx.activation = inputs
    ctx.types = None if b1 is None else b1.dtype, None if b2 is None else b2.dtype
    ctx.save_for_backward(x, w1, w2, output[1], output[2])


def _mlp_gradients(ctx: Any, grad: Tensor, _hidden: Any, _before: Any) -> Tuple[Any, ...]:
    of_b1, of_b2 = ctx.types
    x, w1, w2, hidden, before = ctx.saved_tensors
    grad = _lines(grad)
    dx, dw1, db1, dw2 = torch.ops.gemmgen.mlp_backward(
        grad, x, w1, w2, hidden, before, ctx.activation
    )
    db2 = None if of_b2 is None else grad.float().sum(0).to(of_b2)
    return dx, dw1, None if of_b1 is None else db1.to(of_b1), dw2, db2, None


torch.library.register_autograd("gemmgen::mlp", _mlp_gradients, setup_context=_mlp_setup)


def mlp(
    x: Tensor, w1: Tensor, w2: Tensor, b1: Optional[Tensor], b2: Optional[Tensor], activation: str
) -> Tensor:
    """mlp() of tensors, by the operator that it is."""
    if activation not in _DERIVATIVES:
        raise ValueError(f"the activation is {activation!r}; it is relu, gelu or silu")
    for name, tensor in (("x", x), ("w1", w1), ("w2", w2)):
        if str(tensor.dtype) not in BY_TORCH or tensor.dtype not in _FLOATS:
            raise TypeError(
                f"{name} is of {tensor.dtype}; a perceptron is of f16, bf16, f32 or f64"
            )
    if w1.dim() != 2 or w2.dim() != 2 or w1.shape[1] != x.shape[-1] or w2.shape[1] != w1.shape[0]:
        raise ValueError(
            f"x of shape {tuple(x.shape)}, w1 of {tuple(w1.shape)} and w2 of {tuple(w2.shape)} do "
            "not follow each other: w1 is (hidden, in), w2 (out, hidden), x (..., in)"
        )
    rows = x.reshape(-1, x.shape[-1])
    out: Tensor = torch.ops.gemmgen.mlp(rows, w1, b1, w2, b2, activation)[0]
    return out.reshape(*x.shape[:-1], w2.shape[0])
