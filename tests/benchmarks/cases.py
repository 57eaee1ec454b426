"""What is measured: an operator on arrays of a shape and a dtype, and the same work by PyTorch.

Our kernels write into arrays that are there. So does PyTorch where its operator has a variant that does (pooling);
elsewhere it allocates its outputs, from memory that the process keeps (see `tests.benchmarks.bench`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
import torch

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.kernels.max_pool import max_pool2d_with_mask

aten: Any = torch.ops.aten
DTYPES = {
    "float32": (np.float32, torch.float32),
    "float16": (np.float16, torch.float16),
    "bfloat16": (ml_dtypes.bfloat16, torch.bfloat16),
}
LARGE, SMALL_PLANES, TINY = (8, 64, 112, 112), (32, 256, 14, 14), (1, 16, 4, 4)
SHAPES = {
    "large": LARGE,
    "small planes": SMALL_PLANES,
    "ResNet-50 stage 1": (8, 256, 56, 56),
    "MobileNet middle": (8, 384, 14, 14),
    "tiny": TINY,
}
SLOW_PEER = 2e8
"""Operations beyond which PyTorch's float16 convolution takes seconds a call, and is left out."""


class Case(NamedTuple):
    """One measurement."""

    operator: str
    shape: str
    dtype: str
    values: list[Any]
    """All parameters of the kernel in C order, outputs among them."""
    peer: Callable[[], object]
    moved: int
    """Bytes that the call must read and write at least."""
    operations: int = 0
    """Floating-point operations, where they rather than memory are the limit."""


class Arrays:
    """Random arrays of one dtype, as NumPy's and PyTorch's."""

    def __init__(self, dtype: str) -> None:
        """Of this dtype."""
        self.name = dtype
        self.numpy, self.torch = DTYPES[dtype]
        self._random = np.random.default_rng(0)

    def __call__(self, *shape: int) -> tuple[Any, Any]:
        """A pair of arrays with the same memory."""
        array = self._random.standard_normal(shape, np.float32).astype(self.numpy)
        view = array.view(np.int16) if array.itemsize == 2 else array
        return array, torch.from_numpy(view).view(self.torch)


def cases(dtype: str) -> Iterator[Case]:
    """All of them for one dtype."""
    for name, shape in SHAPES.items():
        for make in (prelu, batch_norm, avg_pool, max_pool):
            yield from make(Arrays(dtype), f"{name} {shape}", shape)
    for name, layer in LAYERS.items():
        yield from convolution(Arrays(dtype), name, *layer)


def prelu(make: Arrays, name: str, shape: tuple[int, ...]) -> Iterator[Case]:
    """PReLU and its gradient, one weight a channel."""
    (g, tg), (x, tx), (w, tw) = make(*shape), make(*shape), make(shape[1])
    yield Case("prelu", name, make.name, [x, w, np.empty_like(x)], lambda: torch.prelu(tx, tw), 2 * x.nbytes)
    outputs = [np.empty_like(x), np.empty_like(w)]
    spread = tw.view(1, -1, 1, 1)
    peer = lambda: aten._prelu_kernel_backward(tg, tx, spread)  # noqa: E731
    yield Case("prelu_backward", name, make.name, [g, x, w, *outputs], peer, 3 * x.nbytes)


def batch_norm(make: Arrays, name: str, shape: tuple[int, ...]) -> Iterator[Case]:
    """The sums of the backward pass against PyTorch's whole backward pass, and the last step against its formula."""
    (g, tg), (x, tx) = make(*shape), make(*shape)
    mean, invstd, weight, dy, dy_xmu = (np.ones(shape[1], np.float32) for _ in range(5))
    m, s, w, d, dx = (torch.from_numpy(one) for one in (mean, invstd, weight, dy, dy_xmu))
    outputs = [np.empty(shape[1], np.float32) for _ in range(4)]
    values = [g, x, mean, invstd, weight, True, True, True, *outputs]
    peer = lambda: aten.native_batch_norm_backward(tg, tx, w, None, None, m, s, True, 1e-5, [True] * 3)  # noqa: E731
    yield Case("batch_norm_reduce_backward", name, make.name, values, peer, 2 * x.nbytes)
    counter = np.array([x.size // shape[1]], np.int32)
    of = [one.astype(make.numpy) for one in (mean, invstd, weight, dy, dy_xmu)]
    n = float(counter[0])

    def eager() -> object:
        c = (1, -1, 1, 1)
        centred = (tx.float() - m.view(c)) * (s * s * dx / n).view(c)
        return ((tg.float() - (d / n).view(c) - centred) * (s * w).view(c)).to(make.torch)

    values = [g, x, *of, counter, np.empty_like(x)]
    yield Case("batch_norm_elemt_backward", name, make.name, values, eager, 3 * x.nbytes)


def _window(shape: Sequence[int]) -> tuple[list[int], list[int], list[int], tuple[int, ...]]:
    """3x3 by 2 on large planes, 2x2 by 2 on small ones; and the shape of the windows."""
    kernel, pad = ([3, 3], [1, 1]) if shape[2] > 28 else ([2, 2], [0, 0])
    out = tuple((size + 2 * p - k) // 2 + 1 for size, p, k in zip(shape[2:], pad, kernel, strict=True))
    return kernel, [2, 2], pad, (*shape[:2], *out)


def avg_pool(make: Arrays, name: str, shape: tuple[int, ...]) -> Iterator[Case]:
    """Average pooling and its gradient."""
    kernel, stride, pad, windows = _window(shape)
    (g, tg), (x, tx) = make(*windows), make(*shape)
    window = [tuple(kernel), tuple(stride), tuple(pad), False, True, 0, 0]
    moved = x.nbytes + g.nbytes
    (_, to), (_, tdx) = make(*windows), make(*shape)
    peer = lambda: aten.avg_pool2d.out(tx, kernel, stride, pad, False, True, None, out=to)  # noqa: E731
    yield Case("avg_pool2d", name, make.name, [x, *window, np.empty_like(g)], peer, moved)

    def back() -> object:
        return aten.avg_pool2d_backward.grad_input(tg, tx, kernel, stride, pad, False, True, None, grad_input=tdx)

    yield Case("avg_pool2d_backward", name, make.name, [g, x, *window, np.empty_like(x)], back, moved)


def max_pool(make: Arrays, name: str, shape: tuple[int, ...]) -> Iterator[Case]:
    """Max pooling with its mask, in the layout of atlas_a2, and its gradient."""
    kernel, stride, pad, windows = _window(shape)
    (g, tg), (x, tx) = make(*windows), make(*shape)
    words = (-(-windows[2] * windows[3] // 16) + 1) * 32
    mask = np.zeros((*shape[:2], prod(kernel), words), np.int8)
    window = [tuple(kernel), tuple(stride), tuple(pad), (1, 1), False]
    roles: dict[str, DType | str] = {"layout": "argmax", "operand": DType.FLOAT, "accumulate": DType.FLOAT}
    max_pool2d_with_mask(x, kernel, stride, pad, (1, 1), False, np.empty_like(g), mask, roles)
    places = 4 * g.size
    of = (kernel, stride, pad, [1, 1], False)
    to, indices = aten.max_pool2d_with_indices(tx, *of)
    tdx = torch.empty_like(tx)
    peer = lambda: aten.max_pool2d_with_indices.out(tx, *of, out=to, indices=indices)  # noqa: E731
    forward = Case("max_pool2d_with_mask", name, make.name, [x, *window, np.empty_like(g), mask], peer, 0)
    yield forward._replace(moved=x.nbytes + g.nbytes + places)
    back = lambda: aten.max_pool2d_with_indices_backward.grad_input(tg, tx, *of, indices, grad_input=tdx)  # noqa: E731
    values = [g, x, mask, *window, np.empty_like(x)]
    yield Case("max_pool2d_with_mask_backward", name, make.name, values, back, x.nbytes + g.nbytes + places)


Layer = tuple[tuple[int, ...], tuple[int, ...], int, int, int, bool]
LAYERS: dict[str, Layer] = {  # input, weight, stride, padding, groups, transposed
    "ResNet-50 stem 7x7": ((2, 3, 224, 224), (64, 3, 7, 7), 2, 3, 1, False),
    "ResNet-50 1x1": ((4, 64, 56, 56), (256, 64, 1, 1), 1, 0, 1, False),
    "ResNet-50 3x3": ((4, 64, 56, 56), (64, 64, 3, 3), 1, 1, 1, False),
    "ResNet-50 3x3 strided": ((4, 128, 56, 56), (128, 128, 3, 3), 2, 1, 1, False),
    "ResNet-50 3x3 small planes": ((8, 512, 7, 7), (512, 512, 3, 3), 1, 1, 1, False),
    "MobileNet depthwise": ((8, 32, 112, 112), (32, 1, 3, 3), 1, 1, 32, False),
    "MobileNet depthwise strided": ((8, 144, 56, 56), (144, 1, 3, 3), 2, 1, 144, False),
    "MobileNet depthwise small planes": ((8, 384, 14, 14), (384, 1, 3, 3), 1, 1, 384, False),
    "MobileNet 1x1 small planes": ((8, 96, 14, 14), (576, 96, 1, 1), 1, 0, 1, False),
    "1-D": ((8, 128, 1024), (128, 128, 5), 1, 2, 1, False),
    "3-D": ((1, 32, 16, 28, 28), (32, 32, 3, 3, 3), 1, 1, 1, False),
    "transposed": ((4, 128, 28, 28), (128, 64, 4, 4), 2, 1, 1, True),
    "tiny": ((1, 8, 4, 4), (8, 8, 3, 3), 1, 1, 1, False),
}


def convolution(
    make: Arrays, name: str, cells: Sequence[int], kernel: Sequence[int], step: int, pad: int, groups: int, back: bool
) -> Iterator[Case]:
    """A convolution and its three gradients."""
    axes = len(cells) - 2
    (x, tx), (w, tw) = make(*cells), make(*kernel)
    stride, padding, dilation, rest = [step] * axes, [pad] * axes, [1] * axes, [0] * axes
    attributes = [tuple(stride), tuple(padding), tuple(dilation), back, tuple(rest), groups]
    ahead = lambda: aten.convolution(tx, tw, None, stride, padding, dilation, back, rest, groups)  # noqa: E731
    sizes = zip(cells[2:], kernel[2:], strict=True)
    reach = [(n - 1) * step - 2 * pad + k if back else (n + 2 * pad - k) // step + 1 for n, k in sizes]
    channels = kernel[1] * groups if back else kernel[0]
    (g, tg) = make(cells[0], channels, *reach)
    operations = 2 * w.size * prod(cells[2:] if back else reach) * cells[0]
    if make.name == "float16" and operations > SLOW_PEER:
        return
    moved = x.nbytes + w.nbytes + g.nbytes
    label, values = f"{name} {tuple(cells)}", [x, w, None, *attributes, np.empty_like(g), 0]
    bound = 0 if kernel[1] == 1 else operations
    yield Case("convolution", label, make.name, values, ahead, moved, bound)
    outputs = [np.empty_like(x), np.empty_like(w), np.empty(channels, make.numpy)]
    values = [g, x, w, (channels,), *attributes, (True, True, True), 0, *outputs]

    def behind() -> object:
        mask = [True] * 3
        return aten.convolution_backward(tg, tx, tw, [channels], stride, padding, dilation, back, rest, groups, mask)

    yield Case("convolution_backward", label, make.name, values, behind, 2 * moved, 2 * bound)
