"""``aclspec explain OP``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aclspec.cli import operators, output
from aclspec.cli.errors import FINDING, GOOD, UsageError
from aclspec.runtime.explain import Explanation, ProductVerdict
from aclspec.runtime.predicate.sentences import Lang

STYLES = {"holds": "green", "fails": "bold red", "n/a": "dim", "off": "dim", "skipped": "dim"}


def perform(
    operator: str,
    call: Mapping[str, Any],
    product: str | None,
    conformance: str | None,
    lang: Lang,
    rules: bool,
    json: bool,
) -> int:
    """Explain a call; a finding when it fails on the product that is meant, or on any of all of them.

    Without a product every one is shown, and the one that a call would take decides.
    """
    operators.one_of(conformance, ("document", "library"), "conformance")
    operators.one_of(lang, ("en", "zh"), "language")
    judged = None if product == "all" else operators.product(product)
    shown = "all" if product is None else judged or "all"
    explanation = _explanation(operator, call, shown, conformance, lang)
    good = explanation.ok if judged is None else explanation[judged].ok
    if json:
        output.show_json({**explanation.to_dict(), "judged": judged or "all", "good": good})
    else:
        _show(explanation, judged)
        if rules:
            _show_rules(explanation)
    return GOOD if good else FINDING


def _explanation(
    operator: str, call: Mapping[str, Any], product: str, conformance: str | None, lang: Lang
) -> Explanation:
    try:
        found: Explanation = operators.find(operator).explain(
            product=product, conformance=conformance, lang=lang, **call
        )
    except (TypeError, ValueError) as error:
        raise UsageError(str(error).splitlines()[0]) from error
    return found


def _show(explanation: Explanation, judged: str | None) -> None:
    output.show(output.plain(f"{explanation.operator}, by the rules of the {explanation.conformance}", "bold"), "\n")
    alike: dict[tuple[Any, ...], list[ProductVerdict]] = {}
    for verdict in explanation.values():
        alike.setdefault((verdict.status, verdict.violations, verdict.shortcut), []).append(verdict)
    for verdicts in alike.values():
        _show_verdict(verdicts[0], [verdict.product for verdict in verdicts], judged if len(explanation) > 1 else None)


def _show_verdict(verdict: ProductVerdict, products: list[str], judged: str | None) -> None:
    """Products that say the same, once."""
    names = ", ".join(f"{product} (the one meant)" if product == judged else product for product in products)
    style = "green" if verdict.ok else "red"
    output.show(output.plain("works  " if verdict.ok else "fails  ", f"bold {style}") + output.plain(names))
    for violation in verdict.violations:
        output.show(output.plain(f"  {int(violation.status)}  {violation.rule}", style))
        output.show(output.plain(f"          {violation.sentence}"))
    if verdict.shortcut:
        output.show(output.plain(f"  {verdict.shortcut}: {verdict.note}"))
    output.show()


def _show_rules(explanation: Explanation) -> None:
    """Every rule, and its outcome on each product."""
    products = list(explanation)
    rules = dict.fromkeys(rule for verdict in explanation.values() for rule in verdict.outcomes)
    rows = [
        (rule, *(_outcome(explanation[product].outcomes.get(rule, "off")) for product in products)) for rule in rules
    ]
    output.show(output.table("Rules and their outcomes", ("rule", *products), rows))


def _outcome(outcome: str) -> Any:
    return output.plain(outcome, STYLES[outcome])
