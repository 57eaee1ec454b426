"""Sentences about null pointers."""

from __future__ import annotations

from collections.abc import Sequence

from aclspec.codegen.importer.grammar import GRAMMAR, Hit, Outcome, Rule, TableFact, Vague, kebab


@GRAMMAR.form("null.named", "(names|inputs|outputs)* names (outputs|inputs)? (eq|exist)? null+", "exist null names")
def named(hit: Hit) -> Sequence[Outcome] | None:
    """``x``, ``y`` and ``out`` are null."""
    pointers = [one.name for one in hit.parameters if one.is_pointer]
    lists = hit.of_kind("tensor_list")
    if hit.holds or not pointers or (hit.has("exist") and lists == hit.names):
        return None  # "in the list there is a null" is about its elements
    if hit.tokens[1:] and hit.tokens[1].word == "outputs":
        pointers += [name for name in hit.outputs() if name not in pointers]
    return [TableFact("null", tuple(pointers))]


@GRAMMAR.form(
    "null.generic",
    "(cond|eq|inputs|outputs|exist|must|other|value)* (inputs|outputs) (eq|exist)? (cond|eq)* null+",
    "(exist|eq)* null",
    "(inputs|outputs)+ (eq|exist)? null",
)
def generic(hit: Hit) -> Sequence[Outcome] | None:
    """A pointer is null, without a name: every pointer that is not optional."""
    if hit.holds:
        return None
    required = tuple(
        one.name for one in hit.function.parameters if one.is_pointer and not hit.function.value(one.name, "optional")
    )
    return [TableFact("null", required)] if required else None


@GRAMMAR.form("null.must", "names given", "names cannot null", "names cannot eq null", "names (must)? ne null")
def must_be_given(hit: Hit) -> Sequence[Outcome] | None:
    """``x`` may not be null."""
    pointers = tuple(one.name for one in hit.parameters if one.is_pointer)
    return [TableFact("null", pointers)] if hit.holds and pointers else None


@GRAMMAR.form(
    "null.element",
    "names element? (exist|eq)? element? emptytensor? null",
    "names tensorlist? (exist|eq) null (tensorlist|element)*",
)
def element(hit: Hit) -> Sequence[Outcome] | None:
    """An element of the list ``xs`` is null."""
    lists = hit.of_kind("tensor_list")
    if hit.holds or not lists or len(lists) < len(hit.names):
        return None
    return [Rule(f"{kebab(name)}-null", f"all(not is_null(t) for t in {name})") for name in lists]


@GRAMMAR.form("null.unknown", "(names|other)+ (eq|exist)? null")
def unknown(hit: Hit) -> Sequence[Outcome] | None:
    """A pointer is null, and a name is none of the prototype."""
    return None if hit.holds else [Vague("unknown-name", tuple(hit.names))]
