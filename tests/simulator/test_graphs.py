"""The graph engine, whose C++ functions C stands for: its objects in a program of the string that came before GCC 5."""

from __future__ import annotations

from pathlib import Path

from tests.support.simulators import Simulator

PROGRAM = Path(__file__).parent / "programs" / "graphs.cpp"
LIBRARIES = ("-lascendcl", "-lge_runner", "-lgraph", "-lpthread")
OLD = "-D_GLIBCXX_USE_CXX11_ABI=0"


def test_the_objects_of_the_graph_engine_are_empty(simulator: Simulator) -> None:
    done = simulator.run(simulator.compile(PROGRAM, OLD, "-O1", libraries=LIBRARIES))
    assert (done.status, done.err) == (0, "")
