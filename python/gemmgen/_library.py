"""libgemmgen by ctypes: where it is, its structs and its functions.

Structs and prototypes are those of gemmgen.h, gemmgen_runtime.h and gemmgen_gemm.h; a test holds
them to tests/abi/abi.txt. A struct that begins with its size is begun by making it.
"""

from __future__ import annotations

import ctypes
import os
from ctypes import (
    POINTER,
    Structure,
    c_bool,
    c_char,
    c_char_p,
    c_double,
    c_float,
    c_int,
    c_int64,
    c_size_t,
    c_uint64,
    c_void_p,
)
from pathlib import Path
from typing import Any

OPERATIONS_MAX = 16
PREPARED_WORDS = 512
WORKSPACE_COUNTERS = 65536
GEMM_WORKSPACE = 32 << 20

MAJOR_K, MAJOR_M, MAJOR_N = 0, 1, 2
ALONG_M, ALONG_N, ALONG_ALL, ALONG_ELEMENTS, ALONG_NONE = range(5)
OP_LINEAR, OP_GATED = 0, 20
PROVIDER_CUDA, PROVIDER_EMU = 1, 2
PROMOTE_AUTO, PROMOTE_NEVER = 0, -1


class Sized(Structure):
    """A struct that begins with its size, as GG_SIZED begins it."""

    def __init__(self, **members: Any) -> None:
        super().__init__(size=ctypes.sizeof(self), **members)


class Str(Structure):
    """gg_str: a text that the library appends to."""

    _fields_ = [
        ("text", c_void_p),
        ("length", c_size_t),
        ("capacity", c_size_t),
        ("failed", c_bool),
    ]


class ErrorStruct(Structure):
    """gg_error."""

    _fields_ = [
        ("code", c_int),
        ("stage", c_int),
        ("line", c_int),
        ("column", c_int),
        ("file", c_char * 512),
        ("path", c_char * 128),
        ("message", c_char * 1024),
        ("log", c_char_p),
        ("reserved", c_uint64 * 8),
    ]


class ErrorInfo(Structure):
    """gg_error_info."""

    _fields_ = [
        ("code", c_int),
        ("name", c_char_p),
        ("stage", c_int),
        ("message", c_char_p),
        ("help", c_char_p),
    ]


class Operand(Structure):
    """gg_operand."""

    _fields_ = [("type", c_int), ("major", c_int), ("align", c_int)]


class Scaling(Structure):
    """gg_scaling."""

    _fields_ = [("type", c_int), ("block", c_int)]


class Form(Sized):
    """gg_form."""

    _fields_ = [
        ("size", c_size_t),
        ("a", Operand),
        ("b", Operand),
        ("d", Operand),
        ("has_c", c_bool),
        ("c", Operand),
        ("accumulator", c_int),
        ("promote", c_int),
        ("epilogue", c_char_p),
        ("scale_a", Scaling),
        ("scale_b", Scaling),
        ("scale_d", Scaling),
        ("sparse_a", c_bool),
        ("sparse_b", c_bool),
        ("pointers", c_uint64),
        ("xor_bits", c_uint64),
    ]


class ExtraFacts(Structure):
    """gg_extra_facts: what an operation of an epilogue reads or writes."""

    _fields_ = [
        ("name", c_char * 24),
        ("kind", c_int),
        ("along", c_int),
        ("type", c_int),
        ("written", c_bool),
        ("gated", c_bool),
    ]


class KernelStruct(Structure):
    """The beginning of gg_kernel, which the library makes."""

    _fields_ = [
        ("name", c_char_p),
        ("family", c_char_p),
        ("arch", c_char_p),
        ("note", c_char_p),
        ("source", c_void_p),
        ("source_length", c_size_t),
        ("fingerprint", c_char_p),
    ]


class LayoutOptions(Sized):
    """gg_layout_options."""

    _fields_ = [
        ("size", c_size_t),
        ("cute", c_bool),
        ("compact", c_bool),
        ("bits", c_int64),
        ("tile", c_char_p),
        ("name", c_char_p),
        ("line", c_int64),
    ]


WARN = ctypes.CFUNCTYPE(None, c_void_p, c_char_p)


class CompilerOptions(Sized):
    """gg_compiler_options."""

    _fields_ = [
        ("size", c_size_t),
        ("nvrtc", c_char_p),
        ("cache", c_char_p),
        ("cache_bytes", c_int64),
        ("warn", WARN),
        ("user", c_void_p),
    ]


class CompilerFacts(Structure):
    """gg_compiler_facts."""

    _fields_ = [
        ("nvrtc", c_char_p),
        ("nvrtc_version", c_int),
        ("archs", POINTER(c_int)),
        ("arch_count", c_size_t),
        ("why_not", c_char_p),
        ("cache", c_char_p),
    ]


class ContextOptions(Sized):
    """gg_context_options."""

    _fields_ = [
        ("size", c_size_t),
        ("device", c_int),
        ("provider", c_int),
        ("compiler", POINTER(CompilerOptions)),
    ]


class DeviceFacts(Structure):
    """gg_device_facts."""

    _fields_ = [
        ("name", c_char * 128),
        ("arch", c_int),
        ("driver_version", c_int),
        ("sm_count", c_int),
        ("threads_per_sm", c_int),
        ("clock_khz", c_int),
        ("smem_per_cta", c_int),
        ("smem_per_sm", c_int),
        ("l2_bytes", c_int64),
        ("memory_bytes", c_int64),
        ("emulated", c_bool),
    ]


class Extra(Structure):
    """gg_extra."""

    _fields_ = [
        ("address", c_uint64),
        ("ld", c_int64),
        ("batch_stride", c_int64),
        ("reserved", c_int64),
    ]


class Problem(Sized):
    """gg_problem, as GG_PROBLEM_INIT begins it."""

    _fields_ = [
        ("size", c_size_t),
        ("m", c_int64),
        ("n", c_int64),
        ("k", c_int64),
        ("batch", c_int64),
        ("a", c_uint64),
        ("b", c_uint64),
        ("c", c_uint64),
        ("d", c_uint64),
        ("lda", c_int64),
        ("ldb", c_int64),
        ("ldc", c_int64),
        ("ldd", c_int64),
        ("batch_stride_a", c_int64),
        ("batch_stride_b", c_int64),
        ("batch_stride_c", c_int64),
        ("batch_stride_d", c_int64),
        ("alpha", c_float),
        ("beta", c_float),
        ("workspace", c_uint64),
        ("workspace_bytes", c_int64),
        ("overlap", c_bool),
        ("extras", Extra * OPERATIONS_MAX),
        ("scale_a", c_uint64),
        ("scale_b", c_uint64),
        ("batch_stride_scale_a", c_int64),
        ("batch_stride_scale_b", c_int64),
        ("scale_d", c_uint64),
        ("batch_stride_scale_d", c_int64),
        ("metadata", c_uint64),
        ("batch_stride_metadata", c_int64),
        ("wide_alpha", c_double),
        ("wide_beta", c_double),
        ("wide_factors", c_bool),
        ("alpha_at", c_uint64),
        ("beta_at", c_uint64),
        ("pointers", c_bool),
        ("multiprocessors", c_int64),
    ]

    def __init__(self, **members: Any) -> None:
        super().__init__(**{"batch": 1, "alpha": 1, "overlap": True, **members})


class Prepared(Structure):
    """gg_prepared."""

    _fields_ = [("opaque", c_uint64 * PREPARED_WORDS)]


class Packing(Sized):
    """gg_packing."""

    _fields_ = [
        ("size", c_size_t),
        ("to", c_uint64),
        ("from", c_uint64),
        ("rows", c_int64),
        ("k", c_int64),
        ("batch", c_int64),
        ("ld", c_int64),
        ("batch_stride_to", c_int64),
        ("batch_stride_from", c_int64),
        ("block", c_int),
    ]


class SparseStruct(Sized):
    """gg_sparse."""

    _fields_ = [
        ("size", c_size_t),
        ("type", c_int),
        ("major", c_int),
        ("pairs", c_bool),
        ("rows", c_int64),
        ("k", c_int64),
        ("ld_dense", c_int64),
        ("ld", c_int64),
    ]


class GemmChoice(Sized):
    """gg_gemm_choice."""

    _fields_ = [
        ("size", c_size_t),
        ("module", c_void_p),
        ("kernel", c_char_p),
        ("tuned", c_bool),
        ("seconds", c_double),
        ("measured", c_bool),
        ("measuring", c_bool),
        ("apart", c_bool),
    ]


STRUCTS: dict[str, type[Structure]] = {
    "gg_str": Str,
    "gg_error": ErrorStruct,
    "gg_error_info": ErrorInfo,
    "gg_operand": Operand,
    "gg_scaling": Scaling,
    "gg_form": Form,
    "gg_extra_facts": ExtraFacts,
    "gg_layout_options": LayoutOptions,
    "gg_compiler_options": CompilerOptions,
    "gg_compiler_facts": CompilerFacts,
    "gg_context_options": ContextOptions,
    "gg_device_facts": DeviceFacts,
    "gg_extra": Extra,
    "gg_problem": Problem,
    "gg_prepared": Prepared,
    "gg_packing": Packing,
    "gg_sparse": SparseStruct,
    "gg_gemm_choice": GemmChoice,
    "gg_kernel": KernelStruct,
}

_OUT = POINTER(c_void_p)
_ERROR = POINTER(ErrorStruct)
_STR = POINTER(Str)

# Functions that give a gg_status, and take a gg_error last.
_FALLIBLE: dict[str, tuple[Any, ...]] = {
    "gg_spec_file_load": (_OUT, c_char_p),
    "gg_spec_file_parse": (_OUT, c_char_p, c_size_t, c_char_p),
    "gg_spec_explain": (_STR, c_void_p, c_bool),
    "gg_kernel_generate": (POINTER(POINTER(KernelStruct)), c_void_p),
    "gg_form_extras": (POINTER(ExtraFacts), POINTER(c_size_t), POINTER(Form)),
    "gg_layout_show": (_STR, _STR, _STR, c_char_p, POINTER(LayoutOptions)),
    "gg_context_open": (_OUT, POINTER(ContextOptions)),
    "gg_memory_alloc": (POINTER(c_uint64), c_void_p, c_size_t),
    "gg_memory_write": (c_void_p, c_uint64, c_void_p, c_size_t),
    "gg_memory_read": (c_void_p, c_void_p, c_uint64, c_size_t),
    "gg_synchronize": (c_void_p, c_void_p),
    "gg_workspace_alloc": (POINTER(c_uint64), c_void_p, c_int64),
    "gg_workspace_bytes": (POINTER(c_int64), c_void_p, POINTER(Problem)),
    "gg_scales_bytes": (POINTER(c_int64), c_int64, c_int64, c_int),
    "gg_scales_pack": (c_void_p, c_void_p, c_int64, c_int64, c_int, c_int64),
    "gg_packer_open": (_OUT, c_void_p),
    "gg_packer_launch": (c_void_p, POINTER(Packing), c_void_p),
    "gg_sparse_sizes": (POINTER(c_int64), POINTER(c_int64), POINTER(SparseStruct)),
    "gg_sparse_prune": (POINTER(SparseStruct), c_void_p),
    "gg_sparse_compress": (POINTER(SparseStruct), c_void_p, c_void_p, c_void_p),
    "gg_sparse_expand": (POINTER(SparseStruct), c_void_p, c_void_p, c_void_p),
    "gg_gemm_open": (_OUT, c_void_p, c_void_p),
    "gg_gemm_choose": (POINTER(GemmChoice), c_void_p, POINTER(Form), POINTER(Problem)),
    "gg_gemm_launch": (c_void_p, POINTER(Form), POINTER(Problem), c_void_p),
    "gg_gemm_prepare": (POINTER(Prepared), c_void_p, POINTER(Form), POINTER(Problem)),
    "gg_prepare": (POINTER(Prepared), c_void_p, POINTER(Problem)),
    "gg_launch_prepared": (POINTER(Prepared), c_void_p),
}

# The others: what they give, what they take.
_PLAIN: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "gg_version": (c_char_p, ()),
    "gg_error_clear": (None, (_ERROR,)),
    "gg_error_info_of": (POINTER(ErrorInfo), (c_int,)),
    "gg_error_print": (None, (_STR, _ERROR, c_char_p)),
    "gg_stage_name": (c_char_p, (c_int,)),
    "gg_str_free": (None, (_STR,)),
    "gg_spec_file_count": (c_size_t, (c_void_p,)),
    "gg_spec_file_get": (c_void_p, (c_void_p, c_size_t)),
    "gg_spec_file_source": (c_char_p, (c_void_p,)),
    "gg_spec_file_free": (None, (c_void_p,)),
    "gg_kernel_free": (None, (POINTER(KernelStruct),)),
    "gg_context_close": (None, (c_void_p,)),
    "gg_context_device": (POINTER(DeviceFacts), (c_void_p,)),
    "gg_context_compiler": (c_void_p, (c_void_p,)),
    "gg_compiler_facts_of": (POINTER(CompilerFacts), (c_void_p,)),
    "gg_memory_free": (None, (c_void_p, c_uint64)),
    "gg_gemm_close": (None, (c_void_p,)),
    "gg_packer_close": (None, (c_void_p,)),
}


def _candidates() -> list[str]:
    """Where the library may be, the first that is there wins: what GEMMGEN_LIBRARY says, beside
    this file (in a wheel), what the loader finds."""
    named = os.environ.get("GEMMGEN_LIBRARY")
    if named:
        return [named]
    beside = Path(__file__).with_name("libgemmgen.so.0")
    return ([str(beside)] if beside.exists() else []) + [beside.name]


def _load() -> tuple[ctypes.CDLL, str]:
    why = []
    for path in _candidates():
        try:
            return ctypes.CDLL(path), path
        except OSError as error:
            why.append(str(error))
    raise ImportError(
        "gemmgen: libgemmgen cannot be loaded: "
        + "; ".join(why)
        + ". GEMMGEN_LIBRARY may say where it is."
    )


def _declare(library: ctypes.CDLL) -> None:
    for name, arguments in _FALLIBLE.items():
        function = getattr(library, name)
        function.restype, function.argtypes = c_int, (*arguments, _ERROR)
    for name, (result, arguments) in _PLAIN.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments


lib, _path = _load()
_declare(lib)


def library_path() -> str:
    """The libgemmgen that is used, as it was given to the loader."""
    return _path


def version() -> str:
    """The version of libgemmgen, such as "0.1.0"."""
    return str(lib.gg_version().decode())


def take(text: Str) -> str:
    """What is in a gg_str, which is freed."""
    try:
        return ctypes.string_at(text.text, text.length).decode() if text.length else ""
    finally:
        lib.gg_str_free(ctypes.byref(text))
