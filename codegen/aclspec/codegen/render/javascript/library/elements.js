// Elements of a page, made from a name, attributes and children; and labelled controls.
"use strict";

(() => {
  const ask = globalThis.aclspecAsk;
  let count = 0;

  /** An element; an attribute that is null is left out, one that is a function listens to the event of its name. */
  ask.element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (typeof value === "function") made.addEventListener(key, value);
      else if (value !== null) made.setAttribute(key, value);
    }
    made.append(...children.filter((child) => child !== null));
    return made;
  };

  /** A control under its label; `spoken` is the longer name by which a screen reader knows it. */
  ask.labelled = (text, control, spoken = null) => {
    control.id ||= `ask-control-${(count += 1)}`;
    if (spoken !== null) control.setAttribute("aria-label", spoken);
    return ask.element("label", { class: "ask-label", for: control.id }, ask.element("span", {}, text), control);
  };

  /** A list to choose from: groups of [value, text] pairs, a group without a name standing by itself. */
  ask.select = (groups, attributes = {}) => {
    const option = ([value, text]) => ask.element("option", { value }, text);
    const made = groups.flatMap(([name, pairs]) =>
      name === "" ? pairs.map(option) : [ask.element("optgroup", { label: name }, ...pairs.map(option))],
    );
    return ask.element("select", attributes, ...made);
  };

  ask.input = (attributes = {}) =>
    ask.element("input", { type: "text", autocomplete: "off", spellcheck: "false", ...attributes });

  /** A text with suggestions, which it does not insist on. */
  ask.suggesting = (values, attributes = {}) => {
    const list = ask.element("datalist", { id: `ask-list-${(count += 1)}` }, ...values.map((value) => ask.element("option", { value })));
    return { list, control: ask.input({ list: list.id, ...attributes }) };
  };

  ask.checkbox = (text, change, spoken) => {
    const control = ask.element("input", { type: "checkbox", change, "aria-label": spoken });
    return { control, label: ask.element("label", { class: "ask-check" }, control, text) };
  };

  /** Content that a button shows and hides. */
  ask.disclosure = (text, attributes, ...content) => {
    const body = ask.element("div", { ...attributes, hidden: "" }, ...content);
    const button = ask.element("button", { type: "button", class: "ask-more", "aria-expanded": "false" }, text);
    const show = (isOpen) => {
      body.hidden = !isOpen;
      button.setAttribute("aria-expanded", String(isOpen));
    };
    button.addEventListener("click", () => show(body.hidden));
    return { button, body, show };
  };

  /** Put a text on the clipboard, also where a page that is opened as a file may not ask for it. */
  ask.copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = ask.element("textarea", { class: "ask-hidden" });
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
  };
})();
