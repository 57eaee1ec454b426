"""Sentences that are understood and give nothing to check: vague ones, which are questions, and remarks."""

from __future__ import annotations

from collections.abc import Sequence

from aclspec.codegen.importer.grammar import GRAMMAR, Hit, Outcome, Remark, TableFact, Vague

_BAD = "(unsupported|unsatisfied requirement?|invalid|differ requirement|requirement differ)"


_WHO = "(names|inputs|outputs)"


@GRAMMAR.form(
    "shape.vague",
    f"{_WHO}+ (shape|dims|rankword|value|numel|length|inputs|dimindex)* (shape|dims|rankword)"
    f" (value|shape|inputs|dims)* (inferred|outputs)* shape? {_BAD}",
    f"{_WHO}+ (shape|dims|rankword)+ (unsatisfied|ne|differ|same|must|other)? inferred+ shape?"
    " (outputs|shape|requirement|differ|same)*",
    f"{_WHO}+ (shape|dims) (unsatisfied|differ|ne)? (inferred|outputs|requirement)* shape? (differ|unsatisfied)?",
    "names+ shape? inferred shape? (differ|unsupported|ne)",
    "names shape unsatisfied",
    f"{_WHO}+ (shape|same|dims|other)* unsatisfied (same|shape|other|inferred|dims|promote|outputs)*"
    " (requirement|promote)?",
    f"{_WHO}* (dims|shape|rankword)+ requirement* (unsatisfied|unsupported|differ) requirement?",
)
def vague_shape(hit: Hit) -> Sequence[Outcome] | None:
    """The shape of ``x`` is wrong, and the sentence does not say how."""
    return None if hit.holds else [Vague("shape", tuple(hit.names))]


@GRAMMAR.form(
    "attribute.vague",
    "names (value|element|requirement|inputs|length|numel)* (unsupported|unsatisfied requirement?|invalid)",
    "names unsatisfied",
    "names (value|element)* (differ) requirement",
)
def vague_value(hit: Hit) -> Sequence[Outcome] | None:
    """The value of ``n`` is not legal, and the sentence does not say which are."""
    return None if hit.holds else [Vague("value", tuple(hit.names))]


@GRAMMAR.form(
    "remark.heading", "(requirement|names|eq|shape|dtype|value)*", "(names|other|value|dtype)? support? requirement"
)
def heading(hit: Hit) -> Sequence[Outcome] | None:
    """A heading of what follows, or nothing but names."""
    return [Remark("heading")] if hit.holds else None


@GRAMMAR.form(
    "remark.dtype",
    "names dtype? (eq|support|must)* dtypes dtype?",
    "(names|inputs|outputs) (support)? noncontiguous",
    "names support (null|emptytensor)",
)
def listed(hit: Hit) -> Sequence[Outcome] | None:
    """What the columns say as well."""
    return [Remark("column")] if hit.holds else None


@GRAMMAR.form("remark.internal", "internal+")
def internal(hit: Hit) -> Sequence[Outcome] | None:
    """CANN fails inside: nothing about the arguments."""
    return [Remark("internal")]


@GRAMMAR.form(
    "product.supported", "(cond|exist)? platform cond? unsupported (platform|requirement)*", "unsupported platform"
)
def product(hit: Hit) -> Sequence[Outcome] | None:
    """The operator is called on a product that it does not support: the product check says it."""
    return None if hit.holds else [TableFact("product", ())]
