"""Registration with torch.library: a schema, what computes it, and what traces it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from importlib import import_module
from typing import Any

import torch
from torch.library import Library, define, register_fake, register_kernel

from aclspec.runtime.abi.parameters import bind
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.torch_library.tracing import traced
from aclspec.runtime.torch_library.values import argument, result, tensors_of

NAMESPACE = "aclnn"
_made: Any = Library  # a call that torch states no types of, checked with torch installed and without
_library = _made(NAMESPACE, "FRAGMENT")
_packages: dict[str, str] = {}
"""The package of each operator that is registered."""


class Implementation:
    """An operator as torch calls it; its module is imported at its first call."""

    def __init__(self, package: str, name: str) -> None:
        """The operator of this name in a generated package."""
        self._package, self._name = package, name

    @cached_property
    def operator(self) -> Operator:
        """The operator itself."""
        found: Operator = import_module(self._package).get(self._name)
        return found

    def compute(self, *given: Any) -> Any:
        """What the operator computes: its outputs that are no inputs; the others are written in place."""
        values = self._bound(given)
        written = {
            param.name: value
            for param, value in zip(self.operator.inputs, values, strict=True)
            if param.is_output and value is not None
        }
        outputs = self.operator.call([argument(value) for value in values], out=written or None)
        for tensor in tensors_of(written.values()):
            if not tensor.is_inference():
                torch.autograd.graph.increment_version(tensor)
        return self._returned(map(result, outputs))

    def trace(self, *given: Any) -> Any:
        """What the outputs are, from the inputs without their data; AclnnError for a call that is refused."""
        return self._returned(traced(self.operator, self._bound(given)))

    def _bound(self, given: tuple[Any, ...]) -> list[Any]:
        """The values of all inputs: torch leaves out those at the end that have their defaults."""
        bound = bind(self.operator.inputs, given, {}, self.operator.name)
        params = zip(self.operator.inputs, bound, strict=True)
        return [param.value_when_left_out if value is None else value for param, value in params]

    def _returned(self, outputs: Iterable[Any]) -> Any:
        """The outputs that a schema returns."""
        params = zip(self.operator.outputs, outputs, strict=True)
        found = tuple(value for param, value in params if not param.is_input)
        return found[0] if len(found) == 1 else found or None


def register(package: str, schemas: Iterable[str]) -> None:
    """Register operators of a generated package; those that it has registered already stay as they are."""
    named = {schema.partition("(")[0]: schema for schema in schemas}
    for name in named:
        if _packages.get(name, package) != package:
            raise ValueError(f"The operator {NAMESPACE}::{name} of {package} is already one of {_packages[name]}.")
    for name, schema in named.items():
        if name not in _packages:
            implementation, full = Implementation(package, name), f"{NAMESPACE}::{name}"
            define(full, schema.removeprefix(name), lib=_library, tags=(torch.Tag.pt2_compliant_tag,))
            register_kernel(full, None, implementation.compute, lib=_library)  # and no compiler looks into it
            register_fake(full, implementation.trace, lib=_library)
            _packages[name] = package
