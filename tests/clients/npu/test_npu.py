"""aclspec's own backend ``npu`` over the root of the simulator, as over CANN: the derived calls on one product."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from aclspec import ops

PRODUCT = "atlas_a2"
EVERY = 8
"""Outputs are compared of each eighth operator, statuses of all."""
LEAST = {"status": 60_000, "values": 5_000}
"""The least number of calls."""


@pytest.mark.parametrize("mode", LEAST)
def test_derived_calls_get_the_answers_of_the_specs(mode: str, tmp_path: Path) -> None:
    names = list(ops.names())[:: EVERY if mode == "values" else 1]
    options = ["--backend", "npu", "--product", PRODUCT, "--mode", mode, "--out", str(tmp_path / "found.parquet")]
    command = [sys.executable, "-m", "aclspec.cli", "conform", "run", *names, *options, "--json"]
    given = {name: value for name, value in os.environ.items() if name != "ACLSPEC_MISSING"}
    done = subprocess.run(command, env=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    report = json.loads(done.stdout)
    assert report["calls"] >= LEAST[mode], report
