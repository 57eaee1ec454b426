"""What an importer knows: facts with their places, the functions of a page, and questions.

A fact says one thing about one subject: "the rank of x is 2 to 4, on all products, by the column of the parameter
table in line 83". Where several facts speak of the same, the source decides (`PRIORITY`) and a conflict is a question.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from aclspec.codegen.importer.html_table import Products
from aclspec.runtime.abi.parameters import PARAM_TYPES

Source: TypeAlias = Literal["header", "page", "library", "definition", "answer"]
"""A C header, the page, checks of the library (op_api), the operator's definition (OpDef), or a person's answer."""

PRIORITY: dict[str, tuple[Source, ...]] = {
    "signature": ("answer", "header", "page"),
    "dtypes": ("answer", "page", "definition", "library"),
    "joint": ("answer", "definition", "page"),
    "rank": ("answer", "page", "library"),
    "null": ("answer", "library", "page"),
}
"""For each field the sources from the best to the last; a field that is not here follows the page."""
TENSORS = ("tensor", "tensor_list")
TRAILING = ("workspaceSize", "workspace_size", "executor")
"""The two pointers at the end of phase one, which a spec leaves out."""

_C_TYPES = {kind.c.rstrip("*"): kind.key for kind in PARAM_TYPES.values()}


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a page, and the heading above it."""

    file: str = ""
    line: int = 0
    section: str = ""

    def __str__(self) -> str:
        """``page.md:83``."""
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing about one subject: a parameter's name, or "" for the operator as a whole."""

    subject: str
    field: str
    value: object
    source: Source = "page"
    place: Place = Place()
    products: Products = None
    reading: str = "column"
    """How it was read: ``column``, ``note``, ``sentence``, ``reference``, ``name``, ``type`` or ``table``."""


@dataclass(slots=True)
class Parameter:
    """A parameter of phase one in C."""

    name: str
    c_type: str

    @property
    def kind(self) -> str | None:
        """The key of its type, such as ``int_array``; None for a type that specs do not have."""
        return _C_TYPES.get(self.c_type.replace("const", "").replace("*", "").replace(" ", ""))

    @property
    def is_tensor(self) -> bool:
        """Whether it is a tensor or a list of tensors."""
        return self.kind in TENSORS

    @property
    def is_pointer(self) -> bool:
        """Whether its value may be null."""
        return "*" in self.c_type

    def __str__(self) -> str:
        """``const aclTensor* self``, as a header writes it."""
        return f"{self.c_type} {self.name}"


Where: TypeAlias = Literal["error", "usage", "note", "constraint"]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a page: where it stands, the products, the parameter of its row, the status of an error row."""

    where: Where
    text: str
    place: Place
    products: Products = None
    subject: str = ""
    status: str = ""
    scenario: bool = False
    """Whether a line above it in the list limits it to some cases."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a person has to say; the texts are made from facts and quote nothing."""

    kind: str
    subject: str
    en: str
    zh: str
    places: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class JointTable:
    """Dtypes that are legal together: a value of ``rows`` has a tuple of dtypes for each parameter."""

    parameters: tuple[str, ...]
    rows: tuple[tuple[tuple[str, ...], ...], ...]
    place: Place
    products: Products = None
    source: Source = "page"


@dataclass(slots=True)
class Function:
    """A function of a page: its parameters, the facts about them, and the sentences that were not facts yet."""

    name: str
    page: str
    parameters: list[Parameter]
    facts: list[Fact] = field(default_factory=list)
    sentences: list[Sentence] = field(default_factory=list)
    joint: list[JointTable] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)

    def parameter(self, name: str) -> Parameter | None:
        """The parameter of this name; a name in another case counts where nothing fits exactly."""
        exact = next((one for one in self.parameters if one.name == name), None)
        return exact or next((one for one in self.parameters if one.name.lower() == name.lower()), None)

    def add(self, *facts: Fact) -> None:
        """Remember facts."""
        self.facts.extend(facts)

    def about(self, subject: str, field: str, product: str | None = None) -> Iterator[Fact]:
        """The facts about a field of a subject, the best source first."""
        order: Sequence[str] = PRIORITY.get(field, ("answer", "header", "page", "library", "definition"))
        found = [fact for fact in self.facts if fact.subject == subject and fact.field == field]
        for source in order:
            for fact in found:
                if fact.source == source and (product is None or fact.products is None or product in fact.products):
                    yield fact

    def value(self, subject: str, field: str, product: str | None = None) -> object:
        """The value of a field by its best source, or None."""
        return next((fact.value for fact in self.about(subject, field, product)), None)

    @property
    def products(self) -> tuple[str, ...]:
        """The products on which it may be called, in the project's order."""
        from aclspec.codegen.importer.vocabulary import PRODUCTS

        said = {fact.products: fact.value for fact in reversed(list(self.about("", "product")))}
        return tuple(key for key in PRODUCTS if said.get(frozenset((key,))) is True)

    def dtypes(self, name: str, product: str) -> tuple[str, ...]:
        """The dtypes of a parameter on a product; none where nothing says them."""
        value = self.value(name, "dtypes", product)
        return value if isinstance(value, tuple) else ()

    def direction(self, name: str) -> str:
        """``in``, ``out`` or ``inout``."""
        return str(self.value(name, "direction") or "in")
