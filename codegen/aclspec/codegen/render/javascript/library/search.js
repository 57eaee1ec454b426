// Where fixes are searched (aclspec.runtime.search): values that are one where they are equal, calls as lists of them in
// C order, and the rules of a product on such a call, each evaluated once for the arguments that it reads.
"use strict";

(() => {
  const ask = globalThis.aclspecAsk;
  const { evaluate } = ask;
  const SIZES = [4n, 2n, 3n, 2n, 2n, 2n, 2n, 2n];
  const ELEMENTS = { ints: 1n, bools: true, floats: 1 };
  const DEFAULTS = { bool: true, int: 1n, float: 1, string: "none", dtype: "FLOAT" };
  const MODES = ["document", "library"];

  /** A tensor with metadata alone; `steps` is null where it is contiguous. */
  class Meta {
    constructor(shape, dtype, format, steps = null, offset = 0n) {
      Object.assign(this, { shape, dtype, format, steps, offset, contiguous: steps === null });
      this.key = `${dtype}[${shape}]:${format}${steps === null ? "" : `:strides=${steps}`}${offset ? `:offset=${offset}` : ""}`;
    }

    /** The tensor with other facts; another shape is contiguous. */
    with({ shape = this.shape, dtype = this.dtype, format = this.format, steps = shape === this.shape ? this.steps : null }) {
      return new Meta(shape, dtype, format, steps, shape === this.shape ? this.offset : 0n);
    }

    /** The tensor as a call gives it. */
    get described() {
      const { shape, dtype, format, steps: strides, offset } = this;
      return ask.tensor({ shape, dtype, format, strides, offset });
    }

    get strides() {
      return this.described.strides;
    }

    get storage() {
      return this.described.storage;
    }
  }

  const numberKey = (value) => (Number.isInteger(value) || typeof value === "boolean" ? BigInt(value) : value).toString();

  /** What equal values, and no others of a parameter, have in common. */
  function keyOf(value) {
    if (value === null) return "-";
    if (Array.isArray(value)) return `(${value.map(keyOf)})`;
    if (typeof value === "string") return JSON.stringify(value);
    if (value instanceof Meta) return value.key;
    return typeof value === "object" ? `${value.dtype}(${numberKey(value.value)})` : numberKey(value);
  }

  /** A call: its values in C order, and their keys. */
  class Call {
    constructor(values, keys = values.map(keyOf)) {
      Object.assign(this, { values, keys, frames: new Map() });
    }

    get key() {
      return this.keys.join("|");
    }

    /** The call with another value of one parameter. */
    replaced(place, value) {
      return new Call(this.values.with(place, value), this.keys.with(place, keyOf(value)));
    }
  }

  /** The names of a predicate in a call of the search. */
  class Frame extends ask.Environment {
    constructor(search, call, rows) {
      super(search.operator, {}, search.product, "document", rows);
      Object.assign(this, { search, values: call.values });
    }

    found(name) {
      const value = this.search.lets.get(name);
      return value === undefined ? this.values[this.search.index.get(name)] ?? null : evaluate(value, this.with({}));
    }
  }

  const isNode = (node) => Array.isArray(node);
  const NO_PARTS = ["Int", "Float", "Str", "Symbol", "InRows"];
  const NAMED = ["Arith", "Compare", "Call", "Each", "all", "any"];

  /** The direct sub-trees of a node, left to right. */
  ask.children = (node) => {
    if (!isNode(node) || NO_PARTS.includes(node[0])) return [];
    return node.slice(NAMED.includes(node[0]) ? 2 : 1);
  };

  /** The calls of an operator on a product, and what its rules say to each of them. */
  ask.Search = class Search {
    constructor(operator, product) {
      const { params, rules, rows } = operator;
      Object.assign(this, { operator, product, params, rules });
      this.index = new Map(params.map(({ name }, place) => [name, place]));
      this.kinds = params.map(({ type }) => ask.tables.paramTypes[type].predicate);
      this.lets = new Map(operator.lets.map(({ name, value }) => [name, value]));
      this.values = params.map(({ values = [] }) => values.map((one) => (typeof one === "number" ? BigInt(one) : one)));
      this.legal = new Map(params.map(({ name }) => [name, distinct(rows.flatMap(({ cells }) => cells[name] ?? []))]));
      this.places = new Map(rules.map((rule) => [rule, this.placesOf(...nodesOf(rule))]));
      this.memo = new Map();
      this.modes = MODES.map((mode) => this.inMode(mode)).filter((mode) => mode !== null);
    }

    /** The rules and the dtype rows of a conformance mode; null where the product has no rules of the operator in it. */
    inMode(mode) {
      const { operator, product, rules } = this;
      const isGated = rules.some(({ kind, status }) => kind === "product" && mode in status);
      if (isGated && !operator.products.includes(product)) return null;
      const rows = ask.rowsOf(operator, product, mode);
      const enforced = rules.filter((rule) => rule.kind !== "product" && ask.isEnforced(rule, { product, mode }));
      const [checks, undefinedBy] = [undefined, "undefined"].map((outcome) => enforced.filter((rule) => rule.outcome === outcome));
      return { mode, rows, checks, undefinedBy, memo: new Map() };
    }

    /** A node and all below it, seen through lets and through the guards of dtype rows. */
    *parts(node) {
      yield node;
      for (const child of ask.children(node)) yield* this.parts(child);
      if (this.lets.has(node)) yield* this.parts(this.lets.get(node));
      const guarded = isNode(node) && node[0] === "InRows" ? node.slice(1) : [];
      for (const name of guarded) {
        const { checked } = this.params[this.index.get(name)];
        if (checked !== undefined) yield* this.parts(checked);
      }
    }

    /** The parameters that predicates depend on, by index. */
    placesOf(...nodes) {
      const parts = nodes.flatMap((node) => [...this.parts(node)]);
      const names = parts.flatMap((part) => (typeof part === "string" ? [part] : part[0] === "InRows" ? part.slice(1) : []));
      const found = names.map((name) => this.index.get(name)).filter((place) => place !== undefined);
      return distinct(found).sort((one, other) => one - other);
    }

    /** The value of a node in a call; with a mode, of its dtype rows. */
    value(node, call, mode = null) {
      if (!call.frames.has(mode)) call.frames.set(mode, new Frame(this, call, mode?.rows ?? []));
      return evaluate(node, call.frames.get(mode));
    }

    /** Whether a rule fails in a mode, or, of a shortcut, whether it is taken. */
    fails(rule, call, mode) {
      if (!mode.memo.has(rule)) mode.memo.set(rule, new Map());
      const memo = mode.memo.get(rule);
      const key = this.places.get(rule).map((place) => call.keys[place]).join("|");
      if (!memo.has(key)) memo.set(key, this.isBroken(rule, call, mode));
      return memo.get(key);
    }

    isBroken({ when, require }, call, mode) {
      if (when !== undefined && this.value(when, call, mode) !== true) return false;
      return require === undefined || this.value(require, call, mode) === false;
    }

    /** The rule that decides in a mode; null where none fails before a shortcut is taken. */
    first(call, mode) {
      const found = mode.checks.find((rule) => this.fails(rule, call, mode));
      return found === undefined || found.kind === "shortcut" ? null : found;
    }

    /** Whether no rule of a mode fails and the result is defined. */
    isValid(call, mode) {
      if (this.first(call, mode) !== null) return false;
      const isTaken = (rule) => rule.kind === "shortcut" && this.fails(rule, call, mode);
      return !mode.undefinedBy.some((rule) => this.isBroken(rule, call, mode)) || mode.checks.some(isTaken);
    }

    /** The formats that the parameter table allows a tensor of this rank. */
    formatsOf(place, rank) {
      const { formats = {} } = this.params[place];
      return formats[rank] ?? formats.any ?? [];
    }

    /** The tensor with another shape, and a legal format where its own is legal for its old rank only. */
    reshaped(place, tensor, shape) {
      const [legal, before] = [shape, tensor.shape].map(({ length }) => this.formatsOf(place, length));
      const isStale = legal.length && before.includes(tensor.format) && !legal.includes(tensor.format);
      return new Meta(shape, tensor.dtype, isStale ? legal[0] : tensor.format);
    }

    /** A value of a parameter's type that its table entry allows. */
    default(place) {
      const { name, lengths = [], rank = [0, 8], default: text } = this.params[place];
      const [kind, values] = [this.kinds[place], this.values[place]];
      const dtype = this.legal.get(name)[0] ?? "FLOAT";
      const length = !lengths.length || lengths.includes(2) ? 2 : lengths[0];
      const twice = (value, listed) => (kind === listed ? [value, value] : value);
      if (kind === "tensor" || kind === "tensors") {
        const shape = SIZES.slice(0, Math.min(Math.max(2, rank[0]), rank[1]));
        return twice(new Meta(shape, dtype, this.formatsOf(place, shape.length)[0] ?? "ND"), "tensors");
      }
      if (kind === "scalar" || kind === "scalars") return twice({ value: 1, dtype }, "scalars");
      const value = text === undefined ? null : ask.parseArgument(this.params[place], text);
      if (value !== null) return value;
      if (kind in ELEMENTS) return Array(length).fill((kind === "ints" ? values[0] : undefined) ?? ELEMENTS[kind]);
      return values[0] ?? (kind === "dtype" ? dtype : DEFAULTS[kind]);
    }

    /** A default element of a list parameter. */
    element(place) {
      return this.default(place)[0] ?? ELEMENTS[this.kinds[place]];
    }

    /** A value of a call (arguments.js) as the search has it. */
    read(place, value) {
      if (Array.isArray(value)) return value.map((item) => this.read(place, item));
      if (!ask.isTensor(value)) return value;
      const { shape, dtype, strides, offset, contiguous } = value;
      const format = value.format ?? this.formatsOf(place, shape.length)[0] ?? "ND";
      return new Meta(shape, dtype, format, contiguous && !offset ? null : strides, offset);
    }

    /** A value of the search as a call has it. */
    written(value) {
      if (Array.isArray(value)) return value.map((item) => this.written(item));
      return value instanceof Meta ? value.described : value;
    }
  };

  const nodesOf = ({ when, require }) => [when, require].filter((node) => node !== undefined);
  const distinct = (values) => [...new Set(values)].filter((value) => value !== ask.NULL);

  /** The calls or values without those that equal an earlier one. */
  ask.unique = function* (items, key = (call) => call.key) {
    const seen = new Set();
    for (const item of items) {
      const found = key(item);
      if (!seen.has(found)) yield item;
      seen.add(found);
    }
  };

  Object.assign(ask.Search, { Call, Meta, keyOf });
})();
