"""The C prototype of each spec agrees with the real one, types and order.

``signatures.json`` holds the parameters of phase one of the real operators, without the two trailing pointers that
every phase one has. ``const`` says nothing about direction and nothing to the ABI; what is const there is const here.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aclspec.codegen.render.headers import c_type
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.rules.operator_info import OperatorInfo
from tests.support.operators import infos

HERE = Path(__file__).parent
SPECS = HERE.parent.parent / "specs"
SIGNATURES: dict[str, list[str]] = json.loads((HERE / "signatures.json").read_text(encoding="utf-8"))
OPERATORS = {info.name: info for info in infos()}


def declared(parameter: str) -> tuple[str, str]:
    """The type and the name of ``const aclTensor* self``."""
    kind, name = parameter.removeprefix("const ").rsplit(" ", 1)
    return kind, name


def prototype(info: OperatorInfo) -> list[tuple[str, str]]:
    """What the spec declares, in C order."""
    return [(PARAM_TYPES[param.type].c, param.name) for param in info.params]


@pytest.mark.clause("000.interface.2", "001.interface.2", "003.interface.2", "004.interface.2", "004.interface.4")
@pytest.mark.parametrize("name", SIGNATURES)
def test_prototype(name: str) -> None:
    assert prototype(OPERATORS[name]) == [declared(parameter) for parameter in SIGNATURES[name]]


@pytest.mark.parametrize("name", SIGNATURES)
def test_what_is_const_is_const(name: str) -> None:
    for param, real in zip(OPERATORS[name].params, SIGNATURES[name], strict=True):
        assert c_type(param).startswith("const") or not (real.startswith("const") and PARAM_TYPES[param.type].pointer)


@pytest.mark.clause("000.example.2", "001.example.2", "004.example.2")
def test_headers() -> None:
    headers = {name: info.header for name, info in OPERATORS.items()}
    assert headers["aclnnAvgPool2dBackward"] == "aclnn_avgpool2d_backward.h"
    assert headers["aclnnPreluBackward"] == "aclnn_prelu_backward.h"
    assert headers["aclnnBatchNormReduceBackward"] == "aclnn_batch_norm_backward_reduce.h"
