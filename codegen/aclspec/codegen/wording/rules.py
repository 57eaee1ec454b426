"""The sentences of rules: what each requires, and the template of its failure."""

from __future__ import annotations

from dataclasses import replace

from aclspec.codegen.wording.clauses import Writer
from aclspec.codegen.wording.failures import failure, products_of
from aclspec.codegen.wording.language import LANGUAGES
from aclspec.runtime.language.nodes import And, Compare, Each, Index, Name, Node, Quantifier
from aclspec.runtime.rules.operator_info import FITS_INT64, OperatorInfo, ParamInfo, RuleInfo, Text
from aclspec.runtime.rules.sentences import Lang, sentence

_STOPS: dict[Lang, str] = {"en": ".", "zh": "。"}


def with_sentences(info: OperatorInfo) -> OperatorInfo:
    """The operator with the sentences of its rules in both languages."""
    return replace(info, rules=tuple(_with_sentences(info, rule) for rule in info.rules))


def noun(info: OperatorInfo, node: Node, lang: Lang = "en", *, marks: bool = False) -> str:
    """A term as a noun: "the channel count of self"; ``marks``: with the names of parameters marked."""
    return Writer(LANGUAGES[lang], info, marks=marks).noun(node)


def clause(info: OperatorInfo, node: Node, lang: Lang = "en", *, marks: bool = False) -> str:
    """A predicate as a clause: "inputG is true"."""
    return Writer(LANGUAGES[lang], info, marks=marks).clause(node)


def requirement(info: OperatorInfo, rule: RuleInfo, lang: Lang, *, marks: bool = False) -> str:
    """The sentence on what a rule requires of a call; that of the language has no other words."""
    if rule is FITS_INT64:
        return rule.requirement.en if lang == "en" else rule.requirement.zh
    return sentence(_required(info, rule, lang, marks) + _STOPS[lang], lang, _names(info))


def elements(info: OperatorInfo, param: ParamInfo, lang: Lang = "en", *, marks: bool = False) -> str:
    """The sentence on what the elements of a tensor have to be."""
    signs = {"min": ">=", "below": "<"}
    each = next((bound for _, bound in param.elements if isinstance(bound, Each)), None)  # one for each of a list
    bounds = [(key, bound.body if isinstance(bound, Each) else bound) for key, bound in param.elements]
    items = tuple(Compare(signs[key], Name("element"), bound) for key, bound in bounds)
    of: Node = Name(param.name) if each is None else Index(Name(param.name), Name(each.var))
    every = Quantifier("all", "element", of, items[0] if len(items) == 1 else And(items))
    if each is not None:
        every = Quantifier("all", each.var, each.over, every)
    text = LANGUAGES[lang].say("undefined", clause(info, every, lang, marks=marks))
    return sentence(text + _STOPS[lang], lang, _names(info))


def _with_sentences(info: OperatorInfo, rule: RuleInfo) -> RuleInfo:
    required = Text(requirement(info, rule, "en"), requirement(info, rule, "zh"))
    if rule.kind == "shortcut" or (rule.kind != "product" and rule.require is None):
        return replace(rule, requirement=required)
    return replace(rule, requirement=required, failure=Text(_failure(info, rule, "en"), _failure(info, rule, "zh")))


def _required(info: OperatorInfo, rule: RuleInfo, lang: Lang, marks: bool) -> str:
    language = LANGUAGES[lang]
    writer = Writer(language, info, marks=marks)
    condition = None if rule.when is None else writer.clause(rule.when)
    if rule.kind == "shortcut":
        text = language.say("shortcut")
        text = text if rule.effect is None else language.say(rule.effect, text)
        return text if condition is None else language.say("guarded", condition, text)
    if supported := products_of(info, rule):
        return language.say("products", language.nouns(supported, last="and"))
    required = language.say("constant", True) if rule.require is None else writer.clause(rule.require)
    if rule.outcome == "undefined":
        required = language.say("undefined", required)
    return required if condition is None else language.say("guarded", condition, required)


def _failure(info: OperatorInfo, rule: RuleInfo, lang: Lang) -> str:
    """The template of what is wrong with a call on which the rule fails."""
    template = failure(info, rule, lang, _STOPS[lang])
    return sentence(template, lang, _names(info)) if lang == "en" else template


def _names(info: OperatorInfo) -> frozenset[str]:
    """The words that keep their letters at the start of a sentence."""
    return frozenset(param.name for param in info.params)
