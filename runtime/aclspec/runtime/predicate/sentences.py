"""The sentences of a rule: what the manual says that it wants, and what a message says when it fails."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from aclspec.runtime.info import Mode, OperatorInfo, RuleInfo
from aclspec.runtime.predicate.evaluation import Environment
from aclspec.runtime.predicate.nodes import Call, Node, Not
from aclspec.runtime.predicate.wording.chinese import CHINESE
from aclspec.runtime.predicate.wording.clauses import Writer
from aclspec.runtime.predicate.wording.english import ENGLISH
from aclspec.runtime.predicate.wording.language import Lang, Language

__all__ = ["Lang", "clause", "failure", "message", "noun", "requirement"]

_LANGUAGES: Final[dict[str, Language]] = {"en": ENGLISH, "zh": CHINESE}


def requirement(info: OperatorInfo, rule: RuleInfo, lang: Lang = "en") -> str:
    """What the rule wants of a call, as the manual says it."""
    language = _LANGUAGES[lang]
    writer = Writer(language, info)
    condition = None if rule.when is None else writer.clause(rule.when)
    if rule.kind == "shortcut":
        return language.sentence(language.shortcut(condition, rule.effect), _names(info))
    if rule.kind == "product":
        return language.sentence(language.product([key for key, _ in info.products], None), _names(info))
    wanted = language.constant(True) if rule.require is None else writer.clause(rule.require)
    if rule.outcome == "undefined":
        wanted = language.undefined(wanted)
    return language.sentence(wanted if condition is None else language.guarded(condition, wanted), _names(info))


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
    told = writer.clause(rule.require, False)
    if rule.when is not None:
        told = language.despite(writer.clause(rule.when), told, contrast=_is_about_null(rule.require))
    return language.sentence(told, _names(info))


def noun(info: OperatorInfo, node: Node, lang: Lang = "en") -> str:
    """A term as a noun: "the channel count of self"."""
    return Writer(_LANGUAGES[lang], info).bare(node)


def clause(info: OperatorInfo, node: Node, lang: Lang = "en") -> str:
    """A predicate as a clause: "inputG is true"."""
    return Writer(_LANGUAGES[lang], info).clause(node)


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


def _is_about_null(node: Node) -> bool:
    """Whether a failure is a null pointer where the guard asks for none."""
    inner = node.operand if isinstance(node, Not) else node
    return isinstance(inner, Call) and inner.func == "is_null"


def _names(info: OperatorInfo) -> frozenset[str]:
    """The words that keep their letters at the start of a sentence."""
    return frozenset(param.name for param in info.params)
