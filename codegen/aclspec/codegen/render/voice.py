"""What the sentences about a rule have from its operator, so that operators of a family say them once."""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache

from aclspec.codegen.same import Made, Same
from aclspec.codegen.told import requirement
from aclspec.runtime.info import OperatorInfo, RuleInfo
from aclspec.runtime.predicate.sentences import Lang


class Voice:
    """The types of the parameters, the lets and the products of many operators: the same object for all of them."""


def sentence(info: OperatorInfo, rule: RuleInfo, lang: Lang) -> str:
    """What a rule wants of a call, as all operators of a family say it."""
    return _SENTENCES.of((Same(rule), voice_of(info), lang), lambda: requirement(info, rule, lang))


_SENTENCES = Made[str]()


def voice_of(info: OperatorInfo) -> Voice:
    """The voice of an operator."""
    return _voice_of(Same(info))


@lru_cache(maxsize=4)
def _voice_of(info: Same[OperatorInfo]) -> Voice:
    """The same, found once for an operator."""
    types = tuple((param.name, param.type) for param in info.value.params)
    return _voice(types, tuple(map(Same, info.value.lets)), info.value.products)


@lru_cache(maxsize=256)
def _voice(*read: Hashable) -> Voice:
    """The voice of all operators that agree in this."""
    return Voice()
