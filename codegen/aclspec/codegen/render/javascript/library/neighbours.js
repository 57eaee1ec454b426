// Changes and neighbours of a call, as aclspec.runtime.search.changes and neighbours have them, in the same order: one
// change each, with outputs that follow their inference.
"use strict";

(() => {
  const ask = globalThis.aclspecAsk;
  const { UNDEFINED } = ask;
  const { Meta } = ask.Search;
  const NUMBERS = ["COMPLEX128", "UINT64", "UINT32", "UINT16", "BOOL", "COMPLEX64", "FLOAT"];
  const SIZES = [0n, 1n, 2n, 3n];
  const CASTABLE = ["DOUBLE", "INT64"];
  const LAYOUT = ["is_transposed", "storage_shape", "strides"];
  const MAX_RANK = 9;
  const LONGEST = 64;
  const MAX_INT = 2n ** 63n - 1n;

  const distinct = (values) => [...new Set(values)];
  const isInt = (value) => typeof value === "bigint";
  const product = (sizes) => sizes.reduce((one, other) => one * other, 1n);
  const around = (values) => values.filter(isInt).flatMap((one) => [one - 1n, one, one + 1n]);
  const isOutput = ({ direction }) => direction === "out" || direction === "inout";

  /** A scalar in another dtype, where it keeps its sign; one that holds no fraction takes the integer above, or 0. */
  function ofDtype({ value }, dtype) {
    if (dtype === "BOOL") return { value: value == 0 ? 0n : 1n, dtype };
    const number = typeof value === "boolean" ? BigInt(value) : value;
    const size = number < 0 ? -number : number;
    const isWhole = !ask.tables.floating.includes(dtype) && !dtype.startsWith("COMPLEX");
    if (isWhole && !isInt(size) && !Number.isFinite(size)) return { value: 0n, dtype };
    const rounded = isWhole && !isInt(size) ? BigInt(Math.ceil(size)) : size;
    return { value: number >= 0 || dtype.startsWith("U") ? rounded : -rounded, dtype };
  }

  /** The value, or each of its elements, with another dtype or format. */
  function relabelled(value, facet, name) {
    if (Array.isArray(value)) return value.map((item) => relabelled(item, facet, name));
    if (value instanceof Meta) return value.with({ [facet]: name });
    if (value?.dtype !== undefined && facet === "dtype") return ofDtype(value, name);
    return typeof value === "string" && facet === "dtype" ? name : value;
  }

  /** The shape with other ranks: those that are legal, and those beside them. */
  function* ranked(shape, low, high) {
    const legal = Array.from({ length: Math.max(high + 2 - Math.max(low - 1, 0), 0) }, (_, at) => Math.max(low - 1, 0) + at);
    for (const rank of distinct([...legal, 0, shape.length + 1, shape.length - 1])) {
      const missing = rank - shape.length;
      if (rank < 0 || rank > MAX_RANK || missing === 0) continue;
      if (missing > 0) {
        yield [...shape, ...Array(missing).fill(1n)];
        yield [...shape, ...Array(missing).fill(2n)];
        yield [...Array(missing).fill(1n), ...shape];
      } else {
        yield shape.slice(0, rank);
        yield shape.slice(-missing);
        if (rank) yield [...shape.slice(0, rank - 1), product(shape.slice(rank - 1))];
      }
    }
  }

  /** The row-major strides of a shape, `step` elements apart at the last axis. */
  function stridesOf(shape, step) {
    const strides = [];
    for (const size of [...shape].reverse()) {
      strides.unshift(step);
      step *= size;
    }
    return strides;
  }

  /** The strides of a view that skips every other element; null for fewer than two elements. */
  function strided(shape) {
    return product(shape) < 2n || shape.some((size) => size < 0n) ? null : stridesOf(shape, 2n);
  }

  /** The strides of a contiguous tensor with its last two axes swapped. */
  function transposed(shape) {
    const swapped = [...shape.slice(0, -2), shape.at(-1), shape.at(-2)];
    const strides = ask.tensor({ shape: swapped, dtype: "FLOAT" }).strides;
    return [...strides.slice(0, -2), strides.at(-1), strides.at(-2)];
  }

  /** Whether every number of a value fits its C type. */
  function fits(value) {
    if (value instanceof Meta) return value.shape.length <= MAX_RANK && value.shape.every(fits);
    return Array.isArray(value) ? value.every(fits) : !isInt(value) || (-MAX_INT <= value && value <= MAX_INT);
  }

  ask.Neighbours = class Neighbours {
    constructor(search) {
      const { operator, legal } = search;
      Object.assign(this, { search, params: operator.params });
      const nodes = operator.rules.flatMap(({ when, require }) => [when, require].filter((node) => node !== undefined));
      const parts = nodes.flatMap((node) => [...search.parts(node)]).filter(Array.isArray);
      const texts = (kind) => distinct(parts.filter(([one]) => one === kind).map(([, text]) => text));
      this.formats = texts("Symbol").filter((name) => Object.hasOwn(ask.tables.formats, name));
      this.strings = texts("Str");
      this.hasLayouts = parts.some(([kind, name]) => kind === "Call" && LAYOUT.includes(name));
      const isLimit = ([kind, op, left, right]) =>
        kind === "Compare" && op === "<=" && left[0] === "Call" && left[1] === "len" && typeof right === "number" && right <= LONGEST;
      this.lengths = distinct(parts.filter((part) => isLimit(part)).flatMap(([, , , limit]) => [limit, limit + 1]));
      const dtypes = Object.keys(ask.tables.dtypes).filter((one) => one !== "DT_UNDEFINED");
      const all = new Set([...legal.values()].flat());
      this.illegal = dtypes.findLast((dtype) => !all.has(dtype)) ?? dtypes.at(-1);
    }

    /** Every neighbour by a change of these parameters, first with outputs that follow. */
    *of(call, places) {
      for (const place of places) for (const moved of this.changed(call, place)) yield* this.followed(moved);
    }

    /** The call with its outputs as inferred, with their shapes alone, and as it is. */
    followed(call) {
      return ask.unique([this.inferred(call), this.inferred(call, false), call]);
    }

    /** The call with every output that is given, or required, as it is inferred. */
    inferred(call, withDtypes = true) {
      const before = call;
      for (const [name, { shape: shapeOf, dtype: dtypeOf }] of Object.entries(this.search.operator.infer)) {
        const place = this.search.index.get(name);
        const { required } = this.params[place];
        const value = call.values[place];
        if (value === null && (required === undefined || this.search.value(required, before) !== true)) continue;
        const shape = this.search.value(shapeOf, before);
        const dtype = withDtypes ? this.search.value(dtypeOf, before) : UNDEFINED;
        if (shape === UNDEFINED) continue;
        call = call.replaced(place, this.asInferred(place, value ?? this.search.default(place), shape, dtype));
      }
      return call;
    }

    asInferred(place, value, shape, dtype) {
      if (value instanceof Meta) {
        const tensor = ask.equal(value.shape, shape) ? value : this.search.reshaped(place, value, shape);
        return dtype === UNDEFINED || dtype === tensor.dtype ? tensor : tensor.with({ dtype });
      }
      const filler = value.find((item) => item !== null) ?? this.search.element(place);
      return shape.map((one, at) => this.asInferred(place, value[at] ?? filler, one, dtype === UNDEFINED ? dtype : dtype[at]));
    }

    *changed(call, place) {
      const value = call.values[place];
      if (value === null) return yield* this.given(call, place);
      if (value instanceof Meta) {
        for (const moved of this.tensors(place, value)) {
          yield call.replaced(place, moved);
          yield this.together(call, value, moved);
        }
      } else {
        for (const moved of this.valuesBeside(place, value)) yield call.replaced(place, moved);
      }
      if (ask.tables.paramTypes[this.params[place].type].pointer) {
        yield call.replaced(place, null);
        yield* this.switchedOff(call, place);
      }
    }

    /** A value instead of a null pointer; a tensor of the shape of another one, too. */
    *given(call, place) {
      const value = this.search.default(place);
      yield call.replaced(place, value);
      if (this.search.kinds[place] !== "tensor") return;
      const others = new Map(call.values.filter((one) => one instanceof Meta).map(({ shape }) => [shape.length, shape]));
      for (const shape of others.values()) yield call.replaced(place, this.search.reshaped(place, value, shape));
    }

    /** A null output, and the flag that it depends on changed so that it is not required. */
    *switchedOff(call, place) {
      const { required } = this.params[place];
      for (const flag of required === undefined ? [] : this.search.placesOf(required)) {
        const flagged = call.values[flag] === null ? [] : this.valuesBeside(flag, call.values[flag]);
        for (const value of flagged) {
          const moved = call.replaced(place, null).replaced(flag, value);
          if (this.search.value(required, moved) === false) yield moved;
        }
      }
    }

    /** All tensors that share the changed shape, dtype or format with one another, changed alike. */
    together(call, old, now) {
      const isNewDtype = now.dtype !== old.dtype;
      const isNewShape = !ask.equal(now.shape, old.shape);
      const moved = (place, value) => {
        if (Array.isArray(value)) return value.map((item) => moved(place, item));
        if (!(value instanceof Meta)) {
          return isNewDtype && (value?.dtype ?? value) === old.dtype ? relabelled(value, "dtype", now.dtype) : value;
        }
        if (isNewShape) return ask.equal(value.shape, old.shape) ? this.search.reshaped(place, value, now.shape) : value;
        const facet = isNewDtype ? "dtype" : "format";
        return value[facet] === old[facet] ? relabelled(value, facet, now[facet]) : value;
      };
      return new ask.Search.Call(call.values.map((value, place) => moved(place, value)));
    }

    /** A tensor with another dtype, format, layout, rank or size of one axis. */
    *tensors(place, value) {
      const param = this.params[place];
      const { shape } = value;
      const { name, formats = {}, rank = [0, 8] } = param;
      const wide = isOutput(param) ? CASTABLE : [];
      for (const dtype of distinct([...this.search.legal.get(name), this.illegal, ...wide])) yield value.with({ dtype });
      const legal = Object.values(formats).flat();
      const beside = ["ND", "FRACTAL_NZ", ...(legal.includes("FRACTAL_NZ") ? ["NCHW"] : [])]; // one of them is illegal
      for (const format of distinct([...legal, ...this.formats, ...beside])) yield value.with({ format });
      for (const [axis, size] of shape.entries()) {
        for (const other of distinct([...SIZES, size + 1n, size - 1n, 2n * size, -1n])) {
          yield this.search.reshaped(place, value, shape.with(axis, other));
        }
      }
      for (const other of ranked(shape, ...rank)) {
        yield this.search.reshaped(place, value, other);
        yield new Meta(other, value.dtype, value.format);
      }
      const steps = strided(shape);
      if (steps === null) return;
      yield value.with({ steps });
      const hasColumns = shape.length > 1 && !shape.slice(-2).includes(1n);
      if (this.hasLayouts && hasColumns) yield value.with({ steps: transposed(shape) });
    }

    /** Another value of a parameter that is no tensor. */
    *valuesBeside(place, value) {
      const legal = this.search.legal.get(this.params[place].name);
      const values = this.search.values[place];
      if (Array.isArray(value)) yield* this.lists(place, value);
      else if (typeof value === "boolean") yield !value;
      else if (isInt(value)) yield* this.inRange(place, [...around(values), ...SIZES, value + 1n, value - 1n, -1n, -value]);
      else if (typeof value === "number") yield* [0, 1, -value, value / 2, 2 * value];
      else if (this.search.kinds[place] === "dtype") yield* distinct([...legal, this.illegal]);
      else if (typeof value === "string") yield* distinct([...values.map(String), ...this.strings, "", "other"]);
      else {
        const illegal = NUMBERS.find((dtype) => !legal.includes(dtype)) ?? this.illegal;
        yield* [...legal, illegal].map((dtype) => ofDtype(value, dtype));
        yield* [0n, 1n, -1n, 2n].map((number) => ({ value: number, dtype: value.dtype }));
      }
    }

    inRange(place, values) {
      const { low, high } = ask.tables.paramTypes[this.params[place].type];
      return distinct(values).filter((value) => BigInt(low) <= value && value <= BigInt(high));
    }

    /** An array with another element, another length, or other elements throughout. */
    *lists(place, value) {
      const { lengths = [] } = this.params[place];
      const kind = this.search.kinds[place];
      const filler = value.length ? value.at(-1) : this.search.element(place);
      for (const [at, item] of value.entries()) {
        for (const other of this.elements(place, item)) yield value.with(at, other);
      }
      const limits = kind === "tensors" ? this.lengths : [];
      const some = [value.length + 1, value.length - 1, 0, ...lengths, Math.max(0, ...lengths) + 1, ...limits];
      for (const length of distinct(some)) {
        if (length < 0 || length === value.length) continue;
        yield [...value.slice(0, length), ...Array(Math.max(length - value.length, 0)).fill(filler)];
      }
      if (kind === "ints" && value.length) {
        for (const one of [1n, 2n, 0n, ...around(this.search.values[place])]) yield value.map(() => one);
      }
      if (kind === "bools") {
        for (let bits = 0; bits < 1 << Math.min(value.length, 4); bits += 1) yield value.map((_, at) => Boolean((bits >> at) & 1));
      }
    }

    *elements(place, item) {
      if (item === null) yield this.search.element(place);
      else if (item instanceof Meta) yield* [...this.tensors(place, item), null];
      else if (typeof item === "object") yield* [...this.valuesBeside(place, item), null];
      else if (typeof item === "boolean") yield !item;
      else if (isInt(item)) yield* distinct([item + 1n, item - 1n, ...SIZES, -1n, 2n * item]);
      else yield* [0, 2 * item, -item];
    }
  };

  Object.assign(ask.Neighbours, { MAX_RANK, fits, ranked, relabelled });
})();
