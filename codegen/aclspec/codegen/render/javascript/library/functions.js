// The function library of the predicate language, over defined arguments; where a function has no value, UNDEFINED.
"use strict";

(() => {
  const ask = globalThis.aclspecAsk;
  const { UNDEFINED } = ask;
  const FLOATS = ["FLOAT", "FLOAT16", "BF16"];

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
    return FLOATS.includes(left) && FLOATS.includes(right) ? "FLOAT" : UNDEFINED;
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
    slice: (list, start, stop) =>
      0n <= start && start <= stop && stop <= length(list) ? list.slice(Number(start), Number(stop)) : UNDEFINED,
  };
  ask.inside = inside;
})();
