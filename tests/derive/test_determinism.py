"""The same spec gives the same cases, in every process and whatever was kept."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from aclspec.codegen.derive import derive_cases
from aclspec.codegen.derive.cache import kept, key
from aclspec.codegen.folders import CACHE
from aclspec.codegen.load import Project
from aclspec.runtime.info import OperatorInfo, Text
from aclspec.runtime.predicate.nodes import Bool

SCRIPT = """
import hashlib
from aclspec.codegen.derive.cases import derive
from aclspec.codegen.load import load_project
info = load_project().operator("aclnnPreluBackward").info
print(hashlib.sha256(repr(derive(info)).encode()).hexdigest())
"""


@pytest.fixture
def prelu(project: Project) -> OperatorInfo:
    return project.operator("aclnnPreluBackward").info


def test_the_hash_seed_means_nothing() -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


def test_what_was_kept_is_given_again(prelu: OperatorInfo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE, str(tmp_path))
    asked: list[str] = []

    def compute(info: OperatorInfo) -> str:
        asked.append(info.name)
        return "cases"

    assert [kept(prelu, compute) for _ in range(3)] == ["cases"] * 3
    assert asked == ["aclnnPreluBackward"]


def test_the_last_versions_of_an_operator_are_kept(
    prelu: OperatorInfo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CACHE, str(tmp_path))
    versions = [replace(prelu, rules=prelu.rules[turn:]) for turn in range(6)]
    for age, version in zip(range(60, 0, -10), versions, strict=True):
        kept(version, lambda info: "cases")
        (written,) = (tmp_path / "derive").rglob(f"{key(version)}*")
        then = written.stat().st_mtime - age
        os.utime(written, (then, then))
    found = [any((tmp_path / "derive").rglob(f"{key(version)}*")) for version in versions]
    assert found == [False, False, True, True, True, True]


def test_nothing_is_kept_where_that_is_switched_off(prelu: OperatorInfo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE, "off")
    asked: list[str] = []
    for _ in range(2):
        kept(prelu, lambda info: asked.append(info.name))
    assert len(asked) == 2


def test_a_broken_or_unwritable_folder_does_no_harm(
    prelu: OperatorInfo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CACHE, str(tmp_path))
    kept(prelu, lambda info: "cases")
    (file,) = (path for path in (tmp_path / "derive").rglob("*") if path.is_file())
    file.write_bytes(b"no pickle")
    assert kept(prelu, lambda info: "again") == "again"
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(CACHE, str(tmp_path / "file"))
    assert kept(prelu, lambda info: "anew") == "anew"


def test_the_key_is_the_meaning_and_not_the_texts(prelu: OperatorInfo) -> None:
    assert key(replace(prelu, summary=Text("another", "另一个"))) == key(prelu)
    assert key(replace(prelu, rules=prelu.rules[1:])) != key(prelu)
    rules = list(prelu.rules)
    for at, rule in enumerate(rules):
        other = replace(rule, when=Bool(False) if rule.when is None else None)
        assert key(replace(prelu, rules=(*rules[:at], other, *rules[at + 1 :]))) != key(prelu), rule.id
        told = replace(rule, doc=Text("another", "另一个"))
        assert key(replace(prelu, rules=(*rules[:at], told, *rules[at + 1 :]))) == key(prelu), rule.id
    assert key(replace(prelu, name="aclnnOther")) != key(prelu)


def test_a_second_question_costs_nothing(prelu: OperatorInfo) -> None:
    assert derive_cases(prelu) is derive_cases(prelu)
