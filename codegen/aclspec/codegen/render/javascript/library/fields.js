// The fields of a form: one for each parameter. A field reads and writes the text of its argument (arguments.js).
"use strict";

(() => {
  const ask = globalThis.aclspecAsk;
  const MEMORY = ["strides", "offset", "storage"];
  const NULL = "null";
  const OTHER = "...";

  /** Values, first those that the spec names. */
  function ranked(legal, all, others, text = (value) => value) {
    const pairs = (values) => values.map((value) => [value, text(value)]);
    const rest = all.filter((value) => !legal.includes(value));
    return [["", pairs(legal)], [others, pairs(rest)]].filter(([, options]) => options.length);
  }

  /** The controls of a tensor. */
  class TensorControls {
    constructor(operator, param, words, change) {
      const legal = [...new Set(operator.rows.flatMap(({ cells }) => cells[param.name] ?? []))].filter((one) => one !== ask.NULL);
      const formats = [...new Set(Object.values(param.formats ?? {}).flat())];
      const spelt = (dtype) => ask.tables.dtypes[dtype][0];
      this.dtype = ask.select(ranked(legal, Object.keys(ask.tables.dtypes), words.others, spelt), { change });
      this.shape = ask.input({ input: change, placeholder: "4,2", class: "ask-shape" });
      const choices = ranked(formats, Object.keys(ask.tables.formats), words.others);
      this.format = ask.select([["", [["", words.default_format]]], ...choices], { change });
      for (const name of MEMORY) this[name] = ask.input({ input: change, placeholder: words.contiguous });
      this.offset.placeholder = "0";
      const spoken = (name) => ask.fill(words.of_param, [words[name], param.name]);
      const label = (name) => ask.labelled(words[name], this[name], spoken(name));
      this.memory = ask.disclosure(words.memory, { class: "ask-controls ask-memory" }, ...MEMORY.map(label));
      this.memory.button.setAttribute("aria-label", spoken("memory"));
      this.elements = [...["dtype", "shape", "format"].map(label), this.memory.button, this.memory.body];
      this.controls = ["dtype", "shape", "format", ...MEMORY].map((name) => this[name]);
    }

    get text() {
      const head = `${ask.tables.dtypes[this.dtype.value][0]}[${this.shape.value.trim()}]`;
      const memory = MEMORY.map((name) => [name, this[name].value.trim()]).filter(([, value]) => value);
      return [head, ...(this.format.value ? [this.format.value] : []), ...memory.map((one) => one.join("="))].join(":");
    }

    set text(text) {
      const tensor = ask.parseTensor(text);
      this.dtype.value = tensor.dtype;
      this.shape.value = tensor.shape.join(",");
      this.format.value = tensor.format ?? "";
      this.strides.value = tensor.contiguous ? "" : tensor.strides.join(",");
      this.offset.value = tensor.offset ? String(tensor.offset) : "";
      this.storage.value = ask.hasUsualStorage(tensor) ? "" : tensor.storage.join(",");
      if (MEMORY.some((name) => this[name].value)) this.memory.show(true);
    }
  }

  /** A choice among the values that the spec lists, and a text for any other. */
  class ChoiceControl {
    constructor(param, words, change) {
      this.values = param.values.map((value) => (typeof value === "string" ? JSON.stringify(value) : String(value)));
      const choices = this.values.map((value) => [value, value]);
      const shown = () => {
        this.other.hidden = this.choice.value !== OTHER;
        change();
      };
      this.choice = ask.select([["", [...choices, [OTHER, words.other_value]]]], { change: shown });
      this.other = ask.input({ input: change, class: "ask-text", hidden: "" });
      const label = (control, word) => ask.labelled(words[word], control, ask.fill(words.of_param, [words[word], param.name]));
      this.elements = [label(this.choice, "value"), label(this.other, "other_value")];
      this.controls = [this.choice, this.other];
    }

    get text() {
      return this.choice.value === OTHER ? this.other.value : this.choice.value;
    }

    set text(text) {
      const isListed = this.values.includes(text);
      this.choice.value = isListed ? text : OTHER;
      this.other.value = isListed ? "" : text;
      this.other.hidden = isListed;
    }
  }

  /** One control whose value is the text. */
  class TextControl {
    constructor(param, words, change) {
      this.control = ask[`${ask.tables.paramTypes[param.type].predicate}Control`]?.(change) ?? typed(param, change);
      this.elements = [ask.labelled(words.value, this.control, ask.fill(words.of_param, [words.value, param.name]))];
      this.controls = [this.control];
    }

    get text() {
      return this.control.value;
    }

    set text(text) {
      this.control.value = text;
    }
  }

  ask.boolControl = (change) => ask.select([["", ["true", "false"].map((one) => [one, one])]], { change });
  ask.dtypeControl = (change) => {
    const names = Object.keys(ask.tables.dtypes);
    return ask.select([["", names.map((name) => [name, ask.tables.dtypes[name][0]])]], { change });
  };

  const PLACEHOLDERS = { ints: "2,2", bools: "true,false", floats: "0.5,1", tensors: "float32[2]; float32[3]" };

  function typed(param, change) {
    const { predicate } = ask.tables.paramTypes[param.type];
    return ask.input({ input: change, class: "ask-text", placeholder: PLACEHOLDERS[predicate] ?? "" });
  }

  const CHOSEN = ["int", "string"];

  function bodyOf(operator, param, words, change) {
    if (param.type === "tensor") return new TensorControls(operator, param, words, change);
    const isListed = param.values?.length && CHOSEN.includes(ask.tables.paramTypes[param.type].predicate);
    return isListed ? new ChoiceControl(param, words, change) : new TextControl(param, words, change);
  }

  /** A name in camel case that may break between its words. */
  const breakable = (name) => name.split(/(?=[A-Z][a-z])/).flatMap((word, at) => (at ? [ask.element("wbr"), word] : [word]));

  /** The field of a parameter: its controls, whether it is null, and for an output whether it is inferred. */
  ask.Field = class Field {
    constructor(operator, param, lang, changed) {
      const words = { ...ask.tables.labels[lang] };
      const change = () => {
        this.enable();
        changed();
      };
      this.param = param;
      this.words = words;
      this.body = bodyOf(operator, param, words, change);
      this.isTensors = ask.tables.paramTypes[param.type].predicate === "tensors";
      this.allowed = operator.rows.flatMap(({ cells }) => cells[param.name] ?? []);
      const { pointer } = ask.tables.paramTypes[param.type];
      const spoken = (name) => ask.fill(words.of_param, [words[name], param.name]);
      this.isNull = pointer ? ask.checkbox(words.null, change, spoken("null")) : null;
      this.isInferred = param.direction === "out" ? ask.checkbox(words.inferred, change, spoken("inferred")) : null;
      this.problem = ask.element("p", { class: "ask-problem", id: `ask-problem-${param.name}`, hidden: "" });
      this.element = ask.element(
        "div",
        { class: "ask-field", role: "group", "aria-label": param.name, "data-param": param.name },
        ask.element(
          "div",
          { class: "ask-head" },
          ask.element("code", { class: "ask-name", title: param.doc[lang] }, ...breakable(param.name)),
        ),
        ask.element("div", { class: "ask-controls" }, ...this.body.elements, this.isInferred?.label ?? null, this.isNull?.label ?? null),
        this.problem,
      );
    }

    /** The text of the argument; undefined for an output that is inferred. */
    get text() {
      if (this.isInferred?.control.checked) return undefined;
      return this.isNull?.control.checked ? NULL : this.body.text;
    }

    set text(given) {
      const text = given ?? this.param.default;
      const missing = text === undefined;
      if (this.isInferred) this.isInferred.control.checked = missing;
      if (this.isNull) this.isNull.control.checked = text === NULL || (missing && !this.isInferred);
      if (!missing && text !== NULL) this.body.text = text;
      this.enable();
    }

    /** The dtype of a tensor, or of the first of a list; null for any other argument. */
    get dtype() {
      if (this.body.dtype) return this.body.dtype.value;
      const first = this.isTensors ? /^\s*(\w+)\s*\[/.exec(this.body.text)?.[1] : undefined;
      return first === undefined ? null : ask.parseDtype(first);
    }

    set dtype(dtype) {
      if (this.body.dtype) this.body.dtype.value = dtype;
      else this.body.text = this.body.text.replace(/(^|;)\s*\w+(?=\s*\[)/g, `$1 ${ask.tables.dtypes[dtype][0]}`).trim();
    }

    /** Whether some row of the spec allows the dtype. */
    takes(dtype) {
      return this.allowed.includes(dtype);
    }

    enable() {
      const inferred = this.isInferred?.control.checked ?? false;
      const absent = inferred || (this.isNull?.control.checked ?? false);
      this.body.controls.forEach((control) => (control.disabled = absent));
      if (this.isNull) this.isNull.control.disabled = inferred;
      this.element.classList.toggle("ask-null", absent && !inferred);
    }

    /** Show what an inferred output is: a tensor, a list of tensors, or null where nothing follows. */
    showInferred(found) {
      if (!this.isInferred?.control.checked) return;
      const control = this.body.shape ?? this.body.control;
      if (found === null) control.value = "";
      else this.body.text = [found].flat().map(ask.tensorText).join("; ");
      control.placeholder = found === null ? this.words.unknown : "";
    }

    /** Show why the text stands for no value, or with null that it does. */
    showProblem(sentence) {
      this.problem.hidden = sentence === null;
      this.problem.textContent = sentence ?? "";
      for (const control of this.body.controls) {
        if (sentence === null) control.removeAttribute("aria-describedby");
        else control.setAttribute("aria-describedby", this.problem.id);
      }
    }

    /** Mark the field as one that a failing rule is about. */
    blame(isBlamed) {
      this.element.classList.toggle("ask-blamed", isBlamed);
    }
  };
})();
