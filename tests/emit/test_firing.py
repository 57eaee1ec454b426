"""What is not asked again of the facts would not have been answered otherwise."""

from __future__ import annotations

import pytest

from aclspec.codegen.emit import firing
from aclspec.codegen.emit.operator import emit
from aclspec.codegen.load import load_project
from aclspec.runtime.info import OperatorInfo
from tests.emit.randomspec import UNIVERSE, random_operator

PROJECT = load_project()
OWN = {operator.info.name: operator.info for operator in PROJECT.operators}


def written(info: OperatorInfo, universe: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The functions of an operator, compiled anew."""
    found = emit(info, universe)
    return found.check, found.infer, found.precision


def check(info: OperatorInfo, universe: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile an operator as always, and so that all premises and cases are looked at after every change."""
    usual = written(info, universe)
    monkeypatch.setattr(firing.Change, "touches", lambda change, stake: True)
    assert written(info, universe) == usual


@pytest.mark.parametrize("seed", range(40))
def test_all_premises_of_random_operators(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    check(random_operator(seed), UNIVERSE, monkeypatch)


@pytest.mark.parametrize("name", sorted(OWN))
def test_all_premises_of_an_operator(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    universe = tuple(product.key for product in PROJECT.products)
    check(OWN[name], universe, monkeypatch)
