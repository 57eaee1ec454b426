"""Traceability: clause -> rule, field, formula or test -> tests -> manual, with no dangling end."""

from aclspec.codegen.trace.build import trace
from aclspec.codegen.trace.report import ClauseRow, DanglingEnd, RuleRow, TraceReport

__all__ = ["ClauseRow", "DanglingEnd", "RuleRow", "TraceReport", "trace"]
