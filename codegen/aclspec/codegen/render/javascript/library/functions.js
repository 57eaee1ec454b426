// The function library of the predicate language, over defined arguments; where a function has no value, UNDEFINED.
"use strict";

(() => {
  const ask = globalThis.aclspecAsk;
  const { UNDEFINED } = ask;
  /** The kind (bool, integer, floating, complex) and the width of a part of each dtype that promotes. */
  const WIDTHS = {
    BOOL: [0, 1],
    UINT8: [1, 1],
    INT8: [1, 1],
    INT16: [1, 2],
    INT32: [1, 4],
    INT64: [1, 8],
    FLOAT16: [2, 2],
    BF16: [2, 2],
    FLOAT: [2, 4],
    DOUBLE: [2, 8],
    COMPLEX32: [3, 2],
    COMPLEX64: [3, 4],
    COMPLEX128: [3, 8],
  };
  const CAST_KINDS = { UINT16: 1, UINT32: 1, UINT64: 1, INT4: 1, HFLOAT32: 2 };

  /** Division that rounds down, as in Python; the divisor is not 0. */
  const floorDiv = (left, right) => {
    const quotient = left / right;
    return left % right !== 0n && left < 0n !== right < 0n ? quotient - 1n : quotient;
  };
  const length = (list) => BigInt(list.length);
  const product = (list) => list.reduce((one, other) => one * other, 1n);
  const total = (list) => list.reduce((one, other) => one + other, 0n);
  const inside = (index, list) => index >= 0n && index < length(list);

  /** The common shape of two shapes, aligned at their last axes. */
  function broadcast(left, right) {
    const rank = Math.max(left.length, right.length);
    const padded = (shape) => [...Array(rank - shape.length).fill(1n), ...shape];
    const others = padded(right);
    const sizes = padded(left).map((one, at) => (one === 1n ? others[at] : one));
    return sizes.every((size, at) => others[at] === size || others[at] === 1n) ? sizes : UNDEFINED;
  }

  /** The smallest or the largest: of one list, or of several values; `better` says when a later one wins. */
  const extreme = (better) => (...values) => {
    const items = values.length === 1 && Array.isArray(values[0]) ? values[0] : values;
    return items.length ? items.reduce((best, item) => (better(item, best) ? item : best)) : UNDEFINED;
  };

  const windows = (padded, kernel, stride, dilation) => floorDiv(padded - dilation * (kernel - 1n) - 1n, stride) + 1n;

  function pool_out(size, kernel, stride, before, after, dilation, ceilMode) {
    if (stride <= 0n) return UNDEFINED;
    const padded = size + before + after;
    if (!ceilMode) return windows(padded, kernel, stride, dilation);
    const count = windows(padded + stride - 1n, kernel, stride, dilation);
    return (count - 1n) * stride >= size + before ? count - 1n : count;
  }

  function conv_out(size, kernel, stride, before, after, dilation) {
    return stride <= 0n ? UNDEFINED : windows(size + before + after, kernel, stride, dilation);
  }

  function conv_transpose_out(size, kernel, stride, before, after, dilation, outputPadding) {
    if (stride <= 0n) return UNDEFINED;
    return (size - 1n) * stride - before - after + dilation * (kernel - 1n) + outputPadding + 1n;
  }

  function range(start, stop) {
    if (stop - start > BigInt(ask.tables.maxRange)) return UNDEFINED;
    return Array.from({ length: Math.max(Number(stop - start), 0) }, (_, at) => start + BigInt(at));
  }

  function promote(left, right) {
    if (left === right) return left;
    if (!(left in WIDTHS && right in WIDTHS)) return UNDEFINED;
    const [[kind, width], [upper, size]] = [WIDTHS[left], WIDTHS[right]];
    if (kind > upper || (kind === upper && width > size)) return promote(right, left);
    if (kind === 2 && upper === 3) {
      return width === 8 || size === 8 ? "COMPLEX128" : left === "FLOAT16" ? right : "COMPLEX64";
    }
    if (kind === upper && width === size) return kind === 1 ? "INT16" : "FLOAT";
    return right;
  }

  /** The place of a dtype's kind among the kinds, of which values go upwards only. */
  const castKind = (dtype) => WIDTHS[dtype]?.[0] ?? CAST_KINDS[dtype] ?? NaN;

  /** The largest int64; no size is further from 0. */
  const LARGEST = 2n ** 63n - 1n;

  function scaled(size, factor) {
    const product = Number(size) * Number(factor);
    if (Number.isNaN(product)) return 0n;
    if (Math.abs(product) >= 2 ** 63) return product > 0 ? LARGEST : -LARGEST;
    return BigInt(Math.floor(product));
  }

  ask.arithmetic = {
    "+": (left, right) => (Array.isArray(left) ? [...left, ...right] : left + right),
    "-": (left, right) => left - right,
    "*": (left, right) => left * right,
    "//": (left, right) => (right === 0n ? UNDEFINED : floorDiv(left, right)),
    "%": (left, right) => (right === 0n ? UNDEFINED : left - floorDiv(left, right) * right),
  };

  ask.comparisons = {
    "==": ask.equal,
    "!=": (left, right) => !ask.equal(left, right),
    "<": (left, right) => left < right,
    "<=": (left, right) => left <= right,
    ">": (left, right) => left > right,
    ">=": (left, right) => left >= right,
    in: (left, right) => right.some((item) => ask.equal(left, item)),
    "not in": (left, right) => !right.some((item) => ask.equal(left, item)),
  };

  ask.functions = {
    rank: (tensor) => length(tensor.shape),
    numel: (tensor) => product(tensor.shape),
    dim: (tensor, axis) => (inside(axis, tensor.shape) ? tensor.shape[Number(axis)] : UNDEFINED),
    shape: (tensor) => tensor.shape,
    dtype: (value) => value.dtype ?? UNDEFINED,
    is_empty: (tensor) => tensor.shape.includes(0n),
    is_contiguous: (tensor) => tensor.contiguous,
    is_private: (format) => ask.tables.formats[format],
    len: length,
    prod: product,
    sum: total,
    min: extreme((item, best) => item < best),
    max: extreme((item, best) => item > best),
    abs: (value) => (typeof value === "number" ? Math.abs(value) : value < 0n ? -value : value),
    ceil_div: (left, right) => (right === 0n ? UNDEFINED : -floorDiv(-left, right)),
    pool_out,
    conv_out,
    conv_transpose_out,
    broadcast,
    broadcastable: (left, right) => broadcast(left, right) !== UNDEFINED,
    range,
    promote,
    castable: (source, target) => castKind(source) <= castKind(target),
    scaled,
    slice: (list, start, stop) =>
      0n <= start && start <= stop && stop <= length(list) ? list.slice(Number(start), Number(stop)) : UNDEFINED,
  };
  ask.inside = inside;
})();
