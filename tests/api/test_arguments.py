"""What a Python caller may give for a parameter, and what he is told about the rest."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from aclspec.runtime import AclnnError, Tensor
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.api.operator import Operator, Param
from aclspec.runtime.tensors.tensor import Scalar


def test_positions_c_names_and_snake_names_are_the_same_call(prelu: Operator, sample: dict[str, Any]) -> None:
    expected = prelu(*sample.values())
    snake = {"grad_output": sample["gradOutput"], "self": sample["self"], "weight": sample["weight"]}
    for result in (
        prelu(**sample),
        prelu(**snake),
        prelu(sample["gradOutput"], sample["self"], weight=sample["weight"]),
        prelu(sample["gradOutput"], self=sample["self"], weight=sample["weight"]),
    ):
        np.testing.assert_array_equal(result.grad_input, expected.grad_input)
        np.testing.assert_array_equal(result.grad_weight, expected.grad_weight)


def test_a_missing_argument(prelu: Operator, call: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=r"The argument weight is missing\.\n - while calling aclnnPreluBackward"):
        prelu(call["gradOutput"], call["self"])
    with pytest.raises(TypeError, match="The arguments gradOutput, self and weight are missing"):
        prelu()


def test_an_unknown_keyword(prelu: Operator, call: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=r"The keyword \(wieght\) is not a parameter \(did you mean weight\?\)"):
        prelu(**call, wieght=1)


def test_an_output_is_no_argument(prelu: Operator, call: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=r"The keyword \(grad_input\) is not a parameter"):
        prelu(**call, grad_input=call["self"])


def test_an_argument_given_twice(prelu: Operator, call: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="gradOutput is given twice, by the keywords gradOutput and grad_output"):
        prelu(**call, grad_output=call["gradOutput"])
    with pytest.raises(TypeError, match="self is given twice, by position and by the keyword self"):
        prelu(call["gradOutput"], call["self"], call["weight"], self=call["self"])


def test_too_many_arguments(prelu: Operator, call: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=r"number of positional arguments \(4\) exceeds .* gradOutput, self, weight\)"):
        prelu(*call.values(), call["self"])


@pytest.mark.parametrize(
    "value",
    ["a string", b"bytes", [1.0, 2.0], (1.0, 2.0), [[1, 2], [3, 4]], 1, 1.5, True, {}, object(), np.float32, len],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize("name", ["gradOutput", "self", "weight"])
def test_what_is_no_tensor(prelu: Operator, call: dict[str, Any], name: str, value: object) -> None:
    with pytest.raises(TypeError, match=f"(?s)The value of {name} .* is not a tensor.* - while converting {name}"):
        prelu(**(call | {name: value}))


@pytest.mark.parametrize("dtype", [object, "U4", "S4", "M8[s]", "m8[s]", [("a", "f4")]], ids=str)
def test_arrays_of_no_numbers(prelu: Operator, call: dict[str, Any], dtype: Any) -> None:
    with pytest.raises(TypeError, match=r"The dtype of self .* is not numeric"):
        prelu(**(call | {"self": np.zeros((4, 2), dtype)}))


def test_a_masked_array(prelu: Operator, call: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="The value of self is a masked array"):
        prelu(**(call | {"self": np.ma.masked_array(call["self"])}))


def refuse(operator: Operator, call: dict[str, Any], message: str) -> None:
    """The Python function raises, phase one returns the status, and both give the same reason."""
    with pytest.raises(AclnnError, match=message) as raised:
        operator(**call)
    assert raised.value.status == 161002
    assert raised.value.rule == f"{operator.name}.argument"
    outputs: dict[str, Any] = {param.name: np.zeros((4, 2), np.float32) for param in operator.outputs}
    assert operator.get_workspace_size(**call, **outputs) == (161002, 0, None)
    for verdict in operator.explain(**call).values():
        assert verdict.status == 161002
        assert verdict.violations[0].sentence in str(raised.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda x: x[::-1], r"The stride of self on axis 0 \(-2\) is negative.*numpy.ascontiguousarray\(self\)"),
        (lambda x: x[:, ::-1], r"The stride of self on axis 1 \(-1\) is negative"),
        (lambda x: x.astype(">f4"), r"The byte order of self \(big-endian\) is not this machine's own"),
        (lambda x: x.astype(np.longdouble), r"The dtype of self \(float128\) is one that aclnn does not have"),
    ],
)
def test_arrays_that_no_aclnn_tensor_can_be(
    prelu: Operator, call: dict[str, Any], make: Callable[[Any], Any], message: str
) -> None:
    refuse(prelu, call | {"self": make(call["self"])}, message)


def test_a_stride_between_elements(prelu: Operator, call: dict[str, Any]) -> None:
    records = np.zeros((4, 2), [("x", "f4"), ("y", "i1")])
    refuse(prelu, call | {"self": records["x"]}, r"on axis 0 \(10 bytes\) is not a multiple of the size of an element")


def test_one_backward_element_has_no_stride_to_speak_of(prelu: Operator, call: dict[str, Any]) -> None:
    result = prelu(**(call | {"weight": call["weight"][:1][::-1]}))
    assert result.grad_weight.shape == (1,)


def test_numpy_scalars_and_arrays_without_axes(prelu: Operator) -> None:
    result = prelu(np.float32(2), np.array(-3, np.float32), np.float32(0.5))
    assert result.grad_input.shape == ()
    assert (result.grad_input, result.grad_weight) == (1, -6)


def test_subclasses_of_arrays(prelu: Operator, call: dict[str, Any], tmp_path: Any) -> None:
    mapped = np.memmap(tmp_path / "x", np.float32, "w+", shape=(4, 2))
    mapped[...] = call["self"]
    result = prelu(**(call | {"self": mapped}))
    assert type(result.grad_input) is np.ndarray


def test_a_null_is_none(prelu: Operator, call: dict[str, Any]) -> None:
    with pytest.raises(AclnnError) as raised:
        prelu(**(call | {"weight": None}))
    assert raised.value.status == 161001
    assert raised.value.rule == "aclnnPreluBackward.null-weight"


@pytest.fixture
def taken() -> dict[str, Any]:
    return {}


@pytest.fixture
def parameters(handmade: Callable[..., Operator], taken: dict[str, Any]) -> Callable[..., Any]:
    """Calls an operator with one parameter of a type and answers what its kernel got."""

    def give(kind: str, value: object, optional: bool = False) -> Any:
        def kernel(given: Any, out: Any, precision: Any) -> None:
            out[...] = 0
            taken["value"] = given

        params = [Param("theValue", "the_value", kind, optional=optional), Param("out", "out", direction="out")]
        handmade(params, kernel)(the_value=value)
        return taken["value"]

    return give


GOOD: list[tuple[str, object, object]] = [
    ("bool", True, True),
    ("bool", np.bool_(False), False),
    ("int64", 2**63 - 1, 2**63 - 1),
    ("int64", np.int8(-3), -3),
    ("int8", -128, -128),
    ("int32", 2**31 - 1, 2**31 - 1),
    ("int", -(2**31), -(2**31)),
    ("uint64", 2**64 - 1, 2**64 - 1),
    ("double", 1, 1.0),
    ("double", 1e300, 1e300),
    ("double", np.float32(0.5), 0.5),
    ("double", float("inf"), float("inf")),
    ("float", np.float16(0.5), 0.5),
    ("float", float("-inf"), float("-inf")),
    ("string", "mode", "mode"),
    ("string", None, None),
    ("dtype", DType.BF16, DType.BF16),
    ("dtype", "float16", DType.FLOAT16),
    ("dtype", np.float32, DType.FLOAT),
    ("int_array", [1, np.int64(2)], (1, 2)),
    ("int_array", np.array([3, 4]), (3, 4)),
    ("int_array", range(2), (0, 1)),
    ("int_array", (), ()),
    ("int_array", None, None),
    ("bool_array", [True, np.bool_(False)], (True, False)),
    ("float_array", [1, 0.5], (1.0, 0.5)),
    ("scalar", 1.5, 1.5),
    ("scalar", np.float16(1.5), 1.5),
    ("scalar", Scalar(2, DType.INT8), 2),
    ("scalar", None, None),
    ("scalar_list", [1, 2.5], (1, 2.5)),
]


@pytest.mark.parametrize(("kind", "value", "expected"), GOOD, ids=lambda value: str(value))
def test_values_of_every_type(parameters: Callable[..., Any], kind: str, value: object, expected: object) -> None:
    found = parameters(kind, value)
    assert found == expected
    assert type(found) is type(expected)


WRONG: list[tuple[str, object, str]] = [
    ("bool", 1, r"\(1\) is not a bool"),
    ("bool", 0.0, r"\(0\.0\) is not a bool"),
    ("bool", None, r"\(None\) is not a bool"),
    ("bool", np.int8(1), "is not a bool"),
    ("int64", True, r"\(True\) is not an int"),
    ("int64", np.bool_(True), "is not an int"),
    ("int64", 1.0, r"\(1\.0\) is not an int"),
    ("int64", np.float32(1), "is not an int"),
    ("int64", "1", r"\('1'\) is not an int"),
    ("int64", None, r"\(None\) is not an int"),
    ("int64", np.array([1]), r"\(of type ndarray\) is not an int"),
    ("double", True, r"\(True\) is not a float"),
    ("double", "1.0", r"\('1\.0'\) is not a float"),
    ("double", 1j, "is not a float"),
    ("string", b"mode", "is not a str"),
    ("dtype", "float31", "is not a dtype that aclnn has"),
    ("dtype", 1.5, "is not a dtype that aclnn has"),
    ("dtype", None, "is not a dtype that aclnn has"),
    ("dtype", object, "is not a dtype that aclnn has"),
    ("int_array", 3, r"\(3\) is not a sequence of ints"),
    ("int_array", "12", r"\('12'\) is not a sequence of ints"),
    ("int_array", {1, 2}, "is not a sequence of ints"),
    ("int_array", np.zeros((2, 2), int), "is not a sequence of ints"),
    ("bool_array", True, "is not a sequence of bools"),
    ("float_array", 1.0, "is not a sequence of floats"),
    ("scalar", "1", r"\('1'\) is not a number"),
    ("scalar", np.zeros(2), r"\(of type ndarray\) is not a number"),
    ("tensor_list", np.zeros((2, 2)), r"\(of type ndarray\) is not a list or tuple of tensors"),
]


@pytest.mark.parametrize(("kind", "value", "message"), WRONG, ids=lambda value: str(value))
def test_wrong_types(parameters: Callable[..., Any], kind: str, value: object, message: str) -> None:
    with pytest.raises(TypeError, match=f"(?s)The value of theValue .*{message}"):
        parameters(kind, value)


ELEMENTS: list[tuple[str, object, str]] = [
    ("int_array", [1, 2.0], r"theValue\[1\] \(2\.0\) is not an int"),
    ("bool_array", [True, 1], r"theValue\[1\] \(1\) is not a bool"),
    ("float_array", ["a"], r"theValue\[0\] \('a'\) is not a float"),
    ("scalar_list", [1, None, "b"], r"theValue\[2\] \('b'\) is not a number"),
    ("tensor_list", [np.zeros(2), [1]], r"theValue\[1\] \(\[1\]\) is not a tensor"),
]


@pytest.mark.parametrize(("kind", "value", "message"), ELEMENTS, ids=lambda value: str(value))
def test_wrong_elements_are_named_by_their_place(
    parameters: Callable[..., Any], kind: str, value: object, message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        parameters(kind, value)


RANGES = [
    ("int64", 2**63, "9223372036854775808"),
    ("int64", -(2**63) - 1, "-9223372036854775809"),
    ("int8", 128, "128"),
    ("int32", 2**31, "2147483648"),
    ("uint64", -1, "-1"),
    ("uint64", 2**64, "18446744073709551616"),
    ("int_array", [0, 2**63], "9223372036854775808"),
    ("scalar", 2**63, "9223372036854775808"),
    ("scalar", Scalar(-(2**63) - 1, DType.INT64), "-9223372036854775809"),
    ("scalar", Scalar(2**64, DType.UINT64), "18446744073709551616"),
]


@pytest.mark.parametrize(("kind", "value", "told"), RANGES, ids=lambda value: str(value))
def test_integers_beyond_their_c_type(parameters: Callable[..., Any], kind: str, value: object, told: str) -> None:
    with pytest.raises(AclnnError, match=rf"The value of theValue.* \({told}\) is outside its range") as raised:
        parameters(kind, value)
    assert raised.value.status == 161002


@pytest.mark.parametrize(("kind", "value"), [("float", 1e39), ("float", -(10**39)), ("double", 10**309)])
def test_floats_beyond_their_c_type(parameters: Callable[..., Any], kind: str, value: object) -> None:
    with pytest.raises(AclnnError, match="is beyond the range of its C type"):
        parameters(kind, value)


def test_a_list_of_tensors_reaches_the_kernel_as_a_tuple_of_arrays(parameters: Callable[..., Any]) -> None:
    first, second = np.zeros(2, np.float32), np.ones((2, 2), np.float16)
    found = parameters("tensor_list", [first, Tensor.from_array(second), None])
    assert found[0] is first
    assert found[1] is second
    assert found[2] is None


def test_an_optional_parameter_may_be_left_out(handmade: Callable[..., Operator], taken: dict[str, Any]) -> None:
    def kernel(x: Any, mode: Any, out: Any, precision: Any) -> None:
        taken["values"] = (x, mode)
        out[...] = 0

    params = [
        Param("x", "x", optional=True),
        Param("mode", "mode", "int64", default=3),
        Param("out", "out", direction="out"),
    ]
    handmade(params, kernel)()
    assert taken["values"] == (None, 3)


def test_things_that_only_look_like_tensors(prelu: Operator, call: dict[str, Any]) -> None:
    with pytest.raises(AclnnError, match="The tensor self cannot be read through DLPack"):
        prelu(**(call | {"self": SimpleNamespace(__dlpack__=lambda **options: None)}))
