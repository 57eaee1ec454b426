"""The grammar of pasted texts: each example is found as it says, in patterns that both languages read alike."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from aclspec.codegen.pipeline.load import load_tables
from aclspec.codegen.render.grammar import render_grammar
from aclspec.codegen.source.findings import Finding
from aclspec.codegen.source.folders import find_specs
from aclspec.codegen.spec.pasted import read_pasted
from aclspec.codegen.spec.shared_regex import PatternError, groups_of
from aclspec.runtime.why.facts import facts_of_line
from aclspec.runtime.why.grammar import grammar

PASTED = load_tables(find_specs())[0].pasted
assert PASTED.forms
assert PASTED.failures
FORMS, FAILURES = PASTED.forms.forms, PASTED.failures.failures
EXAMPLES = [
    pytest.param(name, one.text, one.finds, id=f"{name}-{at}")
    for name, form in FORMS.items()
    for at, one in enumerate(form.examples)
]


def found(text: str) -> dict[str, list[str]]:
    facts: dict[str, list[str]] = {}
    for kind, value in facts_of_line(text, grammar()):
        facts.setdefault(kind, []).append(value)
    return facts


@pytest.mark.parametrize(("name", "text", "finds"), EXAMPLES)
def test_an_example_is_found_as_it_says(name: str, text: str, finds: dict[str, object]) -> None:
    expected = {kind: [value] if isinstance(value, str) else list(value) for kind, value in finds.items()}  # type: ignore[call-overload]
    assert {kind: sorted(values) for kind, values in found(text).items()} == {
        kind: sorted(values) for kind, values in expected.items()
    }
    assert any(one.name == name and [*one.find(text)] for one in grammar().forms), f"{name} does not find it"


def test_the_runtime_has_the_grammar_of_the_specs() -> None:
    path = Path(__file__).parents[2] / "runtime/aclspec/runtime/why/_grammar.json"
    assert path.read_text(encoding="utf-8") == render_grammar(PASTED)


@pytest.mark.parametrize("name", FORMS)
def test_python_and_the_subset_count_the_same_groups(name: str) -> None:
    pattern = FORMS[name].pattern
    assert groups_of(pattern) == re.compile(pattern, re.ASCII).groups


@pytest.mark.skipif(shutil.which("node") is None, reason="node")
def test_javascript_finds_what_python_finds() -> None:
    texts = [one.text for form in FORMS.values() for one in form.examples]
    texts += ["x" * 200, "aclnn" * 40, "错误码：为 561002，Ascend 910B2 é aclnnAdd\u00a0failed", "call  aclnnX failed"]
    patterns = [form.pattern for form in FORMS.values()]
    script = (
        "const [patterns, texts] = JSON.parse(require('fs').readFileSync(0, 'utf8'));"
        "console.log(JSON.stringify(texts.map((text) => patterns.map("
        "(one) => [...text.matchAll(new RegExp(one, 'g'))].map((match) => [...match])))));"
    )
    done = subprocess.run(["node", "-e", script], input=json.dumps([patterns, texts]), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    mine = [
        [[[match[0], *match.groups()] for match in re.finditer(one, text, re.ASCII)] for one in patterns]
        for text in texts
    ]
    assert json.loads(done.stdout) == mine


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        ("ab*", "without a largest count"),
        ("a(?:b{1,3}){2}", "stands inside another"),
        (r"x\w{1,9}a", "takes what may follow it"),
        (r"x[ab]{0,3}c?[bd]", "takes what may follow it"),
        (r"\d{3}", "begins with neither"),
        ("(?=a)b", "a group of another kind"),
        (r"a\sb", "not one that both languages"),
        ("a.b", "has no meaning here"),
        ("a{1,999}", "not within 0 to"),
        ("a(b", "not closed"),
        ("a)b", "not opened"),
        ("a{2}?", "repeated or lazy"),
        ("(?:a|b?)c{0,2}$|", "matches nothing"),
        ("a[é-ü]", "a range"),
    ],
)
def test_a_pattern_outside_the_subset_is_refused(pattern: str, says: str) -> None:
    with pytest.raises(PatternError, match=re.escape(says)):
        groups_of(pattern)


def write(
    folder: Path, forms: str, failures: str = 'failures: {a: {codes: ["1"], title: [A, 甲], doc: [A., 甲。]}}'
) -> None:
    (folder / "pasted.yaml").write_text(forms, encoding="utf-8")
    (folder / "failures.yaml").write_text(failures, encoding="utf-8")


@pytest.mark.parametrize(
    ("line", "at", "says"),
    [
        ("pattern: 'ab*', implies: {code: '1'}", 2, "outside the subset"),
        ("pattern: 'a(b)', implies: {code: '1'}", 2, "has 1 groups, and yields names 0"),
        ("pattern: ab", 2, "neither yields nor implies"),
        ("pattern: ab, implies: {failure: b}", 2, "does not exist"),
        ("pattern: ab, implies: {colour: b}", 2, "colour"),
    ],
)
def test_a_mistake_in_a_form_is_told_at_its_place(tmp_path: Path, line: str, at: int, says: str) -> None:
    write(tmp_path, f"forms:\n  x: {{doc: [A., 甲。], {line}, examples: [{{text: ab, finds: {{}}}}]}}\n")
    findings: list[Finding] = []
    read_pasted([tmp_path], findings)
    assert [(one.at.line, says in one.message) for one in findings] == [(at, True)], findings


def test_a_code_has_one_answer(tmp_path: Path) -> None:
    write(
        tmp_path,
        "forms: {x: {doc: [A., 甲。], pattern: ab, implies: {code: '1'}, examples: [{text: ab, finds: {}}]}}",
        "failures:\n" + "".join(f'  {n}: {{codes: ["1"], title: [A, 甲], doc: [A., 甲。]}}\n' for n in "ab"),
    )
    findings: list[Finding] = []
    read_pasted([tmp_path], findings)
    assert [one.message for one in findings] == ["The code (1) is that of a already."]


@pytest.mark.parametrize("code", ["561103", "561002", "561000", "361001", "507015", "507018", "507899", "161001"])
def test_a_code_of_the_issue_means_something(code: str) -> None:
    failure = grammar().failure_of(code)
    assert failure is not None
    assert failure.is_refusal or failure.checks


def test_a_prefix_answers_only_what_no_other_answers() -> None:
    names = {code: one.name for code in ("507015", "507999", "561103", "561199") if (one := grammar().failure_of(code))}
    assert names == {"507015": "core-exception", "507999": "device", "561103": "no-kernel", "561199": "inner"}
    assert grammar().failure_of("123456") is None
