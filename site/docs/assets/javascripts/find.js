/* What the search finds: operators by parts of their names, by what they take, what they do and their names in PyTorch;
 * rules by their ids; products and status codes by any name; sections of guides by their words; and the operators that take
 * a dtype on a product. Loaded with the index, when somebody looks for something. */
(function () {
  "use strict";

  var SHOWN = 40;
  var EXCERPT = 160;
  var FEW = 5;
  var EITHER = 0.2; // what a result weighs that has only some of the words
  var PREFIXES = /^(?:torch_npu|torch|nn|functional|f|tensor|aten|ops|aclnn|aclspec|mindspore|mint)(?:\.|::)+/i;
  var IDLE = "a an and are as at by can did do does for how i in is it me my of on or that the this to what which why with 支持 上 的 吗 在".split(" ");
  var CHINESE = /[\u4e00-\u9fff]/;
  var aclspecSearch = globalThis.aclspecSearch = globalThis.aclspecSearch || {};

  /** A text without anything but letters and digits. */
  function compact(text) { return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ""); }

  /** The words of a text: runs of Chinese, and of other letters and digits. */
  function words(text) { return text.toLowerCase().replace(/[\u4e00-\u9fff]+/g, " $& ").match(/[\p{L}\p{N}_]+/gu) || []; }

  /** The words of a name in camel case: Max, Pool, 2d. */
  function parts(name) { return (name.match(/[A-Z]?[a-z]+|[0-9]+[a-z]*|[A-Z]+(?![a-z])/g) || []).map(function (one) { return one.toLowerCase(); }); }

  function lower(text) { return text.toLowerCase(); }

  function sum(numbers) { return numbers.reduce(function (all, one) { return all + one; }, 0); }

  function prepared(index) {
    ["products", "dtypes", "synonyms"].forEach(function (name) { index[name] = Object.assign(Object.create(null), index[name]); });
    var spoken = {}; // dtype or product -> the other names of it
    [index.products, index.dtypes].forEach(function (table) {
      Object.keys(table).forEach(function (alias) {
        table[alias].forEach(function (name) { (spoken[name] = spoken[name] || []).push(alias); });
      });
    });
    index.operators.forEach(function (one) {
      var support = index.support[one.support] || {};
      var taken = new Set(one.formats.map(lower));
      Object.keys(support).forEach(function (product) {
        [product].concat(support[product]).forEach(function (name) {
          taken.add(lower(name));
          (spoken[name] || []).forEach(function (alias) { taken.add(alias); });
        });
      });
      one.compact = compact(one.name.replace(/^aclnn/, ""));
      one.parts = parts(one.name.replace(/^aclnn/, ""));
      one.told = lower([one.summary, one.category, one.keywords].join(" "));
      one.taken = taken;
      one.named = one.params.map(compact);
      one.called = one.torch.map(function (name) { return compact(name.slice(name.lastIndexOf(".") + 1)); });
    });
    index.sections.forEach(function (one) {
      one.lowerTitle = one.title.toLowerCase();
      one.titleLength = Math.max(1, words(one.title).length);
      one.told = (one.title + " " + one.text).toLowerCase();
    });
    return index;
  }

  // The query

  /** A run of Chinese as the terms that are known, the longest first, and what is left between them. */
  function divided(index, run) {
    var found = [];
    var rest = "";
    for (var at = 0; at < run.length;) {
      var length = Math.min(8, run.length - at);
      while (length > 1 && !index.synonyms[run.substr(at, length)]) { length--; }
      if (length > 1) {
        if (rest) { found.push(rest); }
        found.push(run.substr(at, length));
        rest = "";
      } else { rest += run[at]; }
      at += length;
    }
    return rest ? found.concat(rest) : found;
  }

  /** The meanings of what is said, each a list of words; the first is what is said itself. */
  function meanings(index, said) {
    var found = [[said]];
    (index.synonyms[compact(said)] || []).forEach(function (text) { found.push(words(text)); });
    if (/[^s]s$/.test(said) && said.length > 3) { found.push([said.slice(0, -1)]); }
    return found;
  }

  /** What is asked for, a unit each: words that are a term together, words alone, stretches of Chinese. */
  function units(index, text) {
    var list = words(text);
    var telling = list.filter(function (word) { return IDLE.indexOf(word) < 0; });
    list = telling.length ? telling : list;
    var found = [];
    for (var at = 0; at < list.length;) {
      var length = Math.min(4, list.length - at);
      while (length > 1 && !index.synonyms[compact(list.slice(at, at + length).join(""))]) { length--; }
      var said = list.slice(at, at + length).join(length > 1 ? " " : "");
      (CHINESE.test(said) ? divided(index, compact(said)) : [said]).forEach(function (one) {
        found.push({ said: one, meanings: meanings(index, one) });
      });
      at += length;
    }
    return found;
  }

  /** The name without the module that a function stands in: F.cross_entropy, torch_npu.npu_rms_norm. */
  function bare(text) {
    var before;
    do { before = text; text = text.replace(PREFIXES, ""); } while (text !== before);
    return text;
  }

  // Scores

  /** The share of the pairs of characters that a text has, at least half of them; one for a whole stretch. */
  function share(text, word) {
    if (text.indexOf(word) >= 0) { return 1; }
    if (!CHINESE.test(word) || word.length < 3) { return 0; }
    var has = 0;
    for (var at = 0; at + 1 < word.length; at++) { has += text.indexOf(word.substr(at, 2)) >= 0 ? 1 : 0; }
    return has / (word.length - 1) >= 0.5 ? has / word.length : 0;
  }

  /** How well a word fits an operator; 0: not at all. */
  function wordScore(one, word) {
    if (one.parts.indexOf(word) >= 0) { return 60; }
    if (one.called.indexOf(word) >= 0) { return 55; }
    if (one.named.indexOf(compact(word)) >= 0) { return 50; }
    if (one.parts.some(function (part) { return part.indexOf(word) === 0; })) { return 35; }
    if (word.length > 2 && one.compact.indexOf(word) >= 0) { return 30; }
    if (one.taken.has(word)) { return 15; }
    return 10 * share(one.told, word);
  }

  /** How well a unit fits: the best of its meanings, of which each word has to fit. */
  function unitScore(unit, scoreOf) {
    return Math.max.apply(null, unit.meanings.map(function (list, at) {
      var scores = list.map(scoreOf);
      return Math.min.apply(null, scores) ? sum(scores) / list.length - (at ? 1 : 0) : 0;
    }));
  }

  /** All units, or with fewer points some of them. */
  function together(scores) {
    var hits = scores.filter(Boolean);
    if (hits.length === scores.length) { return sum(scores); }
    return EITHER * sum(hits) * hits.length / scores.length;
  }

  /** How well a name fits: the name itself, then names that begin with it, then names that have it. */
  function nameScore(one, name) {
    var place = name.length > 2 ? one.compact.indexOf(name) : -1;
    if (one.compact === name) { return 1000; }
    if (one.called.indexOf(name) >= 0) { return 950; }
    return place < 0 ? 0 : place ? 500 : 700;
  }

  function operatorScore(one, asked) {
    var named = Math.max.apply(null, asked.names.map(function (name, at) { return nameScore(one, name) * (1 - 0.03 * at); }));
    var scores = asked.units.map(function (unit) { return unitScore(unit, function (word) { return wordScore(one, word); }); });
    var score = named || together(scores);
    var isWhole = named || scores.every(Boolean);
    return { score: score && (score - one.compact.length / 100) * (one.location ? 0.95 : 1), isWhole: Boolean(isWhole) };
  }

  function sectionScore(one, asked) {
    if (one.keywords && one.keywords.indexOf(asked.whole) >= 0) { return { score: 900, isWhole: true }; }
    if (one.lowerTitle === asked.query) { return { score: 300 * one.boost, isWhole: true }; }
    var titled = asked.units.map(function (unit) { return unitScore(unit, function (word) { return 60 * share(one.lowerTitle, word); }); });
    var told = asked.units.map(function (unit) { return unitScore(unit, function (word) { return 8 * share(one.told, word); }); });
    var isWhole = told.every(Boolean);
    var isPage = one.location.indexOf("#") < 0 ? 1 : 0;
    var inTitle = titled.every(Boolean) ? (60 + 20 * isPage + 20 * asked.units.length / one.titleLength) * one.boost : 0;
    return { score: inTitle || together(told) / told.length * Math.min(one.boost, 1), isWhole: isWhole }; // a word in passing weighs no more on a page that weighs more
  }

  // A dtype on a product

  /** The value of a table that the beginning of a list of words names, and how many words that takes. */
  function named(table, list) {
    for (var length = Math.min(4, list.length); length; length--) {
      var key = compact(list.slice(0, length).join(""));
      if (table[key]) { return { values: table[key], length: length }; }
    }
    return null;
  }

  /** The dtype and the product that a query names, and its other words; null without both, and for more than a dtype alone. */
  function pairOf(index, query) {
    var list = words(query.replace(/_/g, " ")).filter(function (word) { return IDLE.indexOf(word) < 0; });
    var found = { rest: [] };
    for (var at = 0; at < list.length;) {
      var dtype = !found.dtype && named(index.dtypes, list.slice(at));
      var product = !dtype && !found.product && named(index.products, list.slice(at));
      if (dtype) { found.dtype = dtype.values[0]; } else if (product) { found.product = product.values[0]; } else { found.rest.push(list[at]); }
      at += (dtype || product || { length: 1 }).length;
    }
    return found.dtype && (found.product || !found.rest.length) ? found : null;
  }

  /** The answer of the support page: how many operators take the dtype on the product, of those that a name leaves. */
  function pairResult(index, pair) {
    var isNamed = function (one) { return lower(one.name).indexOf(pair.rest.join("")) >= 0; };
    var left = index.operators.filter(function (one) { return !one.location; });
    var name = pair.rest.length && left.some(isNamed) ? pair.rest.join("") : "";
    var some = left.filter(function (one) { return takes(index, one, pair) && (!name || isNamed(one)); });
    var query = new URLSearchParams(Object.assign(pair.product ? { product: pair.product } : {}, { dtype: pair.dtype }, name ? { name: name } : {}));
    var shown = some.slice(0, 6).map(function (one) { return one.name; }).join(", ") + (some.length > 6 ? ", …" : "");
    var title = index.words[pair.product ? "pair" : "dtype"].replace("{dtype}", pair.dtype).replace("{product}", pair.product).replace("{count}", some.length);
    return { score: 2000, isWhole: true, kind: "matrix", location: "support.html?" + query, text: shown, title: name ? name + ": " + title : title };
  }

  /** Whether an operator takes the dtype of a pair on its product, or on any where it names none. */
  function takes(index, one, pair) {
    var support = index.support[one.support] || {};
    return (pair.product ? [pair.product] : Object.keys(support)).some(function (key) { return (support[key] || []).indexOf(pair.dtype) >= 0; });
  }

  // Results

  /** The part of a text around the first of the words, cut between words. */
  function excerpt(text, list) {
    if (text.length <= EXCERPT) { return text; }
    var small = text.toLowerCase();
    var places = list.map(function (word) { return small.indexOf(word); }).filter(function (at) { return at >= 0; });
    var from = Math.max(0, Math.min.apply(null, places.concat(text.length)) - EXCERPT / 4);
    if (!places.length) { from = 0; }
    var end = Math.min(text.length, from + EXCERPT);
    var isInside = function (at) { return at > 0 && at < text.length && /[\p{L}\p{N}_]/u.test(text[at - 1]) && /[\p{L}\p{N}_]/u.test(text[at]) && !CHINESE.test(text[at - 1] + text[at]); };
    while (from < end && isInside(from)) { from++; }
    while (end > from && isInside(end)) { end--; }
    return (from ? "… " : "") + text.slice(from, end).trim() + (end < text.length ? " …" : "");
  }

  function kindOf(location) {
    var page = location.split(/[#?]/)[0];
    return page.indexOf("guides/") === 0 ? "guide" : page.indexOf("decisions/") === 0 ? "decision" :
      page === "changelog.html" ? "changelog" : page === "index.html" || page === "" ? "home" : "reference";
  }

  function rulesOf(one, asked) {
    var found = [];
    one.rules.forEach(function (id) {
      var isFull = asked.whole === compact(one.name + id);
      var score = isFull ? 1500 : id === asked.query ? 800 : asked.query.length > 3 && id.indexOf(asked.query) >= 0 ? 100 : 0;
      if (score) { found.push({ score: score, isWhole: true, kind: "rule", title: id, location: "operators/" + one.snake + ".html#rule-" + id, text: one.name }); }
    });
    return found;
  }

  /** What a query finds, the best first: kinds, titles, addresses below the folder of the language, and texts. */
  aclspecSearch.find = function (index, query) {
    var text = query.trim().toLowerCase();
    var whole = compact(text);
    if (!whole) { return []; }
    var pair = pairOf(index, text);
    var spoken = bare(text);
    var unprefixed = compact(spoken.replace(/^aclnn/, ""));
    var names = [unprefixed, unprefixed.replace(/^npu/, "") || unprefixed].concat((index.synonyms[unprefixed] || []).map(compact));
    var asked = { query: text, whole: whole, names: names, units: units(index, spoken) };
    var list = [].concat.apply([], asked.units.map(function (unit) { return [].concat.apply([], unit.meanings); }));
    var found = [];
    var rules = [];
    index.operators.forEach(function (one) {
      var score = operatorScore(one, asked);
      var location = one.location || "operators/" + one.snake + ".html";
      if (score.score) { found.push(Object.assign(score, { kind: one.location ? "declared" : "operator", title: one.name, location: location, text: one.summary, operator: one })); }
      rules.push.apply(rules, rulesOf(one, asked));
    });
    if (rules.length > FEW) { rules.forEach(function (one) { one.score /= rules.length; }); } // an id that many have is a word like others
    found.push.apply(found, rules);
    index.sections.forEach(function (one) {
      var score = sectionScore(one, asked);
      if (score.score) { found.push(Object.assign(score, { kind: kindOf(one.location), title: one.title, location: one.location, text: excerpt(one.text, list) })); }
    });
    var isAnswered = found.some(function (one) { return one.isWhole; });
    found = found.filter(function (one) { return one.isWhole || !isAnswered; });
    if (pair) {
      found = found.filter(function (one) { return !one.operator || takes(index, one.operator, pair); });
      found.push(pairResult(index, pair));
    }
    return found.sort(function (one, other) { return other.score - one.score; }).slice(0, SHOWN);
  };

  aclspecSearch.load = function (index) { aclspecSearch.index = prepared(index); };
})();
