/* The folded rules of an operator's page: opens the one that the address names, and filters by product and mode. */
(function () {
  "use strict";

  /** Open all that the target of the address is folded into, and show it below the header. */
  function open() {
    var target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target || !target.closest("details")) { return; }
    for (var one = target.closest("details"); one; one = one.parentElement.closest("details")) { one.open = true; }
    target.scrollIntoView();
  }

  function start(form) {
    var rules = Array.prototype.slice.call(document.querySelectorAll(".aclspec-rule"));
    var output = form.querySelector("output");

    /** Whether a value is chosen that the rule does not list; a rule without a list is for all values. */
    function isLeftOut(value, listed) { return Boolean(value && listed) && listed.split(" ").indexOf(value) < 0; }

    function show() {
      var product = form.elements.product.value;
      var mode = form.elements.mode.value;
      rules.forEach(function (rule) {
        rule.hidden = isLeftOut(product, rule.dataset.products) || isLeftOut(mode, rule.dataset.modes);
      });
      document.querySelectorAll(".aclspec-group").forEach(function (group) {
        var shown = group.querySelectorAll(".aclspec-rule:not([hidden])").length;
        group.hidden = !shown;
        group.querySelector(".aclspec-count").textContent = shown;
      });
      var shown = rules.filter(function (rule) { return !rule.hidden; }).length;
      output.textContent = form.dataset.text.replace("{shown}", shown).replace("{all}", rules.length);
    }

    form.addEventListener("input", show);
    form.addEventListener("submit", function (event) { event.preventDefault(); });
    show();
  }

  document.querySelectorAll(".aclspec-rules").forEach(start);
  addEventListener("hashchange", open);
  addEventListener("aclspec-ask-ready", open);
  open();
})();
