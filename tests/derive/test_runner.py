"""The checks that generated tests call must notice an operator that answers wrongly, and say how to see it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aclspec import ops
from aclspec.codegen.derive import Cases
from aclspec.runtime.abi.errors import AclnnError
from aclspec.runtime.abi.status import Status
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.rules.verdict import Verdict
from aclspec.runtime.testing import Numbers, Runner
from aclspec.runtime.testing.suite import Case, Suite, Target

CELL = Target("atlas_a2", "document")


@pytest.fixture
def suite(cases_of: Callable[[str], Cases]) -> Suite:
    return cases_of("aclnnPreluBackward").suite


@pytest.fixture
def operator() -> Operator:
    """A double that a test may break; `copy.copy` would give the operator itself."""
    double = object.__new__(Operator)
    double.__dict__.update(vars(ops.get("aclnnPreluBackward")))
    return double


def case(suite: Suite, name: str, group: str = "violations") -> Case:
    return next(one for one in suite.groups[group] if one.id == name)


def test_a_right_operator_passes(suite: Suite, operator: Operator) -> None:
    runner = Runner(suite, operator)
    runner.check_violation(case(suite, "weight-numel-1"), CELL)
    runner.check_everywhere(case(suite, "base", "valid"))
    Numbers(runner).check_computing(case(suite, "base", "valid"), CELL)
    Numbers(runner).check_special(case(suite, "base", "valid"), CELL)


def test_a_rule_that_is_not_checked_is_noticed(suite: Suite, operator: Operator) -> None:
    operator.check = lambda *args: None
    with pytest.raises(AssertionError):
        Runner(suite, operator).check_violation(case(suite, "weight-numel-1"), CELL)


def test_a_wrong_rule_with_the_right_status_is_noticed(suite: Suite, operator: Operator) -> None:
    operator.check = lambda *args: Verdict("aclnnPreluBackward.rank-self", document=161002, library=161002)
    with pytest.raises(AssertionError):
        Runner(suite, operator).check_violation(case(suite, "weight-numel-1"), CELL)


def test_a_valid_call_that_is_refused_is_noticed(suite: Suite, operator: Operator) -> None:
    operator.check = lambda *args: Verdict("aclnnPreluBackward.rank-self", document=161002, library=161002)
    with pytest.raises(AssertionError):
        Runner(suite, operator).check_everywhere(case(suite, "base", "valid"))


def test_wrong_inference_and_precision_are_noticed(suite: Suite, operator: Operator) -> None:
    operator.infer = lambda *args: (None, None)
    operator.precision = lambda *args: {}
    with pytest.raises(AssertionError):
        Runner(suite, operator).check_inferred()
    with pytest.raises(AssertionError):
        Runner(suite, operator).check_precision()


def spoiled(spoil: Callable[..., None]) -> Callable[..., Any]:
    """The operator's own kernel with something wrong done after it."""
    from aclspec.runtime.kernels.prelu import prelu_backward

    def kernel(*args: Any) -> None:
        prelu_backward(*args)
        spoil(*args)

    return kernel


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda g, x, w, gi, gw, p: x.__setitem__(..., 0), id="writes-an-input"),
        pytest.param(lambda g, x, w, gi, gw, p: gi.__setitem__(..., gi + x.strides[0]), id="depends-on-strides"),
        pytest.param(
            lambda g, x, w, gi, gw, p: (
                np.lib.stride_tricks.as_strided(gi, (3,), (gi.itemsize,)).__setitem__(..., 0)
                if gi.strides[-1] > gi.itemsize
                else None
            ),
            id="writes-between-elements",
        ),
        pytest.param(
            lambda g, x, w, gi, gw, p, count=[0]: (count.append(0), gi.__setitem__(..., len(count))),
            id="differs-every-time",
        ),
    ],
)
def test_a_kernel_that_does_too_much_is_noticed(spoil: Callable[..., None], suite: Suite, operator: Operator) -> None:
    operator.numpy_kernel = spoiled(spoil)
    with pytest.raises(AssertionError):
        Numbers(Runner(suite, operator)).check_computing(case(suite, "every-tensor-strided", "valid"), CELL)


def test_a_kernel_that_adds_to_its_output_is_noticed(suite: Suite, operator: Operator) -> None:
    """Times zero, garbage is zero, unless it is a NaN."""
    from aclspec.runtime.kernels.prelu import prelu_backward

    def kernel(g: Any, x: Any, w: Any, gi: Any, gw: Any, p: Any) -> None:
        result = np.empty_like(gi)
        prelu_backward(g, x, w, result, gw, p)
        gi *= 0
        gi += result

    operator.numpy_kernel = kernel
    numbers = Numbers(Runner(suite, operator))
    numbers._may_be_left_out = lambda values, target: False  # type: ignore[method-assign]  # new memory may hold a NaN
    with pytest.raises(AssertionError, match="gradInput depends on what was in it before the call"):
        numbers.check_computing(case(suite, "base", "valid"), CELL)


@pytest.mark.parametrize("writes", [False, True])
@pytest.mark.parametrize("is_undefined", [False, True])
def test_only_an_undefined_call_may_have_no_kernel(
    is_undefined: bool, writes: bool, suite: Suite, operator: Operator
) -> None:
    """And then it writes nothing."""

    def kernel(g: Any, x: Any, w: Any, gi: Any, gw: Any, p: Any) -> None:
        if writes:
            gi[...] = 0
        raise AclnnError("No kernel computes it.", Status.ACLNN_ERR_INNER_FIND_KERNEL_ERROR)

    operator.numpy_kernel = kernel
    numbers = Numbers(Runner(suite, operator))
    numbers._is_undefined = lambda made: is_undefined  # type: ignore[method-assign]
    for check in (numbers.check_computing, numbers.check_special):
        if is_undefined and not writes:
            check(case(suite, "base", "valid"), CELL)
            continue
        with pytest.raises(AssertionError if is_undefined else AclnnError):
            check(case(suite, "base", "valid"), CELL)


def test_an_example_with_another_value_is_noticed(suite: Suite, operator: Operator) -> None:
    Numbers(Runner(suite, operator)).check_example("document", CELL)
    operator.numpy_kernel = spoiled(lambda g, x, w, gi, gw, p: gi.__setitem__(0, 7))
    with pytest.raises(AssertionError):
        Numbers(Runner(suite, operator)).check_example("document", CELL)


def test_a_failure_comes_with_a_line_for_the_shell(suite: Suite, operator: Operator) -> None:
    operator.check = lambda *args: None
    with pytest.raises(AssertionError) as caught:
        Runner(suite, operator).check_violation(case(suite, "weight-numel-1"), CELL)
    line = caught.value.__notes__[-1].strip()
    assert "\n" not in line
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    shown = subprocess.run(
        line, shell=True, check=True, capture_output=True, text=True, env={**os.environ, "PATH": path}
    ).stdout
    assert "ACLNN_ERR_PARAM_INVALID (161002)" in shown
    assert "aclnnPreluBackward.weight-numel" in shown
