"""The clauses of the original documents that a spec names, and where it names them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from aclspec.codegen.compile.context import Path
from aclspec.codegen.spec.checks import Check, Rule, TableCheck
from aclspec.codegen.spec.operator import OperatorSpec


@dataclass(frozen=True, slots=True)
class Use:
    """One mention of a clause: its id, with ``{it}`` filled in, and where it stands in the file."""

    clause: str
    path: Path


def uses(spec: OperatorSpec) -> Iterator[Use]:
    """Every mention of a clause in a spec, in the order of the file."""
    if spec.source is not None:
        yield from _listed(spec.source.clauses, ("source",))
    for group in ("products", "formula"):
        for index, entry in enumerate(getattr(spec, group)):
            yield from _listed(entry.clauses, (group, index))
    for index, param in enumerate(spec.params):
        for name, clauses in param.clauses.items():
            for position, clause in enumerate(clauses):
                yield Use(clause, ("params", index, "clauses", name, position))
    for group in ("dtypes", "checks", "examples", "notes"):
        for index, entry in enumerate(getattr(spec, group)):
            names = _elements(spec, entry) if isinstance(entry, Check) else ("",)
            for name in names:
                yield from _listed(tuple(clause.replace("{it}", name) for clause in entry.clauses), (group, index))


def _listed(clauses: tuple[str, ...], path: Path) -> Iterator[Use]:
    for position, clause in enumerate(clauses):
        yield Use(clause, (*path, "clauses", position))


def _elements(spec: OperatorSpec, check: Check) -> tuple[str, ...]:
    """The parameters that ``{it}`` stands for in an entry."""
    if isinstance(check, Rule):
        return check.each or ("",)
    if isinstance(check, TableCheck):
        return tuple(param.name for param in spec.params) if check.targets == "all" else check.targets
    return ("",)
