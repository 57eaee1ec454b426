"""Random calls near the derived ones: a derived call, one to three of its facts changed."""

from __future__ import annotations

from random import Random
from typing import Any

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.rules.operator_info import OperatorInfo, ParamInfo
from aclspec.runtime.tensors.tensor import Scalar, Tensor

Call = dict[str, Any]
_DTYPES = (DType.FLOAT, DType.FLOAT16, DType.BF16, DType.FLOAT, DType.FLOAT16, DType.BF16, DType.INT8, DType.DOUBLE)
_FORMATS = (Format.ND, Format.NCHW, Format.NHWC, Format.NCL, Format.FRACTAL_NZ, Format.NC1HWC0)
_SOME = Tensor(shape=(2,), dtype=DType.FLOAT, format=Format.ND)
_SIZES = (-1, 0, 1, 1, 2, 3, 4, 7, 65536)


class Nearby:
    """Random calls of one operator around some given ones."""

    def __init__(self, info: OperatorInfo, given: list[Call], seed: int) -> None:
        self.info, self.given = info, given
        self.random = Random(seed)

    def call(self) -> Call:
        """A given call with none to three changes, which most often meet in one parameter or one fact."""
        random = self.random
        call = dict(random.choice(self.given))
        for _ in range(random.choice((0, 1, 1, 1, 2, 2, 3))):
            if random.random() < 0.25:
                self._everywhere(call)
            else:
                param = random.choice(self.info.params)
                call[param.name] = self._changed(param, call)
        return call

    def _everywhere(self, call: Call) -> None:
        """The same change in several tensors, so that the rules that compare them still hold."""
        chosen = [name for name, value in call.items() if isinstance(value, Tensor) and self.random.random() < 0.8]
        dtype, layout, size = self.random.choice(_DTYPES), self.random.choice(_FORMATS), self.random.choice(_SIZES)
        fact = self.random.choice(("dtype", "format", "channel", "first"))
        for name in chosen:
            shape = list(call[name].shape)
            if fact == "dtype":
                call[name] = retyped(call[name], call[name].shape, dtype)
            elif fact == "format":
                call[name] = retyped(call[name], call[name].shape, layout=layout)
            elif shape:
                shape[min(int(fact == "channel"), len(shape) - 1)] = size
                call[name] = retyped(call[name], tuple(shape))

    def _changed(self, param: ParamInfo, call: Call) -> Any:
        random, value = self.random, call[param.name]
        kind = PARAM_TYPES[param.type]
        if kind.pointer and random.random() < 0.12:
            return None
        if isinstance(value, Tensor) or param.type == "tensor":
            return self._tensor(value, call)
        match kind.predicate:
            case "bool":
                return not value
            case "int":
                return max(kind.low, min(kind.high, random.choice((value - 1, value + 1, -value, 0, 1, 255, 256))))
            case "float":
                return random.choice((0.0, -value, value + 0.5, float("nan"), float("inf")))
            case "dtype":
                return random.choice(_DTYPES)
            case "string":
                return random.choice(("", "sum", "mean"))
            case "scalar":
                return Scalar(random.choice((0, 1, -1)), random.choice(_DTYPES))
            case "tensors" | "scalars":
                return self._objects(value, call)
            case _:
                return self._list(value, kind.predicate)

    def _objects(self, value: Any, call: Call) -> Any:
        """A list of tensors or scalars with one element less, one twice, one null, or one tensor changed."""
        if not value:
            return value
        items, at = list(value), self.random.randrange(len(value))
        change = self.random.randrange(4)
        if change == 0:
            items.pop(at)
        elif change == 1:
            items.append(items[at])
        else:
            items[at] = self._tensor(items[at], call) if change == 2 and isinstance(items[at], Tensor) else None
        return tuple(items)

    def _list(self, value: Any, predicate: str) -> Any:
        if value is None:
            return None
        items = list(value)
        change = self.random.randrange(3)
        if change == 0 and items:
            items.pop()
        elif change == 1:
            items.append(items[-1] if items else predicate == "bools" or 1)
        elif items and isinstance(items[0], bool):
            place = self.random.randrange(len(items))
            items[place] = not items[place]
        elif items and isinstance(items[0], int):
            items[self.random.randrange(len(items))] = self.random.choice((-1, 0, 1, 2, 255, 256))
        return tuple(items)

    def _tensor(self, value: Tensor | None, call: Call) -> Tensor:
        random = self.random
        given = [other for other in call.values() if isinstance(other, Tensor)] or [value or _SOME]
        if value is None:
            return random.choice(given)
        fact = random.choice(("dtype", "format", "shape", "shape", "shape", "strides"))
        if fact == "dtype":
            return retyped(value, value.shape, random.choice(_DTYPES))
        if fact == "format":
            return retyped(value, value.shape, layout=random.choice(_FORMATS))
        if fact == "strides":
            steps = tuple(2 * step for step in value.strides)
            return Tensor(shape=value.shape, dtype=value.dtype, format=value.format, strides=steps)
        return retyped(value, self._shape(value.shape, given))

    def _shape(self, shape: tuple[int, ...], given: list[Tensor]) -> tuple[int, ...]:
        random = self.random
        sizes = list(shape)
        match random.randrange(6):
            case 0 if sizes:
                sizes[random.randrange(len(sizes))] = random.choice(_SIZES)
            case 1 if sizes:
                sizes.pop(random.randrange(len(sizes)))
            case 2:
                sizes.insert(random.randint(0, len(sizes)), random.choice(_SIZES))
            case 3:
                return random.choice(given).shape
            case 4:
                return (*shape, *(1 for _ in range(random.choice((8, 9)) - len(shape))))
            case _:
                random.shuffle(sizes)
        return tuple(sizes)


def retyped(tensor: Tensor, shape: tuple[int, ...], dtype: DType | None = None, layout: Format | None = None) -> Tensor:
    """A tensor like another, contiguous, with some of its facts replaced."""
    return Tensor(shape=shape, dtype=dtype or tensor.dtype, format=layout or tensor.format)
