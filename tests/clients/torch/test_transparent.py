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


SEEN = """
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The one function of the simulator through which each operator is launched; its status is the operator's. */
int sim_phase_two(const void *site, const char *const *op, void *workspace, uint64_t size, void *executor, void *stream)
{
    typedef int function(const void *, const char *const *, void *, uint64_t, void *, void *);
    void *simulator = dlopen("libaclspec_simulator.so", RTLD_NOW | RTLD_NOLOAD);
    function *real = (function *)dlsym(simulator, "sim_phase_two");
    const int status = real(site, op, workspace, size, executor, stream);
    FILE *file = fopen(getenv("SEEN"), "a");
    fprintf(file, "%s %d\\n", op[0], status);
    fclose(file);
    return status;
}
"""


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library in front of the simulator that writes down each operator that is launched, with its status."""
    folder = tmp_path_factory.mktemp("seen")
    (folder / "seen.c").write_text(SEEN, "utf-8")
    words = ["cc", "-shared", "-fPIC", "-D_GNU_SOURCE", "-o", str(folder / "seen.so"), str(folder / "seen.c"), "-ldl"]
    subprocess.run(words, check=True)
    return folder / "seen.so"


def run(file: Path, seen: Path, variables: dict[str, str]) -> tuple[int, dict[str, Any], list[tuple[str, int]]]:
    """The exit status of the calls, the outcome of each, and what reached the device."""
    launched = file.with_suffix(".launched")
    preload = f"{variables['LD_PRELOAD']}:{seen}" if variables.get("LD_PRELOAD") else str(seen)
    given = variables | {"LD_PRELOAD": preload, "SEEN": str(launched)}
    done = subprocess.run([sys.executable, str(SCRIPT), str(file)], env=given, capture_output=True, check=False)
    assert file.exists(), done.stderr.decode(errors="replace")
    lines = (line.split() for line in launched.read_text("utf-8").splitlines())
    return done.returncode, json.loads(file.read_text("utf-8")), [(name, int(status)) for name, status in lines]


@pytest.mark.skipif(LAYER not in os.environ.get("LD_PRELOAD", ""), reason="the layer is not in front: --explain")
def test_call_by_call(tmp_path: Path, seen: Path) -> None:
    """Results, exit status and each operator with its two statuses, which the layer records as the device answers.

    The status of a refused call is in the error that PyTorch raises of it.
    """
    record = tmp_path / "calls.jsonl"
    plain = run(tmp_path / "plain", seen, without_layer(dict(os.environ)))
    layered = run(tmp_path / "layered", seen, os.environ | {"ACLSPEC_RECORD": str(record)})
    assert layered[1] == plain[1]
    assert layered == plain
    status, results, calls = plain
    assert (status, len(results)) == (sum("Error" in str(one[0]) for one in results.values()), 76)
    assert len(calls) > 120
    lines = [json.loads(line) for line in record.read_text("utf-8").splitlines() if line]
    recorded = [(line["operator"], line["status"]) for line in lines if "arguments" in line]
    launched = [(line["operator"], line["second"]["status"]) for line in lines if "second" in line]
    assert launched == calls
    assert [name for name, answer in recorded if answer == 0] == [name for name, _ in launched]
    refused = [one for one in recorded if one[1] != 0]
    told = [str(one) for one in results.values()]
    assert len(refused) >= 5
    assert all(any(name in one and str(answer) in one for one in told) for name, answer in refused)
