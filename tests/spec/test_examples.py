"""Examples that break the rules of their own operator."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from aclspec.codegen.spec.project import Project

Refused = Callable[..., None]
CASES = {
    "too few values": (
        ("self: {dtype: FLOAT, shape: [2], values: [1, 2]}", "self: {dtype: FLOAT, shape: [3], values: «[1, 2]}"),
        "A tensor of shape ([3]) has 3 elements; the example gives 2 values.",
    ),
    "an input is missing": (
        ("      wanted: true\n", ""),
        None,
    ),
    "a number for a bool": (
        ("      wanted: true\n", "      wanted: «1\n"),
        "An input (wanted) of type bool is given another value (1).",
    ),
    "a bool for an int": (
        ("      mode: 0\n", "      mode: «true\n"),
        "An input (mode) of type int8 is given another value (True).",
    ),
    "an int that C cannot hold": (
        ("      mode: 0\n", "      mode: «128\n"),
        "An input (mode) of type int8 is given an integer (128) that its C type cannot hold.",
    ),
    "an element that C cannot hold": (
        ("      sizes: [1]\n", "      sizes: «[9223372036854775808]\n"),
        "An input (sizes) of type int_array is given an integer (9223372036854775808) that its C type cannot hold.",
    ),
    "a tensor for an array": (
        ("      sizes: [1]\n", "      sizes: «{dtype: FLOAT, shape: [1], values: 1}\n"),
        "An input (sizes) of type int_array is given a tensor.",
    ),
    "an array for a tensor": (
        ("      self: {dtype: FLOAT, shape: [2], values: [1, 2]}\n", "      self: «[1, 2]\n"),
        "An input (self) of type tensor is given another value ((1, 2)).",
    ),
    "null where it is illegal": (
        ("      self: {dtype: FLOAT, shape: [2], values: [1, 2]}\n", "      self: «null\n"),
        None,
    ),
    "an output of another shape": (
        ("out: {dtype: FLOAT, shape: [2], values: [2, 4]}", "out: {dtype: FLOAT, shape: [1, 2], values: [2, 4]}"),
        None,
    ),
    "an output that is switched off": (
        ("      wanted: true\n", "      wanted: false\n"),
        "An example (small) expects an output (out) that its inputs switch off.",
    ),
}


@pytest.mark.parametrize(
    "case", [name for name, (edit, message) in CASES.items() if message and "«" in edit[1]], ids=str
)
def test_refused(refused: Refused, case: str) -> None:
    edit, message = CASES[case]
    refused(message, edit)


def test_missing_input(errors: Callable[..., tuple[object, ...]]) -> None:
    (finding,) = errors(CASES["an input is missing"][0])
    assert str(finding) == "specs/math/scale.yaml:106:5: An example (small) gives no value for an input (wanted)."


def test_a_default_is_the_value_of_an_input_that_is_missing(load: Callable[..., Project]) -> None:
    (operator,) = load(("      alpha: 2.0\n", "")).operators
    assert dict(operator.info.examples[0].inputs)["alpha"] == 1.0


def test_switched_off(errors: Callable[..., tuple[object, ...]]) -> None:
    edit, message = CASES["an output that is switched off"]
    (finding,) = errors(edit)
    assert str(finding) == f"specs/math/scale.yaml:113:7: {message}"


@pytest.mark.parametrize(
    ("edit", "rule", "products"),
    [
        (("      sizes: [1]\n", "      sizes: [0]\n"), "sizes-positive", "atlas_a2 and atlas_training"),
        (("      sizes: [1]\n", "      sizes: [1, 2, 3]\n"), "length-sizes", "atlas_a2 and atlas_training"),
        (("      sizes: [1]\n", "      sizes: null\n"), "null-sizes", "atlas_a2 and atlas_training"),
        (
            ("shape: [2], values: [1, 2]}", "shape: [2], values: [1, 2], format: NHWC}"),
            "format-self",
            "atlas_a2 and atlas_training",
        ),
        (("self: {dtype: FLOAT, shape: [2]", "self: {dtype: BF16, shape: [2]"), "dtype-self", "atlas_training"),
        (("      mode: 0\n", "      mode: 5\n"), "value-mode", "atlas_a2 and atlas_training"),
        (CASES["an output of another shape"][0], "out-shape", "atlas_a2 and atlas_training"),
    ],
    ids=str,
)
def test_breaks_a_rule(
    errors: Callable[..., tuple[object, ...]], edit: tuple[str, str], rule: str, products: str
) -> None:
    found = [str(finding) for finding in errors(edit)]
    start = f"specs/math/scale.yaml:104:5: An example (small) breaks a rule ({rule}) on {products}: "
    assert any(finding.startswith(start) for finding in found), found


def test_a_number_has_the_dtype_of_a_call(errors: Callable[..., tuple[object, ...]]) -> None:
    """A Python float is a DOUBLE to an aclScalar, in an example as in a call."""
    found = errors(
        ("    type: double\n    direction: in\n    default: 1.0\n", "    type: scalar\n    direction: in\n"),
        ("    require: alpha == alpha\n    outcome: undefined\n", "    require: dtype(alpha) == FLOAT\n"),
    )
    assert [str(finding) for finding in found] == [
        "specs/math/scale.yaml:102:5: An example (small) breaks a rule (not-nan) on atlas_a2 and atlas_training: "
        "alpha is DOUBLE; it must be FLOAT."
    ]


def test_a_number_of_another_type_is_looked_at_anew(
    load: Callable[..., object], errors: Callable[..., tuple[object, ...]]
) -> None:
    """1 and 1.0 are equal, and of different dtypes: what was found of a spec with the one says nothing of the other."""
    scalar = ("    type: double\n    direction: in\n    default: 1.0\n", "    type: scalar\n    direction: in\n")
    wanted = ("    require: alpha == alpha\n    outcome: undefined\n", "    require: dtype(alpha) == DOUBLE\n")
    given = "alpha: 2.0"
    load(scalar, wanted)
    assert "is INT64; it must be DOUBLE" in "".join(map(str, errors(scalar, wanted, (given, given.removesuffix(".0")))))


@pytest.mark.parametrize(
    ("what", "inferred"),
    [("shape", '{shape: "[sizes[1]]", dtype: dtype(self)}'), ("dtype", "{shape: shape(self), dtype: dtype(bias)}")],
)
def test_nothing_is_inferred(errors: Callable[..., tuple[object, ...]], what: str, inferred: str) -> None:
    """A list without a second element and a null tensor leave the example without an output to compute."""
    found = errors(("  out: {shape: shape(self), dtype: dtype(self)}\n", f"  out: {inferred}\n"))
    text = f"specs/math/scale.yaml:104:5: An example (small) has no {what} of an output (out): none is inferred."
    assert text in map(str, found)


def test_an_example_for_some_products(load: Callable[..., object]) -> None:
    load(
        ("self: {dtype: FLOAT, shape: [2]", "self: {dtype: BF16, shape: [2]"),
        ("out: {dtype: FLOAT, shape: [2]", "out: {dtype: BF16, shape: [2]"),
        ("    title: {en: A call, zh: 一次调用}", "    title: {en: A call, zh: 一次调用}\n    products: [atlas_a2]"),
    )
