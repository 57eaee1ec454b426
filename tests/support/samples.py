"""Random arguments of every operator by C name, tensors in float64: what some product at least allows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from tests.support import avg_pooling, convolving, max_pooling
from tests.support.numerics import Array

Sample: TypeAlias = dict[str, Any]
Random: TypeAlias = np.random.Generator


def shape_of(rng: Random, low: int, high: int) -> tuple[int, ...]:
    """A shape of some hundred elements at most, batch and channels first."""
    rank = int(rng.integers(low, high + 1))
    most = {0: 1, 1: 200, 2: 40, 3: 12, 4: 7}.get(rank, 4)
    return tuple(int(size) for size in rng.integers(1, most + 1, rank))


def spread(rng: Random, shape: tuple[int, ...]) -> Array:
    """Numbers of either sign within a few powers of two around one."""
    return np.asarray(rng.standard_normal(shape) * np.exp2(rng.integers(-2, 3, shape)))


def prelu(rng: Random) -> Sample:
    shape = shape_of(rng, 2, 5)
    return {"self": spread(rng, shape), "weight": rng.standard_normal((shape[1] if rng.integers(3) else 1,))}


def prelu_backward(rng: Random) -> Sample:
    sample = prelu(rng)
    return {"gradOutput": spread(rng, sample["self"].shape)} | sample


def batch_norm_reduce_backward(rng: Random) -> Sample:
    shape = shape_of(rng, 2, 5)
    tensors = {name: spread(rng, shape) for name in ("gradOut", "input")}
    statistics = {name: rng.uniform(0.25, 2, shape[1:2]) for name in ("mean", "invstd", "weight")}
    return tensors | statistics | {"inputG": True, "weightG": True, "biasG": True}


def batch_norm_elemt_backward(rng: Random) -> Sample:
    shape = shape_of(rng, 2, 5)
    tensors = {name: spread(rng, shape) for name in ("gradOut", "input")}
    names = ("mean", "invstd", "weight", "sumDy", "sumDyXmu")
    statistics = {name: rng.uniform(0.25, 2, shape[1:2]) for name in names}
    return tensors | statistics | {"counter": rng.integers(1, 9, rng.integers(1, 4)).astype(np.float64)}


def _avg_pool(rng: Random) -> tuple[avg_pooling.Case, tuple[Any, ...]]:
    while True:
        case = avg_pooling.random_case(rng)
        if abs(case.divisor) <= 255:
            return case, (case.kernel, case.stride or (), *case.attributes[2:6])


def avg_pool2d(rng: Random) -> Sample:
    case, attributes = _avg_pool(rng)
    names = ("kernelSize", "strides", "paddings", "ceilMode", "countIncludePad", "divisorOverride")
    return {"self": rng.standard_normal(case.input), **dict(zip(names, attributes, strict=True))}


def avg_pool2d_backward(rng: Random) -> Sample:
    case, attributes = _avg_pool(rng)
    names = ("kernelSize", "stride", "padding", "ceilMode", "countIncludePad", "divisorOverride")
    tensors = {"gradOutput": rng.standard_normal(case.output), "self": rng.standard_normal(case.input)}
    return tensors | dict(zip(names, attributes, strict=True))


def _max_pool(rng: Random) -> tuple[max_pooling.Case, Sample]:
    while True:
        case = max_pooling.random_case(rng)
        if len(case.input) == 4:
            case = case._replace(stride=case.stride or ())
            names = ("kernelSize", "stride", "padding", "dilation", "ceilMode")
            return case, dict(zip(names, case.attributes, strict=True))


def max_pool2d_with_mask(rng: Random) -> Sample:
    case, attributes = _max_pool(rng)
    return {"self": rng.standard_normal(case.input)} | attributes


def max_pool2d_with_mask_backward(rng: Random) -> Sample:
    case, attributes = _max_pool(rng)
    tensors = {"gradOutput": rng.standard_normal(case.output), "self": rng.standard_normal(case.input)}
    return tensors | {"indices": np.zeros(case.mask)} | attributes


def _convolution(rng: Random) -> tuple[convolving.Case, Sample]:
    case = convolving.random_case(rng)
    names = ("stride", "padding", "dilation", "transposed", "outputPadding", "groups")
    return case, dict(zip(names, case.attributes, strict=True))


def convolution(rng: Random) -> Sample:
    case, attributes = _convolution(rng)
    shapes = {"input": case.input, "weight": case.weight, "bias": (case.channels,)}
    return {name: rng.standard_normal(shape) for name, shape in shapes.items()} | attributes


def convolution_backward(rng: Random) -> Sample:
    case, attributes = _convolution(rng)
    shapes = {"gradOutput": case.output, "input": case.input, "weight": case.weight}
    tensors = {name: rng.standard_normal(shape) for name, shape in shapes.items()}
    return tensors | attributes | {"biasSizes": (case.channels,), "outputMask": (True, True, True)}


SAMPLES: dict[str, Callable[[Random], Sample]] = {
    "aclnnAvgPool2d": avg_pool2d,
    "aclnnAvgPool2dBackward": avg_pool2d_backward,
    "aclnnBatchNormElemtBackward": batch_norm_elemt_backward,
    "aclnnBatchNormReduceBackward": batch_norm_reduce_backward,
    "aclnnConvolution": convolution,
    "aclnnConvolutionBackward": convolution_backward,
    "aclnnMaxPool2dWithMask": max_pool2d_with_mask,
    "aclnnMaxPool2dWithMaskBackward": max_pool2d_with_mask_backward,
    "aclnnPrelu": prelu,
    "aclnnPreluBackward": prelu_backward,
}
