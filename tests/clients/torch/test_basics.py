"""Tensors on the device: printing, indexing, slicing, random numbers, saving, data loaders."""

from __future__ import annotations

import io

import numpy as np
import pytest
import torch


def test_print() -> None:
    assert repr(torch.arange(6.0).npu().reshape(2, 3) / 4) == (
        "tensor([[0.0000, 0.2500, 0.5000],\n        [0.7500, 1.0000, 1.2500]], device='npu:0')"
    )
    assert repr(torch.tensor([1, 2]).npu()) == "tensor([1, 2], device='npu:0')"
    assert repr(torch.tensor([True]).npu()) == "tensor([True], device='npu:0')"


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.int32, torch.int64, torch.bool])
def test_a_round_trip(dtype: torch.dtype) -> None:
    x = (torch.randn(3, 5) * 3).to(dtype)
    assert torch.equal(x.npu().cpu(), x)
    assert torch.equal(x.npu().t().contiguous().cpu(), x.t())


def test_slices_and_indices() -> None:
    x = torch.randn(4, 6, 5)
    y = x.npu()
    rows, mask = torch.tensor([2, 0, 2]), x[:, 0, 0] > 0
    assert torch.equal(y[1:3, ::2, -1].cpu(), x[1:3, ::2, -1])
    assert torch.equal(y[rows.npu()].cpu(), x[rows])
    assert torch.equal(y[rows.npu(), rows.npu()].cpu(), x[rows, rows])
    assert torch.equal(y[mask.npu()].cpu(), x[mask])
    assert torch.equal(y[..., None].flip(1).cpu(), x[..., None].flip(1))
    columns = rows.reshape(1, 3, 1).expand(4, 3, 5)
    assert torch.equal(y.gather(1, columns.npu()).cpu(), x.gather(1, columns))


def test_assignment() -> None:
    x, y = torch.zeros(4, 6), torch.zeros(4, 6).npu()
    for one in (x, y):
        rows = torch.tensor([1, 3], device=one.device)
        one[0] = 1
        one[:, 2] += 3
        one[rows, rows] = 5
        one[one > 4] = -1
    assert torch.equal(y.cpu(), x)


def test_save_and_load() -> None:
    x = torch.randn(3, 4).npu()
    file = io.BytesIO()
    torch.save({"x": x}, file)
    file.seek(0)
    assert torch.equal(torch.load(file, map_location="npu:0")["x"].cpu(), x.cpu())
    file.seek(0)
    assert torch.load(file, map_location="cpu")["x"].device.type == "cpu"


def test_random_numbers() -> None:
    torch.npu.manual_seed(7)
    first = [torch.rand(4096, device="npu").cpu(), torch.randn(4096, device="npu").cpu()]
    again = [torch.rand(4096, device="npu").cpu(), torch.randn(4096, device="npu").cpu()]
    torch.npu.manual_seed(7)
    same = [torch.rand(4096, device="npu").cpu(), torch.randn(4096, device="npu").cpu()]
    assert all(torch.equal(a, b) for a, b in zip(first, same, strict=True))
    assert not any(torch.equal(a, b) for a, b in zip(first, again, strict=True))
    uniform, normal = first
    assert uniform.min() >= 0
    assert uniform.max() < 1
    assert abs(uniform.mean() - 0.5) < 0.03
    assert abs(normal.mean()) < 0.08
    assert abs(normal.std() - 1) < 0.06
    kept = (torch.nn.functional.dropout(torch.ones(8192, device="npu"), 0.25) != 0).float().mean().item()
    assert abs(kept - 0.75) < 0.03


def test_a_data_loader() -> None:
    data = torch.utils.data.TensorDataset(torch.arange(20.0).reshape(10, 2), torch.arange(10))
    loader = torch.utils.data.DataLoader(data, batch_size=4)
    sums = [(x.npu().sum(1) + y.npu()).cpu() for x, y in loader]
    assert torch.cat(sums).tolist() == [5.0 * at + 1 for at in range(10)]


def test_numbers_of_numpy() -> None:
    x = np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4)
    y = torch.from_numpy(x).npu()
    np.testing.assert_allclose(y.exp().cpu().numpy(), np.exp(x), rtol=1e-6)
    np.testing.assert_allclose(y.softmax(-1).sum(-1).cpu().numpy(), np.ones(3), rtol=1e-6)
    assert y.argmax().item() == 11


def test_memory_is_given_back() -> None:
    before = torch.npu.memory_allocated()
    x = torch.ones(1 << 20, device="npu")
    assert torch.npu.memory_allocated() >= before + (4 << 20)
    del x
    assert torch.npu.memory_allocated() == before


def test_streams_and_events() -> None:
    start, end = torch.npu.Event(enable_timing=True), torch.npu.Event(enable_timing=True)
    stream = torch.npu.Stream()
    with torch.npu.stream(stream):
        start.record()
        x = torch.ones(64, device="npu") * 3
        end.record()
    stream.synchronize()
    assert start.elapsed_time(end) >= 0
    assert x.sum().item() == 192


def test_a_refused_call_says_why() -> None:
    with pytest.raises(RuntimeError, match="aclnn"):
        torch.ones(2, 3).npu() @ torch.ones(2, 3).npu()
