"""The meaning of a rule as a canonical text, and its hash."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

from aclspec.codegen.compile.lower import Lets
from aclspec.codegen.spec.project import Operator
from aclspec.runtime.language.nodes import InRows, Node, children
from aclspec.runtime.language.unparse import unparse_for_hash
from aclspec.runtime.rules.operator_info import MODES, OperatorInfo, RuleInfo

_MAX_COMBINATIONS = 4096


def rule_digests(operator: Operator) -> tuple[tuple[str, str, str, int, int], ...]:
    """The full id of each rule, the hash of its meaning, its file below the specs, its line and its column.

    The hash of a draft's rules is empty: nothing of them is promised yet.
    """
    info, lets = operator.info, Lets(operator.info.lets)
    file = info.spec.partition("/")[2]
    return tuple(
        (
            f"{info.name}.{rule.id}",
            "" if operator.spec.draft else _fingerprint(info, rule, lets),
            file,
            place.line,
            place.column,
        )
        for rule in info.rules
        for place in (operator.places[rule.id],)
    )


def fingerprints(operator: Operator) -> dict[str, str]:
    """The hash of the meaning of each rule by its id, drafts included."""
    lets = Lets(operator.info.lets)
    return {rule.id: _fingerprint(operator.info, rule, lets) for rule in operator.info.rules}


def _fingerprint(info: OperatorInfo, rule: RuleInfo, lets: Lets) -> str:
    return hashlib.sha256(canonical_text(info, rule, lets).encode()).hexdigest()[:16]


def canonical_text(info: OperatorInfo, rule: RuleInfo, lets: Lets) -> str:
    """The canonical text of a rule's meaning: equal texts mean equal rules."""
    parts = [
        f"kind: {rule.kind}",
        *(f"{mode}: {status}" for mode, status in rule.status),
        f"products: {' '.join(sorted(rule.products)) or 'all'}",
        f"outcome: {rule.outcome}",
        f"effect: {rule.effect}",
        f"when: {_text(rule.when, lets)}",
        f"require: {_text(rule.require, lets)}",
    ]
    if rule.kind == "product":
        parts.append(f"listed: {' '.join(sorted(key for key, _ in info.products))}")
    for params in dict.fromkeys(_row_params(rule.require)):
        parts += _rows(info, params)
        parts += (f"checked {name}: {_text(info.param(name).checked, lets)}" for name in params)
    return "\n".join(parts)


def _text(node: Node | None, lets: Lets) -> str:
    return "none" if node is None else unparse_for_hash(lets.expand(node))


def _row_params(node: Node | None) -> Iterator[tuple[str, ...]]:
    """The parameters of every look into the dtype rows."""
    if isinstance(node, InRows):
        yield node.params
    elif node is not None:
        for child in children(node):
            yield from _row_params(child)


def _rows(info: OperatorInfo, params: tuple[str, ...]) -> Iterator[str]:
    """The legal combinations of some parameters, for each product and mode."""
    for mode in MODES:
        for key in sorted({key for row in info.rows for key in row.products}):
            found: set[str] = set()
            for row in info.rows:
                if key in row.products and mode in row.modes:
                    found |= set(_combinations([row.table[name] for name in params]))
            yield f"{mode} {key}: {'; '.join(sorted(found))}"


def _combinations(cells: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Each combination by itself, so that how rows are written does not count; very many stay together."""
    if prod(len(cell) for cell in cells) > _MAX_COMBINATIONS:
        yield " ".join("|".join(sorted(cell)) for cell in cells)
    else:
        yield from (" ".join(choice) for choice in product(*cells))
