"""Literals of arguments in test files, and the interpreter's answers: outputs and precision of a call."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any, TypeAlias

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.parameters import Param
from aclspec.runtime.rules.interpreter import UNDEFINED, Environment, evaluate_node
from aclspec.runtime.rules.operator_info import OperatorInfo, ParamInfo
from aclspec.runtime.search.call import brief, elements
from aclspec.runtime.tensors.tensor import Scalar, Tensor

_SCALAR = re.compile(r"(\w+)\((.+)\)\Z")


def argument(literal: Any, kind: str) -> Any:
    """The argument that a literal of a case stands for; a tensor has no data, and format ND unless stated."""
    if literal is None:
        return None
    if kind in ("tensor_list", "scalar_list"):
        return tuple(argument(item, kind.removesuffix("_list")) for item in elements(literal))
    if kind == "tensor":
        return Tensor.parse(literal if _format(literal) else literal.replace("]", "]:ND", 1))
    if kind == "scalar":
        return scalar(literal)
    return DType[literal] if kind == "dtype" else literal


def scalar(literal: str) -> Scalar:
    """The aclScalar of a literal such as ``float32(1.5)``; ValueError for another text."""
    found = _SCALAR.match(literal)
    if found is None:
        raise ValueError(f"The scalar literal ({literal}) is not of the form dtype(value).")
    text = found[2]
    value: bool | int | float = text == "True" if text in ("True", "False") else float(text)
    return Scalar(int(value) if text.lstrip("-").isdigit() else value, DType.parse(found[1]))


def arguments(info: OperatorInfo, call: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call by C name, without data."""
    return {param.name: argument(call[param.name], param.type) for param in info.params}


def output(param: ParamInfo, described: Any) -> Any:
    """The literal of an output by its shape, dtype and format; without a format the first that its rank may have."""
    if described is None:
        return None
    if param.type == "tensor_list":
        return brief(tuple(_tensor(param, shape, dtype) for shape, dtype in described))
    return _tensor(param, *described)


def _tensor(param: ParamInfo, shape: tuple[int, ...], dtype: str, format: str | None = None) -> str:
    by_rank = dict(param.formats)
    legal = by_rank.get(len(shape)) or by_rank.get(-1) or ("ND",)
    text = f"{DType[dtype].short}[{','.join(map(str, shape))}]"
    return text if (format or legal[0]) == "ND" else f"{text}:{format or legal[0]}"


def _format(literal: Any) -> str | None:
    """The format that the literal of a tensor states."""
    name = literal.partition("]:")[2].partition(":")[0] if isinstance(literal, str) else ""
    return name if name and "=" not in name else None


Described: TypeAlias = "tuple[tuple[int, ...], str, str | None] | tuple[tuple[tuple[int, ...], str], ...]"
"""Shape, dtype and format of an output (no format where the spec says none); shape and dtype of each of a list."""


def expected_output(env: Environment, name: str) -> Described | None:
    """The output that follows by the interpreter; None where it is not required or undefined."""
    found = followed_output(env, name)
    return None if found is UNDEFINED else found


def followed_output(env: Environment, name: str) -> Any:
    """The same, but `UNDEFINED` where nothing follows for an output that is required.

    An output that is written in place is like its input.
    """
    info = env.info
    param = info.param(name)
    if param.required is not None and evaluate_node(param.required, env) is not True:
        return None
    item = next((item for item in info.infer if item.param == name), None)
    if item is None:
        written: Any = env.call[name] if param.direction == "inout" else None
        if written is None or param.type == "tensor_list":
            return UNDEFINED
        return tuple(written.shape), written.dtype.name, written.format.name
    if any(evaluate_node(node, env) is not True for node in info.relied_on(item)):
        return UNDEFINED
    shape, dtype = evaluate_node(item.shape, env), evaluate_node(item.dtype, env)
    format = None if item.format is None else evaluate_node(item.format, env)
    if UNDEFINED in (shape, dtype, format):
        return UNDEFINED
    return tuple(zip(shape, dtype, strict=True)) if param.type == "tensor_list" else (tuple(shape), str(dtype), format)


def inferred_call(info: OperatorInfo, call: Mapping[str, Any], stated: Collection[str]) -> dict[str, Any]:
    """The literals of a call in which outputs that are not stated follow from the inputs, where they do."""
    followed = followed_outputs(info, call)
    return {name: value if name in stated else followed.get(name, value) for name, value in call.items()}


def followed_outputs(info: OperatorInfo, call: Mapping[str, Any]) -> dict[str, Any]:
    """The literals of the outputs that follow from the inputs of a call."""
    env = Environment(info, arguments(info, call), info.products[0][0], "document")
    found = {item.param: followed_output(env, item.param) for item in info.infer}
    return {name: output(info.param(name), one) for name, one in found.items() if one is not UNDEFINED}


def expected_precision(env: Environment) -> dict[str, str | int] | None:
    """Roles and settings by the interpreter: the first row of the precision table whose guards hold."""
    for row in env.info.compute.precision:
        if row.products and env.product not in row.products:
            continue
        if row.when is None or evaluate_node(row.when, env) is True:
            return {name: evaluate_node(node, env) for name, node in row.entries}
    return None


def dtype_names(precision: Mapping[str, Any]) -> dict[str, str | int]:
    """What a generated ``precision`` gives, with dtypes by name as the interpreter has them."""
    return {name: value.name if isinstance(value, DType) else value for name, value in precision.items()}


def described(found: Any, param: Param) -> Described | None:
    """An answer of ``infer`` for one output, with its dtype and its format by name."""
    if found is None:
        return None
    if param.type == "tensor_list":
        return tuple((tuple(shape), dtype.name) for shape, dtype, _ in found)
    return tuple(found[0]), found[1].name, None if found[2] is None else found[2].name
