"""Short forms of parameters and products."""

from __future__ import annotations

from collections.abc import Mapping as Table
from typing import TypeAlias

from aclspec.codegen.source.tree_edit import drop, entries, mapping, put, sequence, word
from aclspec.codegen.source.yaml_tree import Key, Mapping, Scalar, Sequence, Tree
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.rules.levels import LEVELS

Groups: TypeAlias = Table[str, tuple[str, ...]]
"""Product groups by name."""
DIRECTIONS = ("in", "out", "inout", "unknown")
TENSORS = ("tensor", "tensors")
"""The types of tensors and of lists of them in predicates."""


def by_id(tree: Mapping, section: str, field: str = "id") -> None:
    """A section whose entries stand under their names, as a list of entries with names."""
    entries = tree.values.get(section)
    if not isinstance(entries, Mapping):
        return
    found = Sequence(entries.at)
    for name, value in entries.values.items():
        key = entries.keys[name]
        entry = mapping(key.at, {field: Scalar(name, key.at, key.style, key.span)})
        for inner in value.values if isinstance(value, Mapping) else ():
            put(entry, inner, value.values[inner], value.keys[inner])  # type: ignore[union-attr]
        found.items.append(entry)
    tree.values[section] = found


def expand_params(tree: Mapping) -> None:
    """Parameters by name, with type and direction in one key, the format ND, axes of one rank, and what is inferred."""
    _in_words(tree)
    by_id(tree, "params", "name")
    for entry in entries(tree, "params"):
        for direction in DIRECTIONS:
            if direction in entry.values and "type" not in entry.values:
                key, kind = entry.keys[direction], entry.values[direction]
                drop(entry, direction)
                put(entry, "type", kind, key)
                put(entry, "direction", word(direction, key.at), key)
        if predicate_of(entry) in TENSORS and "formats" not in entry.values and has_rules(tree):
            put(entry, "formats", sequence(entry.at, ["ND"]))
        formats = entry.values.get("formats")
        if formats is not None and not isinstance(formats, Mapping):
            entry.values["formats"] = Sequence(formats.at, named(formats, tree))
        axes = entry.values.get("axes")
        if isinstance(axes, Sequence) and all(isinstance(one, Scalar) for one in axes.items):
            entry.values["axes"] = Sequence(axes.at, [axes])
        _inferred(tree, entry)


def _in_words(tree: Mapping) -> None:
    """A parameter in words, ``in tensor`` or ``const out tensor``: its direction and its type, behind the const."""
    params = tree.values.get("params")
    if not isinstance(params, Mapping):
        return
    for name, value in params.values.items():
        said = value.value.split() if isinstance(value, Scalar) and isinstance(value.value, str) else []
        const = said[:1] == ["const"]
        if len(said) == 2 + const and said[-2] in DIRECTIONS:
            params.values[name] = entry = mapping(value.at, {said[-2]: word(said[-1], value.at)})
            if const:
                put(entry, "const", word(True, value.at))


def has_rules(tree: Mapping) -> bool:
    """Whether a spec is of a level with rules, and its defaults are facts that a rule checks."""
    level = tree.values.get("level")
    return not isinstance(level, Scalar) or level.value not in LEVELS or LEVELS[level.value].has_rules


def _inferred(tree: Mapping, entry: Mapping) -> None:
    """``shape``, ``dtype`` and ``format`` of an output as an entry of ``infer``."""
    name = entry.values.get("name")
    if "shape" not in entry.values or not isinstance(name, Scalar):
        return
    fields = [field for field in ("shape", "dtype", "format", "relies_on") if field in entry.values]
    found = Mapping(entry.values["shape"].at)
    for field in fields:
        key = entry.keys[field]
        put(found, field, drop(entry, field) or found, key)
    infer = tree.values.get("infer")
    if not isinstance(infer, Mapping):
        infer = Mapping(entry.at)
        put(tree, "infer", infer)
    put(infer, str(name.value), found, name)


def name_of(entry: Mapping) -> str:
    """The name of a parameter; empty where it has none."""
    name = entry.values.get("name")
    return str(name.value) if isinstance(name, Scalar) else ""


def predicate_of(entry: Mapping) -> str:
    """The type of a parameter in predicates; empty where its C type is unknown."""
    kind = entry.values.get("type")
    key = str(kind.value) if isinstance(kind, Scalar) else ""
    return PARAM_TYPES[key].predicate if key in PARAM_TYPES else ""


def expand_products(tree: Mapping, groups: Groups) -> None:
    """Products by their names alone."""
    products, listed_by = tree.values.get("products"), lister(tree)
    if isinstance(products, Scalar):
        tree.values["products"] = products = Sequence(products.at, [products])
    if not isinstance(products, Sequence):
        return
    items = [one for item in products.items for one in in_group(item, groups)]
    products.items = [mapping(one.at, {"product": one}) if isinstance(one, Scalar) else one for one in items]
    for entry in entries(tree, "products"):
        if listed_by is not None and "listed_by" not in entry.values:
            put(entry, "listed_by", listed_by)


def in_group(item: Tree, groups: Groups) -> list[Tree]:
    """The products that a name stands for."""
    if isinstance(item, Scalar) and item.value in groups:
        return [word(product, item.at) for product in groups[str(item.value)]]
    return [item]


def named(words_or_sets: Tree | None, tree: Mapping) -> list[Tree]:
    """Words, with those of a named set of the operator in its place."""
    items = words_or_sets.items if isinstance(words_or_sets, Sequence) else [words_or_sets]
    return [one for item in items if item is not None for one in known_set(item, tree) or [item]]


def known_set(item: Tree, tree: Mapping) -> list[Tree]:
    """The words of a named set of the operator; none where an item names no such set."""
    known = section(tree, "sets").get(str(item.value)) if isinstance(item, Scalar) else None
    return known.items if isinstance(known, Sequence) else []


def section(tree: Mapping, name: str) -> dict[Key, Tree]:
    """The entries of a section by name; none where it has another form."""
    inner = tree.values.get(name)
    return inner.values if isinstance(inner, Mapping) else {}


def lister(tree: Mapping) -> Tree | None:
    """Who lists products and rows: the newer documentation where there is no original document."""
    stated = tree.values.get("listed_by")
    at = tree.values["op"].at if "op" in tree.values else tree.at
    return stated if stated is not None or "source" in tree.values else word("newer", at)
