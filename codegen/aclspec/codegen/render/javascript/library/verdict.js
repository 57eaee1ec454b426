// What a product says to a call in both conformance modes, in the words of Python's answers (tables.answers).
"use strict";

(() => {
  const ask = globalThis.aclspecAsk;
  const numbered = (status) => `${ask.tables.statuses[status]} (${status})`;

  /**
   * The reports of a product in both modes, and the one whose reasons are shown: that of the library where it refuses
   * the call. The kind is "fails" (CANN refuses it), "unportable" (its document alone forbids it) or "holds".
   */
  ask.verdict = (operator, call, product) => {
    const [document, library] = ["document", "library"].map((mode) => ask.report(operator, call, product, mode));
    const kind = library.first ? "fails" : document.first ? "unportable" : "holds";
    return { product, document, library, kind, deciding: library.first ? library : document };
  };

  /** The verdicts of all products. */
  ask.verdicts = (operator, call) =>
    Object.keys(ask.tables.products).map((product) => ask.verdict(operator, call, product));

  /** Whether CANN refuses the call, with which status, whether its document forbids it, or that it works. */
  ask.answerText = ({ document, library, kind }, lang) => {
    const words = ask.tables.answers[lang];
    if (kind !== "fails") return words[kind === "holds" ? "works" : "not portable"];
    return ask.fill(words[document.first ? "refused" : "refused only"], [numbered(library.status)]);
  };

  const folded = (name) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "").replace(/^ascend/, "");

  /** The product that a person means: its key, and that of another one whose SoC has the same name. */
  ask.parseProduct = (text) => {
    const name = folded(text);
    const candidates = Object.hasOwn(ask.tables.aliases, name) ? ask.tables.aliases[name] : [];
    if (candidates.length > 1) throw new ask.Refusal("ambiguous_product", text, candidates.join(", "));
    const prefixed = ask.tables.socPrefixes.find(([prefix]) => name.startsWith(folded(prefix)));
    const key = candidates[0] ?? prefixed?.[1];
    if (key === undefined) throw new ask.Refusal("bad_product", text, Object.keys(ask.tables.products).join(", "));
    const soc = ask.tables.socs[name];
    return { key, other: soc === undefined || soc === key ? null : soc };
  };
})();
