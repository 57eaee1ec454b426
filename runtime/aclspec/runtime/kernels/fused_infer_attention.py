"""Attention for inference: grouped heads, caches in lists or blocks, biases, masks, and batches along one axis.

Keys and values may be quantized, and so may the result. Quantized queries are not computed, nor is what the
documentation leaves open: such a call is refused for want of a kernel.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.errors import AclnnError, while_calling
from aclspec.runtime.abi.status import Status
from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision

_SCORES = 1 << 24
"""How many scores are held at a time, unless one row of each head has more."""
_NEVER_COMPUTED = (
    "deq_scale1",
    "quant_scale1",
    "deq_scale2",
    "key_rope_antiquant_scale",
    "dequant_scale_query",
    "learnable_sink",
)
_CODES = (DType.INT8, DType.INT4)
"""The dtypes of quantized keys and values, one number to an element."""
_FAR = 1 << 40
"""A number of tokens beyond every sequence, to which the limits of a band are cut."""


class Given(NamedTuple):
    """What `aclnnFusedInferAttentionScoreV4` is called with, in C order; the older operators leave some out."""

    query: Array
    key: Sequence[Array]
    value: Sequence[Array]
    pse_shift: Array | None
    atten_mask: Array | None
    actual_seq_lengths: Sequence[int] | None
    actual_seq_lengths_kv: Sequence[int] | None
    deq_scale1: Array | None
    quant_scale1: Array | None
    deq_scale2: Array | None
    quant_scale2: Array | None
    quant_offset2: Array | None
    antiquant_scale: Array | None
    antiquant_offset: Array | None
    block_table: Array | None
    query_padding_size: Array | None
    kv_padding_size: Array | None
    key_antiquant_scale: Array | None
    key_antiquant_offset: Array | None
    value_antiquant_scale: Array | None
    value_antiquant_offset: Array | None
    key_shared_prefix: Array | None
    value_shared_prefix: Array | None
    actual_shared_prefix_len: Sequence[int] | None
    query_rope: Array | None
    key_rope: Array | None
    key_rope_antiquant_scale: Array | None
    dequant_scale_query: Array | None
    learnable_sink: Array | None
    num_heads: int
    scale_value: float
    pre_tokens: int
    next_tokens: int
    input_layout: str
    num_key_value_heads: int
    sparse_mode: int
    inner_precise: int
    block_size: int
    antiquant_mode: int
    softmax_lse_flag: bool
    key_antiquant_mode: int
    value_antiquant_mode: int
    query_quant_mode: int
    attention_out: Array
    softmax_lse: Array | None

    @property
    def axes(self) -> str:
        """The axes of the inputs."""
        return self.input_layout.partition("_")[0]

    @property
    def packed(self) -> bool:
        """Whether all batches lie along one axis."""
        return "T" in self.axes

    @property
    def kv_heads(self) -> int:
        """The number of heads of key and value."""
        return self.num_key_value_heads or self.num_heads

    @property
    def head_size(self) -> int:
        """The size of a head of query."""
        last = int(self.query.shape[-1])
        return last // self.num_heads if self.axes == "BSH" else last

    @property
    def has_many(self) -> bool:
        """Whether there is more than one query to a batch; the sparse modes and the lengths of queries need it."""
        return self.packed or by_heads(self.query, self.axes, self.num_heads).shape[2] > 1

    @property
    def sizes(self) -> tuple[int, int]:
        """The lengths of the sequences of query and key, with the prefix of key in front; 0 where they are packed."""
        if self.packed:
            return 0, 0
        queries = by_heads(self.query, self.axes, self.num_heads).shape[2]
        if self.block_table is not None:
            keys = max(self.actual_seq_lengths_kv or (0,))
        else:
            keys = max(by_heads(one, self.axes, self.kv_heads).shape[2] for one in self.key)
        prefix = self.key_shared_prefix
        return queries, keys + (0 if prefix is None else by_heads(prefix, self.axes, self.kv_heads).shape[2])


class Scaling(NamedTuple):
    """How quantized keys, or values, are scaled back: ``(number + offset) * scale``.

    - Mode 0: one scale for all, or one for each head and place in it; mode 1: one for each batch and token.
    """

    scale: Array
    offset: Array | None
    mode: int


class Part(NamedTuple):
    """One batch: queries (heads, s, d), keys (kv heads, t, d), values (kv heads, t, dv), and the outputs' views."""

    number: int
    query: Array
    key: Array
    value: Array
    out: Array
    lse: Array | None


def fused_infer_attention_v2(*given: Any) -> None:
    """`attend` for the parameters of aclnnFusedInferAttentionScoreV2, which has no rotary parts."""
    *values, precision = given
    call = Given._make((*values[:24], *(None,) * 5, *values[24:37], 0, *values[37:]))
    attend("aclnnFusedInferAttentionScoreV2", call, precision)


def fused_infer_attention_v3(*given: Any) -> None:
    """`attend` for the parameters of aclnnFusedInferAttentionScoreV3, which does not quantize queries."""
    *values, precision = given
    call = Given._make((*values[:27], None, None, *values[27:40], 0, *values[40:]))
    attend("aclnnFusedInferAttentionScoreV3", call, precision)


def fused_infer_attention_v4(*given: Any) -> None:
    """`attend` for the parameters of aclnnFusedInferAttentionScoreV4."""
    *values, precision = given
    attend("aclnnFusedInferAttentionScoreV4", Given._make(values), precision)


def attend(name: str, call: Given, precision: Precision) -> None:
    """``softmax(scale * query @ key.T + pse_shift) @ value``, without the keys that a mask leaves out.

    - Shapes: by the input layout, B batch, S sequence, N heads, D their size, H for N times D, T for B and S; numbers
      of heads of query are a multiple of those of key, and neighbours share one. Rotary parts lengthen D.
    - Keys and values of INT8 or INT4 are scaled back first, as `Scaling` says. A result of INT8 is multiplied by
      quant_scale2, plus quant_offset2, rounded to the nearest integer, ties to even, and cut to what INT8 holds; NaN
      gives 0. One scale and offset stand for all, or there is one for each head and place in it.
    - A query that sees no key gives 0, and so does one whose scores pse_shift makes -inf, with inner_precise 2 and 3;
      with 0 and 1 that gives NaN. Queries beyond the length of their batch give 0.
    - Precision: everything is rounded to the role ``operand`` and runs in ``accumulate``; the result is rounded to the
      output. The logarithm of the sum is computed like the sum.
    - Extra memory: the queries, keys and values of a batch, and three times `_SCORES` numbers, in ``accumulate``.
    - Source: the formula of the operator's spec.
    """
    sentence = uncomputed(call)
    if sentence is not None:
        raise AclnnError(while_calling(sentence, name), Status.ACLNN_ERR_INNER_FIND_KERNEL_ERROR)
    arithmetic = Arithmetic.of(precision)
    call.attention_out[...] = 0
    if call.softmax_lse is not None:
        call.softmax_lse[...] = -np.inf
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        for part in _parts(call):
            _attend_part(call, part, arithmetic)


def uncomputed(call: Given) -> str | None:
    """Why no kernel computes a call, in a sentence; None where this one does.

    The rules of outcome ``undefined`` in the specs say the same.
    """
    for field in _NEVER_COMPUTED:
        if getattr(call, field) is not None:
            return f"No kernel computes attention with {field}."
    if call.block_table is not None and not call.actual_seq_lengths_kv:
        return "No kernel computes attention over blocks without the lengths of keys."
    sentence = _unknown_dtypes(call) or _unknown_scales(call) or _unknown_quantization(call)
    if sentence is not None:
        return sentence
    queries, keys = call.sizes
    batches = (1, len(by_heads(call.query, call.axes, call.num_heads)))
    mask, shifts = call.atten_mask, call.pse_shift
    if mask is not None and not _covers(call, mask.shape, batches, queries, keys):
        return f"No kernel computes attention of {queries} queries and {keys} keys with a mask of shape {mask.shape}."
    if shifts is not None and (
        call.packed
        or shifts.shape[0] not in batches
        or shifts.shape[1] != call.num_heads
        or shifts.shape[2] < queries
        or shifts.shape[3] < keys
    ):
        return f"No kernel computes attention of {queries} queries and {keys} keys with a bias of shape {shifts.shape}."
    if (call.query_padding_size is not None or call.kv_padding_size is not None) and (
        mask is not None or shifts is not None
    ):
        return "No kernel computes attention with a padding size beside a mask or a bias."
    return None


def _unknown_dtypes(call: Given) -> str | None:
    """Why no kernel computes with these dtypes."""
    own, kind = call.query.dtype, call.key[0].dtype
    others = (call.key_shared_prefix, call.value_shared_prefix, call.query_rope, call.key_rope)
    if (
        own == np.int8
        or (kind != own and not _is_coded(call))
        or any(one.dtype != kind for one in (*call.key, *call.value))
        or any(one is not None and one.dtype != own for one in others)
        or call.attention_out.dtype not in (own, np.int8)
    ):
        return "No kernel computes attention of these dtypes: only keys, values and the result may be quantized."
    if call.query_rope is not None and (_is_coded(call) or call.key_shared_prefix is not None):
        return "No kernel computes attention of rotary parts beside quantized keys or a prefix."
    return None


def _is_coded(call: Given) -> bool:
    """Whether keys and values are quantized."""
    return DType.of(call.key[0].dtype) in _CODES


def _unknown_scales(call: Given) -> str | None:
    """Why no kernel scales the keys and values of a call back."""
    joint, own = call.antiquant_scale, call.key_antiquant_scale
    if (joint is None and call.antiquant_offset is not None) or (own is None and call.key_antiquant_offset is not None):
        return "No kernel computes attention with offsets of keys or values without scales."
    if not _is_coded(call):
        return None if joint is None and own is None else "No kernel scales keys and values that are not quantized."
    if joint is None and own is None:
        return "No kernel computes attention of quantized keys and values without scales."
    if call.packed or call.key_shared_prefix is not None or not _has_known_blocks(call):
        return "No kernel scales quantized keys and values of this layout."
    if own is None and joint is not None and (joint.ndim == 0 or joint.shape[0] != 2):
        return f"No kernel computes attention with antiquant_scale of shape {joint.shape}."
    for which in (0, 1):
        scaling = _scaling(call, which)
        assert scaling is not None
        if not _fits(call, scaling):
            return f"No kernel computes attention with scales of shape {scaling.scale.shape} and mode {scaling.mode}."
    return None


def _has_known_blocks(call: Given) -> bool:
    """Whether quantized keys in blocks, if they are in blocks, are INT8 in one of the plain forms."""
    if call.block_table is None:
        return True
    key, heads, size = call.key[0], call.kv_heads, call.head_size
    forms = {3: (call.block_size, heads * size), 4: (heads, call.block_size, size)}
    return key.dtype == np.int8 and forms.get(key.ndim) == key.shape[1:]


def _scaling(call: Given, which: int) -> Scaling | None:
    """How keys (0) or values (1) are scaled back; None where they are not quantized. Separate scales come first."""
    if not _is_coded(call):
        return None
    if call.key_antiquant_scale is not None:
        if which == 0:
            return Scaling(call.key_antiquant_scale, call.key_antiquant_offset, call.key_antiquant_mode)
        assert call.value_antiquant_scale is not None
        return Scaling(call.value_antiquant_scale, call.value_antiquant_offset, call.value_antiquant_mode)
    assert call.antiquant_scale is not None
    offset = None if call.antiquant_offset is None else call.antiquant_offset[which]
    return Scaling(np.asarray(call.antiquant_scale[which]), offset, 0 if call.has_many else call.antiquant_mode)


def _fits(call: Given, scaling: Scaling) -> bool:
    """Whether there is a scale for all, for each head and place, or for each batch and token."""
    scale = scaling.scale
    if scaling.mode == 0:
        return scale.size in (1, call.kv_heads * call.head_size)
    if scaling.mode != 1 or scale.ndim == 0 or call.block_table is not None or call.kv_padding_size is not None:
        return False
    tokens = int(scale.shape[-1])
    return tokens >= call.sizes[1] and scale.size == len(call.query) * tokens


def _unknown_quantization(call: Given) -> str | None:
    """Why no kernel quantizes the result of a call."""
    scale = call.quant_scale2
    if scale is None:
        has_offset = call.quant_offset2 is not None
        return "No kernel quantizes a result without a scale." if has_offset or _is_quantized(call) else None
    if not _is_quantized(call) or call.packed:
        return "No kernel computes attention with quant_scale2 but of a result of INT8, each batch by itself."
    if scale.size not in (1, call.num_heads * call.head_size):
        return f"No kernel computes attention with quant_scale2 of shape {scale.shape}."
    return None


def _is_quantized(call: Given) -> bool:
    """Whether the result is."""
    return call.attention_out.dtype == np.int8


def _covers(call: Given, shape: tuple[int, ...], batches: tuple[int, int], queries: int, keys: int) -> bool:
    """Whether a mask says of every query and key whether it counts."""
    if call.has_many and call.sparse_mode in (2, 3, 4):
        return True
    if call.packed or shape[-1] < keys or (len(shape) == 4 and shape[1] != 1):
        return False
    if len(shape) == 2 and call.has_many:
        return shape[0] >= queries
    return shape[0] in batches and (len(shape) == 2 or shape[-2] >= queries)


def by_heads(array: Array, axes: str, heads: int) -> Array:
    """A view with the axes (batch, head, sequence, size) of a tensor of these axes; (head, sequence, size) of TND."""
    if axes == "BSH":
        array, axes = array.reshape(*array.shape[:2], heads, array.shape[2] // heads), "BSND"
    order = "NTD" if "T" in axes else "BNSD"
    return array.transpose([axes.index(axis) for axis in order])


def visible(call: Given, number: int, rows: range, queries: int, keys: int) -> Array | None:
    """Which keys each of some rows of one batch sees, as (rows, keys); None where each sees all.

    A mask counts where it is not 0. The triangles of the modes 2 to 4 are computed: the mask given is to hold them.
    """
    mask, mode = call.atten_mask, call.sparse_mode if call.has_many else 1
    if mask is None:
        return None
    row, column = np.arange(rows.start, rows.stop)[:, None], np.arange(keys)[None, :]
    before, after = (int(np.clip(one, -_FAR, _FAR)) for one in (call.pre_tokens, call.next_tokens))
    if mode in (2, 3, 4):
        row = row + (0 if mode == 2 else keys - queries)
        if mode < 4:
            return np.asarray(column <= row)
        return np.asarray((column <= row + after) & (column >= row - before))
    flat = mask[:, None] if mask.ndim == 2 and not call.has_many else mask
    planes = flat.reshape(-1, *flat.shape[-2:])
    seen = planes[number if len(planes) > 1 else 0][rows.start : rows.stop, :keys] == 0
    if mode == 0:
        seen = seen & (column <= row + after) & (column >= row - before)
    return np.asarray(seen)


def _attend_part(call: Given, part: Part, arithmetic: Arithmetic) -> None:
    """Compute one batch, some rows of all heads at a time."""
    heads, queries, size = part.query.shape
    kv_heads, keys, _ = part.key.shape
    if keys == 0 or queries == 0:
        return
    key, value = (arithmetic.read(one) for one in (part.key, part.value))
    turned = np.ascontiguousarray(key.transpose(0, 2, 1))
    step = max(1, _SCORES // (heads * keys))
    for start in range(0, queries, step):
        rows = range(start, min(start + step, queries))
        at = slice(rows.start, rows.stop)
        chosen = arithmetic.read(part.query[:, at]).reshape(kv_heads, -1, size)
        scores = np.matmul(chosen, turned).reshape(heads, len(rows), keys)
        scores *= arithmetic.accumulate.type(call.scale_value)
        if call.pse_shift is not None:
            shifts = call.pse_shift[part.number if len(call.pse_shift) > 1 else 0]
            scores += arithmetic.read(shifts[:, at, :keys])
        seen = visible(call, part.number, rows, queries, keys)
        if seen is not None:
            scores = np.where(seen, scores, arithmetic.accumulate.type(-np.inf))
        largest = scores.max(-1, keepdims=True)
        shares = np.exp(scores - np.where(np.isneginf(largest), 0, largest))
        total = shares.sum(-1, np.float64, keepdims=True)
        products = np.matmul(shares.reshape(kv_heads, -1, keys), value).reshape(heads, len(rows), -1) / total
        if call.inner_precise >= 2:
            products = np.where(total == 0, 0, products)
        elif seen is not None:
            products = np.where(np.any(seen, axis=-1, keepdims=True), products, 0)
        if call.quant_scale2 is not None:
            products = _quantized(call, call.quant_scale2, products.astype(arithmetic.accumulate))
        arithmetic.write(part.out[:, at], products)
        if part.lse is not None:
            part.lse[:, at] = (largest + np.log(total))[..., 0]


def _quantized(call: Given, scale: Array, products: Array) -> Array:
    """The results (heads, rows, size) as integers of INT8."""

    def laid(values: Array) -> Array:
        values = values.astype(products.dtype)
        return values.reshape((1, 1, 1) if values.size == 1 else (call.num_heads, 1, -1))

    scaled = products * laid(scale)
    if call.quant_offset2 is not None:
        scaled = scaled + laid(call.quant_offset2)
    found: Array = np.clip(np.nan_to_num(np.rint(scaled), nan=0), -128, 127)
    return found


def _scaled_back(call: Given, numbers: Array, scaling: Scaling | None, batch: int) -> Array:
    """Keys or values (kv heads, t, size) of a batch, scaled back where they are quantized."""
    if scaling is None:
        return numbers

    def laid(values: Array) -> Array:
        values = values.astype(np.float32)
        if scaling.mode == 1:
            return values.reshape(len(call.query), -1)[batch, None, : numbers.shape[1], None]
        return values.reshape((1, 1, 1) if values.size == 1 else (call.kv_heads, 1, -1))

    wide = numbers.astype(np.float32)
    if scaling.offset is not None:
        wide = wide + laid(scaling.offset)
    found: Array = wide * laid(scaling.scale)
    return found


def _parts(call: Given) -> Iterator[Part]:
    """The batches of a call."""
    out_axes = call.input_layout.rpartition("_")[2]
    query = by_heads(call.query, call.axes, call.num_heads)
    if call.query_rope is not None:
        query = np.concatenate((query, by_heads(call.query_rope, call.axes, call.num_heads)), -1)
    out = by_heads(call.attention_out, out_axes, call.num_heads)
    lse = None if call.softmax_lse is None else call.softmax_lse[..., 0]
    if call.packed:
        assert call.actual_seq_lengths is not None
        start = 0
        for number, stop in enumerate(call.actual_seq_lengths):
            at = slice(start, stop)
            key, value = _keys_and_values(call, number)
            yield Part(number, query[:, at], key, value, out[:, at], None if lse is None else lse[at].T)
            start = stop
        return
    size = query.shape[2]
    for number in range(len(query)):
        at = slice(0, size)
        if call.actual_seq_lengths and call.has_many:
            at = _span(size, _of_batch(call.actual_seq_lengths, number), call.query_padding_size)
        key, value = _keys_and_values(call, number)
        yield Part(
            number, query[number, :, at], key, value, out[number, :, at], None if lse is None else lse[number, :, at]
        )


def _keys_and_values(call: Given, number: int) -> tuple[Array, Array]:
    """The keys and the values of one batch as (kv heads, t, size), behind those of the prefix."""
    key, value = _cached(call, call.key, number), _cached(call, call.value, number)
    if call.key_rope is not None:
        key = np.concatenate((key, _cached(call, [call.key_rope], number)), -1)
    if call.key_shared_prefix is not None and call.value_shared_prefix is not None:
        length = None if call.actual_shared_prefix_len is None else call.actual_shared_prefix_len[0]
        prefixes = (
            by_heads(one, call.axes, call.kv_heads)[0, :, :length]
            for one in (call.key_shared_prefix, call.value_shared_prefix)
        )
        key, value = (np.concatenate(pair, 1) for pair in zip(prefixes, (key, value), strict=True))
    key, value = (_scaled_back(call, one, _scaling(call, at), number) for at, one in enumerate((key, value)))
    return key, value


def _cached(call: Given, tensors: Sequence[Array], number: int) -> Array:
    """The part of one batch in a list of tensors, in one tensor, or in blocks, as (kv heads, t, size)."""
    lengths = call.actual_seq_lengths_kv
    if call.block_table is not None:
        assert lengths is not None
        return _from_blocks(tensors[0], call.block_table[number], _of_batch(lengths, number), call.kv_heads)
    if call.packed:
        assert lengths is not None
        start = lengths[number - 1] if number else 0
        return by_heads(tensors[0], call.axes, call.kv_heads)[:, start : lengths[number]]
    whole = by_heads(tensors[number if len(tensors) > 1 else 0], call.axes, call.kv_heads)
    found: Array = whole[0 if len(tensors) > 1 else number]
    if not lengths:
        return found
    return found[:, _span(found.shape[1], _of_batch(lengths, number), call.kv_padding_size)]


def _from_blocks(cache: Array, table: Array, length: int, heads: int) -> Array:
    """The first tokens of the blocks that a row of the table names, as (heads, length, size).

    A block is (tokens, heads and size), (heads, tokens, size), or (heads, groups of 16, tokens, 16).
    """
    tokens = cache.shape[-2]
    blocks = cache[table[: -(-length // tokens)]]
    if cache.ndim == 3:
        blocks = blocks.reshape(len(blocks), tokens, heads, cache.shape[-1] // heads).transpose(2, 0, 1, 3)
    elif cache.ndim == 4:
        blocks = blocks.transpose(1, 0, 2, 3)
    else:
        blocks = blocks.transpose(1, 0, 3, 2, 4)
    size = int(np.prod(blocks.shape[3:]))
    whole: Array = blocks.reshape(heads, blocks.shape[1] * tokens, size)
    return whole[:, :length]


def _of_batch(lengths: Sequence[int], number: int) -> int:
    """The length of one batch; one length stands for all."""
    return lengths[number if len(lengths) > 1 else 0]


def _span(size: int, length: int, padding: Array | None) -> slice:
    """Where the tokens of a batch are in its sequence: at its start, or that far from its end.

    There are none where they would begin before the start.
    """
    if padding is None or padding.size == 0:
        return slice(0, length)
    stop = size - max(0, int(padding.flat[0]))
    return slice(stop - length, stop) if stop >= length else slice(0, 0)
