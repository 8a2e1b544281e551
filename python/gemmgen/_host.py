"""Arrays of host memory in the emulator's: copied there before a launch, and what it wrote back."""

from __future__ import annotations

from typing import Iterator

from ._arrays import View
from ._context import Device
from ._matrix import Matrix
from ._product import Product, Written

_ALIGN = 256  # of what the emulator allocates


def _span(v: View) -> tuple[int, int]:
    """The bytes from an array's first element to its last."""
    if 0 in v.shape:
        return v.address, 0
    if any(step < 0 for step in v.strides):
        raise ValueError(f"an array has a negative stride: {v.describe()}")
    last = sum((extent - 1) * step for extent, step in zip(v.shape, v.strides))
    return v.address, (last + 1) * v.type.bits // 8


def _runs(written: Written, batch: int) -> Iterator[tuple[int, int]]:
    """The contiguous runs of bytes that are elements of what a kernel writes: offset and length."""
    part, size = written.part, written.view.type.bytes
    length, lines, ld = (
        (part.line, part.lines, part.ld)
        if isinstance(part, Matrix)
        else (part.length, 1, part.length)
    )
    if length == ld or lines == 1:
        length, lines, ld = length * lines, 1, length * lines
    for i in range(batch if written.stride else 1):
        for j in range(lines):
            yield (i * written.stride + j * ld) * size, length * size


class Mirror:
    """Device memory beside the host's. Arrays that overlap, such as a C that is D, do so there,
    too; and addresses are aligned alike."""

    def __init__(self, product: Product) -> None:
        self._device: Device = product.device
        self._written, self._batch = product.written, product.problem.batch
        spans: list[list[int]] = []
        for address, count in sorted(_span(v) for v in product.views.values()):
            if spans and address < spans[-1][0] + spans[-1][1]:
                spans[-1][1] = max(spans[-1][1], address + count - spans[-1][0])
            else:
                spans.append([address, count])
        self._spans = [
            (address, count, self._device.alloc(count + address % _ALIGN))
            for address, count in spans
        ]
        for _, _, memory in self._spans:
            self._device.free_with(self, memory)
        p = product.problem
        for name in ("a", "b", "c", "d", "scale_a", "scale_b", "metadata"):
            setattr(p, name, self._there(getattr(p, name)))
        for extra in p.extras:
            extra.address = self._there(extra.address)

    def _there(self, address: int) -> int:
        for host, count, memory in self._spans:
            if address and host <= address < host + max(count, 1):
                return memory + host % _ALIGN + address - host
        return 0

    def write(self) -> None:
        """Brings everything to the device."""
        for host, count, memory in self._spans:
            self._device.write(memory + host % _ALIGN, host, count)

    def read(self) -> None:
        """Brings what was written back: its elements, and no byte between them."""
        for written in self._written:
            for offset, count in _runs(written, self._batch):
                host = written.view.address + offset
                self._device.read(host, self._there(host), count)
