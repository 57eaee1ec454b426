"""What the interpreter says that a generated function must answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from aclspec.runtime.dtypes import DType
from aclspec.runtime.parameters import Param
from aclspec.runtime.predicate.interp import UNDEFINED, Environment, evaluate_node

Described: TypeAlias = "tuple[tuple[int, ...], str, str | None] | tuple[tuple[tuple[int, ...], str], ...]"
"""Shape, dtype and format of an output (no format where the spec says none); shape and dtype of each of a list."""


def expected_output(env: Environment, name: str) -> Described | None:
    """What follows for an output, by the interpreter; None where it is not required or undefined.

    An output that is written in place is like its input.
    """
    info = env.info
    param = info.param(name)
    if param.required is not None and evaluate_node(param.required, env) is not True:
        return None
    item = next((item for item in info.infer if item.param == name), None)
    if item is None:
        written: Any = env.call[name]
        if written is None or param.type == "tensor_list":
            return None
        return tuple(written.shape), written.dtype.name, written.format.name
    if any(evaluate_node(node, env) is not True for node in info.relied_on(item)):
        return None
    shape, dtype = evaluate_node(item.shape, env), evaluate_node(item.dtype, env)
    format = None if item.format is None else evaluate_node(item.format, env)
    if UNDEFINED in (shape, dtype, format):
        return None
    return tuple(zip(shape, dtype, strict=True)) if param.type == "tensor_list" else (tuple(shape), str(dtype), format)


def expected_precision(env: Environment) -> dict[str, str | int] | None:
    """Roles and settings by the interpreter: the first row of the precision table whose guards hold."""
    for row in env.info.compute.precision:
        if row.products and env.product not in row.products:
            continue
        if row.when is None or evaluate_node(row.when, env) is True:
            return {name: evaluate_node(node, env) for name, node in row.entries}
    return None


def named(precision: Mapping[str, Any]) -> dict[str, str | int]:
    """What a generated ``precision`` gives, with dtypes by name as the interpreter has them."""
    return {name: value.name if isinstance(value, DType) else value for name, value in precision.items()}


def described(found: Any, param: Param) -> Described | None:
    """An answer of ``infer`` for one output, with its dtype and its format by name."""
    if found is None:
        return None
    if param.type == "tensor_list":
        return tuple((tuple(shape), dtype.name) for shape, dtype, _ in found)
    return tuple(found[0]), found[1].name, None if found[2] is None else found[2].name
