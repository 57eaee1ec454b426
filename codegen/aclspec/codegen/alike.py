"""What is found out once for all operators that check the same: those whose names and words alone tell them apart.

Families of operators are such. What is kept for a family is worked out from `checked`, which has none of the names and
words, so that it cannot depend on them.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from aclspec.codegen.same import Same
from aclspec.runtime.info import ComputeInfo, ExampleInfo, OperatorInfo, Text
from aclspec.runtime.predicate.nodes import Float

_NOTHING = Text("", "")
_KEPT = 4
"""So many families are remembered: each takes memory, and operators that are alike come one after the other."""


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """Operators that check the same: one without names and words, and what is known of all of them.

    ``sound`` are the concerns of `aclspec.codegen.consistency` in which nothing was found wrong; ``kept`` is whatever
    else was worked out from ``checked``.
    """

    checked: OperatorInfo
    sound: set[tuple[str, tuple[ExampleInfo, ...]]] = field(default_factory=set)
    kept: dict[Hashable, Any] = field(default_factory=dict)


def family_of(info: OperatorInfo) -> Family:
    """The family of an operator."""
    return _family_of(Same(info))


@lru_cache(maxsize=2)
def _family_of(info: Same[OperatorInfo]) -> Family:
    """The same, found once for an operator."""
    return _family(_checked(info.value), _zeros(info.value))


@lru_cache(maxsize=_KEPT)
def _family(checked: OperatorInfo, zeros: tuple[str, ...]) -> Family:
    """The family of all operators that come to this; ``zeros`` only tells apart what equality does not."""
    return Family(checked)


def _checked(info: OperatorInfo) -> OperatorInfo:
    """The operator without what nothing depends on that is worked out for its family."""
    return replace(
        info,
        name="",
        snake="",
        header="",
        category="",
        summary=_NOTHING,
        spec="",
        params=tuple(replace(param, doc=_NOTHING, default=None, has_default=False) for param in info.params),
        lets=tuple(replace(let, doc=None) for let in info.lets),
        rules=tuple(replace(rule, clauses=(), doc=None, reason=None) for rule in info.rules),
        compute=ComputeInfo("", info.compute.precision, ()),
        examples=(),
    )


def _zeros(info: OperatorInfo) -> tuple[str, ...]:
    """The floats that are whole values, as written: -0.0 equals 0.0."""
    values = [let.value for let in info.lets]
    values += [value for row in info.compute.precision for _, value in row.entries]
    values += [value for rule in info.rules for value in (rule.when, rule.require) if value is not None]
    return tuple(repr(value.value) for value in values if isinstance(value, Float))
