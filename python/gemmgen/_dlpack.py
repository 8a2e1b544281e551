"""DLPack without compiled code: a capsule's tensor is read where it is.

A capsule that is not consumed frees its tensor when it goes itself: so whoever reads one keeps the
capsule for as long as the memory is used, renames nothing and calls no deleter.
"""

from __future__ import annotations

import ctypes
from ctypes import (
    POINTER,
    Structure,
    c_int32,
    c_int64,
    c_uint8,
    c_uint16,
    c_uint32,
    c_uint64,
    c_void_p,
)
from typing import Any, NamedTuple

CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13
READ_ONLY = 1


class DLTensor(Structure):
    """DLTensor."""

    _fields_ = [
        ("data", c_void_p),
        ("device_type", c_int32),
        ("device_id", c_int32),
        ("ndim", c_int32),
        ("code", c_uint8),
        ("bits", c_uint8),
        ("lanes", c_uint16),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
    ]


class DLManagedTensor(Structure):
    """DLManagedTensor, in a capsule called "dltensor"."""

    _fields_ = [("tensor", DLTensor), ("manager", c_void_p), ("deleter", c_void_p)]


class DLManagedTensorVersioned(Structure):
    """DLManagedTensorVersioned, in a capsule called "dltensor_versioned"."""

    _fields_ = [
        ("major", c_uint32),
        ("minor", c_uint32),
        ("manager", c_void_p),
        ("deleter", c_void_p),
        ("flags", c_uint64),
        ("tensor", DLTensor),
    ]


class Read(NamedTuple):
    """What a capsule holds; strides count elements."""

    address: int
    device: tuple[int, int]
    code: int
    bits: int
    lanes: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    readonly: bool


_name = ctypes.pythonapi.PyCapsule_GetName
_name.restype, _name.argtypes = ctypes.c_char_p, (ctypes.py_object,)
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = c_void_p, (ctypes.py_object, ctypes.c_char_p)


def packed(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Strides of a row-major array, in elements."""
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))


def read(capsule: Any) -> Read:
    """Reads a capsule, which the caller keeps. TypeError where it is none that is unread;
    BufferError of a major version of DLPack that is not 1."""
    try:
        name = _name(capsule)
    except ValueError:
        name = None
    readonly = False
    if name == b"dltensor":
        tensor = DLManagedTensor.from_address(_pointer(capsule, name)).tensor
    elif name == b"dltensor_versioned":
        managed = DLManagedTensorVersioned.from_address(_pointer(capsule, name))
        if managed.major != 1:
            raise BufferError(
                f"a DLPack tensor of version {managed.major}.{managed.minor}; 1 is known"
            )
        tensor, readonly = managed.tensor, bool(managed.flags & READ_ONLY)
    else:
        raise TypeError(f"__dlpack__ gave no capsule of a tensor, but {capsule!r}")
    shape = tuple(tensor.shape[: tensor.ndim])
    strides = tuple(tensor.strides[: tensor.ndim]) if tensor.strides else packed(shape)
    return Read(
        (tensor.data or 0) + tensor.byte_offset,
        (tensor.device_type, tensor.device_id),
        tensor.code,
        tensor.bits,
        tensor.lanes,
        shape,
        strides,
        readonly,
    )


def capsule_of(array: Any, stream: int | None) -> Any:
    """Asks `array` for a capsule: a versioned one, or what older producers have. On a CUDA device
    the memory is ready for work on `stream`."""
    try:
        return array.__dlpack__(stream=stream, max_version=(1, 1))
    except TypeError:
        return array.__dlpack__(stream=stream)
