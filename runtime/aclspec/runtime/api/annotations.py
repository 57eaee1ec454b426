"""The types that a caller of a generated function may give, for type checkers alone: nothing imports this to run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.tensors.array_coercion import SupportsArray, SupportsDLPack
from aclspec.runtime.tensors.tensor import Scalar, Tensor

TensorLike: TypeAlias = Tensor | NDArray[Any] | SupportsDLPack | SupportsArray
"""What a call takes for a tensor."""
ScalarLike: TypeAlias = bool | int | float | complex | np.generic | Scalar
"""What a call takes for an aclScalar."""
DTypeLike: TypeAlias = DType | str | np.dtype[Any] | type
"""What a call takes for a dtype."""
Out: TypeAlias = Mapping[str, TensorLike | None] | Sequence[TensorLike | None] | TensorLike
"""What a call takes for ``out``: the outputs by name or in order, or the only one."""
