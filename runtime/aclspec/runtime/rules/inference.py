"""The outputs that a caller leaves out, as they follow from the inputs: what the interpreter says to `infer`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.language.values import INFERRED, UNDEFINED
from aclspec.runtime.rules.interpreter import Environment
from aclspec.runtime.rules.operator_info import InferInfo, OperatorInfo
from aclspec.runtime.tensors.tensor import Tensor, wrap


def completed(info: OperatorInfo, call: Mapping[str, object]) -> Mapping[str, object]:
    """The call with each output that was left out as it follows, null where it is not required.

    One that does not follow stays left out. The same call where nothing changes.
    """
    entries = [entry for entry in info.infer if call.get(entry.param) is INFERRED]
    if not entries:
        return call
    env = Environment(info, call, "", "document")
    found = {entry.param: _inferred(info, entry, env) for entry in entries}
    known = {name: value for name, value in found.items() if value is not INFERRED}
    return {**call, **known} if known else call


def _inferred(info: OperatorInfo, entry: InferInfo, env: Environment) -> object:
    param = info.param(entry.param)
    required = True if param.required is None else env.value(param.required)
    if required is False:
        return None
    relied = (env.value(node) for node in info.relied_on(entry))
    if required is not True or any(one is not True for one in relied):
        return INFERRED
    shape, dtype = env.value(entry.shape), env.value(entry.dtype)
    layout = None if entry.format is None else env.value(entry.format)
    if UNDEFINED in (shape, dtype, layout):
        return INFERRED
    if param.type != "tensor_list":
        return _tensor(shape, dtype, layout)
    layouts = (None,) * len(shape) if layout is None else layout
    return tuple(map(_tensor, shape, dtype, layouts))


def _tensor(shape: Any, dtype: str, layout: str | None) -> Tensor:
    return wrap(tuple(shape), DType[dtype], None if layout is None else Format[layout])
