"""An unchanged run builds nothing; every change is found."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from aclspec.codegen.pipeline import generate as pipeline
from aclspec.codegen.pipeline.cache import VERSIONS, Entry
from aclspec.codegen.pipeline.generate import Builder, generate
from aclspec.codegen.source.findings import SpecErrors
from tests.pipeline.conftest import PACKAGE, Small


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache that no other test has written to."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("ACLSPEC_CACHE", str(folder))
    return folder


def refuse(*_: Any) -> Any:
    raise AssertionError("an operator was built")


def test_nothing_is_loaded_where_nothing_changed(small: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    first = small.generate()
    monkeypatch.setattr(pipeline, "build_operator", refuse)
    again = small.generate()
    assert (again.clean, again.operators, again.files) == (True, first.operators, first.files)
    assert small.generate(check=True).clean


def test_an_idle_run_imports_neither_loader_nor_renderers(small: Small) -> None:
    program = (
        "import sys; from aclspec.codegen.pipeline.generate import generate; generate(*sys.argv[1:]); "
        "print(*sorted({'pydantic', 'jinja2', 'yaml'} & sys.modules.keys()))"
    )
    command = [sys.executable, "-c", program, str(small.specs), str(small.out), PACKAGE]
    said = [subprocess.run(command, check=True, capture_output=True, text=True).stdout.split() for _ in range(2)]
    assert said == [["jinja2", "pydantic", "yaml"], []]


def test_without_a_cache_every_run_looks_anew(small: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    small.generate()
    monkeypatch.setenv("ACLSPEC_CACHE", "off")
    monkeypatch.setattr(pipeline, "build_operator", refuse)
    with pytest.raises(AssertionError, match="built"):
        small.generate()


def test_a_file_with_the_same_size_and_time_is_found_while_it_is_fresh(small: Small) -> None:
    small.generate()
    before = small.module.stat()
    text = small.module.read_text()
    small.module.write_text(text.replace("> 8", "> 9"))
    os.utime(small.module, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert small.generate(check=True).paths("stale") == (small.module,)


def test_a_file_that_comes_or_goes_is_found(small: Small) -> None:
    small.generate()
    small.generate()
    gone = small.module.with_name("_info") / f"{small.module.stem}.json"
    gone.unlink()
    assert small.generate(check=True).paths("missing") == (gone,)
    small.generate()
    old = small.module.with_name("renamed.py")
    old.write_text(small.module.read_text())
    assert small.generate(check=True).paths("orphaned") == (old,)


def test_a_changed_spec_is_generated(small: Small) -> None:
    small.generate()
    small.edit("summary:\n  en: ", "summary:\n  en: Truly ")
    assert small.module in small.generate().paths("stale")
    assert small.generate().clean


def test_another_package_is_another_run(small: Small) -> None:
    small.generate()
    result = generate(small.specs, small.out, "another.ops")
    assert result.paths("missing")


@pytest.fixture
def two(small: Small) -> Path:
    """The small project with a second operator; the spec of that one."""
    other = small.spec.with_name("copy_more.yaml")
    other.write_text(small.spec.read_text(encoding="utf-8").replace("aclnnCopyAll", "aclnnCopyMore"), encoding="utf-8")
    return other


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the specs that are built from here on."""
    names: list[str] = []
    build = pipeline.build_operator

    def noted(builder: Builder, file: Path) -> Entry:
        names.append(file.stem)
        return build(builder, file)

    monkeypatch.setattr(pipeline, "build_operator", noted)
    return names


def anew(small: Small, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The files as a run without any record writes them."""
    out = tmp_path / "anew"
    with monkeypatch.context() as patched:
        patched.setenv("ACLSPEC_CACHE", "off")
        generate(small.specs, out, PACKAGE)
    return texts(out)


def texts(out: Path) -> dict[str, str]:
    """The generated files by their paths."""
    kernels = "outside_kernels"
    files = (path for path in sorted(out.rglob("*")) if path.is_file() and kernels not in path.parts)
    return {path.relative_to(out).as_posix(): path.read_text(encoding="utf-8") for path in files}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("A copy of self.", "Just a copy of self."),  # in the header and on a page of all operators
        ("category: copy", "category: copies"),
        ("\nchecks:", "\n# Nothing but a remark.\nchecks:"),
    ],
)
def test_a_changed_spec_alone_is_built_and_all_is_as_if_anew(
    small: Small, two: Path, built: list[str], old: str, new: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small.generate()
    assert sorted(built) == ["copy_all", "copy_more"]
    built.clear()
    small.edit(old, new)
    small.generate()
    assert built == ["copy_all"]
    assert texts(small.out) == anew(small, tmp_path, monkeypatch)


def test_whoever_goes_back_to_an_earlier_text_builds_nothing(
    small: Small, two: Path, built: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = small.spec.read_text(encoding="utf-8")
    small.generate()
    small.edit("A copy of self.", "Just a copy of self.")
    small.generate()
    built.clear()
    small.spec.write_text(text, encoding="utf-8")
    assert small.module in small.generate().paths("stale")
    assert built == []
    assert texts(small.out) == anew(small, tmp_path, monkeypatch)


def test_another_folder_takes_what_was_built_for_the_first(
    small: Small, two: Path, built: list[str], tmp_path: Path
) -> None:
    small.generate()
    built.clear()
    generate(small.specs, tmp_path / "other", PACKAGE)
    assert built == []
    assert texts(tmp_path / "other") == texts(small.out)
    generate(small.specs, tmp_path / "package", f"{PACKAGE}.inner")
    assert sorted(built) == ["copy_all", "copy_more"]


def test_the_last_entries_of_an_operator_stay_and_a_broken_one_is_built_again(
    small: Small, built: list[str], own_cache: Path, tmp_path: Path
) -> None:
    for turn in range(6):
        small.edit("A copy of self.", f"A copy of self.{' ' * turn}!")
        small.generate()
        small.edit(f"A copy of self.{' ' * turn}!", "A copy of self.")
    for folder in ("copy/copy_all", "shared"):
        assert len(list((own_cache / "generate" / folder).iterdir())) == VERSIONS
    small.generate()
    for number, path in enumerate(sorted(own_cache.rglob("*.json"))):
        path.write_text(["nonsense", "[]", "{}", '{"files": 1}'][number % 4])
    built.clear()
    generate(small.specs, tmp_path / "other", PACKAGE)
    assert built == ["copy_all"]
    assert texts(tmp_path / "other") == texts(small.out)


@pytest.mark.parametrize("climbing", ["../stolen.py", "/tmp/stolen.py", "outside/../../stolen.py", "..\\stolen.py"])
def test_an_entry_that_leaves_the_folder_is_not_used(
    small: Small, built: list[str], own_cache: Path, climbing: str
) -> None:
    small.generate()
    (path,) = (own_cache / "generate" / "copy" / "copy_all").iterdir()
    stated = json.loads(path.read_text(encoding="utf-8"))
    entry = Entry({**stated["files"], climbing: "stolen"}, stated["contribution"])
    path.write_text(json.dumps({**asdict(entry), "digest": entry.digest}), encoding="utf-8")
    built.clear()
    before = small.contents()
    assert small.generate().clean
    assert built == ["copy_all"]
    assert small.contents() == before


def test_an_entry_that_was_changed_is_not_used(small: Small, built: list[str], own_cache: Path) -> None:
    small.generate()
    (path,) = (own_cache / "generate" / "copy" / "copy_all").iterdir()
    path.write_text(path.read_text(encoding="utf-8").replace("A copy of self", "Another text"), encoding="utf-8")
    built.clear()
    assert small.generate().clean
    assert built == ["copy_all"]


def test_the_cache_is_its_user_s_own(
    small: Small, built: list[str], own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = own_cache / "generate"
    small.generate()
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o777)
    small.generate(check=True)
    assert folder.stat().st_mode & 0o777 == 0o700
    built.clear()
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert small.generate(check=True).clean
    assert built == ["copy_all"]


def test_a_mistake_is_told_however_often(small: Small, own_cache: Path) -> None:
    small.edit("rank: [0, 8]", "rank: [0, nine]")
    for _ in range(2):
        with pytest.raises(SpecErrors):
            small.generate()
    assert not list(own_cache.rglob("*.json"))


def test_a_spec_that_goes_takes_its_files_and_its_lines_along(
    small: Small, two: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small.generate()
    two.unlink()
    assert small.module.with_name("copy_more.py") in small.generate(check=True).paths("orphaned")
    small.generate()
    assert texts(small.out) == anew(small, tmp_path, monkeypatch)


def test_what_a_check_finds_is_found_again_until_it_is_written(small: Small, two: Path) -> None:
    small.generate()
    small.edit("A copy of self.", "Just a copy of self.")
    first = small.generate(check=True)
    assert small.out / "docs" / "en" / "README.md" in first.paths("stale")
    assert small.generate(check=True) == first
    assert small.generate().paths("stale") == first.paths("stale")
    assert small.generate(check=True).clean


def test_a_mistake_in_one_of_several_is_told_for_all_that_changed(small: Small, two: Path) -> None:
    small.generate()
    small.edit("rank: [0, 8]", "rank: [0, nine]")
    two.write_text(two.read_text(encoding="utf-8").replace("rank: [0, 8]", "rank: [0, ten]"), encoding="utf-8")
    with pytest.raises(SpecErrors) as raised:
        small.generate()
    assert {Path(finding.file).stem for finding in raised.value.findings} == {"copy_all", "copy_more"}


def test_two_specs_of_one_operator_are_refused(small: Small, two: Path) -> None:
    small.generate()
    two.write_text(small.spec.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(SpecErrors, match="already the subject"):
        small.generate()


FAMILY = """\
  {name}:
    doc: [A {name}., 一种。]
    names: [self]
    spec: {{summary: [{text}, 说明。]}}
"""
TURNED = """\
op: aclnnTurned
level: checked
use: turning
products: [atlas_a2]
params:
  self: {in: tensor, doc: [The input., 输入。]}
  out: {out: tensor, shape: shape(self), dtype: dtype(self), doc: [The output., 输出。]}
dtypes:
  - {same: [FLOAT, FLOAT16]}
rules: []
examples:
  two: {title: [Two, 两个], call: {self: "FLOAT[2]: 1 3"}}
"""


def test_a_changed_family_concerns_those_alone_that_use_it(small: Small, built: list[str]) -> None:
    families = small.specs / "common" / "families.yaml"
    families.parent.mkdir(exist_ok=True)
    halving, turning = (FAMILY.format(name=name, text="A word.") for name in ("halving", "turning"))
    families.write_text(f"families:\n{halving}{turning}", encoding="utf-8")
    small.spec.with_name("turned.yaml").write_text(TURNED, encoding="utf-8")
    small.generate()
    assert sorted(built) == ["copy_all", "turned"]
    built.clear()
    families.write_text(f"families:\n{halving.replace('A word', 'Another')}{turning}", encoding="utf-8")
    assert small.generate().clean
    assert built == []
    families.write_text(f"families:\n{halving}{turning.replace('A word', 'Another')}", encoding="utf-8")
    small.generate()
    assert built == ["turned"]
    assert "Another." in (small.out / "docs" / "en" / "operators" / "turned.md").read_text(encoding="utf-8")
