"""Arrays of others, as gemmgen sees them: an address, a type, extents and strides."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import Any, Union

from . import _dlpack
from ._types import BY_DLPACK, BY_NUMPY, BY_TORCH, BY_TYPESTR, E2M1, Type, known

HOST = "host"  # in host memory: the emulator computes
Place = Union[str, int]  # HOST, or a CUDA device's ordinal


@dataclass
class View:
    """An array's memory. Strides count elements. `owner` keeps the memory while the view lives."""

    address: int
    type: Type
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    place: Place
    readonly: bool
    owner: Any
    stream: int | None = None  # on which its producer works, where that is known

    def describe(self) -> str:
        return f"{self.type.name} of shape {self.shape} and strides {self.strides}"


class E2m1:
    """Elements of e2m1, two a byte, the first in the lower bits: what bytes of an array are.

    gemmgen.e2m1() makes one. Of torch's float4_e2m1fn_x2 none is needed."""

    def __init__(self, array: Any) -> None:
        self.array = array

    @property
    def T(self) -> "E2m1":
        """The same memory, its last two dimensions exchanged."""
        return E2m1(self.array.mT if is_torch(self.array) else self.array.swapaxes(-1, -2))


def is_torch(array: Any) -> bool:
    """Whether it is a torch.Tensor; torch is not imported for that."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(array, torch.Tensor)


def _no_type(name: str, what: Any) -> TypeError:
    return TypeError(f"{name} is of {what}, which gemmgen does not multiply: {known()}")


def _of_torch(name: str, tensor: Any) -> View:
    found = BY_TORCH.get(str(tensor.dtype))
    if found is None:
        raise _no_type(name, tensor.dtype)
    kind = tensor.device.type
    if kind not in ("cuda", "cpu"):
        raise ValueError(f"{name} is on device {tensor.device}; gemmgen takes cuda and cpu")
    place: Place = tensor.device.index if kind == "cuda" else HOST
    shape, strides = tuple(tensor.shape), tuple(tensor.stride())
    made = View(tensor.data_ptr(), found, shape, strides, place, False, tensor)
    return _in_pairs(name, made) if found is E2M1 else made


def _in_pairs(name: str, of: View) -> View:
    """An array of bytes as one of e2m1: its contiguous dimension has two for each."""
    if len(of.shape) < 2 or 1 not in of.strides[-2:]:
        raise ValueError(f"{name}, {of.describe()}: of e2m1 rows or columns are contiguous bytes")
    at = len(of.shape) - (1 if of.strides[-1] == 1 else 2)
    shape = tuple(n * 2 if i == at else n for i, n in enumerate(of.shape))
    strides = tuple(step if i == at else step * 2 for i, step in enumerate(of.strides))
    return replace(of, type=E2M1, shape=shape, strides=strides)


def _of_interface(name: str, array: Any, interface: dict[str, Any], place: Place) -> View:
    """__array_interface__ and __cuda_array_interface__, whose strides are in bytes."""
    dtype_name = getattr(getattr(array, "dtype", None), "name", None)  # ml_dtypes have no typestr
    found = BY_TYPESTR.get(interface["typestr"]) or BY_NUMPY.get(dtype_name or "")
    if found is None:
        raise _no_type(name, dtype_name or interface["typestr"])
    shape = tuple(interface["shape"])
    in_bytes = interface.get("strides")
    if in_bytes is None:
        strides = _dlpack.packed(shape)
    elif any(step % found.bytes for step in in_bytes):
        raise ValueError(
            f"{name} has strides of {tuple(in_bytes)} bytes, which are not whole elements"
        )
    else:
        strides = tuple(step // found.bytes for step in in_bytes)
    address, readonly = interface["data"]
    return View(address, found, shape, strides, place, readonly, array, interface.get("stream"))


def _of_dlpack(name: str, array: Any, stream: int | None) -> View:
    kind, ordinal = array.__dlpack_device__()
    kind = int(kind)
    if kind not in (_dlpack.CPU, _dlpack.CUDA, _dlpack.CUDA_HOST, _dlpack.CUDA_MANAGED):
        raise ValueError(f"{name} is on DLPack's device type {kind}; gemmgen takes CPU and CUDA")
    on_device = kind in (_dlpack.CUDA, _dlpack.CUDA_MANAGED)
    capsule = _dlpack.capsule_of(array, (stream or 1) if on_device else None)
    read = _dlpack.read(capsule)
    found = BY_DLPACK.get((read.code, read.bits)) if read.lanes == 1 else None
    if found is None:
        raise _no_type(name, f"DLPack's type code {read.code} of {read.bits} bits x {read.lanes}")
    return View(
        read.address,
        found,
        read.shape,
        read.strides,
        ordinal if on_device else HOST,
        read.readonly,
        (capsule, array),
    )


def view(name: str, array: Any, stream: int | None = None) -> View:
    """What gemmgen takes for an array: torch's tensors, __cuda_array_interface__,
    __array_interface__, DLPack. `stream` is where it will be used. TypeError, ValueError."""
    if isinstance(array, E2m1):
        inner = view(name, array.array, stream)
        if inner.type.name != "u8":
            raise TypeError(f"{name}: e2m1 lies in bytes, uint8, and these are {inner.type.name}")
        return _in_pairs(name, inner)
    if is_torch(array):
        return _of_torch(name, array)
    interface = getattr(array, "__cuda_array_interface__", None)
    if interface is not None:
        device = getattr(array, "__dlpack_device__", None)
        return _of_interface(name, array, interface, int(device()[1]) if device else 0)
    interface = getattr(array, "__array_interface__", None)
    if interface is not None:
        return _of_interface(name, array, interface, HOST)
    if hasattr(array, "__dlpack__"):
        return _of_dlpack(name, array, stream)
    raise TypeError(
        f"{name} is a {type(array).__name__}, which has neither DLPack nor "
        "__cuda_array_interface__ nor __array_interface__"
    )


def e2m1(array: Any) -> E2m1:
    """Says that an array of bytes (uint8) has elements of e2m1, two in each, the first in the lower
    bits: (..., K / 2) bytes are (..., K) elements, whose `.T` is a product's b."""
    return E2m1(array)
