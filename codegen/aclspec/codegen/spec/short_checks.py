"""Short forms of checks: rules under their ids, groups with common keys, and the usual checks in front of ``rules``."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from aclspec.codegen.source.naming import Name
from aclspec.codegen.source.tree_edit import drop, each_of, entries, mapping, put, word, words
from aclspec.codegen.source.yaml_tree import Key, Mapping, Scalar, Sequence, Tree
from aclspec.codegen.spec.checks import CHECK_KEYS, TABLE_KINDS
from aclspec.codegen.spec.short_params import TENSORS, predicate_of
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.language.nodes import Position

_MISSPELT = 0.8
"""How much a key must be like a kind of check to be a slip, and no id of a rule."""
CHECK_FIELDS = frozenset(
    {"enforced_by", "clauses", "doc", "products", "status", "when", "id", "by", "outcome"}
    | {"each", "outputs", "group", "checks"}
)


def expand_checks(tree: Mapping) -> None:
    """Rules under their ids, groups of checks with common keys, and the usual checks in front of ``rules``."""
    rules = tree.values.get("rules")
    if isinstance(rules, Sequence) and "checks" not in tree.values:
        drop(tree, "rules")
        stated = [one for entry in rules.items for one in expand_check(entry, {}, {})]
        usual, rest = _in_place([*_usual(tree, rules.at)], stated)
        put(tree, "checks", Sequence(rules.at, [*usual, *_with_output_shapes(tree, rest)]))
    else:
        each_of(tree.values, "checks", lambda entry: expand_check(entry, {}, {}))


def expand_check(entry: Tree, common: dict[Key, Tree], keys: dict[Key, Scalar]) -> Iterator[Tree]:
    """A check with the keys of the groups around it."""
    if not isinstance(entry, Mapping):
        yield entry
        return
    group, inner = entry.values.get("group"), entry.values.get("checks")
    if isinstance(group, Mapping) and isinstance(inner, Sequence):
        for one in inner.items:
            yield from expand_check(one, {**common, **group.values}, {**keys, **group.keys})
        return
    unknown = [key for key in entry.values if key not in CHECK_FIELDS and key not in CHECK_KEYS]
    if len(unknown) == 1 and not {"id", *CHECK_KEYS} & entry.values.keys():
        (name,) = unknown
        if isinstance(entry.values[name], Scalar) and not get_close_matches(str(name), CHECK_KEYS, 1, _MISSPELT):
            key, require = entry.keys[name], entry.values[name]
            drop(entry, name)
            rest = list(entry.values.items())
            places = dict(entry.keys)
            entry.values, entry.keys = {}, {}
            put(entry, "id", Scalar(name, key.at, key.style, key.span), key)
            put(entry, "require", require, key)
            for other, value in rest:
                put(entry, other, value, places[other])
    for name, value in common.items():
        if name not in entry.values:
            put(entry, name, value, keys[name])
    for name in (*TABLE_KINDS, "dtypes"):
        value = entry.values.get(name, entry)
        if isinstance(value, Scalar) and isinstance(value.value, str) and value.value != "all":
            entry.values[name] = Sequence(value.at, [value])
    yield entry


def _usual(tree: Mapping, at: Position) -> Iterator[Tree]:
    """The checks that follow from the tables, in the usual order: product, null, dtype, format, rank, length, value."""
    params = entries(tree, "params")
    rows = entries(tree, "dtypes")
    tensors = any(predicate_of(entry) in TENSORS for entry in params)
    joint = len(rows) > len({word for row in rows for word in words(row.values.get("products"))})
    joint = joint or any("where" in row.values for row in rows)
    typed = [entry for entry in params if predicate_of(entry) in (*TENSORS, "scalar", "scalars")]
    stated = {
        "product": True,
        "null": any(PARAM_TYPES[type_of(entry)].pointer for entry in params if predicate_of(entry)),
        "dtype": bool(rows),
        "dtypes": joint and len(typed) > 1,
        "format": tensors,
        "rank": tensors,
        "length": any("lengths" in entry.values for entry in params),
        "value": any("values" in entry.values for entry in params),
    }
    for kind, is_there in stated.items():
        if is_there:
            yield mapping(at, {kind: word("all", at)})


def _in_place(usual: list[Tree], stated: list[Tree]) -> tuple[list[Tree], list[Tree]]:
    """The usual checks, with each that the rules state for ``all`` in its place, and the rest of the rules."""
    kinds = {_of_all(check) for check in usual}
    own = {_of_all(check): check for check in stated if _of_all(check) in kinds}
    return [own.get(_of_all(check), check) for check in usual], [check for check in stated if _of_all(check) not in own]


def _of_all(check: Tree) -> str:
    """The kind of a check of all parameters; empty for any other check."""
    values = check.values if isinstance(check, Mapping) else {}
    return next((kind for kind in CHECK_KEYS if words(values.get(kind)) == ["all"]), "")


def type_of(entry: Mapping) -> str:
    """The C type of a parameter, by its key."""
    kind = entry.values["type"]
    return str(kind.value) if isinstance(kind, Scalar) else ""


NO_AXES = "range(0, 0)"
"""The shape of a scalar."""


def _with_output_shapes(tree: Mapping, stated: list[Tree]) -> Iterator[Tree]:
    """The rules, with one for each output that is inferred: its shape is the inferred one.

    It stands behind the rules that the inference relies on, or in front of all. There is none where a rule has its id.
    """
    ids = [set(words(rule.values.get("id"))) if isinstance(rule, Mapping) else set() for rule in stated]
    behind: dict[int, list[Tree]] = {}
    for rule, relies_on in _output_shapes(tree, set().union(*ids)):
        behind.setdefault(max((at for at, own in enumerate(ids, 1) if own & relies_on), default=0), []).append(rule)
    yield from behind.get(0, ())
    for at, rule in enumerate(stated, 1):
        yield rule
        yield from behind.get(at, ())


def _output_shapes(tree: Mapping, taken: set[str]) -> Iterator[tuple[Tree, set[str]]]:
    """For each output that is inferred the rule of its shape, and the rules that the inference relies on.

    Of an output without axes the rank says it all.
    """
    infer = tree.values.get("infer")
    for name, value in infer.values.items() if isinstance(infer, Mapping) else ():
        rule_id = f"{Name(str(name)).kebab}-shape"
        shape = value.values.get("shape") if isinstance(value, Mapping) else None
        if rule_id not in taken and isinstance(shape, Scalar) and shape.value not in (f"shape({name})", NO_AXES):
            text = f"({shape.value})" if " if " in str(shape.value) else shape.value
            require = word(f"shape({name}) == {text}", shape.at)
            relied = set(words(value.values.get("relies_on"))) if isinstance(value, Mapping) else set()
            yield mapping(shape.at, {"id": word(rule_id, shape.at), "require": require}), relied
