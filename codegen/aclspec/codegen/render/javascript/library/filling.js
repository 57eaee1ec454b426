// Failure sentences from their templates (aclspec.runtime.rules.template): the values of a call in their places.
//
// A template is an array of texts and placeholders; a placeholder is [kind, expressions, templates, names].
"use strict";

(() => {
  const ask = globalThis.aclspecAsk;
  const { UNDEFINED, INFERRED } = ask;
  const LISTED_ROWS = 4; // more combinations than this are not listed; the sentence names the nearest one
  const PRECEDENCE = { "+": 1, "-": 1, "*": 2, "//": 2, "%": 2 };

  /** The sentence of a rule that fails in a report (report.js): given and expected. */
  ask.failure = (rule, { env }, lang) => {
    if (!rule.fails) return rule.says[lang];
    const text = new Filler(env, lang, {}).text(rule.fails[lang]);
    return lang === "zh" ? spaced(text) : capital(text, env.operator.params.map((param) => param.name));
  };

  /** The text with a capital, unless a name stands first. */
  function capital(text, names) {
    const match = /^(\(*)([\p{L}\p{N}_]+)/u.exec(text);
    if (match === null || names.includes(match[2])) return text;
    const start = match[1].length;
    return `${text.slice(0, start)}${text[start].toUpperCase()}${text.slice(start + 1)}`;
  }

  /** One space between Chinese and Latin text, none between Chinese characters or beside Chinese punctuation. */
  const spaced = (text) =>
    text
      .replace(/(?<=[一-鿿])(?=[A-Za-z0-9(["-])/g, " ")
      .replace(/(?<=[A-Za-z0-9)\]"])(?=[一-鿿])/g, " ")
      .replace(/(?<=[一-鿿”]) +(?=[一-鿿“])/g, "")
      .replace(/ *([，；：、。（）]) */g, "$1");

  const parenthesized = (text) => (text.startsWith("(") && text.endsWith(")") ? text : `(${text})`);

  class Filler {
    constructor(env, lang, places) {
      Object.assign(this, { env, lang, places, words: ask.tables.words[lang] });
    }

    text(template) {
      return template.map((part) => (typeof part === "string" ? part : this.filled(...part))).join("");
    }

    value(node) {
      return ask.evaluate(node, this.env);
    }

    shown(value) {
      return ask.valueText(value, this.words.more);
    }

    filled(kind, nodes, texts, names) {
      switch (kind) {
        case "#":
          return String(this.places[names[0]]);
        case "$":
          return this.env.product;
        case "%":
          return this.unsupported(names);
        case "@":
          return this.element(nodes[0], texts[0]);
        case "=":
          return this.worked(nodes[0]);
      }
      const value = this.value(nodes[0]);
      switch (kind) {
        case "?":
          return this.text(texts[value === true ? 0 : 1]);
        case "~":
          return value === UNDEFINED ? "" : ` ${parenthesized(this.shown(value))}`;
        default:
          return this.shown(value);
      }
    }

    /** The text about the first element on which the body of a quantifier decides. */
    element([quantifier, variable, over, body], text) {
      const elements = ask.evaluate(over, this.env);
      for (const [place, element] of elements === UNDEFINED ? [] : elements.entries()) {
        const env = this.env.bind(variable, element);
        if (ask.evaluate(body, env) !== (quantifier === "any")) continue;
        return new Filler(env, this.lang, { ...this.places, [variable]: place }).text(text);
      }
      return "";
    }

    /** A term with the values of its operands: 4 + 2 * 1 = 6. */
    worked(node) {
      const value = this.shown(this.value(node));
      const operands = this.substituted(node);
      return operands === value ? value : `${operands} = ${value}`;
    }

    substituted(node) {
      const [kind, ...parts] = Array.isArray(node) ? node : [];
      if (kind === "Negate") {
        const text = this.substituted(parts[0]);
        return text.includes(" ") || text.startsWith("-") ? `-(${text})` : `-${text}`;
      }
      if (kind !== "Arith") return this.shown(this.value(node));
      const [op, ...sides] = parts;
      const [first, second] = sides.map((side) => (side[0] === "Arith" ? PRECEDENCE[side[1]] : 3));
      let [left, right] = sides.map((side) => this.substituted(side));
      if (first < PRECEDENCE[op]) left = `(${left})`;
      if (second <= PRECEDENCE[op] || right.startsWith("-")) right = `(${right})`;
      return `${left} ${op} ${right}`;
    }

    enumeration(items, last) {
      const head = items.slice(0, -1);
      return head.length ? `${head.join(this.words.comma)}${this.words[last]}${items.at(-1)}` : items[0];
    }

    /** Dtypes one of which must be, of many the first. */
    alternatives(items) {
      const shown = ask.shortened(items, this.words.more);
      return shown === items ? this.enumeration(items, "or") : shown.join(this.words.comma);
    }

    /** The clause that the dtypes of a call are not supported: the given ones and the supported ones. */
    unsupported(params) {
      const { product } = this.env;
      const isTold = (name) => params.length > 1 && ask.tellsNulls(name, this.env.rows);
      const own = (name, value) => (value === null && isTold(name) ? [ask.NULL] : dtypes(value));
      const found = params.map((name) => [name, own(name, this.env.lookup(name))]);
      const given = new Map(found.filter(([, dtypes]) => dtypes));
      const names = [...given.keys()];
      const cells = this.env.rows.map((row) => names.filter((name) => name in row.cells).map((n) => [n, row.cells[n]]));
      const rows = [...new Map(cells.map((row) => [JSON.stringify(row), new Map(row)])).values()];
      if (params.length === 1) {
        const all = rows.flatMap((row) => row.get(params[0]) ?? []);
        const supported = [...new Set(all)].filter((dtype) => dtype !== ask.NULL);
        if (!supported.length) return ask.fill(this.words.none, [this.told(given), product]);
        if (!given.get(params[0]).every((dtype) => supported.includes(dtype))) {
          return ask.fill(this.words.dtype, [this.told(given), product, this.alternatives(supported)]);
        }
      }
      if (!rows.length) return ask.fill(this.words.apart, [this.told(given), product]);
      let deciding = new Map([...given].filter(([name, dtypes]) => decides(name, dtypes, rows)));
      if (!deciding.size) deciding = given;
      const narrowed = rows.map((row) => new Map([...row].filter(([name]) => deciding.has(name))));
      let listed = [...new Map(narrowed.filter((row) => row.size).map((row) => [JSON.stringify([...row]), row])).values()];
      const isSeveral = deciding.size > 1 || [...deciding.values()].some((dtypes) => new Set(dtypes).size > 1);
      const isUniform = (row) => {
        const cells = [...row.values()];
        const isAlike = cells.length === deciding.size && new Set(cells.map(String)).size === 1;
        return isAlike && (!isSeveral || cells[0].length === 1);
      };
      if (listed.every(isUniform)) {
        const alike = [...new Set(listed.flatMap((row) => [...row.values()][0]))];
        const word = isSeveral ? this.words.one : this.words.dtype;
        return ask.fill(word, [this.told(deciding), product, this.alternatives(alike)]);
      }
      if (listed.length > LISTED_ROWS) {
        const misfits = ([name, cell]) => !given.get(name).every((one) => cell.includes(one));
        const misses = (row) => [...row].filter(misfits).length;
        listed = [listed.reduce((best, row) => (misses(row) < misses(best) ? row : best))];
      }
      const rest = listed.map((row) => this.combination(row)).join(this.words["or row"]);
      return ask.fill(this.words.together, [this.told(deciding), product, rest]);
    }

    /** The dtypes of parameters, each once, those with the same ones together. */
    told(given) {
      const tell = ([dtypes, names]) => {
        const each = [...new Set(dtypes)];
        const verb = names.length > 1 || each.length > 1 ? this.words.are : this.words.is;
        return ask.fill(verb, [this.enumeration(names, "and"), ask.shortened(each, this.words.more).join(", ")]);
      };
      return grouped(given).map(tell).join(this.words.given);
    }

    /** A row, parameters with the same dtypes together. */
    combination(row) {
      const cell = ([all, names]) => [this.alternatives(all), this.enumeration(names, "and")];
      return grouped(row).map((group) => ask.fill(this.words.cell, cell(group))).join(this.words.cells);
    }
  }

  /** The parameters of a row by their dtypes. */
  const grouped = (row) => {
    const groups = new Map();
    for (const [name, cell] of row) groups.set(String(cell), [cell, [...(groups.get(String(cell))?.[1] ?? []), name]]);
    return [...groups.values()];
  };

  /** Whether the rows differ in a parameter, or none has its dtypes. */
  const decides = (name, dtypes, rows) => {
    const cells = new Map(rows.map((row) => [String(row.get(name)), row.get(name)]));
    const fits = (cell) => cell === undefined || dtypes.every((dtype) => cell.includes(dtype));
    return cells.size > 1 || ![...cells.values()].some(fits);
  };

  const dtypes = (value) => {
    const found = value === null || value === INFERRED ? UNDEFINED : ask.dtypesOf(value);
    return found === UNDEFINED ? null : found;
  };
})();
