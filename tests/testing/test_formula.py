"""The language of formulas: what it means, and what it refuses to read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aclspec.runtime.testing.formula import FormulaError, evaluate_formula, parse_formula
from aclspec.runtime.testing.magnitude import FUNCTIONS, WithMagnitude

X = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]])
NAMES: dict[str, Any] = {"x": WithMagnitude(X), "n": 2, "flag": True, "pads": [1, 2, 3, 4], "nothing": None}


def value(text: str) -> Any:
    found = evaluate_formula(parse_formula(text), NAMES.__getitem__, FUNCTIONS)
    return found.value if isinstance(found, WithMagnitude) else found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x * 2 - 1", X * 2 - 1),
        ("1 - x", 1 - X),
        ("2 / x", 2 / X),
        ("x ** 2 + n ** 2", X**2 + 4),
        ("n ** x + 0.5 ** x", 2.0**X + 0.5**X),
        ("abs(x) ** x", abs(X) ** X),
        ("-x", -X),
        ("where(x > 0, x, 0)", np.maximum(X, 0)),
        ("maximum(x, 1)", np.maximum(X, 1)),
        ("floor(x / 2)", np.floor(X / 2)),
        ("minimum(1, x)", np.minimum(X, 1)),
        ("sum(x)", X.sum()),
        ("sum(x, [1])", X.sum(axis=1)),
        ("sum(x, range(0, rank(x)))", X.sum()),
        ("mean(x, [0])", X.mean(axis=0)),
        ("max(x, [1])", X.max(axis=1)),
        ("min(x, [0])", X.min(axis=0)),
        ("exp(x) / sum(exp(x))", np.exp(X) / np.exp(X).sum()),
        ("tanh(x) + sin(x) + cos(x) + sqrt(abs(x)) + log(abs(x))",
         np.tanh(X) + np.sin(X) + np.cos(X) + np.sqrt(abs(X)) + np.log(abs(X))),
        ("reshape(x, [3, n])", X.reshape(3, 2)),
        ("transpose(x, [1, 0])", X.T),
        ("matmul(x, transpose(x, [1, 0]))", X @ X.T),
        ("broadcast_to(x, [n, 2, 3])", np.broadcast_to(X, (2, 2, 3))),
        ("pad(x, [1], [2])", np.pad(X, ((0, 0), (1, 2)))),
        ("crop(x, [1], [1])", X[:, 1:-1]),
        ("x - along(sum(x, [1]), 0, 2)", X - X.sum(axis=1, keepdims=True)),
        ("x + along(sum(x), 1, 2)", X + X.sum()),
        ("trunc(x / 2)", np.trunc(X / 2)),
        ("zeros([2])", np.zeros(2)),
        ("erf(zeros([1]))", np.zeros(1)),
        ("shape(x) + [dim(x, 1)]", [2, 3, 3]),
        ("pads[::2] + pads[1::2]", [1, 3, 2, 4]),
        ("pads[len(pads) - 1]", 4),
        ("[0] * n", [0, 0]),
        ("numel(x) if flag and not is_null(x) else 0", 6),
        ("1 < n < 3 <= n", False),
        ("is_null(nothing) or nothing[0]", True),
        ("n // 2 + n % 2", 1),
        ("sort(x, 1)", np.sort(X, 1)),
        ("pads[-1] + slice(pads, 0, 1)[0]", 5),
        ("n if true and not false else 0", 2),
        ("n if True and not False else 0", 2),
        ("n and flag or nothing", True),
        ("[n * i for i in range(0, 3)]", [0, 2, 4]),
        ("[[i + n for n in pads[:2]][n - i] for i in [1, 2]]", [3, 3]),
    ],
)  # fmt: skip
def test_a_formula_means_what_numpy_says(text: str, expected: Any) -> None:
    np.testing.assert_allclose(value(text), expected, rtol=1e-15)


@pytest.mark.parametrize(
    "text",
    ["x +", "x.shape", "__import__('os')", "(lambda: x)()",
     "[i for i in x if i]", "[i for i, j in x]", "[i for i in x for j in i]", "[x.y for i in x]",
     "{i for i in x}", "sum(x, axes=0)", "'text'", "x if", "",
     "f'{x}'", "x := 1", "{1: 2}", "~x", "x @ x", "x[0](1)", "1j", "x; x", "(x" * 500],
)  # fmt: skip
def test_what_is_no_formula_is_refused(text: str) -> None:
    with pytest.raises(FormulaError, match="A formula"):
        parse_formula(text)


def test_a_formula_knows_its_names_and_functions() -> None:
    formula = parse_formula("sum(x * weight) if flag else dim(x, axis)")
    assert formula.names == {"x", "weight", "flag", "axis"}
    assert formula.functions == {"sum", "dim"}
    assert parse_formula("[abs(i) * w for i in i] + [i for j in k]").names == {"i", "w", "k"}
    assert parse_formula("[abs(x) for x in xs]").names == {"xs"}


def _rounded(text: str, seed: int) -> tuple[Any, Any, Any]:
    """A formula in float32, and in float64 with the size of its terms."""
    rng = np.random.default_rng(seed)
    narrow = {name: (rng.standard_normal((4, 5)) * 10.0 ** rng.integers(-2, 3)).astype(np.float32) for name in "xyz"}
    wide = {name: WithMagnitude(value.astype(float)) for name, value in narrow.items()}
    exact = evaluate_formula(parse_formula(text), wide.get, FUNCTIONS)
    functions: dict[str, Any] = {"sum": lambda x: x.sum(dtype=np.float32), "exp": np.exp, "where": np.where}
    return evaluate_formula(parse_formula(text), narrow.get, functions), exact.value, exact.size


@pytest.mark.parametrize(
    "text",
    [
        "(x + y) - x",
        "x * y - y * z",
        "(x - y) / (x - z)",
        "sum(x * y - z)",
        "exp(0 - x * x) * y",
        "where(x > y, x - y, z)",
    ],
)
def test_the_size_of_terms_covers_what_float32_rounds(text: str) -> None:
    worst = 0.0
    for seed in range(50):
        found, exact, size = _rounded(text, seed)
        worst = max(worst, float(np.max(np.abs(found - exact) / (size * 2.0**-24 + 1e-30))))
        assert np.all(size >= np.abs(exact) * (1 - 1e-12))
    assert worst < 6


def test_a_sum_that_cancels_is_off_by_many_of_its_own_units() -> None:
    found, exact, _ = _rounded("(x + y) - x", 3)
    assert np.max(np.abs(found - exact) / np.abs(exact)) > 100 * 2.0**-24


def test_a_rounding_that_may_go_either_way_is_not_known() -> None:
    """A FLOAT of 2,000,000.97 is 2,000,001; integers themselves are sure, whatever their size."""
    for function in ("floor", "trunc"):
        found = evaluate_formula(
            parse_formula(f"{function}(x)"), {"x": WithMagnitude(np.array([2e6 + 0.97, 2e6, 1.5, -0.5]))}.get, FUNCTIONS
        )
        assert np.isnan(found.value[0])
        assert list(found.value[1:3]) == [2e6, 1]
    rest = evaluate_formula(parse_formula("floor(x) * 4"), {"x": WithMagnitude(np.array([-0.25]))}.get, FUNCTIONS)
    assert rest.value[0] == -4
    assert rest.size[0] >= 4
