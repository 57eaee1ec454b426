"""The functions of the predicate language in Python: fields, calls and comparisons.

An index and a slice are written by `values`; when a function has no value, `guards` says.
"""

from __future__ import annotations

from typing import Final

from aclspec.codegen.emit.guards import IS_THERE, PROMOTABLE

FIELDS: Final = ("shape", "dtype", "format", "is_contiguous")
"""Functions that are a field of the tensor or the scalar itself."""
CALLS: Final = {
    "rank": "len(",
    "numel": "math.prod(",
    "len": "len(",
    "prod": "math.prod(",
    "sum": "sum(",
    "abs": "abs(",
    "min": "min(",
    "max": "max(",
    "is_private": "shapes.is_private(",
    "ceil_div": "shapes.ceil_div(",
    "broadcast": "shapes.broadcast(",
    "broadcastable": "shapes.broadcastable(",
    "promote": "shapes.promote(",
    "castable": "shapes.castable(",
    "scaled": "shapes.scaled(",
    PROMOTABLE: "shapes.promotable(",
    "pool_out": "shapes.pool_out(",
    "conv_out": "shapes.conv_out(",
    "conv_transpose_out": "shapes.conv_transpose_out(",
}
"""Functions that are a call in Python too; of a tensor, its shape is what they are called with."""
TESTS: Final = {"is_null": ("is", "is not"), IS_THERE: ("is not", "is"), "is_empty": ("in", "not in")}
"""Functions that are a comparison in Python, and the operator of their negation."""
