"""What is wrong with a reference is told where it stands."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from aclspec.codegen.pipeline.load import lint

SPECS = Path(__file__).parent / "specs"
CASES = {
    "an unknown name": (
        "squash", "where(x > 0", "where(y > 0", "A formula names something unknown (y); expected an input."
    ),
    "null for an output": (
        "squash", 'formula: {out: "where(x > 0, tanh(x), 0)"}',
        'torch: torch.tanh\n    arguments: {input: x}\n    outputs: {out: "result if rank(x) > 0 else null"}',
        "A formula (result if rank(x) > 0 else null) may give null for an output; expected a tensor, of NaN",
    ),
    "an unknown function": (
        "squash", "tanh(x)", "tahn(x)", "A formula calls a function (tahn) that is unknown here; did you mean tanh?"
    ),
    "no formula": (
        "squash", "where(x > 0, tanh(x), 0)", "x.T",
        "A formula (x.T) is wrong. A character (.) has no meaning in a formula."
    ),
    "an output that does not exist": (
        "squash", "formula: {out:", "formula: {y: 1, out:",
        "A reference names a parameter (y) that is not an output tensor",
    ),
    "an output that is left out": (
        "squash", 'formula: {out: "where(x > 0, tanh(x), 0)"}', "formula: {}", "An output (out) has no reference"
    ),
    "two kinds": (
        "squash", "formula:", "torch: torch.tanh\n    formula:",
        "A reference has one of formula, torch and gradient (formula and torch).",
    ),
    "a key of another kind": (
        "squash", "formula:", "upstream: {}\n    formula:",
        "A reference by formula has a key (upstream) that is not its own",
    ),
    "a path that is none of PyTorch": (
        "squash", "formula:", "torch: numpy.tanh\n    formula:", "The value (numpy.tanh) of torch"
    ),
    "a forward operator that is none": (
        "squash_backward", "gradient: aclnnSquash", "gradient: aclnnSquish",
        "The forward operator of a reference (aclnnSquish) is none of these specs.",
    ),
    "a gradient of a gradient": (
        "squash_backward", "gradient: aclnnSquash", "gradient: aclnnSquashBackward",
        "The forward operator of a reference (aclnnSquashBackward) has no reference by formula or torch.",
    ),
    "no upstream": ("squash_backward", "    upstream: {out: grad}\n", "", "A gradient names no upstream"),
    "an upstream that is no output": (
        "squash_backward", "upstream: {out: grad}", "upstream: {y: grad}",
        "A reference names a parameter (y) that is not an output with a reference of aclnnSquash",
    ),
    "a derivative in no input": (
        "squash_backward", "outputs: {out: x}", "outputs: {out: y}",
        "A reference names a parameter (y) that is not an input of aclnnSquash",
    ),
    "a list that is left out": (
        "scale_each", 'formula: {outs: "[x * factor for x in xs]"}', "formula: {}", "An output (outs) has no reference"
    ),
    "an unknown name for each of a list": (
        "scale_each", "[x * factor for", "[y * factor for", "A formula names something unknown (y)"
    ),
    "a tensor of another dtype in a list": (
        "scale_each", '"FLOAT[1, 1]: 6"', '"DOUBLE[1, 1]: 6"',
        "An example (two) expects a dtype (['FLOAT', 'DOUBLE']) of outs; inference gives ['FLOAT', 'FLOAT'].",
    ),
    "a tensor in place of a list": (
        "scale_each", '["FLOAT[2]: 2 4", "FLOAT[1, 1]: 6"]', '"FLOAT[2]: 2 4"',
        "An output (outs) is given a tensor; expected a list of tensors.",
    ),
    "a list in place of a tensor": (
        "squash", "{dtype: FLOAT, shape: [2], values: [0, 0]}", "[{dtype: FLOAT, shape: [2], values: [0, 0]}]",
        "An output (out) is given a list of tensors; expected a tensor.",
    ),
    "a dtype of a rounding": (
        "squash", "  reference:", "  reference:\n    rounding: {out: {inputs: {}, sums: acumulate}}", "acumulate"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_mistake_is_told(case: str, tmp_path: Path) -> None:
    name, old, new, message = CASES[case]
    shutil.copytree(SPECS, tmp_path / "specs")
    file = tmp_path / "specs" / "toy" / f"{name}.yaml"
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1
    file.write_text(text.replace(old, new), encoding="utf-8")
    found = [finding for finding in lint([tmp_path / "specs"]) if finding.file.endswith(f"{name}.yaml")]
    assert [message in finding.message for finding in found].count(True) == 1, list(map(str, found))


def test_the_toys_themselves_are_right(tmp_path: Path) -> None:
    shutil.copytree(SPECS, tmp_path / "specs")
    assert [str(finding) for finding in lint([tmp_path / "specs"]) if finding.severity == "error"] == []
