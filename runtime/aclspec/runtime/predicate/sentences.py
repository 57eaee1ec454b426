"""The sentences of a rule: what the manual says that it wants, and what a message says when it fails."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from aclspec.runtime.info import Mode, OperatorInfo, RuleInfo
from aclspec.runtime.predicate.evaluation import Environment
from aclspec.runtime.predicate.wording.chinese import CHINESE
from aclspec.runtime.predicate.wording.clauses import Writer
from aclspec.runtime.predicate.wording.english import ENGLISH
from aclspec.runtime.predicate.wording.language import Lang, Language

__all__ = ["Lang", "failure", "message", "requirement"]

_LANGUAGES: Final[dict[str, Language]] = {"en": ENGLISH, "zh": CHINESE}


def requirement(info: OperatorInfo, rule: RuleInfo, lang: Lang = "en") -> str:
    """What the rule wants of a call, as the manual says it."""
    language = _LANGUAGES[lang]
    writer = Writer(language, info)
    condition = None if rule.when is None else writer.clause(rule.when)
    if rule.kind == "shortcut":
        clause = language.shortcut(condition, rule.effect)
    elif rule.kind == "product":
        clause = language.product([key for key, _ in info.products], None)
    else:
        clause = language.constant(True) if rule.require is None else writer.clause(rule.require)
        if rule.outcome == "undefined":
            clause = language.undefined(clause)
        if condition is not None:
            clause = language.guarded(condition, clause)
    return language.sentence(clause, _names(info))


def failure(
    info: OperatorInfo, rule: RuleInfo, call: Mapping[str, object], product: str, mode: Mode, lang: Lang = "en"
) -> str:
    """What is wrong with a call on which the rule fails: given and expected, with the actual values."""
    if rule.kind == "shortcut" or (rule.kind != "product" and rule.require is None):
        return requirement(info, rule, lang)
    language = _LANGUAGES[lang]
    if rule.require is None:
        return language.sentence(language.product([key for key, _ in info.products], product), _names(info))
    writer = Writer(language, info, Environment(info, call, product, mode))
    clause = writer.clause(rule.require, False)
    if rule.when is not None:
        clause = language.despite(writer.clause(rule.when), clause, contrast=rule.kind == "null")
    return language.sentence(clause, _names(info))


def message(
    info: OperatorInfo, rule: RuleInfo, call: Mapping[str, object], product: str, mode: Mode, function_name: str
) -> str:
    """The sentence of a failure with its context below it: the rule and the product, then the function called."""
    return "\n".join(
        (
            failure(info, rule, call, product, mode),
            f" - while checking rule {info.name}.{rule.id} for {product}",
            f" - while calling {function_name}",
        )
    )


def _names(info: OperatorInfo) -> frozenset[str]:
    """The words that keep their letters at the start of a sentence."""
    return frozenset(param.name for param in info.params)
