"""A C++ program for each operator, and the documents' own ones where they are at hand."""

from __future__ import annotations

import os
import re
from html import escape
from pathlib import Path

import pytest

from aclspec import ops
from aclspec.codegen.pages.operator import operator_pages
from aclspec.codegen.render.samples import ELEMENTS, render_sample
from aclspec.runtime.rules.operator_info import OperatorInfo, TensorValue
from tests.support.operators import computed, some
from tests.support.project import own_project
from tests.support.simulators import LIBRARIES, Simulator

ROOT = Path(__file__).parents[2]
SAMPLES = {snake: text for snake in ops.names() for text in render_sample(ops.get(snake).info).values()}


def _is_beyond_c(info: OperatorInfo) -> bool:
    """Whether a program cannot hold the first example: a list of scalars, or a dtype that it has no type for."""
    example = info.examples[0]
    tensors = [value for _, value in (*example.inputs, *example.outputs) if isinstance(value, TensorValue)]
    return any(one.type == "scalar_list" for one in info.params) or any(one.dtype not in ELEMENTS for one in tensors)


def test_every_operator_has_a_program() -> None:
    without = {name for name in computed() if _is_beyond_c(ops.get(name).info)}
    assert sorted(SAMPLES) == sorted({*computed()} - without)


def test_the_programs_that_specs_ask_for_are_committed() -> None:
    asked = {operator.info.snake for operator in own_project().operators if operator.spec.sample}
    files = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "generated" / "samples").glob("*.cpp")}
    assert files == {snake: SAMPLES[snake] for snake in asked}
    assert len(files) == 10


@pytest.mark.parametrize("snake", some(20, list(SAMPLES), small=3))
def test_program(simulator: Simulator, snake: str) -> None:
    """It prints what the manual says, and strict mode has nothing to report."""
    info = ops.get(snake).info
    product = info.products[0][0]
    example = info.examples[0]
    chosen = (example.products or (product,))[0]
    variables = {"ACLSPEC_STRICT": "1", "ACLSPEC_PRODUCT": chosen}
    done = simulator.run(simulator.compile(SAMPLES[snake]), variables=variables)
    assert (done.status, done.err) == (0, "")
    page = operator_pages(own_project(), own_project().operator(info.name), "en")
    assert f"<code>{escape(done.out, quote=False)}</code>" in page[f"{snake}/examples"].html


def test_a_program_tells_the_reason_of_a_failure(simulator: Simulator) -> None:
    done = simulator.run(simulator.compile(SAMPLES["prelu"]), variables={"ACLSPEC_FAULT": "aclnnPrelu:1"})
    assert done.status == 1
    assert done.err.startswith("aclnnPrelu(workspace, workspaceSize, executor, stream) answers 361001\n[PID: ")


SPLIT = ("-lacl_rt", "-lnnopbase", "-lopapi_nn")


@pytest.mark.parametrize("libraries", [LIBRARIES, SPLIT, ("-lopapi_math", "-lascendcl", "-lnnopbase")])
def test_the_ways_to_link(simulator: Simulator, libraries: tuple[str, ...]) -> None:
    assert simulator.run(simulator.compile(SAMPLES["prelu"], libraries=libraries)).out.startswith("out[0] = -0.25\n")


# What the documents' samples compute, worked out by hand from the data in them and the formulas of the documents.
EXPECTED = {
    "000": [f"out result[{at}] is: {1 / 16:.6f}" for at in range(256)],
    "001": [
        *(f"result[{at}] is: {value:.6f}" for at, value in enumerate([7, 8])),
        *(f"result[{at}] is: {value:.6f}" for at, value in enumerate([21, 30])),
        *(f"result[{at}] is: {value:.6f}" for at, value in enumerate([21, 30])),
        *(f"result[{at}] is: {value:.6f}" for at, value in enumerate([7, 8])),
    ],
    "004": [
        *(f"gradInput[{at}] is: {value:.6f}" for at, value in enumerate([0.5, 1, 1, 1, 1, 1, 1, 1])),
        *(f"gradWeight[{at}] is: {value:.6f}" for at, value in enumerate([0, 0])),
    ],
}


def original(document: str) -> str:
    """The program in a document: from its first include to the brace that ends it."""
    folder = os.environ.get("ACLSPEC_SEEDS")
    if not folder:
        pytest.skip("the environment variable ACLSPEC_SEEDS names no folder of the documents")
    found = sorted(Path(folder).glob(f"{document}_*.txt"))
    assert len(found) == 1
    text = found[0].read_text(encoding="utf-8")
    return text[text.index("#include <") : text.rindex("\n}") + 2] + "\n"


@pytest.mark.parametrize("document", EXPECTED)
def test_the_programs_of_the_documents(simulator: Simulator, document: str) -> None:
    """They are compiled as they stand, for the product that the documents name first."""
    text = original(document)
    header = re.search(r'#include "(aclnnop/\w+\.h)"', text)
    assert header is not None
    if not (simulator.root / "include" / header[1]).is_file():
        pytest.skip(f"no spec has the header {header[1]}")
    program = simulator.compile(text, libraries=("-lascendcl", "-lnnopbase", "-lopapi"), warnings=False)
    done = simulator.run(program)
    assert (done.status, done.err) == (0, "")
    assert done.out.splitlines() == EXPECTED[document]
