"""The table from kernels to the functions by which PyTorch computes them.

A kernel stands here where PyTorch is clearly faster than NumPy on one core, in one of its dtypes at least
(`make bench`).
"""

from __future__ import annotations

from collections.abc import Callable

import torch

from aclspec.runtime.torch_kernels import convolution, elementwise, pooling, rows

TABLE: dict[str, Callable[..., bool]] = {
    "avg_pool:avg_pool2d": pooling.avg_pool2d,
    "avg_pool:avg_pool2d_backward": pooling.avg_pool2d_backward,
    "convolution:convolution": convolution.convolution,
    "convolution:convolution_backward": convolution.convolution_backward,
    "elementwise:cos": elementwise.elementwise(torch.cos),
    "elementwise:erf": elementwise.elementwise(torch.erf),
    "elementwise:erfc": elementwise.elementwise(torch.erfc),
    "elementwise:erfinv": elementwise.elementwise(torch.erfinv),
    "elementwise:gelu": elementwise.gelu,
    "elementwise:mish": elementwise.elementwise(torch.nn.functional.mish),
    "elementwise:sin": elementwise.elementwise(torch.sin),
    "layer_norm:layer_norm": rows.layer_norm,
    "matmul:matmul": rows.matmul,
    "max_pool:max_pool2d_with_indices_backward": pooling.max_pool2d_with_indices_backward,
    "prelu_forward:prelu": elementwise.prelu,
    "rms_norm:rms_norm": rows.rms_norm,
    "softmax:log_softmax": rows.along(torch.log_softmax),
    "softmax:log_softmax_backward": rows.gradient_along(torch.ops.aten._log_softmax_backward_data),
    "softmax:softmax": rows.along(torch.softmax),
    "softmax:softmax_backward": rows.gradient_along(torch.ops.aten._softmax_backward_data),
}
"""By the name of a kernel in specs, ``module:function``."""
