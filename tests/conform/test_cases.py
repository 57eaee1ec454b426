"""Where the calls of an operator come from."""

from __future__ import annotations

from typing import Any

import pytest

from aclspec.codegen.conform import cases
from aclspec.codegen.conform.operators import find
from aclspec.codegen.derive import derive_cases


def test_an_operator_without_a_generated_test_is_derived_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package has no tests beside it; each piece of random calls asks for the suite again."""
    operator, derived = find("erf"), list[str]()

    def counted(info: Any) -> Any:
        derived.append(info.name)
        return derive_cases(info)

    monkeypatch.setattr(cases, "_suite", lambda module: None)
    monkeypatch.setattr(cases, "derive_cases", counted)
    assert cases.suite_of(operator) is cases.suite_of(operator)
    assert derived == [operator.name]
