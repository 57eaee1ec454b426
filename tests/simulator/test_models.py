"""The parts of models in ``site/examples``: Python against PyTorch in float64, C++ in strict mode against Python."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.simulators import Simulator

EXAMPLES = Path(__file__).parents[2] / "site" / "examples"
PROGRAMS = sorted(path.stem for path in EXAMPLES.glob("*.py"))


def module(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def test_the_layer_of_a_transformer_is_that_of_pytorch() -> None:
    torch = pytest.importorskip("torch")
    functional = torch.nn.functional
    example = module("transformer_layer")
    x, weights = example.inputs()
    given = {name: torch.tensor(value).double() for name, value in weights.items()}
    old = torch.tensor(x).double()

    def turned(heads: Any) -> Any:
        """Each pair of elements as a complex number, turned by the angle of its position."""
        half = example.SIZE // 2
        speeds = 100.0 ** -(torch.arange(half).double() / half)
        turns = torch.polar(torch.ones(1).double(), torch.arange(example.POSITIONS)[:, None].double() * speeds)
        pairs = torch.complex(heads[..., :half], heads[..., half:]) * turns
        return torch.cat([pairs.real, pairs.imag], -1)

    normal = functional.rms_norm(old, (example.WIDTH,), given["scale"], 1e-6)
    query, key, value = (
        (normal @ given[name]).reshape(example.POSITIONS, example.HEADS, example.SIZE).transpose(0, 1)
        for name in ("query", "key", "value")
    )
    mixed = functional.scaled_dot_product_attention(turned(query), turned(key), value, is_causal=True)
    old = old + mixed.transpose(0, 1).reshape(example.POSITIONS, example.WIDTH) @ given["output"]
    normal = functional.rms_norm(old, (example.WIDTH,), given["scale"], 1e-6)
    gate, up = (normal @ given["gate"]).chunk(2, -1)
    expected = old + (functional.silu(gate) * up) @ given["down"]
    np.testing.assert_allclose(example.layer(x, weights), expected.numpy(), rtol=1e-4, atol=1e-4)


def test_the_block_of_a_resnet_has_the_gradients_of_pytorch() -> None:
    torch = pytest.importorskip("torch")
    example = module("resnet_block")
    x, *layers = example.inputs()
    upstream = example.wave(7, *x.shape)
    leaves = [torch.tensor(x).double().requires_grad_()]
    result = leaves[0]
    for layer in layers:
        kernel, scale, shift = (
            torch.tensor(value).double().requires_grad_() for value in (layer.kernel, layer.scale, layer.shift)
        )
        leaves += [kernel, scale, shift]
        before = torch.relu(result) if layer is layers[1] else result
        sums = torch.conv2d(before, kernel, padding=1)
        result = torch.nn.functional.batch_norm(sums, None, None, scale, shift, training=True)
    result = torch.relu(result + leaves[0])
    result.backward(torch.tensor(upstream).double())
    found, weights = example.gradients(x, *layers, upstream)
    ours = [found, *(one for layer in weights for one in layer.values())]
    np.testing.assert_allclose(example.block(x, *layers)[0], result.detach().numpy(), rtol=1e-4, atol=1e-4)
    for value, leaf in zip(ours, leaves, strict=True):
        np.testing.assert_allclose(value, leaf.grad.numpy(), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_program_in_cpp_prints_the_same(simulator: Simulator, name: str) -> None:
    python = subprocess.run([sys.executable, str(EXAMPLES / f"{name}.py")], capture_output=True, text=True, check=True)
    done = simulator.run(simulator.compile(EXAMPLES / f"{name}.cpp"), variables={"ACLSPEC_STRICT": "1"})
    assert (done.status, done.err) == (0, "")
    ours, theirs = (np.loadtxt(text.splitlines()) for text in (python.stdout, done.out))
    assert ours.size > 8
    np.testing.assert_allclose(ours, theirs, atol=2e-4)
