// What to change in a call that its document forbids, where one change is enough: as aclspec.runtime.api.fixes finds it,
// with the same candidates in the same order. A fix is proposed only after the changed call was checked on the product.
"use strict";

(() => {
  const ask = globalThis.aclspecAsk;
  const { INFERRED } = ask;
  const { Call, Meta, keyOf } = ask.Search;
  const MOST = 3;
  const CONTINUED = 24;
  const BUDGET = 4000; // how many changed calls are tried at most
  const LONGEST = 64;
  const MOST_AXES = 16;
  const FACETS = ["dtype", "format", "strides", "value", "shape", "null"];

  /**
   * The fixes of a call on a product, three at most, as { facet, names, value, changes }. A generator, so that the page
   * can look for them in small steps; each step yields undefined.
   */
  ask.findFixes = function* (operator, call, product) {
    if (!Object.values(call).every(isSearched)) return [];
    const { first } = ask.judge(operator, call, product, "document");
    if (first === null || first.kind === "product") return [];
    const finder = new Finder(operator, call, product);
    const found = new Map();
    for (const change of yield* finder.changes(first)) {
      if (found.size === MOST || (found.size && change.places.length > 1)) break;
      const alternative = `${change.facet} ${change.places}`;
      const fix = found.has(alternative) ? null : finder.fix(change);
      if (fix !== null) found.set(alternative, fix);
      yield;
    }
    return [...found.values()];
  };

  /** The sentence of a fix. */
  ask.fixText = ({ facet, names, value }, lang) => {
    const words = ask.tables.fixes[lang];
    const { comma, and } = ask.tables.words[lang];
    const listed = names.length > 1 ? [names.slice(0, -1).join(comma), names.at(-1)].join(and) : names[0];
    const shown = value === null ? words.nothing : shownPart(value, facet);
    return words[facet].replace("{names}", () => listed).replace("{new}", () => shown);
  };

  /** Whether a value is short enough to be changed in every place. */
  function isSearched(value) {
    if (Array.isArray(value)) return value.length <= LONGEST && value.every(isSearched);
    return !(value?.shape?.length > MOST_AXES);
  }

  /** The search for one call on one product. */
  class Finder {
    constructor(operator, call, product) {
      this.call = call;
      this.search = new ask.Search(operator, product);
      this.neighbours = new ask.Neighbours(this.search);
      this.repair = new ask.Repair(this.search, this.neighbours);
      const given = operator.params.map(({ name }) => call[name]);
      this.free = given.flatMap((value, place) => (value === INFERRED ? [place] : [])); // they follow every change
      const read = (value, place) => (value === INFERRED ? this.search.default(place) : this.search.read(place, value));
      this.start = this.following(new Call(given.map(read)));
      this.inferred = this.neighbours.inferred(this.start);
    }

    /** The call with the outputs that the caller left out as they are inferred. */
    following(call) {
      const inferred = this.free.length ? this.neighbours.inferred(call) : call;
      return this.free.reduce((moved, place) => moved.replaced(place, inferred.values[place]), call);
    }

    /** Neighbours that no rule refuses in either mode and that differ by one change, the best first. */
    *changes(rule) {
      const { modes } = this.search;
      const mode = modes.find((one) => one.mode === "document");
      if (mode === undefined || !mode.checks.includes(rule)) return [];
      const moves = new Map();
      yield* this.moves(rule, this.start, moves);
      for (const moved of yield* this.nearer(rule, moves, mode)) {
        const behind = this.search.first(moved, mode);
        if (behind !== null && moves.size < BUDGET) yield* this.moves(behind, moved, moves);
      }
      const found = [];
      for (const moved of moves.values()) {
        if (modes.every((one) => this.search.isValid(moved, one))) found.push(...this.change(moved));
        yield;
      }
      return found.sort((one, other) => compared(one.cost, other.cost));
    }

    /** Add the neighbours by the parameters that a rule is about, by their keys, until the budget is spent. */
    *moves(rule, start, found) {
      const nodes = [rule.require, rule.when].filter((node) => node !== undefined);
      const sources = [...nodes.map((node) => this.repair.of(node, start)), this.neighbours.of(start, this.search.places.get(rule))];
      for (const source of sources) {
        for (const moved of source) {
          const call = this.following(moved);
          if (!found.has(call.key)) found.set(call.key, call);
          if (found.size === BUDGET) return;
          yield;
        }
      }
    }

    /** The first calls in which the rule decides no more: the same parameter may have to change further. */
    *nearer(rule, moves, mode) {
      const found = [];
      for (const moved of moves.values()) {
        if (found.length === CONTINUED) break;
        if (this.changed(moved).length === 1 && this.search.first(moved, mode) !== rule) found.push(moved);
        yield;
      }
      return found;
    }

    changed(moved) {
      return moved.keys.flatMap((key, at) => (key === this.start.keys[at] || this.free.includes(at) ? [] : [at]));
    }

    /** The call as a change of the one that was asked about, where it is the same change of one facet throughout. */
    change(moved) {
      const places = this.changed(moved);
      const pairs = places.map((place) => [this.start.values[place], moved.values[place]]);
      const facet = commonFacet(pairs);
      if (facet === null) return [];
      const [old, value] = pairs[0];
      const dtypeOrder = facet === "dtype" ? this.dtypeOrder(places, value) : 0;
      const cost = [places.length, FACETS.indexOf(facet), -places[0], distance(old, value), dtypeOrder, literalText(value)];
      return [{ places, facet, value, values: pairs.map(([, one]) => one), cost }];
    }

    /** The place of a new dtype: first the inferred one, then another tensor's, then those of the same kind. */
    dtypeOrder(places, value) {
      const [place] = places;
      const [old, dtype, inferred] = [this.start.values[place], value, this.inferred.values[place]].map((one) => partOf(one, "dtype"));
      if (dtype === inferred) return 0;
      const others = this.start.values.filter((_, at) => !places.includes(at)).flat();
      if (others.some((one) => one instanceof Meta && one.dtype === dtype)) return 1;
      return kindOf(old) === kindOf(dtype) ? 2 : 3;
    }

    /** The change as a fix, unless the rules refuse the changed call after all. */
    fix({ places, facet, value, values }) {
      const { operator, product, params } = this.search;
      const names = places.map((place) => params[place].name);
      const changes = Object.fromEntries(names.map((name, at) => [name, this.search.written(values[at])]));
      const call = { ...this.call, ...changes };
      const works = ["document", "library"].every((mode) => ask.judge(operator, call, product, mode).verdict === "works");
      return works ? { facet, names, value, changes } : null;
    }
  }

  /** Which of two lists of numbers and texts comes first. */
  function compared(one, other) {
    const at = one.findIndex((item, place) => item !== other[place]);
    return at < 0 ? 0 : one[at] < other[at] ? -1 : 1;
  }

  /** The one facet in which all parameters change alike; null where they do not. */
  function commonFacet(pairs) {
    const facets = new Set(pairs.map(([old, value]) => facetOf(old, value)));
    const [facet] = facets;
    if (facets.size !== 1 || facet === null) return null;
    if (pairs.length === 1) return facet;
    const parts = new Set(pairs.map(([, value]) => String(partOf(value, facet))));
    return ["dtype", "format", "shape"].includes(facet) && parts.size === 1 ? facet : null;
  }

  /** What of a value changes; null for more than one thing, and for what no caller wants. */
  function facetOf(old, value) {
    if ((old === null) !== (value === null)) return "null";
    if (old instanceof Meta && value instanceof Meta) return facetOfTensor(old, value);
    if (isScalar(old) && isScalar(value)) return old.dtype !== value.dtype ? "dtype" : "value";
    if (!Array.isArray(old) || !Array.isArray(value) || ![...old, ...value].some((one) => one instanceof Meta)) return "value";
    const pairs = value.map((one, at) => [old[at], one]).filter(([one, other]) => one === undefined || keyOf(one) !== keyOf(other));
    const isAlike = old.length === value.length && new Set(value.map((one) => partOf(one, "dtype"))).size === 1;
    return isAlike && pairs.length && pairs.every(([one, other]) => facetOf(one, other) === "dtype") ? "dtype" : null;
  }

  const numel = (sizes) => sizes.reduce((one, other) => one * other, 1n);

  function facetOfTensor(old, value) {
    const [before, after] = [old, value].map(({ shape }) => numel(shape));
    if ((after === 0n && before > 0n) || value.shape.some((size) => size < 0n)) return null;
    const isReshaped = !ask.equal(old.shape, value.shape);
    const changed = ["dtype", "format"].filter((facet) => old[facet] !== value[facet]);
    const isRestrided = String(old.steps) !== String(value.steps) || old.offset !== value.offset;
    if (isReshaped) changed.push("shape");
    else if (isRestrided) changed.push("strides");
    const isPlain = value.steps === null && !value.offset;
    return changed.length === 1 && (isPlain || changed[0] === "dtype") ? changed[0] : null;
  }

  const isScalar = (value) => typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Meta);

  /** What a facet of a value is; that of the first tensor of a list. */
  function partOf(value, facet) {
    const first = Array.isArray(value) && value[0] instanceof Meta ? value[0] : value;
    return first?.[facet] ?? first;
  }

  /** Whether a dtype holds integers, complex numbers, truth values or real numbers. */
  const kindOf = (dtype) => ["INT", "COMPLEX", "BOOL"].find((kind) => dtype.replace(/^U/, "").startsWith(kind)) ?? "FLOAT";

  const LIMIT = 1n << 20n;

  /** By how much two values differ: the numbers that change, and how far. */
  function distance(old, value) {
    if (old instanceof Meta && value instanceof Meta) return distance(old.shape, value.shape);
    if (Array.isArray(old) && Array.isArray(value)) {
      const paired = value.slice(0, old.length).map((one, at) => distance(old[at], one));
      return 64 * Math.abs(old.length - value.length) + paired.reduce((one, other) => one + other, 0);
    }
    if (!ask.isNumber(old) || !ask.isNumber(value)) return Number(keyOf(old) !== keyOf(value));
    return old == value ? 0 : 8 + bitLength(old, value);
  }

  function bitLength(one, other) {
    const isWhole = [one, other].every((value) => typeof value !== "number");
    const far = isWhole ? BigInt(one) - BigInt(other) : Number(one) - Number(other);
    const size = far < 0 ? -far : far;
    const bounded = size < LIMIT ? BigInt(isWhole ? size : Math.trunc(size)) : LIMIT;
    return bounded ? bounded.toString(2).length : 0;
  }

  /** A number as Python writes it. */
  function numberText(value) {
    if (typeof value === "boolean") return value ? "True" : "False";
    return typeof value === "number" ? ask.floatText(value) : String(value);
  }

  /** A value as a generated test in Python spells it, by which fixes of the same cost are ordered. */
  function literalText(value, isInside = false) {
    if (value === null) return "None";
    if (Array.isArray(value)) return `(${value.map((one) => literalText(one, true)).join(", ")}${value.length === 1 ? "," : ""})`;
    if (ask.isNumber(value)) return numberText(value);
    const text = typeof value === "string" ? value : value instanceof Meta ? tensorText(value) : scalarText(value);
    return isInside ? `'${text}'` : text;
  }

  const short = (dtype) => ask.tables.dtypes[dtype]?.[0];
  const scalarText = ({ dtype, value }) => `${short(dtype)}(${numberText(value)})`;
  const tensorText = ({ dtype, key }) => `${short(dtype)}${key.slice(dtype.length)}`;

  const listText = (texts) => `[${texts.join(", ")}]`;

  /** The part of a new value that a sentence names. */
  function shownPart(value, facet) {
    if (!["dtype", "format", "shape"].includes(facet) || typeof value === "string") return shown(value);
    const part = partOf(value, facet);
    return Array.isArray(part) ? listText(part) : part;
  }

  function shown(value) {
    if (value === null) return "None";
    if (Array.isArray(value)) return listText(value.map(shown));
    if (value instanceof Meta) return `${value.dtype}${listText(value.shape)}`;
    return isScalar(value) ? numberText(value.value) : ask.isNumber(value) ? numberText(value) : value;
  }
})();
