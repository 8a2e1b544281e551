"""Number types: gemmgen's names beside those of numpy, torch and DLPack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Type:
    """A number type: a row of gen/atom/dtypes.def, and what others call it."""

    name: str
    number: int  # gg_dtype
    bits: int
    dlpack: int  # DLDataTypeCode
    typestr: str  # of __array_interface__; "": it has none
    numpy: str  # numpy's name, or ml_dtypes'
    torch: str

    @property
    def bytes(self) -> int:
        return self.bits // 8


# fmt: off
_ROWS = (
    # name   number bits DLPack typestr numpy                torch
    ("f16",   0, 16,  2, "<f2", "float16",       "float16"),
    ("bf16",  1, 16,  4, "",    "bfloat16",      "bfloat16"),
    ("f32",   3, 32,  2, "<f4", "float32",       "float32"),
    ("f64",   4, 64,  2, "<f8", "float64",       "float64"),
    ("e4m3",  5,  8, 10, "",    "float8_e4m3fn", "float8_e4m3fn"),
    ("e5m2",  6,  8, 12, "",    "float8_e5m2",   "float8_e5m2"),
    ("s8",   14,  8,  0, "|i1", "int8",          "int8"),
    ("u8",   15,  8,  1, "|u1", "uint8",         "uint8"),
    ("s32",  17, 32,  0, "<i4", "int32",         "int32"),
)
# fmt: on

TYPES = {row[0]: Type(*row) for row in _ROWS}
E2M1 = Type("e2m1", 9, 4, -1, "", "", "float4_e2m1fn_x2")  # of A and B alone; two lie in a byte
TF32 = 2  # gg_dtype of f32 whose products are of 19 bits: no array is of that type

BY_NUMBER = {t.number: t for t in TYPES.values()}
BY_DLPACK = {(t.dlpack, t.bits): t for t in TYPES.values()}
BY_TYPESTR = {t.typestr: t for t in TYPES.values() if t.typestr}
BY_NUMPY = {t.numpy: t for t in TYPES.values()}
BY_TORCH = {"torch." + t.torch: t for t in (*TYPES.values(), E2M1)}

# D's type where nobody says: what a product of A's type is usually stored in.
RESULTS = {
    "f16": "f16",
    "bf16": "bf16",
    "f32": "f32",
    "f64": "f64",
    "e4m3": "bf16",
    "e5m2": "bf16",
    "e2m1": "bf16",
    "s8": "s32",
    "u8": "s32",
}


def known() -> str:
    """The types, for messages."""
    return ", ".join(TYPES)


def type_of(dtype: Any) -> Type:
    """What a caller calls a type: gemmgen's name, numpy's or torch's dtype. TypeError for
    others."""
    if isinstance(dtype, Type):
        return dtype
    if isinstance(dtype, str) and dtype in TYPES:
        return TYPES[dtype]
    found = BY_TORCH.get(str(dtype)) or BY_NUMPY.get(getattr(dtype, "name", "") or str(dtype))
    if found is None and isinstance(dtype, type):
        found = BY_NUMPY.get(dtype.__name__)  # numpy.float32, ml_dtypes.bfloat16
    if found is None:
        raise TypeError(f"{dtype!r} is no type that gemmgen multiplies: {known()}")
    return found
