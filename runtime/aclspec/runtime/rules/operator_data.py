"""The data of an operator: its `OperatorInfo` in a JSON file of a generated package, each part of a table on one line.

A dataclass is an object without the fields that have their default, a tuple an array, a tuple of pairs an object, and a
predicate its text. Numbers are those of Python's `json`, ``NaN`` and ``Infinity`` among them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pkgutil import get_data
from typing import Any, Final

from aclspec.runtime.rules.operator_info import (
    CaveatInfo,
    ComputeInfo,
    ExampleInfo,
    InferInfo,
    LetInfo,
    OperatorInfo,
    ParamInfo,
    PrecisionInfo,
    ReferenceInfo,
    RoundingInfo,
    RowInfo,
    RuleInfo,
    TensorValue,
    Text,
    ToleranceInfo,
)

FOLDER: Final = "_info"
"""The folder of a generated package that has the files."""
MARK: Final = "generated"
"""The key of the line that says where a file is from."""
_FIELDS: Final[Mapping[type, Mapping[str, type]]] = {
    OperatorInfo: {
        "summary": Text,
        "params": ParamInfo,
        "rows": RowInfo,
        "lets": LetInfo,
        "rules": RuleInfo,
        "infer": InferInfo,
        "compute": ComputeInfo,
        "examples": ExampleInfo,
        "caveats": CaveatInfo,
    },
    ParamInfo: {"doc": Text},
    CaveatInfo: {"because": Text},
    LetInfo: {"doc": Text},
    RuleInfo: {"doc": Text, "requirement": Text, "failure": Text},
    ComputeInfo: {"precision": PrecisionInfo, "tolerance": ToleranceInfo, "reference": ReferenceInfo},
    PrecisionInfo: {"doc": Text},
    ReferenceInfo: {"rounding": RoundingInfo},
    ExampleInfo: {"title": Text, "inputs": TensorValue, "outputs": TensorValue},
}
"""The fields that hold dataclasses, alone, in a tuple or as the second of pairs."""


def read_info(package: str, snake: str) -> OperatorInfo:
    """The compiled spec of an operator of a generated package; ValueError where its file is missing or damaged."""
    name = f"{FOLDER}/{snake}.json"
    try:
        text = get_data(package, name)
        if text is None:
            raise ValueError(f"the loader of {package} reads no data")
        return info_of(json.loads(text))
    except (OSError, ValueError, TypeError) as error:
        raise ValueError(
            f"The file {name} of the package {package} is not the data of an operator: {error}. "
            "Generate the package again, or install it with its JSON files."
        ) from error


def info_of(data: Any) -> OperatorInfo:
    """The compiled spec that some JSON data stands for; ValueError or TypeError for data that stands for none."""
    if not isinstance(data, dict):
        raise ValueError("it holds no object")
    info: OperatorInfo = _made(OperatorInfo, {name: value for name, value in data.items() if name != MARK})
    return info


def _made(kind: type, data: Mapping[str, Any]) -> Any:
    held = _FIELDS.get(kind, {})
    return kind(**{name: _field(value, held.get(name)) for name, value in data.items()})


def _field(value: Any, held: type | None) -> Any:
    """The value of a field; an object is a dataclass or pairs, whose seconds may be tensors."""
    if isinstance(value, dict) and held in (None, TensorValue):
        return tuple([(name, _value(item, held)) for name, item in value.items()])
    return _value(value, held)


def _value(value: Any, held: type | None) -> Any:
    if isinstance(value, list):
        return tuple([_value(item, held) for item in value])
    if isinstance(value, dict) and held is not None:
        return _made(held, value)
    if isinstance(value, dict) or held not in (None, TensorValue):
        raise ValueError(f"{value!r} is not {held.__name__ if held else 'a plain value'}")
    return value
