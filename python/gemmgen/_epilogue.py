"""A caller's epilogue: as a text of the spec's language, and what its operations read and write.

The library alone reads the language (gg_form_extras); here words become a list, and options that
the arrays tell (their types) are put into it.
"""

from __future__ import annotations

import json
import re
from ctypes import byref, c_size_t
from functools import lru_cache
from typing import Any, Mapping, NamedTuple, Sequence, Union

from . import _library
from ._error import call
from ._types import BY_NUMBER

Epilogue = Union[None, str, Sequence[Union[str, Mapping[str, Any]]]]

_WORDS = re.compile(r"\s*[a-z][a-z0-9_]*([\s,]+[a-z][a-z0-9_]*)*\s*")


class Extra(NamedTuple):
    """What an operation reads or writes, under the keyword that gives it."""

    name: str
    kind: int
    along: int
    type: str
    written: bool
    gated: bool

    @property
    def there(self) -> bool:
        return self.along != _library.ALONG_NONE


class Operations(NamedTuple):
    """An epilogue's text (None: the usual one) and its operations, in order."""

    text: bytes | None
    extras: tuple[Extra, ...]

    @property
    def scaled(self) -> bool:
        """Whether it has alpha and beta."""
        return any(extra.kind == _library.OP_LINEAR for extra in self.extras)

    @property
    def gate(self) -> bool:
        """Whether D has half of the product's columns."""
        return any(extra.kind == _library.OP_GATED for extra in self.extras)


@lru_cache(maxsize=1024)
def _operations(types: tuple[int, int, int, int], has_c: bool, text: bytes | None) -> Operations:
    a, b, d, accumulator = types
    form = _library.Form(
        a=(a, _library.MAJOR_K),
        b=(b, _library.MAJOR_K),
        d=(d, _library.MAJOR_N),
        c=(d, _library.MAJOR_N),
        has_c=has_c,
        accumulator=accumulator,
        epilogue=text,
    )
    facts, count = (_library.ExtraFacts * _library.OPERATIONS_MAX)(), c_size_t()
    call("gg_form_extras", facts, byref(count), byref(form), source=text.decode() if text else None)
    return Operations(
        text,
        tuple(
            Extra(
                f.name.decode(),
                f.kind,
                f.along,
                BY_NUMBER[f.type].name if f.type in BY_NUMBER else "",
                f.written,
                f.gated,
            )
            for f in facts[: count.value]
        ),
    )


def items_of(epilogue: Epilogue) -> list[Any] | None:
    """The list that words or a sequence are; None: the usual epilogue, or a text of YAML."""
    if isinstance(epilogue, str):
        return re.split(r"[\s,]+", epilogue.strip()) if _WORDS.fullmatch(epilogue) else None
    if epilogue is None:
        return None
    if isinstance(epilogue, Sequence):
        return list(epilogue)
    raise TypeError(
        "an epilogue is words, a text of YAML or a list of operations, not "
        f"{type(epilogue).__name__}"
    )


def word(name: str) -> str:
    """What operations of a keyword are called: "bias" of "bias2"."""
    return name.rstrip("0123456789")


def _typed(item: Any, extra: Extra, given: str) -> Any:
    """An operation that says the type of its operand, unless it has said one or has none to say."""
    if not extra.there or given == extra.type or word(extra.name) in ("amax", "sum"):
        return item
    ((kind, options),) = item.items() if isinstance(item, Mapping) else ((item, None),)
    if isinstance(options, str):
        options = {"text": options}  # an expression
    return {kind: {"type": given, **(options or {})}}


def _text_of(items: list[Any]) -> bytes:
    return json.dumps(items).encode()  # which is YAML, too


def _with_factors(
    epilogue: Epilogue, types: tuple[int, int, int, int], has_c: bool, factors: bool
) -> tuple[list[Any] | None, Operations]:
    """The list that an epilogue is, None of YAML, and its operations: with a `linear` in front
    where alpha and beta need one."""
    items = items_of(epilogue)
    if items is not None and factors and not any("linear" in item for item in items):
        items = ["linear", *items]
    text = _text_of(items) if items is not None else None
    if isinstance(epilogue, str) and items is None:
        text = epilogue.encode()
    found = _operations(types, has_c, text)
    if found.scaled or not factors:
        return items, found
    if text is None:  # the usual epilogue, of a type whose has no factors
        return ["linear"], _operations(types, has_c, _text_of(["linear"]))
    raise ValueError(
        "alpha and beta belong to the operation linear, which the epilogue lacks: put it in "
        f"front: {epilogue!r}"
    )


def read(
    epilogue: Epilogue,
    types: tuple[int, int, int, int],
    has_c: bool,
    factors: bool,
    given: Mapping[str, str],
) -> Operations:
    """Reads an epilogue of a product.

    Args:
        types: gg_dtypes of A, B, D and the accumulator.
        factors: whether alpha is not 1 or beta not 0, so that it has to have a `linear`.
        given: the types of the arrays that there are for its operations, by keyword.

    Raises:
        Error: its text is wrong. TypeError, ValueError: an array is missing, too many, or of
            another type than its operation.
    """
    items, found = _with_factors(epilogue, types, has_c, factors)
    _check_names(found, given)
    if items is not None:
        typed = [
            _typed(item, extra, given.get(extra.name, ""))
            for item, extra in zip(items, found.extras)
        ]
        found = found if typed == items else _operations(types, has_c, _text_of(typed))
    for extra in found.extras:
        if extra.there and given[extra.name] != extra.type:
            has = given[extra.name]
            raise TypeError(
                f"{extra.name} is of {has}, and the epilogue's is of {extra.type}: an operation "
                f"says its type, as in {{bias: {{type: {has}}}}}; an amax's and a sum's is fixed"
            )
    return found


def _check_names(found: Operations, given: Mapping[str, str]) -> None:
    wanted = [extra.name for extra in found.extras if extra.there]
    missing = [name for name in wanted if name not in given]
    if missing:
        raise TypeError(f"the epilogue's {missing[0]} is missing: give it as {missing[0]}=...")
    strays = [name for name in given if name not in wanted]
    if strays:
        has = ", ".join(wanted) if wanted else "no arrays"
        raise TypeError(f"{strays[0]}= belongs to no operation of the epilogue, which takes {has}")
