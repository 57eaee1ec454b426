"""Graphs: what is captured runs again, on the numbers that its inputs then hold."""

from __future__ import annotations

import torch
import torch_npu  # noqa: F401


def test_a_graph_runs_again() -> None:
    torch.manual_seed(0)
    weight, given = torch.randn(4, 4), torch.randn(2, 3, 4)
    w, x = weight.npu(), given[0].npu()
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        y = torch.relu(x @ w) + 1
        z = y.sum(1)
    for one in given:
        x.copy_(one)
        graph.replay()
        torch.testing.assert_close(y.cpu(), torch.relu(one @ weight) + 1, rtol=1e-3, atol=1e-3)
        torch.testing.assert_close(z.cpu(), (torch.relu(one @ weight) + 1).sum(1), rtol=1e-3, atol=1e-3)


def test_a_graphed_module() -> None:
    torch.manual_seed(0)
    module, other = (
        torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.GELU(), torch.nn.Linear(8, 2)) for _ in range(2)
    )
    mine = torch.npu.make_graphed_callables(other.npu(), (torch.randn(3, 4).npu(),))
    mine.load_state_dict(module.state_dict())
    for _ in range(2):
        x = torch.randn(3, 4)
        module.zero_grad()
        mine.zero_grad()
        found, wanted = mine(x.npu()), module(x)
        torch.testing.assert_close(found.cpu(), wanted, rtol=1e-3, atol=1e-3)
        found.square().sum().backward()
        wanted.square().sum().backward()
        for one, own in zip(mine.parameters(), module.parameters(), strict=True):
            torch.testing.assert_close(one.grad.cpu(), own.grad, rtol=1e-3, atol=1e-3)
