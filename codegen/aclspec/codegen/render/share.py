"""What an operator gives to the files that all operators share, so that those can be written without loading it."""

from __future__ import annotations

from dataclasses import dataclass

from aclspec.codegen.derive import derive_cases
from aclspec.codegen.derive.report import count
from aclspec.codegen.load import Operator
from aclspec.codegen.lock import locked
from aclspec.codegen.render.docs import index_entries
from aclspec.codegen.render.headers import Declared, declared
from aclspec.codegen.render.manual.indexes import IndexEntry
from aclspec.codegen.render.report import OperatorReport, operator_report


@dataclass(frozen=True, slots=True)
class Share:
    """One operator in the package, the pages over all operators, its C header, the report and the lock."""

    name: str
    snake: str
    entries: tuple[IndexEntry, ...]
    declared: Declared
    report: OperatorReport
    rules: tuple[tuple[str, str], ...]


def share_of(operator: Operator) -> Share:
    """What one operator gives."""
    info = operator.info
    return Share(
        info.name,
        info.snake,
        index_entries(info),
        declared(info),
        operator_report(info, count(info, derive_cases(info))),
        locked(info),
    )
