"""Operators with the same names in their predicates: what is found out of one holds for the others too.

They may differ in their rules, in what is inferred, and in their dtype rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from aclspec.codegen.emit.facts import Facts
from aclspec.codegen.emit.plain import shared, trees
from aclspec.codegen.emit.scope import Scope
from aclspec.runtime.info import ComputeInfo, OperatorInfo
from aclspec.runtime.predicate.nodes import Call, Node
from aclspec.runtime.predicate.walk import children

_FAMILIES = 4
"""So many families are remembered: each takes some megabytes, and operators that are alike come one after the other."""
_MEMBERS = 64
"""After so many operators a family is begun anew, since what each asks of the others' facts stays with these."""


@dataclass(slots=True, eq=False)
class Family:
    """Operators with the same parameters, lets and products; ``facts`` are those before the first rule."""

    facts: Facts
    members: int = 0


def family_of(info: OperatorInfo, universe: tuple[str, ...]) -> Family:
    """The family of a plain operator."""
    rows = info.rows if any(map(_promotes, trees(info))) else ()
    frame = replace(info, rows=rows, rules=(), infer=(), compute=ComputeInfo("", (), ()))
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
    scope = Scope(frame, universe)
    return Family(Facts(scope, scope.places))


@lru_cache(maxsize=1 << 14)
def _promotes(node: Node) -> bool:
    """Whether a tree asks for a common dtype: only there a proof looks into the dtype rows."""
    return (isinstance(node, Call) and node.func == "promote") or any(map(_promotes, children(node)))
