"""Values of anybody's class: explain answers for each, and `repr`, HTML and JSON of the answer show it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from aclspec import ops
from aclspec.runtime import Tensor
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.tensors.tensor import Scalar

TENSOR = Tensor((2, 2), "float32")
USUAL: dict[str, Any] = {
    "tensor": TENSOR,
    "tensor_list": [TENSOR, TENSOR],
    "scalar": 1.0,
    "scalar_list": [1.0],
    "int_array": [0],
    "bool": True,
    "double": 1.0,
    "dtype": "float32",
}
OPERATORS = ("add", "cat", "permute", "reduce_sum", "layer_norm", "flash_attention_score", "foreach_add_scalar_list")
"""They have a parameter of each type between them."""


class Silent:
    """Has no text."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")


class SilentText(str):
    """A text that has no text."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")


class Endless:
    """Its text is its text."""

    def __repr__(self) -> str:
        return repr(self)


class Closed:
    """Has no attribute, and says so by another error."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)


class Masked:
    """Has no class."""

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        raise RuntimeError("no class")


class Broken:
    """An array that cannot be had, and a number that is none."""

    shape, dtype, ndim = (2,), "float32", 1

    def __array__(self, *_: object) -> Any:
        raise RuntimeError("no array")

    def __dlpack__(self, **_: object) -> Any:
        raise RuntimeError("no capsule")

    def __len__(self) -> int:
        raise RuntimeError("no length")

    def __iter__(self) -> Any:
        raise RuntimeError("no elements")

    def __index__(self) -> int:
        raise RuntimeError("no index")

    def __bool__(self) -> bool:
        raise RuntimeError("no truth")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no equal")

    __hash__ = None  # type: ignore[assignment]


def deep() -> list[Any]:
    """A list of lists, deeper than Python calls functions."""
    found: list[Any] = []
    for _ in range(100_000):
        found = [found]
    return found


LOOP: list[Any] = []
LOOP.append(LOOP)
VALUES: list[Any] = [
    Silent(),
    SilentText("x"),
    Endless(),
    Closed(),
    Masked(),
    Broken(),
    LOOP,
    deep(),
    10**5000,
    -(10**5000),
]
VALUES += [
    10**400,
    2**63,
    float("nan"),
    1e308,
    complex(1e308, 1),
    "\ud800",
    "x" * 10**6,
    b"\xff",
    [10**5000],
    [Silent()],
]
VALUES += [{1: Silent()}, set(), np.array([Silent()], dtype=object), np.zeros((0,) * 20), np.zeros(3, "M8[s]")]
VALUES += [np.longdouble("1e4000"), range(10**12), iter([1]), Ellipsis, int, Scalar(10**400, DType.FLOAT), [1] * 10**5]
VALUES += [Tensor((1,) * 64, "float32"), Tensor((2**62,) * 8, "float32"), [TENSOR] * 1000, np.ma.masked, [[1], [2, 3]]]


@pytest.mark.parametrize("name", OPERATORS)
def test_explain_answers(name: str) -> None:
    operator = ops.get(name)
    usual = [USUAL.get(operator.info.param(param.name).type, 1) for param in operator.inputs]
    types: dict[str, int] = {}
    for place, param in enumerate(operator.inputs):  # one parameter of each type
        types.setdefault(operator.info.param(param.name).type, place)
    for place in types.values():
        for value in VALUES:
            found = operator.explain(*usual[:place], value, *usual[place + 1 :], product="atlas_a2")
            texts = (str(found), repr(found), found._repr_html_(), json.dumps(found.to_dict(), default=str))
            assert all(texts)


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (10**5000, "The value of eps (an int of 16610 bits) is beyond the range of its C type."),
        (Silent(), "The value of eps (of type Silent) is not a float."),
        (Masked(), "The value of eps cannot be read: it raises RuntimeError."),
    ],
    ids=["a long int", "silent", "masked"],
)
def test_the_sentence_of_a_value_that_cannot_be_shown(value: object, sentence: str) -> None:
    found = ops.get("layer_norm").explain(TENSOR, [2], None, None, value, product="atlas_a2")
    assert found.reasons == (sentence,)
