"""The checks of a page, in their order, each with all that is known of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from aclspec.codegen.load import Operator
from aclspec.codegen.predicate.unparse import unparse
from aclspec.codegen.render.manual.carriers import rule_clauses
from aclspec.codegen.render.manual.markdown import Prose, code, codes
from aclspec.codegen.render.manual.words import Lang, labels
from aclspec.codegen.same import Made, Same
from aclspec.codegen.told import sentence, voice_of
from aclspec.runtime.info import MODES, OperatorInfo, RuleInfo
from aclspec.runtime.predicate.nodes import InRows
from aclspec.runtime.status import Status


@dataclass(frozen=True, slots=True)
class CheckView:
    """One check. ``facts`` are its labelled lines; ``clauses`` the ids that it carries."""

    number: int
    id: str
    anchor: str
    code: str
    where: str
    sentence: str
    doc: str
    facts: tuple[tuple[str, str], ...]
    clauses: tuple[str, ...]


def check_views(operator: Operator, prose: Prose, lang: Lang) -> tuple[CheckView, ...]:
    """Every check of an operator."""
    clauses = rule_clauses(operator)
    return tuple(
        _view(operator, number, rule, clauses[rule.id], prose, lang)
        for number, rule in enumerate(operator.info.rules, 1)
    )


def _view(
    operator: Operator, number: int, rule: RuleInfo, clauses: tuple[str, ...], prose: Prose, lang: Lang
) -> CheckView:
    told = _TOLD.of((Same(rule), voice_of(operator.info), lang), lambda: _told(operator.info, rule, prose, lang))
    full_id = (labels(lang).full_id, code(f"{operator.info.name}.{rule.id}"))
    return CheckView(
        number,
        rule.id,
        f"rule-{rule.id}",
        told.code,
        told.where,
        told.sentence,
        told.doc,
        (full_id, *told.facts),
        clauses,
    )


class _Told(NamedTuple):
    """What the pages of a family say of a check."""

    code: str
    where: str
    sentence: str
    doc: str
    facts: tuple[tuple[str, str], ...]


_TOLD = Made[_Told]()


def _told(info: OperatorInfo, rule: RuleInfo, prose: Prose, lang: Lang) -> _Told:
    return _Told(
        _code(rule),
        _where(rule, lang),
        prose(sentence(info, rule, lang)),
        "" if rule.doc is None else prose.written(getattr(rule.doc, lang)),
        tuple(_facts(rule, prose, lang)),
    )


def _status(rule: RuleInfo, lang: Lang) -> str:
    """The code and its name; one per mode where they differ."""
    words = labels(lang)
    if rule.kind == "shortcut":
        return f"{int(Status.ACLNN_SUCCESS)} {words.ends_checks}"
    by_mode = dict(rule.status)
    if len(set(by_mode.values())) <= 1:
        return _numbered(next(iter(by_mode.values()), Status.ACLNN_SUCCESS.name))
    return ", ".join(words.status_in_mode.format(_numbered(name), mode) for mode, name in by_mode.items())


def _code(rule: RuleInfo) -> str:
    """The numbers of the codes that the rule may give."""
    names = dict.fromkeys(name for _, name in rule.status) or [Status.ACLNN_SUCCESS.name]
    return "0" if rule.kind == "shortcut" else ", ".join(str(int(Status[name])) for name in names)


def _where(rule: RuleInfo, lang: Lang) -> str:
    """The mode and the products to which the rule is limited."""
    words = labels(lang)
    limits = [_modes(rule, lang, ""), codes(rule.products)]
    return str(words.semicolon).join(filter(None, limits)) or str(words.everywhere)


def _modes(rule: RuleInfo, lang: Lang, both: str) -> str:
    """Who enforces the rule; ``both`` says that both modes do."""
    words = labels(lang)
    modes = [mode for mode in MODES if mode in dict(rule.status)] or list(MODES)
    if rule.outcome == "undefined":
        return str(words.nobody)
    return str(both if len(modes) == len(MODES) else words.one_mode.format(modes[0]))


def _numbered(name: str) -> str:
    return f"{int(Status[name])} {code(name)}"


def _facts(rule: RuleInfo, prose: Prose, lang: Lang) -> list[tuple[str, str]]:
    words = labels(lang)
    scope = (codes(rule.products) or words.every_product, _modes(rule, lang, words.both_modes))
    facts = [(words.status, words.status_where.format(_status(rule, lang), *scope))]
    if rule.outcome == "undefined":
        facts.append((words.not_checked, ""))
    if rule.when is not None:
        facts.append((words.guard, code(unparse(rule.when))))
    if rule.require is not None and not isinstance(rule.require, InRows):
        facts.append((words.predicate, code(unparse(rule.require))))
    if rule.reason is not None:
        partners = ", ".join(f"[{code(other)}](#rule-{other})" for other in rule.fails_with)
        reason = prose.written(getattr(rule.reason, lang))
        facts.append((words.alone, words.together_with.format(reason, partners) if partners else reason))
    return facts
