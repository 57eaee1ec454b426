"""Tests that follow from a spec: valid calls, violations, boundaries and tables of dtypes, found by a search."""

from aclspec.codegen.derive.cases import Cases, derive_cases

__all__ = ["Cases", "derive_cases"]
