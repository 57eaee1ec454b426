"""A note that says that a spec leaves something out has a rule of it, or a case that is not judged."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

LEFT_OUT = re.compile(
    r"left out|leaves? (?:it|them|this) out|\bnot (?:judged|modelled|looked into)|\bnot checked\b"
    r"|\bno(?:r|t)? (?:range )?is (?:it )?checked|does not judge",
    re.IGNORECASE,
)
"""How a note says that the spec does not look at something; of the library it says so in other words."""
OF_DATA = {
    ("families", "attention_heads", "bare"): "It says which scores count, not which calls do.",
    ("families", "attention_heads", "masks"): "It says which scores count, not which calls do.",
    ("aclnnAllGatherMatmul", "bias"): "Rules do not see the numbers of a tensor.",
    ("aclnnMatmulReduceScatter", "bias"): "Rules do not see the numbers of a tensor.",
    ("aclnnAlltoAllAllGatherBatchMatMul", "names"): "The language has no length of a string.",
    ("aclnnBatchMatMulReduceScatterAlltoAll", "names"): "The language has no length of a string.",
}
"""Notes of something else, and of what the language cannot say."""


def specs(repository: Path) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    """The name and the tree of each spec and family."""
    for path in sorted((repository / "specs").rglob("*.yaml")):
        tree = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
        if isinstance(tree, dict) and "op" in tree:
            yield (tree["op"],), tree
        elif path.name == "families.yaml":
            yield from ((("families", name), family["spec"]) for name, family in tree["families"].items())


def unanswered(name: tuple[str, ...], tree: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """The notes that leave something out and name neither a rule nor, by their id, a case that is not judged."""
    answered = {*(tree.get("unjudged") or ()), *(tree.get("kernels") or ())}
    for note, entry in (tree.get("notes") or {}).items():
        if not isinstance(entry, dict) or (*name, note) in OF_DATA:
            continue
        text = (entry.get("note") or entry.get("deviation") or [""])[0]
        if LEFT_OUT.search(text) and not entry.get("rules") and note not in answered:
            yield *name, note


def test_no_note_leaves_a_case_to_a_guess(repository: Path) -> None:
    found = list(specs(repository))
    assert len(found) > 500
    assert [one for name, tree in found for one in unanswered(name, tree)] == []


@pytest.mark.parametrize(
    ("sections", "is_found"),
    [
        ({}, True),
        ({"unjudged": {"sizes": {}}}, False),
        ({"unjudged": {"others": {}}}, True),
    ],
)
@pytest.mark.parametrize(
    "text", ["Its size is not checked.", "Large ones are left out.", "Nor is it checked that x is 1."]
)
def test_such_a_note_is_found(text: str, sections: Mapping[str, Any], is_found: bool) -> None:
    tree = {"notes": {"sizes": {"note": [text, "\u4e2d"]}, "other": {"note": ["All is well.", "\u4e2d"]}}, **sections}
    assert list(unanswered(("aclnnX",), tree)) == ([("aclnnX", "sizes")] if is_found else [])
    assert list(unanswered(("aclnnX",), {"notes": {"sizes": {"note": [text, "\u4e2d"], "rules": "x"}}})) == []
