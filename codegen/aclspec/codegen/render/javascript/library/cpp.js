// C++ that makes a call, as far as its shapes and numbers are written out: aclCreateTensor and its like, the helpers
// that samples write around them, and the call of phase one.
"use strict";

(() => {
  const ask = globalThis.aclspecAsk;
  const LIST = /(\w+)\s*(?:\[\w*\])?\s*=?\s*\{([^{}]*)\}/g;
  const NUMBER = /\b(?:bool|float|double|int|long|auto|size_t|u?int[0-9]+_t|aclDataType|(?:const\s+)?char\s*\*)\s*(\w+)\s*=\s*([^;{}]+);/g;
  const MADE = /(?:(\w+)\s*=\s*)?\b(\w*[Cc]reate\w*(?:Tensor|Scalar|Array|List)\w*)\s*\(/g;
  const CALL = /(aclnn\w+?)GetWorkspaceSize\s*\(/;

  const lastName = (text) => /(\w+)(?:\.data\(\)|\.size\(\))?$/.exec(text.trim())?.[1] ?? "";
  const plain = (text) =>
    text.trim().replace(/^(?:static_cast<[^>]*>|\(\s*(?:u?int[0-9]*(?:_t)?|float|double|bool)\s*\))\s*\(?(-?[\w.]+)\)?$/, "$1");
  const isNull = (text) => /^(?:nullptr|NULL)$/.test(text);

  /** What the variables of a program hold: texts of arguments by name, and lists of numbers. */
  class Program {
    constructor(text) {
      this.code = text.replace(/\/\*.*?\*\//gs, " ").replace(/\/\/[^\n]*/g, " ");
      this.lists = new Map([...this.code.matchAll(LIST)].map(([, name, items]) => [name, ask.splitArguments(items)]));
      this.numbers = new Map([...this.code.matchAll(NUMBER)].map(([, name, value]) => [name, plain(value)]));
      this.objects = new Map();
      for (const made of this.code.matchAll(MADE)) {
        const given = ask.splitArguments(ask.inBrackets(this.code, made.index + made[0].length - 1));
        const target = /^ret$|^status$/i.test(made[1] ?? "ret") ? given.at(-1)?.match(/^&(\w+)$/)?.[1] : made[1];
        if (target) this.objects.set(target, this.made(made[2], given));
      }
    }

    number(text) {
      const value = plain(text);
      return this.numbers.get(value) ?? value;
    }

    list(text) {
      return this.lists.get(lastName(text))?.map((one) => this.number(one));
    }

    dtype(given) {
      const found = given.map((one) => this.number(one)).find((one) => /\bACL_(?!FORMAT_|MEM)[A-Z0-9_]+$/.test(one));
      return found?.replace(/^.*\bACL_/, "");
    }

    /** The text of what a function makes; null where it is not written out. */
    made(name, given) {
      if (/List/.test(name)) return this.lists.get(lastName(given[0])) ?? null;
      if (/Array/.test(name)) return this.list(given[0]) ?? null;
      const dtype = this.dtype(given);
      if (dtype === undefined) return null;
      if (/Scalar/.test(name)) return `${this.number(given[0].replace(/^&/, ""))}:${dtype}`;
      return name === "aclCreateTensor" ? this.tensor(given, dtype) : this.helped(given, dtype);
    }

    tensor([dims, , , strides, offset, format, storage], dtype) {
      const shape = this.list(dims);
      if (shape === undefined) return null;
      const steps = isNull(strides ?? "nullptr") ? undefined : this.list(strides);
      const held = isNull(storage ?? "nullptr") ? undefined : this.list(storage);
      const options = { strides: steps, offset: this.number(offset ?? "0"), storage: held };
      const layout = Object.entries(options).filter(([, one]) => one !== undefined && one !== "0");
      return [`${dtype}[${shape}]`, this.format(format), ...layout.map((one) => one.join("="))].filter(Boolean).join(":");
    }

    /** A tensor of a helper, which takes the data and the shape as lists. */
    helped(given, dtype) {
      const named = given.filter((one) => this.lists.has(lastName(one)));
      const shape = named.find((one) => /shape|dim/i.test(one)) ?? named.at(-1);
      const format = given.map((one) => this.format(one)).find(Boolean);
      return shape === undefined ? null : [`${dtype}[${this.list(shape)}]`, format].filter(Boolean).join(":");
    }

    format(text) {
      return /\bACL_FORMAT_(\w+)/.exec(text ?? "")?.[1];
    }

    /** The text of an argument of the call. */
    argument(param, text) {
      if (isNull(text)) return "null";
      const found = this.objects.has(text) ? this.objects.get(text) : this.number(text);
      if (Array.isArray(found)) return ask.joinedItems(param, found.map((one) => this.objects.get(one) ?? this.number(one)));
      if (found === null) return undefined;
      const { predicate } = ask.tables.paramTypes[param.type];
      return predicate === "dtype" ? found.replace(/^.*\bACL_/, "") : found.replace(/(?<=[0-9.])[fFuUlL]+$/, "");
    }
  }

  /** The call in a program; without a call the variables that have the names of parameters. */
  ask.fromCpp = (operator, text) => {
    const program = new Program(text);
    const call = CALL.exec(program.code);
    if (call !== null) {
      const given = ask.splitArguments(ask.inBrackets(program.code, call.index + call[0].length - 1));
      const place = (param) => operator.params.indexOf(param);
      return { name: call[1], texts: (param) => place(param) < given.length ? program.argument(param, given[place(param)]) : undefined };
    }
    const known = operator.params.filter(({ name }) => program.objects.has(name));
    if (!known.length) return null;
    return { name: operator.name, texts: (param) => (known.includes(param) ? program.argument(param, param.name) : undefined) };
  };
})();
