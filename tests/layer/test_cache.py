"""Executors that CANN keeps: found in the real library as without the layer, and never called a fault."""

from __future__ import annotations

from pathlib import Path

from tests.layer.conftest import Stub
from tests.layer.test_record import lines


def test_a_repeated_call_runs_phase_two_only(stub: Stub, tmp_path: Path) -> None:
    plain = stub.run("cached", layered=False)
    assert plain.out.splitlines() == [
        "the cache is in libopapi.so",
        "phase one: 0",
        "new, 64 bytes, phase two: 0",
        *["kept, 64 bytes, phase two: 0"] * 3,
    ]
    file = tmp_path / "calls"
    root = stub.layer.parents[2]
    for layered, variables in ((True, {}), (False, {"ASCEND_CUSTOM_OPP_PATH": str(root)})):
        done = stub.run("cached", variables=variables | {"ACLSPEC_RECORD": str(file)}, layered=layered)
        assert (done.status, done.out) == (0, plain.out)
        assert done.err == ""  # no fault, and no handle is left
        if variables:
            assert [line["second"]["executor"] for line in lines(file)] == ["new", "repeated", "repeated", "repeated"]
