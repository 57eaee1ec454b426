// The words of the two languages: the phrases that Python wrote into tables.js, and what depends on how many there are.
"use strict";

(() => {
  const ask = globalThis.aclspecAsk;

  /** A phrase with texts in the places {0}, {1}, ..., and {args} for all of them. */
  ask.fill = (phrase, texts, args = "") =>
    phrase.replace(/\{(\w+)\}/g, (_, place) => (place === "args" ? args : texts[Number(place)]));

  class Language {
    /** A phrase of the tables: its name, the choices that it depends on, and the texts in it. */
    say(name, choices, ...texts) {
      return ask.fill(ask.tables.phrases[this.code][[name, ...choices].join(" ")], texts);
    }

    neither(subject, nouns) {
      return `${subject} ${this.oneOf(false, nouns, true)}`;
    }
  }

  class English extends Language {
    code = "en";
    either = "either ";

    nouns(items, last) {
      const head = items.slice(0, -1);
      return head.length ? `${head.join(", ")} ${last} ${items.at(-1)}` : items.at(-1);
    }

    clauses(items, last) {
      const joined = (item) => /, | and | or /.test(item);
      const tail = items.at(-1);
      const closed = tail.startsWith(this.either) || !joined(tail);
      const long = items.length > 2 || !closed || items.slice(0, -1).some(joined);
      return items.join(long ? `, ${last} ` : ` ${last} `);
    }

    predicates(subject, verbs, last) {
      const repeated = verbs.every((verb) => verb.startsWith("is "));
      const told = verbs.map((verb, at) => (repeated && at ? verb.slice(3) : verb));
      return `${subject} ${this.nouns(told, last)}`;
    }

    oneOf(truth, items, given) {
      if (!items.length) return this.say("element_of", [truth], "()");
      if (truth) {
        return given && items.length > 1 ? `is one of ${this.nouns(items, "and")}` : `is ${this.nouns(items, "or")}`;
      }
      if (items.length === 1) return `is not ${items[0]}`;
      return items.length === 2 ? `is neither ${items[0]} nor ${items[1]}` : `is none of ${this.nouns(items, "and")}`;
    }

    choice(cases, orelse) {
      return `${cases.map(([condition, noun]) => `${noun} when ${condition}`).join(", ")} and ${orelse} otherwise`;
    }

    element(base, index) {
      return index.includes(" ") ? `the element of ${base} at index ${index}` : `element ${index} of ${base}`;
    }

    plural(phrase) {
      return phrase.replaceAll("{0} is ", "{0} are ");
    }

    allEqual(count, dtypes) {
      const alike = count === 2 ? "both" : "all";
      return `; there they are ${this.nouns(dtypes.map((dtype) => `${alike} ${dtype}`), "or")}`;
    }

    combinations(rows) {
      const cell = ([params, dtypes]) => `${this.nouns(dtypes, "or")} for ${this.nouns(params, "and")}`;
      return `; supported there: ${rows.map((row) => row.map(cell).join(" with ")).join(", or ")}`;
    }

    refusedProduct(supported, given) {
      return `the operator does not support ${given} (supported: ${supported.join(", ")})`;
    }

    sentence(clause, names) {
      const match = /^(\(*)([\p{L}\p{N}_]+)/u.exec(clause);
      if (match === null || names.includes(match[2])) return `${clause}.`;
      const start = match[1].length;
      return `${clause.slice(0, start)}${clause[start].toUpperCase()}${clause.slice(start + 1)}.`;
    }
  }

  class Chinese extends Language {
    code = "zh";
    either = "";

    nouns(items, last) {
      const head = items.slice(0, -1);
      return head.length ? `${head.join("、")} ${last === "and" ? "与" : "或"} ${items.at(-1)}` : items.at(-1);
    }

    clauses(items, last) {
      const compound = items.some((item) => /[，；且或]/.test(item));
      const [long, short] = last === "and" ? ["，并且", "，且"] : ["，或者", "或"];
      return items.join(compound ? long : short);
    }

    predicates(subject, verbs, last) {
      const repeated = verbs.every((verb) => verb.startsWith("为 "));
      const told = verbs.map((verb, at) => (repeated && at ? verb.slice(2) : verb));
      return `${subject} ${told.join(last === "and" ? "且" : "或")}`;
    }

    oneOf(truth, items, given) {
      if (!items.length) return this.say("element_of", [truth], "()");
      if (truth) return `为 ${this.nouns(items, "or")} ${given && items.length > 1 ? "之一" : ""}`.trimEnd();
      if (items.length === 1) return `不为 ${items[0]}`;
      return items.length === 2 ? `既不为 ${items[0]}，也不为 ${items[1]}` : `不是 ${items.join("、")} 中的任何一个`;
    }

    choice(cases, orelse) {
      return `${cases.map(([condition, noun]) => `${noun}（${condition} 时）`).join("、")}或 ${orelse}（否则）`;
    }

    element(base, index) {
      return `${base} 中下标为 ${index} 的元素`;
    }

    plural(phrase) {
      return phrase.replaceAll("{0} ", "{0} 均");
    }

    allEqual(count, dtypes) {
      return `；在该产品上须全部为 ${this.nouns(dtypes, "or")}`;
    }

    combinations(rows) {
      const cell = ([params, dtypes]) => `${this.nouns(params, "and")} 取 ${this.nouns(dtypes, "or")}`;
      return `；该产品支持：${rows.map((row) => row.map(cell).join("、")).join("，或 ")}`;
    }

    refusedProduct(supported, given) {
      return `算子不支持 ${given} (支持：${supported.join("、")})`;
    }

    /** One space between Chinese and Latin text, none between Chinese characters or beside Chinese punctuation. */
    sentence(clause) {
      return `${clause}。`
        .replace(/(?<=[\u4e00-\u9fff])(?=[A-Za-z0-9(["-])/g, " ")
        .replace(/(?<=[A-Za-z0-9)\]"])(?=[\u4e00-\u9fff])/g, " ")
        .replace(/(?<=[\u4e00-\u9fff”]) +(?=[\u4e00-\u9fff“])/g, "")
        .replace(/ *([，；：、。（）]) */g, "$1");
    }
  }

  ask.languages = { en: new English(), zh: new Chinese() };
})();
