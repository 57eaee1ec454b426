"""What looks wrong in a call though no rule speaks of it: told where CANN accepts, a note where it refuses."""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.layer.conftest import Layer, Stub

ACCEPTED = {
    "view": ("The view of self covers elements 0 to 11 of its storage, which has 8.", "view-beyond-storage"),
    "before": ("The view of self covers elements -1 to 6 of its storage, which has 8.", "view-beyond-storage"),
    "list": ("The view of tensors covers elements 0 to 11 of its storage, which has 8.", "view-beyond-storage"),
    "lost": (
        "beta is 0: the caller passed 0.5 as a double, as variable arguments do; it must be a float.",
        "float-lost",
    ),
}
NOTED = {
    "handle": ", an address of this process: a pointer may stand in its place.",
    "memory": ", an address of this process: a pointer may stand in its place.",
    "lost-refused": ACCEPTED["lost"][0],
}
REASON = "while checking rule aclnnSmoothL1Loss.value-reduction"


@pytest.mark.parametrize("which", ACCEPTED)
def test_an_accepted_call(layer: Layer, which: str) -> None:
    program, (sentence, name) = layer.program("oddities"), ACCEPTED[which]
    plain, layered = layer.run(program, which), layer.run(program, which, **layer.preload)
    assert (layered.status, layered.out) == (plain.status, plain.out) == (0, "0\n")
    assert layered.err.count(sentence) == 1
    operator = "aclnnCat" if which == "list" else "aclnnSmoothL1Loss"
    assert f"1 accepted by the simulator, with an argument that looks wrong: {operator} {name}\n" in layered.err
    assert "note" not in layered.err
    assert layer.run(program, which, ACLSPEC_LAYER_MUTE=f"other, {name}", **layer.preload).err == ""


@pytest.mark.parametrize("which", NOTED)
def test_a_refused_call(layer: Layer, which: str) -> None:
    layered = layer.run(layer.program("oddities"), which, **layer.preload)
    assert layered.out == "161002\n"
    assert REASON in layered.err
    note = next(line for line in layered.err.splitlines() if "note: " in line)
    assert note.endswith(NOTED[which])
    assert layered.err.splitlines()[-1] == "  1 refused by the simulator: aclnnSmoothL1Loss.value-reduction"


@pytest.mark.parametrize("which", ["right", "zero", "large", "refused"])
def test_nothing_looks_wrong(layer: Layer, which: str) -> None:
    """A zero that is meant, and large numbers that are no addresses."""
    layered = layer.run(layer.program("oddities"), which, **layer.preload)
    assert ("note: " in layered.err, "looks wrong" in layered.err) == (False, False)
    assert (REASON in layered.err) == (layered.out != "0\n")


def test_a_float_that_variable_arguments_lose(stub: Stub) -> None:
    """The library gets what it would get without the layer, on either processor."""
    plain, layered = stub.run("lost", layered=False), stub.run("lost")
    assert layered.out == plain.out == "0: 0.5\n1: 0\n2: 0\n"
    assert layered.err.count(ACCEPTED["lost"][0]) == 1
    assert "reduction=2, beta=0, " in layered.err


def test_a_reason_is_said_once(layer: Layer) -> None:
    """The simulator gives it too, in the same words."""
    done = layer.simulator.run(layer.program("oddities"), "refused", variables=layer.preload)
    assert done.err.count("reduction is 7; it must be 0, 1 or 2.") == 1
    assert "1 refused by the simulator: aclnnSmoothL1Loss.value-reduction" in done.err


def test_a_python_that_is_not_the_programs_own(layer: Layer) -> None:
    """A library of CANN embeds an interpreter for itself, and nothing is said of its frames."""
    library = Path(sysconfig.get_config_var("LIBDIR"), str(sysconfig.get_config_var("LDLIBRARY")))
    if not sysconfig.get_config_var("Py_ENABLE_SHARED"):
        pytest.skip("Python is no shared library here.")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"  # by which the interpreter finds its packages
    done = layer.run(layer.program("embeds", "-ldl"), str(library), PATH=path, **layer.preload)
    assert done.out == "161001\n"
    assert "aclnnAbs.null-self" in done.err
    assert "Python" not in done.err
