"""Attention for inference against a loop over batches, heads and queries in float64."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from aclspec import ops
from aclspec.runtime.abi.errors import AclnnError
from aclspec.runtime.abi.status import Status

Array = np.ndarray[Any, np.dtype[Any]]
Sees = Callable[[int, int, int], bool]
VERSIONS = ["aclnnFusedInferAttentionScoreV2", "aclnnFusedInferAttentionScoreV3", "aclnnFusedInferAttentionScoreV4"]
LAYOUTS = ["BSH", "BSND", "BNSD", "BNSD_BSND"]
"""Those of all versions; only V3 and V4 can put the heads first in the result."""
ORDERS = {"BSND": (0, 2, 1, 3), "BNSD": (0, 1, 2, 3), "NBSD": (1, 0, 2, 3)}
FAR = 2**31 - 1
SCALE = 0.3


def everything(batch: int, row: int, column: int) -> bool:
    """A query sees every key."""
    return True


def numbers(seed: int, *shape: int) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float16)


def laid(array: Array, axes: str) -> Array:
    """An array (batch, head, sequence, size) in other axes."""
    if axes == "BSH":
        return np.ascontiguousarray(array.transpose(0, 2, 1, 3)).reshape(array.shape[0], array.shape[2], -1)
    return np.ascontiguousarray(array.transpose(ORDERS[axes]))


def one_query(query: Array, key: Array, value: Array, shift: Array, seen: Sequence[int]) -> tuple[Array, float]:
    """The result of one query over the keys that it sees, and the logarithm of its sum."""
    if not seen:
        return np.zeros(value.shape[1]), -np.inf
    scores = np.array([SCALE * float(np.dot(query, key[at])) + shift[at] for at in seen])
    sizes = np.exp(scores - scores.max())
    return np.tensordot(sizes, value[list(seen)], 1) / sizes.sum(), float(scores.max() + np.log(sizes.sum()))


def wanted(
    query: Array, key: Array, value: Array, sees: Sees = everything, shift: Array | None = None
) -> tuple[Array, Array]:
    """All results and logarithms, of arrays (batch, head, sequence, size)."""
    query, key, value = (one.astype(np.float64) for one in (query, key, value))
    batches, heads, queries, _ = query.shape
    shared, keys = heads // key.shape[1], key.shape[2]
    out, lse = np.zeros((batches, heads, queries, value.shape[3])), np.zeros((batches, heads, queries))
    for b, n, i in np.ndindex(batches, heads, queries):
        seen = [j for j in range(keys) if sees(b, i, j)]
        row = np.zeros(keys) if shift is None else shift[b, n, i].astype(np.float64)
        out[b, n, i], lse[b, n, i] = one_query(query[b, n, i], key[b, n // shared], value[b, n // shared], row, seen)
    return out, lse


def called(
    version: str,
    query: Array,
    key: Sequence[Array],
    value: Sequence[Array],
    layout: str,
    heads: int,
    kv_heads: int,
    **more: Any,
) -> Any:
    """A call with the usual attributes."""
    attributes: dict[str, Any] = {
        "numHeads": heads,
        "scaleValue": SCALE,
        "preTokens": FAR,
        "nextTokens": FAR,
        "inputLayout": layout,
        "numKeyValueHeads": kv_heads,
        "softmaxLseFlag": True,
    }
    keywords = {**attributes, **more, "product": "atlas_a2", "conformance": "library"}
    return ops.get(version)(query=query, key=list(key), value=list(value), **keywords)


def near(found: Any, expected: Array) -> None:
    np.testing.assert_allclose(np.asarray(found).astype(np.float64), expected, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize(
    ("version", "layout"),
    [(version, layout) for version in VERSIONS for layout in LAYOUTS]
    + [(version, layout) for version in VERSIONS[1:] for layout in ("BSH_NBSD", "BSND_NBSD", "BNSD_NBSD")],
)
@pytest.mark.parametrize("queries", [1, 5])
def test_layouts(version: str, layout: str, queries: int) -> None:
    """Four heads share two, and a bias has no stride over the heads."""
    query, key, value = numbers(0, 2, 4, queries, 16), numbers(1, 2, 2, 7, 16), numbers(2, 2, 2, 7, 16)
    shift = np.broadcast_to(numbers(3, 2, 1, queries, 7), (2, 4, queries, 7))
    out, lse = wanted(query, key, value, shift=shift)
    axes, result = layout.partition("_")[0], layout.rpartition("_")[2]
    given = [laid(one, axes) for one in (query, key, value)]
    found = called(version, given[0], [given[1]], [given[2]], layout, 4, 2, pseShiftOptional=shift)
    near(found.attention_out, laid(out, result))
    near(found.softmax_lse, lse[..., None])


BANDS: dict[int, Callable[[int, int], bool]] = {
    0: lambda i, j: i - 1 <= j <= i + 2,
    1: lambda i, j: True,
    2: lambda i, j: j <= i,
    3: lambda i, j: j <= i + 2,
    4: lambda i, j: i + 2 - 1 <= j <= i + 2 + 2,
}


@pytest.mark.parametrize("mode", BANDS)
@pytest.mark.parametrize("rank", [2, 3, 4])
def test_masks(mode: int, rank: int) -> None:
    """Five queries and seven keys; bands and triangles of the modes 3 and 4 end in the corner."""
    query, key, value = numbers(0, 2, 2, 5, 16), numbers(1, 2, 2, 7, 16), numbers(2, 2, 2, 7, 16)
    hidden = np.random.default_rng(4).random((2, 5, 7)) < 0.3
    if rank == 2:
        hidden[1] = hidden[0]
    mask = hidden[0] if rank == 2 else hidden if rank == 3 else hidden[:, None]
    if mode in (2, 3, 4):
        hidden[:] = False
        mask = np.triu(np.ones((2048, 2048), bool), 1)
        mask = mask.reshape(*(1,) * (rank - 2), 2048, 2048)
    out, lse = wanted(query, key, value, lambda b, i, j: BANDS[mode](i, j) and not hidden[b, i, j])
    more = {"attenMaskOptional": mask.astype(np.int8), "sparseMode": mode, "preTokens": 1, "nextTokens": 2}
    found = called(VERSIONS[0], query, [key], [value], "BNSD", 2, 2, **more)
    near(found.attention_out, out)
    near(found.softmax_lse, lse[..., None])


def test_a_mask_of_one_query_has_a_row_for_each_batch() -> None:
    """Neither the mode nor the limits of the band count."""
    query, key, value = numbers(0, 3, 2, 1, 16), numbers(1, 3, 1, 4, 16), numbers(2, 3, 1, 4, 16)
    mask = np.array([[0, 1, 0, 0], [1, 0, 0, 1], [0, 0, 0, 1]], np.uint8)
    out, _ = wanted(query, key, value, lambda b, i, j: not mask[b, j])
    for shape in ((3, 4), (3, 1, 4), (3, 1, 1, 4)):
        more = {"attenMaskOptional": mask.reshape(shape), "sparseMode": 3, "preTokens": 0, "nextTokens": 0}
        near(called(VERSIONS[0], query, [key], [value], "BNSD", 2, 1, **more).attention_out, out)


def test_a_mask_and_a_bias_may_be_larger_than_the_scores() -> None:
    query, key, value = numbers(0, 2, 2, 3, 16), numbers(1, 2, 2, 5, 16), numbers(2, 2, 2, 5, 16)
    shift, hidden = numbers(3, 1, 2, 16, 32), np.random.default_rng(4).random((1, 1, 16, 32)) < 0.3
    shifts = np.broadcast_to(shift[:, :, :3, :5], (2, 2, 3, 5))
    out, _ = wanted(query, key, value, lambda b, i, j: not hidden[0, 0, i, j], shifts)
    more = {"pseShiftOptional": shift, "attenMaskOptional": hidden}
    near(called(VERSIONS[0], query, [key], [value], "BNSD", 2, 2, **more).attention_out, out)


@pytest.mark.parametrize("inner", [0, 1, 2, 3])
def test_rows_of_which_nothing_is_left(inner: int) -> None:
    """A mask that leaves nothing gives 0, negative infinity throughout NaN or, with the correction, 0."""
    query, key, value = numbers(0, 1, 1, 2, 16), numbers(1, 1, 1, 3, 16), numbers(2, 1, 1, 3, 16)
    mask = np.array([[1, 1, 1], [0, 0, 0]], bool)
    found = called(VERSIONS[0], query, [key], [value], "BNSD", 1, 1, attenMaskOptional=mask, innerPrecise=inner)
    assert not np.asarray(found.attention_out)[0, 0, 0].any()
    assert np.asarray(found.attention_out)[0, 0, 1].all()
    assert np.asarray(found.softmax_lse)[0, 0, 0, 0] == -np.inf
    shift = np.where(mask, -np.inf, 0).astype(np.float16)[None, None]
    found = called(VERSIONS[0], query, [key], [value], "BNSD", 1, 1, pseShiftOptional=shift, innerPrecise=inner)
    row = np.asarray(found.attention_out)[0, 0, 0]
    assert not row.any() if inner >= 2 else np.isnan(row).all()


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("lengths", [([2, 4], [3, 0]), ([3], [2])])
def test_lengths(lengths: tuple[list[int], list[int]], padded: bool) -> None:
    """Queries and keys at the start of their sequences, or one token from its end."""
    query, key, value = numbers(0, 2, 2, 5, 16), numbers(1, 2, 2, 4, 16), numbers(2, 2, 2, 4, 16)
    expected = np.zeros((2, 2, 5, 16))
    for b in range(2):
        some, seen = (one[b % len(one)] for one in lengths)
        rows = slice(4 - some, 4) if padded else slice(0, some)
        columns = slice(3 - seen, 3) if padded else slice(0, seen)
        at = (slice(b, b + 1), slice(None))
        expected[at[0], :, rows], _ = wanted(query[*at, rows], key[*at, columns], value[*at, columns])
    more: dict[str, Any] = {"actualSeqLengthsOptional": lengths[0], "actualSeqLengthsKvOptional": lengths[1]}
    if padded:
        more |= {name: np.array([1]) for name in ("queryPaddingSizeOptional", "kvPaddingSizeOptional")}
    near(called(VERSIONS[0], query, [key], [value], "BNSD", 2, 2, **more).attention_out, expected)


def test_lists() -> None:
    """A tensor for each batch."""
    query = numbers(0, 2, 4, 3, 16)
    key, value = ([numbers(seed + at, 1, 2, 5 - at, 16) for at in range(2)] for seed in (1, 5))
    expected = np.concatenate([wanted(query[b : b + 1], key[b], value[b])[0] for b in range(2)])
    near(called(VERSIONS[0], query, key, value, "BNSD", 4, 2).attention_out, expected)


def test_prefix() -> None:
    """Two of three keys of a prefix stand in front of those of each batch."""
    query, key, value = numbers(0, 2, 2, 3, 16), numbers(1, 2, 2, 4, 16), numbers(2, 2, 2, 4, 16)
    front = numbers(3, 1, 2, 3, 16), numbers(4, 1, 2, 3, 16)
    joined = [
        np.concatenate((np.broadcast_to(one[:, :, :2], (2, 2, 2, 16)), rest), 2)
        for one, rest in zip(front, (key, value), strict=True)
    ]
    out, _ = wanted(query, joined[0], joined[1])
    more = {
        "keySharedPrefixOptional": front[0],
        "valueSharedPrefixOptional": front[1],
        "actualSharedPrefixLenOptional": [2],
    }
    near(called(VERSIONS[0], query, [key], [value], "BNSD", 2, 2, **more).attention_out, out)


TABLE = np.array([[4, 1, 0], [2, 5, 0]], np.int32)
SEEN = (20, 9)


def in_blocks(whole: Array, form: int) -> Array:
    """A cache of six blocks of eight tokens that holds (batch, head, 24, size) by the table."""
    batches, heads, _, size = whole.shape
    cache = np.zeros((6, heads, 8, size), whole.dtype)
    for b in range(batches):
        for at in range(-(-SEEN[b] // 8)):
            cache[TABLE[b, at]] = whole[b, :, 8 * at : 8 * at + 8]
    if form == 3:
        return cache.transpose(0, 2, 1, 3).reshape(6, 8, heads * size)
    return cache if form == 4 else cache.reshape(6, heads, 8, size // 16, 16).transpose(0, 1, 3, 2, 4)


@pytest.mark.parametrize("form", [3, 4, 5])
@pytest.mark.parametrize("packed", [False, True])
def test_blocks(form: int, packed: bool) -> None:
    """Two batches of 20 and 9 keys in blocks, with three queries and one, or two each."""
    key, value = numbers(1, 2, 2, 24, 32), numbers(2, 2, 2, 24, 32)
    caches = [np.ascontiguousarray(in_blocks(one, form)) for one in (key, value)]
    more = {"blockTableOptional": TABLE, "actualSeqLengthsKvOptional": list(SEEN), "blockSize": 8}
    if not packed:
        query = numbers(0, 2, 4, 2, 32)
        out, _ = wanted(query, key, value, lambda b, i, j: j < SEEN[b])
        near(called(VERSIONS[1], query, [caches[0]], [caches[1]], "BNSD", 4, 2, **more).attention_out, out)
        return
    query = numbers(0, 4, 4, 32)
    more |= {"actualSeqLengthsOptional": [3, 4], "sparseMode": 3}
    more["attenMaskOptional"] = np.triu(np.ones((2048, 2048), np.int8), 1)
    parts = []
    for b, (start, stop) in enumerate(((0, 3), (3, 4))):
        rows = query[start:stop].transpose(1, 0, 2)[None]
        keys, values = (one[b : b + 1, :, : SEEN[b]] for one in (key, value))
        count, total = stop - start, SEEN[b]

        def sees(b: int, i: int, j: int, gap: int = total - count) -> bool:
            return j <= i + gap

        out, _ = wanted(rows, keys, values, sees)
        parts.append(out[0].transpose(1, 0, 2))
    found = called(VERSIONS[1], query, [caches[0]], [caches[1]], "TND", 4, 2, **more)
    near(found.attention_out, np.concatenate(parts))


@pytest.mark.parametrize("layout", ["TND", "TND_NTD", "NTD_TND"])
@pytest.mark.parametrize("version", VERSIONS[1:])
def test_packed_batches_with_rotary_parts(layout: str, version: str) -> None:
    """The scores are those of queries and keys that the rotary parts lengthen."""
    query, key, value = numbers(0, 2, 5, 128), numbers(1, 1, 7, 128), numbers(2, 1, 7, 128)
    ropes = numbers(3, 2, 5, 64), numbers(4, 1, 7, 64)
    long = np.concatenate((query, ropes[0]), -1)[None], np.concatenate((key, ropes[1]), -1)[None]
    outs, logs = zip(
        *(
            wanted(long[0][:, :, rows], long[1][:, :, columns], value[None, :, columns])
            for rows, columns in ((slice(0, 2), slice(0, 4)), (slice(2, 5), slice(4, 7)))
        ),
        strict=True,
    )
    out, lse = np.concatenate(outs, 2)[0], np.concatenate(logs, 2)[0]

    def order(array: Array, axes: str) -> Array:
        return np.ascontiguousarray(array if axes == "NTD" else array.swapaxes(0, 1))

    axes = layout.partition("_")[0]
    given = [order(one, axes).astype(ml_dtypes.bfloat16) for one in (query, key, value, *ropes)]
    more: dict[str, Any] = {"queryRopeOptional": given[3], "keyRopeOptional": given[4]}
    more |= {"actualSeqLengthsOptional": [2, 5], "actualSeqLengthsKvOptional": [4, 7]}
    found = called(version, given[0], [given[1]], [given[2]], layout, 2, 1, **more)
    expected = order(out, layout.rpartition("_")[2])
    np.testing.assert_allclose(np.asarray(found.attention_out).astype(np.float64), expected, atol=0.1)
    np.testing.assert_allclose(np.asarray(found.softmax_lse)[..., 0], lse.T, atol=0.1)


def codes(seed: int, *shape: int, least: int = -128) -> Array:
    """Numbers of INT8, or with -8 those of INT4."""
    return np.random.default_rng(seed).integers(least, -least, shape).astype(np.int8)


def scale_of(seed: int, *shape: int) -> Array:
    """Scales that bring numbers of INT8 near 1."""
    return (np.random.default_rng(seed).random(shape) / 64 + 1 / 128).astype(np.float32)


BY_CHANNEL = [(1,), (32,), (2, 16), (1, 2, 16), (1, 2, 1, 16)]
SCALING = Callable[[Array], Array]


def across_channels(values: Array) -> Array:
    """Scales, or offsets, of two heads of 16 that fit (batch, head, token, place)."""
    return values.reshape((1, 1, 1, 1) if values.size == 1 else (1, 2, 1, 16))


def across_tokens(values: Array) -> Array:
    """Scales, or offsets, of two batches of at least six tokens that fit (batch, head, token, place)."""
    return values.reshape(2, 1, -1, 1)[:, :, :6]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("has_offset", [False, True])
@pytest.mark.parametrize("shape", [*BY_CHANNEL, (2, 6), (1, 2, 8)])
@pytest.mark.parametrize("layout", ["BSH", "BNSD"])
def test_separate_scales(version: str, has_offset: bool, shape: tuple[int, ...], layout: str) -> None:
    """One for all, by channel, or by token; key and value each have their own."""
    query = numbers(0, 2, 4, 3, 16)
    stored = [codes(seed, 2, 2, 6, 16) for seed in (1, 2)]
    scales = [scale_of(seed, *shape) for seed in (3, 4)]
    offsets = [codes(seed, *shape).astype(np.float32) if has_offset else None for seed in (5, 6)]
    by_token = shape[-1] in (6, 8)
    fitted: SCALING = across_tokens if by_token else across_channels
    key, value = (
        (one + (0 if offset is None else fitted(offset))) * fitted(scale)
        for one, scale, offset in zip(stored, scales, offsets, strict=True)
    )
    more: dict[str, Any] = {"keyAntiquantMode": int(by_token), "valueAntiquantMode": int(by_token)}
    for name, scale, offset in zip(("key", "value"), scales, offsets, strict=True):
        more |= {f"{name}AntiquantScaleOptional": scale, f"{name}AntiquantOffsetOptional": offset}
    given = [laid(one, layout) for one in (query, *stored)]
    found = called(version, given[0], [given[1]], [given[2]], layout, 4, 2, **more)
    near(found.attention_out, laid(wanted(query, key, value)[0], layout))


@pytest.mark.parametrize("shape", [(2,), (2, 32), (2, 2, 16), (2, 2, 1, 16), (2, 2, 8)])
@pytest.mark.parametrize("four_bits", [False, True])
def test_scales_of_both(shape: tuple[int, ...], four_bits: bool) -> None:
    """The first half is for keys; by token they are for one query alone."""
    by_token = shape == (2, 2, 8)
    query = numbers(0, 2, 4, 1 if by_token else 3, 16)
    stored = [codes(seed, 2, 2, 6, 16, least=-8 if four_bits else -128) for seed in (1, 2)]
    scale, offset = scale_of(3, *shape), codes(4, *shape, least=-8).astype(np.float32)
    fitted: SCALING = across_tokens if by_token else across_channels
    key, value = ((one + fitted(offset[at])) * fitted(scale[at]) for at, one in enumerate(stored))
    more = {"antiquantScaleOptional": scale, "antiquantOffsetOptional": offset, "antiquantMode": int(by_token)}
    given = [one.astype(ml_dtypes.int4) if four_bits else one for one in stored]
    found = called(VERSIONS[0], query, [given[0]], [given[1]], "BNSD", 4, 2, **more)
    near(found.attention_out, wanted(query, key, value)[0])


def test_separate_scales_come_first() -> None:
    """Where there are scales of both as well, these are not read."""
    query, key, value = numbers(0, 2, 4, 3, 16), codes(1, 2, 2, 6, 16), codes(2, 2, 2, 6, 16)
    own = {f"{name}AntiquantScaleOptional": scale_of(3, 32) for name in ("key", "value")}
    both = {"antiquantScaleOptional": np.full((5, 7), np.nan, np.float32)}
    alone, found = (called(VERSIONS[0], query, [key], [value], "BNSD", 4, 2, **more) for more in (own, own | both))
    assert np.array_equal(np.asarray(alone.attention_out), np.asarray(found.attention_out))


def test_scales_of_blocks() -> None:
    key, value = codes(1, 2, 2, 24, 32), codes(2, 2, 2, 24, 32)
    scales = scale_of(3, 2, 32), scale_of(4, 2, 32)
    more = {"blockTableOptional": TABLE, "actualSeqLengthsKvOptional": list(SEEN), "blockSize": 8}
    more |= {"keyAntiquantScaleOptional": scales[0], "valueAntiquantScaleOptional": scales[1]}
    query, wide = (
        numbers(0, 2, 4, 2, 32),
        [one * scale[:, None] for one, scale in zip((key, value), scales, strict=True)],
    )
    out, _ = wanted(query, wide[0], wide[1], lambda b, i, j: j < SEEN[b])
    for form in (3, 4):
        caches = [np.ascontiguousarray(in_blocks(one, form)) for one in (key, value)]
        near(called(VERSIONS[1], query, [caches[0]], [caches[1]], "BNSD", 4, 2, **more).attention_out, out)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("shape", [(1,), (64,), (1, 4, 1, 16)])
@pytest.mark.parametrize("layout", ["BSH", "BNSD", "BNSD_BSND"])
def test_a_quantized_result(version: str, shape: tuple[int, ...], layout: str) -> None:
    """Scaled, shifted, rounded, and cut at both ends."""
    query, key, value = numbers(0, 2, 4, 3, 16), numbers(1, 2, 2, 6, 16), numbers(2, 2, 2, 6, 16)
    scale, offset = scale_of(3, *shape) * 10000, codes(4, *shape).astype(np.float32) / 8
    axes = (1, 1, 1, 1) if scale.size == 1 else (1, 4, 1, 16)
    out = wanted(query, key, value)[0] * scale.reshape(axes) + offset.reshape(axes)
    axes_in, result = layout.partition("_")[0], layout.rpartition("_")[2]
    given = [laid(one, axes_in) for one in (query, key, value)]
    more = {"quantScale2Optional": scale, "quantOffset2Optional": offset}
    found = np.asarray(called(version, given[0], [given[1]], [given[2]], layout, 4, 2, **more).attention_out)
    assert found.dtype == np.int8
    assert found.min() == -128
    assert found.max() == 127
    assert (np.abs(found - laid(np.clip(out, -128, 127), result)) < 0.6).all()


@pytest.mark.parametrize("version", VERSIONS)
def test_what_is_quantized_without_scales_is_refused(version: str) -> None:
    """For want of a kernel, and before anything is written."""
    query, cache = np.zeros((1, 1, 16), np.float16), np.zeros((1, 4, 16), np.int8)
    out = np.full((1, 1, 16), 7, np.float16)
    with pytest.raises(AclnnError, match="No kernel computes attention") as caught:
        called(version, query, [cache], [cache], "BSH", 1, 1, softmaxLseFlag=False, out={"attentionOut": out})
    assert caught.value.status == Status.ACLNN_ERR_INNER_FIND_KERNEL_ERROR
    assert (out == 7).all()


def test_many_scores_are_computed_a_part_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    from aclspec.runtime.kernels import fused_infer_attention as kernel

    query, key, value = numbers(0, 1, 2, 9, 16), numbers(1, 1, 2, 8, 16), numbers(2, 1, 2, 8, 16)
    mask = np.triu(np.ones((2048, 2048), bool), 1)
    more = {"attenMaskOptional": mask, "sparseMode": 3}
    whole = called(VERSIONS[0], query, [key], [value], "BNSD", 2, 2, **more)
    monkeypatch.setattr(kernel, "_SCORES", 40)
    parts = called(VERSIONS[0], query, [key], [value], "BNSD", 2, 2, **more)
    near(parts.attention_out, np.asarray(whole.attention_out).astype(np.float64))
    near(parts.softmax_lse, np.asarray(whole.softmax_lse))
