"""Values of specs as text of Python: infinity and NaN too, which an example may have."""

from __future__ import annotations

import math

import pytest

from aclspec.codegen.render.tests import literal

VALUES = [1, -1.5, True, None, "FLOAT[2]", (1, 2.5), math.inf, (-math.inf, 1.0)]


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_a_value_survives_its_text(value: object) -> None:
    assert eval(literal(value), {"float": float}) == value


def test_nan_survives_its_text() -> None:
    assert math.isnan(eval(literal(math.nan), {"float": float}))
