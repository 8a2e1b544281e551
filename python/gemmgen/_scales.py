"""Scale factors: of blocks along K, packed as kernels read them; and numbers and vectors, which
become operations of the epilogue."""

from __future__ import annotations

import numbers
import sys
from ctypes import byref, c_int64
from dataclasses import dataclass
from typing import Any, Mapping, Union

from . import _epilogue, _library
from ._arrays import HOST, is_torch, view
from ._context import device
from ._error import call

TYPES = {"ue8m0": 10, "ue4m3": 11}  # gg_dtypes
_BLOCKS = {"ue8m0": 32, "ue4m3": 16}
_DTYPES = {"float8_e8m0fnu": "ue8m0", "float8_e4m3fn": "ue4m3"}  # numpy's and torch's names


@dataclass(frozen=True)
class Scales:
    """Factors of blocks along K of an A or a B, by pack_scales(): for matmul's scale_a and scale_b.

    Attributes:
        factors: bytes in the layout that kernels read, of the kind and in the place that those were
            that were packed.
        type: "ue8m0" or "ue4m3".
        block: how many elements share a factor.
        rows, k: of the matrix: M of A, N of B; elements along K.
    """

    factors: Any
    type: str
    block: int
    rows: int
    k: int

    @property
    def number(self) -> int:
        """gg_dtype."""
        return TYPES[self.type]


Scale = Union[None, float, Scales, Any]


def _bytes_of(factors: Any, type: str | None) -> tuple[Any, str]:
    """The same memory as bytes, and which type they are of."""
    name = str(getattr(factors, "dtype", "")).replace("torch.", "")
    found = type or _DTYPES.get(name)
    if found not in TYPES:
        raise TypeError(
            f"factors are of {name or factors.__class__.__name__}: they are float8_e8m0fnu (ue8m0) "
            "or float8_e4m3fn (ue4m3), or uint8 with type='ue8m0' or type='ue4m3'"
        )
    if name == "uint8":
        return factors, found
    return factors.view(sys.modules["torch"].uint8 if is_torch(factors) else "uint8"), found


def empty_bytes(like: Any, count: int) -> Any:
    """An array of bytes of the kind and in the place that `like` is: torch's, numpy's, cupy's."""
    if is_torch(like):
        torch = sys.modules["torch"]
        return torch.empty(count, dtype=torch.uint8, device=like.device)
    module = type(like).__module__.split(".")[0]
    if module not in ("numpy", "cupy"):
        raise TypeError(f"this takes arrays of torch, numpy and cupy, not of {module}")
    return sys.modules[module].empty(count, dtype="uint8")


def pack_scales(
    factors: Any,
    block: int | None = None,
    *,
    type: str | None = None,
    k: int | None = None,
    stream: int | None = None,
) -> Scales:
    """Brings rows of scale factors to the layout that kernels read: that of cuBLAS and CUTLASS.

    Args:
        factors: (rows, K / block), a row for each of A's rows or of B's columns: float8_e8m0fnu
            of mxfp8, float8_e4m3fn of nvfp4, or bytes. On a GPU a small kernel packs them, on
            torch's current stream or `stream`.
        block: elements that share a factor: 32 of ue8m0, 16 of ue4m3 where nothing is said; of a
            sparse product 64 and 32, whose zeros count.
        type: "ue8m0" or "ue4m3", of factors in bytes.
        k: elements of a row, where the last block is not whole.

    Raises:
        TypeError, ValueError: arrays that are no rows of factors. Error: what libgemmgen refuses.
    """
    data, name = _bytes_of(factors, type)
    block = block or _BLOCKS[name]
    v = view("factors", data, stream)
    if len(v.shape) != 2 or (v.strides[-1] != 1 and v.shape[-1] > 1):
        raise ValueError(f"factors, {v.describe()}, have to be a matrix of contiguous rows")
    rows, columns = v.shape
    k = columns * block if k is None else k
    if -(-k // block) != columns:
        raise ValueError(
            f"k = {k} elements in blocks of {block} have {-(-k // block)} factors a row, and there "
            f"are {columns}"
        )
    count = c_int64()
    call("gg_scales_bytes", byref(count), rows, k, block)
    out = empty_bytes(data, count.value)
    to, ld = view("out", out).address, max(v.strides[0], columns)
    if v.place == HOST:
        call("gg_scales_pack", to, v.address, rows, k, block, ld)
    else:
        packing = _library.Packing(
            to=to, rows=rows, k=k, batch=1, ld=ld, block=block, **{"from": v.address}
        )
        call("gg_packer_launch", device(v.place).packer, byref(packing), _stream(data, stream))
    return Scales(out, name, block, rows, k)


def _stream(array: Any, stream: int | None) -> int:
    if stream is None and is_torch(array):
        from ._torch import current_stream

        return current_stream(array.device.index)
    return stream or 0


# ---- Numbers and vectors ----


def _operation(name: str, along: str, scale: Any) -> tuple[Any, Any]:
    """The operation that multiplies by a number or a vector, and its array."""
    shape = tuple(scale.shape)
    if shape in ((), (1,), (1, 1)):
        return "scale", scale if shape != (1, 1) else scale.reshape(1)
    if len(shape) == 2 and shape[1 if along == "m" else 0] == 1:
        return {"scale": {"along": along}}, scale.reshape(-1)
    if len(shape) == 1:
        return {"scale": {"along": along}}, scale
    raise ValueError(
        f"{name} has shape {shape}: it is one number, or one for each "
        + ("row of a, (M,) or (M, 1)" if along == "m" else "column of b, (N,) or (1, N)")
    )


def _behind(name: str, count: int) -> str:
    """What a caller's operand is called with `count` scales in front of its epilogue's."""
    if _epilogue.word(name) != "scale":
        return name
    return f"scale{int(name[len('scale'):] or 1) + count}"


def fold_scales(
    scale_a: Scale,
    scale_b: Scale,
    alpha: float,
    beta: float,
    epilogue: _epilogue.Epilogue,
    operands: Mapping[str, Any],
) -> tuple[float, _epilogue.Epilogue, dict[str, Any]]:
    """Numbers of the host become part of alpha, numbers and vectors in arrays operations in front
    of the epilogue's. Factors of blocks are left alone."""
    items: list[Any] = []
    arrays: list[Any] = []
    for name, along, scale in (("scale_a", "m", scale_a), ("scale_b", "n", scale_b)):
        if scale is None or isinstance(scale, Scales):
            continue
        if isinstance(scale, numbers.Real):
            alpha *= float(scale)
            continue
        item, array = _operation(name, along, scale)
        items.append(item)
        arrays.append(array)
    if not items:
        return alpha, epilogue, dict(operands)
    rest = _epilogue.items_of(epilogue)
    if epilogue is not None and rest is None:
        raise ValueError(
            "scale_a and scale_b become operations in front of the epilogue, which then is words "
            f"or a list: put scale operations into the text, {epilogue!r}"
        )
    named = {_behind(name, len(items)): array for name, array in operands.items()}
    for i, array in enumerate(arrays):
        named["scale" if i == 0 else f"scale{i + 1}"] = array
    if (alpha != 1 or beta) and not any("linear" in item for item in rest or []):
        items.append("linear")
    return alpha, [*items, *(rest or [])], named
