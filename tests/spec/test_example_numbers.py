"""Examples with numbers that their dtypes do not hold, and with more elements than memory."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from aclspec.codegen.spec.project import Project

Load = Callable[..., Project]
Refused = Callable[..., None]
SELF = "self: {dtype: FLOAT, shape: [2], values: [1, 2]}"


@pytest.mark.parametrize(
    ("dtype", "values", "number"),
    [
        ("INT8", "values: [1, «1000]", "1000"),
        ("INT8", "values: [«1.5, 1]", "1.5"),
        ("INT32", "values: «.nan", "nan"),
        ("INT64", "values: «9223372036854775808", "9223372036854775808"),
        ("UINT8", "values: [1], rest: «-1", "-1"),
        ("BOOL", "values: [0, «2]", "2"),
        ("INT4", "values: [«8, 7]", "8"),
        ("FLOAT16", "values: [65504, «65520]", "65520"),
        ("FLOAT", "values: [1, «1.0e+39]", "1e+39"),
        ("FLOAT8_E4M3FN", "values: [.nan, «.inf]", "inf"),
        ("FLOAT4_E2M1", "values: [6, «.nan]", "nan"),
        ("FLOAT8_E8M0", "values: [1, «0]", "0"),
    ],
)
def test_a_number_that_the_dtype_does_not_hold(refused: Refused, dtype: str, values: str, number: str) -> None:
    text = f"A tensor of {dtype} does not hold a value ({number}) of an example."
    refused(text, (SELF, f"self: {{dtype: {dtype}, shape: [2], {values}}}"))


def test_a_dtype_that_numpy_does_not_hold(refused: Refused) -> None:
    text = "A tensor of an example has a dtype (HIFLOAT8) that NumPy does not hold; expected another one."
    refused(text, (SELF, "self: {dtype: «HIFLOAT8, shape: [2], values: [1, 2]}"))


@pytest.mark.parametrize("values", ["1", "1, rest: 0"])
def test_more_elements_than_memory(refused: Refused, values: str) -> None:
    text = "A tensor of shape ([10000000, 1000000]) has 10000000000000 elements; an example has at most 1048576."
    refused(text, (SELF, f"self: {{dtype: FLOAT, shape: «[10000000, 1000000], values: {values}}}"))


def test_an_inferred_output_of_more_elements_than_memory(refused: Refused) -> None:
    text = "An example (small) has an output (out) of 10000000000000 elements; expected at most 1048576."
    refused(
        text,
        ("  out: {shape: shape(self), dtype: dtype(self)}\n", "  out: {shape: '[sizes[0]]', dtype: dtype(self)}\n"),
        ("    require: >-\n      shape(out)\n        == shape(self)\n", "    require: shape(out) == [sizes[0]]\n"),
        ("      sizes: [1]\n", "      sizes: [10000000000000]\n"),
        ("    outputs:\n      out: {dtype: FLOAT, shape: [2], values: [2, 4]}\n", ""),
        ("  - id: small\n    title", "  - «id: small\n    title"),
    )


def test_a_float_that_c_does_not_hold(refused: Refused) -> None:
    text = "An input (alpha) of type float is given a number (1e+300) that its C type cannot hold."
    refused(text, ("    type: double\n", "    type: float\n"), ("      alpha: 2.0\n", "      alpha: «1.0e+300\n"))


DTYPE_FOR_MODE = (
    ("  - {value: [mode], status: {document: ACLNN_ERR_PARAM_INVALID, library: ACLNN_ERR_INNER}}\n", ""),
    ("when: mode == 1}\n  - {length", "when: mode == FLOAT}\n  - {length"),
    ("    when: mode == 0\n", "    when: mode == FLOAT16\n"),
    ("when: mode == 1}\n    - roles", "when: mode == FLOAT}\n    - roles"),
)
ENUMERATION = "    type: int8\n    direction: in\n    values: [0, 1]\n    default: 0\n"


def test_a_dtype_that_does_not_exist(refused: Refused) -> None:
    refused(
        "A dtype (INT9) is unknown; expected one of FLOAT, FLOAT16, INT8, INT32, UINT8, INT16, UINT16, UINT32, INT64, "
        "UINT64, DOUBLE, BOOL, STRING, COMPLEX64, COMPLEX128, BF16, INT4, UINT1, COMPLEX32, HIFLOAT8, FLOAT8_E5M2, "
        "FLOAT8_E4M3FN, FLOAT8_E8M0, FLOAT6_E3M2 and 4 more; did you mean INT8?",
        (ENUMERATION, "    type: dtype\n    direction: in\n"),
        *DTYPE_FOR_MODE,
        ("      mode: 0\n", "      mode: «INT9\n"),
    )


def test_a_dtype_that_a_caller_may_leave_open(load: Load) -> None:
    """DT_UNDEFINED is a value of a parameter that is a dtype: its default, in predicates, and in examples."""
    edits = (
        (ENUMERATION, "    type: dtype\n    direction: in\n    default: DT_UNDEFINED\n"),
        *DTYPE_FOR_MODE,
        ("    when: mode == FLOAT16\n", "    when: mode == DT_UNDEFINED\n"),
        ("      mode: 0\n", "      mode: DT_UNDEFINED\n"),
    )
    (operator,) = load(*edits).operators
    assert operator.info.param("mode").default == "DT_UNDEFINED"


def test_a_tensor_has_some_dtype(refused: Refused) -> None:
    refused(
        "A dtype (DT_UNDEFINED) is unknown; expected one of FLOAT, FLOAT16, INT8, INT32, UINT8, INT16, UINT16, UINT32, "
        "INT64, UINT64, DOUBLE, BOOL, STRING, COMPLEX64, COMPLEX128, BF16, INT4, UINT1, COMPLEX32, HIFLOAT8, "
        "FLOAT8_E5M2, FLOAT8_E4M3FN, FLOAT8_E8M0, FLOAT6_E3M2 and 3 more.",
        ("self: {dtype: FLOAT, shape: [2]", "self: {dtype: «DT_UNDEFINED, shape: [2]"),
    )


def test_an_undefined_result(refused: Refused) -> None:
    refused(
        "An example (small) breaks a rule (not-nan) on atlas_a2 and atlas_training: alpha is 2.0; "
        "it must be at least 3.0 for the result to be defined.",
        ("    require: alpha == alpha\n", "    require: alpha >= 3.0\n"),
        ("  - id: small\n    title", "  - «id: small\n    title"),
    )
