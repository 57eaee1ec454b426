// The form and its answer, in step: every change updates the answer, the link and the Python code.
"use strict";

(() => {
  const ask = globalThis.aclspecAsk;
  const { element } = ask;
  const MODES = ["document", "library"];
  const LINK = /^#ask\/([^/?]+)\/([^/?]+)\?(.*)$/;

  class Widget {
    constructor(place, operator) {
      this.operator = operator;
      this.lang = place.dataset.lang === "zh" ? "zh" : "en";
      this.words = ask.tables.labels[this.lang];
      this.product = ask.tables.defaultProduct;
      const changed = () => {
        this.preset.value = "";
        this.answerCall();
      };
      this.fields = operator.params.map((param) => new ask.Field(operator, param, this.lang, changed));
      this.answer = new ask.Answer(operator, this.lang, (product) => this.choose(product));
      const parts = this.form();
      const form = element("form", { class: "ask-form", submit: (event) => event.preventDefault() }, ...parts);
      place.replaceChildren(form, this.answer.element, this.tools());
      place.dataset.ready = "";
      this.listen(place);
    }

    form() {
      const presets = this.operator.presets.map((preset, at) => [String(at), this.titleOf(preset)]);
      const products = Object.keys(ask.tables.products).map((key) => [key, key]);
      this.preset = ask.select([["", [["", this.words.own_call], ...presets]]], { change: () => this.startFrom() });
      this.productChoice = ask.select([["", products]], { change: () => this.choose(this.productChoice.value) });
      this.mode = ask.select([["", MODES.map((mode) => [mode, mode])]], { change: () => this.answerCall() });
      const choices = [
        ask.labelled(this.words.example, this.preset),
        ask.labelled(this.words.product, this.productChoice),
        ask.labelled(this.words.mode, this.mode),
      ];
      const of = (isOutput) => this.fields.filter(({ param }) => (param.direction === "out") === isOutput);
      const group = (name, fields) =>
        fields.length
          ? element("fieldset", {}, element("legend", {}, this.words[name]), ...fields.map((field) => field.element))
          : null;
      const top = element("div", { class: "ask-choices" }, ...choices);
      return [top, this.answer.verdicts, group("inputs", of(false)), group("outputs", of(true))];
    }

    tools() {
      this.link = element("a", { class: "ask-link", href: "#ask" }, this.words.link);
      this.code = element("code", { class: "ask-code" });
      this.noted = element("span", { role: "status", class: "ask-noted" });
      const button = (text, content) => element("button", { type: "button", click: () => this.copied(content()) }, text);
      const block = element("pre", { tabindex: "0" }, this.code);
      const python = ask.disclosure(this.words.python, { class: "ask-python" }, block);
      return element(
        "div",
        { class: "ask-tools" },
        this.link,
        button(this.words.copy_link, () => this.link.href),
        button(this.words.copy_python, () => this.code.textContent),
        python.button,
        this.noted,
        python.body,
      );
    }

    async copied(text) {
      await ask.copy(text);
      this.noted.textContent = this.words.copied;
    }

    titleOf({ title, rule }) {
      return rule ? ask.fill(this.words.fails_by, [rule]) : ask.fill(this.words.example_of, [title[this.lang]]);
    }

    /** Begin with the call of the address, else with the first preset; follow the address from then on. */
    listen(place) {
      const follow = () => {
        if (!this.read(location.hash)) return false;
        place.scrollIntoView();
        return true;
      };
      addEventListener("hashchange", follow);
      if (follow()) return;
      this.preset.value = this.operator.presets.length ? "0" : "";
      this.startFrom();
    }

    startFrom() {
      const preset = this.operator.presets[Number(this.preset.value)] ?? { product: this.product, texts: {} };
      if (this.preset.value === "" && this.operator.presets.length) return this.answerCall();
      this.product = preset.product;
      return this.fill(preset.texts);
    }

    choose(product) {
      this.product = product;
      this.answerCall();
    }

    fill(texts) {
      for (const field of this.fields) field.text = texts[field.param.name];
      this.answerCall();
    }

    /** The texts of the fields, without those of inferred outputs. */
    get texts() {
      const pairs = this.fields.map(({ param, text }) => [param.name, text]);
      return Object.fromEntries(pairs.filter(([, text]) => text !== undefined));
    }

    answerCall() {
      const { texts } = this;
      const { call, refused } = ask.parseCall(this.operator, texts);
      this.productChoice.value = this.product;
      this.noted.textContent = "";
      for (const field of this.fields) {
        const problem = refused.get(field.param.name);
        field.showProblem(problem ? ask.fill(this.words[problem.label], problem.texts) : null);
        field.blame(false);
      }
      this.link.href = `${location.href.replace(/#.*/, "")}${this.address(texts)}`;
      if (refused.size) return this.answer.showUnread();
      this.code.textContent = ask.pythonCode(this.operator, texts, this.product, this.mode.value);
      return this.showReports(call);
    }

    showReports(call) {
      const inferred = ask.inferred(this.operator, call);
      const reports = ask.reports(this.operator, call, this.mode.value);
      const { failing } = reports.find((one) => one.product === this.product);
      const blamed = new Set(failing.flatMap((rule) => rule.params ?? []));
      for (const field of this.fields) {
        field.showInferred(inferred[field.param.name] ?? null);
        field.blame(blamed.has(field.param.name));
      }
      this.answer.show(reports, this.product);
    }

    address(texts) {
      return `#ask/${this.product}/${this.mode.value}?${new URLSearchParams(texts)}`;
    }

    /** Take over the call of an address; whether it has one. */
    read(address) {
      const [, product, mode, query] = LINK.exec(address) ?? [];
      if (!(product in ask.tables.products) || !MODES.includes(mode)) return false;
      this.product = product;
      this.mode.value = mode;
      this.preset.value = "";
      try {
        this.fill(Object.fromEntries(new URLSearchParams(query)));
      } catch (error) {
        if (error instanceof ask.Refusal) return false;
        throw error;
      }
      return true;
    }
  }

  ask.mount = (place, operator) => new Widget(place, operator);
})();
