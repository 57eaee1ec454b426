"""The reference pages have every function of formulas, called as the runtime takes it."""

from __future__ import annotations

import inspect

from aclspec.codegen.wording.formulas import FORMULAS
from aclspec.runtime.testing.formula import parse_formula
from aclspec.runtime.testing.magnitude import FUNCTIONS


def test_every_function_of_formulas_is_described() -> None:
    assert list(FORMULAS) == list(FUNCTIONS)


def test_each_is_called_as_it_is_described() -> None:
    for name, (called, _) in FORMULAS.items():
        assert parse_formula(called).functions == {name}
        if name != "len":  # one of Python's
            given = called.count(",") + 1
            inspect.signature(FUNCTIONS[name]).bind(*range(given))
