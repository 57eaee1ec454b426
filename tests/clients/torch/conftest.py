"""What the tests of PyTorch share: the device, and a seed for each test."""

from __future__ import annotations

import warnings

import pytest
import torch

warnings.filterwarnings("ignore")
import torch_npu  # noqa: E402, F401


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)
