"""What the tests multiply: arrays that speak DLPack or __cuda_array_interface__, without packages.

Elements are small integers, which every type has, so that sums are exact.
"""

import ctypes
import itertools
import struct
import weakref
from ctypes import c_int64, c_void_p, py_object, pythonapi

import gemmgen
from gemmgen import _dlpack
from gemmgen._types import TYPES

_E4M3 = {0: 0x00, 1: 0x38, 2: 0x40, 3: 0x44, 4: 0x48}
_E5M2 = {0: 0x00, 1: 0x3C, 2: 0x40, 3: 0x42, 4: 0x44}
_FORMATS = {"f16": "<e", "f32": "<f", "f64": "<d", "s8": "<b", "u8": "<B", "s32": "<i"}


def encode(name, value):
    """The bytes of an element."""
    if name == "bf16":
        return struct.pack("<f", value)[2:]  # of a value that bf16 has
    if name in ("e4m3", "e5m2"):
        bits = (_E4M3 if name == "e4m3" else _E5M2)[abs(value)]
        return bytes([bits | (0x80 if value < 0 else 0)])
    return struct.pack(_FORMATS[name], value)


def decode(name, data):
    if name == "bf16":
        return struct.unpack("<f", b"\0\0" + data)[0]
    if name in ("e4m3", "e5m2"):
        table = {bits: value for value, bits in (_E4M3 if name == "e4m3" else _E5M2).items()}
        return table[data[0] & 0x7F] * (-1 if data[0] & 0x80 else 1)
    return struct.unpack(_FORMATS[name], data)[0]


def indices(shape):
    return itertools.product(*map(range, shape))


class Array:
    """Elements of host memory with any strides, in a guarded buffer."""

    def __init__(self, name, shape, value=None, strides=None):
        self.type, self.shape = TYPES[name], tuple(shape)
        self.strides = tuple(strides) if strides else _dlpack.packed(self.shape)
        count = (
            1 + sum((n - 1) * s for n, s in zip(self.shape, self.strides)) if 0 not in shape else 0
        )
        size = self.type.bytes
        self.buffer = ctypes.create_string_buffer(
            b"\xff" * (count * size + 512), count * size + 512
        )
        self.address = (ctypes.addressof(self.buffer) + 255) // 256 * 256
        self.bytes = count * size
        if value is not None:
            for index in indices(self.shape):
                self.put(index, value(*index))

    def _at(self, index):
        offset = sum(i * s for i, s in zip(index, self.strides)) * self.type.bytes
        return self.address - ctypes.addressof(self.buffer) + offset

    def put(self, index, value):
        at = self._at(index)
        self.buffer[at : at + self.type.bytes] = encode(self.type.name, value)

    def get(self, index):
        at = self._at(index)
        return decode(self.type.name, self.buffer.raw[at : at + self.type.bytes])

    def values(self):
        raw = self.buffer.raw
        size = self.type.bytes
        return {
            i: decode(self.type.name, raw[self._at(i) : self._at(i) + size])
            for i in indices(self.shape)
        }

    def strays(self):
        """Bytes that are no element's and not as they were."""
        mine = {self._at(i) + j for i in indices(self.shape) for j in range(self.type.bytes)}
        raw = self.buffer.raw[:-1]
        return sum(byte != 0xFF for at, byte in enumerate(raw) if at not in mine)

    @property
    def T(self):
        """The same memory, its last two dimensions exchanged."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.shape = (*self.shape[:-2], self.shape[-1], self.shape[-2])
        other.strides = (*self.strides[:-2], self.strides[-1], self.strides[-2])
        return other


_new = pythonapi.PyCapsule_New
_new.restype, _new.argtypes = py_object, (c_void_p, ctypes.c_char_p, c_void_p)
_is_valid = pythonapi.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, (c_void_p, ctypes.c_char_p)
_DESTRUCTOR = ctypes.PYFUNCTYPE(None, c_void_p)
_pointer = ctypes.PYFUNCTYPE(c_void_p, c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", pythonapi)
)

alive = {}  # managed tensors that are out, by their address


@_DESTRUCTOR
def _destroy(capsule):
    """A producer's destructor: a capsule that nobody consumed frees its tensor."""
    for name in (b"dltensor", b"dltensor_versioned"):
        if _is_valid(capsule, name):
            del alive[_pointer(capsule, name)]


class Tensor(Array):
    """A producer of DLPack. `versioned`: whether it knows of max_version."""

    versioned = True
    readonly = False
    device = (_dlpack.CPU, 0)
    lanes = 1
    major = 1

    def __dlpack_device__(self):
        return self.device

    def _fill(self, tensor):
        rank = len(self.shape)
        keep = (c_int64 * rank)(*self.shape), (c_int64 * rank)(*self.strides)
        tensor.data, tensor.byte_offset = self.address - 64, 64
        tensor.device_type, tensor.device_id = self.device
        tensor.ndim, tensor.code, tensor.bits = rank, self.type.dlpack, self.type.bits
        tensor.lanes = self.lanes
        tensor.shape, tensor.strides = keep
        return keep

    def capsule(self, managed, name):
        keep = self._fill(managed.tensor)
        address = ctypes.addressof(managed)
        alive[address] = (managed, keep, self.buffer, name)
        return _new(address, alive[address][3], ctypes.cast(_destroy, c_void_p))

    def __dlpack__(self, *, stream=None, **rest):
        self.stream = stream
        if not self.versioned:
            if rest:
                raise TypeError(f"unknown: {rest}")
            return self.capsule(_dlpack.DLManagedTensor(), b"dltensor")
        managed = _dlpack.DLManagedTensorVersioned(major=self.major)
        managed.flags = _dlpack.READ_ONLY if self.readonly else 0
        return self.capsule(managed, b"dltensor_versioned")


class OnDevice:
    """Memory of the emulator's device, by __cuda_array_interface__."""

    def __init__(self, array, stream=None):
        self.host, self.stream = array, stream
        self.emulator = gemmgen.device("emu")
        self.address = self.emulator.alloc(array.bytes)
        self.emulator.write(self.address, array.address, array.bytes)
        weakref.finalize(self, self.emulator.free, self.address)

    @property
    def __cuda_array_interface__(self):
        size = self.host.type.bytes
        return {
            "shape": self.host.shape,
            "typestr": self.host.type.typestr,
            "version": 3,
            "strides": tuple(s * size for s in self.host.strides),
            "data": (self.address, False),
            "stream": self.stream,
        }

    def values(self):
        self.emulator.synchronize()
        self.emulator.read(self.host.address, self.address, self.host.bytes)
        return self.host.values()


def a_value(*index):
    *_, i, k = index
    return (i * 7 + k * 3 + i * k + len(index) + sum(index[:-2])) % 5 - 2


def b_value(*index):
    *_, k, j = index
    return (j * 5 + k * 3 + j * k + sum(index[:-2])) % 5 - 2


def product(a, b):
    """The exact product of two arrays of two dimensions, as a dict by row and column."""
    left, right = a.values(), b.values()
    (m, k), n = a.shape, b.shape[1]
    return {
        (i, j): sum(left[i, x] * right[x, j] for x in range(k)) for i in range(m) for j in range(n)
    }
