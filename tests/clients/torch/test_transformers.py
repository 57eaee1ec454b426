"""Small models of the package transformers with random weights: they compute, generate and train as on the CPU."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
import transformers as library

SMALL = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 64}
MODELS: dict[str, Any] = {
    "llama": lambda: library.LlamaForCausalLM(library.LlamaConfig(**SMALL, num_key_value_heads=2)),
    "qwen2": lambda: library.Qwen2ForCausalLM(library.Qwen2Config(**SMALL, num_key_value_heads=2)),
    "qwen3": lambda: library.Qwen3ForCausalLM(library.Qwen3Config(**SMALL, num_key_value_heads=2, head_dim=8)),
    "gpt2": lambda: library.GPT2LMHeadModel(library.GPT2Config(n_embd=32, n_layer=2, n_head=4, vocab_size=64)),
    "bert": lambda: library.BertForMaskedLM(library.BertConfig(**SMALL)),
}


@pytest.fixture(params=MODELS)
def pair(request: pytest.FixtureRequest) -> tuple[Any, Any]:
    model = MODELS[request.param]().eval()
    return model, copy.deepcopy(model).npu()


TOKENS = torch.tensor([[3, 17, 42, 8, 5], [9, 1, 1, 30, 63]])


def test_forward(pair: tuple[Any, Any]) -> None:
    expected, found = (model(TOKENS.to(model.device)).logits.detach().cpu() for model in pair)
    torch.testing.assert_close(found, expected, rtol=1e-3, atol=1e-4)


def test_generation(pair: tuple[Any, Any]) -> None:
    if not pair[0].can_generate():
        pytest.skip("the model generates nothing")
    how = {"max_new_tokens": 6, "do_sample": False, "pad_token_id": 0}
    found = []
    for model in pair:
        tokens = TOKENS.to(model.device)
        found.append(model.generate(tokens, attention_mask=torch.ones_like(tokens), **how).tolist())
    assert found[1] == found[0]


def test_training(pair: tuple[Any, Any]) -> None:
    losses = []
    for model in pair:
        for module in model.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = 0.0
        model.train()
        model.config._attn_implementation_internal = "sdpa"
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
        taken = []
        for _ in range(3):
            optimizer.zero_grad()
            loss = model(TOKENS.to(model.device), labels=TOKENS.to(model.device)).loss
            loss.backward()
            optimizer.step()
            taken.append(loss.item())
        losses.append(taken)
    assert losses[1] == pytest.approx(losses[0], rel=2e-3)


def test_a_padded_batch(pair: tuple[Any, Any]) -> None:
    mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]])
    expected, found = (
        model(TOKENS.to(model.device), attention_mask=mask.to(model.device)).logits.detach().cpu() for model in pair
    )
    torch.testing.assert_close(found[mask.bool()], expected[mask.bool()], rtol=1e-3, atol=1e-4)
