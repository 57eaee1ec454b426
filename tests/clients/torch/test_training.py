"""Training steps: losses and weights against the same steps on the CPU, from the same start."""

from __future__ import annotations

import copy
from collections.abc import Callable

import pytest
import torch
from torch import nn
from torch.nn import functional

STEPS = 4


class Attention(nn.Module):
    """A block of a transformer, with scaled dot product attention."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(32, 16)
        self.norm, self.last = nn.LayerNorm(16), nn.LayerNorm(16)
        self.qkv, self.out = nn.Linear(16, 48), nn.Linear(16, 16)
        self.up, self.down, self.head = nn.Linear(16, 32), nn.Linear(32, 16), nn.Linear(16, 32)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embedding(tokens)
        q, k, v = (one.reshape(*one.shape[:2], 2, 8).transpose(1, 2) for one in self.qkv(self.norm(x)).chunk(3, -1))
        attended = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).reshape(x.shape))
        x = x + self.down(functional.gelu(self.up(self.last(x))))
        return self.head(x).flatten(0, 1)


def mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.LayerNorm(16), nn.Linear(16, 4))


def cnn() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8 * 16, 4)
    )


def batch(model: nn.Module) -> tuple[torch.Tensor, torch.Tensor]:
    if isinstance(model, Attention):
        return torch.randint(0, 32, (2, 6)), torch.randint(0, 32, (12,))
    first = model[0]  # type: ignore[index]
    shape = (6, 8) if isinstance(first, nn.Linear) else (6, 3, 8, 8)
    return torch.randn(shape), torch.randint(0, 4, (6,))


ROUNDING = {"cnn": "0.bias", "Attention": "qkv.bias"}
"""Of each model a weight whose gradient is zero but for rounding, in front of a normalization or as the bias of
keys: optimizers that divide by its size move it by the rounding."""

OPTIMIZERS: dict[str, Callable[..., torch.optim.Optimizer]] = {
    "sgd": lambda values, **how: torch.optim.SGD(values, lr=0.05, momentum=0.9, weight_decay=1e-3, **how),
    "adamw": lambda values, **how: torch.optim.AdamW(values, lr=0.01, **how),
    "adam": lambda values, **how: torch.optim.Adam(values, lr=0.01, **how),
}


def train(
    model: nn.Module, optimizer: torch.optim.Optimizer, x: torch.Tensor, y: torch.Tensor, clip: bool
) -> list[float]:
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(x), y)
        loss.backward()
        if clip:
            torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
        losses.append(loss.item())
    return losses


@pytest.mark.parametrize("clip", [False, True], ids=["", "clipped"])
@pytest.mark.parametrize("foreach", [False, True], ids=["loop", "foreach"])
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("make", [mlp, cnn, Attention])
def test_a_training_step(make: Callable[[], nn.Module], optimizer: str, foreach: bool, clip: bool) -> None:
    model = make()
    x, y = batch(model)
    other = copy.deepcopy(model).npu()
    torch.npu.conv.allow_hf32 = False
    expected = train(model, OPTIMIZERS[optimizer](model.parameters(), foreach=False), x, y, clip)
    found = train(other, OPTIMIZERS[optimizer](other.parameters(), foreach=foreach), x.npu(), y.npu(), clip)
    assert found == pytest.approx(expected, rel=1e-3, abs=1e-4)
    for (name, one), two in zip(model.named_parameters(), other.parameters(), strict=True):
        if name == ROUNDING.get(make.__name__):
            continue
        torch.testing.assert_close(two.detach().cpu(), one.detach(), rtol=2e-3, atol=2e-3, msg=name)


@pytest.mark.parametrize("amsgrad", [False, True])
def test_fused_steps_of_adamw(amsgrad: bool) -> None:
    model = mlp()
    x, y = batch(model)
    other = copy.deepcopy(model).npu()
    expected = train(model, torch.optim.AdamW(model.parameters(), 0.01, amsgrad=amsgrad), x, y, clip=False)
    fused = torch.optim.AdamW(other.parameters(), 0.01, amsgrad=amsgrad, fused=True)
    assert train(other, fused, x.npu(), y.npu(), clip=False) == pytest.approx(expected, rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_autocast(dtype: torch.dtype) -> None:
    model = mlp()
    x, y = batch(model)
    other = copy.deepcopy(model).npu()
    with torch.autocast("cpu", dtype):
        expected = functional.cross_entropy(model(x), y)
    with torch.autocast("npu", dtype):
        found = functional.cross_entropy(other(x.npu()), y.npu())
    found.backward()
    expected.backward()
    assert found.item() == pytest.approx(expected.item(), rel=2e-2)
    one, two = (next(iter(which.parameters())).grad for which in (model, other))
    torch.testing.assert_close(two.cpu(), one, rtol=0.1, atol=0.02)


def test_a_checkpoint() -> None:
    from torch.utils.checkpoint import checkpoint

    model = mlp().npu()
    x = torch.randn(3, 8).npu()
    plain = torch.autograd.grad(model(x).square().sum(), list(model.parameters()))
    saved = torch.autograd.grad(checkpoint(model, x, use_reentrant=False).square().sum(), list(model.parameters()))
    assert all(torch.equal(a.cpu(), b.cpu()) for a, b in zip(plain, saved, strict=True))
