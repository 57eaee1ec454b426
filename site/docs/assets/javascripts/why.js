/* "Paste what you have": finds in a pasted text what `aclspec why` finds, by the same grammar (assets/ask/grammar.js), and
 * says what codes and messages mean. Nothing leaves the page. The dtypes and the rules of an operator stand on its page. */
(function () {
  "use strict";

  var MOST_TEXT = 1000000;
  var MOST_LINE = 4096;
  var MOST_LINES = 5000;
  var MOST_ANSWERS = 20;
  var SHARED = ["soc", "product", "cann"];
  var why = (globalThis.aclspecWhy = globalThis.aclspecWhy || {});

  function dtypeName(text) {
    var plain = text.replace(/^DT_/, "").trim().toLowerCase().replace(/^(?:acl_|dt_(?!undefined)|(?:torch|np|numpy|mindspore|ms)\.)/, "");
    return Object.hasOwn(why.data.dtypes, plain) ? why.data.dtypes[plain] : null;
  }

  /** A fact as answers take it: names without what the forms leave on them, dtypes by their own name. */
  var PLAIN = {
    operator: function (text) { return [["operator", text.replace(/(?:GetWorkspaceSize|_[0-9].*)$/, "")]]; },
    rule: function (text) {
      var plain = text.replace(/[-.]+$/, "");
      return plain.indexOf(".") < 0 ? [] : [["rule", plain], ["operator", plain.split(".")[0]]];
    },
    parameter: function (text) { return [["parameter", text.replace(/\.+$/, "").split(".").pop()]]; },
    dtype: function (text) { return dtypeName(text) === null ? [] : [["dtype", dtypeName(text)]]; },
    dtypes: function (text) {
      var names = text.split(",").map(function (word) { return dtypeName(word.trim()); }).filter(Boolean);
      return names.length ? [["dtypes", names.join(", ")]] : [];
    },
    torch: function (text) { return dtypeName(text) === null ? [["torch", text.replace(/\.+$/, "")]] : []; },
  };

  function forms() {
    return (why.forms = why.forms || Object.values(why.data.forms).map(function (one) {
      return { pattern: new RegExp(one.pattern, "g"), yields: one.yields, implies: Object.entries(one.implies) };
    }));
  }

  /** Kind and text of everything that a line says, once, as Python's `facts_of_line`. */
  why.facts = function (line) {
    var found = new Map();
    function add(kind, text) {
      (PLAIN[kind] ? PLAIN[kind](text) : [[kind, text]]).forEach(function (fact) { found.set(fact.join("\u0000"), fact); });
    }
    forms().forEach(function (form) {
      Array.from(line.slice(0, MOST_LINE).matchAll(form.pattern)).forEach(function (match) {
        form.yields.forEach(function (kind, at) { add(kind, match[at + 1]); });
        form.implies.forEach(function (pair) { add(pair[0], pair[1]); });
      });
    });
    var facts = Array.from(found.values());
    var listed = facts.filter(function (one) { return one[0] === "dtypes"; }).flatMap(function (one) { return one[1].split(", "); });
    var own = facts.filter(function (one, at) { return at && one[0] === "dtype" && ["parameter", "noun"].indexOf(facts[at - 1][0]) >= 0; });
    var kept = own.map(function (one) { return one[1]; });
    return facts.filter(function (one) { return one[0] !== "dtype" || kept.indexOf(one[1]) >= 0 || listed.indexOf(one[1]) < 0; });
  };

  function add(target, kind, text) {
    target[kind] = target[kind] || [];
    if (target[kind].indexOf(text) < 0) { target[kind].push(text); }
  }

  /** The facts by operator and those about none, as Python's `gather`. */
  why.gather = function (text) {
    var cases = new Map();
    var loose = {};
    var shared = {};
    var current = null;
    var told = text.slice(0, MOST_TEXT).split(/\r\n|\r|\n/).map(why.facts).filter(function (facts) { return facts.length; });
    told.slice(0, MOST_LINES).forEach(function (facts) {
      facts.forEach(function (fact) {
        if (fact[0] !== "operator" || (!cases.has(fact[1]) && cases.size >= MOST_ANSWERS)) { return; }
        if (!cases.has(fact[1])) { cases.set(fact[1], {}); }
        current = cases.get(fact[1]);
      });
      facts.forEach(function (fact) {
        if (fact[0] !== "operator") { add(SHARED.indexOf(fact[0]) >= 0 ? shared : current || loose, fact[0], fact[1]); }
      });
    });
    var found = Array.from(cases.entries());
    function join(target, other) {
      Object.keys(other).forEach(function (kind) { other[kind].forEach(function (text) { add(target, kind, text); }); });
    }
    if (found.length) { join(found[0][1], loose); }
    found.forEach(function (one) { join(one[1], shared); });
    join(loose, shared);
    return { cases: found, loose: loose };
  };

  /** The names of the failures that facts tell, as Python's `About._failures`. */
  why.failures = function (facts) {
    var table = why.data.failures;
    var names = Object.keys(table);
    function ofCode(code) {
      return names.find(function (name) { return table[name].codes.indexOf(code) >= 0; }) || names.find(function (name) {
        return table[name].codes.some(function (one) { return /\*$/.test(one) && code.indexOf(one.slice(0, -1)) === 0; });
      });
    }
    var found = (facts.failure || []).concat((facts.code || []).map(ofCode)).filter(function (name) { return name && table[name]; });
    var unique = Array.from(new Set(found));
    var telling = unique.filter(function (name) { return !table[name].vague; });
    return telling.length ? telling : unique;
  };

  if (typeof document === "undefined") { return; }

  var WORDS = {
    en: { box: "A traceback, lines of a log, a message", nothing: "Nothing in this text is known here.", page: "What the rules say of this call stands on the page of", check: "Check, in this order:", calls: "calls" },
    zh: { box: "traceback、日志行或错误消息", nothing: "此文本中没有可识别的内容。", page: "规则对该调用的判断见算子页面", check: "请依次检查：", calls: "调用" },
  };

  function element(name, parent, text) {
    var made = document.createElement(name);
    if (text !== undefined) { made.textContent = text; }
    parent.append(made);
    return made;
  }

  function link(parent, name) {
    var snake = why.data.operators[name];
    var made = element(snake ? "a" : "code", parent, name);
    if (snake) { made.href = "../operators/" + snake + ".html"; }
  }

  function answer(place, lang, operator, facts) {
    var words = WORDS[lang];
    var box = element("section", place);
    element("h3", box, [operator].concat(facts.code || [], facts.soc || []).filter(Boolean).join(", "));
    why.failures(facts).forEach(function (name) {
      var failure = why.data.failures[name];
      element("p", box, failure.title[lang] + (lang === "zh" ? "。" : ". ") + failure.doc[lang]);
      if (failure.checks.length) { element("p", box, words.check); }
      var list = failure.checks.length ? element("ol", box) : null;
      failure.checks.forEach(function (check) { element("li", list, check.doc[lang]); });
    });
    (facts.torch || []).forEach(function (name) {
      var calls = why.data.torch[name] || why.data.torch[name.replace(/^F\./, "torch.nn.functional.")];
      var line = calls ? element("p", box, name + " " + words.calls + " ") : null;
      (calls || "").split(" ").filter(Boolean).forEach(function (one) { link(line, one); line.append(" "); });
    });
    if (operator) { link(element("p", box, words.page + " "), operator); }
  }

  function mount(place) {
    var lang = /^zh/.test(document.documentElement.lang) ? "zh" : "en";
    var label = element("label", place, WORDS[lang].box);
    var input = element("textarea", label);
    var answers = element("div", place);
    input.rows = 6;
    input.style.width = "100%";
    answers.setAttribute("aria-live", "polite");
    input.addEventListener("input", function () {
      var found = why.gather(input.value);
      answers.replaceChildren();
      found.cases.forEach(function (one) { answer(answers, lang, one[0], one[1]); });
      if (!found.cases.length && Object.keys(found.loose).length) { answer(answers, lang, null, found.loose); }
      if (!answers.children.length && input.value.trim()) { element("p", answers, WORDS[lang].nothing); }
    });
  }

  document.querySelectorAll(".aclspec-why").forEach(mount);
})();
