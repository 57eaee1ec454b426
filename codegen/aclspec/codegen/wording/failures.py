"""The sentence of a failure: a subject with its value, what it must be, and when.

A requirement is taken apart into conditions, `requirements.parts`; the first that is false in a call says its sentence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from aclspec.codegen.wording.alternatives import chosen, range_of
from aclspec.codegen.wording.clauses import Writer
from aclspec.codegen.wording.demands import MUST
from aclspec.codegen.wording.language import LANGUAGES
from aclspec.codegen.wording.nouns import Bound, opened, opened_term
from aclspec.codegen.wording.patterns import (
    DENIED_ORDER,
    broadcasts_to,
    constant_side_right,
    divisor,
    is_clause,
    is_literal,
    simplified,
)
from aclspec.codegen.wording.requirements import Part, is_denial, negated, parts
from aclspec.codegen.wording.slots import APPOSITION, Slots
from aclspec.runtime.language import nodes as ast
from aclspec.runtime.language.functions import ELEMENTS, PHRASES, WINDOWS
from aclspec.runtime.language.nodes import Node
from aclspec.runtime.language.types import is_list
from aclspec.runtime.language.values import SHOWN_ELEMENTS
from aclspec.runtime.rules.operator_info import OperatorInfo, RuleInfo
from aclspec.runtime.rules.sentences import Lang

_UNSHOWN: Final = frozenset({"tensor", "tensors", "scalar", "scalars"})
"""Types whose values a sentence does not show."""


def failure(info: OperatorInfo, rule: RuleInfo, lang: Lang, stop: str) -> str:
    """The template of what is wrong with a call on which the rule fails; ``stop`` ends a sentence."""
    language, slots = LANGUAGES[lang], Slots()
    if supported := products_of(info, rule):
        return slots.template(language.say("product", slots.product(), language.nouns(supported, last="or")) + stop)
    assert rule.require is not None
    writer = Failures(language, info, slots)
    found = parts(info, rule.require)
    *before, text = [writer.about(part, rule) + stop for part in found]
    for part, other in zip(reversed(found[:-1]), reversed(before), strict=True):
        text = slots.choice(ast.Not(part.node), [other, text])
    return slots.template(text)


def products_of(info: OperatorInfo, rule: RuleInfo) -> list[str]:
    """The products that a rule lets pass which asks for nothing else; empty for another rule."""
    if rule.kind == "product":
        return [key for key, _ in info.products]
    is_ban = rule.require == ast.Bool(False) and rule.when is None
    return [key for key, _ in info.products if key not in rule.products] if is_ban and rule.products else []


@dataclass(frozen=True, slots=True)
class Failures(Writer):
    """Writes what must hold, about terms that have values."""

    def about(self, part: Part, rule: RuleInfo) -> str:
        """The sentence about a part, on the first element of each of its lists that fails."""
        if part.chain:
            (var, over), *_ = part.chain
            node = part.node
            assert isinstance(node, ast.Quantifier)
            assert self.slots is not None
            bound = Bound(self._element_called(var, over), ELEMENTS.get(self.type_of(over), ""), known=True)
            inner = replace(self, bound={**self.bound, var: bound})
            return self.slots.element(node, [inner.about(replace(part, chain=part.chain[1:]), rule)])
        asked, rest = self._alternatives(part.condition)
        text = self._any_of(asked)
        denied = [item for item in rest if is_denial(item)]
        conditions = [*([] if rule.when is None else [rule.when]), *part.guards, *map(negated, denied)]
        rest = [item for item in rest if item not in denied]
        is_undefined, english = rule.outcome == "undefined", self.language.code == "en"
        if english and (is_undefined or conditions) and APPOSITION.search(text):
            text += ","
        if english and is_undefined:
            text = self.language.say("defined", text)
        if conditions:
            holds = self.language.clauses([self._plainly(condition) for condition in conditions], last="and")
            text = self.language.say("when", text, holds)
        if rest:
            text = self.language.say("unless", text, self._plainly(rest[0] if len(rest) == 1 else ast.Or(tuple(rest))))
        return self.language.say("defined", text) if is_undefined and not english else text

    def _element_called(self, var: str, over: Node) -> str:
        """What one element of a list is called: an integer of a range by itself, the rest by its place."""
        assert self.slots is not None
        place = self.slots.index(var)
        match over:
            case ast.Call(func="range"):
                return self.slots.value(ast.Name(var))
            case ast.Call(func="shape", args=(tensor,)):
                return self.pick(PHRASES["dim"]).format(self.noun(tensor), place)
            case _:
                return self.element(self.noun(over), place)

    def _alternatives(self, node: Node) -> tuple[list[Node], list[Node]]:
        """What the sentence asks for, and what may hold in its place."""
        if not isinstance(node, ast.Or) or _options(node.items) is not None or self._nulls(node.items):
            return [node], []
        asked, rest = chosen(simplified(node), [name for name in self.bound if self._is_number(name)])
        return (asked, rest) if asked else ([node], [])

    def _any_of(self, nodes: Sequence[Node]) -> str:
        """One of the conditions on a subject: "it must be 0 or at least 4"."""
        if len(nodes) == 1:
            return self._sentence(nodes[0])
        if (options := _options(nodes)) is not None:
            return self._compared(options)
        verbs, subject = [], nodes[0]
        for node in nodes:
            if (bounds := range_of(node)) is not None:
                low, high = bounds
                subject = low.left
                verbs.append(self.language.both(self._must(low), self._must(high)))
            else:
                assert isinstance(node, ast.Compare)
                compare = constant_side_right(node)
                subject = compare.left
                verbs.append(self._must(compare))
        return self._failing(subject, self.language.any_of(verbs))

    def _nulls(self, items: Sequence[Node]) -> list[str]:
        """The parameters of which one must not be null, where that is all that is asked."""
        found = [
            self.noun(item.operand.args[0])
            for item in items
            if isinstance(item, ast.Not) and isinstance(item.operand, ast.Call) and item.operand.func == "is_null"
        ]
        return found if len(found) == len(items) else []

    def _sentence(self, node: Node) -> str:
        """What must hold, with the values that do not."""
        match node:
            case ast.Or(items=items) if nulls := self._nulls(items):
                return self.language.say("one given", self.language.nouns(nulls, last="and"))
            case ast.Compare(
                op="==" | "!=" as op,
                left=ast.Call(func="is_null", args=(one,)),
                right=ast.Call(func="is_null", args=(other,)),
            ):
                return self.language.say("both null", op == "==", self.noun(one), self.noun(other))
            case ast.Name(id=name) if (let := self.let(name)) is not None and let.doc is not None:
                return self.language.demanded(self.called(let.doc), True)
            case ast.Not(operand=ast.Name(id=name)) if (let := self.let(name)) is not None and let.doc is not None:
                return self.language.demanded(self.called(let.doc), False)
            case ast.Bool():
                return self.language.say("never")
            case ast.Not(operand=ast.Compare(op=op) as compare) if op in DENIED_ORDER:
                return self._compared(constant_side_right(replace(compare, op=DENIED_ORDER[op])))
            case ast.InRows(params=params):
                assert self.slots is not None
                return self.slots.rows(params)
            case ast.And(items=(ast.Compare() as low, ast.Compare() as high)):
                return self._range(constant_side_right(low), constant_side_right(high))
            case ast.Or(items=items) if (options := _options(items)) is not None:
                return self._compared(options)
            case ast.Compare():
                return self._compared(constant_side_right(node))
            case ast.Not(operand=ast.Call(func=func, args=args)) if func in MUST:
                return self._demanded(func, args, False)
            case ast.Call(func=func, args=args) if func in MUST:
                return self._demanded(func, args, True)
            case ast.Not(operand=flag) if self._is_flag(flag):
                return self._flag_of(flag, False)
            case flag if self._is_flag(flag):
                return self._flag_of(flag, True)
        pair = broadcasts_to(node)
        return self._general(node) if pair is None else self._broadcast(*pair)

    def _compared(self, node: ast.Compare) -> str:
        """One comparison."""
        if isinstance(node.right, ast.Bool):
            equal = node.right.value == (node.op == "==")
            return self._sentence(node.left if equal else ast.Not(node.left))
        if (pair := broadcasts_to(node)) is not None and node.op == "==":
            return self._broadcast(*pair)
        if self.is_clause(node.left) or self.is_clause(node.right) or not self._is_shown(node.left):
            return self._general(node)
        if (division := divisor(node)) is not None:
            dividend, by = division
            verb = self.language.say("must divisible", node.op == "==", self._known(by))
            return self._failing(dividend, verb)
        return self._failing(node.left, self._must(node))

    def _range(self, low: ast.Compare, high: ast.Compare) -> str:
        """Two comparisons that bound one term."""
        assert self.slots is not None
        if (low.op, high.op, low.right) == (">=", "<=", high.right):
            return self._compared(replace(low, op="=="))
        mirrored = isinstance(low.right, ast.Negate) and low.right.operand == high.right
        first = self.slots.value(low.right) if mirrored else self._known(low.right)
        return self._failing(low.left, self.language.both(self.language.say(f"must {low.op}", first), self._must(high)))

    def _must(self, node: ast.Compare) -> str:
        """The verb of what the left side of a comparison must be."""
        if node.op in ("in", "not in") and isinstance(node.right, ast.ListOf) and node.right.items:
            if self._is_long(node.right):
                return self._must_of_many(node.op, node.right)
            items = self.language.alternatives([self._item(item) for item in node.right.items])
            return self.language.say("must ==" if node.op == "in" else "must !=", items)
        return self.language.say(f"must {node.op}", self._known(node.right))

    def _must_of_many(self, op: str, options: ast.ListOf) -> str:
        """The verb for a long list of constants: its ends where it is a range, else its first elements."""
        assert self.slots is not None
        numbers = [item.value for item in options.items if isinstance(item, ast.Int)]
        if op == "in" and len(numbers) == len(options.items) == len({*numbers}) == max(numbers) - min(numbers) + 1:
            low, high = (self.language.say(f"must {one}", str(end(numbers))) for one, end in ((">=", min), ("<=", max)))
            return self.language.both(low, high)
        return self.language.say("must one of" if op == "in" else "must none of", self.slots.value(options))

    def _is_long(self, node: ast.ListOf) -> bool:
        """Whether a list of constants is shown as a value, its first elements in a sentence and all of them in JSON."""
        items = [opened(self, item) for item in node.items]
        constants = all(is_literal(item) and not isinstance(item, ast.Str) for item in items)
        return constants and len(items) > SHOWN_ELEMENTS

    def _failing(self, subject: Node, verb: str) -> str:
        match opened(self, subject):
            case ast.Call(func="dtype", args=(owner,)):
                noun = self.noun(owner)
            case ast.Call(func=func) if func in WINDOWS:
                noun = self.pick(WINDOWS[func].brief)
            case _:
                noun = self.noun(subject)
        return self.language.say("failing", noun, self._value(subject), verb)

    def _broadcast(self, one: Node, other: Node) -> str:
        return self._failing(one, self.language.say("must broadcast", self._known(other)))

    def _demanded(self, func: str, args: Sequence[Node], truth: bool) -> str:
        """A function of type bool that must be true, or false."""
        first, *rest = args
        phrase = self.pick(MUST[func][not truth])
        texts = {"value": self._value(first)} if self._is_shown(first) else {}
        if self.type_of(first) == "tensor":
            assert self.slots is not None
            texts = {fact: self.slots.value(ast.Call(fact, (first,))) for fact in ("shape", "strides")}
        if "{value}" in phrase and "value" not in texts:
            call = ast.Call(func, tuple(args))
            return self._general(call if truth else ast.Not(call))
        noun = self.dtypes(tuple(args)) if func == "promotable_all" else self.noun(first)
        return phrase.format(noun, *map(self._known, rest), **texts)

    def _is_flag(self, node: Node) -> bool:
        """Whether a node is a parameter or a variable of type bool, or an element of an array of them."""
        if isinstance(node, ast.Index):
            return isinstance(node.base, ast.Name)
        return isinstance(node, ast.Name) and self.let(node.id) is None

    def _flag_of(self, flag: Node, truth: bool) -> str:
        words = [str(value).lower() for value in (not truth, truth)]
        return self.language.say("failing", self.noun(flag), words[0], self.language.say("must ==", words[1]))

    def _general(self, node: Node) -> str:
        """The clause that must hold, and the terms that decide it with their values."""
        assert self.slots is not None
        given = {}
        for one in _terms(node):
            told = isinstance(one, ast.Name) and self.let(one.id) is not None and self.type_of(one) == "bool"
            if (
                not (told or (isinstance(one, ast.Name) and self._is_number(one.id)) or is_literal(opened(self, one)))
                and self._is_shown(one)
                and self.knows(one)
            ):
                given[self.noun(one)] = self.slots.value(one, "~")
        clause = self.language.required(self._plainly(node))
        if not given:
            return clause
        texts = [noun + value for noun, value in given.items()]
        return self.language.say("given", clause, self.language.nouns(texts, last="and"))

    def _is_number(self, name: str) -> bool:
        """Whether a name is the variable of a range, which a sentence shows as its number."""
        assert self.slots is not None
        return self._name(name) == self.slots.value(ast.Name(name))

    def _plainly(self, node: Node) -> str:
        """A clause whose terms may be undefined in the call."""
        return Writer(self.language, self.info, bound=self.bound).clause(node)

    def _known(self, node: Node) -> str:
        """A term on the right side: its value and what that is."""
        noun = self.noun(node)
        if is_literal(opened(self, node)) or not self._is_shown(node) or not self.knows(node):
            return noun
        value = self._value(node)
        if value == noun:
            return noun
        if isinstance(node, ast.Name) and self.let(node.id) is None:
            return self.language.say("known_term" if is_list(self.type_of(node)) else "known_item", noun, value)
        called = replace(self, language=LANGUAGES["en"]).noun(node)
        term = opened(self, node)
        is_size = isinstance(term, ast.Call) and term.func == "dim"
        is_phrase = is_size or (called.startswith("the ") and not isinstance(term, ast.ListOf | ast.IfElse))
        return self.language.say("known" if is_phrase else "known_term", noun, value)

    def _item(self, node: Node) -> str:
        """One of several terms."""
        if is_literal(opened(self, node)):
            return self.noun(node)
        phrase = "known" if is_list(self.type_of(node)) else "known_item"
        return self.language.say(phrase, self.noun(node), self._value(node))

    def _value(self, node: Node) -> str:
        """The value of a term: that of arithmetic with its operands, that of a window with its arguments."""
        assert self.slots is not None
        slots = self.slots
        match opened(self, node):
            case ast.Call(func=func, args=args) if func in WINDOWS:
                arguments = self.pick(WINDOWS[func].arguments).format(*map(slots.value, args))
                return self.language.say("window", slots.value(node), arguments)
            case ast.Arith() | ast.Negate() if not is_list(self.type_of(node)):
                return slots.value(opened_term(self, node), "=")
        text = slots.value(node)
        return f'"{text}"' if self.type_of(node) == "string" else text

    def _is_shown(self, node: Node) -> bool:
        return self.type_of(node) not in _UNSHOWN


def _options(items: Sequence[Node]) -> ast.Compare | None:
    """Equalities of one term as one membership."""
    compares = [constant_side_right(item) for item in items if isinstance(item, ast.Compare)]
    if len(compares) < len(items) or len({compare.left for compare in compares}) > 1:
        return None
    if any(compare.op != "==" or is_clause(compare.right) for compare in compares):
        return None
    return ast.Compare("in", compares[0].left, ast.ListOf(tuple(compare.right for compare in compares)))


def _terms(node: Node) -> Iterator[Node]:
    """The terms whose values decide a predicate."""
    match node:
        case ast.Compare(left=left, right=right):
            for side in (left, right):
                if is_clause(side):
                    yield from _terms(side)
                else:
                    yield from side.items if isinstance(side, ast.ListOf) else (side,)
        case ast.Call(func="is_empty", args=args):
            yield ast.Call("shape", args)
        case ast.Call(func="is_contiguous" | "is_transposed", args=args):
            yield from (ast.Call("shape", args), ast.Call("strides", args))
        case ast.Call(func="is_null"):
            return
        case ast.Call(args=args):
            yield from args
        case ast.Name():
            yield node
        case ast.Quantifier():
            return
        case _:
            for child in ast.children(node):
                yield from _terms(child)
