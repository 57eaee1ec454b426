"""Attention against PyTorch's, and what random calls do not reach: large masks, bare rows, compressed shifts, parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aclspec import ops
from aclspec.runtime.kernels import flash_attention
from aclspec.runtime.kernels.attention_masks import LOWEST

torch = pytest.importorskip("torch")

FORWARD, BACKWARD = ops.get("aclnnFlashAttentionScore"), ops.get("aclnnFlashAttentionScoreGrad")
FAR = 2147483647
UPPER = np.triu(np.ones((2048, 2048), np.bool_), 1)
ORDERS = {"BNSD": (0, 1, 2, 3), "BSND": (0, 2, 1, 3), "BSH": (0, 2, 1, 3), "SBH": (2, 0, 1, 3)}


def laid_out(array: Any, layout: str) -> Any:
    """An array (B, N, S, D) in a layout."""
    moved = np.ascontiguousarray(array.transpose(ORDERS[layout]))
    return moved.reshape(*moved.shape[:2], -1) if layout in ("BSH", "SBH") else moved


def expected(leaves: Any, seen: Any, shift: Any, kept: Any, scale: float) -> Any:
    """Attention by PyTorch in float64 of query, key and value, which may ask for gradients."""
    query, key, value = leaves
    group = query.shape[1] // key.shape[1]
    keys, values = key.repeat_interleave(group, 1), value.repeat_interleave(group, 1)
    scores = scale * (query @ keys.transpose(-1, -2) + shift)
    shares = torch.softmax(scores.masked_fill(~torch.as_tensor(seen), -torch.inf), -1)
    return (shares * torch.as_tensor(kept)) @ values


def call(rng: Any, layout: str, sizes: tuple[int, ...], seen: Any, dtype: Any = np.float32, **more: Any) -> None:
    """Both operators against PyTorch: batches, heads of queries and of keys, queries, keys, size of a head."""
    b, n, shared, s1, s2, d = sizes
    query, key, value, dy = (
        rng.standard_normal(shape).astype(dtype)
        for shape in ((b, n, s1, d), (b, shared, s2, d), (b, shared, s2, d), (b, n, s1, d))
    )
    shift, kept = more.pop("shift", None), more.pop("kept", None)
    words: dict[str, Any] = {"headNum": n, "inputLayout": layout, "scaleValue": d**-0.5, **more}
    if kept is not None:
        words["dropMaskOptional"] = np.packbits(kept.reshape(-1), bitorder="little")
        words["keepProb"] = 0.8
    given = [laid_out(one, layout) for one in (query, key, value)]
    found = FORWARD(*given, realShiftOptional=shift, **words)
    leaves = [torch.tensor(one.astype(np.float64), requires_grad=True) for one in (query, key, value)]
    bias = 0 if shift is None else torch.tensor(shift.astype(np.float64))
    factor = np.ones(1) if kept is None else kept / 0.8
    exact = expected(leaves, seen, bias, factor, d**-0.5)
    near = {np.dtype(np.float32): 1e-5, np.dtype(np.float16): 4e-3}[np.dtype(dtype)]
    np.testing.assert_allclose(found.attention_out_out, laid_out(exact.detach().numpy(), layout), near, near)
    slopes = torch.autograd.grad(exact, leaves, torch.tensor(dy.astype(np.float64)))
    names = {"softmaxMaxOptional": found.softmax_max_out, "softmaxSumOptional": found.softmax_sum_out}
    grads = BACKWARD(
        *given,
        laid_out(dy, layout),
        pseShiftOptional=shift,
        attentionInOptional=found.attention_out_out,
        **names,
        **words,
    )
    for one, wanted in zip((grads.dq_out, grads.dk_out, grads.dv_out), slopes, strict=True):
        np.testing.assert_allclose(one, laid_out(wanted.numpy(), layout), 8 * near, 8 * near)


@pytest.mark.parametrize("layout", ORDERS)
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("shared", [1, 2, 4])
def test_every_layout_and_grouped_heads(rng: Any, layout: str, dtype: Any, shared: int) -> None:
    call(rng, layout, (2, 4, shared, 5, 7, 8), np.ones((5, 7), np.bool_), dtype)


@pytest.mark.parametrize("heads", [1, 4])
@pytest.mark.parametrize("batches", [1, 2])
def test_masks_shifts_and_dropout_together(rng: Any, heads: int, batches: int) -> None:
    mask = rng.random((batches, heads, 5, 7)) < 0.4
    mask[..., 0] = False
    shift = rng.standard_normal((batches, 4, 5, 7)).astype(np.float32)
    kept = rng.random((2, 4, 5, 7)) < 0.8
    call(rng, "BNSD", (2, 4, 2, 5, 7, 8), ~mask, attenMaskOptional=mask, shift=shift, kept=kept)
    call(rng, "SBH", (2, 4, 2, 5, 7, 8), ~mask, attenMaskOptional=mask.astype(np.uint8), shift=shift[:, :, :1])


@pytest.mark.parametrize(
    ("mode", "tokens", "lower", "upper"),
    [
        (2, (FAR, FAR), -FAR, 0),
        (3, (1, 1), -FAR, 4),
        (4, (3, 2), 1, 6),
        (4, (FAR, -1), -FAR, 3),
    ],
)
def test_compressed_masks(rng: Any, mode: int, tokens: tuple[int, int], lower: int, upper: int) -> None:
    """The keys seen lie between two distances; there are four keys more than queries."""
    distance = np.arange(10) - np.arange(6)[:, None]
    seen = (distance >= lower) & (distance <= upper)
    words = {"sparseMode": mode, "preTokens": tokens[0], "nextTokens": tokens[1], "attenMaskOptional": UPPER}
    call(rng, "BSND", (2, 2, 2, 6, 10, 4), seen, **words)
    call(rng, "BSND", (1, 2, 1, 6, 10, 4), np.ones((6, 10), np.bool_), **words | {"attenMaskOptional": None})


def test_a_band_of_the_default_mode(rng: Any) -> None:
    distance = np.arange(7) - np.arange(7)[:, None]
    seen = (distance >= -2) & (distance <= 1)
    call(rng, "BNSD", (1, 2, 2, 7, 7, 4), seen, attenMaskOptional=~seen, preTokens=2, nextTokens=1)


@pytest.mark.parametrize("mode", [5, 6])
def test_prefixes(rng: Any, mode: int) -> None:
    distance, keys = np.arange(7) - np.arange(5)[:, None], np.arange(7)
    seen = np.stack([(distance <= 2) | (keys < prefix) for prefix in (3, 6)])[:, None]
    words = {"sparseMode": mode, "prefixOptional": [3, 6], "attenMaskOptional": ~np.broadcast_to(seen, (2, 1, 5, 7))}
    call(rng, "BSH", (2, 2, 1, 5, 7, 4), seen, **words)


def test_rows_without_scores() -> None:
    ones, value = np.ones((1, 1, 2, 1), np.float32), np.array([1, 5], np.float32).reshape(1, 1, 2, 1)
    mask = np.array([[True, True], [False, True]])
    words: dict[str, Any] = {"headNum": 1, "inputLayout": "BNSD", "attenMaskOptional": mask, "sparseMode": 1}
    plain = FORWARD(ones, ones, value, **words)
    assert plain.attention_out_out.reshape(-1).tolist() == [3, 1]
    assert (plain.softmax_max_out[0, 0, 0] == LOWEST).all()
    treated = FORWARD(ones, ones, value, innerPrecise=2, **words)
    assert treated.attention_out_out.reshape(-1).tolist() == [0, 1]
    for found, slopes in ((plain, [0.5 * 3 + 1 * 7, 0.5 * 3]), (treated, [7, 0])):
        precise = 2 if found is treated else 0
        dy = np.array([3, 7], np.float32).reshape(1, 1, 2, 1)
        stats = {"softmaxMaxOptional": found.softmax_max_out, "softmaxSumOptional": found.softmax_sum_out}
        grads = BACKWARD(
            ones, ones, value, dy, attentionInOptional=found.attention_out_out, innerPrecise=precise, **stats, **words
        )
        assert grads.dv_out.reshape(-1).tolist() == slopes
        assert not grads.dq_out.any()


@pytest.mark.parametrize(
    ("mode", "sizes", "tokens", "bare"),
    [
        (3, (3, 2), (FAR, FAR), [0]),
        (4, (2, 2), (FAR, -1), [0]),
        (4, (2, 2), (-1, FAR), [1]),
        (0, (3, 2), (0, FAR), [2]),
        (6, (3, 2), (FAR, FAR), [0]),
    ],
)
def test_bare_rows_that_the_sizes_show(
    mode: int, sizes: tuple[int, int], tokens: tuple[int, int], bare: list[int]
) -> None:
    query, value = np.ones((1, 1, sizes[0], 1), np.float32), np.ones((1, 1, sizes[1], 1), np.float32)
    mask = np.zeros(sizes, np.bool_)
    words: dict[str, Any] = {"headNum": 1, "inputLayout": "BNSD", "attenMaskOptional": mask, "prefixOptional": [0]}
    words |= {"sparseMode": mode, "preTokens": tokens[0], "nextTokens": tokens[1]}
    found = FORWARD(query, value, value, **words).attention_out_out.reshape(-1)
    assert np.flatnonzero(found == 0).tolist() == bare


@pytest.mark.parametrize("scores", [1, 7, 60, 1 << 22])
def test_parts_give_the_same(rng: Any, monkeypatch: pytest.MonkeyPatch, scores: int) -> None:
    monkeypatch.setattr(flash_attention, "SCORES", scores)
    mask = rng.random((2, 4, 5, 7)) < 0.4
    mask[..., 0] = False
    shift, kept = rng.standard_normal((1, 4, 5, 7)).astype(np.float32), rng.random((2, 4, 5, 7)) < 0.8
    call(rng, "BSH", (2, 4, 2, 5, 7, 8), ~mask, attenMaskOptional=mask, shift=shift, kept=kept)


def test_the_last_rows_of_a_shift(rng: Any) -> None:
    """A shift that depends on the distance alone is the same from its last 1024 rows, below the diagonal."""
    size, slope = 1030, np.float32(0.125)
    query, key, value = (rng.standard_normal((1, 1, size, 1)).astype(np.float32) for _ in range(3))
    whole = (slope * (np.arange(size) - np.arange(size)[:, None])).astype(np.float32)[None, None]
    words: dict[str, Any] = {"headNum": 1, "inputLayout": "BNSD", "attenMaskOptional": UPPER, "sparseMode": 2}
    wanted = FORWARD(query, key, value, realShiftOptional=whole, **words)
    found = FORWARD(query, key, value, realShiftOptional=np.ascontiguousarray(whole[:, :, -1024:]), **words)
    np.testing.assert_array_equal(found.attention_out_out, wanted.attention_out_out)


def test_large_scores_and_infinite_shifts() -> None:
    query, key = np.array([1e4], np.float32).reshape(1, 1, 1), np.array([1e4, -1e4], np.float32).reshape(1, 2, 1)
    value = np.array([2, 3], np.float32).reshape(1, 2, 1)
    found = FORWARD(query, key, value, headNum=1, inputLayout="BSH")
    assert found.attention_out_out.reshape(-1).tolist() == [2]
    shift = np.array([-np.inf, 0], np.float32).reshape(1, 1, 1, 2)
    found = FORWARD(query, key, value, realShiftOptional=shift, headNum=1, inputLayout="BSH")
    assert found.attention_out_out.reshape(-1).tolist() == [3]


def test_statistics_that_are_null_are_computed(rng: Any) -> None:
    query, key, value, dy = (rng.standard_normal((1, 2, 3, 4)).astype(np.float32) for _ in range(4))
    words: dict[str, Any] = {"headNum": 2, "inputLayout": "BNSD"}
    found = FORWARD(query, key, value, **words)
    stats = {"softmaxMaxOptional": found.softmax_max_out, "softmaxSumOptional": found.softmax_sum_out}
    given = BACKWARD(query, key, value, dy, attentionInOptional=found.attention_out_out, **stats, **words)
    alone = BACKWARD(query, key, value, dy, attentionInOptional=found.attention_out_out, **words)
    for one, other in zip(given, alone, strict=True):
        if one is not None:
            np.testing.assert_allclose(one, other, 1e-6, 1e-6)
