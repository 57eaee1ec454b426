"""Copies of elements: a whole tensor, chosen parts of one, and tensors in a row."""

from __future__ import annotations

import numpy as np

from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Precision
from aclspec.runtime.tensors.rounding import round_into


def copy(target: Array, source: Array, precision: Precision) -> None:
    """Write source, broadcast to the shape of target and converted to its dtype.

    - Precision: one rounding, to the nearest; a complex number loses its imaginary part where target is not complex.
    - Source: the formula of the operator's spec.
    """
    del precision
    if source.dtype.kind == "c" and target.dtype.kind != "c":
        source = source.real
    round_into(target, np.broadcast_to(source, target.shape))
