// What is wrong with a call on which a rule fails, in a sentence with the actual values.
"use strict";

(() => {
  const ask = globalThis.aclspecAsk;

  /** The sentence of a rule that fails in a report (report.js): given and expected. */
  ask.failure = (rule, { env }, lang) => {
    const { operator, product } = env;
    const language = ask.languages[lang];
    const names = operator.params.map((param) => param.name);
    if (rule.kind === "product") return language.sentence(language.refusedProduct(operator.products, product), names);
    if (rule.kind === "shortcut" || !rule.require) return rule.says[lang];
    const writer = new ask.Writer({ language, operator, env, variables: {} });
    let told = writer.clause(rule.require, false);
    if (rule.when) {
      told = language.say("despite", [isAboutNull(rule.require)], writer.clause(rule.when), told);
    }
    return language.sentence(told, names);
  };

  /** Whether a failure is a null pointer where the guard asks for none. */
  function isAboutNull(node) {
    const inner = node.kind === "Not" ? node.operand : node;
    return inner.kind === "Call" && inner.func === "is_null";
  }
})();
