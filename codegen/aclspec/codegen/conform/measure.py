"""The numbers of a call on a backend against the reference of the spec, and their error in units of the last place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import inf, prod
from typing import Any, NamedTuple

import numpy as np

from aclspec.codegen.conform.calls import Call
from aclspec.runtime.abi.dtypes import DType, unit_roundoff
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.rules.interpreter import Environment, evaluate_node
from aclspec.runtime.search.changes import renumbered
from aclspec.runtime.tensors.layout import is_negative
from aclspec.runtime.tensors.tensor import Tensor, each_leaf, leaves
from aclspec.runtime.testing.random_calls import RandomCalls, retyped
from aclspec.runtime.testing.reference_runs import References, computed
from aclspec.runtime.testing.suite import Suite, Target
from aclspec.runtime.testing.tolerance import Judged, Wanted, judge, off, tiny

EDGES = (0.0, 0.5, *(2.0**power for power in range(12)))
"""The upper ends of the bins of errors, in units of the last place; one more bin holds what is beyond."""
BINS = len(EDGES) + 1
LARGEST = 1 << 24
"""Elements of all tensors of a call that is computed, at most."""
MOST_TERMS = 1 << 27
"""Terms of the sums of a call that NumPy computes, at most: what takes longer is not to be taken for a hang."""


class Measurement(NamedTuple):
    """What was seen of the outputs of one call: what is wrong with them, and how far they are off."""

    wrong: str | None
    elements: int
    worst: float
    histogram: tuple[int, ...]


NOTHING = Measurement(None, 0, 0.0, ())


class Measured(References):
    """The calls of one operator on a backend against its reference."""

    def __init__(self, operator: Operator, suite: Suite, seed: int, backend: str, by_kernel: bool) -> None:
        """Begin with the valid calls of a suite; ``by_kernel``: the backend computes by the kernels in NumPy."""
        super().__init__(operator, suite, seed)
        self.backend, self.by_kernel = backend, by_kernel

    def is_compared(self, call: Call, product: str) -> bool:
        """Whether a call computes, is small enough, and its reference says something about it."""
        tensors = [one for value in call.values() for one in leaves(value)]
        fits = all(one.dtype.numpy is not None and not is_negative(one.shape) for one in tensors)
        small = fits and sum(prod(one.storage_shape) for one in tensors) <= LARGEST
        if not small or (self.by_kernel and self._terms(call, product) > MOST_TERMS):
            return False
        return self._is_answered(call, Target(product, "document"))

    def _terms(self, call: Call, product: str) -> int:
        """How many terms the sums of all elements have, by the tolerances of the spec."""
        env = Environment(self.info, call, product, "library")
        found = 0
        for one in self.info.compute.tolerance:
            terms = evaluate_node(one.terms, env)
            if isinstance(terms, int):
                found += terms * sum(prod(tensor.shape) for tensor in leaves(call[one.param]))
        return found

    def measure(self, call: Call, product: str, histogram: bool) -> Measurement:
        """Fill a call with numbers, make it, and measure its outputs."""
        target = Target(product, "document")
        outputs = self.outputs(self.prepare(call, target))
        if outputs is None:
            return NOTHING
        parts = [_measured(name, tensor, wanted, histogram) for name, tensor, wanted in outputs]
        counts = np.sum([part.histogram for part in parts if part.histogram] or [()], axis=0)
        return Measurement(
            next((part.wrong for part in parts if part.wrong), None),
            sum(part.elements for part in parts),
            max((part.worst for part in parts), default=0.0),
            tuple(int(one) for one in counts),
        )

    def _call(self, values: Call, target: Target) -> dict[str, Any]:
        """The outputs that the backend computes, in library mode."""
        return computed(self.operator, values, target.product, "library", self.backend)


def _measured(name: str, tensor: Tensor, wanted: Wanted, histogram: bool) -> Measurement:
    found, exact = tensor.array, wanted.shaped(tensor.array)
    if exact is None:
        return Measurement(f"{name} has the shape {found.shape}, its reference {wanted.exact.shape}.", 0, inf, ())
    judged = judge(found, exact)
    counted, wrong = int(judged.known.sum()), int(judged.wrong.sum())
    sentence = f"{off(judged.furthest(name))} {wrong} of {found.size} elements are wrong." if wrong else None
    if not tensor.dtype.is_floating:
        return Measurement(sentence, counted, 0.0, ())
    ulps = _ulps(judged, tensor.dtype)
    worst = float(ulps.max()) if ulps.size else 0.0
    counts = np.bincount(np.searchsorted(EDGES, ulps), minlength=BINS) if histogram else ()
    return Measurement(sentence, counted, worst, tuple(int(one) for one in counts))


def _ulps(judged: Judged, dtype: DType) -> Any:
    """The errors of the compared elements, in the distance of numbers of the dtype at the exact value."""
    known = judged.known
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(np.abs(judged.exact[known]))
        spacing = np.maximum(np.ldexp(2 * unit_roundoff(dtype), exponent - 1), tiny(dtype))
        errors = judged.error[known] / spacing
        return np.where(np.isnan(errors), inf, errors)


def random_calls(
    operator: Operator, suite: Suite, target: Target, seed: int, count: int, scale: int = 1
) -> Iterator[Call]:
    """A number of accepted calls by the generator of the tests; fewer where it finds no more."""
    if operator.info.compute.reference is None:
        from aclspec.runtime.testing.expected import arguments

        given = [arguments(operator.info, suite.call(case)) for case in suite.valid]
        walk = RandomCalls(operator, given, [target], seed, lambda call, target: call)
    else:
        walk = Walk(operator, suite, seed).walk(target, seed)
    for call, _ in walk.take(count):
        yield call if scale == 1 else enlarged(operator, call, target, scale)


class Walk(References):
    """The random calls that a reference can be asked about: gradients fit what they are gradients of."""

    def walk(self, target: Target, seed: int) -> RandomCalls:
        """The walk through one product and mode."""
        from aclspec.runtime.testing.expected import arguments

        given = [arguments(self.info, self.suite.call(case)) for case in self.suite.valid]
        return RandomCalls(self.operator, given, [target], seed, self._complete)


def enlarged(operator: Operator, call: Call, target: Target, scale: int) -> Call:
    """The call with one of its sizes multiplied by ``scale`` in all tensors, where that is accepted; else itself."""
    sizes = sorted({size for value in call.values() for one in leaves(value) for size in one.shape if size > 1})
    for size in reversed(sizes):
        made = resized(operator, call, size, size * scale)
        if made is not None and accepted(operator, made, target):
            return made
    return call


def resized(operator: Operator, call: Call, old: int, new: int) -> Call | None:
    """The call with another size instead of one wherever it stands, its outputs as they follow from its inputs."""
    return followed(operator, call, mapped(call, partial(with_size, old=old, new=new)))


def mapped(call: Call, function: Callable[[Tensor], Tensor]) -> Call:
    """The call with a function of each tensor."""

    def changed(value: Any) -> Any:
        return each_leaf(lambda one: function(one) if isinstance(one, Tensor) else one, value)

    return {name: changed(value) for name, value in call.items()}


def with_size(tensor: Tensor, old: int, new: int) -> Tensor:
    """The tensor with another size instead of one."""
    return retyped(tensor, renumbered(tensor.shape, old, new)) if old in tensor.shape else tensor


def followed(operator: Operator, before: Call, call: Call) -> Call | None:
    """The call with outputs that follow from its inputs, in their old dtype and format; None where nothing follows."""
    try:
        found = operator.inferred([call[param.name] for param in operator.inputs])
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return None
    made = dict(call)
    for param, one in zip(operator.outputs, found, strict=True):
        old = before[param.name]
        if not param.is_input and isinstance(one, Tensor) and isinstance(old, Tensor):
            if is_negative(one.shape):
                return None
            kept = old.format if one.rank == old.rank else one.format
            made[param.name] = Tensor(one.shape, old.dtype, kept)
    return made


def accepted(operator: Operator, call: Call, target: Target) -> bool:
    """Whether the rules let a call pass."""
    verdict = operator.check(target.product, target.mode == "library", *call.values())
    return verdict is None or verdict.effect is not None
