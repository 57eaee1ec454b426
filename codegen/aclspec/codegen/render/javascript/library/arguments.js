// Arguments as texts: what a person types for a parameter and a link carries, as `aclspec explain` reads them, and the
// Python code that gives the same call.
"use strict";

(() => {
  const ask = globalThis.aclspecAsk;
  const NULL = "null";
  const NARROW = ["float", "float_array"];
  const typeOf = (param) => ask.tables.paramTypes[param.type];

  /** The value of a parameter that a text stands for; Refusal where it stands for none. */
  ask.parseArgument = (param, text) => {
    const { predicate, pointer, low, high } = typeOf(param);
    if (pointer && text.trim() === NULL) return null;
    const bounds = low === undefined ? [-(2n ** 63n), 2n ** 63n - 1n] : [BigInt(low), BigInt(high)];
    const narrow = NARROW.includes(param.type);
    const readers = {
      tensor: ask.parseTensor,
      scalar: parseScalar,
      int: (one) => ask.parseInteger(one, ...bounds),
      float: (one) => parseFloating(one, narrow),
      bool: parseBoolean,
      string: parseString,
      dtype: ask.parseDtype,
    };
    if (predicate in readers) return readers[predicate](text);
    const element = readers[predicate.slice(0, -1)];
    const pointers = ["tensors", "scalars"].includes(predicate);
    const separator = pointers ? ";" : ",";
    const inner = pointers ? text : text.trim().replace(/^\[([^]*)\]$|^\(([^]*)\)$/, "$1$2");
    const items = inner.trim() ? inner.split(separator) : [];
    if (items.length > 1 && !items.at(-1).trim()) items.pop(); // "null;" is a list that holds a null pointer
    return items.map((one) => (pointers && one.trim() === NULL ? null : element(one)));
  };

  /** The text that stands for a value of a parameter. */
  ask.argumentText = ({ params }, name, value) => textOf(value, typeOf(params.find((param) => param.name === name)).predicate);

  function textOf(value, predicate) {
    if (value === null) return NULL;
    if (Array.isArray(value)) {
      const isOfPointers = ["tensors", "scalars"].includes(predicate);
      const text = value.map((one) => textOf(one, predicate.slice(0, -1))).join(isOfPointers ? "; " : ",");
      return text === NULL ? `${NULL};` : text; // a list that holds a null pointer, rather than one itself
    }
    if (predicate === "tensor") return ask.tensorText(value);
    if (predicate === "string") return JSON.stringify(value);
    if (predicate === "scalar") return `${textOf(value.value, "")}:${ask.tables.dtypes[value.dtype][0]}`;
    return typeof value === "number" ? ask.floatText(value) : String(value);
  }

  /** A call from its texts by C name; an output without a text is inferred, an input has its default or is null. */
  ask.parseCall = (operator, texts) => {
    const call = {};
    const refused = new Map();
    for (const param of operator.params) {
      const text = texts[param.name] ?? param.default;
      try {
        if (text !== undefined) call[param.name] = ask.parseArgument(param, text);
        else call[param.name] = param.direction === "out" ? ask.INFERRED : null;
      } catch (error) {
        if (!(error instanceof ask.Refusal)) throw error;
        refused.set(param.name, error);
      }
    }
    return { call, refused };
  };

  function parseBoolean(text) {
    const word = text.trim().toLowerCase();
    if (word !== "true" && word !== "false") throw new ask.Refusal("bad_bool", text);
    return word === "true";
  }

  function parseString(text) {
    const word = text.trim();
    try {
      return word.startsWith('"') ? String(JSON.parse(word)) : word;
    } catch {
      throw new ask.Refusal("bad_string", text);
    }
  }

  function parseFloating(text, narrow = false) {
    const word = text.trim().toLowerCase();
    const special = { nan: NaN, inf: Infinity, "+inf": Infinity, "-inf": -Infinity }[word];
    if (special !== undefined) return special;
    if (!/^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?$/.test(word)) throw new ask.Refusal("bad_float", text);
    const value = Number(word);
    if (Math.abs(value) > (narrow ? 3.4028234663852886e38 : Number.MAX_VALUE)) throw new ask.Refusal("bad_float", text);
    return value;
  }

  const boundsOf = (dtype) => (dtype === "UINT64" ? [0n, 2n ** 64n - 1n] : [-(2n ** 63n), 2n ** 63n - 1n]);

  /** A number with its dtype: 1.5:float16, or float16(1.5); without one, the dtype that Python gives it. */
  function parseScalar(text) {
    const called = /^\s*(\w+)\((.*)\)\s*$/.exec(text);
    const [number, dtype] = called ? [called[2], called[1]] : text.split(":");
    const word = number.trim();
    const plain = { true: true, false: false }[word.toLowerCase()];
    const value = plain ?? (/^[+-]?[0-9]+$/.test(word) ? BigInt(word.replace("+", "")) : parseFloating(word));
    const natural = { boolean: "BOOL", bigint: "INT64", number: "DOUBLE" }[typeof value];
    const chosen = dtype === undefined ? natural : ask.parseDtype(dtype);
    if (typeof value === "bigint" && !ask.tables.floating.includes(chosen)) ask.parseInteger(word, ...boundsOf(chosen));
    const held = ask.tables.floating.includes(chosen) ? Number(value) : value;
    return dtype === undefined ? { dtype: chosen, value: held, plain: true } : { dtype: chosen, value: held };
  }

  /** The Python code that explains the call of these texts; it runs as it stands. */
  ask.pythonCode = (operator, texts, product) => {
    const lines = [];
    const needs = new Set();
    for (const param of operator.params.filter((one) => one.name in texts)) {
      const value = ask.parseArgument(param, texts[param.name]);
      lines.push(`    ${param.snake}=${python(value, typeOf(param).predicate, needs)},`);
    }
    const imports = [operator.python, ...[...needs].sort()];
    const head = `explanation = ops.get("${operator.name}").explain(`;
    const tail = [`    product="${product}",`, ")", "print(explanation)"];
    return [...imports, "", head, ...lines, ...tail, ""].join("\n");
  };

  function python(value, predicate, needs) {
    if (value === null) return "None";
    if (Array.isArray(value)) return `[${value.map((one) => python(one, predicate.slice(0, -1), needs)).join(", ")}]`;
    switch (predicate) {
      case "tensor":
        needs.add("from aclspec.runtime import Tensor");
        return `Tensor.parse("${ask.tensorText(value)}")`;
      case "scalar": {
        needs.add("from aclspec.runtime.abi.dtypes import DType");
        needs.add("from aclspec.runtime.tensors.tensor import Scalar");
        const number = python(value.value, typeof value.value === "number" ? "float" : "int", needs);
        return `Scalar(${number}, DType.${value.dtype})`;
      }
      case "float":
        return Number.isFinite(value) ? ask.floatText(value) : `float("${ask.floatText(value)}")`;
      case "string":
      case "dtype":
        return JSON.stringify(value);
      default:
        return typeof value === "boolean" ? (value ? "True" : "False") : String(value);
    }
  }
})();
