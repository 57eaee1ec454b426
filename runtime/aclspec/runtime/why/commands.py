"""The command that continues an answer: `aclspec explain` with all that is known of the call filled in."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any, Final

from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.rules.operator_info import OperatorInfo, ParamInfo
from aclspec.runtime.tensors.tensor import Scalar, Tensor

_BLANKS: Final[Mapping[str, str]] = {
    "tensor": "{dtype}[SHAPE]",
    "tensors": "{dtype}[SHAPE];{dtype}[SHAPE]",
    "scalar": "NUMBER:{dtype}",
    "scalars": "NUMBER;NUMBER",
    "ints": "INT,INT",
    "bools": "true,false",
    "floats": "FLOAT,FLOAT",
    "bool": "true|false",
    "int": "INT",
    "float": "FLOAT",
    "string": "TEXT",
    "dtype": "DTYPE",
}


def explain_command(
    info: OperatorInfo, values: Mapping[str, Any], dtypes: Mapping[str, str], product: str | None
) -> str:
    """The command with known values, known dtypes, and words in capitals for what the caller has to fill in."""
    words = ["aclspec", "explain", info.snake]
    for param in info.params:
        if param.name in values:
            words += [_option(param), shlex.quote(text_of(values[param.name]))]
        elif param.direction != "out" and not param.has_default and not param.optional:
            blank = _BLANKS[PARAM_TYPES[param.type].predicate]
            words += [_option(param), shlex.quote(blank.format(dtype=dtypes.get(param.name, "DTYPE")))]
    return " ".join([*words, *(["--product", product] if product else [])])


def _option(param: ParamInfo) -> str:
    return "--" + param.snake.strip("_").replace("_", "-")


def text_of(value: Any) -> str:
    """A value as the command line takes it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        separator = ";" if any(isinstance(one, Tensor | Scalar) for one in value) else ","
        return separator.join(map(text_of, value))
    if isinstance(value, Scalar):
        return f"{text_of(value.value)}:{value.dtype.short}"
    return getattr(value, "short", None) or str(value)
