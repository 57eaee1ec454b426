"""Lists of tensors as what is inferred of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from aclspec.codegen.derive.call import TensorMeta, Value


def as_inferred(
    given: tuple[Any, ...], plain: Value, sizes: Sequence[tuple[int, ...]] | None, dtypes: Sequence[str] | None
) -> tuple[Any, ...]:
    """A list of tensors with these shapes and dtypes (None: its own); where there are too few, as in a plain one."""
    assert isinstance(plain, tuple)
    facts = sizes if sizes is not None else dtypes
    moved: list[TensorMeta] = []
    for at in range(len(given if facts is None else facts)):
        one = given[at] if at < len(given) and isinstance(given[at], TensorMeta) else plain[0]
        assert isinstance(one, TensorMeta)
        if sizes is not None and one.shape != sizes[at]:
            one = one.reshaped(sizes[at])
        moved.append(one if dtypes is None else replace(one, dtype=dtypes[at]))
    return tuple(moved)
