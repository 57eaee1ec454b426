"""A spec with slips as it was most likely meant: a misspelt key or word is read as the one that its message suggests.

Only the rest of the file is checked with it: what was wrong has been reported, and no operator comes of the file.
"""

from __future__ import annotations

from collections.abc import Mapping as Groups
from dataclasses import replace

from pydantic import BaseModel

from aclspec.codegen.complaints import Complaint, literals
from aclspec.codegen.findings import nearest
from aclspec.codegen.modelwalk import fields, models_at
from aclspec.codegen.spec.checks import CHECK_KEYS
from aclspec.codegen.yamltext import Key, Mapping, Scalar, Sequence, Tree, find

Path = tuple[Key, ...]


class Hopeless(Exception):
    """A mistake that leaves open what was meant."""


def mended(tree: Mapping, model: type[BaseModel], groups: Groups[Path, list[Complaint]]) -> Tree:
    """The tree with every slip corrected; `Hopeless` where nothing is near."""
    whole = _copied(tree)
    for path, group in groups.items():
        first = group[0]
        if first.type == "extra_forbidden":
            _rename(whole, path, fields(models_at(model, first.detail["loc"][:-1])))
        elif words := [word for c in group if c.type == "literal_error" for word in literals(c)]:
            _respell(whole, path, words)
        elif first.type != "missing":  # a key that is missing may be there under a misspelt name
            raise Hopeless
    return whole


def _copied(tree: Tree) -> Tree:
    match tree:
        case Mapping(at=at, values=values, keys=keys):
            return Mapping(at, {key: _copied(value) for key, value in values.items()}, dict(keys))
        case Sequence(at=at, items=items):
            return Sequence(at, [_copied(item) for item in items])
    return tree


def _rename(whole: Tree, path: Path, known: list[str]) -> None:
    """An unknown key under the name that it is near to, or left out."""
    parent = find(whole, path[:-1])
    if not isinstance(parent, Mapping) or path[-1] not in parent.values or path[-1] in CHECK_KEYS:
        raise Hopeless
    value = parent.values.pop(path[-1])
    meant = nearest(str(path[-1]), known)
    if meant is not None:
        parent.values.setdefault(meant, value)


def _respell(whole: Tree, path: Path, words: list[str]) -> None:
    """An unknown word as the one that it is near to."""
    node, parent = find(whole, path), find(whole, path[:-1])
    meant = nearest(node.value, words) if isinstance(node, Scalar) and isinstance(node.value, str) else None
    if meant is None or not isinstance(node, Scalar):
        raise Hopeless
    if isinstance(parent, Mapping):
        parent.values[path[-1]] = replace(node, value=meant)
    elif isinstance(parent, Sequence) and isinstance(path[-1], int):
        parent.items[path[-1]] = replace(node, value=meant)
