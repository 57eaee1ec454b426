// Comparisons as clauses.
"use strict";

(() => {
  const ask = globalThis.aclspecAsk;
  const { UNDEFINED } = ask;
  const isEqual = (op) => op === "==" || op === "!=";
  const isMember = (op) => op === "in" || op === "not in";
  const isEquality = (node, truth) => isEqual(node.op) && truth === (node.op === "==");

  ask.Comparisons = class Comparisons extends ask.Nouns {
    /** The clause that one shape broadcasts to another; empty for a node that says something else. */
    broadcast(node, truth) {
      const pair = ask.broadcastsTo(node);
      if (pair === null) return "";
      return `${this.noun(pair[0])} ${this.language.say("broadcasts", [truth], this.noun(pair[1]))}`;
    }

    /** The clause of one comparison. */
    comparison(node, truth) {
      if (isMember(node.op) && node.right.kind === "IfElse") return this.clause(hoisted(node), truth);
      if (isEqual(node.op)) {
        const equal = truth === (node.op === "==");
        if (node.right.kind === "Bool") return this.clause(node.left, equal === node.right.value);
        if (this.isClause(node.left) || this.isClause(node.right)) return this.equivalence(node, equal);
        if (ask.broadcastsTo(node) !== null) return this.broadcast(node, truth);
      }
      return this.compared([node], truth, "and");
    }

    /** Two predicates compared: in a call, what each of them is. */
    equivalence({ left, right }, equal) {
      const values = [this.value(left), this.value(right)];
      if (values.includes(UNDEFINED)) {
        return this.language.say("exactly_when", [], this.clause(left), this.clause(right, equal));
      }
      return this.language.clauses([this.clause(left, values[0]), this.clause(right, values[1])], "and");
    }

    /** Comparisons of one left side, as one subject with its predicates. */
    compared(nodes, truth, last) {
      const { left } = nodes[0];
      const several = nodes.length > 1;
      if (last === "and" && several && nodes.every((node) => excluded(node, truth).length)) {
        const nouns = nodes.flatMap((node) => excluded(node, truth)).map((one) => this.noun(one));
        return this.language.neither(this.noun(left), nouns);
      }
      if (last === "or" && nodes.length > 2 && nodes.every((node) => isEquality(node, truth))) {
        const nouns = nodes.map((node) => this.noun(node.right));
        return `${this.noun(left)} ${this.language.oneOf(true, nouns, this.env !== null)}`;
      }
      const by = several ? null : divisor(nodes[0]);
      if (by !== null) {
        const verb = this.language.say("divisible", [isEquality(nodes[0], truth)], this.noun(by.right));
        return `${this.noun(by.left)} ${verb}`;
      }
      const pinned = !several && isEquality(nodes[0], truth) && ask.isLiteral(nodes[0].right);
      const subject = pinned ? this.bare(left) : this.noun(left);
      return this.language.predicates(subject, nodes.map((node) => this.verb(node, truth)), last);
    }

    /** The predicate of one comparison. */
    verb(node, truth) {
      if (isMember(node.op)) {
        const member = truth === (node.op === "in");
        if (node.right.kind !== "ListOf") return this.language.say("element_of", [member], this.noun(node.right));
        return this.language.oneOf(member, node.right.items.map((item) => this.noun(item)), this.env !== null);
      }
      const right = this.noun(node.right);
      const unordered = [node.left, node.right].some((side) => Number.isNaN(this.value(side)));
      if (!truth && !isEqual(node.op) && unordered) return this.language.say("not_ordered", [node.op], right);
      if (isEqual(node.op) && isFact(this, node.left) && isFact(this, node.right)) {
        return this.language.say("same", [isEquality(node, truth)], right);
      }
      const literal = ask.isLiteral(node.right) || node.right.kind === "ListOf";
      return this.language.say("relation", [node.op, truth, literal], right);
    }
  };

  /** Whether a term is what a tensor is like rather than a number. */
  function isFact(writer, node) {
    return ask.tables.facts.includes(ask.opened(writer, node).func);
  }

  /** Membership in one of several lists as one of several memberships. */
  function hoisted({ op, left, right: { cond, then, orelse } }) {
    const [first, second] = [then, orelse].map((branch) => {
      const inside = ask.compare(op, left, branch);
      return branch.kind === "IfElse" ? hoisted(inside) : inside;
    });
    return ask.words.choose(cond, first, second);
  }

  /** Whether a comparison reads as a subject and a predicate, so that others of the same subject may join it. */
  ask.isPlain = (node) => {
    const clauses =
      node.right.kind === "Bool" || node.right.kind === "IfElse" || ask.isClause(node.left) || ask.isClause(node.right);
    return !clauses && ask.broadcastsTo(node) === null && divisor(node) === null;
  };

  /** What the left side is said not to be. */
  function excluded(node, truth) {
    if (isEqual(node.op) && !isEquality(node, truth)) return [node.right];
    const outside = isMember(node.op) && truth === (node.op === "not in") && node.right.kind === "ListOf";
    return outside ? node.right.items : [];
  }

  /** The x % y of x % y == 0, or null. */
  function divisor({ op, left, right }) {
    const isRemainder = isEqual(op) && left.kind === "Arith" && left.op === "%";
    return isRemainder && right.kind === "Int" && right.value === 0n ? left : null;
  }
})();
