"""A C++ program for each operator, and the documents' own ones where they are at hand."""

from __future__ import annotations

import os
import re
from html import escape
from pathlib import Path

import pytest

from aclspec import ops
from aclspec.codegen.pages.operator import operator_pages
from tests.support.operators import computed, some
from tests.support.project import own_project
from tests.support.simulators import LIBRARIES, Simulator

ROOT = Path(__file__).parents[2]
OPERATORS = {operator.info.snake: operator.info for operator in own_project().operators}
SAMPLES = sorted((ROOT / "generated" / "samples").glob("*.cpp"))


def test_every_operator_has_a_program() -> None:
    without = {name for name in computed() if any(one.type == "scalar_list" for one in ops.get(name).info.params)}
    assert [path.stem for path in SAMPLES] == sorted({*computed()} - without)


@pytest.mark.parametrize("path", [path for path in SAMPLES if path.stem in some(20)], ids=lambda path: path.stem)
def test_program(simulator: Simulator, path: Path) -> None:
    """It prints what the manual says, and strict mode has nothing to report."""
    product = OPERATORS[path.stem].products[0][0]
    example = OPERATORS[path.stem].examples[0]
    chosen = (example.products or (product,))[0]
    variables = {"ACLSPEC_STRICT": "1", "ACLSPEC_PRODUCT": chosen}
    done = simulator.run(simulator.compile(path), variables=variables)
    assert (done.status, done.err) == (0, "")
    page = operator_pages(own_project(), own_project().operator(OPERATORS[path.stem].name), "en")
    assert f"<code>{escape(done.out, quote=False)}</code>" in page[f"{path.stem}/examples"].html


def test_a_program_tells_the_reason_of_a_failure(simulator: Simulator) -> None:
    path = next(path for path in SAMPLES if path.stem == "prelu")
    done = simulator.run(simulator.compile(path), variables={"ACLSPEC_FAULT": "aclnnPrelu:1"})
    assert done.status == 1
    assert done.err.startswith("aclnnPrelu(workspace, workspaceSize, executor, stream) answers 361001\n[PID: ")


SPLIT = ("-lacl_rt", "-lnnopbase", "-lopapi_nn")


@pytest.mark.parametrize("libraries", [LIBRARIES, SPLIT, ("-lopapi_math", "-lascendcl", "-lnnopbase")])
def test_the_ways_to_link(simulator: Simulator, libraries: tuple[str, ...]) -> None:
    path = next(path for path in SAMPLES if path.stem == "prelu")
    assert simulator.run(simulator.compile(path, libraries=libraries)).out.startswith("out[0] = -0.25\n")


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
