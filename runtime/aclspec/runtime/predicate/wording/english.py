"""The words of the English sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from aclspec.runtime.predicate.wording.language import Lang, Language, Last, Quantity

_RELATIONS = {
    ("<", True): "is less than",
    ("<", False): "is not less than",
    ("<=", True): "is at most",
    ("<=", False): "is greater than",
    (">", True): "is greater than",
    (">", False): "is not greater than",
    (">=", True): "is at least",
    (">=", False): "is less than",
}
_OPERATORS = {"+": "plus", "-": "minus", "*": "times"}
_JOINED = re.compile(r", | and | or ")
_EFFECTS = {"unwritten": "and leaves its outputs unwritten", "zeros": "and fills its outputs with zeros"}


class English(Language):
    """English: present tense, the value in parentheses after its noun."""

    code: ClassVar[Lang] = "en"
    either: ClassVar[str] = "either "

    def nouns(self, items: Sequence[str], *, last: Last) -> str:
        """An enumeration: "a, b and c"."""
        *head, tail = items
        return f"{', '.join(head)} {last} {tail}" if head else tail

    def clauses(self, items: Sequence[str], *, last: Last) -> str:
        """Several clauses as one, with commas where a clause has an "and" or an "or" of its own."""
        *head, tail = items
        closed = tail.startswith(self.either) or not _JOINED.search(tail)
        if len(head) > 1 or not closed or any(_JOINED.search(item) for item in head):
            return f", {last} ".join(items)
        return f" {last} ".join(items)

    def predicates(self, subject: str, verbs: Sequence[str], *, last: Last) -> str:
        """A subject with several predicates; a repeated "is" is said once."""
        first, *rest = verbs
        if first.startswith("is ") and all(verb.startswith("is ") for verb in rest):
            rest = [verb.removeprefix("is ") for verb in rest]
        return f"{subject} {self.nouns([first, *rest], last=last)}"

    def neither(self, subject: str, nouns: Sequence[str]) -> str:
        """The subject is none of these."""
        return f"{subject} {self.one_of(False, nouns, True)}"

    def relation(self, op: str, truth: bool, right: str, literal: bool) -> str:
        """The predicate of a comparison."""
        if op in ("==", "!="):
            equal = truth == (op == "==")
            return f"is not {right}" if not equal else f"is {right}" if literal else f"equals {right}"
        return f"{_RELATIONS[op, truth]} {right}"

    def same(self, truth: bool, right: str) -> str:
        """The predicate that a fact of one thing is that of another."""
        return f"{'equals' if truth else 'is not'} {right}"

    def one_of(self, truth: bool, items: Sequence[str], given: bool) -> str:
        """The predicate of membership in a list."""
        if not items:
            return self.element_of(truth, "()")
        if truth:
            several = given and len(items) > 1
            return f"is one of {self.nouns(items, last='and')}" if several else f"is {self.nouns(items, last='or')}"
        match items:
            case [only]:
                return f"is not {only}"
            case [one, other]:
                return f"is neither {one} nor {other}"
            case _:
                return f"is none of {self.nouns(items, last='and')}"

    def element_of(self, truth: bool, collection: str) -> str:
        """The predicate of membership in an array."""
        return f"is {'' if truth else 'not '}an element of {collection}"

    def boolean(self, subject: str, truth: bool) -> str:
        """A flag is true, or false."""
        return f"{subject} is {'true' if truth else 'false'}"

    def applies(self, subject: str, truth: bool) -> str:
        """A named condition holds, or does not."""
        return f"{subject} {'applies' if truth else 'does not apply'}"

    def constant(self, truth: bool) -> str:
        """A condition that is always true, or never."""
        return f"the condition {'always' if truth else 'never'} holds"

    def divisible(self, truth: bool, right: str) -> str:
        """The predicate of divisibility."""
        return f"is {'' if truth else 'not '}divisible by {right}"

    def broadcasts(self, truth: bool, right: str) -> str:
        """The predicate "broadcasts to"."""
        return f"{'broadcasts' if truth else 'does not broadcast'} to {right}"

    def exactly_when(self, left: str, right: str) -> str:
        """Two clauses that are true together."""
        return f"{left} exactly when {right}"

    def otherwise(self, condition: str, then: str, orelse: str) -> str:
        """A clause that depends on a condition."""
        return f"when {condition}, {then}; otherwise, {orelse}"

    def case_by_case(self, cases: Sequence[str]) -> str:
        """Clauses under conditions that exclude each other, as one."""
        return "; ".join(cases)

    def choice(self, cases: Sequence[tuple[str, str]], orelse: str) -> str:
        """A noun that depends on conditions."""
        return f"{', '.join(f'{noun} when {condition}' for condition, noun in cases)} and {orelse} otherwise"

    def worked(self, value: str, arguments: str) -> str:
        """A value and the arguments that it comes from."""
        return f"{value} for {arguments}"

    def whether(self, clause: str) -> str:
        """A clause as a noun."""
        return f"whether {clause}"

    def element(self, base: str, index: str) -> str:
        """An element of an array."""
        return f"the element of {base} at index {index}" if " " in index else f"element {index} of {base}"

    def quantified(self, quantity: Quantity, collection: str) -> str:
        """Every, some or no element of an array, as a subject."""
        return f"{quantity} element of {collection}"

    def size(self, quantity: Quantity, tensor: str) -> str:
        """The size of every, some or no axis of a tensor, as a subject."""
        return f"the size of {quantity} axis of {tensor}"

    def for_each(self, quantity: Quantity, domain: str, clause: str) -> str:
        """A clause about each, some or none of the things of a domain."""
        return f"there is {domain} for which {clause}" if quantity == "no" else f"for {domain}, {clause}"

    def of_each(self, noun: str, domain: str) -> str:
        """A list by its elements."""
        return f"[{noun} for {domain}]"

    def element_domain(self, quantity: Quantity, variable: str, collection: str) -> str:
        """The domain of a variable that runs over the elements of an array."""
        return f"{quantity} element {variable} of {collection}"

    def index_domain(self, quantity: Quantity, variable: str, collection: str) -> str:
        """The domain of a variable that runs over the indices of an array."""
        return f"{quantity} index {variable} of {collection}"

    def range_domain(self, quantity: Quantity, variable: str, start: str, stop: str) -> str:
        """The domain of a variable that runs over integers."""
        return f"{quantity} {variable} from {start} up to but not including {stop}"

    def not_ordered(self, op: str, right: str) -> str:
        """The predicate of an order that NaN does not have."""
        return f"{_RELATIONS[op, True].replace('is ', 'is not ', 1)} {right}"

    def plural(self, phrase: str) -> str:
        """The phrase of a function for several subjects."""
        return phrase.replace("{0} is ", "{0} are ")

    def arithmetic(self, op: str, left: str, right: str, plain: bool) -> str:
        """A term: in symbols, or in words."""
        return f"{left} {op if plain else _OPERATORS.get(op, op)} {right}"

    def of_shape(self, tensor: str, shape: str) -> str:
        """A tensor with its actual shape."""
        return f"{tensor} of shape {shape}"

    def of_strides(self, tensor: str, strides: str) -> str:
        """A tensor with its actual strides."""
        return f"{tensor} of strides {strides}"

    def row(self, truth: bool, param: str, dtype: str, product: str | None, supported: str) -> str:
        """A dtype that is, or is not, supported."""
        verb = "is" if truth else "is not"
        return f"the dtype of {param}{dtype} {verb} one that {product or 'the product'} supports{supported}"

    def together(self, truth: bool, params: Sequence[str], product: str | None) -> str:
        """Dtypes that are, or are not, supported together."""
        verb = "are" if truth else "are not"
        return f"the dtypes of {self.nouns(params, last='and')} {verb} supported together on {product or 'the product'}"

    def all_equal(self, count: int, dtypes: Sequence[str]) -> str:
        """What a product supports where all the dtypes, so many, must be one."""
        alike = "both" if count == 2 else "all"
        return f"; there they are {self.nouns([f'{alike} {dtype}' for dtype in dtypes], last='or')}"

    def combinations(self, rows: Sequence[Sequence[tuple[Sequence[str], Sequence[str]]]]) -> str:
        """What a product supports."""
        texts = [
            " with ".join(f"{self.nouns(d, last='or')} for {self.nouns(p, last='and')}" for p, d in row) for row in rows
        ]
        return f"; supported there: {', or '.join(texts)}"

    def guarded(self, condition: str, clause: str) -> str:
        """A requirement that holds only under a condition."""
        return f"when {condition}, {clause}"

    def despite(self, condition: str, clause: str, contrast: bool) -> str:
        """A failure under a condition."""
        return f"{clause}, {'although' if contrast else 'while'} {condition}"

    def product(self, supported: Sequence[str], given: str | None) -> str:
        """The products that the operator supports."""
        listed = self.nouns(supported, last="and")
        if given is None:
            return f"the operator supports {listed}"
        return f"the operator does not support {given} (supported: {', '.join(supported)})"

    def shortcut(self, condition: str | None, effect: str | None) -> str:
        """The call succeeds early."""
        success = "the call succeeds with a workspace of 0 bytes"
        told = f"{success} {_EFFECTS[effect]}" if effect else success
        return f"when {condition}, {told}" if condition else told

    def undefined(self, clause: str) -> str:
        """What the hardware leaves undefined."""
        return f"the result is undefined unless {clause}"

    def sentence(self, clause: str, names: frozenset[str]) -> str:
        """A clause with a capital, unless a name stands first, and a full stop."""
        match = re.match(r"\(*(\w+)", clause)
        if match is None or match[1] in names:
            return f"{clause}."
        start = match.start(1)
        return f"{clause[:start]}{clause[start].upper()}{clause[start + 1 :]}."


ENGLISH = English()
