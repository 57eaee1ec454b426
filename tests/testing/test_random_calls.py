"""Random calls: accepted, small, of many kinds, and the same for the same seed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from aclspec.runtime.tensors.tensor import Tensor, leaves
from aclspec.runtime.testing import References
from aclspec.runtime.testing.random_calls import RandomCalls
from tests.support.operators import computed
from tests.testing.conftest import REFERENCED

Find = Callable[[str], References]
CALLS = 140


def test_only_these_operators_with_a_kernel_have_no_reference() -> None:
    """PyTorch's upsampling ignores a scale where one size is twice the other; formulas take no lists of scalars, no
    complex numbers, no alignments of targets and no choice by an attribute. Tests by hand compare these, and the
    distributions of random numbers.
    """
    random = {"dropout_gen_mask", "dropout_gen_mask_v2", "multinomial"}
    random |= {f"normal_{mean}_{std}" for mean in ("float", "tensor") for std in ("float", "tensor")}
    by_hand = {"complex", "ctc_loss", "foreach_div_scalar_list", "linalg_cholesky", "polar", "scatter_reduce"}
    assert set(computed()) - set(REFERENCED) == random | by_hand | {"upsample_nearest2d_backward"}


@pytest.mark.parametrize("name", REFERENCED)
def test_every_reference_has_calls_to_compare(own: Find, name: str) -> None:
    references = own(name)
    calls = list(references.calls(CALLS))
    assert len({f"{target} {call}" for call, target in calls}) == CALLS
    assert {target.product for _, target in calls} == {
        target.product for target in references.suite.targets if target.mode == "document"
    }
    for call, target in calls:
        verdict = references.operator.check(target.product, target.mode == "library", *call.values())
        assert verdict is None
        assert all(one.numel <= 2048 for value in call.values() for one in leaves(value))
    first = next(param.name for param in references.info.params if param.type in ("tensor", "tensor_list"))
    found = {one.dtype.name for call, _ in calls for one in leaves(call[first])}
    common = {"FLOAT", "FLOAT16", "BF16"} & {dtype for row in references.info.rows for dtype in row.table[first]}
    assert len(common - found) <= len(common) // 3


def test_calls_vary(own: Find) -> None:
    calls = [call for call, _ in own("prelu_backward").calls(200)]
    assert {call["self"].rank for call in calls} == set(range(9))
    assert any(call["gradOutput"].shape != call["self"].shape for call in calls)
    assert any(call["weight"].numel > 1 and call["self"].rank > 2 for call in calls)
    assert len({call["self"].shape for call in calls}) > 50


def test_a_seed_makes_the_same_calls(own: Find) -> None:
    def texts() -> list[str]:
        return [str(call) for call, _ in own("convolution_backward").calls(30)]

    assert texts() == texts()


def test_numbers_have_any_layout_zeros_and_integers(own: Find) -> None:
    references = own("prelu")
    prepared = [references.prepare(call, target) for call, target in references.calls(60)]
    tensors = [one.values["self"] for one in prepared if one.values["self"].numel > 8]
    assert any(not one.is_contiguous for one in tensors)
    assert any(one.offset > 0 for one in tensors)
    assert any((one.array == 0).any() for one in tensors)


def test_integers_are_small_negative_and_such_as_float_cannot_hold(own: Find) -> None:
    references = own("scatter_add")
    prepared = [references.prepare(call, target) for call, target in references.calls(200)]
    whole = [one.values["src"].array for one in prepared if one.values["src"].dtype.name == "INT64"]
    assert any((array < 0).any() for array in whole)
    assert any((array != array.astype(np.float32)).any() for array in whole)
    assert any(array.size > 3 and (array > 0).all() for array in whole)


@pytest.mark.parametrize(("name", "tensor", "axis"), [("cat", "out", "dim"), ("scatter_add", "self", "dim")])
def test_an_axis_is_counted_from_both_ends(own: Find, name: str, tensor: str, axis: str) -> None:
    calls = [call for call, _ in own(name).calls(200) if call[tensor].rank > 1]
    found = {call[axis] < 0 for call in calls}
    assert found == {False, True}
    assert {call[axis] % call[tensor].rank for call in calls} >= {0, 1, 2}


def test_a_scalar_changes_its_dtype_with_the_tensors(own: Find) -> None:
    """An integer tensor takes no floating alpha, so that from an example in FLOAT neither may change alone."""
    references = own("add")
    given = [
        call for call, _ in references.calls(100) if call["self"].dtype.name == call["alpha"].dtype.name == "FLOAT"
    ]
    walk = RandomCalls(references.operator, given[:1], references.suite.targets, 0, lambda call, _: call)
    assert any(not call["self"].dtype.is_floating for call, _ in walk.take(200))


def test_an_empty_input_tracks_no_statistics(own: Find, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mean of nothing is not a number; the formula of what is tracked does not ask for it."""
    references = own("batch_norm")
    example, target = next(iter(references.calls(1)))
    empty = Tensor((0, 4), "FLOAT")
    channels = {name: Tensor((4,), "FLOAT") for name in ("runningMean", "runningVar", "saveMean", "saveInvstd")}
    call = {**example, **channels, "input": empty, "output": empty, "weight": None, "bias": None, "training": True}
    monkeypatch.setattr(references, "calls", lambda _: iter([(call, target)]))
    assert references.check(1).calls == 1
