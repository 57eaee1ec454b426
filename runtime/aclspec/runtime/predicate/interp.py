"""The interpreter of an operator's rules: what `explain` and the tests trust.

It shares no code with the generated checks, so that each can be held against the other.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from aclspec.runtime.info import Mode, OperatorInfo, RuleInfo
from aclspec.runtime.predicate.evaluation import Environment, evaluate_node
from aclspec.runtime.predicate.nodes import Node
from aclspec.runtime.predicate.values import INFERRED, UNDEFINED
from aclspec.runtime.status import Status

__all__ = ["INFERRED", "UNDEFINED", "Environment", "Memory", "Outcome", "Report", "evaluate", "evaluate_node"]

Outcome: TypeAlias = Literal["holds", "fails", "n/a", "off", "skipped"]


@dataclass(frozen=True, slots=True)
class Report:
    """What every rule of an operator says about one call on one product.

    ``outcomes`` keeps the order of the checks. "n/a": the rule's guard or one of its facts leaves it nothing to say.
    "off": this product or this mode does not check it. "skipped": a shortcut, or the product rule, comes before it.
    Rules after a failure are evaluated all the same. ``shortcut`` is the one that a call without a failure takes.
    """

    outcomes: Mapping[str, Outcome]
    failing: tuple[str, ...]
    status: Status
    shortcut: str | None

    @property
    def first(self) -> str | None:
        """The rule that decides the status."""
        return self.failing[0] if self.failing else None


class Memory:
    """What predicates say of one call, for those who ask about many products: the same where the dtype rows are."""

    def __init__(self) -> None:
        """Nothing said yet."""
        self._said: dict[Hashable, tuple[dict[str, object], dict[Node, object]]] = {}

    def of(self, info: OperatorInfo, product: str, mode: Mode) -> tuple[dict[str, object], dict[Node, object]]:
        """The values of names and of whole predicates on the products with the same rows as this one."""
        rows = tuple(row.cells for row in info.rows if product in row.products and mode in row.modes)
        return self._said.setdefault(rows, ({}, {}))


def evaluate(
    info: OperatorInfo, call: Mapping[str, object], product: str, mode: Mode, memory: Memory | None = None
) -> Report:
    """The outcome of every rule for a call, given as C names of all parameters; ``memory`` is of this call."""
    env = Environment(info, call, product, mode, {}, *(memory or Memory()).of(info, product, mode))
    outcomes: dict[str, Outcome] = {}
    reached: RuleInfo | None = None
    unlisted = next((rule for rule in info.rules if rule.kind == "product" and _outcome(rule, env) == "fails"), None)
    for rule in info.rules:
        if unlisted is not None:
            outcomes[rule.id] = "fails" if rule is unlisted else "skipped"
        elif reached is not None:
            outcomes[rule.id] = "skipped"
        else:
            outcomes[rule.id] = _outcome(rule, env)
            if rule.kind == "shortcut" and outcomes[rule.id] == "holds":
                reached = rule
    failing = tuple(rule for rule, outcome in outcomes.items() if outcome == "fails")
    shortcut = reached.id if reached is not None and not failing else None
    return Report(outcomes, failing, _status(info, failing, mode), shortcut)


def _status(info: OperatorInfo, failing: tuple[str, ...], mode: Mode) -> Status:
    return Status[dict(info.rule(failing[0]).status)[mode]] if failing else Status.ACLNN_SUCCESS


def _outcome(rule: RuleInfo, env: Environment) -> Outcome:
    """What one rule says, for itself."""
    if rule.outcome == "undefined" or not _enforced(rule, env):
        return "off"
    if rule.kind == "product":
        return "holds" if env.product in dict(env.info.products) else "fails"
    applies = rule.when is None or env.said(rule.when) is True
    if rule.kind == "shortcut":
        return "holds" if applies else "n/a"
    verdict = env.said(rule.require) if applies and rule.require is not None else UNDEFINED
    if verdict is UNDEFINED:
        return "n/a"
    return "holds" if verdict else "fails"


def _enforced(rule: RuleInfo, env: Environment) -> bool:
    """Whether this product, in this mode, checks the rule at all; a shortcut may leave its modes unsaid."""
    modes = dict(rule.status)
    in_mode = env.mode in modes or (rule.kind == "shortcut" and not modes)
    return in_mode and (not rule.products or env.product in rule.products)
