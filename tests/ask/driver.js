// Runs the scripts of the page in Node: reads { library, scripts }, then one line of JSON a question, and answers each.
// A question may name one more script, which runs before.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const readline = require("node:readline");
const vm = require("node:vm");

const run = (file) => vm.runInThisContext(fs.readFileSync(file, "utf-8"), { filename: file });

function loadAll({ library, tables, scripts }) {
  run(path.join(library, "ask.js"));
  const ask = globalThis.aclspecAsk;
  const inNode = [...ask.FILES.slice(0, ask.FILES.indexOf("elements")), ...Object.values(ask.LATER).flat()];
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

/** The rule that decides each of several calls, or null, and its status; a call that is refused has its reason. */
function decided(ask, { operator: name, decide }) {
  const operator = ask.operators[name];
  return decide.map(([texts, product, mode]) => {
    const { call, refused } = ask.parseCall(operator, texts);
    if (refused.size) return [[...refused].map(([param, error]) => `${param}: ${error.message}`).join(), "ACLNN_SUCCESS"];
    const report = ask.report(operator, call, product, mode);
    return [report.first?.id ?? report.shortcut?.id ?? null, report.status];
  });
}

/** The call as a C++ program, or why it is none. */
function program(ask, { operator: name, cpp: texts }) {
  const operator = ask.operators[name];
  const { call } = ask.parseCall(operator, texts);
  try {
    return { code: ask.cppCode(operator, call, ask.inferred(operator, call)) };
  } catch (error) {
    if (!(error instanceof ask.Refusal)) throw error;
    return { refused: error.message };
  }
}

/** What the cards of all products say in a language, with the reasons that they show. */
function told(ask, { operator: name, texts, lang }) {
  const operator = ask.operators[name];
  const { call } = ask.parseCall(operator, texts);
  return ask.verdicts(operator, call).map((verdict) => {
    const { deciding } = verdict;
    const reasons = deciding.failing.map((rule) => [rule.id, ask.failure(rule, deciding, lang)]);
    if (deciding.caveat) reasons.push(["", ask.reasonText(deciding.caveat, lang)]);
    return [verdict.product, ask.answerText(verdict, lang), reasons];
  });
}

/** The sentences of the fixes on a product in both languages, with the number of steps of the search. */
function fixed(ask, { operator: name, texts, fixesOn }) {
  const operator = ask.operators[name];
  const search = ask.findFixes(operator, ask.parseCall(operator, texts).call, fixesOn);
  for (let steps = 0; ; steps += 1) {
    const { done, value } = search.next();
    if (done) return { steps, sentences: value.map((fix) => ["en", "zh"].map((lang) => ask.fixText(fix, lang))) };
  }
}

/** The result of a function, or the label of its refusal. */
function attempt(ask, compute) {
  try {
    return compute();
  } catch (error) {
    if (error instanceof ask.Refusal) return { refused: error.label };
    throw error;
  }
}

/** The description of the tensor that a text stands for; null for a text that stands for none. */
function tensorOf(ask, text) {
  const found = attempt(ask, () => ask.tensorText(ask.parseTensor(text)));
  return found.refused ? null : found;
}

function answered(ask, question) {
  if (question.script) run(question.script);
  if (question.tensors) return question.tensors.map((text) => tensorOf(ask, text));
  if (question.product) return attempt(ask, () => ask.parseProduct(question.product));
  if (question.pasted) return attempt(ask, () => ask.readPasted(ask.operators[question.operator], question.pasted));
  if (question.decide) return decided(ask, question);
  if (question.fixesOn) return fixed(ask, question);
  if (question.cpp) return program(ask, question);
  return question.lang ? told(ask, question) : answer(ask, question);
}

let ask = null;
readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const question = JSON.parse(line);
  if (ask === null) ask = loadAll(question);
  else process.stdout.write(`${shown(answered(ask, question))}\n`);
});
