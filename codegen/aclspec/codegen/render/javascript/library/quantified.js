// all and any in words.
"use strict";

(() => {
  const ask = globalThis.aclspecAsk;

  /**
   * The clause that all or any is true or false. One element decides an all that fails and an any that holds: with a
   * call, the clause is about that element.
   */
  ask.quantified = (writer, node, truth) => {
    const elements = writer.value(node.over);
    if ((node.quantifier === "any") === truth && elements !== ask.UNDEFINED) {
      for (const [place, element] of elements.entries()) {
        const env = writer.env.bind(node.variable, element);
        if (ask.evaluate(node.body, env) !== truth) continue;
        const variables = { ...writer.variables, [node.variable]: called(writer, node.over, place, element) };
        return writer.but({ env, variables }).clause(node.body, truth);
      }
    }
    if (node.quantifier === "all") return general(writer, node, truth ? "every" : "some", truth);
    return general(writer, node, truth ? "some" : "no", true);
  };

  const isShape = (node) => node.kind === "Call" && node.func === "shape";

  /** What one element of a list is called: an integer of a range by itself, the rest by its place. */
  function called(writer, over, place, element) {
    if (over.kind === "Call" && over.func === "range") return ask.valueText(element);
    if (over.kind === "ListOf") return writer.bare(over.items[place]);
    if (isShape(over)) return writer.bare(ask.words.dim(over.args[0], BigInt(place)));
    return writer.element(writer.bare(over), String(place));
  }

  /** A clause about every, some or no element, without naming which. */
  function general(writer, node, quantity, truth) {
    const { over, body, variable } = node;
    const collection = writer.noun(over);
    const speaking = (text) => writer.but({ variables: { ...writer.variables, [variable]: text } });
    const ranged = over.kind === "Call" && over.func === "range";
    if (!ranged && isSimple(body, variable) && !(quantity !== "every" && body.kind === "Not")) {
      const [name, text] = isShape(over) ? ["size", writer.bare(over.args[0])] : ["quantified", collection];
      return speaking(writer.language.say(name, [quantity], text)).clause(body, truth);
    }
    const domain = ask.domain(writer, node, quantity, collection);
    return writer.language.say("for_each", [quantity], domain, speaking(variable).clause(body, truth));
  }

  /** Whether the clause of the body names the variable once, as its subject. */
  function isSimple(body, variable) {
    const isVariable = (node) => node.kind === "Name" && node.id === variable;
    switch (body.kind) {
      case "Not":
        return body.operand.kind === "Call" && isSimple(body.operand, variable);
      case "Name":
        return isVariable(body);
      case "Call":
        return body.args.length === 1 && isVariable(body.args[0]);
      case "Compare":
        return isAbout([body], variable);
      case "And":
      case "Or":
        return body.items.every((item) => item.kind === "Compare") && isAbout(body.items, variable);
      default:
        return false;
    }
  }

  /** Whether all the comparisons are about one left side, which names the variable once, and no right side does. */
  function isAbout(items, variable) {
    const compares = items.map(ask.constantRight);
    const { left } = compares[0];
    const single = left.kind === "Call" && left.args.length === 1 && left.args[0].kind === "Name";
    const subject = left.kind === "Name" ? left : single ? left.args[0] : null;
    const same = compares.every((compare) => compare.left.key === left.key);
    return subject?.id === variable && same && compares.every((compare) => !ask.names(compare.right).has(variable));
  }
})();
