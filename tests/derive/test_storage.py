"""A tensor whose storage has a shape of its own keeps it, in derived calls and where fixes are searched."""

from __future__ import annotations

from pathlib import Path

import pytest

from aclspec.runtime.api.explain import explain
from aclspec.runtime.language.library import fits_int64
from aclspec.runtime.rules.operator_data import read_info
from aclspec.runtime.search.call import TensorMeta
from aclspec.runtime.tensors.tensor import Tensor
from aclspec.runtime.testing import corpus

CALLS = Path(__file__).parents[2] / "generated/calls/npu_format_cast.txt"


def test_a_written_call_states_the_shape_of_its_storage() -> None:
    cases = {case.id: case for case in corpus.read(CALLS.read_text("utf-8")).suite.cases}
    assert cases["matrix"].change["dstTensor"] == "float16[20,40]:FRACTAL_NZ:storage=3,2,16,16"


def test_a_fix_leaves_the_storage_as_it_is() -> None:
    """Only the format of srcTensor is wrong; without its storage dstTensor would break another rule."""
    given = {
        "srcTensor": Tensor.parse("float16[20,40]:NHWC"),
        "dstTensor": Tensor.parse("float16[20,40]:FRACTAL_NZ:storage=3,2,16,16"),
    }
    verdict = explain(read_info("aclspec.ops", "npu_format_cast"), given, "ascend_950")["ascend_950"]
    assert [fix.sentence for fix in verdict.fixes] == ["Give srcTensor the format ND."]


@pytest.mark.parametrize("shape", [(64 * 10**18,), (2**32, 2**31)])
def test_a_search_passes_over_tensors_that_no_call_can_give(shape: tuple[int, ...]) -> None:
    """A change of an attribute can ask for an output with sizes beyond INT64, of which no tensor can be made."""
    assert not fits_int64((TensorMeta(shape, "FLOAT", "ND"),))
