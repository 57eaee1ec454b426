// A call that somebody pastes: a line of the layer's log, a line of a recording, or C++ that makes the call (cpp.js).
"use strict";

(() => {
  const ask = globalThis.aclspecAsk;
  const POINTERS = ["tensors", "scalars"];
  const CLOSING = { "(": ")", "[": "]", "{": "}" };

  /** The parts of a text between commas outside of brackets and strings. */
  ask.splitArguments = (text) => {
    const parts = [""];
    const open = [];
    let quoted = false;
    for (let at = 0; at < text.length; at += 1) {
      const sign = text[at];
      if (sign === '"' && text[at - 1] !== "\\") quoted = !quoted;
      else if (!quoted && sign in CLOSING) open.push(CLOSING[sign]);
      else if (!quoted && sign === open.at(-1)) open.pop();
      if (sign === "," && !quoted && !open.length) parts.push("");
      else parts[parts.length - 1] += sign;
    }
    return parts.map((part) => part.trim()).filter((part, at) => part || at);
  };

  /** What stands in the bracket that opens at a place. */
  ask.inBrackets = (text, start) => {
    let depth = 0;
    for (let at = start; at < text.length; at += 1) {
      if (text[at] === "(") depth += 1;
      else if (text[at] === ")" && (depth -= 1) === 0) return text.slice(start + 1, at);
    }
    return text.slice(start + 1);
  };

  const ofParam = (param) => ask.tables.paramTypes[param.type].predicate;
  const joined = (param, items) => {
    const text = items.join(POINTERS.includes(ofParam(param)) ? "; " : ",");
    return text === "null" ? "null;" : text;
  };
  ask.joinedItems = joined;

  /** The text of an argument as a recording has it; undefined for what the layer did not see. */
  function recorded(param, value) {
    if (value === null) return "null";
    if (Array.isArray(value)) {
      const items = value.map((one) => recorded(param, one));
      return items.includes(undefined) ? undefined : joined(param, items);
    }
    if (typeof value !== "object") return ofParam(param) === "string" ? JSON.stringify(value) : String(value);
    if ("shape" in value) {
      const options = { strides: value.strides, offset: value.offset || undefined, storage: value.storage_shape };
      const layout = Object.entries(options).filter(([, numbers]) => numbers !== undefined);
      return [`${value.dtype}[${value.shape}]`, value.format, ...layout.map((one) => one.join("="))].join(":");
    }
    return value.dtype !== undefined && value.value !== null ? `${value.value}:${value.dtype}` : undefined;
  }

  /** The text of an argument as a log has it. */
  function logged(param, text) {
    if (/^\?$|^\[[0-9]+ \?\]$|\.\.\.\]$|\(\?\)$/.test(text)) return undefined;
    if (text.startsWith("[")) return joined(param, ask.splitArguments(text.slice(1, -1)).map((one) => logged(param, one)));
    return text.replace(/=\[([^\]]*)\]/g, "=$1");
  }

  function fromRecord(operator, text) {
    const calls = text.split("\n").flatMap((line) => {
      try {
        const found = JSON.parse(line);
        return found?.arguments ? [found] : [];
      } catch {
        return [];
      }
    });
    const found = calls.find((one) => one.operator === operator.name) ?? calls[0];
    if (found === undefined) return null;
    const texts = (param) => (param.name in found.arguments ? recorded(param, found.arguments[param.name]) : undefined);
    return { name: found.operator, product: found.product, texts };
  }

  function fromLog(operator, text) {
    const head = /(aclnn\w+?)GetWorkspaceSize\(/.exec(text);
    if (head === null) return null;
    const parts = ask.splitArguments(ask.inBrackets(text, head.index + head[0].length - 1));
    const named = parts.map((part) => /^(\w+)=(?!=)(.*)$/s.exec(part)).filter(Boolean);
    if (!named.length) return null;
    const values = new Map(named.map(([, name, value]) => [name, value]));
    const product = /(?: for |产品 )(\w+)/.exec(text)?.[1];
    return { name: head[1], product, texts: (param) => values.has(param.name) ? logged(param, values.get(param.name)) : undefined };
  }

  /** The texts of the call, its product if it names one, and the parameters that it does not tell. */
  ask.readPasted = (operator, text) => {
    const found = fromRecord(operator, text) ?? fromLog(operator, text) ?? ask.fromCpp(operator, text);
    if (found === null) throw new ask.Refusal("bad_paste", operator.name);
    if (found.name !== operator.name) throw new ask.Refusal("other_operator", found.name, operator.name);
    const texts = {};
    const unread = [];
    for (const param of operator.params) {
      const value = found.texts(param);
      try {
        if (value !== undefined) ask.parseArgument(param, value);
        if (value !== undefined) texts[param.name] = value;
        else if (param.direction !== "out") unread.push(param.name);
      } catch (error) {
        if (!(error instanceof ask.Refusal)) throw error;
        unread.push(param.name);
      }
    }
    const product = found.product in ask.tables.products ? found.product : undefined;
    return { texts, unread, product };
  };
})();
