"""Would this call work, on which products, and if not, which arguments are at fault?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aclspec.runtime.abi.environment import resolve_conformance
from aclspec.runtime.abi.errors import ParamError, ParamTypeError, Violation
from aclspec.runtime.abi.parameters import NOT_GIVEN, bind
from aclspec.runtime.abi.products import KEYS, resolve_product
from aclspec.runtime.abi.status import Status
from aclspec.runtime.execution.outputs import bind_out, check_overlap, is_only_list
from aclspec.runtime.rules.interpreter import INFERRED, Memory, Outcome, evaluate
from aclspec.runtime.rules.levels import Level, unknown
from aclspec.runtime.rules.operator_info import Effect, Mode, OperatorInfo
from aclspec.runtime.rules.sentences import Lang, requirement
from aclspec.runtime.rules.violations import violations
from aclspec.runtime.tensors.array_coercion import is_tensor_like

if TYPE_CHECKING:
    from aclspec.runtime.rules.operator_table import OperatorTable
    from aclspec.runtime.rules.sentences import Lang


@dataclass(frozen=True, slots=True)
class ProductVerdict:
    """What one product says to a call.

    ``status`` is the answer of phase one, decided by the first of ``violations``; these are all the rules that fail,
    in the order of the checks. ``outcomes`` has every rule by its full id. ``shortcut`` is the rule that ends the
    checks of a good call early, explained by ``note``, with its ``effect`` on the outputs. Where no rule of the
    operator is known there is no status, and ``note`` says so.
    """

    product: str
    status: Status | None
    violations: tuple[Violation, ...]
    outcomes: Mapping[str, Outcome]
    shortcut: str | None = None
    effect: Effect | None = None
    note: str = ""

    @property
    def ok(self) -> bool | None:
        """Whether the call works; None where that is unknown."""
        return None if self.status is None else not self.violations

    @property
    def rule(self) -> str | None:
        """The full id of the rule that decides the status, if one fails."""
        return self.violations[0].rule if self.violations else None

    def __str__(self) -> str:
        """The product, the status, and a line for every violation."""
        return "\n".join([f"{self.product}: {self._answer()}", *self._lines()])

    def to_dict(self) -> dict[str, Any]:
        """The verdict as plain values."""
        return {
            "ok": self.ok,
            "status": None if self.status is None else int(self.status),
            "status_name": None if self.status is None else self.status.name,
            "rule": self.rule,
            "violations": [
                {"rule": one.rule, "status": int(one.status), "sentence": one.sentence} for one in self.violations
            ],
            "shortcut": self.shortcut,
            "effect": self.effect,
            "outcomes": dict(self.outcomes),
        }

    def _answer(self) -> str:
        return "unknown" if self.status is None else f"{self.status.name} ({int(self.status)})"

    def _lines(self) -> list[str]:
        if self.status is None:
            return [f"  {self.note}"]
        lines = [f"  {one.rule} ({int(one.status)}): {one.sentence}" for one in self.violations]
        return [*lines, f"  {self.shortcut}: {self.note}"] if self.shortcut else lines


@dataclass(frozen=True, slots=True)
class Explanation(Mapping[str, ProductVerdict]):
    """The verdict of each product asked about, by its key; ``level`` is that of the operator's spec."""

    operator: str
    conformance: Mode
    verdicts: Mapping[str, ProductVerdict]
    level: Level = "computed"

    def __getitem__(self, product: str) -> ProductVerdict:
        """The verdict of one product."""
        return self.verdicts[product]

    def __iter__(self) -> Iterator[str]:
        """The products, in the order of their table."""
        return iter(self.verdicts)

    def __len__(self) -> int:
        """How many products were asked about."""
        return len(self.verdicts)

    @property
    def ok(self) -> bool | None:
        """Whether the call works on every product asked about; None where that is unknown."""
        answers = {verdict.ok for verdict in self.verdicts.values()}
        return False if False in answers else None if None in answers else True

    def __str__(self) -> str:
        """Every product with its status and violations; products that say the same stand together."""
        blocks: dict[tuple[str, ...], list[str]] = {}
        for product, verdict in self.verdicts.items():
            blocks.setdefault((verdict._answer(), *verdict._lines()), []).append(product)
        lines = [f"{self.operator} (conformance: {self.conformance}, level: {self.level})"]
        for (answer, *rest), products in blocks.items():
            lines += [f"{', '.join(products)}: {answer}", *rest]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The explanation as plain values, for JSON."""
        return {
            "operator": self.operator,
            "level": self.level,
            "conformance": self.conformance,
            "ok": self.ok,
            "products": {product: verdict.to_dict() for product, verdict in self.verdicts.items()},
        }


def explain(
    info: OperatorInfo,
    call: Mapping[str, object],
    products: str | Iterable[str] = "all",
    conformance: Mode = "document",
    lang: Lang = "en",
) -> Explanation:
    """What each product says to a call, given as C names of all parameters; "all" is every product there is.

    Nothing is computed, and a bad call is an answer, not an exception.
    """
    keys = KEYS if products == "all" else (products,) if isinstance(products, str) else tuple(products)
    memory = Memory()
    verdicts = {str(key): _verdict(info, call, str(key), conformance, lang, memory) for key in keys}
    return Explanation(info.name, conformance, verdicts, info.level)


def _verdict(
    info: OperatorInfo, call: Mapping[str, object], product: str, mode: Mode, lang: Lang, memory: Memory
) -> ProductVerdict:
    if not info.facts.has_rules:
        return ProductVerdict(product, None, (), {}, note=unknown(info.name, lang))
    report = evaluate(info, call, product, mode, memory)
    outcomes = {f"{info.name}.{rule}": outcome for rule, outcome in report.outcomes.items()}
    if report.shortcut is None:
        found = violations(info, report, call, product, mode, lang)
        return ProductVerdict(product, report.status, found, outcomes)
    taken = info.rule(report.shortcut)
    note = requirement(taken, lang)
    return ProductVerdict(product, report.status, (), outcomes, f"{info.name}.{taken.id}", taken.effect, note)


def explain_call(
    operator: OperatorTable,
    args: Sequence[Any],
    keywords: Mapping[str, Any],
    product: str,
    conformance: str | None,
    out: object,
    lang: Lang,
) -> Explanation:
    """What each product says to a call; an output that is not given is inferred and blamed for nothing."""
    mode = resolve_conformance(conformance)
    keys = KEYS if product == "all" else (resolve_product(product),)
    inputs, given = _bound(operator, args, keywords, out)
    try:
        call = _converted(operator, inputs, given)
    except (ParamError, ParamTypeError) as error:  # an answer all the same: no product takes a value of this kind
        return _refused(operator, error, keys, mode)
    return explain(operator.info, call, keys, mode, lang)


def _bound(
    operator: OperatorTable, args: Sequence[Any], keywords: Mapping[str, Any], out: object
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The inputs in order, and the outputs that were given, by C name: as keywords, in ``out``, or in C order."""
    if len(args) == len(operator.params) > len(operator.inputs):  # as phase one takes them
        keywords = {param.name: value for param, value in zip(operator.params, args, strict=True)} | dict(keywords)
        args = ()
    pure = {spelling: param.name for param in operator.outputs if not param.is_input for spelling in param[:2]}
    given = {pure[name]: value for name, value in keywords.items() if name in pure}
    inputs = bind(
        operator.inputs, args, {name: value for name, value in keywords.items() if name not in pure}, operator.name
    )
    is_one_output = out is None or is_tensor_like(out) or is_only_list(operator.outputs, out)
    if "out" in pure and is_one_output:  # a keyword like any other: an output is called so
        given["out"] = out
    elif out is not None and out is not NOT_GIVEN:
        values = zip(operator.outputs, bind_out(operator.outputs, out, operator.name), strict=True)
        given |= {param.name: value for param, value in values if value is not None and not param.is_input}
    return inputs, given


def _converted(operator: OperatorTable, inputs: Sequence[Any], given: Mapping[str, Any]) -> dict[str, Any]:
    values = {
        param.name: convert(value)
        for param, convert, value in zip(operator.inputs, operator.converters, inputs, strict=True)
    }
    for param, convert in zip(operator.outputs, operator.output_converters, strict=True):
        if not param.is_input:
            values[param.name] = convert(given[param.name]) if param.name in given else INFERRED
    if len(given) > 1:
        inferred = operator.inferred([values[param.name] for param in operator.inputs])
        pairs = zip(operator.outputs, inferred, strict=True)
        written = [mine and values[param.name] if param.name in given else None for param, mine in pairs]
        check_overlap(operator.outputs, written, operator.name)
    return {param.name: values[param.name] for param in operator.params}


def _refused(
    operator: OperatorTable, error: ParamError | ParamTypeError, keys: Sequence[str], mode: Mode
) -> Explanation:
    violation = Violation(f"{operator.name}.argument", Status.ACLNN_ERR_PARAM_INVALID, error.sentence)
    verdicts = {key: ProductVerdict(key, violation.status, (violation,), {}) for key in keys}
    return Explanation(operator.name, mode, verdicts, operator.level)
