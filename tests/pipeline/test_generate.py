"""From specs to files: what differs, what is refused, and the same bytes every time."""

from __future__ import annotations

import errno
import json
import os
import pkgutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from aclspec.codegen.pages.examples import session
from aclspec.codegen.pipeline.generate import generate
from aclspec.codegen.pipeline.load import load_project
from aclspec.codegen.pipeline.write import MARKS
from aclspec.codegen.source.findings import SpecErrors
from aclspec.runtime.rules.operator_data import info_of
from aclspec.runtime.rules.operator_info import TensorValue
from tests.pipeline.conftest import PACKAGE, Small


@pytest.mark.all  # make check says the same
def test_the_generated_files_of_the_project_are_those_of_its_specs() -> None:
    """The test that `aclspec generate --check` is."""
    result = generate(check=True)
    assert result.clean, "\n".join(f"{one.message}\n{one.diff}" for one in result.differences)


def test_a_new_project_is_written_and_then_clean(small: Small) -> None:
    first = small.generate()
    assert first.operators == 1
    assert first.files == len(first.paths("missing")) > 10
    again = small.generate()
    assert again.clean
    assert again.files == first.files


def test_check_writes_nothing(small: Small) -> None:
    before = small.contents()
    assert not small.generate(check=True).clean
    assert small.contents() == before


def test_each_difference_is_found(small: Small) -> None:
    small.generate()
    small.module.write_text(small.module.read_text().replace("> 8", "> 9"))
    (small.out / "report.md").unlink()
    old = small.module.with_name("renamed.py")
    old.write_text(f"# {MARKS[0]}specs/copy/renamed.yaml; do not edit.\n")
    result = small.generate(check=True)
    assert (result.paths("stale"), result.paths("missing"), result.paths("orphaned")) == (
        (small.module,),
        (small.out / "report.md",),
        (old,),
    )
    (stale,) = [one for one in result.differences if one.kind == "stale"]
    assert "-    if len(self_shape) > 9:\n+    if len(self_shape) > 8:\n" in stale.diff
    small.generate()
    assert not old.exists()
    assert small.generate(check=True).clean


@pytest.mark.parametrize("after", [0, 1])
@pytest.mark.parametrize("refused", ["multiprocessing.popen_spawn_posix.Popen._launch", "_multiprocessing.SemLock"])
def test_where_no_process_can_be_had_one_does_it(
    small: Small, monkeypatch: pytest.MonkeyPatch, refused: str, after: int
) -> None:
    def refuse(*given: Any, **named: Any) -> Any:
        asked.append(given)
        if len(asked) > after:
            raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        return allowed(*given, **named)

    asked: list[Any] = []
    allowed = pkgutil.resolve_name(refused)
    text = small.spec.read_text(encoding="utf-8").replace("aclnnCopyAll", "aclnnCopyMore")
    small.spec.with_name("copy_more.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1})
    monkeypatch.setenv("ACLSPEC_CACHE", "off")
    monkeypatch.setattr(refused, refuse)
    assert generate(small.specs, small.out, PACKAGE, processes=True).operators == 2
    assert asked, "No process was asked for."
    assert small.generate(check=True).clean


def test_a_file_of_ones_own_is_left_alone(small: Small) -> None:
    small.generate()
    own = [small.module.with_name("mine.py"), small.out / "docs" / "mine.md", small.out / "tests" / "test_mine.py"]
    for path in own:
        path.write_text("mine\n")
    assert small.generate(check=True).clean
    small.generate()
    assert all(path.read_text() == "mine\n" for path in own)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("rank: [0, 8]", "rank: [0, nine]", "copy_all.yaml"),
        ("require: shape(out) == shape(self)", "require: rank(out) == rank(self)", "differs from the one locked"),
    ],
)
def test_nothing_is_written_when_a_spec_is_wrong(small: Small, old: str, new: str, message: str) -> None:
    small.generate()
    small.edit(old, new)
    before = small.contents()
    with pytest.raises(SpecErrors, match=message):
        small.generate()
    assert small.contents() == before


def test_a_changed_meaning_is_written_once_it_is_acknowledged(small: Small) -> None:
    small.generate()
    small.edit("  en: A copy of self.", "  en: A copy.")
    small.edit("    when: is_empty(self)", "    when: is_empty(self) or is_empty(out)")
    with pytest.raises(SpecErrors, match=r"aclnnCopyAll\.empty-input"):
        small.generate()
    result = generate(small.specs, small.out, PACKAGE, acknowledge=["aclnnCopyAll.empty-input"])
    assert small.module in result.paths("stale")
    assert small.generate(check=True).clean


@pytest.mark.parametrize("package", ["", "a..b", "a-b", "class.ops", "1st"])
def test_a_package_has_a_python_name(small: Small, package: str) -> None:
    with pytest.raises(ValueError, match="is not a dotted Python name"):
        generate(small.specs, small.out, package)


def test_the_bytes_do_not_depend_on_the_hash_seed_or_the_folder(small: Small, tmp_path: Path) -> None:
    program = "import sys\nfrom aclspec.codegen.pipeline.generate import generate\ngenerate(*sys.argv[1:])\n"
    found = []
    for seed, folder, out in (("1", tmp_path, "../one"), ("2", small.specs, str(tmp_path / "two"))):
        folder.mkdir(exist_ok=True)
        inside = folder / "below"
        inside.mkdir(exist_ok=True)
        environment = os.environ | {"PYTHONHASHSEED": seed}
        arguments = [sys.executable, "-c", program, os.path.relpath(small.specs, inside), out, PACKAGE]
        subprocess.run(arguments, cwd=inside, env=environment, check=True)
        inside.rmdir()
        written = (tmp_path / out).resolve() if Path(out).is_absolute() else (inside / out).resolve()
        found.append({p.relative_to(written): p.read_bytes() for p in sorted(written.rglob("*")) if p.is_file()})
    assert len(found[0]) > 10
    assert found[0] == found[1]


def test_progress_names_every_step(small: Small) -> None:
    told: list[tuple[str, str]] = []
    result = generate(small.specs, small.out, PACKAGE, progress=lambda step, what: told.append((step, what)))
    assert [step for step, _ in told] == ["load", "render"] + ["write"] * result.files
    assert ("render", "aclnnCopyAll") in told


def test_a_rule_that_a_shortcut_precedes_does_not_cover_a_fact(small: Small) -> None:
    """An empty call ends at the shortcut, so that nothing looks at the rank of its output."""
    shortcut = "  - shortcut: empty-input\n    when: is_empty(self)\n    outputs: unwritten\n"
    small.edit(shortcut, "")
    small.edit("  - {rank: [self]}\n", f"  - {{rank: [self]}}\n{shortcut}")
    with pytest.raises(SpecErrors) as caught:
        small.generate()
    (finding,) = caught.value.findings
    lines = small.spec.read_text(encoding="utf-8").splitlines()
    assert lines[finding.at.line - 1] == "  - {rank: [out], by: out-shape}"
    assert finding.message.startswith(
        "A rule (out-shape) does not cover the rank of out: a call without it passes (self="
    )
    assert finding.message.endswith("; expected an entry ({rank: [out]}) without by.")


def test_what_a_rule_says_of_a_pointer_is_known_where_it_is_there(small: Small) -> None:
    """A later check of the same optional parameter asks no more than whether it is there."""
    doc = "doc: {en: More., zh: 其他。}"
    small.edit(
        "  - name: out\n",
        f"  - {{name: counts, type: tensor, direction: in, optional: true, formats: [ND], rank: [0, 8], {doc}}}\n"
        f"  - {{name: parts, type: tensor_list, direction: in, optional: true, formats: [ND], {doc}}}\n  - name: out\n",
    )
    small.edit("row: {self: T, out: T}", "row: {self: T, counts: INT32, parts: INT32, out: T}")
    small.edit("{dtype: [self, out]}", "{dtype: [self, counts, parts, out]}")
    small.edit("{format: [self, out]}", "{format: [self, counts, parts, out]}")
    small.edit("  - {rank: [self]}\n", "  - {rank: [self, counts, parts]}\n")
    small.edit(
        "  - shortcut:",
        "  - {id: counts-rank, require: rank(counts) == 1}\n"
        '  - {id: counts-positive, require: "dim(counts, 0) > 0"}\n'
        "  - {id: parts-there, require: all(not is_null(t) for t in parts)}\n"
        "  - {id: parts-alike, require: all(shape(t) == shape(self) for t in parts)}\n"
        '  - {id: parts-first, require: "is_contiguous(parts[0])"}\n  - shortcut:',
    )
    small.generate()
    module = small.module.read_text(encoding="utf-8")
    assert "    if counts is not None and counts.shape[0] <= 0:\n" in module
    assert "    if parts is not None and any(t.shape != self_shape for t in parts):\n" in module
    assert "    if parts is not None and len(parts) > 0 and not parts[0].is_contiguous:\n" in module


def test_a_pointer_is_looked_at_where_only_another_one_tells_that_it_is_there(small: Small) -> None:
    """Of two pointers one is there: mypy does not know the second by what the first is."""
    more = "type: tensor, direction: in, optional: true, formats: [ND], rank: [0, 8], doc: {en: More., zh: 其他。}"
    small.edit("  - name: out\n", f"  - {{name: least, {more}}}\n  - {{name: most, {more}}}\n  - name: out\n")
    small.edit("row: {self: T, out: T}", "row: {self: T, least: T, most: T, out: T}")
    small.edit("{dtype: [self, out]}", "{dtype: [self, least, most, out]}")
    small.edit("{format: [self, out]}", "{format: [self, least, most, out]}")
    small.edit("  - {rank: [self]}\n", "  - {rank: [self, least, most]}\n")
    given = "{dtype: FLOAT, shape: [2, 2], values: [1, -2, 3, -4]}\n"
    small.edit(f"      self: {given}", f"      self: {given}      least: {given}")
    one = "rank(self) if is_null(least) else rank(least)"
    small.edit(
        "  - shortcut:",
        "  - {id: some-bound, require: not is_null(least) or not is_null(most)}\n"
        f'  - {{id: ranks, require: "(({one}) if is_null(most) else max({one}, rank(most))) <= 4"}}\n  - shortcut:',
    )
    small.generate()
    assert "(self_rank if least is None else len(least.shape))\n" in small.module.read_text(encoding="utf-8")


def test_an_example_with_numbers_that_are_not_finite(small: Small) -> None:
    text = small.spec.read_text(encoding="utf-8")
    small.spec.write_text(text.replace("[1, -2, 3, -4]", "[1, .nan, .inf, -.inf]"), encoding="utf-8")
    small.generate()
    text = (small.module.parent / "_info" / "copy_all.json").read_text(encoding="utf-8")
    (example,) = info_of(json.loads(text)).examples
    given = dict(example.inputs)["self"]
    assert isinstance(given, TensorValue)
    assert str(given.values) == "(1, nan, inf, -inf)"
    (operator,) = load_project(small.specs).operators
    shown = "\n".join(session(operator.info, operator.info.examples[0]))
    assert "np.array([1, np.nan, np.inf, -np.inf], dtype=np.float32)" in shown


def test_a_program_is_generated_where_the_spec_asks_for_it(small: Small) -> None:
    small.generate()
    samples = small.out / "samples"
    assert not samples.exists()
    small.edit("category: copy\n", "category: copy\nsample: true\n")
    small.generate()
    assert sorted(path.name for path in samples.iterdir()) == ["copy_all.cpp", "sample.h"]
    assert small.generate(check=True).clean
    small.edit("sample: true\n", "")
    small.generate()
    assert not samples.exists()


def test_a_program_that_cannot_be_is_refused(small: Small) -> None:
    small.edit("category: copy\n", "category: copy\nsample: true\n")
    text = small.spec.read_text(encoding="utf-8")
    small.spec.write_text(text[: text.index("\nexamples:")] + "\n", encoding="utf-8")
    before = small.contents()
    with pytest.raises(ValueError, match=r"^The operator \(aclnnCopyAll\) has no C\+\+ program: "):
        small.generate()
    assert small.contents() == before
