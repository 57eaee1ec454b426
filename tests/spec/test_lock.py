"""The lock of rule meanings."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

import pytest

from aclspec.codegen.compile.fingerprint import rule_digests
from aclspec.codegen.pipeline.load import lint
from aclspec.codegen.pipeline.lock import LockedRule
from aclspec.codegen.pipeline.lock import check_lock as check_rules
from aclspec.codegen.pipeline.lock import updated_lock as updated_text
from aclspec.codegen.source.findings import Finding, SpecErrors
from aclspec.codegen.source.folders import LOCK
from aclspec.codegen.spec.project import Project
from tests.support.project import own_project

Load = Callable[..., Project]
RULE = "require: all(s > 0 for s in sizes)"


def rules_of(project: Project) -> list[LockedRule]:
    return [LockedRule(*rule) for operator in project.operators for rule in rule_digests(operator)]


def check_lock(project: Project, acknowledge: Collection[str] = ()) -> list[Finding]:
    return check_rules(project.root, rules_of(project), acknowledge)


def updated_lock(project: Project, acknowledge: Collection[str] = ()) -> str:
    return updated_text(project.root, rules_of(project), acknowledge)


def update(project: Project, acknowledge: Collection[str] = ()) -> Path:
    path = project.root / LOCK
    path.write_text(updated_lock(project, acknowledge), encoding="utf-8")
    return path


@pytest.fixture
def locked(load: Load, specs: Path) -> Path:
    """The lock of the spec as it is."""
    return update(load())


def entries(path: Path) -> dict[str, str]:
    lines = (line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    return dict(line.split(" ", 1) for line in lines)


def test_every_rule_has_a_line(locked: Path, load: Load) -> None:
    names = list(entries(locked))
    assert names == sorted(names)
    assert set(names) == {f"aclnnScale.{rule.id}" for rule in load().operators[0].info.rules}


def test_nothing_changed(locked: Path, load: Load) -> None:
    assert check_lock(load()) == []
    assert updated_lock(load()) == locked.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "edit",
    [
        ("{en: The input., zh: 输入。}", "{en: An input., zh: 一个输入。}"),
        (RULE, "require: all( (s>0) for s in sizes )"),
        (RULE, f"doc: {{en: Positive., zh: 正数。}}\n    {RULE}"),
        (
            "where: {T: [FLOAT, FLOAT16]}\n    sets: {S: [FLOAT, FLOAT16]}",
            "where: {T: [FLOAT16, FLOAT]}\n    sets: {S: [FLOAT16, FLOAT]}",
        ),
    ],
    ids=["doc", "spaces", "doc of the rule", "order of dtypes"],
)
def test_wording_is_no_meaning(locked: Path, load: Load, edit: tuple[str, str]) -> None:
    assert check_lock(load(edit)) == []


@pytest.mark.parametrize(
    ("edit", "changed"),
    [
        ((RULE, "require: all(s >= 1 for s in sizes)"), {"sizes-positive"}),
        ((RULE, f"when: mode == 1\n    {RULE}"), {"sizes-positive"}),
        ((RULE, f"status: ACLNN_ERR_INNER\n    {RULE}"), {"sizes-positive"}),
        ((RULE, f"enforced_by: [library]\n    {RULE}"), {"sizes-positive"}),
        ((RULE, f"products: [atlas_a2]\n    {RULE}"), {"sizes-positive"}),
        ((RULE, f"outcome: undefined\n    {RULE}"), {"sizes-positive"}),
        (("    outputs: zeros", "    outputs: unwritten"), {"empty-input"}),
        (('value: "dim(self, 0)"', 'value: "numel(self)"'), {"bias-bias"}),
        (("rank: [1, 4]", "rank: [1, 5]"), {"rank-self"}),
        (("lengths: [1, 2]", "lengths: [1]"), {"length-sizes"}),
        (("sets: {S: [FLOAT, FLOAT16]}", "sets: {S: [FLOAT]}"), {"dtype-bias", "dtypes"}),
        (("    checked: wanted\n", ""), {"dtype-out", "dtypes", "out-format", "out-shape", "rank-out"}),
    ],
    ids=lambda value: " ".join(sorted(value)) if isinstance(value, set) else str(value),
)
def test_meaning(locked: Path, load: Load, edit: tuple[str, str], changed: set[str]) -> None:
    found = check_lock(load(edit))
    assert {finding.message for finding in found} == {
        f"The meaning of a rule (aclnnScale.{rule}) differs from the one locked under its id; expected a new id, or "
        f"--acknowledge aclnnScale.{rule}."
        for rule in changed
    }
    assert {finding.file for finding in found} == {"specs/math/scale.yaml"}
    with pytest.raises(SpecErrors):
        updated_lock(load(edit))


def test_acknowledged(locked: Path, load: Load) -> None:
    before = entries(locked)
    project = load((RULE, "require: all(s >= 1 for s in sizes)"))
    update(project, ["aclnnScale.sizes-positive"])
    after = entries(locked)
    assert {name for name in before if before[name] != after[name]} == {"aclnnScale.sizes-positive"}
    assert check_lock(project) == []


def test_acknowledging_what_is_not_there(locked: Path, load: Load) -> None:
    (finding,) = check_lock(load(), ["aclnnScale.size-positive"])
    assert finding.message == (
        "A rule (aclnnScale.size-positive) that is acknowledged does not exist; did you mean aclnnScale.sizes-positive?"
    )


def test_a_removed_rule_is_retired_for_ever(locked: Path, load: Load) -> None:
    without = (f"  - id: sizes-positive\n    {RULE}\n", "")
    hash_ = entries(locked)["aclnnScale.sizes-positive"]
    update(load(without))
    assert entries(locked)["aclnnScale.sizes-positive"] == f"{hash_} retired"
    update(load(without))
    assert entries(locked)["aclnnScale.sizes-positive"] == f"{hash_} retired"
    other = load((RULE, "require: all(s > 0 and s < 9 for s in sizes)"))
    (finding,) = check_lock(other, ["aclnnScale.sizes-positive"])
    assert str(finding) == (
        "specs/math/scale.yaml:81:5: A rule (aclnnScale.sizes-positive) has the id of a retired rule of another "
        "meaning; expected a new id."
    )
    # The same rule come back is the same rule.
    update(load())
    assert entries(locked)["aclnnScale.sizes-positive"] == hash_


def test_lint_looks_at_the_lock(locked: Path, load: Load, specs: Path) -> None:
    load((RULE, "require: all(s > 0 and s < 9 for s in sizes)"))
    assert [finding.kind for finding in lint([specs]) if finding.severity == "error"] == ["changed-rule"]


def test_a_damaged_lock(locked: Path, load: Load) -> None:
    lines = locked.read_text(encoding="utf-8").splitlines()
    locked.write_text("\n".join([*lines, lines[-1], "<<<<<<< ours"]) + "\n", encoding="utf-8")
    count = len(lines)
    name = lines[-1].split()[0]
    assert [str(finding) for finding in check_lock(load())] == [
        f"specs/{LOCK}:{count + 1}:1: A rule ({name}) stands twice in the lock.",
        f"specs/{LOCK}:{count + 2}:1: A line (<<<<<<< ours) of the lock is no entry; expected an id, a hash and "
        "perhaps retired.",
    ]


@pytest.mark.parametrize(
    "damage",
    [
        lambda lines: lines[:-1],  # a new rule
        lambda lines: [*lines[:2], *reversed(lines[2:])],
        lambda lines: lines[1:],  # half of the head
    ],
)
def test_an_untidy_lock_is_written_anew(locked: Path, load: Load, damage: Callable[[list[str]], list[str]]) -> None:
    text = locked.read_text(encoding="utf-8")
    locked.write_text("\n".join(damage(text.splitlines())), encoding="utf-8")
    assert updated_lock(load()) == text


def test_a_rule_that_goes_is_retired(locked: Path, load: Load) -> None:
    text = locked.read_text(encoding="utf-8")
    locked.write_text(f"{text}aclnnZ.gone 0123456789abcdef\n", encoding="utf-8")
    assert updated_lock(load()) == f"{text}aclnnZ.gone 0123456789abcdef retired\n"


def test_the_rules_of_a_draft_are_not_locked(load: Load, specs: Path) -> None:
    """Trying an operator out promises nothing; once it is released, each of its rules keeps its meaning."""
    draft = ("category: math\n", "category: math\ndraft: true\n")
    changed = (RULE, "require: all(s >= 1 for s in sizes)")
    assert entries(update(load(draft))) == {}
    assert check_lock(load(draft, changed)) == []
    assert "aclnnScale.sizes-positive" in entries(update(load(changed)))
    (finding,) = check_lock(load())
    assert finding.kind == "changed-rule"


def test_a_released_operator_that_is_a_draft_again_does_not_reuse_its_ids(locked: Path, load: Load) -> None:
    update(load(("category: math\n", "category: math\ndraft: true\n")))
    assert all(line.endswith(" retired") for line in entries(locked).values())
    (finding,) = check_lock(load((RULE, "require: all(s >= 1 for s in sizes)")))
    assert finding.kind == "retired-rule"


def test_the_own_lock_is_true() -> None:
    project = own_project()
    assert check_lock(project) == []
