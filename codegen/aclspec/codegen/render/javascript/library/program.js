// A call as a C++ program up to phase one, for the simulator or an NPU; the form reads it back (cpp.js).
"use strict";

(() => {
  const ask = globalThis.aclspecAsk;
  const TYPES = { BOOL: "bool", FLOAT: "float", DOUBLE: "double" };
  const ARRAYS = { ints: ["int64_t", "Int"], floats: ["float", "Float"], bools: ["bool", "Bool"] };
  const predicateOf = (param) => ask.tables.paramTypes[param.type].predicate;
  const typeOf = (dtype) => TYPES[dtype] ?? (/^U?INT(8|16|32|64)$/.test(dtype) ? `${dtype.toLowerCase()}_t` : null);
  const listed = (items) => `{${items.join(", ")}}`;

  function number(value) {
    if (typeof value !== "number" || Number.isFinite(value)) return String(value);
    return Number.isNaN(value) ? "NAN" : value > 0 ? "INFINITY" : "-INFINITY";
  }

  /** The format of a tensor, or the first that its parameter allows for its rank. */
  const formatOf = (param, tensor) => tensor.format ?? param.formats?.[tensor.shape.length]?.[0] ?? param.formats?.any?.[0] ?? "ND";

  function* tensor(name, param, value) {
    const vector = (suffix, sizes) => `  const std::vector<int64_t> ${name}${suffix}${listed(sizes)};`;
    const given = (suffix) => `${name}${suffix}.data()`;
    const [strides, storage] = [!value.contiguous, !ask.hasUsualStorage(value)];
    const elements = value.storage.reduce((one, other) => one * other, 1n);
    const bytes = (elements * BigInt(ask.tables.bits[value.dtype] ?? 8) + 7n) / 8n;
    yield vector("Shape", value.shape);
    if (strides) yield vector("Strides", value.strides);
    if (storage) yield vector("Storage", value.storage);
    yield `  void* ${name}Memory = nullptr;`;
    yield `  aclrtMalloc(&${name}Memory, ${bytes > 0n ? bytes : 1n}, ACL_MEM_MALLOC_HUGE_FIRST);`;
    const held = storage ? "Storage" : "Shape";
    const layout = [strides ? given("Strides") : "nullptr", value.offset, `ACL_FORMAT_${formatOf(param, value)}`];
    const memory = [given(held), `${name}${held}.size()`, `${name}Memory`];
    const facts = [given("Shape"), `${name}Shape.size()`, `ACL_${value.dtype}`, ...layout, ...memory];
    yield `  aclTensor* ${name} = aclCreateTensor(${facts.join(", ")});`;
  }

  /** The value of a scalar, whose dtype says how; the bits of a short float. */
  function* scalar(name, { value, dtype }) {
    const type = typeOf(dtype);
    if (type === null && dtype !== "FLOAT16") throw new ask.Refusal("no_cpp", `${name}: ${dtype}`);
    yield type ? `  ${type} ${name}Value = ${number(value)};` : `  aclFloat16 ${name}Value = aclFloatToFloat16(${number(value)});`;
    yield `  aclScalar* ${name} = aclCreateScalar(&${name}Value, ACL_${dtype});`;
  }

  /** The statements that make an argument, if it needs any. */
  function* made(param, value) {
    const { name } = param;
    const predicate = predicateOf(param);
    if (value === null) return;
    if (predicate === "tensor") yield* tensor(name, param, value);
    else if (predicate === "scalar") yield* scalar(name, value);
    else if (predicate in ARRAYS) {
      const [type, noun] = ARRAYS[predicate];
      yield `  const ${type} ${name}Values[] = ${listed(value.length ? value.map(number) : [0])};`;
      yield `  aclArray* ${name} = aclCreateArray(${name}Values, ${value.length});`.replaceAll("Array", `${noun}Array`);
    } else if (predicate === "tensors" || predicate === "scalars") {
      const noun = predicate === "tensors" ? "Tensor" : "Scalar";
      const names = value.map((one, at) => (one === null ? "nullptr" : `${name}${at}`));
      for (const [at, one] of value.entries()) if (one !== null) yield* noun === "Tensor" ? tensor(names[at], param, one) : scalar(names[at], one);
      yield `  const std::vector<const acl${noun}*> ${name}Values${listed(names)};`;
      yield `  acl${noun}List* ${name} = aclCreate${noun}List(${name}Values.data(), ${name}Values.size());`;
    }
  }

  function argument(param, value) {
    if (value === null) return "nullptr";
    const predicate = predicateOf(param);
    if (predicate === "string") return `const_cast<char*>(${JSON.stringify(value)})`;
    if (predicate === "dtype") return `ACL_${value}`;
    const isMade = ["tensor", "scalar", "tensors", "scalars", ...Object.keys(ARRAYS)].includes(predicate);
    return isMade ? param.name : `/* ${param.name} */ ${number(value)}`;
  }

  /** The program; `inferred` has the outputs that the call leaves to inference. */
  ask.cppCode = (operator, call, inferred) => {
    const valueOf = ({ name }) => (call[name] === ask.INFERRED || !(name in call) ? inferred[name] ?? null : call[name]);
    const values = operator.params.map((param) => [param, valueOf(param)]);
    const head = ["<cmath>", "<cstdint>", "<cstdio>", "<vector>"].map((name) => `#include ${name}`);
    const given = values.map(([param, value]) => `      ${argument(param, value)},`);
    return [
      ...head,
      "",
      '#include "acl/acl.h"',
      `#include "aclnnop/${operator.header}"`,
      "",
      "int main() {",
      "  aclInit(nullptr);",
      "  aclrtSetDevice(0);",
      ...values.flatMap(([param, value]) => [...made(param, value)]),
      "  uint64_t workspaceSize = 0;",
      "  aclOpExecutor* executor = nullptr;",
      `  const aclnnStatus status = ${operator.name}GetWorkspaceSize(`,
      ...given,
      "      &workspaceSize, &executor);",
      '  std::printf("%d\\n", static_cast<int>(status));',
      "  aclrtResetDevice(0);",
      "  aclFinalize();",
      "}",
      "",
    ].join("\n");
  };
})();
