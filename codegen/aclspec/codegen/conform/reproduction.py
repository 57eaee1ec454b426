"""A call as a program: in Python, and in C++ against CANN or the simulator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from aclspec.codegen.conform.calls import literals, read_call
from aclspec.codegen.conform.operators import find
from aclspec.codegen.conform.process import Row
from aclspec.codegen.render.samples import ints, number
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.rules.operator_info import OperatorInfo, ParamInfo
from aclspec.runtime.tensors.layout import is_negative
from aclspec.runtime.tensors.tensor import Scalar, Tensor

_PYTHON = """\
import os
os.environ["ACLSPEC_NPU_CHECKS"] = "off"  # the library's answer, not aclspec's
from aclspec.codegen.conform.again import again

again({operator!r}, {product!r}, seed={seed}, backend={backend!r}, call={{
{lines}}})
"""
_HEAD = """\
// g++ -std=c++17 call.cpp -I$ASCEND_HOME_PATH/include -L$ASCEND_HOME_PATH/lib64 -lascendcl -lnnopbase -lopapi
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/{header}"

static aclTensor* tensor(std::vector<int64_t> shape, std::vector<int64_t> strides, std::vector<int64_t> storage,
                         int64_t offset, aclDataType dtype, aclFormat format, size_t bytes) {{
  void* memory = nullptr;
  aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMemset(memory, bytes, 0, bytes);
  return aclCreateTensor(shape.data(), shape.size(), dtype, strides.data(), offset, format, storage.data(),
                         storage.size(), memory);
}}

int main() {{
  aclInit(nullptr);
  aclrtSetDevice(0);
  aclrtStream stream = nullptr;
  aclrtCreateStream(&stream);
"""
_TAIL = """\
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  const int status = {name}GetWorkspaceSize({arguments}, &size, &executor);
  std::printf("phase one: %d, expected {expected}\\n", status);
  if (status == 0) {{
    void* workspace = nullptr;
    if (size > 0) {{
      aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST);
    }}
    std::printf("phase two: %d\\n", {name}(workspace, size, executor, stream));
    std::printf("stream: %d\\n", aclrtSynchronizeStream(stream));
  }}
  return 0;
}}
"""
_ARRAYS = {"int_array": ("int64_t", "Int"), "float_array": ("float", "Float"), "bool_array": ("bool", "Bool")}
_MOST = 1 << 30


def python(row: Row, backend: str) -> str:
    """The call as a Python program that says what the spec expects and what the backend answers."""
    lines = "".join(f"    {name!r}: {value!r},\n" for name, value in literals(row["call"]).items())
    return _PYTHON.format(
        operator=row["operator"], product=row["product"], seed=row["seed"], backend=backend, lines=lines
    )


def cpp(row: Row) -> str:
    """The call as a C++ program that prints the statuses of both phases; its tensors hold zeros."""
    info: OperatorInfo = find(row["operator"]).info
    call = read_call(info, row["call"])
    made = "".join(f"  {line}\n" for param in info.params for line in _made(param, param.name, call[param.name]))
    arguments = ", ".join(_argument(param, call[param.name]) for param in info.params)
    tail = _TAIL.format(name=info.name, arguments=arguments, expected=row["expected"])
    return _HEAD.format(header=info.header) + made + tail


def _made(param: ParamInfo, name: str, value: Any) -> Iterator[str]:
    """The statements that make a pointer argument under a name."""
    if value is None or not PARAM_TYPES[param.type].pointer:
        return
    if isinstance(value, Tensor):
        layout = Format.ND if value.format is None else value.format
        prefix = "" if layout is Format.FRACTAL_Z_3D else "FORMAT_"
        parts = (ints(value.shape), ints(value.strides), ints(value.storage_shape), str(value.offset))
        kinds = f"ACL_{value.dtype.name}, ACL_{prefix}{layout.name}, {_bytes(value)}"
        yield f"aclTensor* {name} = tensor({', '.join(parts)}, {kinds});"
    elif isinstance(value, Scalar):
        yield from _scalar(name, value)
    elif param.type in _ARRAYS:
        kind, noun = _ARRAYS[param.type]
        inner = ", ".join(map(number, value))
        yield f"{kind} {name}Values[] = {{{inner or '0'}}};"
        yield f"acl{noun}Array* {name} = aclCreate{noun}Array({name}Values, {len(value)});"
    elif isinstance(value, tuple):
        noun = "Tensor" if param.type == "tensor_list" else "Scalar"
        for at, one in enumerate(value):
            yield from _made(param, f"{name}{at}", one)
        held = ", ".join("nullptr" if one is None else f"{name}{at}" for at, one in enumerate(value))
        yield f"std::vector<const acl{noun}*> {name}Values{{{held}}};"
        yield f"acl{noun}List* {name} = aclCreate{noun}List({name}Values.data(), {name}Values.size());"
    elif isinstance(value, str):
        yield f"char {name}[] = {number(value)};"


def _scalar(name: str, value: Scalar) -> Iterator[str]:
    """An aclScalar of its own dtype where C++ has the type, else of the nearest."""
    kinds = {"FLOAT": "float", "DOUBLE": "double", "BOOL": "bool"} | {
        f"{sign}INT{bits}": f"{sign.lower()}int{bits}_t" for sign in ("", "U") for bits in (8, 16, 32, 64)
    }
    kind = kinds.get(value.dtype.name)
    held = value.value.real if isinstance(value.value, complex) else value.value
    if kind is None:  # a type of two bytes and others: zeros of enough bytes
        yield f"double {name}Value[2] = {{}};  // {value.dtype.name}({value.value})"
        yield f"aclScalar* {name} = aclCreateScalar({name}Value, ACL_{value.dtype.name});"
        return
    yield f"{kind} {name}Value = static_cast<{kind}>({number(held)});"
    yield f"aclScalar* {name} = aclCreateScalar(&{name}Value, ACL_{value.dtype.name});"


def _bytes(tensor: Tensor) -> int:
    """The bytes of the storage that a tensor lies in; few where it is beyond what a device has."""
    if is_negative(tensor.storage_shape):
        return 32
    count = 1
    for size in tensor.storage_shape:
        count *= size
    return max(32, min(_MOST, count * max(1, tensor.dtype.itemsize)))


def _argument(param: ParamInfo, value: Any) -> str:
    kind = PARAM_TYPES[param.type]
    if kind.pointer:
        return "nullptr" if value is None else param.name
    if param.type == "dtype":
        return f"ACL_{value.name}"
    return f"static_cast<{kind.c}>({number(value)})"
