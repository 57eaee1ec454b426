"""Arguments as the texts that a field of the page and a link hold, and that ``library/arguments.js`` reads."""

from __future__ import annotations

import json

from aclspec.runtime.dtypes import DType
from aclspec.runtime.info import ParamInfo, TensorValue
from aclspec.runtime.paramtypes import PARAM_TYPES
from aclspec.runtime.predicate.values import symbol
from aclspec.runtime.scalar import Scalar
from aclspec.runtime.tensor import Tensor


def argument_text(param: ParamInfo, value: object) -> str:
    """The text of an argument: as an example of a spec, a derived case or a call holds it."""
    return _text(value, PARAM_TYPES[param.type].predicate)


def _text(value: object, predicate: str) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case Scalar(value=number, dtype=dtype):
            return f"{_text(number, 'number')}:{dtype.short}"
        case TensorValue(dtype=name, shape=shape, format=format):
            return str(Tensor(shape, DType[name], format))
        case str() if predicate == "string":
            return json.dumps(value, ensure_ascii=False)
        case list() | tuple():
            separator = "; " if predicate in ("tensors", "scalars") else ","
            text = separator.join(_text(item, predicate.removesuffix("s")) for item in value)
            return "null;" if text == "null" else text  # a list that holds a null pointer, rather than one itself
        case DType():
            return symbol(value)
        case _:
            return str(value)
