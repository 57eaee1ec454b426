/* The search: finds operators by parts of their names, what they take and what they do, rules by their ids, products and
 * status codes by any name, and sections of guides by their words. The index of the page's language is loaded when somebody
 * looks for something; it is a script, so that a page that is a file can load it, too. */
(function () {
  "use strict";

  var SHOWN = 40;
  var aclspecSearch = globalThis.aclspecSearch = { index: null };

  /** A text without anything but letters and digits. */
  function compact(text) { return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ""); }

  /** The words of a text: runs of Chinese, and of other letters and digits. */
  function words(text) { return text.toLowerCase().replace(/[\u4e00-\u9fff]+/g, " $& ").match(/[\p{L}\p{N}_]+/gu) || []; }

  /** The words of a name in camel case: Max, Pool, 2d. */
  function parts(name) { return (name.match(/[A-Z]?[a-z]+|[0-9]+[a-z]*|[A-Z]+(?![a-z])/g) || []).map(function (one) { return one.toLowerCase(); }); }

  function prepared(index) {
    index.operators.forEach(function (one) {
      one.compact = compact(one.name.replace(/^aclnn/, ""));
      one.parts = parts(one.name.replace(/^aclnn/, ""));
      one.told = (one.summary + " " + one.category + " " + one.keywords).toLowerCase();
      one.taken = one.takes.map(function (text) { return text.toLowerCase(); }).concat(Object.keys(index.aliases).filter(function (alias) {
        return index.aliases[alias].some(function (name) { return one.takes.indexOf(name) >= 0; });
      }));
      one.named = one.params.map(function (text) { return text.toLowerCase(); });
    });
    index.sections.forEach(function (one) {
      one.lowerTitle = one.title.toLowerCase();
      one.told = (one.title + " " + one.text).toLowerCase();
    });
    return index;
  }

  /** How well a word of a query fits an operator; 0: not at all. */
  function wordScore(one, word) {
    if (one.parts.indexOf(word) >= 0) { return 60; }
    if (one.named.indexOf(word) >= 0) { return 50; }
    if (one.parts.some(function (part) { return part.indexOf(word) === 0; })) { return 35; }
    if (word.length > 2 && one.compact.indexOf(word) >= 0) { return 30; }
    if (one.taken.indexOf(word) >= 0) { return 15; }
    return one.told.indexOf(word) >= 0 ? 10 : 0;
  }

  function operatorScore(one, whole, list) {
    var name = whole.replace(/^aclnn/, "");
    var place = name.length > 2 ? one.compact.indexOf(name) : -1;
    var length = one.compact.length / 100;
    if (one.compact === name) { return 1000; }
    if (place >= 0) { return (place ? 500 : 700) - length; }
    var scores = list.map(function (word) { return wordScore(one, word); });
    return Math.min.apply(null, scores) ? scores.reduce(function (sum, score) { return sum + score; }, 0) - length : 0;
  }

  function sectionScore(one, query, list) {
    if (one.keywords && one.keywords.indexOf(compact(query)) >= 0) { return 900; }
    if (!list.every(function (word) { return one.told.indexOf(word) >= 0; })) { return 0; }
    if (one.lowerTitle === query) { return 300 * one.boost; }
    var isTitled = list.every(function (word) { return one.lowerTitle.indexOf(word) >= 0; });
    return isTitled ? 60 * one.boost : 8 * Math.min(one.boost, 1); // a word in passing weighs no more on a page that weighs more
  }

  /** What a query finds, the best first: titles, addresses below the folder of the language, and texts. */
  aclspecSearch.find = function (index, query) {
    var asked = query.trim().toLowerCase();
    var whole = compact(asked);
    var list = words(asked);
    if (!whole) { return []; }
    var found = [];
    index.operators.forEach(function (one) {
      var page = "operators/" + one.snake + ".html";
      var score = operatorScore(one, whole, list);
      if (score) { found.push({ score: score, title: one.name, location: page, text: one.summary }); }
      one.rules.forEach(function (id) {
        var isFull = whole === compact(one.name + id);
        var rule = isFull ? 1500 : id === asked ? 800 : asked.length > 3 && id.indexOf(asked) >= 0 ? 100 : 0;
        if (rule) { found.push({ score: rule, title: id, location: page + "#rule-" + id, text: one.name }); }
      });
    });
    index.sections.forEach(function (one) {
      var score = sectionScore(one, asked, list);
      if (score) { found.push({ score: score, title: one.title, location: one.location, text: one.text.slice(0, 160) }); }
    });
    return found.sort(function (one, other) { return other.score - one.score; }).slice(0, SHOWN);
  };

  aclspecSearch.load = function (index) { aclspecSearch.index = prepared(index); };

  if (typeof document === "undefined") { return; }
  var form = document.querySelector(".md-search__form");
  if (!form) { return; }
  var toggle = document.getElementById("__search");
  var input = form.querySelector("input");
  var meta = document.querySelector(".md-search-result__meta");
  var results = document.querySelector(".md-search-result__list");
  var folder = new URL(form.dataset.index, location.href);
  var loading = null;

  function load() {
    loading = loading || new Promise(function (resolve) {
      var script = document.createElement("script");
      script.src = new URL("search/index.js", folder).href;
      script.addEventListener("load", resolve);
      document.head.append(script);
    });
    return loading;
  }

  function item(one) {
    var entry = document.createElement("li");
    entry.className = "md-search-result__item";
    var link = document.createElement("a");
    link.className = "md-search-result__link";
    link.href = new URL(one.location, folder).href;
    var article = document.createElement("article");
    article.className = "md-search-result__article md-typeset";
    var title = document.createElement("h2");
    var text = document.createElement("p");
    title.textContent = one.title;
    text.textContent = one.text;
    article.append(title, text);
    link.append(article);
    entry.append(link);
    return entry;
  }

  function show() {
    load().then(function () {
      var found = aclspecSearch.find(aclspecSearch.index, input.value);
      results.replaceChildren.apply(results, found.map(item));
      meta.textContent = input.value.trim() ? meta.dataset.found.replace("{0}", found.length) : meta.dataset.initial;
    });
  }

  function open(isOpen) {
    toggle.checked = isOpen;
    if (isOpen) { load(); input.focus(); } else { input.blur(); }
  }

  input.addEventListener("focus", function () { toggle.checked = true; load(); });
  input.addEventListener("input", show);
  form.addEventListener("reset", function () { setTimeout(show); input.focus(); });
  form.addEventListener("submit", function (event) {
    event.preventDefault();
    var first = results.querySelector("a");
    if (first) { first.click(); open(false); }
  });
  toggle.addEventListener("change", function () { if (toggle.checked) { open(true); } });
  results.addEventListener("click", function () { open(false); });
  addEventListener("keydown", function (event) {
    var isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName);
    if (event.key === "Escape" && toggle.checked) { open(false); }
    else if ((event.key === "/" || event.key === "s") && !isTyping && !event.metaKey && !event.ctrlKey && !event.altKey) {
      event.preventDefault();
      open(true);
    } else if (toggle.checked && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      var links = Array.prototype.slice.call(results.querySelectorAll("a"));
      var at = links.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
      event.preventDefault();
      (links[at] || input).focus();
    }
  });
})();
