"""Small changes to a tree of YAML; a node that is made stands where the text is that it comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from aclspec.codegen.source.yaml_tree import MADE, Key, Mapping, Scalar, Sequence, Tree
from aclspec.runtime.language.nodes import Position

TEXTS = frozenset({"summary", "doc", "title", "reason", "place", "says", "note", "waiver", "because"})
"""The keys of texts, which may be a list of the English and the Chinese one."""


def word(value: str | int | float | bool | None, at: Position) -> Scalar:
    """A scalar that the file does not have."""
    return Scalar(value, at, "", MADE)


def mapping(at: Position, values: dict[str, Tree]) -> Mapping:
    """A mapping that the file does not have."""
    made = Mapping(at)
    for name, value in values.items():
        put(made, name, value)
    return made


def sequence(at: Position, words: Iterable[str | Tree]) -> Sequence:
    """A list that the file does not have, of words or nodes."""
    return Sequence(at, [word(one, at) if isinstance(one, str) else one for one in words])


def put(tree: Mapping, name: Key, value: Tree, key: Scalar | None = None) -> None:
    """Set a key, in the place of the value where the file has no key."""
    tree.values[name] = value
    tree.keys[name] = key or word(name, value.at)


def drop(tree: Mapping, name: Key) -> Tree | None:
    """Take a key out of a mapping; the value that it had."""
    tree.keys.pop(name, None)
    return tree.values.pop(name, None)


def each_of(root: dict[Key, Tree], name: str, change: Callable[[Tree], Iterable[Tree]]) -> None:
    """Replace each entry of a list by those that it stands for."""
    entries = root.get(name)
    if isinstance(entries, Sequence):
        entries.items = [one for entry in entries.items for one in change(entry)]


def words(tree: Tree | None) -> list[str]:
    """The strings of a list, or of a single one."""
    items = tree.items if isinstance(tree, Sequence) else [tree]
    return [item.value for item in items if isinstance(item, Scalar) and isinstance(item.value, str)]


def entries(tree: Mapping, name: str) -> list[Mapping]:
    """The mappings of a section that is a list."""
    found = tree.values.get(name)
    return [item for item in found.items if isinstance(item, Mapping)] if isinstance(found, Sequence) else []


def expand_texts(tree: Tree) -> None:
    """``[English, Chinese]`` as a mapping, everywhere below a node."""
    if isinstance(tree, Sequence):
        for item in tree.items:
            expand_texts(item)
    elif isinstance(tree, Mapping):
        for name, value in tree.values.items():
            if name in TEXTS and isinstance(value, Sequence) and len(value.items) == 2 and len(words(value)) == 2:
                tree.values[name] = mapping(value.at, dict(zip(("en", "zh"), value.items, strict=True)))
            else:
                expand_texts(value)
