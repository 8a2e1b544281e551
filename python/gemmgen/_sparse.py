"""Matrices of which two of every four elements are zero: pruned, compressed, multiplied."""

from __future__ import annotations

import sys
from ctypes import byref, c_int64
from dataclasses import dataclass, replace
from typing import Any

from . import _library
from ._arrays import HOST, E2m1, View, is_torch, view
from ._error import call
from ._matrix import Matrix, matrix
from ._scales import empty_bytes
from ._types import E2M1


@dataclass(frozen=True)
class Sparse:
    """A sparse matrix as kernels read it, by compress(): matmul's `a`, or, transposed, its `b`.

    Attributes:
        stored: half of the elements, (rows, K / 2) of whole groups.
        metadata: which of them they are, bytes.
        shape: (rows, K), of `T` (K, rows).
    """

    stored: Any
    metadata: Any
    shape: tuple[int, int]
    transposed: bool = False

    @property
    def T(self) -> "Sparse":
        """The same matrix, for matmul's `b`."""
        return replace(self, shape=self.shape[::-1], transposed=not self.transposed)

    def dense(self) -> Any:
        """The matrix with its zeros, in host memory."""
        if self.transposed:
            raise ValueError("dense() is of the matrix that was compressed: take .T of this one")
        stored = _on_host(self.stored)
        out = _like(stored, self.shape)
        of, there = _describe(view("dense", out), view("stored", stored))
        metadata = view("metadata", _on_host(self.metadata))
        call(
            "gg_sparse_expand",
            byref(of),
            view("dense", out).address,
            there.address,
            metadata.address,
        )
        return out


def sparse_matrix(name: str, of: Sparse) -> Matrix:
    """What is stored, with the extents that the zeros are part of."""
    v = view(name, of.stored)
    if of.transposed:
        v = replace(v, shape=v.shape[::-1], strides=v.strides[::-1])
    return replace(matrix(name, v, not of.transposed), height=of.shape[0], width=of.shape[1])


def _on_host(array: Any) -> Any:
    if isinstance(array, E2m1):
        return E2m1(_on_host(array.array))
    if is_torch(array):
        return array.cpu()
    return array.get() if type(array).__module__.split(".")[0] == "cupy" else array


def _like(array: Any, shape: tuple[int, int]) -> Any:
    """A row-major matrix of host memory, of the kind and type that `array` is."""
    if isinstance(array, E2m1):
        return E2m1(_like(array.array, (shape[0], shape[1] // 2)))
    if is_torch(array):
        if view("dense", array).type is E2M1:  # whose tensors count bytes
            shape = (shape[0], shape[1] // 2)
        return sys.modules["torch"].empty(shape, dtype=array.dtype)
    module = type(array).__module__.split(".")[0]
    if module != "numpy":
        raise TypeError(f"prune and compress take arrays of torch, numpy and cupy, not of {module}")
    return sys.modules["numpy"].empty(shape, dtype=array.dtype)


def _describe(dense: View, stored: View | None) -> tuple[_library.SparseStruct, View]:
    """gg_sparse of a matrix with contiguous rows, and what is stored, or else the matrix itself."""
    if len(dense.shape) != 2 or dense.strides[1] != 1:
        raise ValueError(
            f"the matrix, {dense.describe()}, has to have contiguous rows, along which there are "
            "two zeros of every four: K of A; of a B give what becomes it when it is transposed"
        )
    of = _library.SparseStruct(
        type=dense.type.number,
        major=_library.MAJOR_K,
        pairs=dense.type is E2M1,
        rows=dense.shape[0],
        k=dense.shape[1],
        ld_dense=dense.strides[0],
        ld=stored.strides[0] if stored else 0,
    )
    return of, stored or dense


def prune(dense: Any) -> Any:
    """A copy in which the smaller two of every four elements of a row are zero.

    Of e2m1 the smaller two of four pairs. The copy is where `dense` is; it is made on the host, for
    weights that are pruned once."""
    source = _on_host(dense)
    _describe(view("dense", source), None)
    copy = E2m1(_copy(source.array)) if isinstance(source, E2m1) else _copy(source)
    v = view("dense", copy)
    of, _ = _describe(v, None)
    call("gg_sparse_prune", byref(of), v.address)
    return _back(copy, dense)


def _copy(array: Any) -> Any:
    return array.contiguous().clone() if is_torch(array) else array.copy()


def _back(array: Any, like: Any) -> Any:
    """An array of the host where `like` is."""
    if isinstance(like, E2m1):
        return E2m1(_back(array.array if isinstance(array, E2m1) else array, like.array))
    if is_torch(like):
        return array.to(like.device)
    cupy = type(like).__module__.split(".")[0] == "cupy"
    return sys.modules["cupy"].asarray(array) if cupy else array


def compress(dense: Any) -> Sparse:
    """What a sparse tensor core reads of a matrix whose rows have two zeros of every four elements.

    Args:
        dense: (rows, K), with contiguous rows: a as it is, or of a product's b its transpose, as
            a layer's weights are. Compressed on the host, once.

    Raises:
        Error: PROBLEM_SPARSE, a group has more that is not zero. TypeError, ValueError: it is no
            such matrix.
    """
    source = _on_host(dense)
    v = view("dense", source)
    of, _ = _describe(v, None)
    stored_k, count = c_int64(), c_int64()
    call("gg_sparse_sizes", byref(stored_k), byref(count), byref(of))
    stored = _like(source, (v.shape[0], stored_k.value))
    plain = source.array if isinstance(source, E2m1) else source
    metadata = empty_bytes(plain, count.value)
    of, there = _describe(v, view("stored", stored))
    call(
        "gg_sparse_compress",
        byref(of),
        there.address,
        view("metadata", metadata).address,
        v.address,
    )
    where = dense.array if isinstance(dense, E2m1) else dense
    return Sparse(_back(stored, dense), _back(metadata, where), (v.shape[0], v.shape[1]))
