"""Products of matrices."""

from __future__ import annotations

import numpy as np

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels.blocks import Array
from aclspec.runtime.kernels.rounding import Arithmetic, Precision, round_to
from aclspec.runtime.tensors.rounding import round_into


def addmm(
    added: Array,
    left: Array,
    right: Array,
    beta: float,
    alpha: float,
    out: Array,
    cube_math_type: int,
    precision: Precision,
) -> None:
    """``beta * added + alpha * (left @ right)``; added is not read where beta is 0.

    - Shapes: left (m, k), right (k, n), out (m, n); added broadcasts to it.
    - Precision: the matrices are rounded to the role ``operand``, their product runs in ``accumulate`` and is rounded
      to ``result``, or to ``wide`` where out is FLOAT; the factors and the sum are FLOAT, rounded to the output.
    - Extra memory: the matrices and twice the output in the dtype of ``accumulate``.
    - Source: the formula of the operator's spec; cube_math_type has its say in the precision.
    """
    del cube_math_type
    arithmetic = Arithmetic.of(precision)
    rounded = precision["wide" if out.dtype == np.float32 else "result"]
    assert isinstance(rounded, DType)
    with np.errstate(all="ignore"):  # overflow to infinity and NaN are answers here, not accidents
        product = np.matmul(arithmetic.read(left), arithmetic.read(right))
        total = round_to(product, rounded).astype(np.float32) * np.float32(alpha)
        if beta != 0:
            total += added.astype(np.float32) * np.float32(beta)
        round_into(out, total)
