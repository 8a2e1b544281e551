"""Devices: a gg_context each, opened when it is first used and kept to the end of the process."""

from __future__ import annotations

import atexit
import ctypes
import os
import sys
import threading
import warnings
import weakref
from ctypes import byref, c_uint64, c_void_p
from pathlib import Path
from typing import Any, Union

from . import _library
from ._error import call
from ._library import lib

EMULATOR = "emu"


def _nvrtc_of_packages() -> str | None:
    """NVRTC as pip packages of NVIDIA's have it, which torch installs; None where there is none."""
    found = [
        path
        for folder in sys.path
        for path in Path(folder or ".").glob("nvidia/*/lib/libnvrtc.so.*")
        if path.name.removeprefix("libnvrtc.so.").replace(".", "").isdigit()
    ]
    return str(max(found, key=lambda path: path.name)) if found else None


def _tell(_user: Any, message: bytes) -> None:
    warnings.warn("gemmgen: " + message.decode(errors="replace"), RuntimeWarning, stacklevel=2)


_warn = _library.WARN(_tell)  # which the library calls, from any thread


class Device:
    """A CUDA device, or the emulator: what kernels are chosen and compiled for.

    Made by device(); one object a device and process. Any number of threads may use it.

    Attributes:
        name: the driver's name of it.
        arch: its compute capability, 90 of an H100.
        multiprocessors: how many it has.
        emulated: whether it is the emulator.
    """

    def __init__(self, where: Union[int, str]) -> None:
        self.where = where
        self.lock = threading.RLock()  # of the workspaces, and of what the emulator does
        self._workspaces: dict[int, tuple[int, int]] = {}
        self._packer = c_void_p()
        self.context = self._open(None)
        compiler = lib.gg_compiler_facts_of(lib.gg_context_compiler(self.context)).contents
        nvrtc = None if compiler.nvrtc else _nvrtc_of_packages()
        if nvrtc:
            lib.gg_context_close(self.context)
            self.context = self._open(nvrtc)
        self.gemm = c_void_p()
        call("gg_gemm_open", byref(self.gemm), self.context, None)
        facts = lib.gg_context_device(self.context).contents
        self.name: str = facts.name.decode()
        self.arch: int = facts.arch
        self.multiprocessors: int = facts.sm_count
        self.emulated: bool = facts.emulated

    def _open(self, nvrtc: str | None) -> c_void_p:
        compiler = _library.CompilerOptions(nvrtc=nvrtc.encode() if nvrtc else None, warn=_warn)
        options = _library.ContextOptions(compiler=ctypes.pointer(compiler))
        if self.where == EMULATOR:
            options.provider = _library.PROVIDER_EMU
        else:
            options.provider, options.device = _library.PROVIDER_CUDA, self.where
        context = c_void_p()
        call("gg_context_open", byref(context), byref(options))
        return context

    def __repr__(self) -> str:
        return f"<gemmgen.Device {self.where!r}: {self.name}, sm_{self.arch}>"

    def alloc(self, count: int) -> int:
        """`count` bytes of device memory (a byte where that is 0); free() them. Errors: DRIVER."""
        address = c_uint64()
        call("gg_memory_alloc", byref(address), self.context, max(count, 1))
        return address.value

    def free(self, address: int) -> None:
        """Frees what alloc() gave; nothing when the device has gone, at the process's end."""
        if self.context:
            lib.gg_memory_free(self.context, address)

    def free_with(self, owner: Any, address: int) -> None:
        """Frees what alloc() gave when `owner` goes; what is left at the process's end goes with
        that."""
        weakref.finalize(owner, self.free, address).atexit = False

    def write(self, address: int, host: int, count: int) -> None:
        """Copies `count` bytes from host memory at `host`, and waits."""
        if count:
            call("gg_memory_write", self.context, address, host, count)

    def read(self, host: int, address: int, count: int) -> None:
        """Copies `count` bytes to host memory at `host`, and waits."""
        if count:
            call("gg_memory_read", self.context, host, address, count)

    @property
    def packer(self) -> c_void_p:
        """What packs scale factors on the device; compiled at its first use."""
        with self.lock:
            if not self._packer:
                call("gg_packer_open", byref(self._packer), self.context)
        return self._packer

    def synchronize(self, stream: int = 0) -> None:
        """Waits for all that was put on a stream."""
        call("gg_synchronize", self.context, stream)

    def workspace_alloc(self, count: int) -> int:
        """A workspace of at least `count` bytes with its counters zero; free() it."""
        address = c_uint64()
        call(
            "gg_workspace_alloc",
            byref(address),
            self.context,
            max(count, _library.WORKSPACE_COUNTERS),
        )
        return address.value

    def workspace(self, stream: int, count: int) -> tuple[int, int]:
        """The workspace of a stream, of at least `count` bytes: its address and how many it has.
        The first call for a stream allocates; one for more than there is waits for the stream."""
        with self.lock:
            address, has = self._workspaces.get(stream, (0, 0))
            if has < count:
                if address:
                    self.synchronize(stream)
                    self.free(address)
                    del self._workspaces[stream]
                address, has = self.workspace_alloc(count), count
                self._workspaces[stream] = address, has
            return address, has

    def _close(self) -> None:
        for address, _ in self._workspaces.values():
            self.free(address)
        lib.gg_packer_close(self._packer)
        lib.gg_gemm_close(self.gemm)
        lib.gg_context_close(self.context)
        self.context = self.gemm = c_void_p()


_devices: dict[Union[int, str], Device] = {}
_lock = threading.Lock()


def device(where: Union[int, str] = 0) -> Device:
    """The CUDA device of that ordinal, or the emulator, "emu"; opened at its first use.

    Raises:
        Error: NO_DRIVER and NO_DEVICE where there is no such GPU; others where something is wrong
            with it. The emulator is of the architecture that GEMMGEN_EMU_ARCH names, an H100 else.
    """
    found = _devices.get(where)
    if found is not None:
        return found
    if where != EMULATOR and (not isinstance(where, int) or isinstance(where, bool) or where < 0):
        raise ValueError(f"a device is a CUDA ordinal or {EMULATOR!r}, not {where!r}")
    with _lock:
        if where not in _devices:
            _devices[where] = Device(where)
        return _devices[where]


def _forget() -> None:
    """In the child of a fork, whose parent's contexts are not its own: they are opened anew."""
    global _lock
    _lock = threading.Lock()
    _devices.clear()


def _close_emulator() -> None:
    """At exit the emulator's device goes, and writes what it was asked to count, unless a thread
    still computes in it. A GPU's contexts go with the process, whose threads may be in them."""
    emulator = _devices.get(EMULATOR)
    if emulator is not None and emulator.lock.acquire(timeout=1):
        del _devices[EMULATOR]
        emulator._close()


os.register_at_fork(after_in_child=_forget)
atexit.register(_close_emulator)
