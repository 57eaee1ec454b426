"""The functions of the predicate language: the types of their arguments and of their results.

A function has a line of the tables here; what it computes is written for the interpreter (`library`), for generated
checks (`shapes`, under the same name) and for the pages (``values.js``); how sentences speak of it is
`aclspec.codegen.wording.functions`.

A predicate type is one of `TYPES`. A list type names its element type in `ELEMENTS`. Every function is strict:
an undefined argument makes the result undefined. An argument is undefined where it is a fact of a null parameter;
``is_null`` alone looks at the parameter itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from aclspec.runtime.abi.parameters import MAX_LENGTH

ELEMENTS: dict[str, str] = {
    "ints": "int",
    "bools": "bool",
    "floats": "float",
    "strings": "string",
    "dtypes": "dtype",
    "formats": "format",
    "tensors": "tensor",
    "scalars": "scalar",
}
LISTS: dict[str, str] = {element: name for name, element in ELEMENTS.items()}
TYPES: tuple[str, ...] = ("bool", "int", "float", "string", "dtype", "format", "tensor", "scalar", *ELEMENTS)
NULLABLE: tuple[str, ...] = ("tensor", "scalar", "string", "ints", "bools", "floats", "tensors", "scalars")
MAX_RANGE: Final = MAX_LENGTH
"""``range`` of more integers than this is undefined, so that no predicate can run for ever; no list is longer."""


@dataclass(frozen=True, slots=True)
class Overload:
    """Argument types and the result type; with ``variadic`` the last argument may be repeated."""

    args: tuple[str, ...]
    result: str
    variadic: bool = False

    def accepts_count(self, count: int) -> bool:
        """Whether a call may have this many arguments."""
        return count >= len(self.args) if self.variadic else count == len(self.args)


_SIGNATURES: Final = {
    "rank": "tensor -> int",
    "numel": "tensor -> int",
    "dim": "tensor int -> int",
    "shape": "tensor -> ints",
    "dtype": "tensor -> dtype | scalar -> dtype",
    "format": "tensor -> format",
    "is_null": " | ".join(f"{kind} -> bool" for kind in NULLABLE),
    "is_empty": "tensor -> bool",
    "is_contiguous": "tensor -> bool",
    "is_transposed": "tensor -> bool",
    "strides": "tensor -> ints",
    "storage_shape": "tensor -> ints",
    "value": "scalar -> float",
    "is_private": "format -> bool",
    "len": " | ".join(f"{kind} -> int" for kind in ELEMENTS),
    "prod": "ints -> int",
    "sum": "ints -> int",
    "min": "ints -> int | floats -> float | int int* -> int | float float* -> float",
    "max": "ints -> int | floats -> float | int int* -> int | float float* -> float",
    "abs": "int -> int | float -> float",
    "ceil_div": "int int -> int",
    "pool_out": "int int int int int int bool -> int",
    "conv_out": "int int int int int int -> int",
    "conv_transpose_out": "int int int int int int int -> int",
    "broadcast": "ints ints -> ints",
    "broadcastable": "ints ints -> bool",
    "indexable": "ints tensors -> bool",
    "index_shape": "ints tensors -> ints",
    "range": "int int -> ints",
    "range_len": "float float float -> int",
    "promotable": "dtype dtype -> bool | tensor scalar -> bool",
    "promote": "dtype dtype -> dtype | tensor scalar -> dtype",
    "promotable_all": "dtypes -> bool",
    "promote_all": "dtypes -> dtype",
    "castable": "dtype dtype -> bool",
    "itemsize": "dtype -> int",
    "bits": "dtype -> int",
    "scaled": "int float -> int",
    "slice": "ints int int -> ints",
    "replace": "ints int int -> ints",
    "remove": "ints int -> ints",
    "insert": "ints int int -> ints",
    "reduce": "ints ints bool -> ints",
    "wrap": "int int -> int",
    "distinct": "ints -> bool",
}
"""Overloads as text, with bars between them; a last argument that may be repeated has a star."""


def _overload(text: str) -> Overload:
    args, _, result = text.partition(" -> ")
    return Overload(tuple(args.removesuffix("*").split()), result, args.endswith("*"))


FUNCTIONS: Final = {name: tuple(map(_overload, text.split(" | "))) for name, text in _SIGNATURES.items()}
"""The overloads of each function."""
DOMAINS: Final = {
    "ceil_div": "b != 0",
    "range_len": "c != 0",
    "pool_out": "c > 0",
    "conv_out": "c > 0",
    "conv_transpose_out": "c > 0",
    "broadcast": "broadcastable(a, b)",
    "index_shape": "indexable(a, b)",
    "promote": "promotable(a, b)",
    "promote_all": "promotable_all(a)",
    "value": "dtype(a) not in [COMPLEX32, COMPLEX64, COMPLEX128]",
    "replace": "0 <= b < len(a)",
    "remove": "0 <= b < len(a)",
    "insert": "0 <= b <= len(a)",
    "reduce": "all(-len(a) <= axis < len(a) for axis in b)",
    "wrap": "-b <= a < b",
}
"""Where a function has a value: a predicate of its arguments, ``a`` the first. One that is not here always has."""
