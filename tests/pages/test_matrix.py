"""What each product takes: the matrix of an operator's page says what its checks say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from aclspec import ops
from aclspec.codegen.pages.matrix import matrix
from aclspec.codegen.pages.probes import DTYPES, RANKS, Probes
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.rules.interpreter import Environment, evaluate, evaluate_node
from aclspec.runtime.rules.operator_info import MODES, ParamInfo
from aclspec.runtime.tensors.tensor import Tensor
from tests.agreement.test_agreement import valid_calls
from tests.support.operators import some
from tests.support.project import own_project


@pytest.mark.parametrize("name", some(12, small=3))
def test_valid_calls_are_in_the_matrix(name: str, repository: Path) -> None:
    """What a call that works gives is never among what the matrix says is refused."""
    operator = ops.get(name)
    probes = Probes(operator.info)
    for call in valid_calls(operator, repository)[:40]:
        for product, _ in operator.info.products:
            for mode in MODES:
                if evaluate(operator.info, call, product, mode).first is not None:
                    continue
                for param in operator.info.params:
                    value = call[param.name]
                    for tensor in [value] if isinstance(value, Tensor) else tensors(value):
                        facets = probes.facets(param, product, mode)
                        assert facets is not None
                        assert tensor.dtype.name in facets.dtypes
                        assert min(len(tensor.shape), max(RANKS)) in facets.ranks or tensor.numel == 0
                        assert facets.empty or tensor.numel
                        assert facets.noncontiguous or tensor.is_contiguous


def tensors(value: Any) -> list[Tensor]:
    return [one for one in value if isinstance(one, Tensor)] if isinstance(value, list | tuple) else []


@pytest.mark.parametrize("name", some(12, small=3))
def test_what_the_matrix_leaves_out_is_refused(name: str, repository: Path) -> None:
    """A call that works does not work with a dtype or a rank that the matrix does not have."""
    operator = ops.get(name)
    probes = Probes(operator.info)
    for call in valid_calls(operator, repository)[:3]:
        for param in (one for one in operator.info.params if PARAM_TYPES[one.type].predicate == "tensor"):
            given = call[param.name]
            for product, _ in operator.info.products:
                facets = probes.facets(param, product, "document")
                if not isinstance(given, Tensor) or facets is None or not looked_at(operator, param, call, product):
                    continue
                others = [Tensor(given.shape, dtype) for dtype in (DType.STRING, DType.COMPLEX64, DType.BF16)]
                others += [Tensor((2,) * rank, given.dtype) for rank in RANKS if rank not in facets.ranks]
                for other in others:
                    any_dtype = len(facets.dtypes) == len(DTYPES)  # of those that the matrix names; others, too, then
                    if (any_dtype or other.dtype.name in facets.dtypes) and len(other.shape) in facets.ranks:
                        continue
                    assert evaluate(operator.info, {**call, param.name: other}, product, "document").first is not None


def looked_at(operator: Operator, param: ParamInfo, call: dict[str, Any], product: str) -> bool:
    """Whether the checks look at a parameter in this call: at some outputs they do only where they are wanted."""
    condition = param.checked or param.required
    return condition is None or evaluate_node(condition, Environment(operator.info, call, product, "document")) is True


def test_a_matrix_in_chinese() -> None:
    operator = own_project().operator("aclnnPrelu")
    text = matrix(operator, "zh", Probes(operator.info))
    assert "空张量 ✓" in text
    assert "FLOAT16" in text
