"""The rendered C of the layer: the two functions of every operator, and tables of names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from aclspec.codegen.render.environment import template
from aclspec.codegen.source.folders import COMMON, find_specs
from aclspec.codegen.spec.tables import ProductSpec, read_products
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.abi.parameters import PARAM_TYPES, ParamType
from aclspec.runtime.abi.status import Status
from aclspec.runtime.language.library import IMPLEMENTATIONS
from aclspec.runtime.replay import lines
from aclspec.runtime.rules.operator_info import OperatorInfo, ParamInfo

CHUNK = 160
"""Operators of one C file: the compiler takes several at a time."""

_HANDLES = {
    "tensor": "LAYER_TENSOR",
    "scalar": "LAYER_SCALAR",
    "int_array": "LAYER_INTS",
    "float_array": "LAYER_FLOATS",
    "bool_array": "LAYER_BOOLS",
    "tensor_list": "LAYER_TENSORS",
    "scalar_list": "LAYER_SCALARS",
    "string": "LAYER_P_TEXT",
}
_VALUES = {
    "bool": "LAYER_P_BOOL",
    "float": "LAYER_P_REAL",
    "double": "LAYER_P_REAL",
    "dtype": "LAYER_P_DTYPE",
    "uint64": "LAYER_P_NATURAL",
}
_FIELDS = {"LAYER_P_BOOL": "boolean", "LAYER_P_REAL": "real"}


@dataclass(frozen=True, slots=True)
class Passed:
    """A parameter: its C type up to the name, its kind, the field of a layer_value for it, and the cast to that."""

    name: str
    c: str
    kind: str
    field: str
    cast: str


@dataclass(frozen=True, slots=True)
class Entry:
    """An operator by its place in the table of the checks, which is sorted by name."""

    name: str
    index: int
    params: tuple[Passed, ...]


def render_sources(infos: Iterable[OperatorInfo]) -> dict[str, str]:
    """The texts of the rendered files by their names."""
    ordered = sorted(infos, key=lambda info: info.name)
    entries = [Entry(info.name, index, tuple(map(_passed, info.params))) for index, info in enumerate(ordered)]
    products = read_products(find_specs() / COMMON)
    header = template("layer/layer_tables.h.j2").render(
        operators=entries,
        most_params=max((len(entry.params) for entry in entries), default=1),
        limits=lines,
        default_product=next(at for at, product in enumerate(products) if product.default),
    )
    tables = template("layer/layer_tables.c.j2").render(
        operators=entries,
        dtypes=[(int(dtype), dtype.name) for dtype in DType if dtype.is_stored],
        formats=[(int(form), form.name) for form in Format],
        npy=[(int(dtype), name) for dtype in DType if dtype.is_stored and (name := _npy(dtype))],
        public_formats=[
            (int(form), form.name) for form in Format if not form.is_private and form is not Format.UNDEFINED
        ],
        statuses=[(int(status), status.name) for status in Status],
        socs=_socs(products),
    )
    chunks = {
        f"operators_{start // CHUNK}.c": template("layer/operators.c.j2").render(
            operators=entries[start : start + CHUNK]
        )
        for start in range(0, len(entries), CHUNK)
    }
    return {"layer_tables.h": header, "layer_tables.c": tables} | chunks


def _npy(dtype: DType) -> str | None:
    """What a .npy file calls a dtype; one that NumPy lacks is an integer as wide, None where that is no whole bytes."""
    kind = dtype.numpy
    if kind is not None and kind.isbuiltin == 1:
        return kind.str
    whole = dtype.is_floating and IMPLEMENTATIONS["bits"](dtype.name) % 8 == 0
    return np.dtype(f"u{dtype.itemsize}").str if whole else None


def _socs(products: Sequence[ProductSpec]) -> list[tuple[int, str]]:
    """The index of the product of each SoC name; the names that are whole come before the prefixes."""
    found = [(at, name) for at, product in enumerate(products) for name in product.socs]
    return sorted(found, key=lambda pair: pair[1].endswith("*"))


def _passed(param: ParamInfo) -> Passed:
    kind = PARAM_TYPES[param.type]
    if kind.pointer:
        return Passed(param.name, "const void *", _HANDLES[kind.key], "pointer", "")
    name = _VALUES.get(kind.key, "LAYER_P_INTEGER")
    return Passed(param.name, f"{_c_type(kind)} ", name, _FIELDS.get(name, "integer"), _cast(kind))


def _c_type(kind: ParamType) -> str:
    """As it is passed: an enum of C is an int, and a float has the register of a double."""
    return {"dtype": "int32_t", "float": "double"}.get(kind.key, kind.c)


def _cast(kind: ParamType) -> str:
    return {"uint64": "(int64_t)", "float": "layer_float"}.get(kind.key, "")


def write_sources(infos: Iterable[OperatorInfo], folder: Path) -> list[str]:
    """Write the rendered files into a folder; the result is the names of those to compile."""
    texts = render_sources(infos)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [name for name in texts if name.endswith(".c")]
