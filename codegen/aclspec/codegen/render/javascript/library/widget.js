// The form and its answer, in step: every change updates the answer, the link and the Python code.
"use strict";

(() => {
  const ask = globalThis.aclspecAsk;
  const { element } = ask;
  const LINK = /^#ask\/([^/?]+)(?:\/[^/?]+)?\?(.*)$/; // older links name a mode as well

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
      this.tensors = this.fields.filter(({ param, isTensors }) => param.type === "tensor" || isTensors);
      const choose = (product) => this.choose(product);
      this.answer = new ask.Answer(operator, this.lang, choose, (fix) => this.change(fix));
      const form = element("form", { class: "ask-form", submit: (event) => event.preventDefault() }, ...this.form());
      const { spoken, rules } = this.answer;
      place.replaceChildren(this.choices(), form, this.answer.element, spoken, element("div", { class: "ask-below" }, this.tools(), rules));
      place.dataset.ready = "";
      this.listen(place);
    }

    /** What concerns the whole call: an example, the product, one dtype for all tensors, a call to paste. */
    choices() {
      const presets = this.operator.presets.map((preset, at) => [String(at), this.titleOf(preset)]);
      this.preset = ask.select([["", [["", this.words.own_call], ...presets]]], { change: () => this.startFrom() });
      this.productName = ask.suggesting(Object.keys(ask.tables.products), { change: () => this.readProduct() });
      this.allDtypes = ask.suggesting(this.commonDtypes(), { change: () => this.setDtypes() });
      this.pasted = element("textarea", { class: "ask-paste", rows: "1", spellcheck: "false", input: () => this.paste() });
      this.pasted.placeholder = this.words.paste_here;
      this.notice = element("p", { class: "ask-notice", role: "status" });
      const controls = [
        ask.labelled(this.words.example, this.preset),
        ask.labelled(this.words.product, this.productName.control),
        this.productName.list,
        ...(this.tensors.length ? [ask.labelled(this.words.all_dtypes, this.allDtypes.control), this.allDtypes.list] : []),
        ask.labelled(this.words.paste, this.pasted),
      ];
      return element("div", { class: "ask-choices" }, ...controls, this.notice);
    }

    form() {
      const of = (isOutput) => this.fields.filter(({ param }) => (param.direction === "out") === isOutput);
      const group = (name, fields) =>
        fields.length
          ? element("fieldset", {}, element("legend", {}, this.words[name]), ...fields.map((field) => field.element))
          : null;
      return [group("inputs", of(false)), group("outputs", of(true))].filter(Boolean);
    }

    tools() {
      this.link = element("a", { class: "ask-link", href: "#ask" }, this.words.link);
      this.code = element("code", { class: "ask-code" });
      this.noted = element("span", { role: "status", class: "ask-noted" });
      const button = (text, content) => element("button", { type: "button", click: () => this.copied(content) }, text);
      const block = element("pre", { tabindex: "0" }, this.code);
      const python = ask.disclosure(this.words.python, { class: "ask-python" }, block);
      return element(
        "div",
        { class: "ask-tools" },
        this.link,
        button(this.words.copy_link, () => this.link.href),
        button(this.words.copy_python, () => this.code.textContent),
        button(this.words.copy_cpp, () => this.cpp()),
        python.button,
        this.noted,
        python.body,
      );
    }

    async copied(content) {
      try {
        await ask.copy(await content());
        this.noted.textContent = this.words.copied;
      } catch (error) {
        if (!(error instanceof ask.Refusal)) throw error;
        this.noted.textContent = ask.fill(this.words[error.label], error.texts);
      }
    }

    /** The call as a C++ program. */
    async cpp() {
      await ask.need("program");
      const { call } = ask.parseCall(this.operator, this.texts);
      return ask.cppCode(this.operator, call, ask.inferred(this.operator, call));
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
      if (!follow()) {
        this.preset.value = this.operator.presets.length ? "0" : "";
        this.startFrom();
      }
      this.isOwn = true;
    }

    /** Let the address have the call, so that a reload and a copy of it keep what was typed. */
    remember(texts) {
      if (!this.isOwn) return; // the first call of the page stands in no address
      try {
        history.replaceState(history.state, "", this.address(texts));
      } catch {
        // a page that is a file keeps its address
      }
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

    /** Run what a person asked for; what cannot be read is said, and nothing changes. */
    attempt(control, action) {
      try {
        control.removeAttribute("aria-invalid");
        action();
      } catch (error) {
        if (!(error instanceof ask.Refusal)) throw error;
        control.setAttribute("aria-invalid", "true");
        this.answer.showUnread(); // what the cards said is not about this
        this.notice.textContent = ask.fill(this.words[error.label], error.texts);
      }
    }

    readProduct() {
      const { control } = this.productName;
      this.attempt(control, () => {
        const { key, other } = ask.parseProduct(control.value);
        const named = control.value;
        this.choose(key);
        this.notice.textContent = other === null ? "" : ask.fill(this.words.product_note, [named, key, other]);
      });
    }

    /** The short names of the dtypes that rows allow, those of the first tensor first. */
    commonDtypes() {
      const found = new Set(this.tensors.flatMap(({ allowed }) => allowed).filter((one) => one !== ask.NULL));
      return [...found].map((dtype) => ask.tables.dtypes[dtype][0]);
    }

    /** Give one dtype to every tensor that may have it, and to those that had the same as the first. */
    setDtypes() {
      const { control } = this.allDtypes;
      this.attempt(control, () => {
        const dtype = ask.parseDtype(control.value);
        const leading = this.tensors[0].dtype;
        for (const field of this.tensors) if (field.takes(dtype) || field.dtype === leading) field.dtype = dtype;
        this.preset.value = "";
        this.answerCall();
      });
    }

    async paste() {
      await ask.need("paste");
      const text = this.pasted.value;
      this.notice.textContent = "";
      if (!text.trim()) {
        this.pasted.removeAttribute("aria-invalid");
        this.answerCall();
        return;
      }
      this.attempt(this.pasted, () => {
        const { texts, unread, product } = ask.readPasted(this.operator, text);
        const kept = Object.fromEntries(unread.map((name) => [name, this.texts[name]]));
        this.product = product ?? this.product;
        this.preset.value = "";
        this.fill({ ...kept, ...texts });
        const told = ask.fill(this.words.pasted, [Object.keys(texts).length]);
        const missing = unread.length ? ` ${ask.fill(this.words.not_pasted, [unread.join(", ")])}` : "";
        this.notice.textContent = told + missing;
      });
    }

    fill(texts) {
      for (const field of this.fields) field.text = texts[field.param.name];
      this.answerCall();
    }

    /** Make the change that a fix proposes. */
    change({ changes }) {
      const changed = Object.entries(changes).map(([name, value]) => [name, ask.argumentText(this.operator, name, value)]);
      this.preset.value = "";
      this.fill({ ...this.texts, ...Object.fromEntries(changed) });
    }

    /** The texts of the fields, without those of inferred outputs. */
    get texts() {
      const pairs = this.fields.map(({ param, text }) => [param.name, text]);
      return Object.fromEntries(pairs.filter(([, text]) => text !== undefined));
    }

    answerCall() {
      const { texts } = this;
      const { call, refused } = ask.parseCall(this.operator, texts);
      this.productName.control.value = this.product;
      this.noted.textContent = "";
      this.notice.textContent = "";
      for (const field of this.fields) {
        const problem = refused.get(field.param.name);
        field.showProblem(problem ? ask.fill(this.words[problem.label], problem.texts) : null);
        field.blame(false);
      }
      this.link.href = `${location.href.replace(/#.*/, "")}${this.address(texts)}`;
      if (refused.size) return this.answer.showUnread();
      this.remember(texts);
      this.allDtypes.control.value = this.tensors.length ? ask.tables.dtypes[this.tensors[0].dtype]?.[0] ?? "" : "";
      this.code.textContent = ask.pythonCode(this.operator, texts, this.product);
      return this.showVerdicts(call);
    }

    showVerdicts(call) {
      const inferred = ask.inferred(this.operator, call);
      const verdicts = ask.verdicts(this.operator, call);
      const { deciding } = verdicts.find((one) => one.product === this.product);
      const blamed = new Set(deciding.failing.flatMap((rule) => rule.params ?? []));
      for (const field of this.fields) {
        field.showInferred(inferred[field.param.name] ?? null);
        field.blame(blamed.has(field.param.name));
      }
      this.answer.show(call, verdicts, this.product);
    }

    address(texts) {
      return `#ask/${this.product}?${new URLSearchParams(texts)}`;
    }

    /** Take over the call of an address; whether it has one. */
    read(address) {
      const [, product, query] = LINK.exec(address) ?? [];
      if (product === undefined) return false;
      try {
        this.product = ask.parseProduct(decodeURIComponent(product)).key;
        this.preset.value = "";
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
