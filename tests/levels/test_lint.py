"""What lint wants of a spec at its level, and of one that is to be of a higher level."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from aclspec.cli.main import main
from aclspec.codegen.pipeline.load import lint
from aclspec.runtime.rules.levels import Level
from tests.levels.conftest import SPECS
from tests.support.fences import blocks


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    """A copy of the specs, to be changed."""
    shutil.copytree(SPECS, tmp_path / "specs")
    return tmp_path / "specs"


def changed(specs: Path, name: str, *changes: tuple[str, str]) -> list[str]:
    """The findings about one spec after a change."""
    path = specs / "custom" / f"{name}.yaml"
    text = path.read_text(encoding="utf-8")
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    path.write_text(text, encoding="utf-8")
    return [text for text in found(specs) if text.startswith(f"{name}.yaml")]


def found(specs: Path, level: Level | None = None) -> list[str]:
    """The findings as text, without the folder."""
    return [str(finding).partition("custom/")[2] for finding in lint([specs], level)]


DRAFTED = (
    "drafted.yaml:2:1: warning: The key (summary) of the file is missing; level checked needs it.",
    "drafted.yaml:10:3: warning: An output (out) has no inference; expected its shape and dtype under infer.",
)
"""What a draft lacks."""


def test_nothing_is_wrong_with_them() -> None:
    assert found(SPECS) == [*DRAFTED]


def test_what_a_draft_lacks_is_an_error_once_it_is_none(specs: Path) -> None:
    findings = changed(specs, "drafted", ("draft: true\n", ""), ("{en:", "{zh: 文本。, en:"))
    assert findings == [text.replace(" warning:", "").replace(":10:3:", ":9:3:") for text in DRAFTED]


def test_a_parameter_out_of_unknown_direction_is_refused(specs: Path) -> None:
    (finding,) = changed(specs, "outline", ("out: {out: tensor", "out: {unknown: tensor"))
    assert finding == (
        "outline.yaml:11:3: A parameter (out) has the name of a keyword that every call takes; expected the "
        "direction out or another name."
    )


def test_what_a_declared_spec_wants_to_be_checked() -> None:
    assert found(SPECS, "checked") == [
        *DRAFTED,
        "named.yaml:2:1: An output (out) has no inference; expected its shape and dtype under infer.",
        "named.yaml:2:1: The key (checks) of the file is missing; level checked needs it.",
        "named.yaml:2:5: warning: The operator has no example.",
        "outline.yaml:2:1: warning: An output (out) has no inference; expected its shape and dtype under infer.",
        "outline.yaml:2:1: The key (checks) of the file is missing; level checked needs it.",
        "outline.yaml:2:1: The key (products) of the file is missing; level checked needs it.",
        "outline.yaml:2:1: warning: The key (summary) of the file is missing; level checked needs it.",
        "outline.yaml:2:5: warning: The operator has no example.",
        "outline.yaml:7:3: The key (doc) of entry 2 of params is missing; level checked needs it.",
        "outline.yaml:7:11: The direction of a parameter (state) is unknown; level checked needs in, out or inout.",
        "outline.yaml:8:3: The key (doc) of entry 3 of params is missing; level checked needs it.",
        "outline.yaml:9:3: The key (doc) of entry 4 of params is missing; level checked needs it.",
        "outline.yaml:9:11: The direction of a parameter (parts) is unknown; level checked needs in, out or inout.",
        "outline.yaml:10:3: The key (doc) of entry 5 of params is missing; level checked needs it.",
    ]


def test_what_a_checked_spec_wants_to_be_computed() -> None:
    wanted = [text for text in found(SPECS, "computed") if text.startswith("halved")]
    assert wanted == ["halved.yaml:2:1: The key (compute) of the file is missing; level computed needs it."]


def test_the_level_computed_wants_a_reference(specs: Path) -> None:
    text = "The key (reference) of compute is missing; level computed wants one, or reasons under unchecked."
    doubled = [one for one in found(specs, "computed") if one.startswith("doubled")]
    assert doubled == [f"doubled.yaml:12:1: warning: {text}"]
    assert [one for one in found(specs, "checked") if one.startswith("doubled")] == []
    reference = "\n  reference: {formula: {}, unchecked: {out: It is only rounded.}}"
    assert changed(specs, "doubled", ("{work: dtype(self)}", "{work: dtype(self)}" + reference)) == []
    assert [one for one in found(specs, "computed") if one.startswith("doubled")] == []


def test_a_spec_that_has_what_the_next_level_wants(specs: Path) -> None:
    rest = ("products: [atlas_a2]", "products: [atlas_a2]\nrules: []")
    out = ("out: {out: tensor,", "out: {out: tensor, shape: shape(self), dtype: dtype(self),")
    assert changed(specs, "named", out, rest) == [
        f"named.yaml:{place}: The key ({key}) is of level checked, and the spec of level declared."
        for place, key in [("6:8", "checks"), ("9:3", "infer")]
    ]
    assert [text for text in found(specs, "checked") if text.startswith("named") and "warning" not in text] == []


def test_the_command(specs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(specs / "custom" / "halved.yaml")
    assert main(["lint", file]) == 0
    assert main(["lint", file, "--level", "checked"]) == 0
    assert main(["lint", file, "--level", "computed"]) == 1
    assert "The key (compute) of the file is missing" in capsys.readouterr().out
    assert main(["lint", file, "--level", "declared"]) == 2
    assert "The level (declared) is neither checked nor computed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "change", "findings"),
    [
        ("doubled", ("compute:\n  kernel: tests.levels.kernels.doubling:doubled\n  roles: {work: dtype(self)}\n", ""),
         ["doubled.yaml:2:1: The key (compute) of the file is missing; level computed needs it."]),
        ("doubled", ("op: aclnnDoubled\n", "op: aclnnDoubled\nlevel: checked\n"),
         ["doubled.yaml:13:1: The key (compute) is of level computed, and the spec of level checked."]),
        ("doubled", ("summary: [Twice every element., 每个元素的两倍。]", "draft: true"),
         ["doubled.yaml:2:1: The key (summary) of the file is missing; level checked needs it."]),
        ("halved", ("level: checked", "level: cheked"),
         ["halved.yaml:3:8: The value (cheked) of level is unknown; expected declared, checked or computed; "
          "did you mean checked?"]),
        ("halved", ("draft: true\n", ""),
         [f"halved.yaml:{place}: The key (zh) of {what} is missing; expected en and zh."
          for place, what in [("4:10", "summary"), ("7:36", "doc"), ("9:91", "doc"), ("17:12", "title")]]),
        ("outline", ("doc: {zh: 输出。}", "doc: {}"),
         ["outline.yaml:11:27: The key (en) of doc is missing; expected en and zh.",
          "outline.yaml:11:27: The key (zh) of doc is missing; expected en and zh."]),
        ("halved", ("start: {in: int64", "start: {unknown: int64"),
         ["halved.yaml:9:11: The direction of a parameter (start) is unknown; level checked needs in, out or inout."]),
    ],
)  # fmt: skip
def test_findings(specs: Path, name: str, change: tuple[str, str], findings: list[str]) -> None:
    assert changed(specs, name, change) == findings


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_reference(
    lang: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The example of the page is right as it stands, and wants for the next level what the page shows."""
    page = Path(__file__).parents[2] / "site" / "docs" / lang / "reference" / "spec.md"
    found = list(blocks(page))
    (spec,) = (block.text for block in found if block.title == "stir.yaml")
    (shown,) = (block.text for block in found if "specs/math/stir.yaml" in block.text)
    monkeypatch.chdir(tmp_path)
    file = Path("specs/math/stir.yaml")
    file.parent.mkdir(parents=True)
    file.write_text(spec, encoding="utf-8")
    assert main(["lint", str(file)]) == 0
    capsys.readouterr()
    command, *lines = shown.splitlines()
    assert main(command.split()[2:]) == 1
    assert lines == capsys.readouterr().out.splitlines()[: len(lines)]
