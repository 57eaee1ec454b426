"""A run after which nothing changed loads nothing; whatever did change is found."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from aclspec.codegen import generate as module
from tests.generate.conftest import Small


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache that no other test has written to."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("ACLSPEC_CACHE", str(folder))
    return folder


def refuse(*_: Any) -> Any:
    raise AssertionError("the specs were loaded")


def test_nothing_is_loaded_where_nothing_changed(small: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    first = small.generate()
    monkeypatch.setattr(module, "load_project", refuse)
    again = small.generate()
    assert (again.clean, again.operators, again.files) == (True, first.operators, first.files)
    assert small.generate(check=True).clean


def test_without_a_cache_every_run_looks_anew(small: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    small.generate()
    monkeypatch.setenv("ACLSPEC_CACHE", "off")
    monkeypatch.setattr(module, "load_project", refuse)
    with pytest.raises(AssertionError, match="loaded"):
        small.generate()


def test_a_file_with_the_same_size_and_time_is_found_while_it_is_fresh(small: Small) -> None:
    small.generate()
    before = small.module.stat()
    text = small.module.read_text()
    small.module.write_text(text.replace("> 8", "> 9"))
    os.utime(small.module, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert small.generate(check=True).stale == (small.module,)


def test_a_file_that_comes_or_goes_is_found(small: Small) -> None:
    small.generate()
    small.generate()
    gone = small.module.with_name("_info") / small.module.name
    gone.unlink()
    assert small.generate(check=True).missing == (gone,)
    small.generate()
    old = small.module.with_name("renamed.py")
    old.write_text(small.module.read_text())
    assert small.generate(check=True).orphaned == (old,)


def test_a_changed_spec_is_generated(small: Small) -> None:
    small.generate()
    small.edit("summary:\n  en: ", "summary:\n  en: Truly ")
    assert small.module in small.generate().stale
    assert small.generate().clean


def test_another_package_is_another_run(small: Small) -> None:
    small.generate()
    result = module.generate(small.specs, small.out, "another.ops")
    assert result.missing


def test_a_record_that_cannot_be_read_is_no_record(small: Small, own_cache: Path) -> None:
    small.generate()
    (record,) = (own_cache / "generate").iterdir()
    record.write_bytes(b"nonsense")
    assert small.generate().clean
