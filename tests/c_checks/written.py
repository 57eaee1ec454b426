"""Calls by hand, each of which shows of a check in C what no derived call shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aclspec.runtime.tensors.tensor import Tensor

CONVOLUTION = {
    "gradOutput": Tensor((1, 2, 7, 7), "float32", "NCHW"),
    "input": Tensor((1, 2, 8, 8), "float32", "NCHW"),
    "weight": Tensor((2, 2, 3, 3), "float32", "NCHW"),
    "biasSizes": (2,),
    "stride": (1, 1),
    "padding": (1, 2, 3, 0),
    "dilation": (1, 1),
    "transposed": True,
    "outputPadding": (0, 0),
    "groups": 1,
    "outputMask": (True, True, True),
    "cubeMathType": 0,
    "gradInput": Tensor((1, 2, 8, 8), "float32", "NCHW"),
    "gradWeight": Tensor((2, 2, 3, 3), "float32", "NCHW"),
    "gradBias": Tensor((2,), "float32", "ND"),
}
WRITTEN: Mapping[str, Sequence[dict[str, Any]]] = {
    # gradOutput is larger than self on the first axis alone.
    "aclnnPreluBackward": [
        {
            "gradOutput": Tensor((2, 3), "float32", "ND"),
            "self": Tensor((1, 3), "float32", "ND"),
            "weight": Tensor((3,), "float32", "ND"),
            "gradInput": Tensor((1, 3), "float32", "ND"),
            "gradWeight": Tensor((3,), "float32", "ND"),
        }
    ],
    # Transposed, with four paddings that differ; a first axis of weight beyond what a core holds; a dilation too large
    # on the first axis alone.
    "aclnnConvolutionBackward": [
        CONVOLUTION,
        CONVOLUTION
        | {
            "weight": Tensor((2**31, 2, 3, 3), "float32", "NCHW"),
            "gradWeight": Tensor((2**31, 2, 3, 3), "float32", "NCHW"),
            "padding": (0, 0, 0, 0),
            "transposed": False,
        },
        CONVOLUTION
        | {
            "gradOutput": Tensor((1, 2, 8, 8), "float32", "NCHW"),
            "weight": Tensor((2, 2, 1, 1), "float32", "NCHW"),
            "gradWeight": Tensor((2, 2, 1, 1), "float32", "NCHW"),
            "padding": (0, 0),
            "dilation": (256, 1),
            "transposed": False,
        },
    ],
}
