// What every rule of an operator says about a call, on one product or on all of them.
"use strict";

(() => {
  const ask = globalThis.aclspecAsk;
  const { UNDEFINED, INFERRED, evaluate } = ask;

  /**
   * The outcome of every rule, in the order of the checks: "holds", "fails", "n/a" (nothing to say about this call),
   * "off" (not checked on this product or in this mode) or "skipped" (after a shortcut, or on an unlisted product).
   */
  ask.report = (operator, call, product, mode) => {
    const env = new ask.Environment(operator, call, product, mode);
    const unlisted = operator.rules.find((rule) => rule.kind === "product" && outcome(rule, env) === "fails");
    const outcomes = new Map();
    let reached = null;
    for (const rule of operator.rules) {
      if (unlisted) outcomes.set(rule.id, rule === unlisted ? "fails" : "skipped");
      else if (reached) outcomes.set(rule.id, "skipped");
      else {
        outcomes.set(rule.id, outcome(rule, env));
        if (rule.kind === "shortcut" && outcomes.get(rule.id) === "holds") reached = rule;
      }
    }
    const failing = operator.rules.filter((rule) => outcomes.get(rule.id) === "fails");
    const first = failing[0] ?? null;
    const status = first ? first.status[mode] : "ACLNN_SUCCESS";
    return { product, mode, env, outcomes, failing, first, status, shortcut: first ? null : reached };
  };

  function outcome(rule, env) {
    if (rule.outcome === "undefined" || !ask.isEnforced(rule, env)) return "off";
    if (rule.kind === "product") return env.operator.products.includes(env.product) ? "holds" : "fails";
    const applies = rule.when === undefined || evaluate(rule.when, env) === true;
    if (rule.kind === "shortcut") return applies ? "holds" : "n/a";
    const verdict = applies && rule.require !== undefined ? evaluate(rule.require, env) : UNDEFINED;
    return verdict === UNDEFINED ? "n/a" : verdict ? "holds" : "fails";
  }

  /** Whether this product, in this mode, checks the rule at all; a shortcut may leave its modes unsaid. */
  ask.isEnforced = (rule, { product, mode }) => {
    const inMode = mode in rule.status || (rule.kind === "shortcut" && !Object.keys(rule.status).length);
    return inMode && (!rule.products || rule.products.includes(product));
  };

  /** What each output is that follows from the inputs, a tensor or a list; null where it is not required, or none does. */
  ask.inferred = (operator, call) => {
    const outputs = Object.keys(operator.infer).filter((name) => isOnlyOutput(operator, name));
    const inputs = { ...call, ...Object.fromEntries(outputs.map((name) => [name, INFERRED])) };
    const known = Object.entries(ask.followed(operator, inputs)).map(([name, value]) => [name, value === INFERRED ? null : value]);
    return Object.fromEntries(known);
  };

  /** The same of the outputs that a call leaves out alone; INFERRED for one that does not follow. */
  ask.followed = (operator, call) => {
    const outputs = Object.keys(operator.infer).filter((name) => call[name] === INFERRED);
    if (!outputs.length) return {};
    const env = new ask.Environment(operator, call, "", "document");
    return Object.fromEntries(outputs.map((name) => [name, inferredOne(operator, name, env)]));
  };

  const isOnlyOutput = (operator, name) => operator.params.find((param) => param.name === name).direction === "out";

  /** Whether what is inferred may rely on a rule: it holds, or is known not to apply. */
  function isReliable(rule, env) {
    return (rule.when !== undefined && evaluate(rule.when, env) === false) || evaluate(rule.require, env) === true;
  }

  function inferredOne(operator, name, env) {
    const param = operator.params.find((one) => one.name === name);
    const required = param.required === undefined ? true : evaluate(param.required, env);
    if (required !== true) return required === false ? null : INFERRED;
    const entry = operator.infer[name];
    if ((entry.reliesOn ?? []).some((id) => !isReliable(operator.rules.find((rule) => rule.id === id), env))) return INFERRED;
    const value = (node) => (node === undefined ? null : evaluate(node, env));
    const [shape, dtype, format] = [entry.shape, entry.dtype, entry.format].map(value);
    if ([shape, dtype, format].includes(UNDEFINED)) return INFERRED;
    if (param.type !== "tensor_list") return ask.tensor({ shape, dtype, format });
    return shape.map((one, at) => ask.tensor({ shape: one, dtype: dtype[at], format: format?.[at] ?? null }));
  }
})();
