"""Every operator by its definition in float64, from the arguments of a call: what shares no code with a kernel.

An oracle takes the arguments by C name, every floating-point tensor in float64, and gives its floating-point outputs
by C name; those that a flag switches off may be among them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from tests.support import avg_pooling, convolving, max_pooling
from tests.support.numerics import Array

Call: TypeAlias = Mapping[str, Any]
Oracle: TypeAlias = Callable[[Call], dict[str, Array]]


def by_channel(values: Array, x: Array) -> Array:
    """One value for all channels, or one for each, so that it broadcasts to a tensor."""
    flat = values.reshape(-1)
    return flat[0] if flat.size == 1 else flat.reshape(-1, *(1,) * (x.ndim - 2))


def of_channels(x: Array) -> Array:
    """The sum of the elements of each channel."""
    total: Array = x.sum(axis=(0, *range(2, x.ndim)))
    return total


def prelu(call: Call) -> dict[str, Array]:
    x = call["self"]
    return {"out": np.where(x > 0, x, by_channel(call["weight"], x) * x)}


def prelu_backward(call: Call) -> dict[str, Array]:
    x, weight = call["self"], call["weight"]
    g = np.broadcast_to(call["gradOutput"], x.shape)
    below = np.where(x > 0, 0, g * x)
    slope = below.sum().reshape(weight.shape) if weight.size == 1 else of_channels(below)
    return {"gradInput": np.where(x > 0, g, by_channel(weight, x) * g), "gradWeight": slope}


def batch_norm_reduce_backward(call: Call) -> dict[str, Array]:
    g, x, mean = call["gradOut"], call["input"], call["mean"]
    dy, dy_xmu = of_channels(g), of_channels(g * (x - by_channel(mean, x)))
    return {"sumDy": dy, "sumDyXmu": dy_xmu, "gradWeight": dy_xmu * call["invstd"], "gradBias": dy}


def batch_norm_elemt_backward(call: Call) -> dict[str, Array]:
    x, weight = call["input"], call["weight"]
    mean, invstd, dy, dy_xmu = (by_channel(call[name], x) for name in ("mean", "invstd", "sumDy", "sumDyXmu"))
    factor = invstd if weight is None else invstd * by_channel(weight, x)
    with np.errstate(all="ignore"):
        count = call["counter"].astype(np.float64).sum()
        return {"gradInput": (call["gradOut"] - dy / count - (x - mean) * invstd**2 * dy_xmu / count) * factor}


def avg_case(call: Call, kernel: str, stride: str, padding: str) -> avg_pooling.Case:
    attributes = call["ceilMode"], call["countIncludePad"], call["divisorOverride"]
    return avg_pooling.Case(call["self"].shape, call[kernel], call[stride], call[padding], *attributes)


def avg_pool2d(call: Call) -> dict[str, Array]:
    return {"out": avg_pooling.exact_forward(call["self"], avg_case(call, "kernelSize", "strides", "paddings"))}


def avg_pool2d_backward(call: Call) -> dict[str, Array]:
    case = avg_case(call, "kernelSize", "stride", "padding")
    return {"gradInput": avg_pooling.exact_backward(call["gradOutput"], case)}


def max_case(call: Call) -> max_pooling.Case:
    names = ("kernelSize", "stride", "padding", "dilation", "ceilMode")
    return max_pooling.Case(call["self"].shape, *(call[name] for name in names))


def max_pool2d_with_mask(call: Call) -> dict[str, Array]:
    return {"out": max_pooling.exact_forward(call["self"], max_case(call))[0]}


def max_pool2d_with_mask_backward(call: Call) -> dict[str, Array]:
    """The mask is that of self; see `mask_of`."""
    case = max_case(call)
    positions = max_pooling.exact_forward(call["self"], case)[1]
    return {"gradInput": max_pooling.exact_backward(call["gradOutput"], positions, case)}


def mask_of(call: Call, product: str) -> Array:
    """The mask that the product's forward operator makes of self, in the layout that the facts give it."""
    case = max_case(call)
    layout = "bits" if product == "atlas_training" or case.kernel[0] == case.kernel[-1] == 1 else "argmax"
    mask: Array = max_pooling.MASKS[layout](max_pooling.exact_forward(call["self"], case)[1], case, 0)
    return mask


def conv_case(call: Call) -> convolving.Case:
    names = ("stride", "padding", "dilation", "transposed", "outputPadding", "groups")
    attributes = [call[name] for name in names]
    if not call["transposed"]:
        attributes[4] = ()
    return convolving.Case(call["input"].shape, call["weight"].shape, *attributes)


def convolution(call: Call) -> dict[str, Array]:
    return {"output": convolving.forward(conv_case(call), call["input"], call["weight"], call["bias"])}


def convolution_backward(call: Call) -> dict[str, Array]:
    gradients = convolving.backward(conv_case(call), call["gradOutput"], call["input"], call["weight"])
    return dict(zip(("gradInput", "gradWeight", "gradBias"), gradients, strict=True))


ORACLES: dict[str, Oracle] = {
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
MASKS: dict[str, Callable[[Call, str], Array]] = {"indices": mask_of}
"""Inputs that are not any numbers: how each is made from the other arguments, on a product."""
