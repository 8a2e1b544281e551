"""From YAML specs to kernels and explanations."""

from __future__ import annotations

import ctypes
import json
import os
import weakref
from ctypes import POINTER, byref, c_void_p
from typing import Any, Mapping, Union

from ._error import Error, call
from ._library import KernelStruct, Str, lib, take

Spec = Union[str, "os.PathLike[str]", Mapping[str, Any]]


def _is_text(spec: str) -> bool:
    """Whether a str is a spec, not a path: it has a key and a value."""
    return "\n" in spec or ": " in spec or spec.lstrip().startswith("{")


class _File:
    """A gg_spec_file, freed with the last that refers to it."""

    def __init__(self, spec: Spec) -> None:
        handle = c_void_p()
        if isinstance(spec, Mapping):
            spec = json.dumps(spec, indent=1)  # which is YAML, too
        if isinstance(spec, str) and _is_text(spec):
            text = spec.encode()
            call("gg_spec_file_parse", byref(handle), text, len(text), b"<spec>", source=spec)
        elif isinstance(spec, (str, os.PathLike)):
            call("gg_spec_file_load", byref(handle), os.fsencode(spec), source=_read(spec))
        else:
            raise TypeError(
                f"a spec is a path, a text of YAML or a mapping, not {type(spec).__name__}"
            )
        self.handle = handle
        weakref.finalize(self, lib.gg_spec_file_free, handle).atexit = False

    @property
    def source(self) -> str:
        return (lib.gg_spec_file_source(self.handle) or b"").decode(errors="replace")

    def specs(self) -> list[int]:
        count = lib.gg_spec_file_count(self.handle)
        return [lib.gg_spec_file_get(self.handle, i) for i in range(count)]


def _read(path: Union[str, "os.PathLike[str]"]) -> str | None:
    """The text that errors show a line of; None where the file cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return None


class Kernel:
    """A kernel as it was generated: text and facts.

    Attributes:
        text: CUDA C++, for nvcc and NVRTC alike, with no include path.
        entry: the extern "C" name.
        family: the skeleton, such as "sm90".
        arch: the least architecture it needs, such as "sm_90a".
        note: what to know of the choice, or "".
    """

    def __init__(self, file: _File, spec: int) -> None:
        kernel = POINTER(KernelStruct)()
        call("gg_kernel_generate", byref(kernel), spec, source=file.source)
        try:
            facts = kernel.contents
            self.text: str = ctypes.string_at(facts.source, facts.source_length).decode()
            self.entry: str = facts.name.decode()
            self.family: str = facts.family.decode()
            self.arch: str = facts.arch.decode()
            self.note: str = (facts.note or b"").decode()
        finally:
            lib.gg_kernel_free(kernel)
        self._file, self._spec = file, spec

    def explain(self) -> str:
        """The plan, every layout, the memory map, bank conflicts and the cost, as text."""
        return _explain(self._file, self._spec, False)

    def facts(self) -> dict[str, Any]:
        """What explain() says, as a dict of sections."""
        facts: dict[str, Any] = json.loads(_explain(self._file, self._spec, True))
        return facts

    def __repr__(self) -> str:
        return f"<gemmgen.Kernel {self.entry} of {self.family}, {self.arch}>"


def _explain(file: _File, spec: int, as_json: bool) -> str:
    text = Str()
    try:
        call("gg_spec_explain", byref(text), spec, as_json, source=file.source)
    except Error:
        lib.gg_str_free(byref(text))
        raise
    return take(text)


def generate(spec: Spec) -> list[Kernel]:
    """Generates the kernels of a spec: one, or one for each combination of its ``sweep:``.

    Args:
        spec: a path (str or PathLike), a text of YAML (a str with a line's end or a ``key:
            value``), or a mapping with the same keys.

    Returns:
        The kernels; ``kernel, = gemmgen.generate(...)`` takes the one of a spec without a sweep.

    Raises:
        Error: the spec is wrong, or asks for what there is not; file, line and column say where.
    """
    file = _File(spec)
    return [Kernel(file, one) for one in file.specs()]


def explain(spec: Spec) -> str:
    """What was decided and derived for a spec, and what it costs, as `gemmgen explain` prints it;
    of a sweep one after another. Arguments and errors are generate()'s."""
    file = _File(spec)
    return "\n".join(_explain(file, one, False) for one in file.specs())
