"""``aclspec derive``: calls are derived once, fit the rules that they were derived for, and keep what a person adds."""

from __future__ import annotations

from pathlib import Path

import pytest

from aclspec.cli.main import main
from aclspec.codegen.pipeline import corpora
from aclspec.codegen.pipeline.generate import generate
from aclspec.codegen.source.findings import SpecErrors
from tests.pipeline.conftest import PACKAGE, Small


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache that no other test has written to."""
    monkeypatch.setenv("ACLSPEC_CACHE", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def calls(small: Small) -> Path:
    """The corpus of the small project, which is generated."""
    small.generate()
    return small.out / "calls" / "copy_all.txt"


def options(small: Small, package: bool = True) -> list[str]:
    """The options of the commands."""
    found = ["--specs", str(small.specs), "--out", str(small.out)]
    return [*found, "--package", PACKAGE] if package else found


def narrower(small: Small) -> None:
    """Change a rule of the spec."""
    small.edit("require: shape(out) == shape(self)", "require: shape(out) == shape(self) and rank(self) < 5")


def test_generate_derives_nothing_where_calls_fit(small: Small, calls: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> str:
        raise AssertionError("calls were derived")

    monkeypatch.setattr(corpora, "derived", refuse)
    monkeypatch.setenv("ACLSPEC_CACHE", "off")
    assert small.generate(check=True).clean


def test_calls_of_other_rules_are_an_error_that_says_what_to_run(
    small: Small, calls: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = calls.read_text(encoding="utf-8")
    narrower(small)
    assert main(["generate", *options(small), "--check"]) == 1
    assert main(["generate", *options(small), "--acknowledge", "aclnnCopyAll.out-shape"]) == 1
    said = capsys.readouterr().err
    assert "The calls of aclnnCopyAll were derived for other rules (out-shape)" in said
    words = said.partition("run `aclspec ")[2].partition("`")[0].split()
    assert words == ["derive", "copy_all", *options(small, package=False)]
    assert calls.read_text(encoding="utf-8") == before
    assert main(words) == 0
    assert calls.read_text(encoding="utf-8") != before
    assert main(["generate", *options(small), "--acknowledge", "aclnnCopyAll.out-shape"]) == 0
    assert main(["generate", *options(small), "--check"]) == 0


def test_stale_alone_leaves_calls_that_fit(small: Small, calls: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = calls.read_text(encoding="utf-8")
    stale = ["derive", "--all", "--stale", *options(small, package=False)]
    with monkeypatch.context() as patched:
        patched.setattr(corpora, "derived", lambda *_: pytest.fail("calls were derived"))
        assert main(stale) == 0
    narrower(small)
    assert main(stale) == 0
    assert calls.read_text(encoding="utf-8") != before


def test_missing_calls_are_derived_but_not_by_check(
    small: Small, calls: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = calls.read_text(encoding="utf-8")
    calls.unlink()
    monkeypatch.setenv("ACLSPEC_CACHE", "off")
    assert main(["generate", *options(small), "--check"]) == 1
    assert "The calls of aclnnCopyAll are not derived yet" in capsys.readouterr().err
    assert main(["generate", *options(small)]) == 0
    assert calls.read_text(encoding="utf-8") == before


def test_other_parameters_are_noticed(small: Small, calls: Path) -> None:
    calls.write_text(calls.read_text(encoding="utf-8").replace("# --self tensor", "# --self scalar"), encoding="utf-8")
    with pytest.raises(SpecErrors, match="other parameters"):
        generate(small.specs, small.out, PACKAGE, derive=())


def test_a_line_that_a_person_added_stays(small: Small, calls: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with calls.open("a", encoding="utf-8") as file:
        file.write("--self 'float32[7,3]'  # keep: a shape that a client has\n" * 2)
        file.write("--self 'float32[7,3]' --out 'float32[7]'  # keep: another rank\n")
    assert main(["generate", *options(small), "--check"]) == 1
    assert "lines that a person added" in capsys.readouterr().err
    for _ in range(2):
        assert main(["derive", "--all", *options(small, package=False)]) == 0
        lines = calls.read_text(encoding="utf-8").splitlines()
        assert [line for line in lines if "keep: " in line] == [
            "--self 'float32[7,3]'  # kept: *; keep: a shape that a client has",
            "--self 'float32[7,3]' --out 'float32[7]'  # fails: *; keep: another rank",
        ]
    assert main(["derive", "--all", *options(small, package=False), "--check"]) == 0
    assert small.generate(check=False).operators == 1


def test_a_kept_call_of_a_parameter_that_is_gone_is_named(
    small: Small, calls: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = calls.read_text(encoding="utf-8").replace("# --out", "# --other tensor, else null\n# --out")
    calls.write_text(f"{text}--self 'float32[7]' --other 'float32[1]'  # keep: an old one\n", encoding="utf-8")
    assert main(["derive", "copy_all", *options(small, package=False)]) == 1
    assert "names a parameter that does not exist (other)" in capsys.readouterr().err


def test_a_line_that_cannot_be_read_is_a_finding(small: Small, calls: Path, capsys: pytest.CaptureFixture[str]) -> None:
    calls.write_text(calls.read_text(encoding="utf-8") + "nonsense\n", encoding="utf-8")
    assert main(["derive", "copy_all", *options(small, package=False)]) == 1
    assert "cannot be read (nonsense)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "or --all"),
        (["copy_all", "--all"], "or --all"),
        (["copy_some"], "No spec is of an operator of this name (copy_some)"),
    ],
)
def test_mistakes(small: Small, calls: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["derive", *words, *options(small, package=False)]) == 2
    assert said in " ".join(capsys.readouterr().err.split())


def test_calls_of_an_operator_that_is_gone_are_removed(small: Small, calls: Path) -> None:
    other = calls.with_name("copy_none.txt")
    other.write_text(calls.read_text(encoding="utf-8").replace("CopyAll", "CopyNone"), encoding="utf-8")
    small.generate()
    assert calls.exists()
    assert not other.exists()
