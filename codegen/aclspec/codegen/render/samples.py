"""The C++ program of an operator's first example, and what it prints."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import numpy as np

from aclspec.codegen.analysis.consistency.compute import default_format, example_call
from aclspec.codegen.render.build import header_line
from aclspec.codegen.render.environment import template
from aclspec.codegen.source.wrapping import c_comment
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.rules.interpreter import Environment, evaluate_node
from aclspec.runtime.rules.operator_info import ExampleInfo, ExampleValue, OperatorInfo, ParamInfo, TensorValue

FOLDER = PurePosixPath("samples")
MAX_PRINTED = 16
"""How many elements of an output a program prints."""
_ARRAYS = {"int_array": ("int64_t", "Int"), "float_array": ("float", "Float"), "bool_array": ("bool", "Bool")}

_MADE = {"scalar": "Scalar", "tensor_list": "TensorList"} | {key: f"{noun}Array" for key, (_, noun) in _ARRAYS.items()}
_SCALARS: dict[type, tuple[str, str]] = {
    bool: ("bool", "BOOL"),
    int: ("int64_t", "INT64"),
    float: ("double", "DOUBLE"),
}


class Element(NamedTuple):
    """A dtype in C++: its type, and the functions of ``sample.h`` from a vector of floats and back to a number."""

    type: str
    make: str = ""
    back: str = ""


ELEMENTS = {
    "FLOAT": Element("float"),
    "DOUBLE": Element("double"),
    "FLOAT16": Element("aclFloat16", "halves", "aclFloat16ToFloat"),
    "BF16": Element("uint16_t", "brains", "from_brain"),
    "INT8": Element("int8_t"),
    "UINT8": Element("uint8_t"),
    "INT16": Element("int16_t"),
    "INT32": Element("int32_t"),
    "INT64": Element("int64_t"),
    "BOOL": Element("uint8_t"),
}


@dataclass(frozen=True)
class Sample:
    """The statements of a program."""

    info: OperatorInfo
    example: ExampleInfo

    @property
    def title(self) -> str:
        """What the example shows."""
        return c_comment(f"{self.info.name}, {self.example.title.en[:1].lower()}{self.example.title.en[1:]}")

    @cached_property
    def tensors(self) -> dict[str, TensorValue]:
        """Every tensor parameter of the call that is not null, outputs with what they hold before it."""
        inputs = dict(self.example.inputs)
        call = example_call(self.info, self.example)
        environment = Environment(self.info, call, self.product, "document")
        found: dict[str, TensorValue] = {}
        for param in self.info.params:
            value = inputs.get(param.name)
            if isinstance(value, TensorValue):
                found[param.name] = value
            elif param.type == "tensor" and param.direction == "out" and _is_required(param, environment):
                found[param.name] = _blank(self.info, param, environment)
        return found

    @cached_property
    def lists(self) -> dict[str, list[TensorValue]]:
        """Every list of tensors, outputs with what they hold before the call."""
        kinds = {param.name: param.type for param in self.info.params}
        found = {}
        for name, value in (*self.example.inputs, *self.example.outputs):
            if isinstance(value, tuple) and kinds[name] == "tensor_list":
                found[name] = [one for one in value if isinstance(one, TensorValue)]
        made = {name for name, place, _ in self.example.expected if place is not None}
        return {
            name: [TensorValue(one.dtype, one.shape, (0,), one.format) for one in value] if name in made else value
            for name, value in found.items()
        }

    @property
    def dtypes(self) -> set[str]:
        """The dtypes of all tensors, those of lists too."""
        return {tensor.dtype for tensor in (*self.tensors.values(), *chain(*self.lists.values()))}

    @property
    def product(self) -> str:
        """A product that the example holds for."""
        return (self.example.products or tuple(key for key, _ in self.info.products))[0]

    @property
    def made(self) -> list[str]:
        """The statements that make what the call takes."""
        return [line for param in self.info.params for line in self._made(param)]

    def _made(self, param: ParamInfo) -> Iterator[str]:
        value = self.tensors.get(param.name, dict(self.example.inputs).get(param.name))
        if isinstance(value, TensorValue):
            yield from _tensor(param.name, param, value)
        elif param.name in self.lists:
            listed = {f"{param.name}{at}": one for at, one in enumerate(self.lists[param.name])}
            for name, tensor in listed.items():
                yield from _tensor(name, param, tensor)
            handles = ", ".join(f"{name}.release()" for name in listed)
            yield f"const std::vector<const aclTensor*> {param.name}Values{{{handles}}};"
            made = f"aclCreateTensorList({param.name}Values.data(), {param.name}Values.size())"
            yield f"aclTensorList* {param.name} = {made};"
        elif param.type in _ARRAYS and isinstance(value, tuple):
            kind, noun = _ARRAYS[param.type]
            yield f"const {kind} {param.name}Values[] = {{{', '.join(map(number, value))}}};"
            yield f"acl{noun}Array* {param.name} = aclCreate{noun}Array({param.name}Values, {len(value)});"
        elif param.type == "scalar" and value is not None:
            kind, dtype = _SCALARS[type(value)]
            yield f"{kind} {param.name}Value = {number(value)};"
            yield f"aclScalar* {param.name} = aclCreateScalar(&{param.name}Value, ACL_{dtype});"

    @property
    def arguments(self) -> list[str]:
        """The arguments of phase one, without the trailing two."""
        return [self._argument(param) for param in self.info.params]

    def _argument(self, param: ParamInfo) -> str:
        if param.name in self.tensors:
            return f"{param.name}.handle"
        inputs = dict(self.example.inputs)
        value = inputs.get(param.name, param.default)
        if param.name in self.lists:
            return param.name
        if value is None and PARAM_TYPES[param.type].pointer:
            return "nullptr"
        if param.type in _MADE:
            return param.name
        return f"ACL_{value}" if param.type == "dtype" else f"/* {param.name} */ {number(value)}"

    @property
    def printed(self) -> list[str]:
        """The statements that print the outputs whose values the example gives."""
        lines = []
        for name, place, value in self.example.expected:
            back = ELEMENTS[value.dtype].back or f"[]({ELEMENTS[value.dtype].type} value) {{ return value; }}"
            lines.append(f'{name}{"" if place is None else place}.print("{_label(name, place)}", {back});')
        return lines

    @property
    def destroyed(self) -> list[str]:
        """The statements that destroy scalars, arrays and lists; tensors do it themselves, those of a list with it."""
        inputs = dict(self.example.inputs)
        return [
            f"aclDestroy{_MADE[param.type]}({param.name});"
            for param in self.info.params
            if param.type in _MADE and (param.name in self.lists or inputs.get(param.name) is not None)
        ]


def _is_required(param: ParamInfo, environment: Environment) -> bool:
    return param.required is None or evaluate_node(param.required, environment) is True


def _blank(info: OperatorInfo, param: ParamInfo, environment: Environment) -> TensorValue:
    """An output before the call: zeros of the shape and the dtype that follow from the inputs."""
    rule = next(rule for rule in info.infer if rule.param == param.name)
    shape: Any = evaluate_node(rule.shape, environment)
    return TensorValue(str(evaluate_node(rule.dtype, environment)), tuple(shape), (0,))


def sample_of(info: OperatorInfo) -> Sample | None:
    """The sample of an operator; None without an example that C++ can hold."""
    if not info.examples or not info.facts.has_kernel:
        return None
    sample = Sample(info, info.examples[0])
    if any(param.type == "scalar_list" or _is_of_any_length(param, sample) for param in info.params):
        return None
    return sample if sample.dtypes <= ELEMENTS.keys() else None


def _is_of_any_length(param: ParamInfo, sample: Sample) -> bool:
    """Whether a list of tensors is an output, and the example does not say which tensors it has."""
    return param.type == "tensor_list" and param.direction != "in" and param.name not in sample.lists


def render_sample(info: OperatorInfo) -> dict[PurePosixPath, str]:
    """The program of an operator, if it has one, by its path below the generated folder."""
    sample = sample_of(info)
    if sample is None:
        return {}
    text = template("samples/program.cpp.j2").render(page=sample, info=info, mark=header_line(info.spec))
    return {FOLDER / f"{info.snake}.cpp": text}


def program_of(info: OperatorInfo) -> dict[PurePosixPath, str]:
    """The program of an operator, as `render_sample` has it; ValueError for an operator that has none."""
    found = render_sample(info)
    if not found:
        raise ValueError(
            f"The operator ({info.name}) has no C++ program: it needs a kernel, and a first example "
            f"without lists of scalars, of the dtypes {', '.join(ELEMENTS)}"
        )
    return found


def render_sample_header() -> dict[PurePosixPath, str]:
    """The header that all programs include."""
    return {FOLDER / "sample.h": template("samples/sample.h.j2").render(mark=header_line("specs"), shown=MAX_PRINTED)}


def expected_output(sample: Sample) -> str:
    """The output of a program, from the values of its example."""
    lines = []
    for name, place, value in sample.example.expected:
        held = np.array(value.values, DType[value.dtype].numpy).astype(np.float64)
        count = math.prod(value.shape)
        flat = np.broadcast_to(held, (count,)) if held.size == 1 else held
        lines += [f"{_label(name, place)}[{at}] = {flat[at]:g}" for at in range(min(count, MAX_PRINTED))]
    return "\n".join(lines) + "\n"


def _label(name: str, place: int | None) -> str:
    """What a program calls an output, or a tensor of one."""
    return name if place is None else f"{name}[{place}]"


def _tensor(name: str, param: ParamInfo, value: TensorValue) -> Iterator[str]:
    yield f"DeviceTensor<{ELEMENTS[value.dtype].type}> {name}("
    yield f"    {vector(value)}, {ints(value.shape)}, ACL_{value.dtype}, {_format(param, value)});"


def _format(param: ParamInfo, value: TensorValue) -> str:
    layout = Format[value.format or default_format(param, len(value.shape)) or "ND"]
    return f"ACL_{'' if layout is Format.FRACTAL_Z_3D else 'FORMAT_'}{layout.name}"


def vector(value: TensorValue) -> str:
    """The elements of a tensor as an expression."""
    element = ELEMENTS[value.dtype]
    inner = "float" if element.make else element.type
    count = math.prod(value.shape)
    numbers = value.values
    if len(numbers) == 1 and count != 1:
        made = f"std::vector<{inner}>({count}, {number(numbers[0])})"
    else:
        made = f"std::vector<{inner}>{{{', '.join(map(number, numbers))}}}"
    return f"{element.make}({made})" if element.make else made


def ints(values: Sequence[int]) -> str:
    """A list of integers in braces."""
    return "{" + ", ".join(map(str, values)) + "}"


def number(value: ExampleValue) -> str:
    """A number, a truth value or a text as a literal."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, int) and value == -(1 << 63):
        return "INT64_MIN"  # C++ has no negative literals, and no positive one of this size
    if isinstance(value, int) and value >= 1 << 63:
        return f"{value}u"
    if isinstance(value, float) and not math.isfinite(value):
        return "NAN" if math.isnan(value) else f"{'-' if value < 0 else ''}INFINITY"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1 << 24:
        return str(int(value))
    return repr(value)
