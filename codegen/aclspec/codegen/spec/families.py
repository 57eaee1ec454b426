"""Families: parts of specs that many operators share, written once with parameters, taken in by ``use``.

A family is a part of a spec in the same language, in which ``$x`` stands for a parameter of the family. What the spec
says itself goes before what a family says; lists, such as rules and notes, are joined, the family's first. Its
shortcuts end the checks, and so stand behind the rules of the spec. Where a spec states its ``checks``, the rules of
its families stand behind them, before the shortcuts with which they end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Mapping as Table
from copy import deepcopy
from pathlib import Path
from typing import Annotated, TypeAlias

from pydantic import Field

from aclspec.codegen.source.findings import Finding, did_you_mean, listing
from aclspec.codegen.source.naming import Name
from aclspec.codegen.source.tree_edit import drop, expand_texts, put, word, words
from aclspec.codegen.source.yaml_tree import MADE, Mapping, Scalar, Sequence, Source, Tree, read
from aclspec.codegen.spec.base import CName, FullText, Model, Sentence
from aclspec.codegen.spec.checks import CHECK_KEYS
from aclspec.codegen.spec.validation import validate
from aclspec.runtime.language.nodes import Position

Families: TypeAlias = Table[str, Mapping]
"""The tree of each family by its name."""
_SLOT = re.compile(r"\$([A-Za-z_]\w*)")
_ID = re.compile(r"[a-z][a-z0-9]*(-([a-z0-9]+|\$\w+))+")
"""An id of a rule, such as ``format-$gradOutput``, in which a name stands in lower-case words."""


class Family(Model):
    """A part of specs, with the names that stand in it for names of an operator."""

    doc: FullText
    """What the operators of the family have in common."""
    names: Annotated[tuple[CName, ...], Field(min_length=1)]
    """The names that ``use`` gives; one that it leaves out stands for itself."""
    spec: dict[Sentence, object]
    """The part, in which ``$name`` is the name given."""


class FamiliesFile(Model):
    """``specs/common/families.yaml``."""

    families: dict[Sentence, Family]
    """The families by name."""


def read_families(folders: Iterable[Path], findings: list[Finding]) -> Families:
    """The families of some folders; where two have one name, that of the first folder."""
    found: dict[str, Mapping] = {}
    for path in (folder / "families.yaml" for folder in dict.fromkeys(folders)):
        if not path.is_file():
            continue
        source = read(path)
        if source.tree is not None:
            expand_texts(source.tree)
        file, tree = validate(source, FamiliesFile), source.tree
        families = tree.values["families"] if file is not None and isinstance(tree, Mapping) else None
        for name, family in families.values.items() if isinstance(families, Mapping) else ():
            if isinstance(family, Mapping):
                found.setdefault(str(name), family)
        findings += source.findings
    return found


def use_families(source: Source, families: Families) -> None:
    """Take the families into a spec that names them."""
    tree = source.tree
    chosen = drop(tree, "use") if isinstance(tree, Mapping) else None
    if not isinstance(tree, Mapping) or chosen is None:
        return
    own = {_id(item) for key in ("checks", "rules") for item in _items(tree.values.get(key))} - {""}
    for name, given, at in _chosen(source, chosen):
        family = families.get(name)
        if family is None:
            text = f"A family ({name}) does not exist{did_you_mean(name, families)}"
            source.findings.append(Finding(source.file, at, "unknown-family", text))
            continue
        known = words(family.values["names"])
        for slot in given:
            if slot not in known:
                text = f"A family ({name}) has no name ({slot}); expected {listing(known)}."
                source.findings.append(Finding(source.file, at, "unknown-family", text))
        part = _filled(family.values["spec"], {slot: given.get(slot, slot) for slot in known}, at)
        if isinstance(tree.values.get("params"), Sequence):
            text = f"A spec that uses a family ({name}) lists its parameters; expected them under their names."
            source.findings.append(Finding(source.file, at, "type", text))
        elif isinstance(part, Mapping):
            _leave_out(part, own)
            if "checks" in tree.values and "rules" in part.values:
                _append_rules(tree.values["checks"], drop(part, "rules"))
            _merge(tree, part)


def _chosen(source: Source, chosen: Tree) -> list[tuple[str, dict[str, str], Position]]:
    """The families that a spec uses, the names that it gives them, and where."""
    if isinstance(chosen, Mapping):
        found = []
        for name, given in chosen.values.items():
            names = given.values.items() if isinstance(given, Mapping) else ()
            filled = {str(slot): str(value.value) for slot, value in names if isinstance(value, Scalar)}
            found.append((str(name), filled, chosen.keys[name].at))
        return found
    if not words(chosen):
        text = "The value of use is no name of a family; expected a name, a list of names, or a mapping by name."
        source.findings.append(Finding(source.file, chosen.at, "type", text))
    return [(name, {}, chosen.at) for name in words(chosen)]


def _filled(tree: Tree, names: dict[str, str], at: Position) -> Tree:
    """A copy of a part of a family with names filled in, which stands where it is used."""

    def fill(value: object) -> object:
        if not isinstance(value, str):
            return value
        is_id = _ID.fullmatch(value) is not None
        filled = {slot: Name(name).kebab if is_id else name for slot, name in names.items()}
        return _SLOT.sub(lambda found: filled.get(found[1], found[0]), value)

    match tree:
        case Scalar(value=value, style=style):
            return Scalar(fill(value), at, style, MADE)  # type: ignore[arg-type]
        case Sequence(items=items):
            return Sequence(at, [_filled(item, names, at) for item in items])
    made = Mapping(at)
    for name, inner in tree.values.items():
        put(made, fill(name), _filled(inner, names, at), word(fill(name), at))  # type: ignore[arg-type]
    return made


def _leave_out(part: Mapping, own: set[str]) -> None:
    """Drop the rules of a family in whose place the spec has one of the same id."""
    rules = part.values.get("rules")
    if isinstance(rules, Sequence):
        rules.items = [item for item in rules.items if _id(item) not in own]


def _items(tree: Tree | None) -> list[Tree]:
    return tree.items if isinstance(tree, Sequence) else []


def _id(rule: Tree) -> str:
    """The id of a rule: that of a shortcut, or the key in front; empty for a check of a kind, which may come twice."""
    values = rule.values if isinstance(rule, Mapping) else {}
    front = str(next(iter(values), ""))
    if front == "shortcut":
        return next(iter(words(values[front])), "")
    return "" if front in CHECK_KEYS or front == "group" else front


def _append_rules(checks: Tree, rules: Tree | None) -> None:
    """Put the rules of a family behind the checks that a spec states, before the shortcuts with which these end."""
    if isinstance(checks, Sequence) and isinstance(rules, Sequence):
        end = len(checks.items)
        while end and _is_shortcut(checks.items[end - 1]):
            end -= 1
        added = [item for item in rules.items if not _is_shortcut(item)]
        last = [item for item in rules.items if _is_shortcut(item)]
        checks.items = [*checks.items[:end], *added, *checks.items[end:], *last]


def _is_shortcut(item: Tree) -> bool:
    return isinstance(item, Mapping) and "shortcut" in item.values


def _merge(own: Mapping, other: Mapping) -> None:
    """Add what another mapping has and this one lacks; lists are joined, the other's first but for its shortcuts."""
    for name, value in other.values.items():
        mine = own.values.get(name)
        if mine is None:
            put(own, name, deepcopy(value))
        elif isinstance(mine, Mapping) and isinstance(value, Mapping):
            own_names = list(mine.values)
            _merge(mine, value)
            if name == "let":  # each in terms of those above it
                taken = [one for one in mine.values if one not in own_names]
                mine.values = {one: mine.values[one] for one in (*taken, *own_names)}
        elif isinstance(mine, Sequence) and isinstance(value, Sequence):
            added = deepcopy(value.items)
            last = [item for item in added if _is_shortcut(item)]
            mine.items = [*(item for item in added if not _is_shortcut(item)), *mine.items, *last]
