"""llama.cpp's own test of its architectures: a tiny model of each has the logits that ggml's backend for CPU computes.

The program ends where a model meets a fault of ggml. So it is started again without the architectures it has told of.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

import pytest
from conftest import Execute

SECONDS = 1800
"""So long one process may run; all of them together take four to six minutes on two cores of their own."""
LEAST = 120
"""The least number of models that compute: 127 did, of 121 architectures; 124 were saved and loaded again."""
SQUARES = ("gemma3n", "jais2", "nemotron", "arcee")
ENDED = dict.fromkeys(SQUARES, "GGML_ASSERT(dst->src[1] == nullptr) failed") | {
    "step35": "CANN error",
    "qwen4exp": "CANN error",
}
"""The architectures at which the program ends, and what it says then. All are faults of ggml, none is a missing kernel:

- Those that square: SQR of the backend for CANN gives its node a second source, and asserts that it has none.
  llama.cpp computes a graph more than once, and the second time ends.
- step35: some of its layers rotate 40 values of a head, some 80. ROPE makes larger buffers for its sines and cosines
  when there are more positions, but not when there are more values.
- qwen4exp: FILL in F16 is left to the CPU. ggml's scheduler then lets CANN run the SET_ROWS that writes into its
  result, which is no device memory.
"""
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_ROW = re.compile(
    r"^\| *(?P<arch>[^| ]+)\|(?P<device>[^|]+)\| *(?P<config>Dense|MoE)\|"
    r"(?: *(?P<logits>OK|FAIL|SKIP)(?P<error>[^|]*)\| *(?P<again>OK|FAIL|SKIP)\|)?",
    re.MULTILINE,
)


@dataclass
class Table:
    """What the processes print: a line of each model with a verdict, and the complaint about each without."""

    lines: list[re.Match[str]] = field(default_factory=list)
    ended: dict[str, str] = field(default_factory=dict)


def read(execute: Execute, wanted: str, **variables: str) -> Table:
    """Run the architectures that an expression matches, in as many processes as it takes."""
    table, told = Table(), set[str]()
    variables = {"GGML_CANN_WEIGHT_NZ": "off", "GGML_NO_BACKTRACE": "1", **variables}
    while True:
        words = ["-b", "CANN0", "-s", "1", "-a", f"^(?!{one_of(told)}){wanted}"]
        done = execute("test-llama-archs", *words, timeout=SECONDS, **variables)
        rows = list(_ROW.finditer(_COLOUR.sub("", done.stdout)))
        table.lines += [row for row in rows if row["logits"]]
        if "\nSummary: " in done.stdout:
            return table
        assert rows, done.stderr[-4000:]
        assert rows[-1]["logits"] is None, done.stderr[-4000:]
        table.ended[rows[-1]["arch"]] = f"{done.stderr[-4000:]}\nstatus {done.returncode}"
        told |= {row["arch"] for row in rows}


def one_of(names: Iterable[str]) -> str:
    """An expression of whole names; one of none matches nothing."""
    return f"(?:{'|'.join(map(re.escape, names)) or '(?!)'})$"


@pytest.fixture(scope="module")
def table(execute: Execute) -> Table:
    """All architectures, as llama.cpp runs them by default."""
    return read(execute, "")


def wrong(table: Table) -> list[str]:
    """The lines of models that compute or come back wrong; llama.cpp skips what it cannot make or save."""
    return [row[0] for row in table.lines if "FAIL" in (row["logits"], row["again"])]


def test_no_architecture_is_wrong(table: Table) -> None:
    assert not wrong(table)
    assert {row["device"].strip().startswith("Ascend") for row in table.lines} == {True}
    assert sum(row["logits"] == "OK" for row in table.lines) >= LEAST
    assert sum(row["again"] == "OK" for row in table.lines) >= LEAST


def test_no_other_architecture_ends_the_program(table: Table) -> None:
    assert {name: why for name, why in table.ended.items() if name not in ENDED} == {}


@pytest.mark.parametrize("name", ENDED)
def test_the_program_ends_at_a_fault_of_ggml(table: Table, name: str) -> None:
    """One that computes now is to be taken from the list."""
    assert ENDED[name] in table.ended[name]


def test_squares_are_right_in_graphs_that_are_computed_once(execute: Execute) -> None:
    table = read(execute, one_of(SQUARES), LLAMA_GRAPH_REUSE_DISABLE="1")
    assert not table.ended
    assert not wrong(table)
    assert {row["arch"] for row in table.lines if row["logits"] == "OK"} == set(SQUARES)
