"""The sentences of an operator's rules, made once for all files that show them and for all operators alike."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache

from aclspec.codegen.alike import family_of
from aclspec.codegen.same import Same
from aclspec.runtime.info import OperatorInfo, RuleInfo
from aclspec.runtime.predicate import sentences
from aclspec.runtime.predicate.sentences import Lang


def requirement(info: OperatorInfo, rule: RuleInfo, lang: Lang) -> str:
    """What one of the operator's rules wants of a call, as the manual says it."""
    told, key = _told(Same(info)), (rule.id, lang)
    if key not in told.texts:
        told.texts[key] = sentences.requirement(told.speaker, told.rules[rule.id], lang)
    return told.texts[key]


@dataclass(frozen=True, slots=True, eq=False)
class _Told:
    """The sentences so far; ``speaker`` is an operator without any words but those for its lets."""

    speaker: OperatorInfo
    rules: dict[str, RuleInfo]
    texts: dict[tuple[str, Lang], str] = field(default_factory=dict)


@lru_cache(maxsize=2)
def _told(info: Same[OperatorInfo]) -> _Told:
    """The sentences of an operator, which are those of all that check the same and call their lets the same."""
    family, key = family_of(info.value), ("told", tuple(let.doc for let in info.value.lets))
    if key not in family.kept:
        speaker = replace(family.checked, lets=info.value.lets)
        family.kept[key] = _Told(speaker, {rule.id: rule for rule in speaker.rules})
    found: _Told = family.kept[key]
    return found
