"""What the tests of the runtime share: the documents' sample call, and an operator made by hand."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
import pytest

from aclspec import ops
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.errors import last_error
from aclspec.runtime.api.operator import Operator, Param

FLOATS = {"float32": np.float32, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16}


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No variable and no message of an earlier test reaches the next one."""
    for name in ("ACLSPEC_PRODUCT", "ACLSPEC_CONFORMANCE", "ACLSPEC_BACKEND"):
        monkeypatch.delenv(name, raising=False)
    last_error()
    yield
    last_error()


@pytest.fixture
def prelu() -> Operator:
    """The operator of document 004."""
    found: Operator = ops.get("aclnnPreluBackward")
    return found


@pytest.fixture
def batch_norm() -> Operator:
    """The operator of document 001."""
    found: Operator = ops.get("aclnnBatchNormReduceBackward")
    return found


@pytest.fixture(params=sorted(FLOATS))
def sample(request: pytest.FixtureRequest) -> dict[str, Any]:
    """The inputs of PReLU by C name, with a negative half, in each dtype."""
    return sample_of(FLOATS[request.param])


def sample_of(dtype: Any) -> dict[str, Any]:
    return {
        "gradOutput": np.ones((4, 2), dtype),
        "self": (np.arange(8).reshape(4, 2) - 3).astype(dtype),
        "weight": np.full(2, 0.5, dtype),
    }


@pytest.fixture
def call() -> dict[str, Any]:
    """The same in float32 alone."""
    return sample_of(np.float32)


@pytest.fixture
def handmade() -> Iterator[Callable[..., Operator]]:
    """Makes an operator whose rules let everything through, from parameters and a kernel."""
    name = "handmade_kernels.module"

    def make(
        params: list[Param],
        kernel: Callable[..., None] = lambda *values: None,
        infer: Callable[..., Any] = lambda *values: (((2,), DType.FLOAT, None),),
        roles: Mapping[str, DType] | None = None,
        check: Callable[..., Any] = lambda *values: None,
    ) -> Operator:
        module = ModuleType(name)
        module.kernel = kernel  # type: ignore[attr-defined]
        sys.modules[name] = module
        outputs = [(param.snake, Any) for param in params if param.is_output]
        result = NamedTuple("Result", outputs)  # type: ignore[misc]
        return Operator(
            name="aclnnHandmade",
            snake="handmade",
            module=name,
            params=params,
            check=check,
            infer=infer,
            precision=lambda *values: dict(roles or {}),
            result=result,
            kernel=f"{name}:kernel",
        )

    yield make
    sys.modules.pop(name, None)
