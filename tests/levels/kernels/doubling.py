"""The kernel of the operator that is computed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


def doubled(self: NDArray[Any], out: NDArray[Any], precision: Mapping[str, Any]) -> None:
    """Twice every element."""
    with np.errstate(over="ignore"):
        out[...] = self + self
