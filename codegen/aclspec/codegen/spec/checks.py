"""The checks of an operator, in the order in which they run."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import Discriminator, Field, Tag

from aclspec.codegen.spec.base import Clauses, CName, Expression, Mode, Model, Products, RuleId, StatusName, Text
from aclspec.runtime.rules.operator_info import RuleKind

Names: TypeAlias = Literal["all"] | Annotated[tuple[CName, ...], Field(min_length=1)]
Status: TypeAlias = StatusName | Annotated[dict[Mode, StatusName], Field(min_length=1)]
Modes: TypeAlias = Annotated[tuple[Mode, ...], Field(min_length=1)]


class Check(Model):
    """What every check may say."""

    kind: ClassVar[RuleKind]
    enforced_by: Modes = ("document", "library")
    """The modes in which the check runs."""
    clauses: Clauses = ()
    """The clauses that it covers; ``{it}`` is the C name of the parameter."""
    doc: Text | None = None
    """What a reader should know beside the sentence made from the predicate."""


class FailingCheck(Check):
    """A check that a call can fail."""

    products: Products | None = None
    """The products it runs on; left out: all of them."""
    status: Status | None = None
    """The status code, or one per mode; left out: a null pointer is 161001 and all else 161002."""
    when: Expression | None = None
    """The check applies only when this holds."""


class ProductCheck(Check):
    """The operator is called on a product that it lists; its id is ``product``."""

    kind: ClassVar[RuleKind] = "product"
    product: Literal["all"]
    """The products that the operator lists."""
    status: Status | None = None
    """The status code, or one per mode."""


class TableCheck(FailingCheck):
    """A fact of the parameter table, checked for some parameters in turn; the ids are ``<kind>-<parameter>``.

    The word ``all`` leaves out those that another entry of the kind names.
    """

    id: RuleId | None = None
    """Another id; ``{it}`` is the kebab name of the parameter."""
    by: RuleId | None = None
    """The rule that covers the fact, so that this entry has none of its own."""

    @property
    def targets(self) -> tuple[str, ...] | Literal["all"]:
        """The parameters in the order of their checks."""
        names: tuple[str, ...] | Literal["all"] = getattr(self, self.kind)
        return names


class NullCheck(TableCheck):
    """The parameter is not a null pointer (when it is ``required``)."""

    kind: ClassVar[RuleKind] = "null"
    null: Names
    """The parameters, or ``all`` that may not be null."""


class DtypeCheck(TableCheck):
    """The dtype of the parameter is in its column of the product's dtype rows."""

    kind: ClassVar[RuleKind] = "dtype"
    dtype: Names
    """The parameters, or ``all`` that have a column."""


class FormatCheck(TableCheck):
    """The format of the parameter is one of its ``formats``."""

    kind: ClassVar[RuleKind] = "format"
    format: Names
    """The parameters, or ``all`` that have formats."""


class RankCheck(TableCheck):
    """The number of dimensions of the parameter is within its ``rank``."""

    kind: ClassVar[RuleKind] = "rank"
    rank: Names
    """The parameters, or ``all`` tensors."""


class EmptyCheck(TableCheck):
    """The parameter has elements."""

    kind: ClassVar[RuleKind] = "empty"
    empty: Names
    """The parameters, or ``all`` that may not be empty."""


class ContiguousCheck(TableCheck):
    """The parameter is contiguous."""

    kind: ClassVar[RuleKind] = "contiguous"
    contiguous: Names
    """The parameters, or ``all`` that must be contiguous."""


class LengthCheck(TableCheck):
    """The length of the array is one of its ``lengths``."""

    kind: ClassVar[RuleKind] = "length"
    length: Names
    """The parameters, or ``all`` that have lengths."""


class ValueCheck(TableCheck):
    """The value of the attribute is one of its ``values``."""

    kind: ClassVar[RuleKind] = "value"
    value: Names
    """The parameters, or ``all`` that have values."""


class JointCheck(FailingCheck):
    """The dtypes of the parameters stand together in one dtype row; the id is ``dtypes``."""

    kind: ClassVar[RuleKind] = "dtypes"
    dtypes: Names
    """The parameters, or ``all`` that have a column."""
    id: RuleId = "dtypes"
    """The id."""


class Rule(FailingCheck):
    """An explicit rule."""

    kind: ClassVar[RuleKind] = "rule"
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

    kind: ClassVar[RuleKind] = "shortcut"
    shortcut: RuleId
    """The stable id."""
    products: Products | None = None
    """The products it runs on; left out: all of them."""
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
"""Each entry of ``checks`` has exactly one of these keys, the kind of the check."""
TABLE_KINDS: tuple[str, ...] = CHECK_KEYS[1:9]
"""The kinds of check that cover a fact of the parameter table."""


def check_key(entry: Any) -> str | None:
    """The key that says what kind of check an entry is, if it has one."""
    return next((key for key in CHECK_KEYS if key in entry), None) if isinstance(entry, dict) else None


def _tag(entry: Any) -> str | None:
    """The name of the model of an entry, made so that no key of a mapping can be mistaken for it."""
    if isinstance(entry, Check):
        return next(f"check:{key}" for key, kind in _KINDS.items() if type(entry) is kind)
    key = check_key(entry)
    return f"check:{key}" if key else None


AnyCheck: TypeAlias = Annotated[
    Annotated[ProductCheck, Tag("check:product")]
    | Annotated[NullCheck, Tag("check:null")]
    | Annotated[DtypeCheck, Tag("check:dtype")]
    | Annotated[FormatCheck, Tag("check:format")]
    | Annotated[RankCheck, Tag("check:rank")]
    | Annotated[EmptyCheck, Tag("check:empty")]
    | Annotated[ContiguousCheck, Tag("check:contiguous")]
    | Annotated[LengthCheck, Tag("check:length")]
    | Annotated[ValueCheck, Tag("check:value")]
    | Annotated[JointCheck, Tag("check:dtypes")]
    | Annotated[Rule, Tag("check:require")]
    | Annotated[Shortcut, Tag("check:shortcut")],
    Discriminator(_tag),
]
