"""A small transformer with random weights: written as a file of llama.cpp, and computed in float64."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

import gguf
import numpy as np
from gguf.quants import dequantize, quantize

Array: TypeAlias = "np.ndarray[tuple[int, ...], np.dtype[np.float64]]"
Weights: TypeAlias = dict[str, Array]

MARKS = {"<unk>": 2, "<s>": 3, "</s>": 3}
"""The first words, which are no bytes, with their types in llama.cpp."""
BYTE = 6
WORDS, WIDTH, LAYERS, HEADS, KEYS, HEAD, INNER = len(MARKS) + 256, 128, 2, 4, 2, 32, 256
EPSILON, BASE = 1e-5, 10000.0


def shapes() -> dict[str, tuple[int, ...]]:
    """The weights by name: rows are outputs."""
    found: dict[str, tuple[int, ...]] = {
        "token_embd": (WORDS, WIDTH),
        "output": (WORDS, WIDTH),
        "output_norm": (WIDTH,),
    }
    for layer in range(LAYERS):
        found |= {
            f"blk.{layer}.attn_norm": (WIDTH,),
            f"blk.{layer}.attn_q": (HEADS * HEAD, WIDTH),
            f"blk.{layer}.attn_k": (KEYS * HEAD, WIDTH),
            f"blk.{layer}.attn_v": (KEYS * HEAD, WIDTH),
            f"blk.{layer}.attn_output": (WIDTH, HEADS * HEAD),
            f"blk.{layer}.ffn_norm": (WIDTH,),
            f"blk.{layer}.ffn_gate": (INNER, WIDTH),
            f"blk.{layer}.ffn_up": (INNER, WIDTH),
            f"blk.{layer}.ffn_down": (WIDTH, INNER),
        }
    return found


def write(file: Path, kind: gguf.GGMLQuantizationType) -> Weights:
    """Write a model of bytes whose matrices are of a kind; what its weights are once they are read."""
    random = np.random.default_rng(7)
    writer = gguf.GGUFWriter(file, "llama")
    writer.add_context_length(64)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KEYS)
    writer.add_rope_dimension_count(HEAD)
    writer.add_rope_freq_base(BASE)
    writer.add_layer_norm_rms_eps(EPSILON)
    writer.add_vocab_size(WORDS)
    writer.add_tokenizer_model("llama")
    writer.add_token_list([*MARKS, *(f"<0x{byte:02X}>" for byte in range(256))])
    writer.add_token_types([*MARKS.values(), *[BYTE] * 256])
    writer.add_token_scores([0.0] * WORDS)
    for at, add in enumerate((writer.add_unk_token_id, writer.add_bos_token_id, writer.add_eos_token_id)):
        add(at)
    weights = {}
    for name, shape in shapes().items():
        values = random.standard_normal(shape).astype(np.float32)
        of = gguf.GGMLQuantizationType.F32 if len(shape) == 1 else kind
        values = 1 + values / 10 if len(shape) == 1 else values / np.float32(np.sqrt(shape[-1]))
        stored = quantize(values, of)
        writer.add_tensor(f"{name}.weight", stored, raw_dtype=of)
        weights[name] = dequantize(stored, of).astype(np.float64)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return weights


def forward(weights: Weights, tokens: list[int]) -> Array:
    """The logits of every position, (tokens, words)."""
    x = weights["token_embd"][tokens]
    for layer in range(LAYERS):
        block = {name.partition(f"blk.{layer}.")[2]: value for name, value in weights.items()}
        x = x + _attention(block, _normal(x, block["attn_norm"]))
        inner = _normal(x, block["ffn_norm"])
        gate = inner @ block["ffn_gate"].T
        x = x + (gate / (1 + np.exp(-gate)) * (inner @ block["ffn_up"].T)) @ block["ffn_down"].T
    return _normal(x, weights["output_norm"]) @ weights["output"].T


def _normal(x: Array, gamma: Array) -> Array:
    return x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + EPSILON) * gamma


def _attention(block: Weights, x: Array) -> Array:
    """Grouped heads, each token with those up to itself."""
    long = len(x)
    query = _turned((x @ block["attn_q"].T).reshape(long, HEADS, HEAD))
    key = _turned((x @ block["attn_k"].T).reshape(long, KEYS, HEAD)).repeat(HEADS // KEYS, axis=1)
    value = (x @ block["attn_v"].T).reshape(long, KEYS, HEAD).repeat(HEADS // KEYS, axis=1)
    scores = np.einsum("shd,thd->hst", query, key) / np.sqrt(HEAD)
    scores = np.where(np.tri(long, dtype=bool), scores, -np.inf)
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    return np.einsum("hst,thd->shd", shares, value).reshape(long, HEADS * HEAD) @ block["attn_output"].T


def _turned(x: Array) -> Array:
    """Rotary embedding of pairs that lie side by side, x of shape (tokens, heads, head)."""
    angles = np.arange(len(x))[:, None] * BASE ** (-np.arange(0, HEAD, 2) / HEAD)
    cos, sin = np.cos(angles)[:, None], np.sin(angles)[:, None]
    even, odd = x[..., ::2], x[..., 1::2]
    return np.stack((even * cos - odd * sin, even * sin + odd * cos), axis=-1).reshape(x.shape)
