"""What a language gives to the writer of clauses: the words, and nothing about the tree.

Arguments are texts in the same language. ``truth`` false asks for the denial of a clause.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Literal, TypeAlias

from aclspec.runtime.info import Text

Lang: TypeAlias = Literal["en", "zh"]
Last: TypeAlias = Literal["and", "or"]
Quantity: TypeAlias = Literal["every", "some", "no"]


class Language(ABC):
    """The words of one language."""

    code: ClassVar[Lang]
    either: ClassVar[str]
    """Put before a choice that stands among other conditions."""

    def pick(self, text: Text) -> str:
        """This language's half of a text."""
        return text.en if self.code == "en" else text.zh

    @abstractmethod
    def nouns(self, items: Sequence[str], *, last: Last) -> str:
        """An enumeration: "a, b and c"."""

    @abstractmethod
    def clauses(self, items: Sequence[str], *, last: Last) -> str:
        """Several clauses as one."""

    @abstractmethod
    def predicates(self, subject: str, verbs: Sequence[str], *, last: Last) -> str:
        """A subject with several predicates."""

    @abstractmethod
    def neither(self, subject: str, nouns: Sequence[str]) -> str:
        """The subject is none of these."""

    @abstractmethod
    def relation(self, op: str, truth: bool, right: str, literal: bool) -> str:
        """The predicate of a comparison; ``literal``: the right side is a value as it stands."""

    @abstractmethod
    def same(self, truth: bool, right: str) -> str:
        """The predicate that a fact of one thing, its shape for example, is that of another."""

    @abstractmethod
    def one_of(self, truth: bool, items: Sequence[str], given: bool) -> str:
        """The predicate of membership in a list; ``given``: the subject shows its own value."""

    @abstractmethod
    def element_of(self, truth: bool, collection: str) -> str:
        """The predicate of membership in an array."""

    @abstractmethod
    def boolean(self, subject: str, truth: bool) -> str:
        """A flag is true, or false."""

    @abstractmethod
    def applies(self, subject: str, truth: bool) -> str:
        """A named condition holds, or does not."""

    @abstractmethod
    def constant(self, truth: bool) -> str:
        """A condition that is always true, or never."""

    @abstractmethod
    def divisible(self, truth: bool, right: str) -> str:
        """The predicate of divisibility."""

    @abstractmethod
    def broadcasts(self, truth: bool, right: str) -> str:
        """The predicate "broadcasts to"."""

    @abstractmethod
    def exactly_when(self, left: str, right: str) -> str:
        """Two clauses that are true together."""

    @abstractmethod
    def otherwise(self, condition: str, then: str, orelse: str) -> str:
        """A clause that depends on a condition."""

    @abstractmethod
    def case_by_case(self, cases: Sequence[str]) -> str:
        """Clauses under conditions that exclude each other, as one."""

    @abstractmethod
    def choice(self, cases: Sequence[tuple[str, str]], orelse: str) -> str:
        """A noun that depends on conditions: pairs of a condition and a noun, the first that holds counting."""

    @abstractmethod
    def worked(self, value: str, arguments: str) -> str:
        """A value and the arguments that it comes from."""

    @abstractmethod
    def whether(self, clause: str) -> str:
        """A clause as a noun."""

    @abstractmethod
    def element(self, base: str, index: str) -> str:
        """An element of an array."""

    @abstractmethod
    def quantified(self, quantity: Quantity, collection: str) -> str:
        """Every, some or no element of an array, as a subject."""

    @abstractmethod
    def size(self, quantity: Quantity, tensor: str) -> str:
        """The size of every, some or no axis of a tensor, as a subject."""

    @abstractmethod
    def for_each(self, quantity: Quantity, domain: str, clause: str) -> str:
        """A clause about each, some or none of the things of a domain."""

    @abstractmethod
    def of_each(self, noun: str, domain: str) -> str:
        """A list by its elements: a noun for each thing of a domain."""

    @abstractmethod
    def element_domain(self, quantity: Quantity, variable: str, collection: str) -> str:
        """The domain of a variable that runs over the elements of an array."""

    @abstractmethod
    def index_domain(self, quantity: Quantity, variable: str, collection: str) -> str:
        """The domain of a variable that runs over the indices of an array."""

    @abstractmethod
    def range_domain(self, quantity: Quantity, variable: str, start: str, stop: str) -> str:
        """The domain of a variable that runs over integers, ``stop`` left out."""

    @abstractmethod
    def not_ordered(self, op: str, right: str) -> str:
        """The predicate of an order that NaN does not have."""

    @abstractmethod
    def plural(self, phrase: str) -> str:
        """The phrase of a function, such as "{0} is empty", for several subjects."""

    @abstractmethod
    def arithmetic(self, op: str, left: str, right: str, plain: bool) -> str:
        """A term, its operands already in brackets where they need them; ``plain``: in symbols.

        The operator "followed by" joins lists.
        """

    @abstractmethod
    def of_shape(self, tensor: str, shape: str) -> str:
        """A tensor with its actual shape."""

    @abstractmethod
    def of_strides(self, tensor: str, strides: str) -> str:
        """A tensor with its actual strides."""

    @abstractmethod
    def row(self, truth: bool, param: str, dtype: str, product: str | None, supported: str) -> str:
        """A dtype that is, or is not, supported; ``product`` None stands for the caller's.

        ``dtype`` and ``supported`` are the actual values in parentheses, or empty.
        """

    @abstractmethod
    def together(self, truth: bool, params: Sequence[str], product: str | None) -> str:
        """Dtypes that are, or are not, supported together."""

    @abstractmethod
    def all_equal(self, count: int, dtypes: Sequence[str]) -> str:
        """What a product supports where all the dtypes, so many, must be one."""

    @abstractmethod
    def combinations(self, rows: Sequence[Sequence[tuple[Sequence[str], Sequence[str]]]]) -> str:
        """What a product supports: rows of parameters and the dtypes that each of them may have."""

    @abstractmethod
    def guarded(self, condition: str, clause: str) -> str:
        """A requirement that holds only under a condition."""

    @abstractmethod
    def despite(self, condition: str, clause: str, contrast: bool) -> str:
        """A failure under a condition; ``contrast``: the condition makes the failure one."""

    @abstractmethod
    def product(self, supported: Sequence[str], given: str | None) -> str:
        """The products that the operator supports; ``given``: one that it does not."""

    @abstractmethod
    def shortcut(self, condition: str | None, effect: str | None) -> str:
        """The call succeeds early."""

    @abstractmethod
    def undefined(self, clause: str) -> str:
        """What the hardware leaves undefined: the clause does not hold."""

    @abstractmethod
    def sentence(self, clause: str, names: frozenset[str]) -> str:
        """A clause as a sentence; ``names`` are written as they are even at its start."""
