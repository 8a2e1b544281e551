"""A product as the library takes it: arrays become a gg_form and a gg_problem."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace
from typing import Any, Mapping

from . import _epilogue, _library
from ._arrays import HOST, E2m1, View, is_torch, view
from ._context import EMULATOR, Device, device
from ._matrix import Matrix, Vector, batch_stride, broadcast, folded, matrix, number, vector
from ._scales import Scales
from ._sparse import Sparse, sparse_matrix
from ._types import RESULTS, TF32, TYPES, Type, type_of


@dataclass(frozen=True)
class Asked:
    """What a caller says of a product besides its arrays; matmul() has what each means."""

    alpha: float = 1.0
    beta: float = 0.0
    epilogue: _epilogue.Epilogue = None
    dtype: Any = None
    accumulator: str | None = None
    tf32: bool = False
    fast_accumulation: bool = False
    scale_a: Scales | None = None  # factors of blocks
    scale_b: Scales | None = None


@dataclass(frozen=True)
class Written:
    """An array that the kernel writes."""

    view: View
    part: Matrix | Vector
    stride: int  # of the batch


class Product:
    """A checked product: `form` and `problem` with everything but a workspace, `device`, `out`.

    `views` keep the arrays; `written` are those that the kernel writes.
    """

    def __init__(
        self,
        a: Any,
        b: Any,
        out: Any,
        c: Any,
        asked: Asked,
        operands: Mapping[str, Any],
        stream: int | None,
        where: int | str | None,
    ) -> None:
        self.asked = asked
        self.views: dict[str, View] = {}
        self._a, self._b = self._matrix("a", a, stream), self._matrix("b", b, stream)
        if self._a.width != self._b.height:
            raise ValueError(
                f"a of shape {self._a.view.shape} has {self._a.width} columns, b of shape "
                f"{self._b.view.shape} has {self._b.height} rows; they have to be the same"
            )
        extras = {
            name: view(name, array, stream) for name, array in operands.items() if array is not None
        }
        dtype = asked.dtype if out is None or asked.dtype is not None else view("out", out).type
        result = result_type(self._a.view.type, dtype)
        self._c = self._matrix("c", c, stream) if c is not None and asked.beta else None
        if asked.beta and c is None:
            raise TypeError(f"beta is {asked.beta}, and there is no c")
        self.operations = self._read(result, extras)
        lead = broadcast([self._a.lead, self._b.lead] + ([self._c.lead] if self._c else []))
        self.out = allocate(a, self.shape(lead), result) if out is None else out
        self._d = self._matrix("out", self.out, stream)
        self._check_out(lead, result)
        self.views.update(extras)
        self._parts = {
            extra.name: self._part(extra, extras[extra.name])
            for extra in self.operations.extras
            if extra.there
        }
        self._fold()
        self._fill()
        self._fill_scales()
        self._fill_metadata(a, b)
        self.device = self._device(where)

    def _matrix(self, name: str, array: Any, stream: int | None) -> Matrix:
        if isinstance(array, Sparse):
            found = sparse_matrix(name, array)
            self.views[name] = found.view
            return found
        self.views[name] = view(name, array, stream)
        return matrix(name, self.views[name])

    def shape(self, lead: tuple[int, ...]) -> tuple[int, ...]:
        """D's."""
        columns = self._b.width
        if self.operations.gate and columns % 2:
            raise ValueError(f"b has {columns} columns, and behind a gate they have to be even")
        return (*lead, self._a.height, columns // 2 if self.operations.gate else columns)

    def _check_out(self, lead: tuple[int, ...], result: Type) -> None:
        has, wanted = self._d.view, self.shape(lead)
        if has.shape != wanted:
            raise ValueError(f"out has shape {has.shape}; the product has {wanted}")
        if has.type != result:
            raise TypeError(f"out is of {has.type.name}, and dtype says {result.name}")

    # ---- The form ----

    def _read(self, result: Type, extras: Mapping[str, View]) -> _epilogue.Operations:
        asked = self.asked
        factors = asked.alpha != 1 or asked.beta != 0
        types = form_types(self._a.view.type, self._b.view.type, result, asked)
        found = _epilogue.read(
            asked.epilogue,
            types,
            self._c is not None,
            factors,
            {name: v.type.name for name, v in extras.items()},
        )
        self.form = _library.Form(
            accumulator=types[3], epilogue=found.text, has_c=self._c is not None
        )
        self.form.a.type, self.form.b.type, self.form.d.type = types[:3]
        if asked.fast_accumulation:
            self.form.promote = _library.PROMOTE_NEVER
        return found

    # ---- The problem ----

    def _fold(self) -> None:
        """A batch that shares B is one product of more rows, where those of all other matrices
        follow each other: its tiles are fuller."""
        along_rows = any(
            extra.along == _library.ALONG_M or extra.name.startswith("sum")
            for extra in self.operations.extras
        )
        shared: list[Matrix | Vector] = [self._b]
        shared += (part for part in self._parts.values() if isinstance(part, Vector))
        if along_rows or not self._d.lead or any(math.prod(part.lead) != 1 for part in shared):
            return
        tall = {"a": self._a, "out": self._d, **({"c": self._c} if self._c else {})}
        tall.update((name, part) for name, part in self._parts.items() if isinstance(part, Matrix))
        height = math.prod(self._d.lead) * self._d.height
        rows: dict[str, Matrix] = {}
        for name, part in tall.items():
            one = folded(part)
            if one is None or one.height != height:
                return
            rows[name] = one
        self._a, self._d, self._c = rows.pop("a"), rows.pop("out"), rows.pop("c", None)
        self._b = replace(self._b, lead=(), steps=())
        self._parts.update(rows)

    def _fill(self) -> None:
        """Extents, addresses, strides. B is N x K to the library: its line runs along K or N."""
        form, a, b, d, c = self.form, self._a, self._b, self._d, self._c
        self.problem = problem = _library.Problem(
            m=a.height,
            n=b.width,
            k=a.width,
            batch=math.prod(d.lead),
            a=a.view.address,
            b=b.view.address,
            d=d.view.address,
            lda=a.ld,
            ldb=b.ld,
            ldd=d.ld,
            alpha=self.asked.alpha,
            beta=self.asked.beta,
            wide_alpha=self.asked.alpha,
            wide_beta=self.asked.beta,
            wide_factors=True,
        )
        form.a.major = _library.MAJOR_K if a.rows else _library.MAJOR_M
        form.b.major = _library.MAJOR_N if b.rows else _library.MAJOR_K
        form.d.major = _library.MAJOR_N if d.rows else _library.MAJOR_M
        form.c = form.d
        problem.batch_stride_a = batch_stride("a", a, d.lead)
        problem.batch_stride_b = batch_stride("b", b, d.lead)
        problem.batch_stride_d = batch_stride("out", d, d.lead)
        self.written = [Written(d.view, d, problem.batch_stride_d)]
        if c is not None:
            self._fill_c(c)
        for index, extra in enumerate(self.operations.extras):
            if extra.there:
                self._fill_extra(index, extra)

    def _fill_scales(self) -> None:
        """Factors of blocks; both matrices have them, or neither."""
        a, b = self.asked.scale_a, self.asked.scale_b
        if a is None and b is None:
            return
        if a is None or b is None:
            lacks = "scale_a" if a is None else "scale_b"
            raise TypeError(
                f"a product with factors of blocks has them of both: {lacks} is missing"
            )
        for name, of, rows in (("scale_a", a, self._a.height), ("scale_b", b, self._b.width)):
            if (of.rows, of.k) != (rows, self._a.width) or math.prod(self._d.lead) != 1:
                raise ValueError(
                    f"{name} has the factors of {of.rows} x {of.k} elements, and the matrix is "
                    f"{rows} x {self._a.width}, without a batch"
                )
            self.views[name] = view(name, of.factors)
            setattr(self.problem, name, self.views[name].address)
            setattr(self.form, name, _library.Scaling(of.number, of.block))

    def _fill_metadata(self, a: Any, b: Any) -> None:
        for which, array in (("sparse_a", a), ("sparse_b", b)):
            if isinstance(array, Sparse):
                self.views["metadata"] = view("metadata", array.metadata)
                self.problem.metadata = self.views["metadata"].address
                setattr(self.form, which, True)

    def _fill_c(self, c: Matrix) -> None:
        d = self._d
        if (c.height, c.width) != (d.height, d.width):
            raise ValueError(f"c has shape {c.view.shape}, and the product {d.view.shape}")
        self.form.c.type = c.view.type.number
        self.form.c.major = _library.MAJOR_N if c.rows else _library.MAJOR_M
        self.problem.c, self.problem.ldc = c.view.address, c.ld
        self.problem.batch_stride_c = batch_stride("c", c, d.lead)

    def _fill_extra(self, index: int, extra: _epilogue.Extra) -> None:
        part = self._parts[extra.name]
        slot = self.problem.extras[index]
        slot.address = part.view.address
        slot.ld = part.ld if isinstance(part, Matrix) else 0
        slot.batch_stride = batch_stride(extra.name, part, self._d.lead)
        if extra.written:
            self.written.append(Written(part.view, part, slot.batch_stride))

    def _part(self, extra: _epilogue.Extra, given: View) -> Matrix | Vector:
        """What an operation reads or writes, of no larger batch than D's."""
        part = self._part_of(extra, given)
        if broadcast([self._d.lead, part.lead]) != self._d.lead:
            raise ValueError(
                f"{extra.name} of shape {given.shape} is of a larger batch than D of shape "
                f"{self._d.view.shape}"
            )
        return part

    def _part_of(self, extra: _epilogue.Extra, given: View) -> Matrix | Vector:
        d = self._d
        columns = self._b.width if extra.gated else d.width
        if extra.along == _library.ALONG_ELEMENTS:
            found = matrix(extra.name, given, d.rows)
            if (found.height, found.width) != (d.height, columns):
                raise ValueError(
                    f"{extra.name} has shape {given.shape}, and is a matrix of "
                    f"{d.height} x {columns}, as D"
                )
            return found
        if extra.along == _library.ALONG_ALL:
            if given.shape not in ((), (1,), d.lead):
                raise ValueError(
                    f"{extra.name} has shape {given.shape}, and is one number (along: all), of "
                    "shape () or (1,), or as many as the batch has products"
                )
            return number(given)
        return vector(extra.name, given, d.height if extra.along == _library.ALONG_M else columns)

    # ---- Where ----

    def _device(self, where: int | str | None) -> Device:
        for written in self.written:
            if written.view.readonly:
                raise ValueError(
                    f"an array that is written is read-only: {written.view.describe()}"
                )
        places = {name: v.place for name, v in self.views.items()}
        self.on_host = HOST in places.values()
        if len(set(places.values())) > 1:
            told = ", ".join(f"{name}: {place}" for name, place in places.items())
            raise ValueError(f"arrays are in several places ({told}); a product's are in one")
        place = next(iter(places.values()))
        if where is not None and self.on_host and where != EMULATOR:
            raise ValueError(f"arrays in host memory are for the emulator, and device is {where!r}")
        if where is not None and where not in (EMULATOR, place):
            raise ValueError(f"arrays are on device {place}, and device is {where!r}")
        return device(EMULATOR if self.on_host or where == EMULATOR else place)

    def workspace_bytes(self) -> int:
        """Enough for every kernel of the catalogue and, of sums over D, for their parts."""
        sums = sum(extra.name.startswith("sum") for extra in self.operations.extras)
        p = self.problem
        parts = sums * p.m * p.n * max(p.batch, 1) // 4
        return (
            _library.GEMM_WORKSPACE
            if not sums
            else 1 << (_library.GEMM_WORKSPACE + parts).bit_length()
        )


def form_types(a: Type, b: Type, d: Type, asked: Asked) -> tuple[int, int, int, int]:
    """gg_dtypes of A, B, D and the accumulator, f64 for f64 and s32 for integers where nobody
    says."""
    if asked.tf32 and "f32" not in (a.name, b.name):
        raise TypeError(f"tf32 is how f32 is multiplied, and a is of {a.name}")
    usual = "f64" if a.name == "f64" else "s32" if a.name in ("s8", "u8") else "f32"
    accumulator = type_of(asked.accumulator or usual).number
    operands = [TF32 if asked.tf32 and t.name == "f32" else t.number for t in (a, b)]
    return operands[0], operands[1], d.number, accumulator


def result_type(a: Type, dtype: Any) -> Type:
    """The type of a new D: what dtype says, or else what A's type usually gives."""
    return type_of(dtype) if dtype is not None else TYPES[RESULTS[a.name]]


def plain(array: Any) -> Any:
    """The array in what says of one that it is sparse, or of e2m1."""
    while isinstance(array, (Sparse, E2m1)):
        array = array.stored if isinstance(array, Sparse) else array.array
    return array


def allocate(like: Any, shape: tuple[int, ...], result: Type) -> Any:
    """A row-major array of the kind that `like` is: torch's, cupy's, numpy's."""
    like = plain(like)
    if is_torch(like):
        torch = sys.modules["torch"]
        return torch.empty(shape, dtype=getattr(torch, result.torch), device=like.device)
    module = type(like).__module__.split(".")[0]
    if module not in ("numpy", "cupy"):
        raise TypeError(
            f"gemmgen allocates D for arrays of torch, numpy and cupy, not of {module}: give "
            f"out, of {result.name} and shape {shape}"
        )
    dtype: Any = result.numpy
    if not result.typestr:
        import ml_dtypes

        dtype = getattr(ml_dtypes, result.numpy)
    return sys.modules[module].empty(shape, dtype=dtype)
