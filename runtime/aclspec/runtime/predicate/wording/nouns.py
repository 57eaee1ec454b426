"""Terms of a predicate as nouns, each followed by its actual value where a call is at hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Number
from typing import Any, Final

from aclspec.runtime.info import LetInfo, OperatorInfo
from aclspec.runtime.paramtypes import PARAM_TYPES
from aclspec.runtime.predicate.evaluation import Environment, evaluate_node
from aclspec.runtime.predicate.functions import FUNCTIONS
from aclspec.runtime.predicate.nodes import (
    Arith,
    Bool,
    Call,
    Each,
    Float,
    IfElse,
    Index,
    Int,
    ListOf,
    Name,
    Negate,
    Node,
    Str,
    Symbol,
)
from aclspec.runtime.predicate.values import UNDEFINED
from aclspec.runtime.predicate.wording.facts import LAST_AXES, SHARED, from_the_end
from aclspec.runtime.predicate.wording.kinds import is_clause, is_literal
from aclspec.runtime.predicate.wording.language import Language
from aclspec.runtime.predicate.wording.listed import every_noun
from aclspec.runtime.predicate.wording.terms import is_infix, opened, substituted, term
from aclspec.runtime.predicate.wording.values import parenthesized, value_text

_VALUED_ARGS: Final = frozenset({"broadcast", "broadcastable", "promote", "castable", "is_private"})
"""Functions whose result alone does not tell what their arguments were."""


@dataclass(frozen=True, slots=True)
class Nouns:
    """Writes nouns. ``variables`` says what bound variables are called."""

    language: Language
    info: OperatorInfo
    env: Environment | None = None
    variables: Mapping[str, str] = field(default_factory=dict)

    def value(self, node: Node) -> Any:
        """The value in the call, `UNDEFINED` in the manual."""
        return UNDEFINED if self.env is None else evaluate_node(node, self.env)

    def noun(self, node: Node) -> str:
        """The noun of a term, followed by its value."""
        return self.bare(node) + self._shown(node)

    def bare(self, node: Node) -> str:
        """The noun of a term alone."""
        match node:
            case Int(value=value) | Float(value=value) | Bool(value=value):
                return value_text(value)
            case Str(value=text):
                return value_text(text, quoted=True)
            case Symbol(name=name):
                return name
            case Name(id=name):
                return self._name(name)
            case ListOf(items=items):
                texts = [self.bare(item) for item in items]
                return _literal_list(items, texts) if is_literal(node) else f"[{', '.join(texts)}]"
            case Arith() | Negate():
                return term(self, node)
            case Index(base=base, index=index):
                return self.element(self.bare(base), self._index(index))
            case IfElse(cond=cond, then=then, orelse=orelse):
                chosen = self.value(cond)
                if chosen is not UNDEFINED:
                    return self.bare(then if chosen else orelse)
                return self._choice(node)
            case Each():
                return every_noun(self, node)
            case Call(func=func, args=args) if not is_clause(node):
                return self._phrase(func, args)
            case _:
                return self.language.whether(self.clause(node))

    def clause(self, node: Node, truth: bool = True) -> str:
        """The clause that a predicate is true, or false."""
        raise AssertionError("the writer of clauses overrides this")

    def _shown(self, node: Node) -> str:
        """The value of a term as it follows the noun: with its space and parentheses, or empty."""
        if self.env is None or is_literal(node):
            return ""
        value = self.value(node)
        if not isinstance(value, Number | str | tuple) or _holds_tensors(value):
            return ""
        text = value_text(value, quoted=self._is_string(node))
        if (by := self._worked(node)) is not None:
            return f" ({self.language.worked(text, by)})"
        if isinstance(opened(self, node), Arith | Negate) and not isinstance(value, tuple):
            worked = substituted(self, node)
            return f" ({text})" if worked in (text, self.bare(node)) else f" ({worked} = {text})"
        return "" if text == self.bare(node) else f" {parenthesized(text)}"

    def _is_string(self, node: Node) -> bool:
        match node:
            case Name(id=name):
                let = self.let(name)
                if let is not None:
                    return let.type == "string"
                kinds = [PARAM_TYPES[param.type].predicate for param in self.info.params if param.name == name]
                return kinds == ["string"]
            case IfElse(then=then, orelse=orelse):
                return any(isinstance(branch, Str) or self._is_string(branch) for branch in (then, orelse))
            case _:
                return False

    def is_clause(self, node: Node) -> bool:
        """Whether a node reads as a clause: a predicate, or a let that stands for one."""
        let = self.let(node.id) if isinstance(node, Name) else None
        return is_clause(node) if let is None else let.type == "bool"

    def let(self, name: str) -> LetInfo | None:
        """The let of this name, unless a variable hides it."""
        return next((let for let in self.info.lets if let.name == name and name not in self.variables), None)

    def _name(self, name: str) -> str:
        """A variable by what it stands for, a let by its noun or its definition, a parameter by its name."""
        if name in self.variables:
            return self.variables[name]
        let = self.let(name)
        if let is None:
            return name
        return self.bare(let.value) if let.doc is None else self.language.pick(let.doc)

    def _index(self, index: Node) -> str:
        """An index as a number where it is known."""
        value = self.value(index)
        return self.bare(index) if value is UNDEFINED else value_text(value)

    def element(self, base: str, place: str) -> str:
        """An element of an array: in brackets after a name, in words after anything longer."""
        return f"{base}[{place}]" if base.isascii() and " " not in base else self.language.element(base, place)

    def _choice(self, node: Node) -> str:
        """A noun for each condition, the first that holds counting."""
        cases = []
        while isinstance(node, IfElse):
            cases.append((self.clause(node.cond), self.bare(node.then)))
            node = node.orelse
        return self.language.choice(cases, self.bare(node))

    def _worked(self, node: Node) -> str | None:
        """The actual arguments of a function that is told by them."""
        match opened(self, node):
            case Call(func=func, args=args) if (worked := FUNCTIONS[func].worked) is not None:
                values = [self.value(arg) for arg in args]
                texts = [value_text(value) for value in values if value is not UNDEFINED]
                return self._fill(self.language.pick(worked[1]), texts) if len(texts) == len(args) else None
            case _:
                return None

    def _phrase(self, func: str, args: tuple[Node, ...]) -> str:
        """The phrase of a function that returns a value; one of many arguments is brief where its value tells them."""
        brief = FUNCTIONS[func].worked
        if brief is not None:
            if self._worked(Call(func, args)) is not None:
                return self.language.pick(brief[0])
            texts = [self.bare(arg) for arg in args]
            return self._fill(self.language.pick(FUNCTIONS[func].phrase), texts)
        if func == "dim" and (place := from_the_end(*args)) in LAST_AXES:
            return self._fill(self.language.pick(LAST_AXES[place]), [self.bare(args[0])])
        texts = [self._shared(func, arg) if func in _VALUED_ARGS else self.bare(arg) for arg in args]
        if func == "dim":
            texts[1] = self._index(args[1])
        if is_infix(Call(func, args)):
            texts = [
                f"({text})" if isinstance(opened(self, arg), Arith) else text
                for arg, text in zip(args, texts, strict=True)
            ]
        return self._fill(self.language.pick(FUNCTIONS[func].phrase), texts)

    def _shared(self, func: str, arg: Node) -> str:
        """An argument with its value; a tensor stands for its fact where the phrase says which fact it shares."""
        match arg:
            case Call(func=fact, args=(tensor,)) if fact == SHARED.get(func):
                return self.bare(tensor) + self._shown(arg)
            case _:
                return self.noun(arg)

    def _fill(self, phrase: str, texts: list[str]) -> str:
        return phrase.format(*texts, args=self.language.nouns(texts, last="and"))


def _holds_tensors(value: object) -> bool:
    return isinstance(value, tuple) and any(not isinstance(item, Number | str) for item in value)


def _literal_list(items: tuple[Node, ...], texts: list[str]) -> str:
    """A list of constants, as a tuple."""
    if not items:
        return "()"
    numbers = not any(isinstance(item, Str | Symbol) for item in items)
    return f"({texts[0]},)" if len(texts) == 1 and numbers else f"({', '.join(texts)})"
