"""Networks that train: their losses and weights after some steps, from the same start on each device.

On the CPU, whose backend has none of `mint`, each layer, loss and optimizer is the older one of MindSpore.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import mindspore as ms
import numpy as np
from mindspore import Tensor, mint, nn, ops
from mindspore.experimental import optim
from operators import drain

STEPS = 4

NEW = SimpleNamespace(
    Linear=mint.nn.Linear,
    no_bias={"bias": False},
    Conv=lambda into, out: mint.nn.Conv2d(into, out, 3, padding=1),
    Norm=lambda size: mint.nn.LayerNorm((size,)),
    Embedding=mint.nn.Embedding,
    relu=mint.nn.functional.relu,
    gelu=mint.nn.functional.gelu,
    softmax=lambda x: mint.nn.functional.softmax(x, dim=-1),
    pool=lambda x: mint.nn.functional.max_pool2d(x, 2),
    matmul=mint.matmul,
    loss=mint.nn.functional.cross_entropy,
    sgd=lambda values, **how: mint.optim.SGD(values, **how),
    adam=lambda values, **how: mint.optim.Adam(values, **how),
    adamw=lambda values, **how: mint.optim.AdamW(values, **how),
)
OLD = SimpleNamespace(
    Linear=nn.Dense,
    no_bias={"has_bias": False},
    Conv=lambda into, out: nn.Conv2d(into, out, 3, pad_mode="pad", padding=1, has_bias=True),
    Norm=lambda size: nn.LayerNorm((size,), epsilon=1e-5),
    Embedding=nn.Embedding,
    relu=ops.relu,
    gelu=lambda x: x * 0.5 * (1 + ops.erf(x / 2**0.5)),
    softmax=lambda x: ops.softmax(x, -1),
    pool=lambda x: ops.max_pool2d(x, 2),
    matmul=ops.matmul,
    loss=lambda x, labels: ops.cross_entropy(x, labels.astype(ms.int32)),
    sgd=lambda values, **how: optim.SGD(values, **how),
    adam=lambda values, **how: optim.Adam(values, **how),
    adamw=lambda values, **how: optim.AdamW(values, **how),
)


class Perceptron(nn.Cell):
    """Two layers over vectors."""

    def __init__(self, lib: Any) -> None:
        super().__init__()
        self.lib = lib
        self.first, self.norm, self.last = lib.Linear(8, 16), lib.Norm(16), lib.Linear(16, 4)

    def construct(self, x: Tensor) -> Tensor:
        return self.last(self.norm(self.lib.relu(self.first(x))))


class Images(nn.Cell):
    """A convolution over images."""

    def __init__(self, lib: Any) -> None:
        super().__init__()
        self.lib = lib
        self.conv, self.last = lib.Conv(3, 6), lib.Linear(6 * 16, 4)

    def construct(self, x: Tensor) -> Tensor:
        x = self.lib.pool(self.lib.relu(self.conv(x)))
        return self.last(x.reshape(x.shape[0], -1))


class Attention(nn.Cell):
    """A block of a transformer over numbers of words.

    Keys have no bias: its gradient would be zero but for rounding, and Adam divides by its size.
    """

    def __init__(self, lib: Any) -> None:
        super().__init__()
        self.lib = lib
        self.words, self.norm = lib.Embedding(20, 8), lib.Norm(8)
        self.q, self.k, self.v = lib.Linear(8, 8), lib.Linear(8, 8, **lib.no_bias), lib.Linear(8, 8)
        self.up, self.head = lib.Linear(8, 16), lib.Linear(16, 4)

    def construct(self, x: Tensor) -> Tensor:
        lib, x = self.lib, self.words(x)
        normal = self.norm(x)
        q, k, v = self.q(normal), self.k(normal), self.v(normal)
        x = x + lib.matmul(lib.softmax(lib.matmul(q, k.swapaxes(-1, -2)) * 8**-0.5), v)
        return self.head(lib.gelu(self.up(x))).mean(1)


NETWORKS: dict[str, tuple[Callable[[Any], nn.Cell], tuple[int, ...]]] = {
    "perceptron": (Perceptron, (6, 8)),
    "images": (Images, (6, 3, 8, 8)),
    "attention": (Attention, (6, 5)),
}
OPTIMIZERS: dict[str, dict[str, Any]] = {
    "sgd": {"lr": 0.05, "momentum": 0.9, "weight_decay": 1e-3},
    "adam": {"lr": 0.01},
    "adamw": {"lr": 0.01, "weight_decay": 0.01},
}


def training(network: str, optimizer: str, device: str, classes: bool = False) -> list[np.ndarray[Any, Any]]:
    """The losses of some steps, and all weights behind them; the loss is one of classes, or a square."""
    lib = OLD if device == "CPU" else NEW
    make, shape = NETWORKS[network]
    model, random = make(lib), np.random.default_rng(0)
    weights = model.trainable_params()
    for one in weights:
        one.set_data(Tensor((random.standard_normal(one.shape) * 0.3).astype(np.float32)))
    words = network == "attention"
    x = Tensor(random.integers(0, 20, shape) if words else random.standard_normal(shape).astype(np.float32))
    labels = Tensor(random.integers(0, 4, shape[:1]).astype(np.int64))
    wanted = Tensor(random.standard_normal((shape[0], 4)).astype(np.float32))

    def loss_of(x: Tensor) -> Tensor:
        return lib.loss(model(x), labels) if classes else ((model(x) - wanted) ** 2).mean()

    step = getattr(lib, optimizer)(weights, **OPTIMIZERS[optimizer])
    gradients = ms.value_and_grad(loss_of, None, weights)
    losses = []
    for _ in range(STEPS):
        loss, grads = gradients(x)
        step(grads)
        losses.append(loss)
    return [np.array([float(loss.asnumpy()) for loss in losses]), *(one.asnumpy() for one in weights)]


def compiled(device: str) -> list[np.ndarray[Any, Any]]:
    """A function that is compiled operator by operator, and its gradient."""
    random = np.random.default_rng(0)
    x, w = (Tensor(random.standard_normal(shape).astype(np.float32)) for shape in ((4, 6), (6, 3)))

    def plain(x: Tensor, w: Tensor) -> Tensor:
        return mint.sum(mint.tanh(mint.matmul(x, w)) * 2 + 1)

    function = plain if device == "CPU" else ms.jit(plain, jit_level="O0", backend="ms_backend")
    return [function(x, w).asnumpy(), *(one.asnumpy() for one in ms.grad(function, (0, 1))(x, w))]


def ways(device: str) -> dict[str, Callable[[], Any]]:
    """What there is to run, by name."""
    found: dict[str, Callable[[], Any]] = {
        f"{network} {optimizer}": partial(training, network, optimizer, device)
        for network in NETWORKS
        for optimizer in OPTIMIZERS
    }
    found["classes"] = partial(training, "perceptron", "sgd", device, classes=True)
    found["compiled"] = partial(compiled, device)
    return found


def run(device: str) -> dict[str, Any]:
    """The results of all of them, and the text of the exception where one ends with it."""
    found: dict[str, Any] = {}
    for name, way in ways(device).items():
        try:
            found[name] = way()
        except Exception as error:
            found[name] = str(error)
            drain()
    return found
