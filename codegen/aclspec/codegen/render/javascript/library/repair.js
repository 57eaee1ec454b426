// Repair, as aclspec.runtime.search.repair does it, in the same order: single changes that make the two sides of a
// comparison equal. Each number that a side depends on is moved along the secant of the difference.
"use strict";

(() => {
  const ask = globalThis.aclspecAsk;
  const { UNDEFINED } = ask;
  const { MAX_RANK, fits, ranked, relabelled } = ask.Neighbours;
  const { Meta } = ask.Search;
  const ELEMENTS = 3;
  const SMALL = [0n, 1n, 2n, 3n, 4n, 5n, 6n, 8n];
  const STEPS = [1n, 4n];

  const isNode = Array.isArray;
  const isNumber = (value) => ["bigint", "number"].includes(typeof value);
  const minus = (one, other) =>
    typeof one === "bigint" && typeof other === "bigint" ? one - other : Number(one) - Number(other);

  /** The tree with a node for a free name. */
  function substitute(node, name, found) {
    if (typeof node === "string") return node === name ? found : node;
    if (!isNode(node)) return node;
    const head = node.length - ask.children(node).length;
    const isBound = ["Each", "all", "any"].includes(node[0]) && node[1] === name;
    const inside = (child, at) => (isBound && at === 1 ? child : substitute(child, name, found));
    return [...node.slice(0, head), ...ask.children(node).map(inside)];
  }

  ask.Repair = class Repair {
    constructor(search, neighbours) {
      Object.assign(this, { search, neighbours, known: new Map() });
    }

    /** Calls in which the sides of a comparison inside a predicate are equal. */
    *of(node, call) {
      for (const compare of this.comparisons(node)) {
        for (const moved of this.compared(compare, call)) {
          if (moved.values.every(fits)) yield* this.neighbours.followed(moved);
        }
      }
    }

    /** The comparisons inside a predicate, those of a quantifier for its first elements. */
    comparisons(node) {
      if (!this.known.has(node)) this.known.set(node, [...ask.unique(this.inside(node), JSON.stringify)]);
      return this.known.get(node);
    }

    *inside(node) {
      const kind = isNode(node) ? node[0] : null;
      if (this.search.lets.has(node)) yield* this.inside(this.search.lets.get(node));
      else if (["all", "any", "Each"].includes(kind)) {
        const [, variable, over, body] = node;
        for (let at = 0; at < ELEMENTS; at += 1) yield* this.inside(substitute(body, variable, ["Index", over, at]));
      } else {
        if (kind === "Compare") yield* this.operands(node);
        for (const child of ask.children(node)) yield* this.inside(child);
      }
    }

    /** The comparison, or that with each member of a list. */
    operands(node) {
      const [, op, left, right] = node;
      const isListed = ["in", "not in"].includes(op) && right[0] === "ListOf";
      return isListed ? right.slice(1).map((item) => ["Compare", "==", left, item]) : [node];
    }

    *compared(node, call) {
      const [, op, left, right] = node;
      const [one, other] = [left, right].map((side) => this.search.value(side, call));
      if (one === UNDEFINED || other === UNDEFINED) return;
      if (isNode(one) && isNode(other) && ["==", "!="].includes(op)) yield* this.lists(node, one, other, call);
      else if (typeof one === "string" && typeof other === "string") yield* this.labels(node, one, other, call);
      else if (isNumber(one) && isNumber(other)) {
        const settings = [...this.settings(this.search.placesOf(node), call)];
        const values = settings.map(([, now]) => now);
        for (const [setter, now] of settings) yield* this.secant(node, setter, now, minus(one, other), values);
      }
    }

    /** The calls, two at most, with the number set so that the sides are equal. */
    *secant([, , left, right], setter, now, here, others) {
      if (here == 0) return;
      const difference = (call) => {
        const [one, other] = call === null ? [UNDEFINED] : [left, right].map((side) => this.search.value(side, call));
        return one === UNDEFINED || other === UNDEFINED ? UNDEFINED : minus(one, other);
      };
      for (const step of STEPS) {
        const beside = difference(setter(now + step));
        if (beside === UNDEFINED || beside == here) continue;
        const at = now + steps(here, beside, step);
        let count = 0;
        for (const value of new Set([at, at + 1n, at - 1n, ...others, ...SMALL])) {
          const moved = setter(value);
          const found = difference(moved);
          if (found === UNDEFINED || found != 0) continue;
          yield moved;
          if ((count += 1) === 2) return;
        }
        return;
      }
    }

    /** The dtype or format of one side given to what the other side depends on. */
    *labels([, , left, right], one, other, call) {
      for (const [side, name] of [[left, other], [right, one]]) {
        for (const part of this.search.parts(side)) {
          const facet = isNode(part) && part[0] === "Call" && ["dtype", "format"].includes(part[1]) ? part[1] : "";
          for (const place of facet ? this.search.placesOf(part) : []) {
            yield call.replaced(place, relabelled(call.values[place], facet, name));
          }
        }
      }
    }

    /** A shape or an array as the other side has it, and a shape with one size of the other side. */
    *lists([, , left, right], one, other, call) {
      for (const [side, value] of [[left, other], [right, one]]) {
        for (const place of this.search.placesOf(side)) yield* this.listed(place, value, call);
      }
      const pairs = Array.from({ length: Math.min(one.length, other.length) }, (_, at) => at);
      const differing = pairs.filter((at) => !ask.equal(one[at], other[at]));
      for (const at of differing.slice(0, 2)) yield* this.compared(["Compare", "==", ["Index", left, at], ["Index", right, at]], call);
    }

    *listed(place, value, call) {
      const now = call.values[place];
      if (now instanceof Meta && value.every((size) => typeof size === "bigint")) {
        const partly = now.shape.slice(0, value.length).map((_, at) => now.shape.with(at, value[at]));
        for (const shape of [value, ...partly]) yield call.replaced(place, this.search.reshaped(place, now, shape));
      } else if (isNode(now) && !now.some((item) => item instanceof Meta)) yield call.replaced(place, value);
    }

    /** Every number of some parameters, as a function that sets it, and its value. */
    *settings(places, call) {
      for (const place of places) {
        const value = call.values[place];
        if (value instanceof Meta) {
          for (const [axis, size] of value.shape.entries()) yield [this.axis(call, place, axis), size];
          yield [this.rank(call, place), BigInt(value.shape.length)];
        } else if (isNode(value)) {
          for (const [at, item] of value.entries()) {
            if (typeof item === "bigint") yield [(one) => call.replaced(place, value.with(at, one)), item];
          }
          yield [this.length(call, place), BigInt(value.length)];
        } else if (typeof value === "bigint") yield [this.number(call, place), value];
      }
    }

    axis(call, place, axis) {
      const { shape, dtype, format } = call.values[place];
      return (size) => (size >= -2n ? call.replaced(place, new Meta(shape.with(axis, size), dtype, format)) : null);
    }

    rank(call, place) {
      const tensor = call.values[place];
      return (size) => {
        const rank = Number(size);
        const shapes = 0 <= rank && rank <= MAX_RANK ? ranked(tensor.shape, rank, rank) : [];
        for (const shape of shapes) if (shape.length === rank) return call.replaced(place, this.search.reshaped(place, tensor, shape));
        return null;
      };
    }

    length(call, place) {
      const value = call.values[place];
      return (size) => {
        if (size < 0n || size > MAX_RANK) return null;
        const filler = value.length ? value.at(-1) : this.search.element(place);
        const more = Math.max(Number(size) - value.length, 0);
        return call.replaced(place, [...value.slice(0, Number(size)), ...Array(more).fill(filler)]);
      };
    }

    number(call, place) {
      const { low, high } = ask.tables.paramTypes[this.search.params[place].type];
      return (value) => (BigInt(low) <= value && value <= BigInt(high) ? call.replaced(place, value) : null);
    }
  };

  /** How far a number has to go until a difference is 0 that is `here` now and `beside` after a step. */
  function steps(here, beside, step) {
    const slope = minus(beside, here);
    if (typeof here === "bigint" && typeof slope === "bigint") return ask.arithmetic["//"](-here * step, slope);
    const far = Math.floor((-Number(here) * Number(step)) / Number(slope));
    return Number.isFinite(far) ? BigInt(far) : 0n;
  }
})();
