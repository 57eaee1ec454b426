"""Rounding a result to the dtype of an output, once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DIRECT = frozenset("fiub")  # kinds to which NumPy itself converts from float64 with a single rounding


def round_into(target: NDArray[Any], source: NDArray[Any]) -> None:
    """Write ``source`` to ``target``, each element rounded once to the nearest value, ties to even.

    A complex number loses its imaginary part where the target is not complex.
    """
    if source.dtype.kind == "c" and target.dtype.kind != "c":
        source = source.real
    with np.errstate(all="ignore"):
        if source.dtype == np.float64 and not _converts_directly(target.dtype):
            source = _round_to_odd(source)
        np.copyto(target, source, casting="unsafe")


def _converts_directly(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in _DIRECT and dtype.isbuiltin == 1


def _round_to_odd(source: NDArray[Any]) -> NDArray[Any]:
    """As float32, rounded to odd: ml_dtypes goes through float32, whose rounding then is the only one to nearest."""
    near = np.array(source, dtype=np.float32, order="C")
    bits = near.view(np.uint32)
    wide = near.astype(np.float64)
    bits -= (np.abs(wide) > np.abs(source)).astype(np.uint32)  # towards zero
    bits |= ((wide != source) & ~np.isnan(source)).astype(np.uint32)
    return near
