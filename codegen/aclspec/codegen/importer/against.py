"""A spec beside a page: every fact in which they differ."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aclspec.codegen.importer.draft import Draft
from aclspec.codegen.importer.model import Place
from aclspec.codegen.source.findings import START, Finding
from aclspec.codegen.source.yaml_tree import plain, read
from aclspec.runtime.abi.parameters import PARAM_TYPES

_DEFAULTS: dict[str, object] = {
    "rank": [0, 8], "optional": False, "empty": "allowed", "noncontiguous": "allowed", "values": [], "lengths": [],
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Difference:
    """What spec and page say of one thing; a dash where one of them says nothing."""

    about: str
    spec: str
    page: str
    places: tuple[Place, ...] = ()


def load_spec(path: Path) -> tuple[Mapping[str, Any] | None, list[Finding]]:
    """The tree of a spec file; None with findings where it cannot be read."""
    source = read(path)
    tree = plain(source.tree) if source.tree is not None else None
    if not isinstance(tree, dict) or not isinstance(tree.get("op"), str):
        wrong = Finding(source.file, START, "no-spec", "The file is not the spec of an operator.")
        return None, source.findings or [wrong]
    return tree, source.findings  # type: ignore[return-value]


def differences(spec: Mapping[str, Any], draft: Draft) -> Iterator[Difference]:
    """Products, parameters, dtypes, null checks and rules, in this order."""
    page = draft.tree
    places = {one.about: one.places for one in draft.origins}

    def differ(about: str, left: object, right: object) -> Iterator[Difference]:
        if left != right:
            yield Difference(about, _shown(left), _shown(right), places.get(about, ()))

    yield from differ("products", _products(spec), _products(page))
    yield from differ("params", [p.get("name") for p in _params(spec)], [p.get("name") for p in _params(page)])
    mine = {entry["name"]: entry for entry in _params(page)}
    for entry in _params(spec):
        other = mine.get(entry.get("name"))
        if other is None:
            continue
        for field in ("type", "direction", "formats", *_DEFAULTS):
            default = _DEFAULTS.get(field)
            left, right = entry.get(field, default), other.get(field, default)
            yield from differ(f"params.{entry['name']}.{field}", _normal(left), _normal(right))
    left_cells, right_cells = cells(spec), cells(page)
    for key in dict.fromkeys((*left_cells, *right_cells)):
        said = [_shown(sorted(table.get(key, set()))) for table in (left_cells, right_cells)]
        if said[0] != said[1]:
            yield Difference(f"dtypes.{key[0]} on {key[1]}", said[0], said[1], places.get(f"dtypes.{key[0]}", ()))
    yield from differ("null", _nulls(spec), _nulls(page))
    left_rules, right_rules = _rules(spec), _rules(page)
    for text, ident in left_rules.items():
        if text not in right_rules:
            yield Difference(f"checks.{ident}", text, "-")
    for text, ident in right_rules.items():
        if text not in left_rules:
            yield Difference(f"checks.{ident}", "-", text, places.get(f"checks.{ident}", ()))


def cells(tree: Mapping[str, Any]) -> dict[tuple[str, str], set[str]]:
    """The dtypes of each parameter on each product, over all rows of the mode document."""
    found: dict[tuple[str, str], set[str]] = {}
    for row in _list(tree, "dtypes"):
        if "document" not in row.get("conformance", ["document"]):
            continue
        names = {**(row.get("where") or {}), **(row.get("sets") or {})}
        for name, cell in (row.get("row") or {}).items():
            words = cell if isinstance(cell, list | tuple) else [cell]
            listed = {dtype for word in words for dtype in names.get(word, [word])}
            for product in row.get("products") or ():
                found.setdefault((name, product), set()).update(listed)
    return found


def _list(tree: Mapping[str, Any], key: str) -> Sequence[Mapping[str, Any]]:
    value = tree.get(key)
    return [entry for entry in value if isinstance(entry, Mapping)] if isinstance(value, list | tuple) else []


def _params(tree: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    return _list(tree, "params")


def _products(tree: Mapping[str, Any]) -> list[str]:
    return sorted(str(entry.get("product")) for entry in _list(tree, "products"))


def _nulls(tree: Mapping[str, Any]) -> list[str]:
    """The parameters whose null pointer is refused; ``all`` is every pointer that is not optional."""
    found: set[str] = set()
    for entry in _list(tree, "checks"):
        names = entry.get("null")
        if names == "all":
            pointers = [key for key, kind in PARAM_TYPES.items() if kind.pointer]
            found |= {p["name"] for p in _params(tree) if p.get("type") in pointers and not p.get("optional")}
        elif isinstance(names, list | tuple):
            found |= set(names)
    return sorted(found)


def _rules(tree: Mapping[str, Any]) -> dict[str, str]:
    """The texts of the rules, the sides of an equation in one order, and their ids."""
    return {
        _canonical(str(entry["require"])): str(entry.get("id", "rule"))
        for entry in _list(tree, "checks")
        if "require" in entry
    }


def _canonical(text: str) -> str:
    words = re.sub(r"\s+", " ", text).strip()
    sides = words.split(" == ")
    return " == ".join(sorted(sides)) if len(sides) == 2 and " and " not in words and " or " not in words else words


def _normal(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _shown(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "-"
    return "-" if value is None else str(value)
