"""The calculator of the layout algebra, as `gemmgen layout`."""

from __future__ import annotations

from ctypes import byref
from typing import Any

from ._error import Error, call
from ._library import LayoutOptions, Str, lib, take


class Layout:
    """The value of an expression of the layout algebra: a layout, a number, an atom, bank
    conflicts.

    ``str()`` is the value in CuTe's text form; a notebook shows the drawing where there is one.
    """

    def __init__(
        self,
        expression: str,
        cute: bool = False,
        bits: int = 0,
        tile: str | None = None,
        compact: bool = False,
    ) -> None:
        self.expression = expression
        self._options = LayoutOptions(
            cute=cute, bits=bits, compact=compact, tile=tile.encode() if tile else None
        )
        self._text = self._show(0).rstrip("\n")

    def _show(self, which: int) -> str:
        shown: list[Any] = [None, None, None]
        text = Str()
        shown[which] = byref(text)
        try:
            call(
                "gg_layout_show",
                *shown,
                self.expression.encode(),
                byref(self._options),
                source=self.expression,
            )
        except Error:
            lib.gg_str_free(byref(text))
            raise
        return take(text)

    @property
    def table(self) -> str:
        """A grid of text: offsets, threads and values, bank conflicts. Error where it has none."""
        return self._show(1)

    @property
    def svg(self) -> str:
        """A drawing. Error where it has none."""
        return self._show(2)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"gemmgen.layout({self.expression!r})  # {self._text}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Layout) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def _repr_svg_(self) -> str | None:
        try:
            return self.svg
        except Error:
            return None


def layout(
    expression: str,
    *,
    cute: bool = False,
    bits: int = 0,
    tile: str | None = None,
    compact: bool = False,
) -> Layout:
    """Works out an expression over the layout algebra, with CuTe's names and text forms.

    Args:
        expression: such as ``"composition((6,2):(8,2), (4,3):(3,1))"``, an atom's name, or CuTe's
            own spelling; `gemmgen layout --list` has the operations.
        cute: CuTe's notation: _8 is static, 8 dynamic.
        bits: of the drawing: colour by the banks that elements of so many bits fall in.
        tile: of drawing and table: the value is a thread-value layout over a tile of this shape.
        compact: of drawing and table: a large layout at a glance.

    Raises:
        Error: the expression is wrong; ``column`` says where.
    """
    if not isinstance(expression, str):
        raise TypeError(f"an expression is a str, not {type(expression).__name__}")
    return Layout(expression, cute, bits, tile, compact)
