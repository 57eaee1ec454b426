"""The functions of PyTorch that specs name: they exist, and lead to the operators of the specs that name them."""

from __future__ import annotations

from functools import reduce

import pytest

from aclspec import ops
from aclspec.runtime.api.torch_names import operators_of


def test_every_name_of_a_spec_leads_to_its_operator() -> None:
    told = {(name, one) for name, found in ops.CATALOG.torch().items() for one in found}
    stated = {(name, info.name) for info in (ops.get(one).info for one in ops.names()) for name in info.torch}
    assert told == stated
    assert len(stated) > 1000


def test_a_variant_has_names_of_its_own() -> None:
    assert "aten::add" in ops.get("add").info.torch
    assert "aten::add" not in ops.get("inplace_add").info.torch
    assert "aten::add_" in ops.get("inplace_add").info.torch


def test_every_function_is_one_of_pytorch() -> None:
    torch = pytest.importorskip("torch")
    homes = {"torch": torch, "Tensor": torch.Tensor}
    lacking = []
    for name in ops.CATALOG.torch():
        head, _, rest = name.replace("aten::", "torch.ops.aten.").partition(".")
        if head == "torch_npu":
            continue  # the package for Ascend is not here
        try:
            reduce(getattr, rest.split("."), homes[head])
        except AttributeError:
            lacking.append(name)
    assert not lacking


def test_a_function_without_its_module_is_found_in_the_first_that_has_it() -> None:
    assert operators_of("gelu", ["aclspec.ops"]) == operators_of("torch.nn.functional.gelu", ["aclspec.ops"])
    assert operators_of("made.up", ["aclspec.ops"]) == ()
    assert operators_of("softmax", ["aclspec.runtime"]) == ()  # a package without a table
