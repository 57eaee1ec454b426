"""Where the calls of an operator come from."""

from __future__ import annotations

from typing import Any

import pytest

from aclspec.codegen import derive
from aclspec.codegen.conform import cases
from aclspec.codegen.conform.measure import Measured
from aclspec.codegen.conform.operators import find
from aclspec.codegen.derive import derive_cases
from aclspec.runtime.testing.expected import arguments


def test_an_operator_without_a_generated_test_is_derived_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package has no tests beside it; each piece of random calls asks for the suite again."""
    operator, derived = find("erf"), list[str]()

    def counted(info: Any) -> Any:
        derived.append(info.name)
        return derive_cases(info)

    monkeypatch.setattr(cases, "_suite", lambda module: None)
    monkeypatch.setattr(derive, "derive_cases", counted)
    assert cases.suite_of(operator) is cases.suite_of(operator)
    assert derived == [operator.name]


def test_a_call_that_takes_numpy_long_is_not_computed() -> None:
    """A transposed convolution with a kernel of 127 by 127 takes 40 s in NumPy; an NPU computes it at once."""
    operator = find("convolution")
    call = {
        "input": "float16[1,1,2,2]:NCHW",
        "weight": "float16[1,1,127,127]:NCHW",
        "bias": None,
        "stride": (1, 1),
        "padding": (0, 0),
        "dilation": (1, 1),
        "transposed": True,
        "outputPadding": (0, 0),
        "groups": 1,
        "output": "float16[1,1,128,128]:NCHW",
        "cubeMathType": 0,
    }
    small = call | {"weight": "float16[1,1,3,3]:NCHW", "output": "float16[1,1,4,4]:NCHW"}
    for by_kernel, given, expected in ((True, call, False), (False, call, True), (True, small, True)):
        measured = Measured(operator, cases.suite_of(operator), 0, "numpy", by_kernel)
        assert measured.is_compared(arguments(operator.info, given), "atlas_a2") == expected
