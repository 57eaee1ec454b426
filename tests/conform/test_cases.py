"""Where the calls of an operator come from."""

from __future__ import annotations

from typing import Any

import pytest

from aclspec.codegen.conform import cases
from aclspec.codegen.conform.operators import find


def test_an_operator_without_a_generated_test_is_derived_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package has no tests beside it; each piece of random calls asks for the suite again."""
    operator, derived, derive = find("erf"), list[str](), cases.derive_cases

    def counted(info: Any) -> Any:
        derived.append(info.name)
        return derive(info)

    monkeypatch.setattr(cases, "_suite", lambda module: None)
    monkeypatch.setattr(cases, "derive_cases", counted)
    assert cases.suite_of(operator) is cases.suite_of(operator)
    assert derived == [operator.name]
