// Predicates as clauses: that they are true, or false. With a call, only the parts that decide the truth are told.
"use strict";

(() => {
  const ask = globalThis.aclspecAsk;
  const { UNDEFINED, valueText } = ask;

  ask.Writer = class Writer extends ask.Comparisons {
    /** The clause that a predicate is true, or false. */
    clause(node, truth = true) {
      switch (node.kind) {
        case "Not":
          return this.clause(node.operand, !truth);
        case "And":
        case "Or":
          return this.joined(node, truth);
        case "Bool":
          return this.language.say("constant", [node.value === truth]);
        case "Compare":
          return this.comparison(ask.constantRight(node), truth);
        case "Quantifier":
          return ask.quantified(this, node, truth);
        case "InRows":
          return ask.rowsClause(this, node, truth);
        case "IfElse":
          return this.branch(node, truth);
        case "Name":
          return this.flag(node.id, truth);
        default:
          if (ask.isClause(node)) return this.called(node.func, [node.args], truth, "and");
          return this.language.say("boolean", [truth], this.bare(node));
      }
    }

    /** The parts of an and or an or that matter, as one clause. */
    joined(node, truth) {
      let items = ask.simplified(node);
      if (items.length === 1) return this.part(items[0], truth);
      let last = "and";
      if ((node.kind === "And") !== truth) {
        const told = items.filter((item) => this.value(item) === truth);
        last = told.length ? "and" : "or";
        if (told.length) items = told;
      }
      const groups = this.groups(items);
      let texts = groups.map((group) => this.group(group, truth, last));
      if (last === "and" && groups.length > 1) {
        const isChoice = (group) => group.length === 1 && this.isChoice(group[0], truth);
        texts = texts.map((text, at) => (isChoice(groups[at]) ? this.language.either + text : text));
      }
      return this.language.clauses(texts, last);
    }

    /** One item of an and, which may be a pattern of its own. */
    part(item, truth) {
      return this.broadcast(item, truth) || this.clause(item, truth);
    }

    /** Whether the item's clause offers alternatives with subjects of their own. */
    isChoice(item, truth) {
      for (; item.kind === "Not"; item = item.operand) truth = !truth;
      const alternatives = this.env === null && item.kind === (truth ? "Or" : "And") && ask.broadcastsTo(item) === null;
      return alternatives && this.groups(ask.simplified(item)).length > 1;
    }

    /** The items, neighbours together that share their subject or their predicate. */
    groups(items) {
      const groups = [];
      for (const item of items) {
        const shared = subject(item);
        if (groups.length && shared !== null && shared === subject(groups.at(-1)[0])) groups.at(-1).push(item);
        else groups.push([item]);
      }
      return groups;
    }

    group(group, truth, last) {
      const [first] = group;
      if (group.length === 1) return this.part(first, truth);
      if (first.kind === "Compare") return this.compared(group.map(ask.constantRight), truth, last);
      const calls = group.map((item) => (item.kind === "Not" ? item.operand : item));
      return this.called(calls[0].func, calls.map((call) => call.args), truth !== (first.kind === "Not"), last);
    }

    /** A function that returns bool, of one list of arguments or of several single ones. */
    called(func, calls, truth, last) {
      const { phrase, negated } = ask.tables.functions[func];
      let template = (truth || !negated ? phrase : negated)[this.language.code];
      if (calls.length > 1 && last === "and") template = this.language.plural(template);
      const subjects = calls.map(([first]) => this.argument(func, first));
      const others = calls[0].slice(1).map((arg) => this.argument(func, arg));
      return this.fill(template, [this.language.nouns(subjects, last), ...others]);
    }

    /** An argument of a function that returns bool, with what makes it so. */
    argument(func, arg) {
      const value = this.value(arg);
      if (value !== UNDEFINED && func === "is_empty") {
        return this.language.say("of_shape", [], this.bare(arg), valueText(value.shape));
      }
      if (value !== UNDEFINED && func === "is_contiguous") {
        return this.language.say("of_strides", [], this.bare(arg), valueText(value.strides));
      }
      return func === "is_null" ? this.bare(arg) : this.noun(arg);
    }

    /** A parameter, a variable or a let of type bool. */
    flag(name, truth) {
      const told = this.let(name);
      if (told === null) return this.language.say("boolean", [truth], this.nameOf(name));
      if (!told.doc) return this.clause(told.value, truth);
      return this.language.say("applies", [truth], told.doc[this.language.code]);
    }

    /** A conditional predicate: in a call, the branch that it takes and why. */
    branch({ cond, then, orelse }, truth) {
      const chosen = this.value(cond);
      const byCase = orelse.kind === "IfElse" && ask.exclude(cond, orelse.cond);
      if (chosen === UNDEFINED) return this.cases(cond, then, orelse, truth, byCase);
      if (byCase && chosen === false) return this.clause(orelse, truth);
      const told = this.clause(chosen ? then : orelse, truth);
      return this.language.say("despite", [false], this.clause(cond, chosen), told);
    }

    /** A conditional predicate whose condition is not known; a last branch that is always true is left out. */
    cases(cond, then, orelse, truth, byCase) {
      const texts = [this.clause(cond), this.clause(then, truth)];
      if (orelse.kind === "Bool" && orelse.value && truth) return this.language.say("guarded", [], ...texts);
      const rest = this.clause(orelse, truth);
      if (byCase) return this.language.say("case_by_case", [], this.language.say("guarded", [], ...texts), rest);
      return this.language.say("otherwise", [], ...texts, rest);
    }
  };

  /** The function that a node calls, under a not or not; null for another node. */
  function funcOf(node) {
    const inner = node.kind === "Not" ? node.operand : node;
    return inner.kind === "Call" && inner.args.length === 1 && ask.isClause(inner) ? inner.func : null;
  }

  /** What neighbours share to be told in one clause: the left side compared, or the function and its truth. */
  function subject(node) {
    if (node.kind === "Compare") {
      const flipped = ask.constantRight(node);
      return ask.isPlain(flipped) ? flipped.left.key : null;
    }
    return funcOf(node) === null ? null : `${funcOf(node)} ${node.kind === "Not"}`;
  }
})();
