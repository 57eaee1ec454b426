"""Variants: an operator that differs from another one in its entry point, stated by what differs.

``variant_of: math/add.yaml`` takes everything from that spec; ``rename: {self: selfRef, out: selfRef}`` gives its
parameters other names, two of them the same where an output is written in place. What the variant states itself takes
the place of what it takes, and so does what its own families say; a key with null is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from aclspec.codegen.source.findings import Finding, did_you_mean
from aclspec.codegen.source.naming import Name
from aclspec.codegen.source.tree_edit import TEXTS, drop, entries, put, word
from aclspec.codegen.source.yaml_tree import MADE, Key, Mapping, Scalar, Sequence, Source, Tree, read
from aclspec.codegen.spec.families import Families, use_families
from aclspec.codegen.spec.short_params import DIRECTIONS, name_of, section
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.language.nodes import Position

_PROSE = TEXTS | {"deviation"}
_ID = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)+")
_OWN = ("op", "header", "source", "torch", "variant_of", "rename")
"""What a variant never takes."""


def take_base(source: Source, root: Path, families: Families) -> None:
    """Complete a variant by the spec that it is a variant of, with the families that this one uses."""
    tree = source.tree
    base = drop(tree, "variant_of") if isinstance(tree, Mapping) else None
    if not isinstance(tree, Mapping) or not isinstance(base, Scalar):
        return
    use_families(source, families)
    path = root / str(base.value)
    other = _read_base(path, families) if path.is_file() else None
    if not isinstance(other, Mapping) or "variant_of" in other.values:
        text = f"The spec ({base.value}) that this is a variant of does not exist, or is a variant itself."
        source.findings.append(Finding(source.file, base.at, "unknown-variant", text))
        source.tree = None  # every other finding would only follow from this one
        return
    stated = drop(tree, "rename")
    if isinstance(stated, Mapping):
        source.findings += _unknown_names(source, stated, other)
    names = {
        str(old): str(new.value)
        for old, new in (stated.values.items() if isinstance(stated, Mapping) else ())
        if isinstance(new, Scalar)
    }
    for key in _OWN:
        drop(other, key)
    if len(set(names.values())) < len(names):
        for key in ("examples", "calls"):  # their outputs are no longer apart from their inputs
            drop(other, key)
    formula = drop(other, "formula")
    made = _renamed(other, _Names(names), base.at)
    if formula is not None and isinstance(made, Mapping):
        put(made, "formula", _renamed(formula, _Names(names, ids=True), base.at))
    _override(tree, made)


def _unknown_names(source: Source, stated: Mapping, base: Mapping) -> Iterator[Finding]:
    """The names under ``rename`` that are neither a parameter nor a let of the base."""
    known = [str(name) for part in ("params", "let") for name in section(base, part)]
    known += [name_of(entry) for entry in entries(base, "params")]
    for name, key in stated.keys.items():
        if name not in known:
            text = f"A key of rename ({name}) is no parameter of the spec that this is a variant of"
            yield Finding(source.file, key.at, "unknown-param", text + did_you_mean(str(name), known))


def _read_base(path: Path, families: Families) -> Tree | None:
    source = read(path)
    use_families(source, families)
    return source.tree


class _Names:
    """Other names for some names, as whole words; in ids, such as ``dtype-self``, by lower-case words.

    ``ids``: a key of one word is an id too.
    """

    def __init__(self, names: dict[str, str], ids: bool = False) -> None:
        self.names = names
        self.pattern = re.compile(rf"\b({'|'.join(map(re.escape, names))})\b") if names else None
        self.ids = ids

    def __call__(self, text: Key, is_key: bool = False) -> Key:
        if self.pattern is None or not isinstance(text, str):
            return text
        is_id = _ID.fullmatch(text) is not None or (is_key and self.ids)
        return self.pattern.sub(lambda found: Name(self.names[found[1]]).kebab if is_id else self.names[found[1]], text)


def _renamed(tree: Tree, names: _Names, at: Position) -> Tree:
    """A copy that stands where the variant names its base, with other names but in prose."""
    match tree:
        case Scalar(value=str() as value, style=style):
            return Scalar(names(value), at, style, MADE)
        case Scalar(value=value, style=style):
            return Scalar(value, at, style, MADE)
        case Sequence(items=items):
            copies = [_renamed(item, names, at) for item in items]
            kept = (one for place, one in enumerate(copies) if not _is_twice(place, copies, items))
            return Sequence(at, list(kept))
    made = Mapping(at)
    for name, inner in tree.values.items():
        if name == "arguments" and isinstance(inner, Mapping):  # those of the reference's function, by its own names
            put(made, name, _with_own_keys(inner, names, at), word(name, at))
            continue
        is_type = name in DIRECTIONS and isinstance(inner, Scalar) and inner.value in PARAM_TYPES
        key, copy = (
            name if is_type else names(name, is_key=True),
            _renamed(inner, _Names({}) if name in _PROSE else names, at),
        )
        known = made.values.get(key)
        if isinstance(known, Mapping) and isinstance(copy, Mapping):
            for field, more in copy.values.items():
                if field not in (*known.values, "in", "out", "doc", "clauses"):
                    put(known, field, more)
        elif known is None:
            put(made, key, copy, word(key, at))
    return made


def _with_own_keys(tree: Mapping, names: _Names, at: Position) -> Mapping:
    """A copy with other names in the values alone."""
    made = Mapping(at)
    for name, inner in tree.values.items():
        put(made, name, _renamed(inner, names, at), word(name, at))
    return made


def _is_twice(place: int, copies: list[Tree], items: list[Tree]) -> bool:
    """Whether a name stands in a list already, where the base has two names."""
    item, own = copies[place], items[place]
    return (
        isinstance(item, Scalar)
        and isinstance(own, Scalar)
        and isinstance(item.value, str)
        and any(
            isinstance(other, Scalar) and isinstance(base, Scalar) and other.value == item.value
            for other, base in zip(copies[:place], items[:place], strict=True)
            if not isinstance(base, Scalar) or base.value != own.value
        )
    )


def _override(own: Mapping, base: Mapping | Tree) -> None:
    """Complete a mapping in place: its own values, and those of the base that it neither states nor leaves out."""
    if not isinstance(base, Mapping):
        return
    if any(isinstance(own.values.get(direction), Scalar) for direction in DIRECTIONS):  # a parameter has one
        for direction in DIRECTIONS:
            drop(base, direction)
    order = list(own.values) if base.values.keys() <= own.values.keys() else [*base.values, *own.values]
    values, keys = dict(own.values), dict(own.keys)
    own.values, own.keys = {}, {}
    for name in dict.fromkeys(order):
        mine, other = values.get(name), base.values.get(name)
        if isinstance(mine, Scalar) and mine.value is None and name != "default":
            continue
        if isinstance(mine, Mapping) and isinstance(other, Mapping):
            _override(mine, other)
        put(own, name, mine or other or own, keys.get(name) or base.keys[name])
