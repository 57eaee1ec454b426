// Runs the search of the site in Node: node find.js SCRIPT INDEX, and one query a line of JSON; answers each with a line.
"use strict";

const fs = require("node:fs");
const readline = require("node:readline");
const vm = require("node:vm");

for (const file of process.argv.slice(2)) vm.runInThisContext(fs.readFileSync(file, "utf-8"), { filename: file });
const { find, index } = globalThis.aclspecSearch;
readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const found = find(index, JSON.parse(line)).map(({ kind, title, location, text }) => ({ kind, title, location, text }));
  process.stdout.write(`${JSON.stringify(found)}\n`);
});
