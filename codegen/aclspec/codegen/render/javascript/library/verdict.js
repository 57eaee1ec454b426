// What a product says to a call in both conformance modes, in the words of Python's answers (tables.answers).
"use strict";

(() => {
  const ask = globalThis.aclspecAsk;
  const numbered = (status) => `${ask.tables.statuses[status]} (${status})`;

  /** What the spec knows of a call beside its rules: missing kernels, then what is not judged. */
  function caveats(operator, env) {
    const isHere = ({ products, modes }) => (!products || products.includes(env.product)) && (!modes || modes.includes(env.mode));
    return operator.caveats.filter((one) => isHere(one) && (one.when === undefined || ask.evaluate(one.when, env) === true));
  }

  const completed = new WeakMap();

  /** The call with each output that was left out as it follows, null where it is not required; as Python's `completed`. */
  function completedCall(operator, call) {
    if (!completed.has(call)) {
      const found = ask.followed(operator, call);
      completed.set(call, Object.keys(found).length ? { ...call, ...found } : call);
    }
    return completed.get(call);
  }

  /**
   * The report of a mode, in which rules that leave a case out say nothing of it, its verdict, and what decides that. The
   * rules see outputs that were left out, as they follow, in a call that they do not refuse without them.
   */
  ask.judge = (operator, call, product, mode) => {
    const found = judged(operator, call, product, mode);
    const whole = found.verdict === "refused" ? call : completedCall(operator, call);
    return whole === call ? found : judged(operator, whole, product, mode);
  };

  function judged(operator, call, product, mode) {
    const report = ask.report(operator, call, product, mode);
    const found = report.shortcut ? [] : caveats(operator, report.env);
    const silent = new Set(found.flatMap(({ rules, until }) => (until ? [] : rules ?? [])));
    const failing = report.failing.filter((rule) => !silent.has(rule.id));
    const outcomes = new Map(report.outcomes);
    for (const { id } of report.failing) if (silent.has(id)) outcomes.set(id, "n/a");
    const first = failing[0] ?? null;
    const caveat = first ? null : found.find(({ kind }) => kind !== "version") ?? null;
    const versions = found.find(({ since, until, rules }) => (first ? until && rules.includes(first.id) : since)) ?? null;
    const verdict = first ? "refused" : caveat ? (caveat.kind === "no kernel" ? caveat.kind : "not judged") : "works";
    const status = first ? first.status[mode] : caveat?.status ?? "ACLNN_SUCCESS";
    return { ...report, outcomes, failing, first, status, verdict, caveat, versions };
  }

  /**
   * The judgements of a product in both modes, their common verdict, and the one whose reasons are shown: that of the
   * document where the library takes the call, else that of the library.
   */
  ask.verdict = (operator, given, product) => {
    const call = ask.fitted(operator, given, product);
    const [document, library] = ["document", "library"].map((mode) => ask.judge(operator, call, product, mode));
    const kind = common(document, library);
    const isTaken = library.verdict === "works" || kind === "undocumented";
    return { product, document, library, kind, deciding: isTaken ? document : library };
  };

  function common(document, library) {
    const { verdict } = library;
    if (["works", "not judged"].includes(verdict) && document.first?.kind === "product") return "undocumented";
    if (verdict === "works" && document.verdict === "refused") return "not portable";
    return verdict === "works" && document.verdict === "not judged" ? "not judged" : verdict;
  }

  /** That versions of CANN before one refuse a call that the newest takes, or take one that the newest refuses. */
  ask.versionsText = (caveat, lang, isRefused) => {
    const [key, bound] = isRefused || !caveat.since ? ["until", caveat.until] : ["before", caveat.since];
    return ask.fill(ask.tables.answers[lang][key], [bound, ask.reasonText(caveat, lang)]);
  };

  /** Why a call that no rule refuses is not judged, or what has no kernel and where that is known from. */
  ask.reasonText = ({ because, source }, lang) => {
    const words = ask.tables.answers[lang];
    return source ? ask.fill(words.because, [because[lang], words[source]]) : because[lang];
  };

  /** The call with numbers whose text names no dtype in one that the rows of the product take, as Python's `fitted`. */
  ask.fitted = (operator, call, product) => {
    const rows = ask.rowsOf(operator, product, "document");
    const changed = {};
    for (const [name, value] of Object.entries(call)) {
      const allowed = new Set(value?.plain ? rows.flatMap((row) => row.cells[name] ?? []) : []);
      if (!allowed.size || allowed.has(value.dtype)) continue;
      const holds = (dtype) => {
        const [low, high] = ask.tables.numbers.ranges[dtype] ?? [];
        return allowed.has(dtype) && (low === undefined || (value.value >= low && value.value <= high));
      };
      const dtype = ask.tables.numbers.order[value.dtype]?.find(holds);
      if (dtype !== undefined) changed[name] = { dtype, value: numberOf(value.value, dtype) };
    }
    return Object.keys(changed).length ? { ...call, ...changed } : call;
  };

  function numberOf(value, dtype) {
    if (ask.tables.floating.includes(dtype)) return Number(value);
    return dtype === "BOOL" ? value : BigInt(value);
  }

  /** The verdicts of all products. */
  ask.verdicts = (operator, call) =>
    Object.keys(ask.tables.products).map((product) => ask.verdict(operator, call, product));

  /** The verdict in words, with the status where CANN does not take the call. */
  ask.answerText = ({ document, library, kind }, lang) => {
    let key = kind === "refused" && document.verdict === "works" ? "refused only" : kind;
    if (key === "no kernel" && library.caveat.status) key = "no kernel status";
    return ask.fill(ask.tables.answers[lang][key], [numbered(library.status)]);
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
