"""Mutants of the checks in C are killed by the derived calls, but for those of a list, each with a reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
import yaml

from aclspec import ops
from aclspec.runtime.testing.suite import Suite
from tests.c_checks.mutants import Mutated, function_of, mutants

LIST = Path(__file__).parent / "mutants.yaml"
LISTED: Mapping[str, Sequence[Mapping[str, str]]] = yaml.safe_load(LIST.read_text("utf-8"))
SAMPLE = 40


def hold(name: str, suites: Mapping[str, Suite], folder: Path, compiler: str, sample: int | None) -> Mutated:
    """Every mutant is killed, unless the list has it; what the list has of them is not killed."""
    operator = ops.get(name)
    mutated = Mutated(operator, suites[operator.name], folder, compiler, sample)
    listed = {entry["mutant"] for entry in LISTED[name]}
    assert set(map(str, mutated.survivors())) == listed & set(map(str, mutated.mutants))
    return mutated


@pytest.mark.all
@pytest.mark.parametrize("name", LISTED)
def test_a_sample_is_killed(
    name: str, suites: Mapping[str, Suite], tmp_path: Path, program: Callable[[str], str]
) -> None:
    hold(name, suites, tmp_path, program("gcc"), SAMPLE)


@pytest.mark.whole
@pytest.mark.parametrize("name", LISTED)
def test_all_are_killed(name: str, suites: Mapping[str, Suite], tmp_path: Path, program: Callable[[str], str]) -> None:
    mutated = hold(name, suites, tmp_path, program("gcc"), None)
    assert {entry["mutant"] for entry in LISTED[name]} <= set(map(str, mutated.mutants))


CHECK = """head
void aclspec_check_x()
{
    if (a < 3 && !b) // a < 3
        DECIDE(0, "aclnnX.small", 161002, 0, NULL);
}
tail"""


def test_what_a_mutant_is() -> None:
    found = [str(mutant).partition(" becomes ")[2] for mutant, _ in mutants(function_of(CHECK)[1])]
    assert found == [
        "`if (a <= 3 && !b)`",
        "`if (a >= 3 && !b)`",
        "`if (a < 4 && !b)`",
        "`if (a < 3 || !b)`",
        "`if (a < 3 && b)`",
        '`DECIDE(0, "aclnnX.small", 161003, 0, NULL);`',
        '`DECIDE(0, "aclnnX.small", 161002, 1, NULL);`',
    ]
