"""Varied calls of PyTorch on the device, some of which are refused: the outcome of each.

Run by a Python on the simulator: calls.py FILE. The file gets the outcomes by name, and the exit status is the number
of calls that raised.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import torch_npu

torch.manual_seed(0)
A, B, C = (torch.randn(*shape) for shape in ((4, 6), (6, 5), (2, 3, 8, 8)))
a, b, c = (one.npu() for one in (A, B, C))
half, whole = a.half(), (A * 9).to(torch.int64).npu()
rows = torch.tensor([3, 0, 2]).npu()
kernel, weight = torch.randn(4, 3, 3, 3).npu(), torch.randn(5, 6).npu()


def gradient(function: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor) -> Any:
    leaf = x.detach().clone().requires_grad_()
    function(leaf).sum().backward()
    return leaf.grad


def in_place() -> torch.Tensor:
    x = a.clone()
    x.add_(1).mul_(0.5).clamp_(-1, 1)
    x[1] = 3
    x[:, 2] -= 1
    return x


def step() -> torch.Tensor:
    net = torch.nn.Linear(6, 3)
    net = net.npu()
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.1)
    net(a).square().mean().backward()
    optimizer.step()
    return net.weight.detach()


WORKING: dict[str, Callable[[], Any]] = {
    "add": lambda: a + a,
    "sub": lambda: a - 2 * a,
    "mul": lambda: a * 3.5,
    "div": lambda: a / (a.abs() + 1),
    "broadcast": lambda: c + c[0, 0],
    "floor_divide": lambda: whole // 3,
    "remainder": lambda: whole % 4,
    "pow": lambda: a.abs() ** 1.5,
    "matmul": lambda: a @ b,
    "transposed": lambda: b.t() @ a.t(),
    "batched": lambda: torch.bmm(c[0], c[1]),
    "linear": lambda: F.linear(a, weight),
    "half": lambda: half @ half.t(),
    "bfloat16": lambda: (a.bfloat16() + 1).float(),
    "sum": lambda: c.sum((1, 3)),
    "mean": lambda: c.mean(),
    "var": lambda: a.var(1),
    "max": lambda: a.max(1),
    "argmin": lambda: a.argmin(0),
    "any": lambda: (a > 2).any(1),
    "cumsum": lambda: a.cumsum(1),
    "sort": lambda: a.sort(1),
    "topk": lambda: a.topk(2),
    "exp": lambda: a.exp(),
    "log": lambda: a.abs().log(),
    "sqrt": lambda: a.abs().sqrt(),
    "tanh": lambda: a.tanh(),
    "sigmoid": lambda: a.sigmoid(),
    "erf": lambda: a.erf(),
    "gelu": lambda: F.gelu(a),
    "silu": lambda: F.silu(a),
    "relu": lambda: F.relu(a),
    "softmax": lambda: a.softmax(-1),
    "log_softmax": lambda: a.log_softmax(0),
    "layer_norm": lambda: F.layer_norm(a, (6,)),
    "batch_norm": lambda: F.batch_norm(c, None, None, training=True),
    "convolution": lambda: F.conv2d(c, kernel, padding=1),
    "max_pool": lambda: F.max_pool2d(c, 2),
    "average_pool": lambda: F.avg_pool2d(c, 2),
    "embedding": lambda: F.embedding(rows, a),
    "index": lambda: a[rows],
    "mask": lambda: a[a > 0],
    "slice": lambda: c[..., 1::2],
    "gather": lambda: a.gather(0, rows.reshape(1, 3)),
    "where": lambda: torch.where(a > 0, a, -a),
    "cat": lambda: torch.cat([a, a[:1]]),
    "stack": lambda: torch.stack([a, a], 1),
    "flip": lambda: a.flip(1),
    "permute": lambda: c.permute(0, 2, 3, 1).contiguous(),
    "expand": lambda: a[:, None].expand(4, 2, 6).contiguous(),
    "arange": lambda: torch.arange(7, device="npu"),
    "full": lambda: torch.full((2, 2), 1.5, device="npu"),
    "cast": lambda: a.to(torch.int32),
    "compare": lambda: a.eq(a.round()),
    "bitwise": lambda: whole & 3,
    "in place": in_place,
    "empty": lambda: torch.zeros(0, 3).npu() + 1,
    "scalar": lambda: a.sum().item(),
    "cross_entropy": lambda: F.cross_entropy(a, rows.new_tensor([1, 2, 0, 5])),
    "gradient of gelu": lambda: gradient(F.gelu, a),
    "gradient of softmax": lambda: gradient(lambda x: x.softmax(-1)[:, 0], a),
    "gradient of convolution": lambda: gradient(lambda x: F.conv2d(x, kernel), c),
    "gradient of layer_norm": lambda: gradient(lambda x: F.layer_norm(x, (6,)).square(), a),
    "step": step,
}
REFUSED: dict[str, Callable[[], Any]] = {
    "sizes of matmul": lambda: a @ a,
    "sizes of bmm": lambda: torch.bmm(c[0], c[0][:, :5]),
    "sizes of addmm": lambda: torch.addmm(a, a, b),
    "sizes of add": lambda: a + b,
    "dtypes of matmul": lambda: a @ b.half(),
    "axis of flip": lambda: a.flip(1, 1),
    "groups of convolution": lambda: F.conv2d(c, kernel[:, :2]),
    "size of layer_norm": lambda: torch.native_layer_norm(a, [6], weight[:, 0], None, 1e-5),
    "axes of cat": lambda: torch.cat([a, b]),
    "view beyond": lambda: torch.as_strided(a, (9, 9), (9, 1)) + 1,
    "fused attention": lambda: torch_npu.npu_fusion_attention(c, c, c[:, :, :, :4], 3, "BNSD"),
    "rms_norm": lambda: torch_npu.npu_rms_norm(a, weight[:, 0]),
}
_SAID = re.compile(r"aclnn\w+|error code is \d+")


def outcome(value: Any) -> Any:
    """A number for what a tensor holds, or the value."""
    if isinstance(value, torch.Tensor):
        value = value.detach().cpu()
        digest = hashlib.sha256(value.contiguous().numpy().tobytes()).hexdigest()[:16]
        return [str(value.dtype), list(value.shape), digest]
    if isinstance(value, tuple | list):
        return [outcome(one) for one in value]
    return repr(value)


def main() -> int:
    results: dict[str, Any] = {}
    raised = 0
    for name, call in {**WORKING, **REFUSED}.items():
        try:
            results[name] = outcome(call())
            torch.npu.synchronize()
        except Exception as error:
            raised += 1
            results[name] = [type(error).__name__, *_SAID.findall(str(error))]
    Path(sys.argv[1]).write_text(json.dumps(results), "utf-8")
    return raised


if __name__ == "__main__":
    sys.exit(main())
