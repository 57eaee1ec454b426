"""Attention of several heads with its statistics, and its gradients."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from aclspec.runtime.kernels.attention_masks import LOWEST, Band
from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision

SCORES = 1 << 22
"""Scores that are computed at once: all of one head of keys for a short sequence, some rows of a long one."""
_PERMUTATIONS = {"BNSD": (0, 1, 2, 3), "BSND": (0, 2, 1, 3), "BSH": (0, 2, 1, 3), "SBH": (1, 2, 0, 3)}
_COPIES = 8


def flash_attention(
    query: Array,
    key: Array,
    value: Array,
    real_shift: Array | None,
    drop_mask: Array | None,
    padding_mask: Array | None,
    atten_mask: Array | None,
    prefix: Sequence[int] | None,
    scale: float,
    keep_prob: float,
    pre_tokens: int,
    next_tokens: int,
    head_num: int,
    layout: str,
    inner_precise: int,
    sparse_mode: int,
    softmax_max: Array,
    softmax_sum: Array,
    softmax_out: Array | None,
    attention_out: Array,
    precision: Precision,
) -> None:
    """``drop(softmax(scale * (query @ key.T + real_shift))) @ value``, head by head.

    - Shapes: B batches, S1 queries, S2 keys, N heads of queries of size D, each group of them shares one of the heads
      of keys and values; ``layout`` names the axes; H is N times D. real_shift (B or 1, N, rows, S2) has S1
      rows, 1, or the last 1024 of a bias that depends on the distance alone; drop_mask has a bit for each score of
      (B, N, S1, S2), the lowest of a byte first; atten_mask and prefix are those of `Band`. The statistics
      (B, N, S1, 8) repeat each number 8 times. padding_mask is not read, softmax_out not written.
    - Precision: all inputs are rounded to the role ``operand``. Products and exponentials run in ``accumulate``, the
      sums of rows in float64. The result is rounded to ``result``, then to the output.
    - Extra memory: four times `SCORES`, or the scores of one row, in the dtype of ``accumulate``, and a byte for each
      bit of drop_mask.
    - Source: the formula of the operator's spec.

    # Note: a score that is left out counts as the lowest number of FLOAT, so that a row without any other is the mean
    of all values, unless such rows are treated (`Band.treats_bare_rows`): then it is zero. Its statistics are the same
    either way.
    """
    del padding_mask, softmax_out
    arithmetic = Arithmetic.of(precision)
    heads = _Heads(layout, head_num, query, key)
    sizes = (heads.batch, heads.s1, heads.s2)
    band = Band(atten_mask, sparse_mode, (pre_tokens, next_tokens), prefix, inner_precise, sizes)
    scores = _Scores(arithmetic, heads, real_shift, drop_mask, band, scale, keep_prob)
    largest, sums, out = heads.statistics(softmax_max), heads.statistics(softmax_sum), heads.of_queries(attention_out)
    values = heads.of_keys(value)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        for part in heads.parts():
            shares, hidden = scores.masked(part)
            top = shares.max(-1, keepdims=True, initial=LOWEST)
            np.exp(np.subtract(shares, top, out=shares), out=shares)
            total = shares.sum(-1, np.float64, keepdims=True)
            shares /= total
            attended = np.matmul(scores.dropped(shares, part), arithmetic.read(part.of_keys(values)))
            if hidden is not None and band.treats_bare_rows:
                attended[np.broadcast_to(hidden.all(-1), attended.shape[:-1])] = 0
            rounded = np.empty(attended.shape, out.dtype)
            arithmetic.write(rounded, attended)
            out[part.place] = rounded
            largest[part.place] = top
            sums[part.place] = total


def flash_attention_grad(
    query: Array,
    key: Array,
    value: Array,
    dy: Array,
    pse_shift: Array | None,
    drop_mask: Array | None,
    padding_mask: Array | None,
    atten_mask: Array | None,
    softmax_max: Array | None,
    softmax_sum: Array | None,
    softmax_in: Array | None,
    attention: Array,
    prefix: Sequence[int] | None,
    scale: float,
    keep_prob: float,
    pre_tokens: int,
    next_tokens: int,
    head_num: int,
    layout: str,
    inner_precise: int,
    sparse_mode: int,
    dq: Array,
    dk: Array,
    dv: Array,
    dpse: Array | None,
    precision: Precision,
) -> None:
    """The gradients of `flash_attention` with respect to query, key and value, from its statistics and its result.

    With ``P = exp(scores - softmax_max) / softmax_sum``, dv is ``drop(P).T @ dy``; the gradient of the scores is
    ``dS = P * (drop(dy @ value.T) - sum(dy * attention))``, zero where one is left out; dq is ``scale * dS @ key`` and
    dk ``scale * dS.T @ query``.

    - Shapes: those of `flash_attention`; dy and attention have that of its result. dk and dv are sums over the heads of
      queries that share one of keys. padding_mask and softmax_in are not read, dpse is not written.
    - Precision: all inputs but the statistics are rounded to the role ``operand``; everything runs in ``accumulate``,
      but for the sums of dy * attention in float64. Results are rounded to ``result``, then to the outputs.
    - Extra memory: six times `SCORES`, or the scores of one row, and dk and dv, in the dtype of ``accumulate``.
    - Source: the formulas of the operator's spec.
    """
    del padding_mask, softmax_in, dpse
    arithmetic = Arithmetic.of(precision)
    heads = _Heads(layout, head_num, query, key)
    sizes = (heads.batch, heads.s1, heads.s2)
    band = Band(atten_mask, sparse_mode, (pre_tokens, next_tokens), prefix, inner_precise, sizes)
    scores = _Scores(arithmetic, heads, pse_shift, drop_mask, band, scale, keep_prob)
    largest = None if softmax_max is None else heads.statistics(softmax_max)
    sums = None if softmax_sum is None else heads.statistics(softmax_sum)
    upstream, result = heads.of_queries(dy), heads.of_queries(attention)
    keys, values, out = heads.of_keys(key), heads.of_keys(value), heads.of_queries(dq)
    key_sums = np.zeros(keys.shape, arithmetic.accumulate)
    value_sums = np.zeros(values.shape, arithmetic.accumulate)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        for part in heads.parts():
            shares, hidden = scores.masked(part)
            if largest is None:
                shares -= shares.max(-1, keepdims=True, initial=LOWEST)
            else:
                shares -= largest[part.place][..., :1]
            np.exp(shares, out=shares)
            shares /= shares.sum(-1, np.float64, keepdims=True) if sums is None else sums[part.place][..., :1]
            if hidden is not None and band.treats_bare_rows:
                np.copyto(shares, 0, where=hidden)
            above = arithmetic.read(upstream[part.place])
            slopes = np.matmul(above, arithmetic.read(part.of_keys(values)).swapaxes(-1, -2))
            slopes = scores.dropped(slopes, part)
            slopes -= (above * arithmetic.read(result[part.place])).sum(-1, np.float64, keepdims=True)
            slopes *= shares
            if hidden is not None:
                np.copyto(slopes, 0, where=hidden)
            slopes *= arithmetic.accumulate.type(scale)
            value_sums[part.pairs] += np.matmul(_rows(scores.dropped(shares, part)).swapaxes(-1, -2), _rows(above))
            queries = arithmetic.read(heads.of_queries(query)[part.place])
            key_sums[part.pairs] += np.matmul(_rows(slopes).swapaxes(-1, -2), _rows(queries))
            gradient = np.matmul(slopes, arithmetic.read(part.of_keys(keys)))
            rounded = np.empty(gradient.shape, out.dtype)
            arithmetic.write(rounded, gradient)
            out[part.place] = rounded
        arithmetic.write(heads.of_keys(dk), key_sums)
        arithmetic.write(heads.of_keys(dv), value_sums)


def _rows(array: Array) -> Array:
    """The rows of all heads of a group one below the other, so that a product sums over both."""
    return array.reshape(array.shape[0], array.shape[1] * array.shape[2], array.shape[3])


@dataclass(frozen=True)
class _Part:
    """Some rows of the scores of some heads of keys; batches and heads are equally long arrays of indices."""

    batches: Array
    heads: Array
    rows: slice

    @property
    def pairs(self) -> tuple[Array, Array]:
        """Where these heads are in an array (B, heads of keys, ...)."""
        return self.batches, self.heads

    @property
    def place(self) -> tuple[Array, Array, slice, slice]:
        """Where these rows are in an array (B, heads of keys, group, S1, ...)."""
        return self.batches, self.heads, slice(None), self.rows

    def of_keys(self, array: Array) -> Array:
        """The heads of an array (B, heads of keys, S2, size) with an axis for the group that shares each."""
        shared: Array = array[self.pairs][:, None]
        return shared

    def broadcast(self, array: Array) -> Array:
        """The part of an array (B, heads of keys, group, S1, ...); any axis may have size 1."""
        batches = np.minimum(self.batches, array.shape[0] - 1)
        heads = np.minimum(self.heads, array.shape[1] - 1)
        rows = slice(None) if array.shape[3] == 1 else self.rows
        chosen: Array = array[batches, heads, :, rows]
        return chosen


class _Heads:
    """The axes of a call, and its arrays as (batches, heads of keys, group of heads of queries, rows, size)."""

    def __init__(self, layout: str, head_num: int, query: Array, key: Array) -> None:
        self._permutation, self._sequence_first = _PERMUTATIONS[layout], layout == "SBH"
        self._is_joined = layout in ("BSH", "SBH")
        self.count = head_num
        self._query = self._split(query, head_num)
        self.batch, _, self.s1, size = self._query.shape
        self.shared = key.shape[2] // size if self._is_joined else key.shape[1 if layout == "BNSD" else 2]
        self.group = head_num // self.shared
        self._key = self.of_keys(key)
        self.s2 = self._key.shape[2]

    def _split(self, array: Array, heads: int) -> Array:
        """A view (B, heads, S, size)."""
        if self._is_joined:
            array = array.reshape(*array.shape[:2], heads, array.shape[2] // heads)
        return array.transpose(self._permutation)

    def of_keys(self, array: Array) -> Array:
        """A view (B, heads of keys, S2, size)."""
        return self._split(array, self.shared)

    def of_queries(self, array: Array) -> Array:
        """A view (B, heads of keys, group, S1, size)."""
        return self.statistics(self._split(array, self.count))

    def statistics(self, array: Array) -> Array:
        """A view (B, heads of keys, group, ...) of (B, heads, ...); a single head stands for all."""
        groups = (self.shared, self.group) if array.shape[1] == self.count else (1, 1)
        return array.reshape(array.shape[0], *groups, *array.shape[2:])

    @property
    def query(self) -> Array:
        """The queries (B, heads of keys, group, S1, size)."""
        return self.statistics(self._query)

    @property
    def key(self) -> Array:
        """The keys (B, heads of keys, S2, size)."""
        return self._key

    def parts(self) -> Iterator[_Part]:
        """All scores, `SCORES` of them at a time or less, or else a row."""
        pairs, row = self.batch * self.shared, max(1, self.group * self.s2)
        rows = min(max(1, SCORES // row), max(1, self.s1))
        step = max(1, SCORES // (row * rows))
        for start in range(0, pairs, step):
            batches, heads = np.divmod(np.arange(start, min(start + step, pairs)), self.shared)
            for first in range(0, self.s1, rows):
                yield _Part(batches, heads, slice(first, min(first + rows, self.s1)))


@dataclass(frozen=True)
class _Scores:
    """The scores of queries and keys, and what dropout leaves of an array of their shape."""

    arithmetic: Arithmetic
    heads: _Heads
    shift: Array | None
    drop_mask: Array | None
    band: Band
    scale: float
    keep_prob: float

    def masked(self, part: _Part) -> tuple[Array, Array | None]:
        """The scores (pairs, group, rows, S2), the lowest number where one is left out, and where that is."""
        read, kind = self.arithmetic.read, self.arithmetic.accumulate.type
        queries, keys = read(self.heads.query[part.place]), read(part.of_keys(self.heads.key))
        scores = np.matmul(queries, keys.swapaxes(-1, -2))
        if self._shift is not None:
            scores += self._shifted(self._shift, part)
        scores *= kind(self.scale)
        hidden = self._hidden(part)
        if hidden is not None:
            np.copyto(scores, kind(LOWEST), where=hidden)
        return scores, hidden

    def dropped(self, array: Array, part: _Part) -> Array:
        """The elements that dropout keeps, over the proportion of them; zeros elsewhere."""
        if self._bits is None:
            return array
        kept = array / array.dtype.type(self.keep_prob)
        dropped: Array = np.where(self._bits[part.place], kept, array.dtype.type(0))
        return dropped

    @cached_property
    def _shift(self) -> Array | None:
        if self.shift is None or self.shift.ndim != 4 or self.shift.size == 0:
            return None
        return self.heads.statistics(self.shift)

    def _shifted(self, shift: Array, part: _Part) -> Array:
        """What is added to these rows. Where only the last rows are given, those above continue their diagonals."""
        missing = self.heads.s1 - shift.shape[3]
        if missing <= 0 or shift.shape[3] == 1:
            return self.arithmetic.read(part.broadcast(shift))
        rows = np.arange(self.heads.s1)[part.rows]
        above = np.maximum(missing - rows, 0)[:, None]  # how far each row is above the first that is given
        columns = np.minimum(np.arange(self.heads.s2) + above, self.heads.s2 - 1)
        given = np.maximum(rows - missing, 0)[:, None]
        batches, heads = np.minimum(part.batches, shift.shape[0] - 1), np.minimum(part.heads, shift.shape[1] - 1)
        chosen = shift[batches, heads][:, :, given, columns]
        return self.arithmetic.read(chosen)

    @cached_property
    def _bits(self) -> Array | None:
        if self.drop_mask is None or self.drop_mask.ndim == 0 or self.drop_mask.size == 0:
            return None
        heads = self.heads
        shape = (heads.batch, heads.shared, heads.group, heads.s1, heads.s2)
        count = int(np.prod(shape, dtype=np.int64))
        bits = np.unpackbits(np.ascontiguousarray(self.drop_mask).reshape(-1), count=count, bitorder="little")
        return bits.view(np.bool_).reshape(shape)

    def _hidden(self, part: _Part) -> Array | None:
        """Where a score is left out, by the band or by the mask; None where there is neither."""
        outside = self.band.outside(part.batches, part.rows)
        if self.band.mask is None:
            return outside
        mask: Array = part.broadcast(self.heads.statistics(self.band.mask)) != 0
        return mask if outside is None else mask | outside
