"""Private formats: casts into them and out of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
import torch_npu

ND, NZ = 2, 29


@pytest.fixture(autouse=True)
def private_formats() -> Iterator[None]:
    """Without this option torch_npu gives tensors public formats alone."""
    torch.npu.config.allow_internal_format = True
    yield
    torch.npu.config.allow_internal_format = False


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.bfloat16, torch.int8])
def test_a_cast_there_and_back(dtype: torch.dtype) -> None:
    x = (torch.randn(20, 40) * 5).to(dtype)
    hidden = torch_npu.npu_format_cast(x.npu(), NZ)
    assert torch_npu.get_npu_format(hidden) == NZ
    assert torch.equal(hidden.cpu(), x)
    back = torch_npu.npu_format_cast(hidden, ND)
    assert torch_npu.get_npu_format(back) == ND
    assert torch.equal(back.cpu(), x)


def test_channels() -> None:
    x = torch.randn(2, 17, 3, 5).half()
    hidden = torch_npu.npu_format_cast(x.npu(), 3)
    assert torch_npu.get_npu_format(hidden) == 3
    assert torch.equal(hidden.cpu(), x)
