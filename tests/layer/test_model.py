"""Parts of models in C++, recorded by the layer on the simulator, replayed, and reported for every product."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from aclspec.cli.catalog import find
from aclspec.cli.main import main
from aclspec.runtime.abi.products import KEYS
from aclspec.runtime.replay.judging import Judge
from aclspec.runtime.replay.recording import read
from tests.layer.conftest import Layer, Stub
from tests.layer.test_record import lines

EXAMPLES = Path(__file__).parents[2] / "site" / "examples"
CALLS = {"transformer_layer": 18, "resnet_block": 18}
TIGHT = "aclnnMatmul"
"""Its tolerance is for roundings that are not all of one sign; a sum of 16 terms in one order leaves it by a hair."""


@pytest.fixture(scope="module")
def recordings(layer: Layer, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A recording with data of each program, whose output is that without the layer."""
    folder, found = tmp_path_factory.mktemp("models"), {}
    for name in CALLS:
        program = layer.simulator.compile(EXAMPLES / f"{name}.cpp")
        found[name] = folder / f"{name}.jsonl"
        variables = {"ACLSPEC_RECORD": str(found[name]), "ACLSPEC_RECORD_DATA": "1"}
        plain, layered = layer.run(program), layer.run(program, **variables, **layer.preload)
        assert (layered.status, layered.out) == (plain.status, plain.out)
    return found


def replayed(capsys: pytest.CaptureFixture[str], *words: object) -> Any:
    status = main(["replay", *map(str, words), "--json"])
    assert status in (0, 1)
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("name", CALLS)
def test_every_call_is_recorded_with_its_data(recordings: dict[str, Path], name: str) -> None:
    found = lines(recordings[name])
    assert len(found) == CALLS[name]
    for line in found:
        assert line["status"] == line["second"]["status"] == 0
        files = [*line["data"]["inputs"].values(), *line["data"]["outputs"].values()]
        assert len(files) >= 2
        assert all((recordings[name].parent / file).exists() for file in files)


def test_the_porting_report(recordings: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    found = replayed(capsys, *recordings.values(), "--product", "all")
    assert (found["files"], found["calls"], found["failures"]) == (2, 36, [])
    ports = {port["product"]: port for port in found["ports"]}
    assert list(ports) == list(KEYS)
    for port in ports.values():
        assert sum(port["calls"].values()) == 36
        stopped = sum(one["calls"] for one in port["obstacles"])
        assert stopped == 36 - port["calls"]["works"] - port["calls"]["not judged"]
        assert all(one["reason"] for one in port["obstacles"])
    for product in ("atlas_a2", "atlas_a3"):  # where the documents list every operator of both
        assert ports[product]["calls"]["works"] == 36
    reasons = [one["rule"] for one in ports["atlas_training"]["obstacles"]]
    assert "aclnnRmsNorm.product" in reasons
    assert "aclnnConvolution.float-needs-lower-precision" in reasons
    fixes = {fix for one in ports["atlas_training"]["obstacles"] for fix in one["fixes"]}
    assert "Set cubeMathType to 1." in fixes


@pytest.mark.parametrize("name", CALLS)
def test_it_runs_again(recordings: dict[str, Path], name: str, capsys: pytest.CaptureFixture[str]) -> None:
    runs = replayed(capsys, recordings[name], "--backend", "numpy")["runs"]
    assert len(runs) == CALLS[name]
    assert {run["data"] for run in runs} == {"recorded"}
    for run in runs:
        assert run["worst"]["ratio"] <= (1.1 if run["operator"] == TIGHT else 1), run


def test_it_runs_again_on_the_simulator(recordings: dict[str, Path], layer: Layer) -> None:
    """In a process of its own, which finds the simulator as its device."""
    words = ["replay", str(recordings["resnet_block"]), "--backend", "simulator", "--root", str(layer.simulator.root)]
    done = subprocess.run([sys.executable, "-m", "aclspec.cli", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done
    assert "18 calls run again: 18 agrees, 0 differs, 0 failed, 0 not run" in done.stdout


def test_the_call_of_a_stub_is_judged_as_the_layer_judged_it(stub: Stub, tmp_path: Path) -> None:
    """Hostile calls: what the checks in C said is what the compiled checks in Python say of the recorded arguments."""
    file = tmp_path / "calls"
    stub.run("hostile", "2000", "1", variables={"ACLSPEC_RECORD": str(file), "ACLSPEC_LAYER_LOG": "/dev/null"})
    judge, compared = Judge(find), 0
    for call in read([file]).calls:
        for answered in call.answers:
            if answered.status == 0 or answered.rule is None:
                continue
            found = judge.answer(call, call.product)
            assert found.kind == "not judged" or found.rule == answered.rule, judge.text(call)
            compared += found.kind != "not judged"
    assert compared > 50
