/* The field of the home page. What somebody pastes is read by the grammar of `aclspec why`, and what the grammar does not know by
 * the search; each operator that is found is a link to its form, which the link fills with what the text says. The scripts are
 * loaded when somebody types. Nothing leaves the page. */
(function () {
  "use strict";

  var SCRIPT = document.currentScript.src;
  var SHOWN = 5;
  var LONGEST = 120; // of a text without a known form that is looked for in the index
  var WAIT = 120;
  var loading = {};

  function load(address) {
    loading[address] = loading[address] || new Promise(function (resolve, reject) {
      var script = document.createElement("script");
      script.src = address;
      script.addEventListener("load", resolve);
      script.addEventListener("error", reject);
      document.head.append(script);
    });
    return loading[address];
  }

  function ours(name) { return new URL(name, SCRIPT).href; }

  function inTurn(addresses) {
    return addresses.reduce(function (before, one) { return before.then(function () { return load(one); }); }, Promise.resolve());
  }

  function grammar() { return inTurn([ours("../ask/grammar.js"), ours("why.js")]); }
  function index() { return inTurn([ours("find.js"), new URL("search/index.js", location.href).href]); }

  function form(snake, lang) {
    return inTurn([ours("../ask/ask.js"), ours("../ask/tables.js"), ours("../ask/operators/" + snake + "." + lang + ".js")])
      .then(function () { return aclspecAsk.need("paste"); })
      .then(function () { return aclspecAsk.operators[snake]; });
  }

  // What a text names

  /** The operators that the facts of a text name, themselves or by a function of PyTorch, each with its facts. */
  function named(gathered) {
    var data = aclspecWhy.data;
    var found = new Map();
    gathered.cases.concat([[null, gathered.loose]]).forEach(function (one) {
      var facts = one[1];
      var called = [].concat.apply([], (facts.torch || []).map(function (name) {
        return (data.torch[name] || data.torch[name.replace(/^F\./, "torch.nn.functional.")] || "").split(" ");
      }));
      [one[0]].concat(called).forEach(function (name) {
        if (data.operators[name] && !found.has(name)) { found.set(name, facts); }
      });
    });
    return Array.from(found.entries()).slice(0, SHOWN);
  }

  // The address of a filled form

  function attempt(read) {
    try { return read(); } catch (error) {
      if (!(error instanceof aclspecAsk.Refusal)) { throw error; }
      return null;
    }
  }

  /** The call that the text writes out; of a log that begins with calls of other operators, the part from its own on. */
  function written(operator, text) {
    var logged = new RegExp(operator.name + "GetWorkspaceSize\\(\\w+=").exec(text);
    return attempt(function () { return aclspecAsk.readPasted(operator, logged ? text.slice(logged.index) : text); });
  }

  /** The texts of an example, with the dtype that the text says of a parameter. */
  function changed(operator, texts, facts) {
    var name = (facts.parameter || [])[0];
    var dtype = (facts.dtype || [])[0];
    if (!dtype || !/^\w+\[[^;]*$/.test(texts[name] || "")) { return texts; }
    var made = {};
    made[name] = texts[name].replace(/^\w+/, aclspecAsk.tables.dtypes[dtype][0]);
    return Object.assign({}, texts, made);
  }

  function productOf(facts) {
    return (facts.product || []).concat(facts.soc || []).map(function (name) {
      return attempt(function () { return aclspecAsk.parseProduct(name).key; });
    }).filter(Boolean)[0];
  }

  /** The part of an address that fills the form of an operator, and whether the text says any of it. */
  function filled(operator, facts, text) {
    var preset = operator.presets[0] || { product: aclspecAsk.tables.defaultProduct, texts: {} };
    var call = written(operator, text);
    var product = (call && call.product) || productOf(facts);
    var texts = changed(operator, preset.texts, facts);
    var isRead = Boolean(call || product || texts !== preset.texts);
    if (call) {
      var kept = call.unread.filter(function (name) { return name in preset.texts; });
      texts = Object.assign(Object.fromEntries(kept.map(function (name) { return [name, preset.texts[name]]; })), call.texts);
    }
    return { hash: "#ask/" + (product || preset.product) + "?" + new URLSearchParams(texts), isRead: isRead };
  }

  // The field and what it found

  function element(name, parent, text) {
    var made = document.createElement(name);
    if (text) { made.textContent = text; }
    parent.append(made);
    return made;
  }

  function item(list, href, title, more, text) {
    var link = element("a", element("li", list));
    link.href = href;
    element("b", link, title);
    if (more) { element("span", link, more); }
    if (text) { element("small", link, text); }
    return link;
  }

  function mount(place) {
    var lang = place.dataset.lang;
    var words = place.dataset;
    var input = place.querySelector("textarea");
    var list = place.querySelector("ol");
    var output = place.querySelector("output");
    var turn = 0;
    var ready = Promise.resolve();

    function meaning(facts) {
      var name = aclspecWhy.failures(facts)[0];
      return name ? aclspecWhy.data.failures[name].title[lang] : "";
    }

    function showOperator(found, name, facts, text) {
      var snake = aclspecWhy.data.operators[name];
      var link = item(found, "operators/" + snake + ".html#ask", name, (facts.code || []).concat(facts.soc || [], facts.product || []).join(", "), meaning(facts));
      var note = element("em", link, words.open);
      return form(snake, lang).then(function (operator) {
        var call = filled(operator, facts, text);
        link.href = "operators/" + snake + ".html" + call.hash;
        note.textContent = call.isRead ? words.read : words.open;
      });
    }

    /** What no grammar knows: codes by what they mean, and the pages that the search finds. */
    function showOthers(found, loose, text) {
      aclspecWhy.failures(loose).forEach(function (name) {
        item(found, "guides/codes.html#" + name, (loose.code || []).join(", "), "", aclspecWhy.data.failures[name].title[lang]);
      });
      if (found.children.length || text.length > LONGEST) { return Promise.resolve(); }
      return index().then(function () {
        aclspecSearch.find(aclspecSearch.index, text).slice(0, SHOWN).forEach(function (one) {
          var isForm = one.kind === "operator";
          item(found, one.location + (isForm ? "#ask" : ""), one.title, aclspecSearch.index.words.kinds[one.kind], one.text);
        });
      });
    }

    function show() {
      var mine = ++turn;
      var text = input.value.trim();
      var found = document.createElement("ol");
      ready = grammar().then(function () {
        var gathered = aclspecWhy.gather(text);
        var operators = text ? named(gathered) : [];
        var shown = operators.length
          ? Promise.all(operators.map(function (one) { return showOperator(found, one[0], one[1], text); }))
          : text ? showOthers(found, gathered.loose, text) : Promise.resolve();
        return shown;
      }).then(function () {
        if (mine !== turn) { return; }
        list.replaceChildren.apply(list, Array.from(found.children));
        output.textContent = !text ? "" : list.children.length ? words.found.replace("{0}", list.children.length) : words.nothing;
        place.dataset.answered = text;
      });
    }

    var timer = null;
    input.addEventListener("input", function () {
      clearTimeout(timer);
      timer = setTimeout(show, WAIT);
    });
    function follow() {
      clearTimeout(timer);
      show();
      ready.then(function () {
        var first = list.querySelector("a");
        if (first) { location.href = first.href; }
      });
    }
    input.addEventListener("keydown", function (event) {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); follow(); }
    });
    place.addEventListener("submit", function (event) { event.preventDefault(); follow(); });
    place.addEventListener("click", function (event) {
      var example = event.target.closest("button[data-text]");
      if (!example) { return; }
      input.value = example.dataset.text;
      show();
      input.focus();
    });
  }

  document.querySelectorAll(".aclspec-door").forEach(mount);
})();
