"""Errors of libgemmgen as exceptions."""

from __future__ import annotations

import ctypes
import threading
from typing import Any

from ._library import ErrorStruct, Str, lib, take


class Error(RuntimeError):
    """What libgemmgen refuses, or could not do; docs/errors.md has every name.

    Attributes:
        status: the number, a gg_status.
        name: of the error, such as "PROBLEM_ALIGN".
        stage: where it arose: "spec", "plan", "compile", "runtime", ...
        message: one line, with the arithmetic and the nearest legal value.
        file, line, column, path: where in a spec or an expression; "" and 0 where there is no
        place.
        log: a compiler's log, or "".
    """

    def __init__(
        self,
        message: str,
        status: int = 0,
        name: str = "",
        stage: str = "",
        file: str = "",
        line: int = 0,
        column: int = 0,
        path: str = "",
        log: str = "",
        shown: str = "",
    ) -> None:
        super().__init__(shown or message)
        self.status, self.name, self.stage, self.message = status, name, stage, message
        self.file, self.line, self.column, self.path, self.log = file, line, column, path, log


class _OfThread(threading.local):
    """A gg_error a thread, so that a call makes none."""

    def __init__(self) -> None:
        self.error = ErrorStruct()
        self.reference = ctypes.byref(self.error)


_of_thread = _OfThread()


def error_reference() -> Any:
    """This thread's gg_error, as a call's last argument; raise_error empties it."""
    return _of_thread.reference


def raise_error(source: str | None = None) -> None:
    """Raises what this thread's gg_error holds; `source` is the text that it has lines of."""
    error, text = _of_thread.error, Str()
    lib.gg_error_print(
        ctypes.byref(text), _of_thread.reference, source.encode() if source is not None else None
    )
    info = lib.gg_error_info_of(error.code)
    exception = Error(
        error.message.decode(errors="replace"),
        error.code,
        info.contents.name.decode(),
        lib.gg_stage_name(error.stage).decode(),
        error.file.decode(errors="replace"),
        error.line,
        error.column,
        error.path.decode(errors="replace"),
        (error.log or b"").decode(errors="replace"),
        take(text).rstrip("\n"),
    )
    lib.gg_error_clear(_of_thread.reference)
    raise exception


def call(name: str, *arguments: Any, source: str | None = None) -> None:
    """Calls a function that gives a gg_status; raises Error where that is not GG_OK."""
    if getattr(lib, name)(*arguments, _of_thread.reference):
        raise_error(source)
