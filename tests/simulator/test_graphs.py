"""The graph engine, whose C++ functions C stands for: its objects in a program of the string that came before GCC 5."""

from __future__ import annotations

from pathlib import Path

import pytest

from aclspec.codegen.simulator.interface import read_runtime
from tests.support.simulators import Simulator

PROGRAM = Path(__file__).parent / "programs" / "graphs.cpp"
LIBRARIES = ("-lascendcl", "-lge_runner", "-lgraph", "-lpthread")
OLD = "-D_GLIBCXX_USE_CXX11_ABI=0"


def test_the_objects_of_the_graph_engine_are_empty(simulator: Simulator) -> None:
    done = simulator.run(simulator.compile(PROGRAM, OLD, "-O1", libraries=LIBRARIES))
    assert (done.status, done.err) == (0, "")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("_ZNK2ge5Shape6GetDimEm", "ge::Shape::GetDim"),
        ("_ZN2ge5ShapeC1Ev", "ge::Shape::Shape"),
        ("_ZN2ge7SessionD1Ev", "ge::Session::~Session"),
        ("_ZNK2ge12AscendStringltERKS0_", "ge::AscendString::operator<"),
        ("_ZN2ge10GEFinalizeEv", "ge::GEFinalize"),
        ("aclInit", "aclInit"),
    ],
)
def test_the_names_that_the_manual_shows(name: str, shown: str) -> None:
    found = [one for interface in read_runtime().interfaces.values() for one in interface.functions if one.name == name]
    assert [one.shown for one in found] == [shown]
