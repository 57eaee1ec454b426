"""The layer changes nothing under torch_npu: the same calls reach the device, and the same comes back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parent / "calls.py"
LAYER = "op_api/lib/libcust_opapi.so"


def without_layer(variables: dict[str, str]) -> dict[str, str]:
    """The environment without the layer in front, by neither of its two ways."""
    preload = variables["LD_PRELOAD"].split(":")
    (library,) = (path for path in preload if path.endswith(LAYER))
    root = library.removesuffix(f"/{LAYER}")
    folders = [path for path in variables["ASCEND_CUSTOM_OPP_PATH"].split(":") if path != root]
    kept = {"LD_PRELOAD": [path for path in preload if path != library], "ASCEND_CUSTOM_OPP_PATH": folders}
    return {name: value for name, value in variables.items() if name not in kept} | {
        name: ":".join(paths) for name, paths in kept.items() if paths
    }


def run(file: Path, variables: dict[str, str]) -> tuple[int, dict[str, Any]]:
    done = subprocess.run([sys.executable, str(SCRIPT), str(file)], env=variables, capture_output=True, check=False)
    assert file.exists(), done.stderr.decode(errors="replace")
    return done.returncode, json.loads(file.read_text("utf-8"))


@pytest.mark.skipif(LAYER not in os.environ.get("LD_PRELOAD", ""), reason="the layer is not in front: --explain")
def test_call_by_call(tmp_path: Path) -> None:
    """Results, exit status and each operator with its two statuses, which the layer records as the device answers.

    A refused call never reaches Python: its status is in the error that PyTorch raises of it.
    """
    record = tmp_path / "calls.jsonl"
    plain = run(tmp_path / "plain", without_layer(dict(os.environ)))
    layered = run(tmp_path / "layered", os.environ | {"ACLSPEC_RECORD": str(record)})
    assert layered[1]["results"] == plain[1]["results"]
    assert layered == plain
    status, (calls, results) = plain[0], plain[1].values()
    assert (status, len(results)) == (sum("Error" in str(one[0]) for one in results.values()), 76)
    assert len(calls) > 120
    lines = [json.loads(line) for line in record.read_text("utf-8").splitlines() if line]
    recorded = [(line["operator"], line["status"]) for line in lines if "arguments" in line]
    launched = [(line["operator"], line["second"]["status"]) for line in lines if "second" in line]
    assert launched == list(map(tuple, calls))
    assert [name for name, answer in recorded if answer == 0] == [name for name, _ in launched]
    refused = [one for one in recorded if one[1] != 0]
    told = [str(one) for one in results.values()]
    assert len(refused) >= 5
    assert all(any(name in one and str(answer) in one for one in told) for name, answer in refused)
