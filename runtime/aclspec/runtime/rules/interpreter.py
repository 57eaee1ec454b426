"""The rules of an operator about a call, one after the other: what `explain` and the tests trust.

A report is what every rule says on one product in one mode.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias
from weakref import finalize

from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.abi.status import Status
from aclspec.runtime.language.evaluation import Evaluator, Frame, Rows
from aclspec.runtime.language.nodes import Node
from aclspec.runtime.language.values import INFERRED, UNDEFINED, normalized, symbol
from aclspec.runtime.rules.operator_info import Mode, OperatorInfo, RuleInfo


class OperatorEvaluator(Evaluator):
    """Evaluates the predicates of one operator; it keeps nothing of a call."""

    def __init__(self, info: OperatorInfo) -> None:
        """Tabulate the parameters."""
        params = info.params
        super().__init__(
            (param.name for param in params),
            {let.name: let.value for let in info.lets},
            {param.name: param.checked for param in params if param.checked is not None},
            {param.name: dict(param.formats) for param in params if param.formats},
        )
        self._params = [(param.name, PARAM_TYPES[param.type].predicate == "dtype") for param in params]
        self._listed = info.rows
        self._rows: dict[tuple[str, Mode], Rows] = {}
        self._different: dict[Any, Rows] = {}

    def arguments(self, call: Mapping[str, object]) -> tuple[object, ...]:
        """The values of all parameters as predicates see them: arrays as tuples, dtypes by name."""
        found = [(normalized(call.get(name)), is_dtype) for name, is_dtype in self._params]
        return tuple([symbol(value) if is_dtype and value is not None else value for value, is_dtype in found])

    def rows(self, product: str, mode: Mode) -> Rows:
        """The dtype rows of a product in a mode; the same ones are one object."""
        if (product, mode) not in self._rows:
            tables = [row.table for row in self._listed if product in row.products and mode in row.modes]
            key = tuple(tuple(table.items()) for table in tables)
            self._rows[product, mode] = self._different.setdefault(key, tables)
        return self._rows[product, mode]


_EVALUATORS: dict[int, OperatorEvaluator] = {}


def evaluator_of(info: OperatorInfo) -> OperatorEvaluator:
    """The evaluator of an operator, which lives as long as the operator."""
    found = _EVALUATORS.get(id(info))
    if found is None:
        found = _EVALUATORS[id(info)] = OperatorEvaluator(info)
        finalize(info, _EVALUATORS.pop, id(info)).atexit = False
    return found


class Memory:
    """The values of one call for several products: they are the same on products with the same dtype rows."""

    def __init__(self) -> None:
        """Nothing evaluated yet."""
        self._frames: dict[int, Frame] = {}
        self.completed: tuple[Mapping[str, object], Memory] | None = None
        """The call with the outputs that were left out, and what is remembered of that."""

    def frame(self, evaluator: OperatorEvaluator, call: Mapping[str, object], rows: Rows) -> Frame:
        """The frame of the call with these rows."""
        found = self._frames.get(id(rows))
        if found is None:
            found = self._frames[id(rows)] = Frame(evaluator.arguments(call), rows)
        return found


@dataclass(frozen=True, slots=True)
class Environment:
    """What the names of a predicate stand for: the arguments of a call, the lets, and the variables in scope."""

    info: OperatorInfo
    call: Mapping[str, object]
    product: str
    mode: Mode
    variables: Mapping[str, object] = field(default_factory=dict)
    memory: Memory = field(default_factory=Memory, repr=False, compare=False)
    evaluator: OperatorEvaluator = field(init=False, repr=False, compare=False)
    frame: Frame = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Find the frame; variables have one of their own, where they hide parameters and lets of their names."""
        evaluator = evaluator_of(self.info)
        frame = self.memory.frame(evaluator, self.call, evaluator.rows(self.product, self.mode))
        if self.variables:
            call = tuple([self.variables.get(name, frame.call[at]) for name, at in evaluator.index.items()])
            frame = Frame(call, frame.rows, self.variables)
            frame.lets |= {name: value for name, value in self.variables.items() if name in evaluator.lets}
        object.__setattr__(self, "evaluator", evaluator)
        object.__setattr__(self, "frame", frame)

    def bind(self, variable: str, value: object) -> Environment:
        """The same call with one more variable."""
        return replace(self, variables={**self.variables, variable: value})

    def value(self, predicate: Node) -> Any:
        """The value of a predicate outside of every quantifier, found once."""
        values = self.frame.values
        if predicate not in values:
            values[predicate] = self.evaluator.code(predicate)(self.frame)
        return values[predicate]

    def lookup(self, name: str) -> Any:
        """The value of a name; None for a null parameter, `INFERRED` for an output that the caller left out.

        `UNDEFINED` stands for an unknown argument, which may even be null.
        """
        return self.evaluator.raw(name)(self.frame)

    def rows(self) -> Rows:
        """The dtype rows of this product in this mode."""
        return self.frame.rows


def evaluate_node(node: Node, env: Environment) -> Any:
    """The value of a node, or `UNDEFINED`."""
    return env.evaluator.code(node)(env.frame)


__all__ = [
    "INFERRED",
    "UNDEFINED",
    "Environment",
    "Memory",
    "OperatorEvaluator",
    "Outcome",
    "Report",
    "evaluate",
    "evaluate_node",
    "evaluator_of",
    "undefined_by",
]

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


def evaluate(
    info: OperatorInfo, call: Mapping[str, object], product: str, mode: Mode, memory: Memory | None = None
) -> Report:
    """The outcome of every rule for a call, given as C names of all parameters; ``memory`` is of this call."""
    env = Environment(info, call, product, mode, memory=memory or Memory())
    outcomes: dict[str, Outcome] = {}
    reached: RuleInfo | None = None
    unlisted = next((rule for rule in info.rules if rule.kind == "product" and _outcome(rule, env) == "fails"), None)
    for rule in info.checks:
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


def undefined_by(info: OperatorInfo, call: Mapping[str, object], product: str, mode: Mode) -> tuple[str, ...]:
    """The rules of undefined outcome that a call breaks which no other rule refuses; none where it takes a shortcut."""
    if evaluate(info, call, product, mode).shortcut is not None:
        return ()
    env = Environment(info, call, product, mode)
    return tuple(rule.id for rule in info.rules if rule.outcome == "undefined" and _outcome_of(rule, env) == "fails")


def _outcome(rule: RuleInfo, env: Environment) -> Outcome:
    """What one rule says, for itself; one of undefined outcome is never checked."""
    return "off" if rule.outcome == "undefined" else _outcome_of(rule, env)


def _outcome_of(rule: RuleInfo, env: Environment) -> Outcome:
    if not _enforced(rule, env):
        return "off"
    if rule.kind == "product":
        return "holds" if env.product in dict(env.info.products) else "fails"
    applies = rule.when is None or env.value(rule.when) is True
    if rule.kind == "shortcut":
        return "holds" if applies else "n/a"
    verdict = env.value(rule.require) if applies and rule.require is not None else UNDEFINED
    if verdict is UNDEFINED:
        return "n/a"
    return "holds" if verdict else "fails"


def _enforced(rule: RuleInfo, env: Environment) -> bool:
    """Whether this product, in this mode, checks the rule at all; a shortcut may leave its modes unsaid."""
    modes = dict(rule.status)
    in_mode = env.mode in modes or (rule.kind == "shortcut" and not modes)
    return in_mode and (not rule.products or env.product in rule.products)
