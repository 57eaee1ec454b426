"""The data of calls beside the recording: what the tensors held, and when it is left out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.layer.conftest import Stub
from tests.layer.test_record import lines


def recorded(
    stub: Stub, folder: Path, *arguments: str, program: str = "data", **variables: str
) -> tuple[list[dict[str, Any]], str, str]:
    """The lines of a recording with data, and what the program and the layer said."""
    file, log = folder / "calls", folder / "log"
    given = {"ACLSPEC_RECORD": str(file), "ACLSPEC_RECORD_DATA": "1", "ACLSPEC_LAYER_LOG": str(log)} | variables
    done = stub.run(program, *arguments, variables=given)
    assert done.status == 0, done
    return lines(file), done.out, log.read_text("utf-8") if log.exists() else ""


def test_what_tensors_hold(stub: Stub, tmp_path: Path) -> None:
    """A view is written as its elements, BF16 as raw integers; the layer says that it waits."""
    found, out, log = recorded(stub, tmp_path)
    view, narrow, empty = (line["data"] for line in found)
    assert re.fullmatch(r"calls\.data/\d+-\d+\.1\.self\.in\.npy", view["inputs"]["self"])
    np.testing.assert_array_equal(np.load(tmp_path / view["inputs"]["self"]), np.array([[0, 3], [1, 4], [2, 5]], "f4"))
    np.testing.assert_array_equal(np.load(tmp_path / view["outputs"]["out"]), np.array([[6, 5], [4, 3], [2, 1]], "f4"))
    raw = np.load(tmp_path / narrow["inputs"]["self"])
    assert (raw.dtype, raw.tolist(), found[1]["arguments"]["self"]["dtype"]) == (np.uint16, [0x3F80, 0xC000], "BF16")
    assert np.load(tmp_path / empty["inputs"]["self"]).shape == (0, 2)
    assert log.count("each call waits for its stream") == 1
    assert out == "6 waits\n"


def test_none_is_recorded_unless_asked_for(stub: Stub, tmp_path: Path) -> None:
    for value in ("", "0"):
        found, out, _ = recorded(stub, tmp_path, ACLSPEC_RECORD_DATA=value)
        assert not any("data" in line for line in found)
        assert out == "0 waits\n"
    assert not (tmp_path / "calls.data").exists()


def test_it_ends_at_the_limit(stub: Stub, tmp_path: Path) -> None:
    found, _, log = recorded(stub, tmp_path, "500", ACLSPEC_RECORD_DATA_LIMIT="2000")
    assert len(found) == 503
    assert found[-1]["data"] == {"missing": "limit"}
    assert log.count("the limit (2000 bytes) is reached") == 1
    sizes = [np.load(path).nbytes for path in (tmp_path / "calls.data").iterdir()]
    assert 1900 < sum(sizes) <= 2000


def test_it_is_off_while_a_graph_is_captured(stub: Stub, tmp_path: Path) -> None:
    found, out, log = recorded(stub, tmp_path, STUB_CAPTURES="1")
    assert [line["data"] for line in found] == [{"missing": "captured"}] * 3
    assert out == "0 waits\n"
    assert log.count("A graph is captured") == 1


@pytest.mark.parametrize("hidden", ["calls.data", "calls"])
def test_a_folder_that_cannot_be_written(stub: Stub, tmp_path: Path, hidden: str) -> None:
    """Its place is taken by a file or a folder: the program goes on."""
    if hidden == "calls":
        (tmp_path / hidden).mkdir()
        file = {"ACLSPEC_RECORD": str(tmp_path / "calls"), "ACLSPEC_RECORD_DATA": "1"}
        assert stub.run("data", variables=file | {"ACLSPEC_LAYER_LOG": "/dev/null"}).status == 0
        return
    (tmp_path / hidden).touch()
    found, _, _ = recorded(stub, tmp_path)
    assert found[0]["data"] == {"inputs": {"self": {"missing": "failed"}}, "outputs": {"out": {"missing": "failed"}}}


def test_an_executor_that_runs_again(stub: Stub, tmp_path: Path) -> None:
    """Each run has its own data, where the tensors are by then; where that cannot be told, the line says so."""
    found, out, _ = recorded(stub, tmp_path, "all", program="repeated")
    assert out == "another setter: none\n"  # asking for what CANN lacks has the answer of CANN
    first, moved, lost, private, half, in_place = (line["data"] for line in found)
    assert [line["second"]["executor"] for line in found] == ["new", "repeated", "repeated", "new", "new", "new"]
    assert np.load(tmp_path / first["inputs"]["self"]).tolist() == [-1, 2]
    assert np.load(tmp_path / moved["inputs"]["self"]).tolist() == [3, -4]
    assert np.load(tmp_path / moved["outputs"]["out"]).tolist() == [1, 2]
    assert lost == in_place == {"missing": "moved"}
    stored = np.load(tmp_path / private["inputs"]["self"])
    assert (stored.shape, stored.ravel().tolist()) == ((1, 1, 1, 2, 4), list(range(8)))
    assert found[3]["arguments"]["self"]["format"] == "NC1HWC0"
    assert half["inputs"] == {"self": {"missing": "dtype"}}
    assert np.load(tmp_path / half["outputs"]["out"]).tolist() == [1, 2]


def test_an_executor_that_cann_kept(stub: Stub, tmp_path: Path) -> None:
    """Where its tensors are is CANN's business."""
    found, _, _ = recorded(stub, tmp_path, program="cached", ASCEND_CUSTOM_OPP_PATH=str(stub.layer.parents[2]))
    assert [line["data"].get("missing") for line in found] == [None, *["kept"] * 3]
