"""Where precision bites: a call that works and is computed in FLOAT16, though its inputs hold larger numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.rules.answer_words import ANSWER_WORDS
from aclspec.runtime.rules.interpreter import Environment, Memory
from aclspec.runtime.rules.judgement import judge
from aclspec.runtime.rules.operator_info import Mode, OperatorInfo
from aclspec.runtime.rules.sentences import Lang
from aclspec.runtime.tensors.tensor import Tensor

_LARGE = (DType.FLOAT, DType.DOUBLE, DType.BF16)


def overflow(info: OperatorInfo, call: Mapping[str, object], product: str, mode: Mode, lang: Lang) -> str | None:
    """A sentence about a call whose operands are rounded to FLOAT16, and the values of attributes that avoid it."""
    large = [name for name, value in call.items() if isinstance(value, Tensor) and value.dtype in _LARGE]
    inputs = {param.name for param in info.params if param.direction != "out"}
    if inputs.isdisjoint(large) or _operand(info, call, product, mode) != "FLOAT16":
        return None
    words = ANSWER_WORDS[lang]
    better = next(_better(info, call, product, mode), None)
    sentence = words["overflow"]
    return sentence if better is None else words["because"].format(sentence, words["no overflow"].format(*better))


def _operand(info: OperatorInfo, call: Mapping[str, object], product: str, mode: Mode) -> object:
    """The dtype in which a call multiplies; None where its spec states none."""
    env = Environment(info, call, product, mode, memory=Memory())
    for row in info.compute.precision:
        if row.applies_to(product) and (row.when is None or env.value(row.when) is True):
            operand = dict(row.roles).get("operand")
            return None if operand is None else env.value(operand)
    return None


def _better(
    info: OperatorInfo, call: Mapping[str, object], product: str, mode: Mode
) -> Iterator[tuple[str, int | str]]:
    """The attributes and values with which the call works and multiplies in a larger dtype."""
    for param in info.params:
        for value in param.values:
            changed = {**call, param.name: value}
            is_larger = value != call[param.name] and _operand(info, changed, product, mode) != "FLOAT16"
            if is_larger and judge(info, changed, product, mode).verdict == "works":
                yield param.name, value
