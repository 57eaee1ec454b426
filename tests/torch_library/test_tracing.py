"""Programs that call aclnn operators under torch.export and torch.compile."""

from __future__ import annotations

from typing import Any

import pytest

from aclspec.runtime import AclnnError

pytestmark = pytest.mark.filterwarnings("ignore")  # those of PyTorch's compiler about itself


@pytest.fixture
def module(torch: Any, aclnn: Any) -> Any:
    """Three operators, one after the other."""

    class Module(torch.nn.Module):  # type: ignore[misc]
        def forward(self, x: Any, weight: Any) -> Any:
            return aclnn.softmax(aclnn.add(aclnn.prelu(x, weight), x, alpha=2), 1)

    return Module()


def called(graph: Any) -> list[str]:
    return [str(node.target) for node in graph.nodes if str(node.target).startswith("aclnn.")]


def test_export(torch: Any, module: Any) -> None:
    x, weight = torch.randn(4, 2), torch.rand(2)
    program = torch.export.export(module, (x, weight))
    assert called(program.graph) == ["aclnn.prelu.default", "aclnn.add.default", "aclnn.softmax.default"]
    assert torch.equal(program.module()(x, weight), module(x, weight))


def test_export_with_a_size_that_varies(torch: Any, module: Any) -> None:
    rows = torch.export.Dim("rows", min=2, max=64)
    program = torch.export.export(module, (torch.randn(4, 2), torch.rand(2)), dynamic_shapes=({0: rows}, None))
    for size in (2, 5):
        x, weight = torch.randn(size, 2), torch.rand(2)
        assert torch.equal(program.module()(x, weight), module(x, weight))


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_compile(backend: str, torch: Any, module: Any) -> None:
    compiled = torch.compile(module, backend=backend, dynamic=False, fullgraph=True)
    for size in (4, 5):
        x, weight = torch.randn(size, 2), torch.rand(2)
        assert torch.equal(compiled(x, weight), module(x, weight))


def test_one_graph_for_the_sizes_that_the_checks_do_not_tell_apart(torch: Any, module: Any) -> None:
    count = torch._dynamo.testing.CompileCounter()
    compiled = torch.compile(module, backend=count, dynamic=True, fullgraph=True)
    for size in (4, 5, 9):
        x, weight = torch.randn(size, 2), torch.rand(2)
        assert torch.equal(compiled(x, weight), module(x, weight))
    assert count.frame_count == 1
    compiled(torch.randn(4, 2), torch.rand(1))  # one slope for all channels is another branch of the checks
    assert count.frame_count == 2


def test_in_place_under_compile(torch: Any, aclnn: Any) -> None:
    def program(x: Any) -> Any:
        x = x + 1
        aclnn.inplace_mul(x, x)
        return aclnn.neg(x)

    compiled = torch.compile(program, backend="aot_eager", fullgraph=True)
    assert compiled(torch.tensor([1.0, 2.0])).tolist() == [-4.0, -9.0]


def test_a_refused_call_says_why_while_it_is_traced(torch: Any, module: Any) -> None:
    reason = r"The number of elements of weight is 3; it must be 1 or the channel count of self \(2\)"
    arguments = torch.randn(4, 2), torch.rand(3)
    with pytest.raises(AclnnError, match=reason):
        torch.export.export(module, arguments)
    for dynamic in (False, True):
        with pytest.raises(Exception, match=reason):
            torch.compile(module, backend="eager", dynamic=dynamic, fullgraph=True)(*arguments)


def test_a_refusal_for_a_symbol_says_its_number(torch: Any, aclnn: Any) -> None:
    """The size of x is a symbol by the time the call is refused."""

    def program(x: Any, weight: Any) -> Any:
        return aclnn.prelu(torch.cat([x, x], 1), weight)

    compiled = torch.compile(program, backend="eager", dynamic=True, fullgraph=True)
    compiled(torch.randn(4, 3), torch.rand(6))
    with pytest.raises(Exception, match=r"weight is 5; it must be 1 or the channel count of self \(8\)"):
        compiled(torch.randn(4, 4), torch.rand(5))


def test_the_product_decides_while_it_is_traced(torch: Any, module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = torch.randn(4, 2).bfloat16(), torch.rand(2).bfloat16()
    torch.export.export(module, arguments)
    monkeypatch.setenv("ACLSPEC_PRODUCT", "atlas_training")
    with pytest.raises(AclnnError, match="BF16"):
        torch.export.export(module, arguments)


def test_strides_are_checked_while_it_is_traced(torch: Any, aclnn: Any) -> None:
    x = torch.randn(4, 4).t()
    messages = []
    for call in (aclnn.swi_glu, torch.compile(lambda x, dim: aclnn.swi_glu(x, dim), backend="eager", fullgraph=True)):
        with pytest.raises(Exception, match="contiguous") as error:
            call(x, -1)
        messages.append(str(error.value))
    assert messages[0].splitlines()[0] in messages[1]


def test_a_length_that_the_data_decides(torch: Any, aclnn: Any) -> None:
    class Places(torch.nn.Module):  # type: ignore[misc]
        def forward(self, x: Any) -> Any:
            return aclnn.nonzero(x)

    program = torch.export.export(Places(), (torch.zeros(3),))
    assert program.module()(torch.tensor([0.0, 5.0, 6.0])).tolist() == [[1], [2]]


def test_a_compiler_does_not_look_into_a_kernel(torch: Any, aclnn: Any) -> None:
    """Where a graph breaks, the call is made as it is."""
    compiled = torch.compile(lambda x: aclnn.nonzero(x) + 1, backend="eager")
    assert compiled(torch.tensor([0.0, 5.0])).tolist() == [[2]]
