"""The C functions of the operators in the simulator: tables of their parameters, and both phases."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from aclspec.codegen.render.environment import template
from aclspec.codegen.render.manual.prototype import c_prototype
from aclspec.runtime.info import OperatorInfo, ParamInfo
from aclspec.runtime.paramtypes import PARAM_TYPES

_DIRECTIONS = {"in": "SIM_IN", "out": "SIM_OUT", "inout": "SIM_INOUT"}
_KINDS = {"uint64": "UINT64", "bool": "BOOL", "float": "FLOAT", "double": "FLOAT"}
_FIELDS = {"uint64": "natural", "float": "number", "double": "number"}


@dataclass(frozen=True, slots=True)
class Passed:
    """A parameter: its sim_type, its sim_direction and the field of sim_value that holds it."""

    name: str
    kind: str
    direction: str
    field: str


@dataclass(frozen=True, slots=True)
class Entry:
    """The two functions of an operator and the name of its table."""

    name: str
    table: str
    params: tuple[Passed, ...]
    first: str
    second: str


def render_entries(infos: Iterable[OperatorInfo]) -> str:
    """The C source of all operators' functions."""
    entries = [_entry(info) for info in sorted(infos, key=lambda info: info.name)]
    mark = "Rendered by `aclspec simulator build` from the specs of the operators."
    return template("simulator/operators.c.j2").render(mark=mark, operators=entries)


def _entry(info: OperatorInfo) -> Entry:
    first, second = (text.removesuffix(";") for text in c_prototype(info).split("\n\n"))
    return Entry(info.name, info.snake.upper().rstrip("_"), tuple(map(_passed, info.params)), first, second)


def _passed(param: ParamInfo) -> Passed:
    kind = PARAM_TYPES[param.type]
    name = _KINDS.get(kind.key, "INT" if kind.is_integer else kind.key.upper())
    field = _FIELDS.get(kind.key, "pointer" if kind.pointer else "integer")
    return Passed(param.name, f"SIM_T_{name}", _DIRECTIONS[param.direction], field)
