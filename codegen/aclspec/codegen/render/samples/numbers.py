"""The values of an example as C++ writes them."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import NamedTuple

from aclspec.runtime.info import ExampleValue, TensorValue

_HALF = """\
// float16 from and to float.
inline std::vector<aclFloat16> halves(const std::vector<float>& values) {
  std::vector<aclFloat16> bits;
  for (float value : values) {
    bits.push_back(aclFloatToFloat16(value));
  }
  return bits;
}"""
_BRAIN = """\
// bfloat16 is the upper half of a float; the values of the example are exact in it.
inline std::vector<uint16_t> brains(const std::vector<float>& values) {
  std::vector<uint16_t> bits;
  for (float value : values) {
    uint32_t wide;
    std::memcpy(&wide, &value, sizeof wide);
    bits.push_back(static_cast<uint16_t>(wide >> 16));
  }
  return bits;
}

inline float from_brain(uint16_t bits) {
  const uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}"""


class Element(NamedTuple):
    """How C++ holds a dtype: the type, what makes a vector of one of floats, what makes a number again, its helper."""

    type: str
    make: str = ""
    back: str = ""
    helper: str = ""


ELEMENTS = {
    "FLOAT": Element("float"),
    "DOUBLE": Element("double"),
    "FLOAT16": Element("aclFloat16", "halves", "aclFloat16ToFloat", _HALF),
    "BF16": Element("uint16_t", "brains", "from_brain", _BRAIN),
    "INT8": Element("int8_t"),
    "UINT8": Element("uint8_t"),
    "INT16": Element("int16_t"),
    "INT32": Element("int32_t"),
    "INT64": Element("int64_t"),
    "BOOL": Element("uint8_t"),
}


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
