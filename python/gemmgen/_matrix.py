"""Matrices and vectors of a product, found from extents and strides."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Iterable, Sequence

from ._arrays import View


@dataclass(frozen=True)
class Matrix:
    """The last two dimensions of an array: which of them is contiguous, and the distance between
    lines.

    `rows` says that rows are contiguous (row-major); `ld` and `steps`, the strides of the
    dimensions in front, count elements.
    """

    view: View
    height: int
    width: int
    rows: bool
    ld: int
    lead: tuple[int, ...]
    steps: tuple[int, ...]

    @property
    def line(self) -> int:
        """Elements of a contiguous line."""
        return self.width if self.rows else self.height

    @property
    def lines(self) -> int:
        return self.height if self.rows else self.width


def _lines_fit(contiguous: int, extent: int, across: int, lines: int) -> bool:
    """Whether lines of `extent` elements a step of `contiguous` apart lie `across` apart."""
    return (contiguous == 1 or extent <= 1) and (across >= extent or lines <= 1)


def matrix(name: str, view: View, rows: bool | None = None) -> Matrix:
    """A matrix, or a batch of them. `rows`: it has to be row-major (column-major); None: either,
    the former where both fit. ValueError for other strides than a matrix of the BLAS has."""
    if len(view.shape) < 2:
        raise ValueError(
            f"{name} has {len(view.shape)} dimensions, and a matrix has two or, in a batch, more"
        )
    (height, width), (down, right) = view.shape[-2:], view.strides[-2:]
    empty = 0 in view.shape
    as_rows = empty or _lines_fit(right, width, down, height)
    as_columns = empty or _lines_fit(down, height, right, width)
    if not (as_rows or as_columns):
        raise ValueError(
            f"{name}, {view.describe()}: a row or a column has to be contiguous, stride 1, "
            "and the other stride at least as long as that; a contiguous copy is"
        )
    if rows is None:
        rows = as_rows
    elif not (as_rows if rows else as_columns):
        raise ValueError(
            f"{name}, {view.describe()}, has to be {'row' if rows else 'column'}-major, as D is"
        )
    line, across = (width, down) if rows else (height, right)
    return Matrix(
        view,
        height,
        width,
        rows,
        line if empty else max(across, line),
        view.shape[:-2],
        view.strides[:-2],
    )


@dataclass(frozen=True)
class Vector:
    """The last dimension of an array, contiguous; or, of `length` 1, all of them in front of it."""

    view: View
    length: int
    lead: tuple[int, ...]
    steps: tuple[int, ...]


def vector(name: str, view: View, length: int) -> Vector:
    """`length` numbers, or a batch of as many. ValueError for others."""
    if not view.shape or view.shape[-1] != length:
        raise ValueError(f"{name} has shape {view.shape}, and its last extent has to be {length}")
    if view.strides[-1] != 1 and length > 1:
        raise ValueError(f"{name}, {view.describe()}, has to be contiguous")
    return Vector(view, length, view.shape[:-1], view.strides[:-1])


def number(view: View) -> Vector:
    """One number, of no dimensions or of one element; or one a product of a batch."""
    lead = () if view.shape == (1,) else view.shape
    return Vector(view, 1, lead, view.strides[: len(lead)])


def broadcast(leads: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
    """The extents in front that all of a batch have: numpy's rule. ValueError where they
    disagree."""
    leads = list(leads)
    rank = max(map(len, leads), default=0)
    out = [1] * rank
    for lead in leads:
        for i, extent in enumerate(lead, rank - len(lead)):
            if extent != 1 and out[i] not in (1, extent):
                raise ValueError(
                    f"batches of {out[i]} and {extent}: extents in front of the last two "
                    "have to be the same, or 1"
                )
            if extent != 1:
                out[i] = extent
    return tuple(out)


def batch_stride(name: str, part: Matrix | Vector, batch: tuple[int, ...]) -> int:
    """The one stride of a batch, 0 where all have the same. ValueError where there are several."""
    front = len(batch) - len(part.lead)
    steps = [
        0 if i < front or part.lead[i - front] == 1 else part.steps[i - front]
        for i in range(len(batch))
    ]
    stride = one_stride(batch, steps)
    if stride is None:
        raise ValueError(
            f"{name}, {part.view.describe()}: a batch of {batch} has no one stride from "
            "each to the next; a contiguous copy has"
        )
    return stride


def one_stride(extents: Sequence[int], steps: Sequence[int]) -> int | None:
    """The step from each to the next of dimensions that follow each other as one; None where they
    do not. 0 of one element."""
    several = [(extent, step) for extent, step in zip(extents, steps) if extent != 1]
    stride = span = several[-1][1] if several else 0
    for extent, step in reversed(several):
        if step != span:
            return None
        span *= extent
    return stride


def folded(part: Matrix) -> Matrix | None:
    """A batch of matrices as one of more rows; None where their rows do not follow each other."""
    height = math.prod(part.lead) * part.height
    steps = (*part.steps, part.view.strides[-2])
    stride = one_stride((*part.lead, part.height), steps) if part.rows and height > 1 else None
    if stride is None or stride < part.width:
        return None
    return Matrix(part.view, height, part.width, True, stride, (), ())
