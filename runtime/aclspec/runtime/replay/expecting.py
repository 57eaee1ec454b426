"""What the outputs of a call should be, and how far others are from it in units of the operator's tolerance.

Where the spec names a reference, the outputs are held to it as the tests hold them: ``(factor + sqrt(terms) / 8)``
roundings of the sum of the terms, and a rounding to each dtype on the way. Where it names none, or PyTorch is missing,
they are held to the exact answer of the kernel, with the largest element of an output for the size of its terms.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib.util import find_spec
from math import inf, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.replay.datafiles import blanks
from aclspec.runtime.rules.interpreter import Environment, evaluate_node
from aclspec.runtime.tensors.tensor import leaves
from aclspec.runtime.testing.expected import expected_precision
from aclspec.runtime.testing.magnitude import WithMagnitude
from aclspec.runtime.testing.reference_runs import References, computed
from aclspec.runtime.testing.suite import Suite, Target
from aclspec.runtime.testing.tolerance import Error, Wanted, judge, relative

REFERENCED = 1 << 16
"""Elements of a call that a reference is asked about; a difference quotient takes a call for each."""
QUOTIENTS = 1 << 9


class Expected(References):
    """The expectations of the calls of one operator."""

    def __init__(self, operator: Operator) -> None:
        """Of this operator, which has rules and a kernel."""
        self.is_referenced = operator.info.compute.reference is not None
        if self.is_referenced:
            super().__init__(operator, Suite(operator.name, {}, {}, (), ()))
            self.is_referenced = not self.needs_torch or find_spec("torch") is not None
        self.operator, self.info = operator, operator.info
        self.tolerances = {one.param: one for one in self.info.compute.tolerance}

    def saved(self, values: dict[str, Any], product: str) -> dict[str, Any]:
        """The inputs with those that the forward operator computes in their place."""
        if self.is_referenced and self.reference.saved:
            return self._with_saved(values, Target(product, "document")) or values
        return values

    def of(self, values: Mapping[str, Any], product: str) -> dict[str, list[Wanted]]:
        """What each output should be, by name; a list has one for each of its tensors."""
        elements = sum(prod(one.shape) for value in values.values() for one in leaves(value))
        most = QUOTIENTS if self.is_referenced and self.reference.kind == "gradient" else REFERENCED
        if self.is_referenced and elements <= most:
            target = Target(product, "document")
            names = [name for name, _ in self.reference.outputs if values[name] is not None]
            return {name: self._wanted(name, dict(values), target) for name in names}
        return self._exact(values, product)

    def _exact(self, values: Mapping[str, Any], product: str) -> dict[str, list[Wanted]]:
        """The exact answers of the kernel; the dtypes on the way are those of its precision."""
        out = blanks(self.info, values)
        result = computed(self.operator, dict(values), product, "library", compute="exact", out=out)
        env = Environment(self.info, values, product, "library")
        roles = replace(env, variables=expected_precision(env) or {})
        found = {}
        for name, value in result.items():
            tolerance = self.tolerances.get(name)
            if value is None or tolerance is None:
                continue
            unit = DType[evaluate_node(tolerance.unit, roles)]
            terms = max(0, evaluate_node(tolerance.terms, env))
            bound = relative(tolerance.factor, terms, unit)
            found[name] = [Wanted(_as_large(one.array), bound, (unit,)) for one in leaves(value)]
        return found


def _as_large(exact: NDArray[Any]) -> WithMagnitude:
    """The exact values, each with the size of the largest."""
    values = exact.astype(np.float64)
    finite = np.abs(values[np.isfinite(values)])
    return WithMagnitude(values, np.full(values.shape, finite.max() if finite.size else 0.0))


def furthest(name: str, found: NDArray[Any], wanted: Wanted) -> Error:
    """The element that is furthest off; a ratio of at most one is within the tolerance, infinity another shape."""
    shaped = wanted.shaped(found)
    return Error(name, inf, (), inf, inf) if shaped is None else judge(found, shaped).furthest(name)
