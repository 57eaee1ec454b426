"""The checks of an operator, in the order in which they run."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import Discriminator, Field, Tag

from aclspec.codegen.spec.base import Clauses, CName, Expression, Mode, Model, RuleId, Sentence, Text

Names: TypeAlias = Literal["all"] | Annotated[tuple[CName, ...], Field(min_length=1)]
Status: TypeAlias = Sentence | Annotated[dict[Mode, Sentence], Field(min_length=1)]
Modes: TypeAlias = Annotated[tuple[Mode, ...], Field(min_length=1)]


class Check(Model):
    """What every check may say."""

    enforced_by: Modes = ("document", "library")
    """The modes in which the check runs."""
    products: Annotated[tuple[str, ...], Field(min_length=1)] | None = None
    """The products it runs on; left out: all of them."""
    clauses: Clauses = ()
    """The clauses that it carries; ``{it}`` is the C name of the parameter."""
    doc: Text | None = None
    """What a reader should know beside the sentence made from the predicate."""


class FailingCheck(Check):
    """A check that a call can fail."""

    status: Status | None = None
    """The status code, or one per mode; left out: a null pointer is 161001 and all else 161002."""
    when: Expression | None = None
    """The check applies only when this holds."""
    fails_with: tuple[RuleId, ...] = ()
    """Rules without which this one cannot fail, so that no call fails it alone."""
    reason: Text | None = None
    """Why it cannot."""


class ProductCheck(Check):
    """The operator is called on a product that it lists; its id is ``product``."""

    kind: ClassVar[str] = "product"
    product: Literal["all"]
    """The products that the operator lists."""
    status: Status | None = None
    """The status code, or one per mode."""


class TableCheck(FailingCheck):
    """A fact of the parameter table, checked for some parameters in turn; the ids are ``<kind>-<parameter>``."""

    kind: ClassVar[str]
    id: RuleId | None = None
    """Another id; ``{it}`` is the kebab name of the parameter."""
    by: RuleId | None = None
    """The rule that carries the fact, so that this entry has none of its own."""

    @property
    def targets(self) -> tuple[str, ...] | Literal["all"]:
        """The parameters in the order of their checks."""
        names: tuple[str, ...] | Literal["all"] = getattr(self, self.kind)
        return names


class NullCheck(TableCheck):
    """The parameter is not a null pointer (when it is ``required``)."""

    kind = "null"
    null: Names
    """The parameters, or ``all`` that may not be null."""


class DtypeCheck(TableCheck):
    """The dtype of the parameter is in its column of the product's dtype rows."""

    kind = "dtype"
    dtype: Names
    """The parameters, or ``all`` that have a column."""


class FormatCheck(TableCheck):
    """The format of the parameter is one of its ``formats``."""

    kind = "format"
    format: Names
    """The parameters, or ``all`` that have formats."""


class RankCheck(TableCheck):
    """The number of dimensions of the parameter is within its ``rank``."""

    kind = "rank"
    rank: Names
    """The parameters, or ``all`` tensors."""


class EmptyCheck(TableCheck):
    """The parameter has elements."""

    kind = "empty"
    empty: Names
    """The parameters, or ``all`` that may not be empty."""


class ContiguousCheck(TableCheck):
    """The parameter is contiguous."""

    kind = "contiguous"
    contiguous: Names
    """The parameters, or ``all`` that must be contiguous."""


class LengthCheck(TableCheck):
    """The length of the array is one of its ``lengths``."""

    kind = "length"
    length: Names
    """The parameters, or ``all`` that have lengths."""


class ValueCheck(TableCheck):
    """The value of the attribute is one of its ``values``."""

    kind = "value"
    value: Names
    """The parameters, or ``all`` that have values."""


class JointCheck(FailingCheck):
    """The dtypes of the parameters stand together in one dtype row; the id is ``dtypes``."""

    kind: ClassVar[str] = "dtypes"
    dtypes: Names
    """The parameters, or ``all`` that have a column."""
    id: RuleId = "dtypes"
    """The id."""


class Rule(FailingCheck):
    """An explicit rule."""

    kind: ClassVar[str] = "rule"
    id: RuleId
    """The stable id; ``{it}`` is the kebab name of the element of ``each``."""
    each: Annotated[tuple[CName, ...], Field(min_length=1)] | None = None
    """The parameters that the rule is repeated for; in the predicates ``it`` is the parameter."""
    require: Expression
    """What must hold; a call for which it is undefined does not fail."""
    outcome: Literal["error", "undefined"] = "error"
    """Whether a call that breaks it is refused, or computed with an undefined result (then it is never checked)."""


class Shortcut(Check):
    """An early end of the checks: the call succeeds, needs no workspace and computes nothing."""

    kind: ClassVar[str] = "shortcut"
    shortcut: RuleId
    """The stable id."""
    when: Expression
    """The checks end here when this holds."""
    outputs: Literal["unwritten", "zeros"]
    """What becomes of the outputs."""


_KINDS: dict[str, type[Check]] = {
    "product": ProductCheck,
    "null": NullCheck,
    "dtype": DtypeCheck,
    "format": FormatCheck,
    "rank": RankCheck,
    "empty": EmptyCheck,
    "contiguous": ContiguousCheck,
    "length": LengthCheck,
    "value": ValueCheck,
    "dtypes": JointCheck,
    "require": Rule,
    "shortcut": Shortcut,
}
CHECK_KEYS: tuple[str, ...] = tuple(_KINDS)
"""The keys of which every entry of ``checks`` has exactly one: it says what kind of check the entry is."""
TABLE_KINDS: tuple[str, ...] = CHECK_KEYS[1:9]
"""The kinds of check that carry a fact of the parameter table."""


def check_key(entry: Any) -> str | None:
    """The key that says what kind of check an entry is, if it has one."""
    if isinstance(entry, Check):
        return next(key for key, kind in _KINDS.items() if type(entry) is kind)
    if not isinstance(entry, dict):
        return None
    return next((key for key in CHECK_KEYS if key in entry), None)


AnyCheck: TypeAlias = Annotated[
    Annotated[ProductCheck, Tag("product")]
    | Annotated[NullCheck, Tag("null")]
    | Annotated[DtypeCheck, Tag("dtype")]
    | Annotated[FormatCheck, Tag("format")]
    | Annotated[RankCheck, Tag("rank")]
    | Annotated[EmptyCheck, Tag("empty")]
    | Annotated[ContiguousCheck, Tag("contiguous")]
    | Annotated[LengthCheck, Tag("length")]
    | Annotated[ValueCheck, Tag("value")]
    | Annotated[JointCheck, Tag("dtypes")]
    | Annotated[Rule, Tag("require")]
    | Annotated[Shortcut, Tag("shortcut")],
    Discriminator(check_key),
]
