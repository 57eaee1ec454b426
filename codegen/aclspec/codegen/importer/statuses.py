"""The statuses that a page's error table states: in a draft, and beside those of a spec.

A row of the table states the status of a check of the parameter table, as of the rank of x, or of a rule. What other
sections say has no status, and is not compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from aclspec.codegen.importer.demands import Demand, Knowledge
from aclspec.codegen.importer.legal_values import is_about_all, subjects
from aclspec.codegen.importer.model import Place, Sentence
from aclspec.codegen.importer.rules import Gathered
from aclspec.runtime.abi.status import Status

_CHECKS = ("null", "dtype", "format", "rank", "empty", "contiguous", "length", "value")
"""The kinds of check of the parameter table, which the facts of sentences and the rules of a spec name alike."""
_FUNCTIONS = ("dtype", "format", "rank")
"""Those that a rule may make as well, about the function of the same name."""
_USUAL = {"null": "ACLNN_ERR_PARAM_NULLPTR"}
"""What a check of this kind answers where nothing else is said; of any other kind ACLNN_ERR_PARAM_INVALID."""
_NAMES = {str(int(status)): status.name for status in Status}


def _rows(gathered: Gathered) -> dict[tuple[str, str], list[Sentence]]:
    """The rows that state the status of a check of the parameter table, by its kind and its parameter."""
    found: dict[tuple[str, str], list[Sentence]] = {}
    for fact, sentence in gathered.table:
        if sentence.where == "error" and fact.check in _CHECKS and fact.when is None and sentence.status in _NAMES:
            for name in fact.names:
                found.setdefault((fact.check, name), []).append(sentence)
    return found


def with_statuses(
    checks: Iterable[Mapping[str, Any]], gathered: Gathered, fitting: Mapping[str, Sequence[str]]
) -> Iterator[dict[str, Any]]:
    """The checks of a draft, divided by the statuses that rows state; ``fitting`` has the parameters of ``all``."""
    stated = _rows(gathered)
    for check in checks:
        kind, named = next(iter(check.items()))
        usual = "161001" if kind == "null" else "161002"
        groups: dict[str, list[str]] = {}
        for name in fitting.get(kind, ()) if named == "all" else named if kind in _CHECKS else ():
            codes = {one.status for one in stated.get((kind, name), ()) if one.products is None}
            groups.setdefault(codes.pop() if len(codes) == 1 else usual, []).append(name)
        if set(groups) <= {usual}:
            yield dict(check)
            continue
        for code, names in sorted(groups.items(), key=lambda item: item[0] != usual):
            whole = named if len(groups) == 1 or (code == usual and named == "all") else names
            yield {**check, kind: whole, **({} if code == usual else {"status": _NAMES[code]})}


class PageStatuses:
    """What the error table of a page says of statuses."""

    def __init__(self, gathered: Gathered) -> None:
        """Take the rows that were understood."""
        self._rules = {rule.id for rule in gathered.rules if any(one.section == "errors" for one in rule.places)}
        self._table = _rows(gathered)

    @property
    def places(self) -> dict[str, tuple[Place, ...]]:
        """The rows that state the status of a check of the parameter table, by what `facts` names."""
        return {_about(*key): tuple(one.place for one in rows) for key, rows in self._table.items()}

    def facts(self, product: str, spec: Knowledge, page: Knowledge) -> Iterator[tuple[str, str, str]]:
        """What each says of the status of a check that both make on a product; one in common is enough.

        A status that no row was read for is a difference where it is not the usual one.
        """
        stated: set[str] = set()
        for (check, name), rows in self._table.items():
            said = {_NAMES[one.status] for one in rows if one.products is None or product in one.products}
            mine = [one for one in spec.demands if _checks(one, check, name)]
            stated.update(one.rule.id for one in mine if said)
            yield from _fact(_about(check, name), mine, said)
        for demand in page.demands:
            if demand.rule.id in self._rules:
                mine = list(spec.reasons(demand))
                stated.update(one.rule.id for one in mine)
                yield from _fact(f"checks.{demand.rule.id}.status", mine, {_status(demand)})
        drafted = {(one.rule.id, _status(one)) for one in page.demands}
        for demand in {one.rule.id: one for one in spec.demands}.values():
            rule, status = demand.rule, _status(demand)
            usual = _USUAL.get(rule.kind, "ACLNN_ERR_PARAM_INVALID")
            if (
                rule.outcome == "error"
                and rule.id not in stated
                and status != usual
                and (rule.id, status) not in drafted
            ):
                of_table = rule.kind in _CHECKS and len(rule.params) == 1
                yield _about(rule.kind, rule.params[0]) if of_table else f"checks.{rule.id}.status", status, "-"


def _about(check: str, name: str) -> str:
    return f"params.{name}.{check}.status"


def _checks(demand: Demand, check: str, name: str) -> bool:
    """Whether a demand is a check of this kind of a parameter: of the parameter table, or a rule about it alone."""
    if demand.rule.kind == check:
        return name in demand.rule.params
    return check in _FUNCTIONS and subjects(demand) == {name} and is_about_all(demand, check)


def _fact(about: str, spec: Iterable[Demand], page: set[str]) -> Iterator[tuple[str, str, str]]:
    mine = {_status(one) for one in spec if one.rule.outcome == "error"}
    if mine and page:
        texts = [", ".join(sorted(one)) for one in (mine, page)]
        yield (about, texts[0], texts[1] if mine.isdisjoint(page) else texts[0])


def _status(demand: Demand) -> str:
    return dict(demand.rule.status)["document"]
