"""Random calls that the rules accept: a walk from the derived valid calls, one to four changes a step.

A change gives several tensors another size, rank or dtype together, or moves an attribute; outputs follow from the
inputs. Most changes break a rule, and the generated check says which do, in microseconds. Calls of one kind (the same
dtypes, ranks, nulls, flags and lengths) are neighbours; a step begins at a random kind, so that rare ones are walked
from as often as common ones, and no call comes twice.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from random import Random
from typing import Any

import numpy as np

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.rules.operator_info import ParamInfo
from aclspec.runtime.tensors.tensor import Scalar, Tensor, each_leaf, leaves, wrap
from aclspec.runtime.testing.suite import Target

Call = dict[str, Any]
Complete = Callable[[Call, Target], Call | None]
"""Fits some inputs of a call to the others, such as a gradient to the result that it is of; None where that fails."""
_SIZES = (0, 1, 1, 2, 3, 4, 5, 6, 7, 9, 11, 17)
_LARGEST = 2048
"""Elements that a tensor has at most: a wrong kernel shows on small ones."""
_FAR = 40
"""Integers go no further from zero than this, but where the derived calls do."""

_SCALARS = (0, 1, 2, -1)
_FLOATING_SCALARS = (float(np.float32(0.1)), float(np.float32(-2.3)))
"""Numbers of FLOAT, as which operators use a scalar."""


class RandomCalls:
    """Accepted calls of one operator, the same ones for the same seed."""

    def __init__(
        self, operator: Operator, given: Sequence[Call], targets: Sequence[Target], seed: int, complete: Complete
    ) -> None:
        """Walk from the given calls through the products and modes of ``targets``."""
        self.operator, self.info = operator, operator.info
        self.targets = list(targets)
        self.random = Random(seed)
        self.complete = complete
        self.kinds: dict[Hashable, list[Call]] = {}
        self.seen: set[str] = set()
        for call in given:
            self._remember(call)
        self.dtypes = list(dict.fromkeys(DType[one] for row in self.info.rows for _, cell in row.cells for one in cell))
        self.outputs = [param.name for param in self.info.params if param.direction == "out"]
        self.inputs = [param for param in self.info.params if param.direction != "out"]

    def take(self, count: int, patience: int = 2000) -> Iterator[tuple[Call, Target]]:
        """A number of accepted calls; fewer where too many attempts in a row are refused."""
        refused = 0
        while count and self.kinds and refused < patience:
            found = self._attempt()
            refused += 1
            if found is not None:
                refused, count = 0, count - 1
                yield found

    def _remember(self, call: Call) -> None:
        """Walk on from a call."""
        if _is_small(call):
            self.kinds.setdefault(tuple(map(_kind, call.values())), []).append(call)

    def _any(self) -> Call:
        """A call to begin with: of any kind, one of the last."""
        return self.random.choice(self.random.choice(list(self.kinds.values()))[-20:])

    def _attempt(self) -> tuple[Call, Target] | None:
        random = self.random
        call, target = dict(self._any()), random.choice(self.targets)
        for _ in range(random.choice((0, 1, 1, 2, 2, 3, 4))):
            self._change(call)
        if random.random() < 0.8:
            completed = self.complete(call, target)
            if completed is None:
                return None
            call = completed
        if not _is_small(call) or not self._infer(call):
            return None
        values = [call[param.name] for param in self.operator.params]
        verdict = self.operator.check(target.product, target.mode == "library", *values)
        if verdict is not None and verdict.effect is None:
            return None
        text = f"{target} {call}"
        if text in self.seen or (verdict is not None and random.random() < 0.98):
            return None  # a shortcut computes nothing: few of them do
        self.seen.add(text)
        self._remember(call)
        return call, target

    def _infer(self, call: Call) -> bool:
        """Let the outputs follow from the inputs, now and then in another dtype; whether they do."""
        try:
            found = self.operator.inferred([call[param.name] for param in self.operator.inputs])
        except (ArithmeticError, LookupError, TypeError, ValueError):
            return False
        for param, tensor in zip(self.operator.outputs, found, strict=True):
            if param.name in self.outputs:
                if isinstance(tensor, Tensor) and self.random.random() < 0.15:
                    tensor = retyped(tensor, dtype=self.random.choice(self.dtypes))
                if tensor is not None and any(min(one.shape, default=0) < 0 for one in leaves(tensor)):
                    return False
                call[param.name] = tensor
        return _is_small(call)

    def _change(self, call: Call) -> None:
        random = self.random
        tensors = [param.name for param in self.inputs if any(leaves(call[param.name]))]
        kind = random.random()
        if tensors and kind < 0.4:
            self._resize(call, tensors)
        elif tensors and kind < 0.5:
            self._rerank(call, tensors)
        elif tensors and kind < 0.55:
            self._retype(call, random.choice(self.dtypes))
        elif tensors and kind < 0.7:
            named = tensors if random.random() < 0.5 else [random.choice(tensors)]
            floating = next(leaves(call[named[0]])).dtype.is_floating
            dtype = random.choice([one for one in self.dtypes if one.is_floating == floating] or self.dtypes)
            for name in named:
                if all(one.dtype.is_floating == floating for one in leaves(call[name])):
                    call[name] = _all_retyped(call[name], dtype)
        else:
            for param in random.sample(self.inputs, min(len(self.inputs), random.choice((1, 1, 2, 3)))):
                call[param.name] = self._attribute(param, call, tensors)

    def _retype(self, call: Call, dtype: DType) -> None:
        """Another dtype instead of one, in every tensor of it, and in every scalar, as one alone may not go with it."""
        first = self.random.choice([one for param in self.inputs for one in leaves(call[param.name])])

        def changed(value: Any) -> Any:
            match value:
                case tuple():
                    return tuple(map(changed, value))
                case Tensor() if value.dtype == first.dtype:
                    return retyped(value, dtype=dtype)
                case Scalar():
                    return Scalar(self.random.choice(_scalars(dtype)), dtype)
            return value

        for param in self.inputs:
            call[param.name] = changed(call[param.name])

    def _resize(self, call: Call, tensors: list[str]) -> None:
        """Another size instead of one, on the same axis, everywhere, in some tensors or only in one."""
        random = self.random
        first = random.choice([one for name in tensors for one in leaves(call[name])])
        if not first.shape:
            return
        axis, size = random.randrange(len(first.shape)), random.choice(_SIZES)
        old, reach = first.shape[axis], random.choice(("axis", "size", "some", "one", "one"))

        def resized(tensor: Tensor | None) -> Tensor | None:
            if tensor is None:
                return None
            shape = list(tensor.shape)
            for at, one in enumerate(shape):
                chosen = {
                    "axis": at == axis and one == old,
                    "size": one == old,
                    "some": one == old and random.random() < 0.5,
                    "one": at == axis and tensor is first,
                }
                if chosen[reach]:
                    shape[at] = size
            return retyped(tensor, tuple(shape))

        for name in tensors:
            call[name] = each_leaf(resized, call[name])

    def _rerank(self, call: Call, tensors: list[str]) -> None:
        """One axis more or less, in one tensor or in all of its rank."""
        random = self.random
        first = random.choice([one for name in tensors for one in leaves(call[name])])
        rank, everywhere = first.rank, random.random() < 0.6
        more, axis, size = random.random() < 0.5, random.randint(0, max(0, rank - 1)), random.choice((1, 1, 2, 3))

        def reranked(tensor: Tensor | None) -> Tensor | None:
            if tensor is None or tensor.rank != rank or not (everywhere or tensor is first) or (rank == 8 and more):
                return tensor
            shape = list(tensor.shape)
            if more:
                shape.insert(axis, size)
            elif shape:
                shape.pop(axis)
            return retyped(tensor, tuple(shape))

        for name in tensors:
            call[name] = each_leaf(reranked, call[name])

    def _attribute(self, param: ParamInfo, call: Call, tensors: list[str]) -> Any:
        random, value, kind = self.random, call[param.name], PARAM_TYPES[param.type]
        if param.optional and value is not None and random.random() < 0.3:
            return None
        match kind.predicate:
            case "tensor":
                if value is None and param.optional and tensors:
                    return random.choice([one for name in tensors for one in leaves(call[name])])
                return value
            case "bool":
                return not value
            case "int" if param.values:
                return random.choice(param.values)
            case "int":
                rank = next((one.rank for name in tensors for one in leaves(call[name])), 0)
                near = self._near(value)  # else the same axis, counted from the other end
                return max(kind.low, min(kind.high, random.choice((near, near, value - rank, value + rank))))
            case "float":
                return random.choice((0.0, 0.5, 1.0, -1.5, value, value + 0.25))
            case "bools":
                return tuple(random.random() < 0.5 for _ in value or ())
            case "ints" if value is None or random.random() < 0.2:
                return self._any()[param.name]
            case "ints" if random.random() < 0.5:
                return tuple(random.choice((0, 1, 1, 2, 2, 3, 4)) for _ in value)
            case "ints" if value:
                items = list(value)
                items[random.randrange(len(items))] = self._near(random.choice(items))
                return tuple(items)
            case "scalar" if value is not None:
                return Scalar(random.choice(_scalars(value.dtype)), value.dtype)
        return self._any()[param.name]

    def _near(self, value: int) -> int:
        found = self.random.choice((value - 1, value + 1, value + 2, 0, 1, 2, 3, 5))
        return found if abs(found) <= max(_FAR, abs(value)) else value


def _scalars(dtype: DType) -> tuple[int | float, ...]:
    """Numbers of a dtype: what it does not hold would be another number in C."""
    if dtype.is_floating or dtype.numpy is None:
        return (*_SCALARS, *_FLOATING_SCALARS)
    return tuple(one for one in _SCALARS if np.asarray(one).astype(dtype.numpy) == one)


def _all_retyped(value: Any, dtype: DType) -> Any:
    """A tensor, or every tensor of a list, of another dtype; null stays null."""
    if isinstance(value, tuple):
        return tuple(_all_retyped(one, dtype) for one in value)
    return value if value is None else retyped(value, dtype=dtype)


def retyped(tensor: Tensor, shape: tuple[int, ...] | None = None, dtype: DType | None = None) -> Tensor:
    """A contiguous tensor like another one, without data, with some of its facts replaced."""
    kind = tensor.dtype if dtype is None else dtype  # FLOAT is 0
    return wrap(tensor.shape if shape is None else shape, kind, tensor.format)


def _kind(value: Any) -> Hashable:
    """What makes two values of one kind: dtypes, ranks and emptiness of tensors, lengths and signs of numbers."""
    match value:
        case Tensor():
            return value.dtype, value.rank, value.numel == 0
        case tuple() if value and isinstance(value[0], int):
            return len(value), max(value) > 1
        case tuple():
            return tuple(map(_kind, value))
        case bool() | None:
            return value
        case int():
            return max(-1, min(2, value))
    return str(value)


def _is_small(call: Call) -> bool:
    """Whether the tensors have few elements, none of a dtype that NumPy has not, and no negative size."""
    tensors = [one for value in call.values() for one in leaves(value)]
    return all(
        one.dtype.numpy is not None and min(one.shape, default=0) >= 0 and one.numel <= _LARGEST for one in tensors
    )
