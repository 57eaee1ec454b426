"""What an implication asks before it fires, one thing after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from aclspec.codegen.emit.guards import strict
from aclspec.codegen.emit.proofs import certain, proves
from aclspec.codegen.emit.scope import Scope
from aclspec.codegen.emit.stakes import Stake, of_certain, of_proof
from aclspec.codegen.emit.terms import denied
from aclspec.runtime.predicate.nodes import And, Node, Not, Or

if TYPE_CHECKING:
    from aclspec.codegen.emit.facts import Facts


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """Whether a predicate without lets is proved; ``whole`` when it must also be shown to be defined."""

    node: Node
    whole: bool

    def is_certain(self, facts: Facts) -> bool:
        """Whether it is known."""
        return certain(self.node, facts) if self.whole else proves(self.node, facts, 0)

    def stake(self, scope: Scope) -> Stake:
        """What that hangs on."""
        return of_certain(self.node, scope) if self.whole else of_proof(self.node, scope)


def questions(premise: Node, scope: Scope) -> Iterator[Question]:
    """What makes a premise certain: that it holds, and before it the guards without which it has no value."""
    node = scope.expand(premise)
    match node:
        case And(items=items):
            for item in items:
                yield from questions(item, scope)
        case Not(operand=Or(items=items)):
            for item in items:
                yield from questions(denied(item), scope)
        case _:
            asked = strict(node, scope)
            for guard in asked or ():
                yield _question(scope.expand(guard), False)
            yield _question(node, asked is None)


@lru_cache(maxsize=1 << 12)
def _question(node: Node, whole: bool) -> Question:
    """One and the same question about a predicate, so that it is found by its identity."""
    return Question(node, whole)
