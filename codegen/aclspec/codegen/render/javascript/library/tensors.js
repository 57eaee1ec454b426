// Tensor descriptions: float32[4,2]:NCHW:strides=1,4:offset=2:storage=12, as aclspec.runtime.Tensor.parse reads them.
"use strict";

(() => {
  const ask = globalThis.aclspecAsk;
  const OPTIONS = ["strides", "offset", "storage"];
  const INT64_MAX = 2n ** 63n - 1n;

  /** What is wrong with a text that somebody typed: a key of `ask.tables.labels`, and the texts in its places. */
  ask.Refusal = class Refusal extends Error {
    constructor(label, ...texts) {
      super(ask.fill(ask.tables.labels.en[label], texts));
      Object.assign(this, { label, texts });
    }
  };

  const product = (sizes) => sizes.reduce((one, other) => one * other, 1n);
  const sameList = (one, other) => one.length === other.length && one.every((item, at) => item === other[at]);

  /** The row-major strides of a shape; an axis without elements counts as one element. */
  function contiguousStrides(shape) {
    let step = 1n;
    const strides = [];
    for (const size of [...shape].reverse()) {
      strides.unshift(step);
      step *= size > 1n ? size : 1n;
    }
    return strides;
  }

  /** The elements from the first to the last of a view, both counted. */
  function span(shape, strides) {
    if (shape.some((size) => size <= 0n)) return 0n;
    return shape.reduce((reach, size, axis) => reach + (size - 1n) * strides[axis], 1n);
  }

  ask.isContiguous = (shape, strides) => {
    if (shape.some((size) => size <= 0n)) return true;
    const expected = contiguousStrides(shape);
    return shape.every((size, axis) => size === 1n || strides[axis] === expected[axis]);
  };

  /** A tensor of these facts; Refusal where strides, offset and storage make no sense together. */
  ask.tensor = ({ shape, dtype, format = null, strides = null, offset = 0n, storage = null }) => {
    const steps = strides ?? contiguousStrides(shape);
    if (steps.length !== shape.length) throw new ask.Refusal("bad_strides", steps.length, shape.length);
    const end = offset + span(shape, steps);
    if (storage !== null && end > product(storage)) throw new ask.Refusal("bad_storage", end, product(storage));
    const isPlain = strides === null && offset === 0n && storage === null;
    const tensor = { shape, dtype, format, strides: steps, offset, contiguous: ask.isContiguous(shape, steps) };
    return { ...tensor, storage: isPlain ? shape : storage ?? [end] };
  };

  /** The tensor of a description. */
  ask.parseTensor = (text) => {
    const head = /^\s*((?:\w+\.)?\w+)\s*((?:torch\.Size\s*)?[[(][^:=]*[\])])\s*(?::([^]*))?$/.exec(text);
    if (head === null) throw new ask.Refusal("bad_tensor", text);
    const facts = { shape: integers(sizesOf(head[2]), -INT64_MAX - 1n), dtype: ask.parseDtype(head[1]) };
    for (const [at, part] of (head[3] === undefined ? [] : head[3].split(":")).entries()) {
      const [name, value] = part.split("=").map((one) => one.trim());
      if (value === undefined && at === 0) facts.format = ask.parseFormat(name);
      else if (value !== undefined && OPTIONS.includes(name) && !(name in facts)) facts[name] = integers(value, 0n);
      else throw new ask.Refusal("bad_tensor", text);
    }
    if (facts.offset && facts.offset.length !== 1) throw new ask.Refusal("bad_tensor", text);
    return ask.tensor({ ...facts, offset: facts.offset?.[0] });
  };

  /** The description of a tensor; what a contiguous tensor has by default is left out. */
  ask.tensorText = (tensor) => {
    const { shape, dtype, format, strides, offset, storage, contiguous } = tensor;
    const parts = [`${ask.tables.dtypes[dtype][0]}[${shape}]`];
    if (format !== null) parts.push(format);
    if (!contiguous) parts.push(`strides=${strides}`);
    if (offset) parts.push(`offset=${offset}`);
    if (!ask.hasUsualStorage(tensor)) parts.push(`storage=${storage}`);
    return parts.join(":");
  };

  /** Whether a tensor's storage is the one that it has when nothing is said about it. */
  ask.hasUsualStorage = ({ shape, strides, offset, storage, contiguous }) => {
    if (contiguous && !offset) return sameList(storage, shape) || sameList(storage, [product(shape)]);
    return sameList(storage, [offset + span(shape, strides)]);
  };

  /** The sizes between commas of a shape: of [4, 2], (4, 2), 4x2 or torch.Size([4, 2]). */
  function sizesOf(text) {
    const found = /^(?:(?:torch\.Size)?\s*[[(]\s*){1,4}([^[\]()]*?)(,?)\s*[\])\s]{1,4}$/.exec(text);
    if (found === null) return text;
    const sizes = text.includes("(") ? found[1] : found[1] + found[2];
    return /^\s*\d+(?:\s*[x×]\s*\d+)+\s*$/.test(sizes) ? sizes.replace(/[x×]/g, ",") : sizes;
  }

  function integers(text, low) {
    if (!text.trim()) return [];
    return text.split(",").map((one) => ask.parseInteger(one, low, INT64_MAX));
  }

  /** An integer between two bounds. */
  ask.parseInteger = (text, low, high) => {
    if (!/^\s*[+-]?[0-9]+(_[0-9]+)*\s*$/.test(text)) throw new ask.Refusal("bad_int", text);
    const value = BigInt(text.trim().replace(/[+_]/g, ""));
    if (value < low || value > high) throw new ask.Refusal("bad_range", value, low, high);
    return value;
  };

  ask.parseDtype = (text) => {
    const name = text.trim().toLowerCase().replace(/^(?:acl_|dt_(?!undefined)|(?:torch|np|numpy|mindspore|ms)\.)/, "");
    const isMeant = ([own, spelt]) => own.toLowerCase() === name || spelt.includes(name);
    const found = Object.entries(ask.tables.dtypes).find(isMeant);
    if (!found) throw new ask.Refusal("bad_dtype", text);
    return found[0];
  };

  ask.parseFormat = (text) => {
    const name = text.trim().toUpperCase().replace(/^ACL_/, "").replace(/^FORMAT_/, "");
    if (!Object.hasOwn(ask.tables.formats, name)) throw new ask.Refusal("bad_format", text);
    return name;
  };
})();
