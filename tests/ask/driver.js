// Runs the scripts of the page in Node: reads { library, scripts }, then one line of JSON a question, and answers each.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const readline = require("node:readline");
const vm = require("node:vm");

const run = (file) => vm.runInThisContext(fs.readFileSync(file, "utf-8"), { filename: file });

function loadAll({ library, tables, scripts }) {
  run(path.join(library, "ask.js"));
  const ask = globalThis.aclspecAsk;
  const inNode = ask.FILES.slice(0, ask.FILES.indexOf("elements"));
  for (const name of inNode) run(name === "tables" ? tables : path.join(library, `${name}.js`));
  for (const file of scripts) run(file);
  return ask;
}

const shown = (value) => JSON.stringify(value, (_, one) => (typeof one === "bigint" ? String(one) : one));

function answer(ask, { operator: name, texts, places }) {
  const operator = ask.operators[name];
  const { call, refused } = ask.parseCall(operator, texts);
  if (refused.size) return { refused: [...refused].map(([param, error]) => `${param}: ${error.message}`) };
  const verdicts = places.map(([product, mode]) => {
    const report = ask.report(operator, call, product, mode);
    const sentences = report.failing.map((rule) => [ask.failure(rule, report, "en"), ask.failure(rule, report, "zh")]);
    const outcomes = [...report.outcomes.values()];
    return { outcomes, status: report.status, first: report.first?.id, shortcut: report.shortcut?.id, sentences };
  });
  const inferred = ask.inferred(operator, call);
  for (const [name, found] of Object.entries(inferred)) {
    inferred[name] = Array.isArray(found) ? found.map(ask.tensorText) : found && ask.tensorText(found);
  }
  return { verdicts, inferred };
}

/** The description of the tensor that a text stands for; null for a text that stands for none. */
function tensorOf(ask, text) {
  try {
    return ask.tensorText(ask.parseTensor(text));
  } catch (error) {
    if (error instanceof ask.Refusal) return null;
    throw error;
  }
}

let ask = null;
readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const question = JSON.parse(line);
  if (ask === null) ask = loadAll(question);
  else if (question.tensors) process.stdout.write(`${shown(question.tensors.map((text) => tensorOf(ask, text)))}\n`);
  else process.stdout.write(`${shown(answer(ask, question))}\n`);
});
