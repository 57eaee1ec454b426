/* The box of the search. What finds (find.js) and the index of the page's language are loaded when somebody looks for
 * something; both are scripts, so that a page that is a file can load them, too. */
(function () {
  "use strict";

  var SCRIPT = document.currentScript.src;
  var form = document.querySelector(".md-search__form");
  if (!form) { return; }
  var toggle = document.getElementById("__search");
  var input = form.querySelector("input");
  var meta = document.querySelector(".md-search-result__meta");
  var results = document.querySelector(".md-search-result__list");
  var folder = new URL(form.dataset.index, location.href);
  var loading = null;

  function loaded(address) {
    return new Promise(function (resolve) {
      var script = document.createElement("script");
      script.src = address.href;
      script.addEventListener("load", resolve);
      document.head.append(script);
    });
  }

  function load() {
    loading = loading || loaded(new URL("find.js", SCRIPT)).then(function () { return loaded(new URL("search/index.js", folder)); });
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
    var kind = document.createElement("span");
    kind.className = "aclspec-kind";
    kind.textContent = aclspecSearch.index.words.kinds[one.kind];
    title.append(one.title, " ", kind);
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

  /** Whether a node belongs to the search: the box, or a label that opens it. */
  function isOurs(node) { return Boolean(node && node.closest && node.closest(".md-search, label[for=__search]")); }

  input.addEventListener("focus", load); // the Tab key alone opens nothing
  input.addEventListener("click", function () { toggle.checked = true; });
  input.addEventListener("input", function () { toggle.checked = true; show(); });
  addEventListener("focusin", function (event) { if (toggle.checked && !isOurs(event.target)) { toggle.checked = false; } });
  addEventListener("pointerdown", function (event) { if (toggle.checked && !isOurs(event.target)) { toggle.checked = false; } });
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
    } else if (event.key === "ArrowDown" && document.activeElement === input && !toggle.checked) {
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
