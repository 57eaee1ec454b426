"""Shorthand of a spec: the short forms of the YAML, turned into the long ones that the models describe.

A spec is expanded as a tree, before it is validated: every scalar keeps its place in the file, so that a finding about
what was expanded points at what the author wrote. A short form that is not well formed stays as it is, and the models
say what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Iterator

from aclspec.codegen.source.naming import Name
from aclspec.codegen.source.tree_edit import drop, each_of, entries, expand_texts, mapping, put, word, words
from aclspec.codegen.source.yaml_tree import Mapping, Scalar, Sequence, Tree
from aclspec.codegen.spec.levels import levels_below
from aclspec.codegen.spec.short_checks import expand_checks
from aclspec.codegen.spec.short_examples import expand_example, expand_note
from aclspec.codegen.spec.short_params import (
    TENSORS,
    Groups,
    by_id,
    expand_params,
    expand_products,
    in_group,
    name_of,
    predicate_of,
)
from aclspec.codegen.spec.short_rows import expand_row, spread_usual
from aclspec.runtime.rules.levels import Level

LISTS = frozenset(
    {"enforced_by", "products", "each", "clauses", "rules", "conformance", "formats", "lengths", "relies_on"}
)
"""The keys of lists, which may be their only element."""


def expand_operator(tree: Tree | None, folder: str, groups: Groups) -> Tree | None:
    """The long form of an operator's spec; ``folder`` is its category where it states none."""
    if not isinstance(tree, Mapping):
        return tree
    expand_texts(tree)
    root = tree.values
    _defaults(tree, folder)
    for name in ("formula", "examples", "calls", "notes", "unjudged", "kernels", "versions"):
        by_id(tree, name)
    expand_params(tree)
    expand_products(tree, groups)
    spread_usual(tree)
    each_of(root, "dtypes", lambda row: expand_row(row, tree, groups))
    expand_checks(tree)
    _written_in_place(tree)
    each_of(root, "examples", lambda one: expand_example(one, tree))
    each_of(root, "notes", expand_note)
    _lets(root.get("let"))
    _compute(tree)
    _lists(tree, groups)
    _clauses(tree)
    for name in ("listed_by", "sets"):
        drop(tree, name)
    return tree


def _written_in_place(tree: Mapping) -> None:
    """A parameter that is written in place comes from the caller: what would be inferred is a rule alone."""
    infer = tree.values.get("infer")
    if isinstance(infer, Mapping):
        for entry in entries(tree, "params"):
            if words(entry.values.get("direction")) == ["inout"]:
                drop(infer, name_of(entry))
        if not infer.values:
            drop(tree, "infer")


def raise_level(tree: Tree | None, level: Level) -> None:
    """Let a spec that is below a level say that it is of it."""
    if not isinstance(tree, Mapping):
        return
    stated = tree.values.get("level")
    if isinstance(stated, Scalar) and stated.value in levels_below(level):
        tree.values["level"] = word(level, stated.at)


def expand_clauses(tree: Tree | None) -> Tree | None:
    """The long form of a file of clauses: one entry a clause, each with its place and the number of the document."""
    if not isinstance(tree, Mapping):
        return tree
    entries = tree.values.get("clauses")
    document = tree.values.get("document")
    if isinstance(entries, Sequence) and isinstance(document, Scalar):
        entries.items = [one for entry in entries.items for one in _clause_entries(entry, str(document.value))]
    expand_texts(tree)
    return tree


def _clause_entries(entry: Tree, document: str) -> Iterator[Tree]:
    """The clauses of one place."""
    says = entry.values.get("says") if isinstance(entry, Mapping) else None
    if not isinstance(entry, Mapping) or not isinstance(says, Mapping) or {"en", "zh"} & says.values.keys():
        yield entry
        return
    for name, value in says.values.items():
        key = says.keys[name]
        one = mapping(key.at, {"id": word(f"{document}.{name}", key.at)})
        if "place" in entry.values:
            put(one, "place", entry.values["place"])
        if isinstance(value, Mapping) and "says" in value.values:
            for field, inner in value.values.items():
                put(one, field, inner, value.keys[field])
        else:
            put(one, "says", value)
        yield one


def _lists(tree: Tree, groups: Groups) -> None:
    """A single word as a list of one, and the products of a group in its place, everywhere below a node."""
    if isinstance(tree, Sequence):
        for item in tree.items:
            _lists(item, groups)
    elif isinstance(tree, Mapping):
        for name, value in tree.values.items():
            if name in LISTS and isinstance(value, Scalar) and value.value != "all" and value.value is not None:
                tree.values[name] = value = Sequence(value.at, [value])
            elif name == "rank" and isinstance(value, Scalar) and isinstance(value.value, int):
                tree.values[name] = Sequence(value.at, [value, value])
            if name == "products" and isinstance(value, Sequence):
                value.items = [one for item in value.items for one in in_group(item, groups)]
            _lists(tree.values[name], groups)


def _defaults(tree: Mapping, folder: str) -> None:
    """The header after the operator's name, the category after the folder."""
    op = tree.values.get("op")
    if not isinstance(op, Scalar) or not isinstance(op.value, str) or not op.value.startswith("aclnn"):
        return
    if "header" not in tree.values:
        put(tree, "header", word(Name(op.value).header, op.at))
    if "category" not in tree.values and folder:
        put(tree, "category", word(folder, op.at))


def _lets(lets: Tree | None) -> None:
    """``[value, English, Chinese]`` as a value with its text."""
    if not isinstance(lets, Mapping):
        return
    for name, value in lets.values.items():
        if isinstance(value, Sequence) and len(value.items) == 3:
            doc = mapping(value.items[1].at, {"en": value.items[1], "zh": value.items[2]})
            lets.values[name] = mapping(value.at, {"value": value.items[0], "doc": doc})


def _compute(tree: Mapping) -> None:
    """One row of precision without its list, one tolerance for all outputs, and the usual ones where none is stated."""
    compute = tree.values.get("compute")
    if not isinstance(compute, Mapping) or "kernel" not in compute.values:
        return
    at = compute.at
    params = entries(tree, "params")
    tensors = [entry for entry in params if predicate_of(entry) in TENSORS]
    outputs = [name_of(entry) for entry in tensors if "out" in "".join(words(entry.values.get("direction")))]
    if "roles" in compute.values:
        roles = compute.keys["roles"], drop(compute, "roles")
        row = Mapping(at)
        put(row, "roles", roles[1] or row, roles[0])
        put(compute, "precision", Sequence(at, [row]), roles[0])
    tolerance = compute.values.get("tolerance")
    if tolerance is None:
        tolerance = mapping(at, {"terms": word(1, at)})
    if isinstance(tolerance, Scalar) and tolerance.value == "exact":
        tolerance = mapping(at, {"terms": word(0, at), "factor": word(0, at)})
    if isinstance(tolerance, Mapping) and "terms" in tolerance.values and "terms" not in outputs:
        whole = Mapping(at)
        for name in outputs:
            one = Mapping(at, dict(tolerance.values), dict(tolerance.keys))
            if "unit" not in one.values:
                put(one, "unit", word(f"dtype({name})", at))
            put(whole, name, one)
        put(compute, "tolerance", whole)


def _clauses(tree: Mapping) -> None:
    """The ids of clauses, with the number of the document and, where they are numbers, the parameter."""
    source = tree.values.get("source")
    document = source.values.get("document") if isinstance(source, Mapping) else None
    if not isinstance(document, Scalar):
        return
    for entry in entries(tree, "params"):
        clauses, name = entry.values.get("clauses"), entry.values.get("name")
        if isinstance(clauses, Mapping) and isinstance(name, Scalar):
            for field, value in clauses.values.items():
                clauses.values[field] = value = value if isinstance(value, Sequence) else Sequence(value.at, [value])
                _numbered(value, f"{document.value}.", f"param.{name.value}.")
    _clauses_below(tree, f"{document.value}.")


def _clauses_below(tree: Tree, document: str) -> None:
    for value in tree.items if isinstance(tree, Sequence) else ():
        _clauses_below(value, document)
    for name, value in tree.values.items() if isinstance(tree, Mapping) else ():
        if name == "clauses" and isinstance(value, Sequence):
            _numbered(value, document, "param.{it}.")
        else:
            _clauses_below(value, document)


def _numbered(clauses: Sequence, document: str, param: str) -> None:
    for place, item in enumerate(clauses.items):
        if isinstance(item, Scalar) and isinstance(item.value, int):
            clauses.items[place] = Scalar(f"{document}{param}{item.value}", item.at, item.style, item.span)
        elif isinstance(item, Scalar) and isinstance(item.value, str) and item.value[:1].isalpha():
            clauses.items[place] = Scalar(f"{document}{item.value}", item.at, item.style, item.span)
