"""Test cases of a spec: valid calls, violations, boundaries and sweeps, found among neighbours of examples."""

from aclspec.codegen.derive.cases import Cases, derive_cases
from aclspec.codegen.derive.report import OperatorCounts, RuleCount
from aclspec.codegen.derive.violations import Problem

__all__ = ["Cases", "OperatorCounts", "Problem", "RuleCount", "derive_cases"]
