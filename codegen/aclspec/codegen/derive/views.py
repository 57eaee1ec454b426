"""Samples that differ from a valid call only in how a tensor lies in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from aclspec.codegen.derive import shapes
from aclspec.codegen.derive.call import Call, TensorMeta, row_major
from aclspec.codegen.derive.space import Ref, Space, kebab

_OFFSET = 3


def views(space: Space, call: Call) -> Iterator[tuple[str, Call]]:
    """Each tensor strided, transposed, at an offset and, where it is only read, repeated; then all of them strided."""
    everything = call
    for place, param in enumerate(space.info.params):
        value = call[place]
        tensors = value if isinstance(value, tuple) else (value,)
        for element, tensor in enumerate(tensors):
            if not isinstance(tensor, TensorMeta) or tensor.numel < 2:
                continue
            ref = Ref(place, element if isinstance(value, tuple) else None)
            label = kebab(param) + (f"-{element}" if isinstance(value, tuple) else "")
            for name, view in _views(tensor, read_only=not param.is_output):
                yield f"{label}-{name}", space.put(call, ref, view)
            strided = shapes.strided(tensor.shape)
            everything = space.put(everything, ref, replace(tensor, strides=strided, offset=_OFFSET))
    if everything != call:
        yield "every-tensor-strided", everything


def _views(tensor: TensorMeta, read_only: bool) -> Iterator[tuple[str, TensorMeta]]:
    shape = tensor.shape
    yield "strided", replace(tensor, strides=shapes.strided(shape))
    yield "offset", replace(tensor, offset=_OFFSET)
    long = [axis for axis, size in enumerate(shape) if size > 1]
    if len(long) > 1:
        yield "transposed", replace(tensor, strides=tuple(reversed(row_major(tuple(reversed(shape))))))
    if read_only:
        strides = row_major((1, *shape[long[0] + 1 :]))[1:]
        repeated = (0,) * (len(shape) - len(strides)) + strides
        yield "repeated", replace(tensor, strides=repeated)
