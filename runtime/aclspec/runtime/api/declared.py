"""Operators known by signature alone, made from the rows of a package's table when first asked for."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from aclspec.runtime.abi.parameters import Param
from aclspec.runtime.rules.operator_info import ComputeInfo, Direction, OperatorInfo, ParamInfo, Text

if TYPE_CHECKING:
    from aclspec.runtime.api.operator import Operator

TABLE = "_declared"
"""The module of a generated package that has the rows."""
SPEC = "specs/signatures.yaml"
NO_TEXT = Text("(no text)", "（无文本）")
Row: TypeAlias = "tuple[str, str, str, str]"
"""The C name, the header, the products, and the parameters in C order: ``gradOutput grad_output in tensor, ...``."""


def rows(package: str) -> Mapping[str, Row]:
    """The table of a package by snake_case name; empty where it has none."""
    try:
        found: Mapping[str, Row] = import_module(f"{package}.{TABLE}").DECLARED
    except ModuleNotFoundError:
        return {}
    return found


def info_of(snake: str, row: Row) -> OperatorInfo:
    """What is known of an operator."""
    name, header, products, _ = row
    return OperatorInfo(
        name=name,
        snake=snake,
        header=header,
        category="declared",
        summary=NO_TEXT,
        spec=SPEC,
        products=tuple((product, "newer") for product in products.split()),
        params=tuple(_params(row)),
        rows=(),
        lets=(),
        rules=(),
        infer=(),
        compute=ComputeInfo(kernel="", precision=(), tolerance=()),
        level="declared",
    )


def operator_of(package: str, snake: str, row: Row) -> Operator:
    """The operator of a row."""
    from aclspec.runtime.api.operator import Operator

    info = info_of(snake, row)
    params = [Param(one.name, one.snake, one.type, _bound(one)) for one in info.params]
    outputs = [one.snake for one in params if one.is_output]
    result = cast("Any", namedtuple)(f"{info.name.removeprefix('aclnn')}Result", outputs)
    operator = Operator(info.name, snake, f"{package}.{TABLE}", params, result, level="declared")
    operator.info = info
    return operator


def _params(row: Row) -> Iterator[ParamInfo]:
    for text in row[3].split(", "):
        name, snake, *const, direction, kind = text.split(" ")
        way = cast("Direction", direction)
        yield ParamInfo(name=name, snake=snake, type=kind, direction=way, doc=NO_TEXT, const=bool(const))


def _bound(param: ParamInfo) -> str:
    """How a call binds a parameter: a tensor of unknown direction as one that is read and written."""
    return param.direction if param.direction != "unknown" else "inout" if param.is_output else "in"
