// The answer to a call: what each product says, which rules fail on the chosen one, and all rules on all products.
"use strict";

(() => {
  const ask = globalThis.aclspecAsk;
  const { element } = ask;
  const MARKS = { holds: "✓", fails: "✗", "n/a": "–", off: "○", skipped: "·" };

  const code = (status) => `${status} (${ask.tables.statuses[status]})`;
  /** The key of a product, which may break after its underscores. */
  const keyOf = (product) => {
    const parts = product.split(/(?<=_)/).flatMap((part, at) => (at ? [element("wbr"), part] : [part]));
    return element("code", {}, ...parts);
  };
  const anchored = (rule) => element("a", { href: `#rule-${rule.id}` }, element("code", {}, rule.id));

  ask.Answer = class Answer {
    constructor(operator, lang, choose) {
      this.operator = operator;
      this.lang = lang;
      this.words = ask.tables.labels[lang];
      this.choose = choose;
      this.verdicts = element("div", { class: "ask-verdicts", role: "group", "aria-label": this.words.product });
      this.summary = element("div", { class: "ask-sentences", role: "status", "aria-live": "polite" });
      const region = { class: "ask-rules", tabindex: "0", role: "region", "aria-label": this.words.all_rules };
      this.table = element("div", region);
      this.buttons = Object.keys(ask.tables.products).map((product) => this.button(product));
      this.verdicts.append(...this.buttons);
      const caption = element("p", { class: "ask-caption" }, this.words.all_rules);
      this.element = element("div", { class: "ask-answer" }, this.summary, caption, this.table, this.legend());
    }

    button(product) {
      return element("button", {
        type: "button",
        "data-product": product,
        title: ask.tables.products[product][this.lang],
        click: () => this.choose(product),
      });
    }

    legend() {
      const labels = Object.entries(MARKS).map(([name, mark]) => element("span", {}, `${mark} ${this.words[name]}`));
      return element("p", { class: "ask-legend" }, ...labels);
    }

    /** Show the reports of all products (report.js), with those of one product in words. */
    show(reports, product) {
      const chosen = reports.find((report) => report.product === product);
      reports.forEach((report, at) => this.showVerdict(this.buttons[at], report, report === chosen));
      this.summary.replaceChildren(...this.sentences(chosen));
      this.table.replaceChildren(this.rules(reports, product));
    }

    /** Say that there is nothing to answer: a value cannot be read. */
    showUnread() {
      for (const button of this.buttons) {
        button.className = "ask-unread";
        button.replaceChildren(keyOf(button.dataset.product), element("strong", {}, "?"));
        button.removeAttribute("data-status");
      }
      this.summary.replaceChildren(element("p", {}, this.words.cannot_read));
      this.table.replaceChildren();
    }

    showVerdict(button, { product, status, first, shortcut }, isChosen) {
      const label = first ? first.id : shortcut ? this.words.works_early : this.words.works;
      button.className = first ? "ask-fails" : "ask-holds";
      button.setAttribute("aria-pressed", String(isChosen));
      Object.assign(button.dataset, { status: ask.tables.statuses[status], rule: first?.id ?? "" });
      button.replaceChildren(
        keyOf(product),
        element("strong", {}, `${first ? MARKS.fails : MARKS.holds} ${ask.tables.statuses[status]}`),
        element("span", {}, label),
      );
    }

    sentences(report) {
      const { product, mode, status, failing, shortcut } = report;
      const where = `${ask.fill(this.words.on_product, [product, mode])} `;
      const head = element("p", {}, where, element("strong", {}, code(status)));
      if (!failing.length) return [head, element("p", {}, shortcut ? shortcut.says[this.lang] : this.words.no_failure)];
      const items = failing.map((rule, at) =>
        element(
          "li",
          { "data-rule": rule.id },
          anchored(rule),
          ` ${ask.tables.statuses[rule.status[mode]]}${at ? "" : ` (${this.words.decides})`}`,
          element("p", {}, ask.failure(rule, report, this.lang)),
        ),
      );
      return [head, element("ol", {}, ...items)];
    }

    rules(reports, product) {
      const column = (report) => (report.product === product ? "ask-chosen" : null);
      const heads = reports.map((report) => element("th", { scope: "col", class: column(report) }, report.product));
      const cell = (rule) => (report) => {
        const outcome = report.outcomes.get(rule.id);
        const mark = element("span", { "aria-hidden": "true" }, MARKS[outcome]);
        const spoken = element("span", { class: "ask-hidden" }, this.words[outcome]);
        const kind = `ask-${outcome.replace("/", "")} ${column(report) ?? ""}`.trim();
        return element("td", { class: kind, title: this.words[outcome] }, mark, spoken);
      };
      const row = (rule) => {
        const head = element("th", { scope: "row", title: rule.says[this.lang] }, anchored(rule));
        return element("tr", { "data-rule": rule.id }, head, ...reports.map(cell(rule)));
      };
      const head = element("thead", {}, element("tr", {}, element("th", { scope: "col" }, this.words.rule), ...heads));
      return element("table", { class: "ask-table" }, head, element("tbody", {}, ...this.operator.rules.map(row)));
    }
  };
})();
