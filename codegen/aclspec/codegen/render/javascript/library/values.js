// What a predicate is evaluated on: values, their texts in a sentence, and the function library over defined arguments.
//
// An integer is a BigInt, a float a Number; a dtype and a format are their names; an array is a list. A tensor is
// { shape, dtype, format, strides, offset, storage, contiguous }, a scalar { dtype, value }.
"use strict";

(() => {
  const ask = globalThis.aclspecAsk;
  const SHOWN_ELEMENTS = 6; // of a longer array

  const UNDEFINED = (ask.UNDEFINED = Symbol("undefined"));
  ask.INFERRED = Symbol("inferred");

  ask.isTensor = (value) => typeof value === "object" && value !== null && "shape" in value;
  ask.isNumber = (value) => ["bigint", "number", "boolean"].includes(typeof value);

  /** Whether two values are equal; lists are, element by element. An int and a float compare by value. */
  ask.equal = (one, other) => {
    if (Array.isArray(one) && Array.isArray(other)) {
      return one.length === other.length && one.every((item, at) => ask.equal(item, other[at]));
    }
    return ask.isNumber(one) && ask.isNumber(other) ? one == other : one === other;
  };

  /** A float as Python writes it: the shortest digits that read back as the same number. */
  ask.floatText = (value) => {
    if (Number.isNaN(value)) return "nan";
    if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
    const sign = value < 0 || Object.is(value, -0) ? "-" : "";
    const [mantissa, exponent] = Math.abs(value).toExponential().split("e");
    const digits = mantissa.replace(".", "");
    const power = Number(exponent);
    if (power < -4 || power >= 16) {
      const size = String(Math.abs(power)).padStart(2, "0");
      return `${sign}${mantissa}e${power < 0 ? "-" : "+"}${size}`;
    }
    if (power < 0) return `${sign}0.${"0".repeat(-power - 1)}${digits}`;
    const whole = digits.slice(0, power + 1).padEnd(power + 1, "0");
    return `${sign}${whole}.${digits.slice(power + 1) || "0"}`;
  };

  /** A value as a sentence shows it: arrays as tuples; `more` stands for the rest of a long one: "and {0} more". */
  ask.valueText = (value, more) => {
    if (Array.isArray(value)) return listText(value, more);
    return typeof value === "number" ? ask.floatText(value) : String(value);
  };

  /** The texts of a list as a sentence shows it. */
  ask.shortened = (texts, more) => {
    if (texts.length <= SHOWN_ELEMENTS) return texts;
    return [...texts.slice(0, SHOWN_ELEMENTS), ask.fill(more, [texts.length - SHOWN_ELEMENTS])];
  };

  function listText(values, more) {
    const texts = ask.shortened(values.map((value) => ask.valueText(value, more)), more);
    const numbers = !values.some((value) => typeof value === "string");
    return texts.length === 1 && numbers ? `(${texts[0]},)` : `(${texts.join(", ")})`;
  }

  /** A phrase with texts in the places {0}, {1}, ... */
  ask.fill = (phrase, texts) => phrase.replace(/\{([0-9]+)\}/g, (_, place) => texts[Number(place)]);

  /** Division that rounds down, as in Python; the divisor is not 0. */
  const floorDiv = (left, right) => {
    const quotient = left / right;
    return left % right !== 0n && left < 0n !== right < 0n ? quotient - 1n : quotient;
  };
  const length = (list) => BigInt(list.length);
  const product = (list) => list.reduce((one, other) => one * other, 1n);
  const total = (list) => list.reduce((one, other) => one + other, 0n);
  const LARGEST = 2n ** 63n - 1n;
  const MOST = 2n ** 126n;
  const isInt64 = (number) => -LARGEST - 1n <= number && number <= LARGEST;

  /** The function, undefined where its value is an integer that the language does not count to. */
  const bounded = (compute) => (...values) => {
    const found = compute(...values);
    return typeof found === "bigint" && (found > MOST || found < -MOST) ? UNDEFINED : found;
  };

  /** A function of sliding windows: it has a value only of arguments that are INT64. */
  const windowed = (compute) => {
    const inside = bounded(compute);
    return (...values) => (values.every((one) => typeof one === "boolean" || isInt64(one)) ? inside(...values) : UNDEFINED);
  };

  /** Whether sizes and the number of elements of each tensor of a value and of its storage are INT64. */
  ask.fitsInt64 = (value) => {
    if (Array.isArray(value)) return value.every(ask.fitsInt64);
    if (!ask.isTensor(value)) return true;
    return [value.shape, value.storage].every((sizes) => [...sizes, product(sizes)].every(isInt64));
  };
  const inside = (index, list) => index >= 0n && index < length(list);

  /** The common shape of two shapes, aligned at their last axes. */
  function broadcast(left, right) {
    const rank = Math.max(left.length, right.length);
    const padded = (shape) => [...Array(rank - shape.length).fill(1n), ...shape];
    const others = padded(right);
    const sizes = padded(left).map((one, at) => (one === 1n ? others[at] : one));
    return sizes.every((size, at) => others[at] === size || others[at] === 1n) ? sizes : UNDEFINED;
  }

  /** The shape of what tensors of indices choose, each for one of the first axes; one without elements is for all. */
  function index_shape(shape, indices) {
    if (indices.length > shape.length || indices.some((index) => index === null)) return UNDEFINED;
    const names = indices.map((index) => !index.shape.includes(0n));
    const first = names.indexOf(true);
    if (first < 0) return UNDEFINED;
    const chosen = indices.filter((_, at) => names[at]).map((index) => index.shape);
    const common = chosen.reduce((one, other) => (one === UNDEFINED ? one : broadcast(one, other)));
    if (common === UNDEFINED) return UNDEFINED;
    const front = names.slice(first, names.lastIndexOf(true)).includes(false) ? 0 : first;
    const rest = shape.filter((_, at) => !names[at]);
    return [...rest.slice(0, front), ...common, ...rest.slice(front)];
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

  /** The list with new elements in place of a number of old ones from an index on. */
  function splice(list, index, count, ...added) {
    if (index < 0n || index > length(list) - count) return UNDEFINED;
    return [...list.slice(0, Number(index)), ...added, ...list.slice(Number(index + count))];
  }

  /** The list with its last two elements swapped. */
  const swapped = (list) => [...list.slice(0, -2), list.at(-1), list.at(-2)];

  function wrap(axis, rank) {
    if (axis < -rank || axis >= rank) return UNDEFINED;
    return axis < 0n ? axis + rank : axis;
  }

  /** The shape without these axes, or with 1 in their place. */
  function reduce(shape, axes, keep) {
    const reduced = axes.map((axis) => wrap(axis, length(shape)));
    if (reduced.includes(UNDEFINED)) return UNDEFINED;
    const sizes = shape.map((size, at) => (reduced.includes(BigInt(at)) ? null : size));
    return sizes.filter((size) => keep || size !== null).map((size) => size ?? 1n);
  }

  /** The common dtype of two dtypes, or of a tensor and a scalar. */
  function promote(left, right) {
    if (typeof left !== "string") return ask.tables.promoteScalar[left.dtype]?.[right.dtype] ?? UNDEFINED;
    return ask.tables.promote[left]?.[right] ?? (left === right ? left : UNDEFINED);
  }

  /** The common dtype of a list of dtypes. */
  function promoteAll(dtypes) {
    return dtypes.reduce((left, right) => (left === UNDEFINED ? left : promote(left, right)), dtypes[0] ?? UNDEFINED);
  }

  function scaled(size, factor) {
    const product = Number(size) * Number(factor);
    if (Number.isNaN(product)) return 0n;
    if (Math.abs(product) >= 2 ** 63) return product > 0 ? LARGEST : -LARGEST;
    return BigInt(Math.floor(product));
  }

  function range_len(start, stop, step) {
    if (step == 0) return UNDEFINED;
    const whole = [start, stop, step].every((number) => typeof number === "bigint");
    const minus = whole
      ? floorDiv(start - stop, step)
      : scaled(1n, (Number(start) - Number(stop)) / Number(step));
    return minus < 0n ? -minus : 0n;
  }

  ask.arithmetic = {
    "+": bounded((left, right) => (Array.isArray(left) ? [...left, ...right] : left + right)),
    "-": bounded((left, right) => left - right),
    "*": bounded((left, right) => left * right),
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
    is_transposed: ({ shape, strides }) =>
      shape.length > 1 && ask.isContiguous(swapped(shape), swapped(strides)),
    strides: (tensor) => tensor.strides,
    storage_shape: (tensor) => tensor.storage,
    value: ({ dtype, value }) =>
      dtype.startsWith("COMPLEX") ? UNDEFINED : typeof value === "boolean" ? BigInt(value) : value,
    is_private: (format) => ask.tables.formats[format],
    len: length,
    prod: bounded(product),
    sum: bounded(total),
    min: extreme((item, best) => item < best),
    max: extreme((item, best) => item > best),
    abs: (value) => (typeof value === "number" ? Math.abs(value) : value < 0n ? -value : value),
    ceil_div: (left, right) => (right === 0n ? UNDEFINED : -floorDiv(-left, right)),
    pool_out: windowed(pool_out),
    conv_out: windowed(conv_out),
    conv_transpose_out: windowed(conv_transpose_out),
    broadcast,
    broadcastable: (left, right) => broadcast(left, right) !== UNDEFINED,
    indexable: (shape, indices) => index_shape(shape, indices) !== UNDEFINED,
    index_shape,
    range,
    range_len: bounded(range_len),
    promotable: (left, right) => promote(left, right) !== UNDEFINED,
    promote,
    promotable_all: (dtypes) => promoteAll(dtypes) !== UNDEFINED,
    promote_all: promoteAll,
    itemsize: (dtype) => (BigInt(ask.tables.bits[dtype]) + 7n) / 8n,
    bits: (dtype) => BigInt(ask.tables.bits[dtype]),
    castable: (source, target) => ask.tables.castable[source].includes(target),
    scaled,
    slice: (list, start, stop) =>
      0n <= start && start <= stop && stop <= length(list) ? list.slice(Number(start), Number(stop)) : UNDEFINED,
    replace: (list, index, value) => splice(list, index, 1n, value),
    remove: (list, index) => splice(list, index, 1n),
    insert: (list, index, value) => splice(list, index, 0n, value),
    reduce,
    wrap,
    distinct: (list) => new Set(list).size === list.length,
  };
  ask.inside = inside;
})();
