"""What `aclspec doctor` says of the packages of an installation: made-up trees of folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from aclspec.runtime.npu.doctor import Finding, installation

KERNELS = "opp/built-in/op_impl/ai_core/tbe/kernel"


@pytest.fixture(autouse=True)
def _no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASCEND_OPP_PATH", raising=False)


def tree(root: Path, socs: dict[str, str | None], **versions: str) -> Path:
    """An installation with kernels of SoCs, each with the text of its list, and with versions of packages."""
    for soc, text in socs.items():
        (root / KERNELS / soc).mkdir(parents=True)
        config = root / KERNELS / "config" / soc
        config.mkdir(parents=True)
        if text is not None:
            (config / "binary_info_config.json").write_text(text, encoding="utf-8")
    for name, version in versions.items():
        (root / name).mkdir(exist_ok=True)
        (root / name / "version.info").write_text(f"# made up\nVersion={version}\n", encoding="utf-8")
    return root


def told(root: Path, soc: str | None) -> list[tuple[str, str, str]]:
    found: list[Finding] = list(installation(root, soc))
    return [(one.topic, one.state, one.sentence) for one in found]


def test_a_sound_installation(tmp_path: Path) -> None:
    tree(tmp_path, {"ascend910b": "{}", "ascend310p": "{}"}, runtime="8.1.RC1", compiler="8.1.RC1", opp="8.1.0")
    assert told(tmp_path, "Ascend910B2") == [
        ("kernels package", "found", f"Kernels of ascend910b are below {tmp_path / 'opp'}.")
    ]
    assert [state for _, state, _ in told(tmp_path, None)] == ["found", "found"]


@pytest.mark.parametrize(("soc", "state"), [("Ascend910B2", "missing"), (None, "note")])
def test_no_kernels_at_all(tmp_path: Path, soc: str | None, state: str) -> None:
    ((topic, found, sentence),) = told(tmp_path, soc)
    assert (topic, found) == ("kernels package", state)
    assert sentence.startswith(f"No kernels are below {tmp_path / 'opp'};")


def test_kernels_of_another_soc(tmp_path: Path) -> None:
    tree(tmp_path, {"ascend910": "{}", "ascend310p": "{}"})
    (_, state, sentence), *_ = told(tmp_path, "Ascend910B2")
    assert state == "missing"
    assert sentence.endswith("are of ascend310p, ascend910, and none is of Ascend910B2.")
    assert told(tmp_path, "Ascend910A")[0][1:] == ("found", f"Kernels of ascend910 are below {tmp_path / 'opp'}.")


@pytest.mark.parametrize(
    ("text", "says"),
    [(None, "is missing"), ("{", "is not JSON"), ("\x00", "is not JSON"), ("[" * 100_000, "is not JSON")],
)
def test_a_list_of_kernels_that_cannot_be_read(tmp_path: Path, text: str | None, says: str) -> None:
    tree(tmp_path, {"ascend310p": text})
    ((_, state, sentence),) = told(tmp_path, "Ascend310P3")
    assert state == "missing"
    assert sentence.endswith(f"binary_info_config.json, {says}.")


def test_packages_of_two_versions(tmp_path: Path) -> None:
    tree(tmp_path, {"ascend310p": "{}"}, runtime="8.1.RC1", opp="8.0.RC3")
    (topic, state, sentence), *_ = told(tmp_path, "Ascend310P3")
    assert (topic, state) == ("packages", "note")
    assert "runtime 8.1.RC1, opp 8.0.RC3" in sentence


def test_operators_of_another_installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree(tmp_path / "a", {"ascend310p": "{}"})
    tree(tmp_path / "b", {"ascend310p": "{}"})
    monkeypatch.setenv("ASCEND_OPP_PATH", str(tmp_path / "b" / "opp"))
    (topic, state, sentence), kernels = told(tmp_path / "a", "Ascend310P3")
    assert (topic, state) == ("environment", "missing")
    assert sentence.startswith(f"ASCEND_OPP_PATH names {tmp_path / 'b' / 'opp'}")
    assert str(tmp_path / "b" / "opp") in kernels[2]
    (tmp_path / "latest").mkdir()
    (tmp_path / "latest" / "opp").symlink_to(tmp_path / "b" / "opp")
    assert [topic for topic, *_ in told(tmp_path / "latest", "Ascend310P3")] == ["kernels package"]
