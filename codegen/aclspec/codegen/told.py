"""The sentences of an operator's rules, made once for all files that show them."""

from __future__ import annotations

from functools import lru_cache

from aclspec.codegen.same import Same
from aclspec.runtime.info import OperatorInfo, RuleInfo
from aclspec.runtime.predicate import sentences
from aclspec.runtime.predicate.sentences import Lang


def requirement(info: OperatorInfo, rule: RuleInfo, lang: Lang) -> str:
    """What one of the operator's rules wants of a call, as the manual says it."""
    told, key = _told(Same(info)), (rule.id, lang)
    if key not in told:
        told[key] = sentences.requirement(info, rule, lang)
    return told[key]


@lru_cache(maxsize=2)
def _told(info: Same[OperatorInfo]) -> dict[tuple[str, Lang], str]:
    """The sentences of one operator so far."""
    return {}
