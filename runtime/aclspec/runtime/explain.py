"""Would this call work, on which products, and if not, which arguments are at fault?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from aclspec.runtime.failures import Violation
from aclspec.runtime.info import Effect, Mode, OperatorInfo
from aclspec.runtime.predicate.interp import Memory, Outcome, evaluate
from aclspec.runtime.predicate.sentences import Lang, failure, requirement
from aclspec.runtime.products import KEYS
from aclspec.runtime.status import Status


@dataclass(frozen=True, slots=True)
class ProductVerdict:
    """What one product says to a call.

    ``status`` is the answer of phase one, decided by the first of ``violations``; these are all the rules that fail,
    in the order of the checks. ``outcomes`` has every rule by its full id. ``shortcut`` is the rule that ends the
    checks of a good call early, told by ``note``, with its ``effect`` on the outputs.
    """

    product: str
    status: Status
    violations: tuple[Violation, ...]
    outcomes: Mapping[str, Outcome]
    shortcut: str | None = None
    effect: Effect | None = None
    note: str = ""

    @property
    def ok(self) -> bool:
        """Whether the call works."""
        return not self.violations

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
            "status": int(self.status),
            "status_name": self.status.name,
            "rule": self.rule,
            "violations": [
                {"rule": one.rule, "status": int(one.status), "sentence": one.sentence} for one in self.violations
            ],
            "shortcut": self.shortcut,
            "effect": self.effect,
            "outcomes": dict(self.outcomes),
        }

    def _answer(self) -> str:
        return f"{self.status.name} ({int(self.status)})"

    def _lines(self) -> list[str]:
        lines = [f"  {one.rule} ({int(one.status)}): {one.sentence}" for one in self.violations]
        return [*lines, f"  {self.shortcut}: {self.note}"] if self.shortcut else lines


@dataclass(frozen=True, slots=True)
class Explanation(Mapping[str, ProductVerdict]):
    """The verdict of each product asked about, by its key."""

    operator: str
    conformance: Mode
    verdicts: Mapping[str, ProductVerdict]

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
    def ok(self) -> bool:
        """Whether the call works on every product asked about."""
        return all(verdict.ok for verdict in self.verdicts.values())

    def __str__(self) -> str:
        """Every product with its status and violations; products that say the same stand together."""
        blocks: dict[tuple[str, ...], list[str]] = {}
        for product, verdict in self.verdicts.items():
            blocks.setdefault((verdict._answer(), *verdict._lines()), []).append(product)
        lines = [f"{self.operator} (conformance: {self.conformance})"]
        for (answer, *rest), products in blocks.items():
            lines += [f"{', '.join(products)}: {answer}", *rest]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The explanation as plain values, for JSON."""
        return {
            "operator": self.operator,
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
    return Explanation(info.name, conformance, verdicts)


def _verdict(
    info: OperatorInfo, call: Mapping[str, object], product: str, mode: Mode, lang: Lang, memory: Memory
) -> ProductVerdict:
    report = evaluate(info, call, product, mode, memory)
    failing = [info.rule(rule) for rule in report.failing]
    violations = tuple(
        Violation(
            f"{info.name}.{rule.id}", Status[dict(rule.status)[mode]], failure(info, rule, call, product, mode, lang)
        )
        for rule in failing
    )
    outcomes = {f"{info.name}.{rule}": outcome for rule, outcome in report.outcomes.items()}
    if report.shortcut is None:
        return ProductVerdict(product, report.status, violations, outcomes)
    taken = info.rule(report.shortcut)
    note = requirement(info, taken, lang)
    return ProductVerdict(product, report.status, (), outcomes, f"{info.name}.{taken.id}", taken.effect, note)
