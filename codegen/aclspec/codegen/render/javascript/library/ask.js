// "Would this call work?": the first of the scripts. On a page with the question it loads the others, which stand in
// the same folder, and the operator's own from operators/; on any other page it does nothing. Classic scripts without
// fetch, so that a page works when it is opened as a file.
"use strict";

(() => {
  const ask = (globalThis.aclspecAsk = { operators: {} });

  /** The scripts in the order in which they need each other. */
  ask.FILES = [
    ...["tables", "values", "evaluation", "tensors", "arguments", "report", "filling", "verdict"],
    ...["elements", "fields", "advice", "answer", "widget"],
  ];

  /** The scripts that a page loads once it needs them: to search for fixes, to read a call that somebody pastes, to write C++. */
  ask.LATER = { fixes: ["search", "neighbours", "repair", "fixes"], paste: ["paste", "cpp"], program: ["program"] };

  /** Take an operator from its script. */
  ask.register = (operator) => (ask.operators[operator.snake] = operator);

  if (typeof document === "undefined") return;
  const folder = document.currentScript.src.replace(/[^/]*$/, "");

  function load(name) {
    return new Promise((resolve, reject) => {
      const script = Object.assign(document.createElement("script"), { src: `${folder}${name}.js`, async: false });
      script.addEventListener("load", resolve);
      script.addEventListener("error", reject);
      document.head.append(script);
    });
  }

  const loading = {};

  /** Load a part of `ask.LATER`, once. */
  ask.need = (part) => (loading[part] ??= Promise.all(ask.LATER[part].map(load)));

  const waiting = () => [...document.querySelectorAll(".aclspec-ask[data-op]:not([data-ready])")];

  /** Show every form whose operator is loaded: a page may load all scripts itself, in front of its other parts. */
  ask.mountAll = () => {
    for (const place of waiting()) {
      const operator = ask.operators[place.dataset.op];
      if (operator) ask.mount(place, operator);
    }
    dispatchEvent(new Event("aclspec-ask-ready"));
  };

  async function start() {
    const places = waiting();
    if (!places.length) return;
    document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: `${folder}ask.css` }));
    await Promise.all([...ask.FILES, ...places.map((place) => `operators/${place.dataset.op}`)].map(load));
    ask.mountAll();
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
