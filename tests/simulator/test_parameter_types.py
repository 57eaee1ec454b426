"""Every C type of a parameter, by value and by handle: a package of operators that are not aclspec's own."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from aclspec.codegen.pipeline.generate import generate
from aclspec.codegen.pipeline.load import load_project
from aclspec.codegen.render.samples import expected_output, render_sample, sample_of
from aclspec.codegen.simulator.root import build_root
from tests.simulator.test_programs import good
from tests.support.simulators import Simulator

TESTS = Path(__file__).parents[1]
SPECS = TESTS / "parameter_types" / "specs"
PACKAGE = "typed_for_c.ops"
INFOS = {operator.info.snake: operator.info for operator in load_project(SPECS).operators}
SAMPLES = {snake: sample for snake, info in INFOS.items() if (sample := sample_of(info)) is not None}


@pytest.fixture(scope="module")
def typed(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Simulator:
    """A simulator of the operators of that package, whose kernels are in these tests."""
    folder = tmp_path_factory.mktemp("typed")
    shutil.copytree(SPECS, folder / "specs")
    generate(folder / "specs", folder / "out", PACKAGE)
    home = folder / "home"
    home.mkdir()
    (home / "typed_for_c").symlink_to(folder / "out" / "typed_for_c")
    (home / "tests").symlink_to(TESTS)
    assert build_root(list(INFOS.values()), folder / "root", packages={PACKAGE: home}) == []
    (folder / "work").mkdir()
    return Simulator(folder / "root" / "cann", simulator.compiler, folder / "work")


def test_the_types_are_all_there(program: Callable[[str], str]) -> None:
    kinds = {param.type for sample in SAMPLES.values() for param in sample.info.params}
    assert {"tensor", "scalar", "float_array", "bool", "int8", "int32", "int", "uint64", "float", "double"} <= kinds
    assert {"string", "dtype"} <= kinds


@pytest.mark.parametrize("snake", SAMPLES)
def test_program(typed: Simulator, snake: str) -> None:
    sample = SAMPLES[snake]
    variables = {"ACLSPEC_STRICT": "1", "ACLSPEC_PRODUCT": sample.product}
    (text,) = render_sample(sample.info).values()
    done = typed.run(typed.compile(text), variables=variables)
    assert (done.status, done.err) == (0, "")
    assert done.out == expected_output(sample)


def test_lists(typed: Simulator) -> None:
    done = typed.run(typed.compile(Path(__file__).parent / "typed" / "lists.cpp"), variables={"ACLSPEC_STRICT": "0"})
    assert good(done) > 70


def test_two_operators_of_one_header(typed: Simulator) -> None:
    text = (typed.root / "include" / "aclnnop" / "aclnn_typed_add.h").read_text(encoding="utf-8")
    assert "aclnnTypedAddGetWorkspaceSize(" in text
    assert "aclnnTypedInplaceAddGetWorkspaceSize(" in text
