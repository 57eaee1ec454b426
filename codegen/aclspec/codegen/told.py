"""What sentences have from the operator that they are about, so that a family says them once."""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache

from aclspec.codegen.same import Made, Same
from aclspec.runtime.info import OperatorInfo, RuleInfo
from aclspec.runtime.predicate import sentences
from aclspec.runtime.predicate.nodes import Node
from aclspec.runtime.predicate.sentences import Lang


class Voice:
    """The types of the parameters, the lets and the products of many operators: the same object for all of them."""


def sentence(info: OperatorInfo, rule: RuleInfo, lang: Lang) -> str:
    """What a rule wants of a call, as all operators of a family say it."""
    return _SENTENCES.of((Same(rule), voice_of(info), lang), lambda: sentences.requirement(info, rule, lang))


def noun(info: OperatorInfo, node: Node, lang: Lang) -> str:
    """A term as a noun."""
    return _NOUNS.of((Same(node), voice_of(info), lang), lambda: sentences.noun(info, node, lang))


def clause(info: OperatorInfo, node: Node, lang: Lang) -> str:
    """A predicate as a clause."""
    return _CLAUSES.of((Same(node), voice_of(info), lang), lambda: sentences.clause(info, node, lang))


_SENTENCES, _NOUNS, _CLAUSES = Made[str](), Made[str](), Made[str]()


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
