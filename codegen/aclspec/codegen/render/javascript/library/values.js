// What a predicate is evaluated on: undefined, inferred, and how an actual value is written in a sentence.
//
// An integer is a BigInt, a float a Number; a dtype and a format are their names; an array is a list. A tensor is
// { shape, dtype, format, strides, offset, storage, contiguous }, a scalar { dtype, value }.
"use strict";

(() => {
  const ask = globalThis.aclspecAsk;
  const SHOWN_ELEMENTS = 16;

  ask.UNDEFINED = Symbol("undefined");
  ask.INFERRED = Symbol("inferred");

  ask.isTensor = (value) => typeof value === "object" && value !== null && "shape" in value;
  ask.isNumber = (value) => ["bigint", "number", "boolean"].includes(typeof value);

  /** Whether two values are equal; lists are, element by element. An int and a float compare by value. */
  ask.equal = (one, other) => {
    if (Array.isArray(one) && Array.isArray(other)) {
      return one.length === other.length && one.every((item, at) => ask.equal(item, other[at]));
    }
    return ask.isNumber(one) && ask.isNumber(other) ? one == other : one === other;
  };

  /** A float as Python writes it: the shortest digits that read back as the same number. */
  ask.floatText = (value) => {
    if (Number.isNaN(value)) return "nan";
    if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
    const sign = value < 0 || Object.is(value, -0) ? "-" : "";
    const [mantissa, exponent] = Math.abs(value).toExponential().split("e");
    const digits = mantissa.replace(".", "");
    const power = Number(exponent);
    if (power < -4 || power >= 16) {
      const size = String(Math.abs(power)).padStart(2, "0");
      return `${sign}${mantissa}e${power < 0 ? "-" : "+"}${size}`;
    }
    if (power < 0) return `${sign}0.${"0".repeat(-power - 1)}${digits}`;
    const whole = digits.slice(0, power + 1).padEnd(power + 1, "0");
    return `${sign}${whole}.${digits.slice(power + 1) || "0"}`;
  };

  /** A value as a sentence shows it: arrays as tuples, strings in quotes where asked. */
  ask.valueText = (value, quoted = false) => {
    if (Array.isArray(value)) return listText(value);
    if (typeof value === "string") return quoted ? `"${value}"` : value;
    return typeof value === "number" ? ask.floatText(value) : String(value);
  };

  function listText(values) {
    let texts = values.map((value) => ask.valueText(value));
    if (texts.length > SHOWN_ELEMENTS) texts = [...texts.slice(0, SHOWN_ELEMENTS - 2), "...", texts.at(-1)];
    const numbers = !values.some((value) => typeof value === "string");
    return texts.length === 1 && numbers ? `(${texts[0]},)` : `(${texts.join(", ")})`;
  }

  /** The text in parentheses, unless it is a shape, which brings its own. */
  ask.parenthesized = (text) => (text.startsWith("(") && text.endsWith(")") ? text : `(${text})`);
})();
