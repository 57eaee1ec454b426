"""Results in a notebook: a table of the outputs, with the values of small ones."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from aclspec import ops
from aclspec.runtime import AclnnError, Tensor


def table(result: Any) -> str:
    """What a notebook shows."""
    shown: str = result._repr_html_()
    return shown


def test_a_result_is_a_table_of_its_outputs() -> None:
    ones = np.ones((2, 2), ml_dtypes.bfloat16)
    found = ops.prelu_backward(ones, -ones, np.full(2, 0.5, ml_dtypes.bfloat16), product="atlas_a2")
    page = table(found)
    assert page.startswith("<table><caption>PreluBackwardResult</caption>")
    assert page.count("<tr>") == 3
    row = "<tr><th>grad_input</th><td{0}>(2, 2)</td><td{0}>bfloat16</td><td{0}>[[0.5, 0.5], [0.5, 0.5]]</td></tr>"
    assert row.format(" style='text-align: left'") in page


def test_an_explanation_has_a_mark_and_a_colour_for_each_answer() -> None:
    bf16 = Tensor.parse("bfloat16[4,2]")
    page = table(ops.get("prelu_backward").explain(bf16, bf16, Tensor.parse("bfloat16[2]"), product="all"))
    works, refused = (page.index(f"<b>{mark} ") for mark in "✓✗")
    assert "#2e7d32" in page[:works]
    assert "#c62828" in page[:refused]
    odd = table(
        ops.get("prelu_backward").explain(
            *map(Tensor.parse, ("float32[4,2]", "float32[4,2]", "float32[2]")), product="310P"
        )
    )
    assert "<b>! undocumented" in odd
    assert "#b26a00" in odd


def test_operators_tensors_and_errors_show_themselves_and_no_markup() -> None:
    page = table(ops.get("prelu"))
    assert page.startswith("<table>")
    assert "<b>aclnnPrelu</b> (computed;" in page
    assert page.count("<tr>") == len(ops.get("prelu").info.params)
    assert table(Tensor.parse("float32[4,2]:NCHW")) == "<code>float32[4,2]:NCHW</code> without data"
    with pytest.raises(AclnnError) as caught:
        ops.prelu(np.ones((4, 2), np.float32), np.ones(3, np.float32))
    shown = table(caught.value)
    assert "<b>✗ 161002 (ACLNN_ERR_PARAM_INVALID)</b> aclnnPrelu.weight-numel" in shown
    assert "<br> - while" in shown
    assert "&lt;i&gt;" in table(AclnnError("<i>"))


def test_many_values_are_left_out() -> None:
    found = ops.abs(np.arange(17, dtype=np.float32), product="atlas_a2")
    assert ">(17,)</td>" in table(found)
    assert ">...</td>" in table(found)
    assert "16.0" not in table(found)
    assert "[4.0]" in table(ops.abs(np.array([-4], np.float32), product="atlas_a2"))


def test_an_output_that_is_switched_off_and_a_list() -> None:
    image, weight = np.ones((1, 1, 3, 3), np.float16), np.ones((1, 1, 3, 3), np.float16)
    found = ops.convolution_backward(
        *(np.ones((1, 1, 1, 1), np.float16), image, weight, (1,), (1, 1), (0, 0), (1, 1), False, (0, 0), 1),
        *((True, False, False), 0),
        product="atlas_a2",
    )
    assert "<tr><th>grad_weight</th><td style='text-align: left'>None</td>" in table(found)
    pieces = table(ops.split_with_size(np.arange(4, dtype=np.float32), (2, 2), 0, product="atlas_a2"))
    assert "[1]</th>" in pieces
    assert "[2.0, 3.0]" in pieces


def test_arrays_of_torch() -> None:
    torch = pytest.importorskip("torch")
    page = table(ops.abs(torch.tensor([-2.0]), product="atlas_a2"))
    assert ">torch.float32</td>" in page
    assert ">[2.0]</td>" in page
