"""Derived cases kept between runs, so that a change of one spec derives one operator again and not all of them.

The key is a hash of what the derivation reads of the compiled spec, and of every module that it runs through. The
folder is $ACLSPEC_CACHE, else ``aclspec`` in $XDG_CACHE_HOME or ~/.cache; nothing is kept where it cannot be written.
ACLSPEC_CACHE=off derives everything anew.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, cast

from aclspec.codegen.derive.sources import sources
from aclspec.codegen.folders import cache_folder
from aclspec.codegen.kept import Versions
from aclspec.codegen.same import remembered
from aclspec.runtime.info import LetInfo, OperatorInfo, ParamInfo, RuleInfo
from aclspec.runtime.predicate.nodes import Position

_UNREAD = {"header", "category", "spec", "clauses", "kernel", "tolerance", "deterministic"}
_UNREAD |= {"doc", "reason", "summary", "title"}
"""Fields of a compiled spec that no derivation reads: where the operator stands, its kernel, and texts for readers."""
_PARTS = (RuleInfo, LetInfo, ParamInfo)
Kept = TypeVar("Kept")


def kept(info: OperatorInfo, compute: Callable[[OperatorInfo], Kept]) -> Kept:
    """What ``compute`` gives for an operator, from an earlier run where nothing that it depends on has changed."""
    folder = cache_folder("derive")
    if folder is None:
        return compute(info)
    versions, ours = Versions(folder / info.snake), key(info)
    found = versions.recall(ours)
    if found is None:
        found = compute(info)
        versions.store(ours, found)
    return cast(Kept, found)


def key(info: OperatorInfo) -> str:
    """A hash of everything that decides what is derived from an operator."""
    return _hash(_meaning(info, whole=True), _sources())[:32]


def _hash(meaning: Iterator[Any], before: bytes = b"") -> str:
    return hashlib.sha256(before + repr(list(meaning)).encode()).hexdigest()


@remembered
def _part(value: Any) -> str:
    """The hash of a rule, a let or a parameter, which operators of a family have in common."""
    return _hash(_meaning(value, whole=True))


def _meaning(value: Any, whole: bool = False) -> Iterator[Any]:
    """The parts of a compiled spec in order; what is not read, and places in the file, are left out."""
    if isinstance(value, Position):
        return
    if isinstance(value, _PARTS) and not whole:
        yield _part(value)
    elif is_dataclass(value):
        yield type(value).__name__
        for name in _fields(value.__class__):
            yield name
            yield from _meaning(getattr(value, name))
    elif isinstance(value, tuple):
        yield len(value)
        for item in value:
            yield from _meaning(item)
    else:
        yield value


@cache
def _fields(kind: Any) -> tuple[str, ...]:
    """The fields that derivation may read."""
    return tuple(field.name for field in fields(kind) if field.name not in _UNREAD)


@cache
def _sources() -> bytes:
    """A hash of the derivation, of the runtime that it asks, and of the Python that runs it."""
    digest = hashlib.sha256(sys.version.encode())
    for name, text in sources().items():
        digest.update(name.encode() + b"\0" + text)
    return digest.digest()
