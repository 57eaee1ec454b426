"""``aclspec doctor --bundle``: what is in it, and above all what is not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from aclspec.codegen.conform.bundle import cleaned, messages
from aclspec.runtime.version import __version__

SECRET = "hunter2-for-the-tests"


def test_a_bundle_holds_versions_and_messages_and_no_secret(tmp_path: Path) -> None:
    home = tmp_path / "home-of-alice"
    log = home / "ascend" / "log" / "debug" / "plog" / "plog-1.log"
    log.parent.mkdir(parents=True)
    log.write_text(
        f"[ERROR] OP(1): the tiling of {home}/model failed, token={SECRET}\n[INFO] OP(1): data 1 2 3\n",
        encoding="utf-8",
    )
    out = tmp_path / "out.zip"
    variables = {
        "HOME": str(home),
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "ACLSPEC_TOKEN": SECRET,
        "ASCEND_OPP_PATH": str(home),
    }
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ACLSPEC_", "ASCEND_"))}
    done = subprocess.run(
        [sys.executable, "-m", "aclspec.cli", "doctor", "--json", "--bundle", str(out)],
        env=kept | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert json.loads(done.stdout)["findings"]
    with zipfile.ZipFile(out) as bundle:
        texts = {name: bundle.read(name).decode() for name in bundle.namelist()}
    assert sorted(texts) == ["environment.json", "findings.json", "messages.txt", "versions.json"]
    assert json.loads(texts["versions.json"])["aclspec"] == __version__
    assert json.loads(texts["environment.json"])["ASCEND_OPP_PATH"] == "~"
    assert texts["messages.txt"] == "[ERROR] OP(1): the tiling of ~/model failed, token=HIDDEN\n"
    everything = "".join(texts.values())
    assert SECRET not in everything
    assert "alice" not in everything


def test_few_lines_of_long_logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASCEND_PROCESS_LOG_PATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path / "nowhere"))
    (tmp_path / "a.log").write_text("".join(f"[ERROR] {at}\n" for at in range(1000)), encoding="utf-8")
    found = messages()
    assert (len(found), found[-1]) == (200, "[ERROR] 999")


def test_names_are_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("LOGNAME", "alice")
    text = f"alice ran {tmp_path}/model of malice with api_key: abc"
    assert cleaned(text) == "USER ran ~/model of malice with api_key=HIDDEN"
