"""The functions of PyTorch that an operator's spec names."""

from __future__ import annotations

from collections.abc import Iterable

from aclspec.codegen.spec.project import Operator


def torch_names(operator: Operator) -> list[str]:
    """The functions that the spec lists, and the one that its reference calls."""
    listed: Iterable[str] = getattr(operator.info, "torch", ())
    compute = operator.spec.compute
    reference = None if compute is None or compute.reference is None else compute.reference.torch
    return list(dict.fromkeys([*listed, *([reference] if reference else [])]))
