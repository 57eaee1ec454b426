"""The JSON of replay fits its JSON Schema, which says all of it and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import numpy as np
import pytest

from aclspec.cli.main import main
from tests.replay.conftest import Write, line, prelu, tensor
from tests.replay.test_running import OUT, SELF, WEIGHT, with_data

SCHEMA = json.loads((files("aclspec.runtime.replay") / "replay.schema.json").read_text("utf-8"))


def replayed(capsys: pytest.CaptureFixture[str], *words: object) -> Any:
    assert main(["replay", *map(str, words), "--json"]) in (0, 1)
    found = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator(SCHEMA).validate(found)
    return found


def recordings(write: Write, tmp_path: Path) -> Iterator[Path]:
    """Calls that work, fail, are not known, run on data of each kind, and a line that is cut off."""
    hidden = line("aclnnPrelu", {"self": {"unknown": True}, "weight": tensor(2), "out": tensor(4, 2)})
    missing = prelu(2, data={"missing": "captured"})
    failed = prelu(2, second={"status": 361001, "nanoseconds": 1, "executor": "new"})
    cached = {"operator": "aclnnPrelu", "second": {"status": 0, "nanoseconds": 1, "executor": "cached"}, "thread": 1}
    place = {"file": "train.py", "line": 7, "function": "step"}
    refused = prelu(3, status=161002, rule="aclnnPrelu.weight-numel", python=place)
    yield write(
        missing, prelu(1, status=561000), refused, failed, cached, hidden, line("aclnnNo", {}), '{"op', name="a"
    )
    for name, wrong in (("b", OUT), ("c", OUT * np.nan), ("d", OUT * np.inf), ("e", OUT[:2])):
        with_data(write, tmp_path, prelu(2), self=SELF, weight=WEIGHT, out_out=wrong).rename(tmp_path / name)
        yield tmp_path / name


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_part_fits(write: Write, tmp_path: Path, lang: str, capsys: pytest.CaptureFixture[str]) -> None:
    seen: set[str] = set()
    for path in recordings(write, tmp_path):
        found = replayed(capsys, path, "--lang", lang, "--product", "all", "--backend", "numpy")
        seen |= {f"{name}" for name, value in found.items() if value}
        seen |= {run["verdict"] for run in found["runs"]}
        replayed(capsys, path)
    assert seen >= {*SCHEMA["properties"], "agrees", "differs", "not run"}
    assert SCHEMA["properties"]["aclspec_replay"]["const"] == found["aclspec_replay"]


def test_an_empty_recording_fits(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    assert replayed(capsys, write())["calls"] == 0
