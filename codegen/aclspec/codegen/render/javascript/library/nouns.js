// Terms of a predicate as nouns, each followed by its actual value where a call is at hand.
//
// A writer has a language, an operator, an environment (null: no call is at hand) and `variables` that say what bound
// variables are called. It is never changed: `but` makes another one.
"use strict";

(() => {
  const ask = globalThis.aclspecAsk;
  const { UNDEFINED, valueText } = ask;
  const VALUED_ARGS = ["broadcast", "broadcastable", "promote", "castable", "is_private"];

  ask.Nouns = class Nouns {
    constructor(parts) {
      Object.assign(this, parts);
    }

    but(changes) {
      return new this.constructor({ ...this, ...changes });
    }

    /** The value in the call. */
    value(node) {
      return this.env === null ? UNDEFINED : ask.evaluate(node, this.env);
    }

    /** The noun of a term, followed by its value. */
    noun(node) {
      return this.bare(node) + this.shown(node);
    }

    /** The noun of a term alone. */
    bare(node) {
      switch (node.kind) {
        case "Int":
        case "Float":
        case "Bool":
          return valueText(node.value);
        case "Str":
          return valueText(node.value, true);
        case "Symbol":
          return node.name;
        case "Name":
          return this.nameOf(node.id);
        case "ListOf":
          return this.list(node);
        case "Arith":
        case "Negate":
          return ask.term(this, node);
        case "Index":
          return this.element(this.bare(node.base), this.index(node.index));
        case "IfElse": {
          const chosen = this.value(node.cond);
          return chosen === UNDEFINED ? this.choice(node) : this.bare(chosen ? node.then : node.orelse);
        }
        case "Each":
          return ask.everyNoun(this, node);
        default:
          if (node.kind === "Call" && !ask.isClause(node)) return this.phrase(node.func, node.args);
          return this.language.say("whether", [], this.clause(node));
      }
    }

    /** An element of an array: in brackets after a name, in words after anything longer. */
    element(base, place) {
      const isName = /^[\x00-\x7f]*$/.test(base) && !base.includes(" ");
      return isName ? `${base}[${place}]` : this.language.element(base, place);
    }

    list({ items }) {
      const texts = items.map((item) => this.bare(item));
      if (!items.every(ask.isLiteral)) return `[${texts.join(", ")}]`;
      const numbers = !items.some((item) => item.kind === "Str" || item.kind === "Symbol");
      return texts.length === 1 && numbers ? `(${texts[0]},)` : `(${texts.join(", ")})`;
    }

    /** The value of a term as it follows the noun: with its space and parentheses, or empty. */
    shown(node) {
      if (this.env === null || ask.isLiteral(node)) return "";
      const value = this.value(node);
      const plain = (one) => ask.isNumber(one) || typeof one === "string";
      if (!(Array.isArray(value) ? value.every(plain) : plain(value))) return "";
      const text = valueText(value, this.isString(node));
      const by = this.worked(node);
      if (by !== null) return ` (${this.language.say("worked", [], text, by)})`;
      if (["Arith", "Negate"].includes(ask.opened(this, node).kind) && !Array.isArray(value)) {
        const worked = ask.substituted(this, node);
        return worked === text || worked === this.bare(node) ? ` (${text})` : ` (${worked} = ${text})`;
      }
      return text === this.bare(node) ? "" : ` ${ask.parenthesized(text)}`;
    }

    isString(node) {
      const isText = (one) => one.kind === "Str" || this.isString(one);
      if (node.kind === "IfElse") return isText(node.then) || isText(node.orelse);
      if (node.kind !== "Name") return false;
      const told = this.let(node.id);
      return (told ?? this.operator.params.find((param) => param.name === node.id))?.type === "string";
    }

    /** Whether a node reads as a clause: a predicate, or a let that stands for one. */
    isClause(node) {
      const told = node.kind === "Name" ? this.let(node.id) : null;
      return told ? told.type === "bool" : ask.isClause(node);
    }

    /** The let of this name, unless a variable hides it. */
    let(name) {
      return Object.hasOwn(this.variables, name) ? null : this.operator.lets.find((one) => one.name === name) ?? null;
    }

    /** A variable by what it stands for, a let by its noun or its definition, a parameter by its name. */
    nameOf(name) {
      if (Object.hasOwn(this.variables, name)) return this.variables[name];
      const told = this.let(name);
      if (told === null) return name;
      return told.doc ? told.doc[this.language.code] : this.bare(told.value);
    }

    index(node) {
      const value = this.value(node);
      return value === UNDEFINED ? this.bare(node) : valueText(value);
    }

    /** A noun for each condition, the first that holds counting. */
    choice(node) {
      const cases = [];
      for (; node.kind === "IfElse"; node = node.orelse) cases.push([this.clause(node.cond), this.bare(node.then)]);
      return this.language.choice(cases, this.bare(node));
    }

    /** The actual arguments of a function that is told by them, or null. */
    worked(node) {
      const { kind, func, args } = ask.opened(this, node);
      const worked = kind === "Call" ? ask.tables.functions[func].worked : null;
      if (!worked) return null;
      const values = args.map((arg) => this.value(arg));
      return values.includes(UNDEFINED) ? null : this.fill(worked[1], values.map((value) => valueText(value)));
    }

    /** The phrase of a function that returns a value; one of many arguments is brief where its value tells them. */
    phrase(func, args) {
      const { phrase, worked } = ask.tables.functions[func];
      const call = ask.words[func](...args);
      if (worked) {
        if (this.worked(call) !== null) return worked[0][this.language.code];
        return this.fill(phrase, args.map((arg) => this.bare(arg)));
      }
      const place = func === "dim" ? ask.fromTheEnd(...args) : 0n;
      if (ask.tables.lastAxes[place]) return this.fill(ask.tables.lastAxes[place], [this.bare(args[0])]);
      const texts = args.map((arg) => (VALUED_ARGS.includes(func) ? this.shared(func, arg) : this.bare(arg)));
      if (func === "dim") texts[1] = this.index(args[1]);
      const bracket = (text, at) => (ask.opened(this, args[at]).kind === "Arith" ? `(${text})` : text);
      return this.fill(phrase, ask.isInfix(call) ? texts.map(bracket) : texts);
    }

    /** An argument with its value; a tensor stands for its fact where the phrase says which fact it shares. */
    shared(func, arg) {
      const isShared = arg.kind === "Call" && arg.func === ask.tables.shared[func];
      return isShared ? this.bare(arg.args[0]) + this.shown(arg) : this.noun(arg);
    }

    fill(phrase, texts) {
      const written = typeof phrase === "string" ? phrase : phrase[this.language.code];
      return ask.fill(written, texts, texts.length ? this.language.nouns(texts, "and") : "");
    }
  };
})();
