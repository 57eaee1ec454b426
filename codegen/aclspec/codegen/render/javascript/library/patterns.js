// Shapes of predicates that have a shorter wording than their parts.
"use strict";

(() => {
  const ask = globalThis.aclspecAsk;
  const FLIPPED = { "<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!=" };
  const LITERALS = ["Int", "Float", "Bool", "Str", "Symbol"];

  /** Whether a node is a constant as written. */
  function isLiteral(node) {
    if (node.kind === "Negate") return isLiteral(node.operand);
    return node.kind === "ListOf" ? node.items.every(isLiteral) : LITERALS.includes(node.kind);
  }

  /** Whether a node reads as a clause rather than as a noun. */
  ask.isClause = (node) => {
    if (node.kind === "Call") return ask.tables.functions[node.func].result === "bool";
    return ["Compare", "And", "Or", "Not", "Quantifier", "InRows"].includes(node.kind);
  };

  /** The comparison, turned round if its left side alone is a constant: 2 <= rank(x) is rank(x) >= 2. */
  ask.constantRight = (node) =>
    node.op in FLIPPED && isLiteral(node.left) && !isLiteral(node.right)
      ? ask.compare(FLIPPED[node.op], node.right, node.left)
      : node;

  /** Whether two conditions cannot both hold: the same term equals two different constants. */
  ask.exclude = (one, other) => {
    if (![one, other].every((node) => node.kind === "Compare" && node.op === "==")) return false;
    const constants = isLiteral(one.right) && isLiteral(other.right) && one.right.key !== other.right.key;
    return constants && one.left.key === other.left.key;
  };

  /** The items of an and or an or, those of nested ones included, with pairs that mean one thing made one. */
  ask.simplified = (node) => {
    const nested = (item) => item.kind === node.kind && !isPair(item);
    const flat = node.items.flatMap((item) => (nested(item) ? ask.simplified(item) : [item]));
    const distinct = [...new Map(flat.map((item) => [item.key, item])).values()];
    if (node.kind === "Or") return distinct;
    const merged = [];
    for (const item of distinct) {
      const one = merged.length ? joined(merged.at(-1), item) : null;
      if (one) merged[merged.length - 1] = one;
      else merged.push(item);
    }
    return merged;
  };

  /** One node for two neighbours of an and, or null. */
  function joined(first, second) {
    const both = ask.words.and(first, second);
    if (isPair(both)) return both;
    if (first.kind !== "Compare" || second.kind !== "Compare") return null;
    const [low, high] = [first, second].map(ask.constantRight);
    const same = low.left.key === high.left.key && low.right.key === high.right.key && low.right.kind === "Int";
    const bounds = [low.op, high.op].sort().join();
    return same && bounds === "<=,>=" ? ask.compare("==", low.left, low.right) : null;
  }

  /** For broadcast(a, b) == a, with or without broadcastable(a, b) before it: [b, a]. Else null. */
  ask.broadcastsTo = (node) => {
    if (node.kind === "And" && node.items.length === 2) {
      const [call, compare] = node.items;
      if (call.kind !== "Call" || call.func !== "broadcastable" || compare.kind !== "Compare") return null;
      const found = ask.broadcastsTo(compare);
      const keys = (nodes) => [...new Set(nodes.map((one) => one.key))].sort().join("\n");
      return found && keys(found) === keys(call.args) ? found : null;
    }
    if (node.kind !== "Compare" || node.op !== "==") return null;
    const isBroadcast = (side) => side.kind === "Call" && side.func === "broadcast";
    if (isBroadcast(node.left)) {
      const [one, other] = node.left.args;
      if (node.right.key === one.key) return [other, one];
      if (node.right.key === other.key) return [one, other];
    }
    if (!isBroadcast(node.right) || isBroadcast(node.left)) return null;
    return ask.broadcastsTo(ask.compare("==", node.right, node.left));
  };

  const isPair = (node) => node.kind === "And" && ask.broadcastsTo(node) !== null;

  ask.isLiteral = isLiteral;

  /** Which axis from the end rank(tensor) - 1 and its like are; 0 for an axis that counts from the front. */
  ask.fromTheEnd = (tensor, axis) => {
    const counted = axis.kind === "Arith" && axis.op === "-" && axis.left.kind === "Call" && axis.left.func === "rank";
    return counted && axis.left.args[0].key === tensor.key && axis.right.kind === "Int" ? axis.right.value : 0n;
  };
})();
