"""Random calls of every gradient, each with the function that it is the gradient of, and the same in PyTorch.

A sample draws a rank, ragged sizes, flags and attributes anew, one in five of them extreme. The numbers are those that
tensors of the dtype hold, so that the operator and its judges see the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from tests.support import avg_pooling, convolving, max_pooling
from tests.support.numerics import Array
from tests.support.oracles import by_channel, mask_of

Random: TypeAlias = np.random.Generator
Values: TypeAlias = Mapping[str, Any]
OLD, NEW = "atlas_training", "atlas_a2"
EPSILON = 1e-5


@dataclass(frozen=True)
class Sample:
    """A call of a gradient.

    ``at`` has, by output, the operand that it is the gradient in; ``forward`` and ``torch`` take all of these, and give
    the result whose gradient is ``upstream``. ``slack`` is what the operator's own inputs leave open: the error that
    statistics have, which are rounded to float32.
    """

    call: dict[str, Any]
    at: dict[str, Array]
    upstream: Array
    forward: Callable[[Values], Any]
    torch: Callable[[Values, Any], Any]
    product: str = NEW
    step: float = 1e-3
    slack: float = 0.0


def held(rng: Random, shape: tuple[int, ...], dtype: Any) -> Array:
    """Random numbers of the dtype."""
    return np.asarray(rng.standard_normal(shape)).astype(dtype)


def shape_of(rng: Random, low: int) -> tuple[int, ...]:
    """A rank up to 8, sizes unlike each other."""
    rank = int(rng.integers(low, 9))
    most = {1: 60, 2: 20, 3: 9, 4: 6}.get(rank, 3)
    return tuple(int(size) for size in rng.integers(1, most + 1, rank))


def wide(array: Array) -> Array:
    return array.astype(np.float64)


def prelu(rng: Random, dtype: Any, extreme: bool) -> Sample:
    shape = shape_of(rng, 1)
    channels = shape[1] if len(shape) > 1 and rng.integers(3) else 1
    scale = 1000 if extreme else 1
    g, x = held(rng, shape, dtype), held(rng, shape, dtype)
    x = np.where(np.abs(wide(x)) < 0.1, dtype(0.5), x)  # away from the kink
    weight = (wide(held(rng, (channels,), dtype)) * scale).astype(dtype)

    def forward(at: Values) -> Any:
        slope = by_channel(at["gradWeight"], at["gradInput"])
        return np.maximum(at["gradInput"], 0) + slope * np.minimum(at["gradInput"], 0)

    def torch(at: Values, torch: Any) -> Any:
        return torch.nn.functional.prelu(at["gradInput"], at["gradWeight"])

    at = {"gradInput": wide(x), "gradWeight": wide(weight)}
    call = {"gradOutput": g, "self": x, "weight": weight}
    return Sample(call, at, wide(g), forward, torch, step=2.0**-6)


def batch_norm_reduce(rng: Random, dtype: Any, extreme: bool) -> Sample:
    shape = shape_of(rng, 2)
    channels, scale = shape[1:2], 1e-3 if extreme else 1.0
    g, x, mean, weight = (held(rng, one, dtype) for one in (shape, shape, channels, channels))
    invstd = (rng.uniform(0.5, 2, channels) / scale).astype(dtype)
    flags = {name: bool(rng.integers(4)) for name in ("inputG", "weightG", "biasG")}
    call = {"gradOut": g, "input": x, "mean": mean, "invstd": invstd, "weight": weight if rng.integers(2) else None}

    def forward(at: Values) -> Any:
        centred = wide(x) - by_channel(wide(mean), x)
        scaled = centred * by_channel(wide(invstd), x) * by_channel(at["gradWeight"], x)
        by_factor = centred * by_channel(at["sumDyXmu"], x)
        return scaled + by_factor + by_channel(at["gradBias"], x) + by_channel(at["sumDy"], x)

    def torch(at: Values, torch: Any) -> Any:
        x64, mean64, invstd64 = (torch.tensor(wide(one)) for one in (x, mean, invstd))
        function = torch.nn.functional.batch_norm
        y = function(x64, mean64, invstd64**-2, at["gradWeight"], at["gradBias"], False, 0.0, 0.0)
        ones = torch.ones_like(mean64)
        return y + function(x64, mean64, ones, at["sumDyXmu"], at["sumDy"], False, 0.0, 0.0)

    at = {name: rng.standard_normal(channels) for name in ("sumDy", "sumDyXmu", "gradWeight", "gradBias")}
    return Sample(call | flags, at, wide(g), forward, torch)


def batch_norm_elemt(rng: Random, dtype: Any, extreme: bool) -> Sample:
    shape = shape_of(rng, 2)
    shape = (max(shape[0], 2) + 2, *shape[1:])
    g, x, weight = (held(rng, one, dtype) for one in (shape, shape, shape[1:2]))
    x = (wide(x) + (4 if extreme else 0)).astype(dtype)
    axes = (0, *range(2, len(shape)))
    g64, x64, w64 = wide(g), wide(x), wide(weight)
    mean, invstd = x64.mean(axis=axes), 1 / np.sqrt(x64.var(axis=axes) + EPSILON)
    sums = g64.sum(axis=axes), (g64 * (x64 - by_channel(mean, x))).sum(axis=axes)
    parts = np.array_split(np.arange(shape[0]), int(rng.integers(1, 4)))
    counter = np.array([len(part) * (x.size // shape[0] // shape[1]) for part in parts], np.int32)
    statistics = zip(("mean", "invstd", "sumDy", "sumDyXmu"), (mean, invstd, *sums), strict=True)
    weighted = bool(rng.integers(2))
    call = {"gradOut": g, "input": x, "weight": weight if weighted else None, "counter": counter}
    call |= {name: value.astype(np.float32) for name, value in statistics}
    factor = w64 if weighted else np.ones_like(w64)

    def forward(at: Values) -> Any:
        centred = at["gradInput"] - at["gradInput"].mean(axis=axes, keepdims=True)
        deviation = np.sqrt(at["gradInput"].var(axis=axes, keepdims=True) + EPSILON)
        return centred / deviation * by_channel(factor, x)

    def torch(at: Values, torch: Any) -> Any:
        given = torch.tensor(factor)
        return torch.nn.functional.batch_norm(at["gradInput"], None, None, given, None, True, 0.1, EPSILON)

    least = min(1.0, float(1 / invstd.max()))
    slack = 1e-5 * float(np.abs(g64).max() * np.abs(factor).max()) / least * (1 + float(np.abs(mean).max()) / least)
    return Sample(call, {"gradInput": x64}, g64, forward, torch, step=1e-4 * least, slack=slack)


def avg_pool(rng: Random, dtype: Any, extreme: bool) -> Sample:
    case = avg_pooling.random_case(rng)
    while extreme:
        kernel, stride = (tuple(int(one) for one in rng.choice([1, 2, 25, 40], 2)) for _ in range(2))
        shape, pads = tuple(int(one) for one in rng.integers(1, 40, 3)), (kernel[0] // 2, kernel[1] // 2)
        flags = bool(rng.integers(2)), bool(rng.integers(2)), int(rng.choice([0, 255, -255]))
        case = avg_pooling.Case((min(shape[0], 3), *shape[1:]), kernel, stride, pads, *flags)
        extreme = not all(axis[-1] > 0 for axis in case.axes)
    case = case._replace(divisor=case.divisor if abs(case.divisor) <= 255 else 0)
    names = ("kernelSize", "stride", "padding", "ceilMode", "countIncludePad", "divisorOverride")
    attributes = dict(zip(names, case._replace(stride=case.stride or ()).attributes, strict=False))
    g, x = held(rng, case.output, dtype), held(rng, case.input, dtype)

    def torch(at: Values, torch: Any) -> Any:
        kernel, pads = (one if len(one) == 2 else one * 2 for one in (case.kernel, case.padding))
        flags = case.ceil_mode, case.count_include_pad, case.divisor or None
        return torch.nn.functional.avg_pool2d(at["gradInput"], kernel, case.stride or None, pads, *flags)

    def forward(at: Values) -> Any:
        return avg_pooling.exact_forward(at["gradInput"], case)

    call = {"gradOutput": g, "self": x, **attributes, "cubeMathType": 0}
    return Sample(call, {"gradInput": wide(x)}, wide(g), forward, torch)


def max_pool(rng: Random, dtype: Any, extreme: bool) -> Sample:
    case = max_pooling.random_case(rng)
    while extreme or len(case.input) != 4:
        case = max_pooling.random_case(rng)
        if extreme:
            kernel, stride = (tuple(int(one) for one in rng.choice([1, 2, 11], 2)) for _ in range(2))
            shape, pads = tuple(int(one) for one in rng.integers(1, 14, 4)), (kernel[0] // 2, kernel[1] // 2)
            case = max_pooling.Case(shape, kernel, stride, pads, (1, 1), bool(rng.integers(2)))
        extreme = extreme and not all(axis[-1] > 0 for axis in case.axes)
    product = OLD if dtype is not np.float32 and rng.integers(2) and dtype is np.float16 else NEW
    planes, size = case.input[0] * case.input[1], case.input[2] * case.input[3]
    x = np.stack([rng.permutation(size) for _ in range(planes)]).reshape(case.input).astype(dtype)  # no two are equal
    names = ("kernelSize", "stride", "padding", "dilation", "ceilMode")
    attributes = dict(zip(names, case._replace(stride=case.stride or ()).attributes, strict=True))
    g = held(rng, case.output, dtype)
    mask = mask_of({"self": wide(x), **attributes}, product)

    def torch(at: Values, torch: Any) -> Any:
        kernel, pads = (one if len(one) == 2 else one * 2 for one in (case.kernel, case.padding))
        return torch.nn.functional.max_pool2d(at["gradInput"], kernel, case.stride or None, pads, 1, case.ceil_mode)

    def forward(at: Values) -> Any:
        return max_pooling.exact_forward(at["gradInput"], case)[0]

    call = {"gradOutput": g, "self": x, "indices": mask, **attributes}
    return Sample(call, {"gradInput": wide(x)}, wide(g), forward, torch, product, 2.0**-6)


def convolution(rng: Random, dtype: Any, extreme: bool) -> Sample:
    while True:
        case = _extreme_convolution(rng) if extreme else convolving.random_case(rng)
        if min(case.output) > 0 and (case.axes < 3 or case.groups == 1):
            break
    g, x, weight = (held(rng, shape, dtype) for shape in (case.output, case.input, case.weight))
    names = ("stride", "padding", "dilation", "transposed", "outputPadding", "groups")
    mask = tuple(bool(rng.integers(4)) for _ in range(3))
    call = {"gradOutput": g, "input": x, "weight": weight, "biasSizes": (case.channels,), "outputMask": mask}
    call |= dict(zip(names, case.attributes, strict=True)) | {"cubeMathType": 0}

    def forward(at: Values) -> Any:
        return convolving.forward(case, at["gradInput"], at["gradWeight"], at["gradBias"])

    def torch(at: Values, torch: Any) -> Any:
        """PyTorch pads both sides alike: the input is padded before, or the result cut afterwards."""
        x, weight, bias = at["gradInput"], at["gradWeight"], at["gradBias"]
        zeros = (0,) * case.axes
        rest = case.dilation, case.transposed, case.extra, case.groups
        if not case.transposed:
            sides = [side for pads in reversed(case.pads) for side in pads]
            return torch.convolution(torch.nn.functional.pad(x, sides), weight, bias, case.stride, zeros, *rest)
        whole = torch.convolution(x, weight, bias, case.stride, zeros, *rest)
        cut = tuple(slice(begin, begin + size) for (begin, _), size in zip(case.pads, case.output[2:], strict=True))
        return whole[(slice(None), slice(None), *cut)]

    at = {"gradInput": wide(x), "gradWeight": wide(weight), "gradBias": rng.standard_normal(case.channels)}
    return Sample(call, at, wide(g), forward, torch)


def upsample(rng: Random, dtype: Any, extreme: bool) -> Sample:
    sizes = rng.integers(1, 4 if extreme else 8, 2)
    whole = rng.integers(1, 30 if extreme else 5, 2)
    ratio = [bool(one) for one in rng.integers(2, size=2)]  # the sizes are no multiples, and no scale is given
    target = [int(rng.integers(1, 20)) if free else int(n * m) for free, n, m in zip(ratio, sizes, whole, strict=True)]
    outer = tuple(int(one) for one in rng.integers(1, 4, 2))
    x, g = held(rng, (*outer, *map(int, sizes)), dtype), held(rng, (*outer, *target), dtype)
    scales = [0.0 if free else float(m) for free, m in zip(ratio, whole, strict=True)]
    call = {"gradOut": g, "outputSize": tuple(target), "inputSize": x.shape, "scalesH": scales[0], "scalesW": scales[1]}

    def forward(at: Values) -> Any:
        rows, columns = (np.arange(out) * n // out for out, n in zip(target, map(int, sizes), strict=True))
        return at["gradInput"][:, :, rows][:, :, :, columns]

    def torch(at: Values, torch: Any) -> Any:
        return torch.nn.functional.interpolate(at["gradInput"], target, mode="nearest")

    return Sample(call, {"gradInput": wide(x)}, wide(g), forward, torch)


def _extreme_convolution(rng: Random) -> convolving.Case:
    """One axis, with a stride, a dilation, a padding or groups as large as the rules allow."""
    groups, near, far = int(rng.choice([1, 16])), 1, int(rng.integers(1, 3))
    kernel = int(rng.choice([1, 2, 31]))
    stride, dilation = (int(rng.choice([1, 2, 63])) for _ in range(2))
    shape, weight = (1, groups * near, int(rng.integers(1, 200))), (groups * far, near, kernel)
    return convolving.Case(shape, weight, (stride,), (int(rng.choice([0, 1, 255])),), (dilation,), groups=groups)


GRADIENTS: dict[str, Callable[[Random, Any, bool], Sample]] = {
    "aclnnAvgPool2dBackward": avg_pool,
    "aclnnBatchNormElemtBackward": batch_norm_elemt,
    "aclnnBatchNormReduceBackward": batch_norm_reduce,
    "aclnnConvolutionBackward": convolution,
    "aclnnMaxPool2dWithMaskBackward": max_pool,
    "aclnnPreluBackward": prelu,
    "aclnnUpsampleNearest2dBackward": upsample,
}
