// The answer to a call: a card for each product with its reason, and, folded, every rule on every product.
"use strict";

(() => {
  const ask = globalThis.aclspecAsk;
  const { element } = ask;
  const MARKS = { holds: "✓", fails: "✗", "n/a": "–", off: "○", skipped: "·" };
  const KIND_MARKS = { works: "✓", "not portable": "!", undocumented: "?", "not judged": "?", "no kernel": "✗", refused: "✗" };

  const anchored = (rule) => element("a", { href: `#rule-${rule.id}` }, element("code", {}, rule.id));

  ask.Answer = class Answer {
    /** `choose` takes the product of a card, `apply` a fix of the call. */
    constructor(operator, lang, choose, apply) {
      Object.assign(this, { operator, lang, choose, apply });
      this.words = ask.tables.labels[lang];
      this.advice = new ask.Advice(operator, (product, fixes) => this.showFixes(product, fixes));
      const products = Object.keys(ask.tables.products);
      this.cards = new Map(products.map((product) => [product, this.card(product)]));
      const region = { class: "ask-cards", role: "region", "aria-label": this.words.answer, tabindex: "0" };
      this.element = element("div", region, ...[...this.cards.values()].map((card) => card.element));
      this.spoken = element("p", { class: "ask-hidden", role: "status" });
      this.table = element("div", { class: "ask-rules", tabindex: "0", role: "region", "aria-label": this.words.all_rules });
      const summary = element("summary", {}, this.words.all_rules);
      this.rules = element("details", { class: "ask-all", toggle: () => this.showTable() }, summary, this.table, this.legend());
    }

    card(product) {
      const head = element("button", {
        type: "button",
        class: "ask-product",
        title: ask.tables.products[product][this.lang],
        click: () => this.choose(product),
      });
      const body = element("div", { class: "ask-body" });
      return { head, body, element: element("div", { class: "ask-card", "data-product": product }, head, body) };
    }

    legend() {
      const labels = Object.entries(MARKS).map(([name, mark]) => element("span", {}, `${mark} ${this.words[name]}`));
      return element("p", { class: "ask-legend" }, ...labels, element("span", {}, this.words.two_marks));
    }

    /** Show the verdicts of all products on a call (verdict.js); the fields are marked by that of the chosen one. */
    show(call, verdicts, product) {
      this.verdicts = verdicts;
      for (const verdict of verdicts) this.showCard(verdict, verdict.product === product);
      this.arrange(product);
      const chosen = verdicts.find((one) => one.product === product);
      if (this.shown !== product) requestAnimationFrame(() => this.bringIntoView(product)); // once the page is laid out
      this.shown = product;
      this.spoken.textContent = `${product}: ${ask.answerText(chosen, this.lang)}`;
      this.showTable();
      const forbidden = verdicts.filter(({ document }) => document.first);
      const isUnlisted = ({ document }) => document.first.kind === "product"; // no change of the call helps
      for (const one of forbidden.filter(isUnlisted)) this.showFixes(one.product, []);
      const fixable = forbidden.filter((one) => !isUnlisted(one)).map((one) => one.product);
      this.advice.on(call, fixable.sort((one, other) => (other === product) - (one === product)));
    }

    /** Show below the reason in a card what to change. */
    showFixes(product, fixes) {
      const item = (fix) => {
        const text = ask.fill(ask.tables.answers[this.lang].fix, [ask.fixText(fix, this.lang)]);
        const applied = () => {
          this.apply(fix);
          this.cards.get(product).head.focus({ preventScroll: true }); // the button is gone with the reason
        };
        const attributes = { type: "button", class: "ask-apply", "aria-label": `${this.words.apply} (${product}): ${text}`, click: applied };
        const button = element("button", attributes, this.words.apply);
        return element("p", { class: "ask-fix" }, element("span", {}, text), " ", button);
      };
      const { body } = this.cards.get(product);
      body.querySelector(".ask-reason")?.after(...fixes.map(item));
      body.dataset.fixes = fixes.length;
    }

    /** The chosen card first, and behind each one those that say the same, which then say that alone. */
    arrange(product) {
      const others = this.verdicts.filter((one) => one.product !== product);
      const groups = new Map();
      for (const verdict of [this.verdicts.find((one) => one.product === product), ...others]) {
        const key = this.saying(verdict);
        groups.set(key, [...(groups.get(key) ?? []), verdict.product]);
      }
      for (const [first, ...alike] of groups.values()) {
        for (const one of alike) {
          const { element: card, head } = this.cards.get(one);
          card.classList.add("ask-alike");
          head.append(element("span", { class: "ask-as" }, ask.fill(this.words.alike, [first])));
        }
      }
      const wanted = [...groups.values()].flat().map((one) => this.cards.get(one).element);
      if (wanted.every((card, at) => this.element.children[at] === card)) return;
      const focused = document.activeElement;
      this.element.append(...wanted);
      if (this.element.contains(focused)) focused.focus({ preventScroll: true });
    }

    /** What a card says, whatever its product; fixes are the same where the same rules are checked. */
    saying({ product, kind, document }) {
      const says = this.cards.get(product).body.textContent.replaceAll(product, "");
      const isFixed = document.first && document.first.kind !== "product";
      return JSON.stringify([kind, says, isFixed ? this.advice.rulesOf(product) : ""]);
    }

    /** Scroll the cards, which on a phone stand side by side, to one of them; the page stays where it is. */
    bringIntoView(product) {
      const card = this.cards.get(product).element;
      this.element.scrollTo({ left: card.offsetLeft - this.element.offsetLeft });
    }

    /** Say that there is nothing to answer: a value cannot be read. */
    showUnread() {
      this.verdicts = [];
      for (const [product, card] of this.cards) {
        card.element.className = "ask-card";
        card.head.replaceChildren(element("code", {}, product), " ?");
        card.body.replaceChildren();
        delete card.element.dataset.kind;
      }
      this.advice.on(null, []);
      this.spoken.textContent = this.words.cannot_read;
      this.showTable();
    }

    showCard(verdict, isChosen) {
      const { product, kind, deciding } = verdict;
      const card = this.cards.get(product);
      card.element.className = `ask-card ask-is-${kind.replace(" ", "-")}${isChosen ? " ask-chosen" : ""}`;
      const { status } = verdict.library;
      Object.assign(card.element.dataset, { kind, status: ask.tables.statuses[status], rule: deciding.first?.id ?? "" });
      card.head.setAttribute("aria-pressed", String(isChosen));
      card.head.replaceChildren(element("span", { "aria-hidden": "true" }, KIND_MARKS[kind]), element("code", {}, product));
      delete card.body.dataset.fixes;
      card.body.replaceChildren(element("p", { class: "ask-verdict" }, ask.answerText(verdict, this.lang)), ...this.reasons(verdict));
    }

    /** The reason that decides, and the others folded below it. */
    reasons({ product, deciding, document }) {
      const { shortcut } = document;
      if (deciding.caveat) return [element("p", { class: "ask-reason" }, ask.reasonText(deciding.caveat, this.lang))];
      const versions = deciding.versions ? [element("p", {}, ask.versionsText(deciding.versions, this.lang, deciding.failing.length > 0))] : [];
      if (!deciding.failing.length && versions.length) return versions;
      if (!deciding.failing.length) return shortcut ? [element("p", {}, shortcut.says[this.lang])] : [];
      const reason = (rule) =>
        element("p", { class: "ask-reason", "data-rule": rule.id }, ask.failure(rule, deciding, this.lang), " ", anchored(rule));
      const [first, ...others] = deciding.failing.map(reason);
      if (!others.length) return [first, ...versions];
      const summary = element("summary", {}, ask.fill(ask.tables.answers[this.lang].more, [others.length]));
      const more = element("details", { toggle: () => this.opened(product, more.open) }, summary, ...others);
      more.open = this.openCards?.has(product) ?? false;
      return [first, ...versions, more];
    }

    /** A card that is opened stays open while the call changes. */
    opened(product, isOpen) {
      this.openCards ??= new Set();
      if (isOpen) this.openCards.add(product);
      else this.openCards.delete(product);
    }

    /** Every rule on every product, once somebody looks: its outcome in the library's mode, and the document's if another. */
    showTable() {
      if (!this.rules.open) return;
      const heads = this.verdicts.map(({ product }) => element("th", { scope: "col" }, product));
      const cell = (rule) => ({ library, document }) => {
        const outcomes = [...new Set([library.outcomes.get(rule.id), document.outcomes.get(rule.id)])];
        const marks = element("span", { "aria-hidden": "true" }, outcomes.map((one) => MARKS[one]).join(" "));
        const spoken = outcomes.map((one) => this.words[one]).join(" / ");
        const kind = outcomes.includes("fails") ? "ask-is-fails" : outcomes.includes("holds") ? "ask-is-holds" : null;
        return element("td", { class: kind, title: spoken }, marks, element("span", { class: "ask-hidden" }, spoken));
      };
      const row = (rule) => {
        const head = element("th", { scope: "row", title: rule.says[this.lang] }, anchored(rule));
        return element("tr", { "data-rule": rule.id }, head, ...this.verdicts.map(cell(rule)));
      };
      const head = element("thead", {}, element("tr", {}, element("th", { scope: "col" }, this.words.rule), ...heads));
      this.table.replaceChildren(element("table", { class: "ask-table" }, head, element("tbody", {}, ...this.operator.rules.map(row))));
    }
  };
})();
