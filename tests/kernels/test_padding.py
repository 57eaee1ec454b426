"""Padding by a tensor's own elements where some of it is negative: elements are taken away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from aclspec.runtime.kernels import padding
from tests.support.numerics import EXACT, peer

PADDINGS = [[1, 2], [-1, 2], [2, -1], [-1, -2], [-4, 1], [1, -4, 2, 0], [-1, 1, 1, -1], [0, -1, -2, -1]]


@pytest.mark.parametrize("amounts", PADDINGS)
@pytest.mark.parametrize("mode", ["reflect", "replicate"])
def test_negative_padding_takes_elements_away(mode: str, amounts: Sequence[int]) -> None:
    torch, axes = peer(), len(amounts) // 2
    x = np.random.default_rng(1).standard_normal((2, 3, 5, 6)[4 - axes - 1 :])
    given = torch.from_numpy(x.copy()).requires_grad_()
    expected = getattr(torch.ops.aten, f"{'reflection' if mode == 'reflect' else 'replication'}_pad{axes}d")(
        given, amounts
    )
    out: np.ndarray[Any, Any] = np.empty(tuple(expected.shape))
    getattr(padding, mode)(x, amounts, out, EXACT)
    assert out.tolist() == expected.tolist()
    gradient, found = np.random.default_rng(2).standard_normal(out.shape), np.empty_like(x)
    getattr(padding, f"{mode}_backward")(gradient, x, amounts, found, EXACT)
    (wanted,) = torch.autograd.grad(expected, given, torch.from_numpy(gradient))
    np.testing.assert_allclose(found, wanted.numpy(), rtol=1e-12)
