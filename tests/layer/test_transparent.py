"""With the layer in front, every program prints and answers what it does without it, whichever way it finds CANN."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.layer.conftest import PROGRAMS, Layer
from tests.support.simulators import SAMPLES, Done

SIMULATED = Path(__file__).parents[1] / "simulator" / "programs"
DOCUMENTS = ("avg_pool2d_backward", "batch_norm_reduce_backward", "convolution_backward", "prelu_backward")
LAYER = "aclspec layer: "


def assert_same(plain: Done, layered: Done) -> None:
    assert (layered.status, layered.out) == (plain.status, plain.out)
    assert LAYER not in plain.err


def test_a_linked_program(layer: Layer) -> None:
    program = layer.program("linked")
    plain = layer.run(program)
    assert "prelu of three channels: 161002\n" in plain.out
    assert "message: none" in plain.out
    layered = layer.run(program, **layer.preload)
    assert_same(plain, layered)
    assert "The number of elements of weight is 3" in layered.err


@pytest.mark.parametrize("mode", ["explain", "portability", "off"])
def test_a_linked_program_in_each_mode_that_changes_nothing(layer: Layer, mode: str) -> None:
    program = layer.program("linked")
    layered = layer.run(program, ACLSPEC_LAYER=mode, **layer.preload)
    assert_same(layer.run(program), layered)
    assert (LAYER in layered.err) == (mode != "off")


def test_a_program_reads_the_messages_that_it_would_have_read(layer: Layer) -> None:
    """Reading a message clears it; the layer reads it, and hands it over."""
    program = layer.program("linked")
    plain = layer.simulator.run(program)
    assert "message: some" in plain.out
    assert_same(plain, layer.simulator.run(program, variables=layer.preload))


@pytest.mark.parametrize("linked", [(), ("linked",)])
def test_a_loader(layer: Layer, linked: tuple[str, ...]) -> None:
    program = layer.program("loader", "-ldl")
    plain = layer.run(program, *linked)
    assert "flip 5: 161002" in plain.out
    for variables in (layer.custom, layer.preload, layer.custom | layer.preload):
        assert_same(plain, layer.run(program, *linked, **variables))


def test_a_loader_is_told_why(layer: Layer) -> None:
    layered = layer.run(layer.program("loader", "-ldl"), **layer.custom)
    assert "dims[0] is 5" in layered.err
    assert "message was left for the program" in layered.err


def test_creations_that_the_layer_does_not_see(layer: Layer) -> None:
    """They are linked, and the operators opened: a preloaded layer sees both."""
    program = layer.program("loader", "-ldl")
    blind = layer.run(program, "linked", **layer.custom)
    assert f"did not see what dims holds. Let it see: LD_PRELOAD={layer.library}\n" in blind.err
    seeing = layer.run(program, "linked", **(layer.custom | layer.preload))
    assert "dims[0] is 5" in seeing.err


def test_two_copies_of_the_layer(layer: Layer, tmp_path: Path) -> None:
    """The second hands over to the first, by either way and by both."""
    second = tmp_path / "second"
    shutil.copytree(layer.root, second, symlinks=True)
    copy = second / layer.library.relative_to(layer.root)
    program = layer.program("loader", "-ldl")
    plain = layer.run(program)
    paths = f"{layer.root}:{second}"
    for variables in (
        {"ASCEND_CUSTOM_OPP_PATH": paths},
        {"ASCEND_CUSTOM_OPP_PATH": paths, "LD_PRELOAD": f"{copy}:{layer.library}"},
        {"ASCEND_CUSTOM_OPP_PATH": f"{second}", **layer.preload},
    ):
        layered = layer.run(program, **variables)
        assert_same(plain, layered)
        assert layered.err.count(f"{LAYER}aclnnFlipGetWorkspaceSize") == 1
    linked = layer.program("linked")
    twice = layer.run(linked, LD_PRELOAD=f"{copy}:{layer.library}")
    assert_same(layer.run(linked), twice)
    assert twice.err.count(f"{LAYER}aclnnFlipGetWorkspaceSize") == 1


CUSTOM = """
#include <cstdint>
extern "C" int32_t aclnnFlipGetWorkspaceSize(const void*, const void*, void*, uint64_t*, void**) { return 561000; }
extern "C" int32_t aclnnOnlyHereGetWorkspaceSize() { return 0; }
"""


def test_another_custom_library_behind_the_layer(layer: Layer, tmp_path: Path) -> None:
    """Its functions come before CANN's, as they would without the layer."""
    (tmp_path / "op_api" / "lib").mkdir(parents=True)
    source = tmp_path / "custom.cpp"
    source.write_text(CUSTOM, encoding="utf-8")
    shared = layer.simulator.compile(source, "-shared", "-fPIC", libraries=())
    shutil.copy(shared, tmp_path / "op_api" / "lib" / "libcust_opapi.so")
    program = layer.program("loader", "-ldl")
    plain = layer.run(program, ASCEND_CUSTOM_OPP_PATH=str(tmp_path))
    assert "flip 1: 561000" in plain.out
    behind = f"{layer.root}:{tmp_path}"
    assert_same(plain, layer.run(program, ASCEND_CUSTOM_OPP_PATH=behind))
    names = ("aclnnOnlyHereGetWorkspaceSize", "aclnnFlip", "aclnnAbsGetWorkspaceSize")
    found = layer.run(program, *names, ASCEND_CUSTOM_OPP_PATH=behind)
    assert found.out == layer.run(program, *names, ASCEND_CUSTOM_OPP_PATH=str(tmp_path)).out


def test_a_vendor_of_the_configuration(layer: Layer, tmp_path: Path) -> None:
    vendors = tmp_path / "vendors"
    folder = vendors / "second" / "op_api" / "lib"
    folder.mkdir(parents=True)
    (vendors / "config.ini").write_text("load_priority=first,second\n", encoding="utf-8")
    source = tmp_path / "vendor.cpp"
    source.write_text(CUSTOM, encoding="utf-8")
    shutil.copy(layer.simulator.compile(source, "-shared", "-fPIC", libraries=()), folder / "libcust_opapi.so")
    layered = layer.run(layer.program("loader", "-ldl"), ASCEND_OPP_PATH=str(tmp_path), **layer.custom)
    assert "flip 1: 561000" in layered.out


def test_a_function_that_is_nowhere_is_not_found(layer: Layer, tmp_path: Path) -> None:
    """Frameworks choose between two versions of a function by asking whether there is one."""
    program = layer.program("loader", "-ldl")
    names = ("aclnnAbsGetWorkspaceSize", "aclnnAbs", "aclnnSoftmax", "aclnnNone", "PTAGetExecCache", "aclCreateTensor")
    shared = layer.simulator.compile(PROGRAMS / "cann.c", "-shared", "-fPIC", "-x", "c", libraries=(), warnings=False)
    shutil.copy(shared, tmp_path / "libopapi.so")
    for family in ("math", "nn", "cv", "transformer"):  # those of the simulator have every operator
        shutil.copy(shared, tmp_path / f"libopapi_{family}.so")
    path = f"{tmp_path}:{layer.simulator.root / 'lib64'}"
    variables = {"LD_LIBRARY_PATH": path}
    plain = layer.run(program, *names, **variables)
    assert "aclnnAbs: found" in plain.out
    assert "aclnnSoftmax: not found" in plain.out
    assert_same(plain, layer.run(program, *names, **variables, **layer.custom))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_samples_of_the_documents(layer: Layer, name: str) -> None:
    program = layer.simulator.compile(SAMPLES / f"{name}.cpp")
    plain, layered = layer.run(program), layer.run(program, **layer.preload)
    assert plain.status == 0
    assert_same(plain, layered)
    assert "refuse" not in layered.err


@pytest.mark.parametrize("name", ["executors", "tensors"])
def test_programs_that_call_every_function(layer: Layer, name: str) -> None:
    program = layer.simulator.compile(SIMULATED / f"{name}.cpp")
    plain = layer.simulator.run(program)
    assert plain.status == 0
    assert_same(plain, layer.simulator.run(program, variables=layer.preload))


def test_threads(layer: Layer) -> None:
    program = layer.simulator.compile(SIMULATED / "threads.cpp")
    layered = layer.simulator.run(program, "4", "1", variables=layer.preload)
    assert layered.status == 0, layered
    assert "calls of 4 threads" in layered.out


def test_a_fork_and_a_static_destructor(layer: Layer) -> None:
    program = layer.program("forks")
    plain, layered = layer.run(program), layer.run(program, **layer.preload)
    assert "destroyed at the end: 0" in plain.out
    assert_same(plain, layered)
    lines = [line for line in layered.err.splitlines() if "aclnnAbsGetWorkspaceSize returned" in line]
    assert [line.startswith("[process ") for line in lines] == [False, True]
