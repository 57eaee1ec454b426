"""A small model generates; its logits are those of a forward pass in float64 over the same weights."""

from __future__ import annotations

from pathlib import Path

import gguf
import numpy as np
import pytest
from conftest import Execute
from model import WORDS, forward, write

PROMPT = [1, 17, 200, 3, 99, 42, 128, 5, 64]
COUNT = 8
SHARE = 0.05
"""How large the difference of the logits may be, in root mean square, against their standard deviation."""


@pytest.mark.parametrize("strict", ["", "1"], ids=["", "strict"])
@pytest.mark.parametrize("flash", ["0", "1"], ids=["plain", "flash"])
@pytest.mark.parametrize("kind", ["F32", "F16", "BF16", "Q8_0", "Q4_0"])
def test_generate(execute: Execute, tmp_path: Path, kind: str, flash: str, strict: str) -> None:
    """FLOAT weights are not converted to NZ, which CANN refuses; nor is any in strict mode, see the next test."""
    weights = write(tmp_path / "model.gguf", gguf.GGMLQuantizationType[kind])
    words = [str(tmp_path / "model.gguf"), flash, str(COUNT), str(tmp_path / "logits"), *map(str, PROMPT)]
    variables = {"ACLSPEC_STRICT": strict} if strict else {}
    if strict or kind == "F32":
        variables["GGML_CANN_WEIGHT_NZ"] = "off"
    done = execute("logits", *words, **variables)
    assert done.returncode == 0, done.stderr[-4000:]
    assert "aclspec strict:" not in done.stderr
    tokens = [int(word) for word in done.stdout.split()]
    assert tokens[: len(PROMPT)] == PROMPT
    assert len(tokens) == len(PROMPT) + COUNT
    found = np.fromfile(tmp_path / "logits", np.float32).reshape(-1, WORDS).astype(np.float64)
    wanted = forward(weights, tokens[:-1])
    assert found.shape == wanted.shape
    assert np.sqrt(np.mean((found - wanted) ** 2)) <= SHARE * wanted.std()


def test_strict_tells_of_weights_converted_on_another_stream(execute: Execute, tmp_path: Path) -> None:
    """llama.cpp converts weights on the default stream, and nothing lets its own stream wait for that."""
    write(tmp_path / "model.gguf", gguf.GGMLQuantizationType.F16)
    words = [str(tmp_path / "model.gguf"), "0", "1", str(tmp_path / "logits"), *map(str, PROMPT)]
    done = execute("logits", *words, ACLSPEC_STRICT="1")
    assert "is used by two streams at a time" in done.stderr
    assert done.returncode == 97
