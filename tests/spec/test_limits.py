"""Specs that would keep lint busy for hours, each refused by a limit that its sentence states."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from aclspec.codegen.source.findings import Finding


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("\nparams:", "\n# " + "x" * 2_000_000 + "\nparams:", "The file has more than 1000000 bytes."),
        ("Scales self.", "S" * 100_000, "The text has 100000 characters; expected at most 20000."),
        ("op: aclnnScale", "op: aclnn" + "S" * 100_000, "characters; expected at most 20000."),
        (
            "\nparams:",
            "\nparams:" + "".join(f"\n  ink{at}: {{in: tensor, rank: 1}}" for at in range(5000)),
            "A list or mapping has more than 2000 entries.",
        ),
        (
            "self: {dtype: FLOAT, shape: [2], values: [1, 2]}",
            f"self: [{', '.join(['{dtype: FLOAT, shape: [2]}'] * 30_000)}]",
            "A list or mapping has more than 2000 entries.",
        ),
        ("require: alpha == alpha", f"require: {'[' * 20_000}{']' * 20_000}", "nesting"),
        ("require: alpha == alpha", f'require: "{"(" * 2_500}1{")" * 2_500}"', "expected at most 4000"),
        ("require: alpha == alpha", f'require: "{" + ".join(["rank(self)"] * 1_500)}"', "expected at most 4000"),
    ],
    ids=lambda value: value[:30] if len(value) < 100 else "",
)
def test_a_spec_beyond_a_limit_is_refused(
    old: str, new: str, sentence: str, errors: Callable[..., tuple[Finding, ...]]
) -> None:
    found = errors((old, new))
    assert sentence in found[0].message
    assert len(found[0].message) < 200


@pytest.mark.parametrize("rank", ["200000", "[1, 200000]"])
def test_a_rank_beyond_all_tensors_is_refused(rank: str, errors: Callable[..., tuple[Finding, ...]]) -> None:
    assert "(200000) of entry" in errors(("rank: [1, 4]", f"rank: {rank}"))[0].message
