// What to change in a call that its document forbids, one change or else a few: as aclspec.runtime.api.fixes finds it,
// with the same candidates in the same order. A fix is proposed only after the changed call was checked on the product.
"use strict";

(() => {
  const ask = globalThis.aclspecAsk;
  const { INFERRED } = ask;
  const { Call, Meta, keyOf } = ask.Search;
  const MOST = 3;
  const STEPS = 3; // how many changes a fix consists of at most, where one is not enough
  const CONTINUED = 24;
  const BUDGET = 4000; // how many changed calls are tried at most
  const LONGEST = 64;
  const MOST_AXES = 16;
  const FACETS = ["dtype", "format", "strides", "value", "shape", "null"];

  /**
   * The fixes of a call on a product, three at most, as { steps, changes }, each step one of { facet, names, value }. A
   * generator, so that the page can look for them in small steps; each step yields undefined.
   */
  ask.findFixes = function* (operator, call, product) {
    if (!Object.values(call).every(isSearched)) return [];
    const { first } = ask.judge(operator, call, product, "document");
    if (first === null || first.kind === "product") return [];
    const finder = new Finder(operator, call, product);
    const found = new Map();
    for (const change of yield* finder.changes(first)) {
      if (found.size === MOST || (found.size && (change.places.length > 1 || change.isPadded))) break;
      const alternative = `${change.facet} ${change.places}`;
      const fix = found.has(alternative) ? null : finder.fix([change]);
      if (fix !== null) found.set(alternative, fix);
      yield;
    }
    const several = found.size ? [] : yield* finder.several();
    const fix = several.length ? finder.fix(several) : null;
    return fix === null ? [...found.values()] : [fix];
  };

  /** The sentence of a fix. */
  ask.fixText = ({ steps }, lang) => steps.map((step) => stepText(step, lang)).join(lang === "en" ? " " : "");

  function stepText({ facet, wording, names, value }, lang) {
    const words = ask.tables.fixes[lang];
    const { comma, and } = ask.tables.words[lang];
    const listed = names.length > 1 ? [names.slice(0, -1).join(comma), names.at(-1)].join(and) : names[0];
    const shown = value === null ? words.nothing : shownPart(value, facet);
    return words[wording].replace("{names}", () => listed).replace("{new}", () => shown);
  }

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
        if (modes.every((one) => this.search.isValid(moved, one))) found.push(...this.change(this.start, moved));
        yield;
      }
      return found.sort((one, other) => compared(one.cost, other.cost));
    }

    /** The best change that makes the deciding rule hold, the best one of that call, and so on until it works. */
    *several() {
      const { modes } = this.search;
      const mode = modes.find((one) => one.mode === "document");
      const steps = [];
      let { start } = this;
      while (mode !== undefined && steps.length < STEPS) {
        const step = yield* this.bestStep(start, mode);
        if (step === undefined) return [];
        steps.push(step);
        if (modes.every((one) => this.search.isValid(step.after, one))) return steps;
        start = step.after;
      }
      return [];
    }

    /** The best change of a call after which a later rule decides, or none. */
    *bestStep(start, mode) {
      const rule = this.search.first(start, mode);
      const tried = new Map();
      if (rule !== null) yield* this.moves(rule, start, tried);
      const found = [];
      for (const moved of tried.values()) {
        const decides = this.search.first(moved, mode);
        const isLater = decides === null ? this.search.isValid(moved, mode) : mode.checks.indexOf(decides) > mode.checks.indexOf(rule);
        if (isLater) found.push(...this.change(start, moved));
        yield;
      }
      return found.sort((one, other) => compared(one.cost, other.cost))[0];
    }

    /** Add the neighbours by the parameters that a rule is about, by their keys, until the budget is spent. */
    *moves(rule, start, found) {
      const nodes = [rule.require, rule.when].filter((node) => node !== undefined);
      const places = this.search.places.get(rule);
      const near = [this.neighbours.of(start, places), this.regrouped(start, places)];
      const sources = [...nodes.map((node) => this.repair.of(node, start)), ...near];
      for (const source of sources) {
        for (const moved of source) {
          const call = this.following(moved);
          if (!found.has(call.key)) found.set(call.key, call);
          if (found.size === BUDGET) return;
          yield;
        }
      }
    }

    /** The call with the leading axes of a tensor as one, or one axis more, alone or as all of its shape. */
    *regrouped(start, places) {
      for (const place of places) {
        const value = start.values[place];
        if (!(value instanceof Meta) || this.search.params[place].direction === "out") continue;
        const { shape } = value;
        const inner = [...shape.keys()].slice(1);
        const flat = inner.slice(1).map((count) => [numel(shape.slice(0, count)), ...shape.slice(count)]);
        const longer = inner.map((at) => [...shape.slice(0, at), 1n, ...shape.slice(at)]);
        for (const other of [...flat, ...longer]) {
          const moved = this.search.reshaped(place, value, other);
          yield* this.neighbours.followed(start.replaced(place, moved));
          yield this.neighbours.together(start, value, moved);
        }
      }
    }

    /** The first calls in which the rule decides no more: the same parameter may have to change further. */
    *nearer(rule, moves, mode) {
      const found = [];
      for (const moved of moves.values()) {
        if (found.length === CONTINUED) break;
        if (this.changed(this.start, moved).length === 1 && this.search.first(moved, mode) !== rule) found.push(moved);
        yield;
      }
      return found;
    }

    changed(start, moved) {
      return moved.keys.flatMap((key, at) => (key === start.keys[at] || this.free.includes(at) ? [] : [at]));
    }

    /** The call as a change of another, where it is one change of one facet and keeps the meaning of inputs. */
    change(start, moved) {
      const places = this.changed(start, moved);
      const pairs = places.map((place) => [start.values[place], moved.values[place]]);
      const facet = commonFacet(pairs);
      const isOutput = (at) => this.search.params[places[at]].direction === "out";
      const isMeant = ([old, value], at) => isOutput(at) || keepsMeaning(old, value, facet);
      if (facet === null || !pairs.every(isMeant)) return [];
      const [old, value] = pairs[0];
      const isPadding = facet === "shape" && pairs.some(([one, other]) => isPadded(one, other));
      const isFlat = facet === "shape" && isFlattened(old, value);
      const dtypeOrder = facet === "dtype" ? [this.dtypeOrder(start, places, value), ...loss(old, value)] : [0, 0, 0];
      const near = [!isFlat, distance(old, value), gap(old, value), ...dtypeOrder, literalText(value)];
      const cost = [isPadding, places.length, FACETS.indexOf(facet), -places[0], ...near];
      const isSmall = facet === "dtype" && pairs.some(([one, other]) => isSmaller(one, other));
      const wording = isFlat ? "flat" : isPadding ? "padded" : isSmall ? "small" : facet;
      return [{ places, facet, wording, value, isPadded: isPadding, after: moved, cost }];
    }

    /** The place of a new dtype: first the inferred one, then another tensor's, then those of the same kind. */
    dtypeOrder(start, places, value) {
      const [place] = places;
      const inferred = this.neighbours.inferred(start).values[place];
      const [old, dtype, implied] = [start.values[place], value, inferred].map((one) => partOf(one, "dtype"));
      if (dtype === implied) return 0;
      const others = start.values.filter((_, at) => !places.includes(at)).flat();
      if (others.some((one) => one instanceof Meta && one.dtype === dtype)) return 1;
      return kindOf(old) === kindOf(dtype) ? 2 : 3;
    }

    /** Changes one after the other as a fix, unless the rules refuse the changed call after all. */
    fix(changes) {
      const { operator, product, params } = this.search;
      const { after } = changes.at(-1);
      const places = [...new Set(changes.flatMap((one) => one.places))];
      const changed = Object.fromEntries(places.map((place) => [params[place].name, this.search.written(after.values[place])]));
      const call = { ...this.call, ...changed };
      const works = ["document", "library"].every((mode) => ask.judge(operator, call, product, mode).verdict === "works");
      if (!works) return null;
      const steps = changes.map((one) => ({ ...one, names: one.places.map((place) => params[place].name) }));
      return { steps, changes: changed };
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

  /** Whether an input that is changed so can stand for what it was. */
  function keepsMeaning(old, value, facet) {
    if (facet === "shape") {
      const [before, after] = [old, value].map((one) => partOf(one, "shape"));
      const isFewer = after.length < before.length && numel(before) === numel(after);
      return before.length === after.length || isPadded(old, value) || isFewer;
    }
    if (facet === "dtype" && !isScalar(old)) {
      const [before, after] = [old, value].map((one) => kindOf(partOf(one, "dtype")));
      const isByte = ["INT8", "UINT8"].includes(partOf(value, "dtype"));
      return before === after || (before !== "COMPLEX" && after !== "BOOL" && (before !== "BOOL" || isByte));
    }
    return facet !== "null" || old === null;
  }

  /** Whether a tensor gets axes of size 1, not behind its last one. */
  function isPadded(old, value) {
    if (!(old instanceof Meta) || value.shape.length <= old.shape.length) return false;
    const long = ({ shape }) => shape.filter((size) => size !== 1n);
    return String(value.shape.slice(-1)) === String(old.shape.slice(-1)) && ask.equal(long(value), long(old));
  }

  /** Whether the leading axes of a tensor become one. */
  function isFlattened(old, value) {
    if (!(old instanceof Meta && value instanceof Meta)) return false;
    const count = old.shape.length - value.shape.length + 1;
    if (count < 2 || !value.shape.length) return false;
    return ask.equal(value.shape, [numel(old.shape.slice(0, count)), ...old.shape.slice(count)]);
  }

  /** What a new dtype keeps of the numbers: first the smallest that holds all, else the largest. */
  function loss(old, value) {
    const [before, after] = [old, value].map((one) => partOf(one, "dtype"));
    const { bits, promote } = ask.tables;
    const isWider = bits[after] > bits[before] && !(kindOf(after) === "INT" && hasMore(before, after));
    const holdsAll = isWider || promote[before][after] === after;
    return holdsAll ? [0, bits[after]] : [1, -bits[after]];
  }

  /** Whether a dtype has numbers that integers of another one lack, however wide: fractions, or negative ones. */
  const hasMore = (before, after) => !["INT", "BOOL"].includes(kindOf(before)) || (after.startsWith("UINT") && before.startsWith("INT"));

  /** Whether numbers beyond 65504, which a dtype holds, are infinite in the new one. */
  const isSmaller = (old, value) => partOf(value, "dtype") === "FLOAT16" && ["FLOAT", "DOUBLE", "BF16"].includes(partOf(old, "dtype"));

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
    if (old < -1 && value == -1) return 8; // the last axis, where axes are counted from the end
    return old == value ? 0 : 8 + bitLength(old, value);
  }

  /** How far integers are from others, up to a limit: which of two at the same `distance` is nearer. */
  function gap(old, value) {
    if (Array.isArray(old) && Array.isArray(value)) {
      return value.slice(0, old.length).reduce((sum, one, at) => sum + gap(old[at], one), 0);
    }
    if (typeof old !== "bigint" || typeof value !== "bigint") return 0;
    const far = old < value ? value - old : old - value;
    return Number(far < LIMIT ? far : LIMIT);
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
