"""From the id of a rule to its YAML line, check, data, test, page and clause by searching text alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from aclspec import ops
from aclspec.runtime.abi.products import KEYS
from aclspec.runtime.testing.amount import amount
from tests.support.operators import some

TOP = Path(__file__).parents[2]


def grep(pattern: str, *paths: Path) -> list[str]:
    """The lines that a pattern finds."""
    lines = [line for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if re.search(pattern, line)]


def sources(spec: Path) -> list[Path]:
    """A spec, the one that it is a variant of, and the file of families if they use any."""
    found = [re.search(r"(\S+\.yaml)", line) for line in grep("^variant_of:", spec)]
    base = [TOP / "specs" / one[1] for one in found if one]
    families = [TOP / "specs/common/families.yaml"] if grep("^use:", spec, *base) else []
    return [spec, *base, *families]


def in_spec(rule: str, kind: str, params: dict[str, str], spec: Path) -> list[str]:
    """The lines that a reader of the page searches for; ``rules`` stand for the usual checks."""
    paths = sources(spec)
    if found := grep(rf"\b{kind}: all\b|^ *rules:", *paths) if kind not in ("rule", "shortcut") else []:
        return found
    if kind in ("product", "dtypes"):
        return grep(rf"\b{kind}: ", *paths)
    for kebab, param in params.items():
        if rule == f"{kebab}-shape" and (found := grep(rf"\b{param}: .*\bshape: |\$\w+: .*\bshape: ", *paths)):
            return found
        if rule == f"{kind}-{kebab}" and (found := grep(rf"\b{kind}: .*\b{param}\b", *paths)):
            return found
        if kebab in rule and (found := grep(re.escape(rule.replace(kebab, "@")).replace("@", ".*"), *paths)):
            return found
    return grep(rf"\b{rule}\b", *paths)


def clauses_of(line: str) -> list[tuple[str, str]]:
    """The clauses that a line lists, each with its document where the line names it; a number is one of a parameter."""
    listed = re.search(r"clauses: (?:\[([^\]]*)\]|(\w(?:\{it\}|[\w.])*))", line)
    items = re.split(r", *", listed[1] or listed[2]) if listed else []
    return [(found[1] or "", found[2]) for item in items if (found := re.fullmatch(r"(?:(\d{3})\.)?(\S+)", item))]


@pytest.mark.parametrize("name", amount(some(40), ops.names()))
def test_every_rule_is_found_everywhere(name: str) -> None:
    info = ops.get(name).info
    generated = TOP / "generated"
    spec = TOP / info.spec
    page = generated / f"docs/en/operators/{info.snake}.md"
    params = {re.sub(r"(?<!^)([A-Z])", r"-\1", param.name).lower(): param.name for param in info.params}
    for rule in info.rules:
        assert in_spec(rule.id, rule.kind, params, spec), f"{rule.id} in {spec}"
        refuses = rule.outcome != "undefined" and (rule.kind != "product" or len(info.products) < len(KEYS))
        code = generated / f"aclspec/ops/{info.snake}.py"
        assert grep(rf"{info.name}\.{rule.id}\b", code) or not refuses, f"check of {rule.id}"
        assert grep(rf'"id": "{rule.id}"', generated / f"aclspec/ops/_info/{info.snake}.json"), f"data of {rule.id}"
        calls = (generated / f"calls/{info.snake}.txt").read_text(encoding="utf-8")
        shown = calls.partition(f"\n## {rule.id} ")[2].partition("\n## ")[0].splitlines()[1:]
        assert any(shown) or rule.outcome == "undefined" or not refuses, f"calls of {rule.id}"
        assert grep(rf"^\| `{rule.id}` \|", page), f"line of {rule.id}"
    named = [item for line in grep(r"clauses: ", spec) for item in clauses_of(line)]
    assert named or not grep(r"^source:", spec)
    own = re.search(r'document: "(\d+)"', "".join(grep(r"^source:", spec)))
    for document, clause in named:
        number = document or (own and own[1])
        clause = f"param.{{it}}.{clause}" if clause.isdigit() else clause
        pattern = re.escape(clause).replace(re.escape("{it}"), "[A-Za-z]+")
        assert grep(rf"^ +\"?{pattern}\"?:", TOP / f"specs/clauses/{number}.yaml"), clause
