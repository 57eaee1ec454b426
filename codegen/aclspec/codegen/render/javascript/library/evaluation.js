// The value of a node in a call. UNDEFINED spreads through everything strict; only and, or, all and any can decide
// past it (Kleene).
"use strict";

(() => {
  const ask = globalThis.aclspecAsk;
  const { UNDEFINED, INFERRED } = ask;

  /** The dtype rows of a product in a conformance mode. */
  ask.rowsOf = ({ rows }, product, mode) => rows.filter((row) => row.products.includes(product) && row.modes.includes(mode));

  /** What the names of a predicate stand for: the arguments of a call, the lets, and the variables in scope. */
  ask.Environment = class Environment {
    constructor(operator, call, product, mode, rows = ask.rowsOf(operator, product, mode)) {
      Object.assign(this, { operator, call, product, mode, rows, variables: {}, known: new Map() });
    }

    /** The same call with other variables. */
    with(variables) {
      return Object.assign(Object.create(this), { variables });
    }

    /** The same call with one more variable. */
    bind(variable, value) {
      return this.with({ ...this.variables, [variable]: value });
    }

    /** The value of a name; null for a null parameter, INFERRED for an output that the caller left out. */
    lookup(name) {
      if (Object.hasOwn(this.variables, name)) return this.variables[name];
      if (!this.known.has(name)) this.known.set(name, this.found(name));
      return this.known.get(name);
    }

    /** The value of a let, computed once a call and never under a quantifier's variables, or of an argument. */
    found(name) {
      const value = this.operator.lets.find((one) => one.name === name)?.value;
      if (value === undefined) return Object.hasOwn(this.call, name) ? this.call[name] : null;
      return evaluate(value, this.with({}));
    }
  };

  const variadic = (compute) => (nodes, env) => strict(compute, nodes, env);
  const operators = (table) => ([op, ...sides], env) => strict(table[op], sides, env);
  const connective = (deciding) => (items, env) => kleene(deciding, items, (node) => evaluate(node, env));
  const quantifier = (deciding) => (parts, env) =>
    overElements(parts, env, (elements, value) => kleene(deciding, elements, value));

  /** The value of each kind of node, from its parts. */
  const KINDS = {
    Int: ([text]) => BigInt(text),
    Float: ([text]) => Number(text),
    Str: ([text]) => text,
    Symbol: ([name]) => name,
    ListOf: variadic((...values) => values),
    Not: variadic((value) => !value),
    Negate: variadic((value) => -value),
    Index: variadic((list, index) => (ask.inside(index, list) ? list[Number(index)] ?? UNDEFINED : UNDEFINED)),
    Arith: operators(ask.arithmetic),
    Compare: operators(ask.comparisons),
    And: connective(false),
    Or: connective(true),
    IfElse: ([cond, then, orelse], env) => {
      const chosen = evaluate(cond, env);
      return chosen === UNDEFINED ? UNDEFINED : evaluate(chosen ? then : orelse, env);
    },
    Call: called,
    all: quantifier(false),
    any: quantifier(true),
    Each: (parts, env) =>
      overElements(parts, env, (elements, value) => {
        const values = elements.map(value);
        return values.includes(UNDEFINED) ? UNDEFINED : values;
      }),
    InRows: inRows,
  };

  /**
   * The value of a node, or UNDEFINED. A string is a name, a number a small integer, a boolean itself; any other node
   * is an array of its kind and its parts.
   */
  function evaluate(node, env) {
    if (typeof node === "number") return BigInt(node);
    if (typeof node === "boolean") return node;
    if (typeof node === "string") {
      const found = env.lookup(node);
      return found === null || found === INFERRED ? UNDEFINED : found;
    }
    const [kind, ...parts] = node;
    return KINDS[kind](parts, env);
  }

  /** The function of the values, unless one of them is undefined. */
  function strict(compute, nodes, env) {
    const values = nodes.map((node) => evaluate(node, env));
    return values.includes(UNDEFINED) ? UNDEFINED : compute(...values);
  }

  /** The deciding value wins, then undefined, then the other. */
  function kleene(deciding, items, value) {
    let undecided = false;
    for (const item of items) {
      const found = value(item);
      if (found === deciding) return deciding;
      undecided ||= found === UNDEFINED;
    }
    return undecided ? UNDEFINED : !deciding;
  }

  function overElements([variable, over, body], env, combine) {
    const elements = evaluate(over, env);
    if (elements === UNDEFINED) return UNDEFINED;
    return combine(elements, (element) => evaluate(body, env.bind(variable, element)));
  }

  /**
   * A function of the library; is_null and format look at the argument before it becomes a value, and fits_int64, which
   * only the rule of the language asks, at all arguments of the call.
   */
  function called([func, ...args], env) {
    if (func === "fits_int64") return Object.values(env.call).every(ask.fitsInt64);
    if (func === "is_null") {
      const value = typeof args[0] === "string" ? env.lookup(args[0]) : evaluate(args[0], env);
      return value === UNDEFINED ? UNDEFINED : value === null;
    }
    return strict(func === "format" ? (tensor) => formatOf(tensor, args[0], env) : ask.functions[func], args, env);
  }

  /** A tensor's format; one that does not say has the first that the spec allows for its rank. */
  function formatOf(tensor, source, env) {
    if (tensor.format !== null) return tensor.format;
    const named = Object.hasOwn(env.variables, source) ? null : source;
    const formats = env.operator.params.find((param) => param.name === named)?.formats ?? {};
    return (formats[tensor.shape.length] ?? formats.any)?.[0] ?? "ND";
  }

  /** The dtypes that a dtype row compares: of each tensor of a list, else the one dtype of the value. */
  ask.dtypesOf = (value) => {
    if (typeof value === "string") return [value];
    const found = (Array.isArray(value) ? value : [value]).map((one) => one?.dtype ?? UNDEFINED);
    return found.includes(UNDEFINED) ? UNDEFINED : found;
  };

  /** What stands for a null pointer among the dtypes of a row. */
  ask.NULL = "null";

  /** Whether a parameter may be null in some of these rows, but not in all. */
  ask.tellsNulls = (name, rows) => new Set(rows.map(({ cells }) => (cells[name] ?? []).includes(ask.NULL))).size > 1;

  /** Whether one row holds the dtypes of all these parameters; undefined while one of them is illegal by itself. */
  function inRows(params, env) {
    const given = new Map();
    for (const name of params) {
      const value = env.lookup(name);
      const checked = env.operator.params.find((param) => param.name === name).checked;
      if (value === null && params.length > 1 && ask.tellsNulls(name, env.rows)) given.set(name, [ask.NULL]);
      if (value === null || value === INFERRED || (checked !== undefined && evaluate(checked, env) !== true)) continue;
      const dtypes = ask.dtypesOf(value);
      if (dtypes === UNDEFINED) return UNDEFINED;
      given.set(name, dtypes);
    }
    if (!env.rows.length || !given.size) return UNDEFINED;
    const names = [...given.keys()];
    const fits = ({ cells }, name) => !(name in cells) || given.get(name).every((one) => cells[name].includes(one));
    const legalAlone = names.every((name) => env.rows.some((row) => fits(row, name)));
    if (params.length > 1 && !legalAlone) return UNDEFINED;
    return env.rows.some((row) => names.every((name) => fits(row, name)));
  }

  ask.evaluate = evaluate;
})();
