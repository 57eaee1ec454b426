// Arithmetic in words, in symbols, and with the values of a call; and lists that are made element by element.
"use strict";

(() => {
  const ask = globalThis.aclspecAsk;
  const PRECEDENCE = { "+": 1, "-": 1, "*": 2, "//": 2, "%": 2 };
  const isTerm = (node) => node.kind === "Arith" || node.kind === "Negate";

  /** The term as a noun: in words where an operand is more than a word and the term needs no brackets. */
  ask.term = (writer, node) => {
    const inWords = parts(writer, node).some((part) => !isTerm(part) && writer.bare(part).includes(" "));
    const text = written(writer, node, true);
    return inWords && !/\(| \/\/ | % /.test(text) ? written(writer, node, false) : text;
  };

  /** The term with values for nouns: 4 + 2 * 1. */
  ask.substituted = (writer, node) => {
    const open = ask.opened(writer, node);
    if (open.kind === "Arith") {
      const sides = [open.left, open.right].map((side) => ask.substituted(writer, side));
      const [left, right] = bracketed(writer, open, ...sides);
      return `${left} ${open.op} ${right}`;
    }
    if (open.kind === "Negate") {
      const text = ask.substituted(writer, open.operand);
      return text.includes(" ") || text.startsWith("-") ? `-(${text})` : `-${text}`;
    }
    const value = writer.value(open);
    return value === ask.UNDEFINED ? writer.bare(open) : ask.valueText(value);
  };

  /** The definition of a let that has no noun of its own, else the node. */
  ask.opened = (writer, node) => {
    const told = node.kind === "Name" ? writer.let(node.id) : null;
    return told === null || told.doc ? node : ask.opened(writer, told.value);
  };

  /** Whether a function is written between its arguments, so that it needs brackets like an operator. */
  ask.isInfix = (node) => node.kind === "Call" && ask.tables.functions[node.func].phrase.en.startsWith("{0} ");

  function parts(writer, node) {
    const open = ask.opened(writer, node);
    if (open.kind === "Arith") return [open, ...parts(writer, open.left), ...parts(writer, open.right)];
    return open.kind === "Negate" ? [open, ...parts(writer, open.operand)] : [open];
  }

  function written(writer, node, plain) {
    const open = ask.opened(writer, node);
    if (open.kind === "Arith") {
      const sides = [open.left, open.right];
      const texts = bracketed(writer, open, ...sides.map((side) => written(writer, side, plain)));
      const joins = open.op === "+" && sides.some((side) => isList(writer, side));
      return writer.language.say("arithmetic", [joins ? "followed by" : open.op, plain], ...texts);
    }
    if (open.kind === "Negate") {
      const text = written(writer, open.operand, plain);
      return text.includes(" ") ? `-(${text})` : `-${text}`;
    }
    const text = writer.bare(open);
    return ask.isInfix(open) || (open.kind === "IfElse" && text.includes(" ")) ? `(${text})` : text;
  }

  /** Whether a + beside this node joins lists. */
  function isList(writer, node) {
    const open = ask.opened(writer, node);
    const isListType = (type) => ask.tables.listTypes.includes(type);
    switch (open.kind) {
      case "ListOf":
      case "Each":
        return true;
      case "Name": {
        const told = [...writer.operator.params, ...writer.operator.lets].find((one) => one.name === open.id);
        return told !== undefined && isListType(ask.tables.paramTypes[told.type]?.predicate ?? told.type);
      }
      case "Call":
        return isListType(ask.tables.functions[open.func].result);
      case "Arith":
        return open.op === "+" && [open.left, open.right].some((side) => isList(writer, side));
      case "IfElse":
        return isList(writer, open.then);
      default:
        return false;
    }
  }

  /** The operands, in brackets where the precedence of operators asks for them. */
  function bracketed(writer, node, left, right) {
    const own = PRECEDENCE[node.op];
    const [first, second] = [node.left, node.right].map((side) => ask.opened(writer, side));
    const low = first.kind === "Arith" && PRECEDENCE[first.op] < own;
    const high = (second.kind === "Arith" && PRECEDENCE[second.op] <= own) || right.startsWith("-");
    return [low ? `(${left})` : left, high ? `(${right})` : right];
  }

  /** A list as a noun: "[the rank of every element of tensors]". */
  ask.everyNoun = (writer, node) => {
    const collection = writer.bare(node.over);
    const speaking = (called) =>
      writer.but({ env: null, variables: { ...writer.variables, [node.variable]: called } });
    const { kind, args: [first, ...rest] = [] } = node.body;
    const isSubject = kind === "Call" && first?.kind === "Name" && first.id === node.variable;
    if (node.over.kind === "Name" && isSubject && !rest.some((one) => ask.names(one).has(node.variable))) {
      return `[${speaking(writer.language.say("quantified", ["every"], collection)).bare(node.body)}]`;
    }
    const body = speaking(node.variable).bare(node.body);
    return writer.language.say("of_each", [], body, ask.domain(writer, node, "every", collection));
  };

  /** What the variable of a quantifier runs over. */
  ask.domain = (writer, { over, variable }, quantity, collection) => {
    const { language } = writer;
    if (over.kind !== "Call" || over.func !== "range") {
      return language.say("element_domain", [quantity], variable, collection);
    }
    const [start, stop] = over.args;
    if (start.kind === "Int" && start.value === 0n && stop.kind === "Call" && stop.func === "len") {
      return language.say("index_domain", [quantity], variable, writer.noun(stop.args[0]));
    }
    return language.say("range_domain", [quantity], variable, writer.noun(start), writer.noun(stop));
  };
})();
