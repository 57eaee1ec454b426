"""Plain calls of operators, each with what it is on MindSpore's CPU backend, which lacks most of the newer operators.

A case is a function of the data, or two: the second where the CPU needs another way to say the same.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, TypeAlias

import mindspore as ms
import numpy as np
from mindspore import Tensor, mint, ops

nn = mint.nn.functional
Call: TypeAlias = Callable[[Any], Any]
Case: TypeAlias = Call | tuple[Call, Call]


def data() -> SimpleNamespace:
    """The tensors of a case, the same for each."""
    random = np.random.default_rng(1)

    def real(*shape: int) -> Tensor:
        return Tensor(random.standard_normal(shape).astype(np.float32))

    def whole(*shape: int, below: int) -> Tensor:
        return Tensor(random.integers(0, below, shape).astype(np.int64))

    x = real(4, 6)
    return SimpleNamespace(
        x=x,
        y=real(4, 6),
        p=Tensor(random.uniform(0.5, 2, (4, 6)).astype(np.float32)),
        m=Tensor(random.integers(0, 2, (4, 6)).astype(bool)),
        n=whole(4, 6, below=6),
        rows=whole(3, below=4),
        columns=whole(4, 2, below=6),
        labels=whole(4, below=6),
        square=real(4, 4),
        bias=real(5),
        weight=real(5, 6),
        batch=real(2, 3, 4),
        other=real(2, 4, 5),
        image=real(2, 4, 8, 8),
        filters=real(6, 4, 3, 3),
        short=whole(3, below=100),
    )


def assigned(d: Any) -> Any:
    z = d.x + 0
    z[1] = 2.0
    z[:, 0] = d.y[:, 1]
    return z


def of_cross_entropy(d: Any) -> Any:
    return ops.cross_entropy(d.x, d.labels.astype(ms.int32))


CASES: dict[str, Case] = {
    "add": lambda d: d.x + d.y,
    "add a number": lambda d: d.x + 2.5,
    "subtract": lambda d: d.x - d.y,
    "subtract from a number": lambda d: 3 - d.x,
    "add with alpha": (lambda d: mint.add(d.x, d.y, alpha=2), lambda d: d.x + 2 * d.y),
    "multiply": lambda d: d.x * d.y,
    "divide": lambda d: d.x / d.p,
    "floor divide": lambda d: d.x // d.p,
    "remainder": lambda d: d.x % d.p,
    "power": lambda d: d.p**2,
    "power of tensors": lambda d: mint.pow(d.p, d.y),
    "integers": lambda d: d.n * 2 + d.n,
    "half": lambda d: (d.x.astype(ms.float16) + d.y.astype(ms.float16)).astype(ms.float32),
    "negative": lambda d: -d.x,
    "abs": lambda d: mint.abs(d.x),
    "exp": lambda d: mint.exp(d.x),
    "log": lambda d: mint.log(d.p),
    "sqrt": lambda d: mint.sqrt(d.p),
    "rsqrt": lambda d: mint.rsqrt(d.p),
    "reciprocal": lambda d: mint.reciprocal(d.p),
    "square": lambda d: mint.square(d.x),
    "sin": lambda d: mint.sin(d.x),
    "cos": lambda d: mint.cos(d.x),
    "tanh": lambda d: mint.tanh(d.x),
    "sigmoid": lambda d: mint.sigmoid(d.x),
    "erf": lambda d: mint.erf(d.x),
    "floor": lambda d: mint.floor(d.x),
    "ceil": lambda d: mint.ceil(d.x),
    "round": (lambda d: mint.round(d.x), lambda d: ops.round(d.x)),
    "clamp": lambda d: mint.clamp(d.x, -0.5, 0.5),
    "atan2": (lambda d: mint.atan2(d.x, d.y), lambda d: ops.atan2(d.x, d.y)),
    "lerp": (lambda d: mint.lerp(d.x, d.y, 0.3), lambda d: d.x + 0.3 * (d.y - d.x)),
    "addcmul": (lambda d: mint.addcmul(d.x, d.y, d.p), lambda d: d.x + d.y * d.p),
    "equal": lambda d: d.n == d.n.T.reshape(4, 6),
    "less": lambda d: d.x < d.y,
    "greater than a number": lambda d: d.x > 0,
    "logical and": lambda d: mint.logical_and(d.m, d.x > 0),
    "logical not": lambda d: mint.logical_not(d.m),
    "is finite": lambda d: mint.isfinite(d.x),
    "maximum": lambda d: mint.maximum(d.x, d.y),
    "minimum": lambda d: mint.minimum(d.x, d.y),
    "where": lambda d: mint.where(d.m, d.x, d.y),
    "masked fill": (lambda d: d.x.masked_fill(d.m, 0.5), lambda d: ops.masked_fill(d.x, d.m, 0.5)),
    "sum": lambda d: mint.sum(d.x),
    "sum of rows": lambda d: mint.sum(d.x, dim=1, keepdim=True),
    "mean": lambda d: mint.mean(d.x, dim=0),
    "variance": (lambda d: mint.var(d.x, dim=1), lambda d: ops.var(d.x, 1, 1)),
    "deviation": (lambda d: mint.std(d.x, dim=1), lambda d: ops.std(d.x, 1, 1)),
    "norm": (lambda d: mint.norm(d.x), lambda d: ops.sqrt((d.x * d.x).sum())),
    "product": lambda d: mint.prod(d.x, dim=1),
    "max": lambda d: mint.max(d.x),
    "max of rows": lambda d: mint.max(d.x, dim=1),
    "min": lambda d: mint.min(d.x),
    "argmax": (lambda d: mint.argmax(d.x, dim=1), lambda d: ops.argmax(d.x, 1)),
    "all": lambda d: mint.all(d.m),
    "any": lambda d: mint.any(d.m, dim=1),
    "running sum": (lambda d: mint.cumsum(d.x, dim=1), lambda d: ops.cumsum(d.x, 1)),
    "logsumexp": (lambda d: mint.logsumexp(d.x, 1), lambda d: ops.log(ops.exp(d.x).sum(1))),
    "count": (lambda d: mint.count_nonzero(d.m), lambda d: d.m.astype(ms.int64).sum()),
    "matmul": lambda d: mint.matmul(d.x, d.y.T),
    "half matmul": lambda d: mint.matmul(d.x.astype(ms.float16), d.y.T.astype(ms.float16)).astype(ms.float32),
    "batches": lambda d: mint.bmm(d.batch, d.other),
    "batches and a matrix": lambda d: mint.matmul(d.batch, d.square),
    "addmm": (lambda d: mint.addmm(d.square, d.x, d.y.T), lambda d: d.square + ops.matmul(d.x, d.y.T)),
    "linear": (lambda d: nn.linear(d.x, d.weight, d.bias), lambda d: ops.matmul(d.x, d.weight.T) + d.bias),
    "outer": (lambda d: mint.outer(d.bias, d.bias), lambda d: d.bias.reshape(5, 1) * d.bias),
    "reshape": lambda d: d.x.reshape(3, 8) + 0,
    "permute": lambda d: mint.permute(d.batch, (2, 0, 1)) * 1,
    "slice": lambda d: d.x[1:3, ::2] * 1,
    "slice to the end": lambda d: d.x[:, -2:] + d.y[:, :2],
    "expand": lambda d: mint.broadcast_to(d.bias, (3, 5)) * 1,
    "cat": lambda d: mint.cat([d.x, d.y], dim=1),
    "stack": (lambda d: mint.stack([d.x, d.y]), lambda d: ops.stack([d.x, d.y])),
    "split": lambda d: mint.split(d.x, 3, dim=1)[1] * 1,
    "chunk": lambda d: mint.chunk(d.x, 2, dim=0)[1] * 1,
    "flip": lambda d: mint.flip(d.x, (0,)),
    "tile": lambda d: mint.tile(d.x, (2, 1)),
    "roll": (lambda d: mint.roll(d.x, 1, 0), lambda d: ops.cat([d.x[-1:], d.x[:-1]])),
    "repeat": (lambda d: mint.repeat_interleave(d.x, 2, dim=1), lambda d: ops.repeat_elements(d.x, 2, 1)),
    "pad": (lambda d: nn.pad(d.x, (1, 2), value=0.5), lambda d: ops.pad(d.x, (1, 2), value=0.5)),
    "tril": (lambda d: mint.tril(d.x), lambda d: ops.tril(d.x)),
    "triu": (lambda d: mint.triu(d.x), lambda d: ops.triu(d.x)),
    "index": lambda d: d.x[d.rows],
    "mask": lambda d: d.x[d.m],
    "assign": assigned,
    "gather": lambda d: mint.gather(d.x, 1, d.columns),
    "index select": (lambda d: mint.index_select(d.x, 0, d.rows), lambda d: ops.gather(d.x, d.rows, 0)),
    "scatter": lambda d: mint.scatter(d.x, 1, d.rows.reshape(1, 3), d.y[:1, :3] * 1),
    "embedding": (lambda d: nn.embedding(d.rows, d.x), lambda d: ops.gather(d.x, d.rows, 0)),
    "one hot": (
        lambda d: nn.one_hot(d.labels, 6),
        lambda d: ops.one_hot(d.labels, 6, Tensor(1, ms.int64), Tensor(0, ms.int64)),
    ),
    "sort": (lambda d: mint.sort(d.x, dim=1), lambda d: ops.sort(d.x, 1)),
    "top": (lambda d: mint.topk(d.x, 2), lambda d: ops.topk(d.x, 2)),
    "nonzero": lambda d: mint.nonzero(d.m),
    "unique": (lambda d: mint.unique(d.n), lambda d: Tensor(np.unique(d.n.asnumpy()))),
    "zeros": (lambda d: mint.zeros((2, 3)), lambda d: ops.zeros((2, 3))),
    "ones": (lambda d: mint.ones((2, 3)), lambda d: ops.ones((2, 3))),
    "full": (lambda d: mint.full((2, 3), 2.5), lambda d: Tensor(np.full((2, 3), 2.5, np.float32))),
    "like": (lambda d: mint.zeros_like(d.x) + mint.ones_like(d.x), lambda d: ops.ones_like(d.x)),
    "arange": (lambda d: mint.arange(0, 10, 3), lambda d: Tensor(np.arange(0, 10, 3))),
    "linspace": (lambda d: mint.linspace(0, 1, 5), lambda d: Tensor(np.linspace(0, 1, 5).astype(np.float32))),
    "eye": (lambda d: mint.eye(3), lambda d: ops.eye(3)),
    "cast": lambda d: (d.x * 10).astype(ms.int32),
    "add in place": (lambda d: (d.x + 0).add_(d.y), lambda d: d.x + d.y),
    "copy": (lambda d: mint.zeros((4, 6)).copy_(d.x), lambda d: d.x),
    "relu": lambda d: nn.relu(d.x),
    "gelu": (lambda d: nn.gelu(d.x), lambda d: d.x * 0.5 * (1 + ops.erf(d.x / 2**0.5))),
    "silu": lambda d: nn.silu(d.x),
    "elu": (lambda d: nn.elu(d.x), lambda d: ops.elu(d.x)),
    "leaky relu": (lambda d: nn.leaky_relu(d.x, 0.1), lambda d: ops.leaky_relu(d.x, 0.1)),
    "softplus": (lambda d: nn.softplus(d.x), lambda d: ops.log(1 + ops.exp(d.x))),
    "hard swish": lambda d: nn.hardswish(d.x),
    "softmax": lambda d: nn.softmax(d.x, dim=1),
    "log softmax": (lambda d: nn.log_softmax(d.x, dim=1), lambda d: ops.log_softmax(d.x, 1)),
    "convolution": (
        lambda d: nn.conv2d(d.image, d.filters, padding=1),
        lambda d: ops.conv2d(d.image, d.filters, pad_mode="pad", padding=1),
    ),
    "max pool": (lambda d: nn.max_pool2d(d.image, 2), lambda d: ops.max_pool2d(d.image, 2)),
    "average pool": (lambda d: nn.avg_pool2d(d.image, 2), lambda d: ops.avg_pool2d(d.image, 2, 2)),
    "layer norm": (
        lambda d: nn.layer_norm(d.x, (6,), mint.ones(6), mint.zeros(6)),
        lambda d: ms.nn.LayerNorm((6,), epsilon=1e-5)(d.x),
    ),
    "mean square": (lambda d: nn.mse_loss(d.x, d.y), lambda d: ops.mse_loss(d.x, d.y)),
    "mean difference": (lambda d: nn.l1_loss(d.x, d.y), lambda d: ops.l1_loss(d.x, d.y)),
    "cross entropy": (lambda d: nn.cross_entropy(d.x, d.labels), of_cross_entropy),
    "logits": (
        lambda d: nn.binary_cross_entropy_with_logits(d.x, d.p - 0.5),
        lambda d: ops.binary_cross_entropy_with_logits(d.x, d.p - 0.5, ops.ones_like(d.x), ops.ones_like(d.x)),
    ),
    "random": (
        lambda d: [np.array(x.shape) for x in (mint.rand(3, 4), mint.randn(2), mint.randint(0, 5, (3,)))],
        lambda d: [np.array([3, 4]), np.array([2]), np.array([3])],
    ),
    "dropout": (lambda d: np.array(nn.dropout(d.x, 0.5).shape), lambda d: np.array(d.x.shape)),
}
"""By what they do."""
ROUNDED = {
    "Ascend910B2": {"convolution"},
    "Ascend310P3": {"convolution", "matmul", "batches", "batches and a matrix", "addmm", "linear", "average pool"},
}
"""Cases for whose FLOAT data MindSpore asks for a product of less precision, by chip."""


def results(value: Any) -> list[np.ndarray[Any, Any]]:
    """All arrays of a result."""
    if isinstance(value, tuple | list):
        return [array for item in value for array in results(item)]
    return [value.asnumpy() if isinstance(value, Tensor) else value]


def run(device: str) -> dict[str, Any]:
    """The results of all cases on a device, and the text of the exception where one ends with it."""
    found: dict[str, Any] = {}
    for name, case in CASES.items():
        ways = case if isinstance(case, tuple) else (case, case)
        try:
            found[name] = results(ways[device == "CPU"](data()))
        except Exception as error:
            found[name] = str(error)
            drain()
    return found


def drain() -> None:
    """Wait until nothing is left of a call that failed, which later ones would raise again."""
    for _ in range(10):
        try:
            ms.runtime.synchronize()
            return
        except RuntimeError:
            continue
