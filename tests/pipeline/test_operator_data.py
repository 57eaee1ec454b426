"""The data of operators: read from where the package is, and refused in a sentence where it is damaged."""

from __future__ import annotations

import json
import re
import sys
import zipfile
from collections.abc import Callable
from importlib import invalidate_caches
from pathlib import Path
from typing import Any

import pytest

from aclspec.runtime.rules.operator_data import info_of, read_info
from tests.pipeline.conftest import Small

Damage = Callable[[dict[str, Any]], object]


@pytest.fixture
def data(small: Small, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the operator, generated, in a package that can be imported."""
    small.generate()
    monkeypatch.syspath_prepend(str(small.out))
    for name in ("outside", "outside.ops"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    invalidate_caches()
    return small.module.with_name("_info") / "copy_all.json"


def refusal(package: str = "outside.ops") -> str:
    """What is said of the file when it is read."""
    with pytest.raises(ValueError, match="is not the data of an operator") as caught:
        read_info(package, "copy_all")
    said = str(caught.value)
    assert said.startswith(f"The file _info/copy_all.json of the package {package} is not the data of an operator: ")
    assert said.endswith(" Generate the package again, or install it with its JSON files.")
    return said


def test_each_part_of_a_table_is_on_a_line(data: Path) -> None:
    text = data.read_text(encoding="utf-8")
    info = read_info("outside.ops", "copy_all")
    lines = [line.strip().removesuffix(",") for line in text.splitlines()]
    for rule in info.rules:
        (line,) = [line for line in lines if line.startswith(f'{{"id": "{rule.id}", ')]
        assert json.loads(line)["requirement"] == {"en": rule.requirement.en, "zh": rule.requirement.zh}
    assert "do not edit" in lines[1]


def test_it_is_read_from_an_archive(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, archive = data.parents[1], tmp_path / "packed.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for path in (folder / "__init__.py", data):
            packed.write(path, f"packed/{path.relative_to(folder)}")
    monkeypatch.syspath_prepend(str(archive))
    assert read_info("packed", "copy_all") == info_of(json.loads(data.read_text(encoding="utf-8")))


def test_a_missing_file(data: Path) -> None:
    data.unlink()
    assert "No such file" in refusal()


@pytest.mark.parametrize("text", ["", "[]", '{"name": ', "<<<<<<< ours\n{}", "{}"])
def test_a_file_that_is_not_an_operator(data: Path, text: str) -> None:
    data.write_text(text, encoding="utf-8")
    refusal()


def test_bytes_that_are_no_text(data: Path) -> None:
    data.write_bytes(data.read_bytes()[:-3] + b"\xff")
    refusal()


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda info: info.pop("rules"), "OperatorInfo.*'rules'"),
        (lambda info: info.update(colour="red"), "OperatorInfo.*'colour'"),
        (lambda info: info["rules"][1].update(colour="red"), "RuleInfo.*'colour'"),
        (lambda info: info["rules"][1].pop("status"), "RuleInfo.*'status'"),
        (lambda info: info.update(rules="none"), "'none' is not RuleInfo"),
        (lambda info: info["rules"].append(7), "7 is not RuleInfo"),
        (lambda info: info.update(summary="A copy."), "'A copy.' is not Text"),
        (lambda info: info["params"][0].update(formats=[{"ND": 1}]), "{'ND': 1} is not a plain value"),
        (lambda info: info["examples"][0]["inputs"].update(self={"dtype": "FLOAT"}), "TensorValue.*'shape'"),
    ],
)
def test_data_of_another_shape(data: Path, damage: Damage, said: str) -> None:
    info = json.loads(data.read_text(encoding="utf-8"))
    damage(info)
    data.write_text(json.dumps(info), encoding="utf-8")
    assert re.search(said, refusal())
