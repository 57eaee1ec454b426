"""Operators that differ in their rules only, or not at all: what is found out of one also holds for the others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from aclspec.codegen.emit.conditions import Conditions
from aclspec.codegen.emit.facts import Facts
from aclspec.codegen.emit.plain import shared
from aclspec.codegen.emit.rows import Rows
from aclspec.codegen.emit.scope import Scope
from aclspec.codegen.emit.tables import Tables
from aclspec.runtime.info import ComputeInfo, OperatorInfo

_FAMILIES = 4
"""So many families are remembered: each takes some megabytes, and operators that are alike come one after the other."""
_MEMBERS = 64
"""After so many operators a family is begun anew, since what each asks of the others' facts stays with these."""


@dataclass(slots=True, eq=False)
class Family:
    """Operators with the same parameters, lets and dtype rows; ``facts`` are those before the first rule."""

    conditions: Conditions
    facts: Facts
    members: int = 0


def family_of(info: OperatorInfo, universe: tuple[str, ...], remembered: bool) -> Family:
    """The family of a plain operator; a new one where it shall not be ``remembered``."""
    frame = replace(info, rules=(), infer=(), compute=ComputeInfo("", (), ()))
    if not remembered:
        return _begun(frame, universe)
    family = _family(frame, universe)
    family.members += 1
    if family.members == _MEMBERS:
        forget()
    return family


def forget() -> None:
    """Remember nothing of other operators any longer."""
    _family.cache_clear()
    shared.cache_clear()


@lru_cache(maxsize=_FAMILIES)
def _family(frame: OperatorInfo, universe: tuple[str, ...]) -> Family:
    return _begun(frame, universe)


def _begun(frame: OperatorInfo, universe: tuple[str, ...]) -> Family:
    scope = Scope(frame, universe)
    return Family(Conditions(Rows(scope, Tables(universe))), Facts(scope, scope.places))
