// The words that predicates are written with. Each makes a node of a tree, which is evaluated (evaluation.js) and put
// into words (writer.js and the files after it). A node is frozen and has a `key`: nodes of one meaning have one key.
//
// A string is the name of a parameter or a let, a BigInt an int, a Number a float, an array a list of nodes.
"use strict";

(() => {
  const ask = globalThis.aclspecAsk;

  const keyOf = (value) => {
    if (Array.isArray(value)) return `[${value.map(keyOf).join(", ")}]`;
    return typeof value === "object" ? value.key : `${typeof value} ${ask.valueText(value)}`;
  };
  const made = (kind, fields) =>
    Object.freeze({ kind, ...fields, key: `${kind}(${Object.values(fields).map(keyOf).join(", ")})` });

  /** The node that a plain value of JavaScript stands for. */
  function node(value) {
    if (Array.isArray(value)) return made("ListOf", { items: value.map(node) });
    switch (typeof value) {
      case "string":
        return made("Name", { id: value });
      case "bigint":
        return made("Int", { value });
      case "number":
        return made("Float", { value });
      case "boolean":
        return made("Bool", { value });
      default:
        return value;
    }
  }

  const arith = (op) => (left, right) => made("Arith", { op, left: node(left), right: node(right) });
  const compare = (op) => (left, right) => made("Compare", { op, left: node(left), right: node(right) });
  const several = (kind) => (...items) => made(kind, { items: items.map(node) });
  const quantifier = (kind) => (variable, over, body) =>
    made("Quantifier", { quantifier: kind, variable, over: node(over), body: node(body) });
  const call = (func) => (...args) => made("Call", { func, args: args.map(node) });

  ask.node = node;
  ask.compare = (op, left, right) => compare(op)(left, right);
  ask.words = {
    text: (value) => made("Str", { value }),
    symbol: (name) => made("Symbol", { name }),
    not: (operand) => made("Not", { operand: node(operand) }),
    neg: (operand) => made("Negate", { operand: node(operand) }),
    add: arith("+"),
    sub: arith("-"),
    mul: arith("*"),
    floordiv: arith("//"),
    mod: arith("%"),
    eq: compare("=="),
    ne: compare("!="),
    lt: compare("<"),
    le: compare("<="),
    gt: compare(">"),
    ge: compare(">="),
    isin: compare("in"),
    notin: compare("not in"),
    and: several("And"),
    or: several("Or"),
    choose: (cond, then, orelse) =>
      made("IfElse", { cond: node(cond), then: node(then), orelse: node(orelse) }),
    at: (base, index) => made("Index", { base: node(base), index: node(index) }),
    all: quantifier("all"),
    any: quantifier("any"),
    each: (variable, over, body) => made("Each", { variable, over: node(over), body: node(body) }),
    in_rows: (...params) => made("InRows", { params }),
    ...Object.fromEntries(Object.keys(ask.tables.functions).map((name) => [name, call(name)])),
  };

  /** Every free name in a tree. */
  ask.names = (tree) => {
    switch (tree.kind) {
      case "Name":
        return new Set([tree.id]);
      case "InRows":
        return new Set(tree.params);
      case "Quantifier":
      case "Each": {
        const body = ask.names(tree.body);
        body.delete(tree.variable);
        return new Set([...ask.names(tree.over), ...body]);
      }
      default: {
        const parts = Object.values(tree).flat().filter((part) => typeof part === "object");
        return new Set(parts.flatMap((part) => [...ask.names(part)]));
      }
    }
  };
})();
