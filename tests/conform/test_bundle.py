"""``aclspec doctor --bundle``: what is in it, and above all what is not, wherever a secret stands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from aclspec.codegen.conform import allowed
from aclspec.codegen.conform.bundle import message, messages, write_bundle
from aclspec.runtime.npu.doctor import Finding
from aclspec.runtime.version import __version__

SECRET = "hunter2-for-the-tests"
LEAKS = (
    f"Authorization: Bearer {SECRET}",
    f'{{"access_token": "{SECRET}", "aclnnAbs": 1}}',
    f"python train.py --token {SECRET}",
    f"git clone https://alice:{SECRET}@example.com/repository.git",
    f"Set-Cookie: session={SECRET}; Path=/",
    f"password is {SECRET}",
    f"-----BEGIN PRIVATE KEY----- {SECRET}",
    SECRET,
)
"""How secrets stand in lines; a list of bad words knew the sign of equality alone."""
KNOWN = "[ERROR] RUNTIME(42,python3):2026-11-27-10:11:12.123.456 [npu_driver.cc:1263]42 "


def read(path: Path) -> dict[str, str]:
    with zipfile.ZipFile(path) as bundle:
        return {name: bundle.read(name).decode() for name in bundle.namelist()}


def test_a_bundle_holds_versions_and_messages_and_no_secret(tmp_path: Path) -> None:
    """Secrets stand in each variable, in paths, in the names of files, and in every kind of line of a log."""
    home = tmp_path / "home-of-alice"
    log = home / "ascend" / "log" / f"plog-{SECRET}.log"
    log.parent.mkdir(parents=True)
    heads = (KNOWN, "[ERROR] OP(1): ", "[INFO] OP(1): ", f"[ERROR] {SECRET}(1): ", f"[ERROR] OP({SECRET}): ", "")
    lines = [head + leak for head in heads for leak in LEAKS]
    lines += [f"{KNOWN}aclrtMalloc of aclnnAdd fails with 207001, EL0004: {leak}" for leak in LEAKS]
    log.write_text("\n".join(lines), encoding="utf-8")
    os.mkfifo(log.with_name("pipe.log"))
    out = tmp_path / "out.zip"
    variables = dict.fromkeys(allowed.VARIABLES, f"/usr/local/Ascend/{SECRET}:{LEAKS[3]}")
    variables |= {"AWS_SECRET_ACCESS_KEY": SECRET, "ACLSPEC_TOKEN": SECRET, "HOME": str(home), "LD_PRELOAD": ""}
    variables["ASCEND_PROCESS_LOG_PATH"] = str(home / "ascend" / "log")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ACLSPEC_", "ASCEND_"))}
    done = subprocess.run(
        [sys.executable, "-m", "aclspec.cli", "doctor", "--json", "--bundle", str(out)],
        env=kept | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert SECRET in str(json.loads(done.stdout)["findings"])  # on the terminal of its owner
    texts = read(out)
    assert sorted(texts) == ["environment.json", "findings.json", "messages.txt", "versions.json"]
    assert json.loads(texts["versions.json"])["aclspec"] == __version__
    assert json.loads(texts["environment.json"])["LD_LIBRARY_PATH"].startswith("/usr/local/Ascend/*:*:")
    time = "2026-11-27-10:11:12.123.456"
    said = f"ERROR RUNTIME {time} npu_driver.cc:1263 aclrtMalloc aclnnAdd 207001 EL0004\n"
    assert texts["messages.txt"].count(said) == len(LEAKS) - 1  # and one that also names another operator
    everything = "".join(texts.values())
    assert [
        word for word in ("hunter", "alice", "Bearer", "token", "cookie", "example.com") if word in everything
    ] == []


@pytest.mark.parametrize("leak", LEAKS)
def test_a_value_of_a_finding_is_hidden_unless_it_is_known(tmp_path: Path, leak: str) -> None:
    values: dict[str, object] = dict.fromkeys((*allowed.FIELDS, "a field that nobody thought of"), leak)
    words = " ".join(f"{{{name}}}" for name in values)
    write_bundle(tmp_path / "out.zip", [Finding("device", "missing", words, values | {"count": 2})])
    assert "hunter" not in "".join(read(tmp_path / "out.zip").values())


def test_what_is_known_of_a_finding(tmp_path: Path) -> None:
    words = "Version {version} of {soc} in {path}: {reason} ({count} devices)."
    values = {"version": "9.0.RC1.alpha002+alice", "soc": "Ascend910B3", "count": 2}
    values |= {"path": "/usr/local/Ascend/ascend-toolkit/8.0.RC1/x/lib64", "reason": "aclrtSetDevice fails (107001)."}
    write_bundle(tmp_path / "out.zip", [Finding("device", "missing", words, values)])
    assert json.loads(read(tmp_path / "out.zip")["findings.json"])[0]["sentence"] == (
        "Version 9.0.RC1.alpha002 of Ascend910B3 in /usr/local/Ascend/ascend-toolkit/8.0.RC1/*/lib64: "
        "aclrtSetDevice 107001 (2 devices)."
    )


_WORD = st.text("abcxyzABCXYZ0123456789_-", min_size=8, max_size=20).filter(lambda word: not set(word) <= set("0-_"))


@given(_WORD, st.sampled_from([KNOWN, "[ERROR] OP(1): ", ""]), st.sampled_from(["{}", " {} ", "={}", '"{}"', "/{}/"]))
def test_a_word_that_nobody_knows_is_in_no_field(word: str, head: str, around: str) -> None:
    assume(word not in head)
    text = around.format(word)
    assert word not in message(head + text)
    assert all(word not in str(allowed.field(name, text)) for name in allowed.FIELDS)
    assert all(word not in allow(text) for allow in allowed.VARIABLES.values())


def test_few_lines_of_long_logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASCEND_PROCESS_LOG_PATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path / "nowhere"))
    numbers = [f"[ERROR] OP(1,python):2026-11-27-10:11:12.{at:03}.000 text\n" for at in range(1000)]
    (tmp_path / "a.log").write_text("".join(numbers), encoding="utf-8")
    found = messages()
    assert (len(found), found[-1]) == (200, "ERROR OP 2026-11-27-10:11:12.999.000")
