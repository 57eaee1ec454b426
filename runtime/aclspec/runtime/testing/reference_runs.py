"""Runs random calls and compares their outputs with the reference that the spec names.

An output is held to the tolerance of its spec: ``(factor + sqrt(terms) / 8)`` roundings of the sum of its terms, and
one of its own. Where the reference states the dtypes that an output goes through, its inputs are rounded to them first,
only the rounding of sums is left, and what is written has to be a number of the last of them.

Not compared are elements whose reference has no finite value (a division by zero, a kink), those beyond half the
range of a dtype on the way, which may overflow in a sum, integers beyond 2**53, which float64 does not tell apart,
those below zero where one is unsigned, those that a rounding to integers may take either way in FLOAT, and complex
tensors. NaN and infinities in inputs are the business of `Numbers.check_special`. Calls are those of document mode: the
library lets tensors pass that do not fit together, and what is computed does not depend on the mode.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.errors import AclnnError
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.rules.bounds import Bounds, bounds_of
from aclspec.runtime.rules.interpreter import Environment, evaluate_node, undefined_by
from aclspec.runtime.rules.operator_info import OperatorInfo
from aclspec.runtime.tensors.tensor import Scalar, Tensor, leaves
from aclspec.runtime.testing import data
from aclspec.runtime.testing.amount import amount
from aclspec.runtime.testing.expected import arguments, expected_precision
from aclspec.runtime.testing.magnitude import Array
from aclspec.runtime.testing.random_calls import Call, RandomCalls
from aclspec.runtime.testing.references import Asked, expected, forward_call
from aclspec.runtime.testing.suite import Suite, Target
from aclspec.runtime.testing.tolerance import Wanted, judge, number_info, off, relative, rounded

CALLS = amount(50, 200, 2000)
GET_TORCH = "pip install torch"
"""What the reason of a skipped check ends with, and its summary."""
_ATTEMPTS = 20_000
_SPREAD = ((0, 1), (-2, 3), (-4, 5))
"""By which powers of two the random numbers of a style are multiplied, from one up to but not including another."""
_SHARE = 0.3
"""Of the elements, how many have to be compared; a logarithm has no answer for those below zero."""
_COMPLEX = (DType.COMPLEX32, DType.COMPLEX64, DType.COMPLEX128)


@dataclass
class Compared:
    """How much a run has compared: calls, elements, elements left out, and the dtypes that calls computed with."""

    calls: int = 0
    elements: int = 0
    left_out: int = 0
    dtypes: frozenset[str] = frozenset()


class Prepared(NamedTuple):
    """A call with numbers, and what its outputs should be by name: each of its tensors, one where it is no list."""

    values: Call
    target: Target
    wanted: dict[str, list[Wanted]]


class References:
    """Random calls of one operator against its reference."""

    def __init__(self, operator: Operator, suite: Suite, seed: int = 0) -> None:
        """Begin with the valid calls of a suite."""
        self.operator, self.info, self.suite = operator, operator.info, replace(suite, info=operator.info)
        assert self.info.compute.reference is not None, f"The spec of {self.info.name} names no reference."
        self.reference = self.info.compute.reference
        self.seed = zlib.crc32(f"{operator.name} {seed}".encode())
        self.roundings = {one.param: one for one in self.reference.rounding}
        self.tolerances = {one.param: one for one in self.info.compute.tolerance}

    def check(self, count: int = CALLS) -> Compared:
        """Make a number of calls and compare each; AssertionError for the first output that is off.

        Where the spec says of every output why it has no reference, the calls are made, and nothing is compared.
        The test that asks is skipped where the reference needs PyTorch, and there is none.
        """
        if self.needs_torch:
            import pytest

            why = f"The independent check of {self.info.name} asks PyTorch, which is not installed: {GET_TORCH}"
            pytest.importorskip("torch", reason=why).set_num_threads(1)
        compared = Compared()
        for call, target in self.calls(count):
            self.compare(call, target, compared)
        share = compared.elements / max(1, compared.elements + compared.left_out)
        assert share > _SHARE or not self.reference.outputs, f"Next to nothing was compared: {compared}."
        return compared

    @property
    def needs_torch(self) -> bool:
        """Whether a function of PyTorch is asked."""
        is_gradient = self.reference.kind == "gradient"
        reference = self._find(self.reference.target).compute.reference if is_gradient else self.reference
        return reference is not None and reference.kind == "torch"

    def calls(self, count: int) -> Iterator[tuple[Call, Target]]:
        """A number of accepted calls of tensors without data, that the reference covers."""
        given = [arguments(self.info, self.suite.call(case)) for case in self.suite.valid]
        targets = [target for target in self.suite.targets if target.mode == "document"] or self.suite.targets
        walk = RandomCalls(self.operator, given, targets, self.seed, self._complete)
        for call, target in walk.take(_ATTEMPTS):
            if count == 0:
                return
            if self._is_answered(call, target):
                count -= 1
                yield call, target

    def _is_answered(self, call: Call, target: Target) -> bool:
        """Whether a call computes, with numbers that there are, and what it computes is defined."""
        verdict = self.operator.check(target.product, target.mode == "library", *map(_held, call.values()))
        if verdict is not None or any(one.dtype in _COMPLEX for value in call.values() for one in leaves(value)):
            return False
        found = bounds_of(self.info, call, target.product)
        if not all(data.is_possible(bounds) for _, tensor, bounds in found if tensor.numel):
            return False
        is_partial = any(rule.outcome == "undefined" for rule in self.info.rules)
        return not (is_partial and undefined_by(self.info, call, target.product, target.mode))

    def _operator(self, module: str) -> Operator:
        package = self.operator.module.rpartition(".")[0]
        operator: Operator = import_module(f"{package}.{module}").OPERATOR
        return operator

    def _find(self, module: str) -> OperatorInfo:
        return self._operator(module).info

    def _complete(self, call: Call, target: Target) -> Call | None:
        """Give each upstream gradient, and what is saved, the shape that the forward operator's output has."""
        if self.reference.kind != "gradient":
            return call
        forward = self._operator(self.reference.target)
        asked = Asked(self.info, call, _shapes(call), target.product, target.mode)
        try:
            given = forward_call(asked, forward.info).values
            inferred = forward.inferred([given[param.name] for param in forward.inputs])
        except (ArithmeticError, IndexError, LookupError, TypeError, ValueError):
            return None
        outputs = dict(zip((param.name for param in forward.outputs), inferred, strict=True))
        for name, own in (*self.reference.upstream, *((one, own) for own, one in self.reference.saved)):
            described, before = outputs.get(name), call[own]
            if not isinstance(described, Tensor) or min(described.shape, default=0) < 0:
                return None
            dtype, layout = (described.dtype, described.format) if before is None else (before.dtype, before.format)
            call[own] = Tensor(described.shape, dtype, layout if described.rank == before.rank else described.format)
        return call

    def compare(self, call: Call, target: Target, compared: Compared) -> None:
        """Fill a call with numbers, make it, and compare each output."""
        with _told(self.operator, call, target):
            self.run(self.prepare(call, target), compared)

    def prepare(self, call: Call, target: Target) -> Prepared:
        """A call with numbers in its inputs, in any layout that is accepted, and what its outputs should be."""
        # the numbers of a call stay the same whatever the class of a target is called
        seed = f"Cell(product={target.product!r}, mode={target.mode!r}) {call}"
        random = np.random.default_rng([self.seed, zlib.crc32(seed.encode())])
        bounds = {name: found for name, _, found in bounds_of(self.info, call, target.product)}
        style, saved = int(random.integers(5)), [own for own, _ in self.reference.saved]

        def with_numbers(dense: bool) -> Call:
            values = dict(call)
            for param in self.info.params:
                if param.direction != "out" and param.name not in saved:
                    fill = partial(filled, random=random, style=style, dense=dense or not param.noncontiguous)
                    values[param.name] = _each_named(param.name, call[param.name], bounds, fill)
            return values

        values = with_numbers(dense=False)
        if self.operator.check(target.product, target.mode == "library", *values.values()) is not None:
            values = with_numbers(dense=True)  # a rule of the operator refuses the strides
        wanted = {
            name: self._wanted(name, values, target) for name, _ in self.reference.outputs if call[name] is not None
        }
        return Prepared(values, target, wanted)

    def run(self, prepared: Prepared, compared: Compared) -> None:
        """Make a call and compare its outputs; none is made where the forward operator refuses what is saved."""
        outputs = self.outputs(prepared)
        if outputs is None:
            return
        compared.calls += 1
        compared.dtypes |= {one.dtype.name for value in prepared.values.values() for one in leaves(value)}
        for name, tensor, wanted in outputs:
            _hold(name, tensor.array, wanted, compared)

    def outputs(self, prepared: Prepared) -> list[tuple[str, Tensor, Wanted]] | None:
        """The outputs of a call with what each should be; None where the forward operator refuses what is saved."""
        values = self._with_saved(prepared.values, prepared.target)
        return None if values is None else list(beside(self._call(values, prepared.target), prepared.wanted))

    def _with_saved(self, values: Call, target: Target) -> Call | None:
        """The inputs with those that the forward operator computes; None where it refuses to."""
        if not self.reference.saved:
            return values
        forward = self._operator(self.reference.target)
        asked = Asked(self.info, values, _shapes(values), target.product, target.mode)
        given = forward_call(asked, forward.info).values
        try:
            result = forward.call([given[param.name] for param in forward.inputs], target.product, target.mode, "numpy")
        except AclnnError:
            return None
        outputs = dict(zip((param.name for param in forward.outputs), result, strict=True))
        saved = {own: Tensor.from_array(outputs[name].array, values[own].format) for own, name in self.reference.saved}
        return {**values, **saved}

    def _call(self, values: Call, target: Target) -> dict[str, Any]:
        return computed(self.operator, values, target.product, target.mode)

    def _wanted(self, name: str, values: Call, target: Target) -> list[Wanted]:
        """What each tensor of an output should be, and how near to it the tolerance and the dtypes let it be."""
        tolerance, rounding = self.tolerances[name], self.roundings.get(name)
        env = Environment(self.info, values, target.product, target.mode)
        roles = replace(env, variables=expected_precision(env) or {})
        dtypes = {} if rounding is None else {key: DType[evaluate_node(node, roles)] for key, node in rounding.inputs}
        unit = DType[evaluate_node(tolerance.unit if rounding is None else rounding.sums, roles)]
        last = () if rounding is None or rounding.result is None else (DType[evaluate_node(rounding.result, roles)],)
        arrays = {key: _wide(value, dtypes.get(key)) for key, value in values.items() if any(leaves(value))}
        scalars = {key: _cast(values[key], dtype) for key, dtype in dtypes.items() if isinstance(values[key], Scalar)}
        exact = expected(Asked(self.info, values | scalars, arrays, target.product, target.mode), self._find)[name]
        terms = max(0, evaluate_node(tolerance.terms, env))
        bound = relative(tolerance.factor, terms, unit)
        return [Wanted(one, bound, (unit, *last)) for one in (exact if isinstance(exact, list) else [exact])]


def computed(
    operator: Operator,
    values: Call,
    product: str,
    mode: str,
    backend: str = "numpy",
    compute: str | None = None,
    out: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The outputs of a call by name, in new memory where none is given."""
    names = [param.name for param in operator.outputs]
    if out is None:
        out = {name: data.blanked(values[name]) for name in names if values[name] is not None}
    inputs = [values[param.name] for param in operator.inputs]
    return dict(zip(names, operator.call(inputs, product, mode, backend, compute, out=out), strict=True))


def beside(found: Mapping[str, Any], wanted: Mapping[str, list[Wanted]]) -> Iterator[tuple[str, Tensor, Wanted]]:
    """The tensors of outputs, each with its name and what it should be."""
    for name, each in wanted.items():
        if found[name] is not None:
            tensors = list(data.named_tensors({name: found[name]}))
            assert len(tensors) == len(each), f"{name} has {len(tensors)} tensors, its reference {len(each)}."
            yield from ((label, tensor, one) for (label, tensor), one in zip(tensors, each, strict=True))


def _hold(name: str, found: Array, wanted: Wanted, compared: Compared) -> None:
    """Compare an output with what it should be."""
    exact, _, through = wanted
    assert found.shape == exact.shape, f"{name} has another shape {found.shape} than its reference {exact.shape}."
    judged = judge(found, wanted)
    wide, known, own = judged.wide, judged.known, DType.of(found.dtype)
    agreed = known | (np.isnan(exact.value) & np.isnan(wide))  # outside a domain both have no number
    compared.elements += int(agreed.sum())
    compared.left_out += int((~agreed).sum())
    assert not judged.wrong.any(), off(judged.furthest(name))
    if len(through) > 1:
        kept = rounded(rounded(wide, through[-1]), own)
        assert (kept == wide)[known].all(), f"{name} has elements that are no numbers of {through[-1].name}."


@contextmanager
def _told(operator: Operator, call: Call, target: Target) -> Iterator[None]:
    """Add the call to an exception that passes through."""
    try:
        yield
    except Exception as error:
        words = ", ".join(f"{name}={value}" for name, value in call.items())
        error.add_note(f"{operator.name} on {target.product} in {target.mode} mode, with random numbers: {words}")
        raise


def _each_named(name: str, value: Any, bounds: Mapping[str, Bounds], fill: Callable[..., Any]) -> Any:
    """The value, each tensor filled within the bounds of its name."""
    if isinstance(value, tuple):
        return tuple(_each_named(f"{name}[{at}]", one, bounds, fill) for at, one in enumerate(value))
    return fill(value, bounds=bounds.get(name))


def _shapes(call: Mapping[str, Any]) -> dict[str, Any]:
    """The arrays of a call, or zeros where its tensors have no data."""
    return {name: each_array(value) for name, value in call.items() if any(leaves(value))}


def each_array(value: Any) -> Any:
    """The array of a tensor, or zeros of its shape; of a list, a list."""
    if isinstance(value, tuple):
        return [each_array(one) for one in value]
    return value.array if value.has_data else np.broadcast_to(np.zeros(()), value.shape)


def filled(tensor: Any, random: np.random.Generator, style: int, bounds: Bounds | None, dense: bool = False) -> Any:
    """A tensor of random numbers in a random layout: any numbers, with zeros among them, small integers, or ties.

    ``dense``: in row-major order, whatever the dice say. Ties lie in the middle between two numbers of BF16, of FLOAT16
    or of HFLOAT32. A scalar is the number that its dtype holds.
    """
    if not isinstance(tensor, Tensor):
        return _held(tensor)
    kind = tensor.dtype.numpy
    assert kind is not None
    shape = tensor.shape
    if bounds is not None or kind.kind == "b":
        within = bounds or Bounds(0, None)
        values: Any = data.filled(tensor, str(random.integers(1 << 30)), within).array
    elif not tensor.dtype.is_floating:
        values = _integers(random, style, tensor.dtype, shape)
    elif style == 3:
        values = random.integers(-3, 4, shape)
    elif style == 4:
        bits = random.choice((8, 11, 12))
        values = random.choice((-1, 1), shape) * (2 * random.integers(2 ** (bits - 1), 2**bits, shape) + 1) / 2**bits
    else:
        values = random.standard_normal(shape) * np.exp2(random.integers(*_SPREAD[style], shape))
        values = np.where(random.random(shape) < 0.1, 0, values)
    plain = Tensor(shape, tensor.dtype, tensor.format, data=np.asarray(values).astype(kind))
    layout = random.integers(4)
    return plain if dense or layout > 1 else (data.strided, data.shifted)[int(layout)](plain)


def _integers(random: np.random.Generator, style: int, dtype: DType, shape: tuple[int, ...]) -> Array:
    """Integers of a dtype: small ones above zero, small ones of any sign, or such as FLOAT cannot hold."""
    info = number_info(dtype)
    far = min(1 << 26, int(info.max) // 4)  # float64 has every product of two of them
    low, high = {3: (-3, 3), 4: (-far, far)}.get(style, (1, 4))
    return random.integers(max(low, int(info.min)), high, shape, endpoint=True)


def _held(value: Any) -> Any:
    """A scalar as the number that its dtype holds, as in a program in C."""
    return _cast(value, value.dtype) if isinstance(value, Scalar) else value


def _cast(value: Scalar, dtype: DType) -> Scalar:
    """A scalar cast to a dtype as C casts it: integers wrap, the rest is rounded; a complex dtype holds any number."""
    if dtype in _COMPLEX:
        return value
    return Scalar(np.asarray(value.value).astype(dtype.numpy).item(), dtype)


def _wide(value: Any, dtype: DType | None) -> Any:
    """The elements in float64, of integers as they are; cast to a dtype first if one is given; of a list, a list."""
    if isinstance(value, tuple):
        return [_wide(one, dtype) for one in value]
    if not value.has_data:
        return np.zeros(value.shape)
    if not value.dtype.is_floating:
        if dtype is None or dtype in _COMPLEX:
            return value.array
        return rounded(value.array.astype(np.float64), dtype) if dtype.is_floating else value.array.astype(dtype.numpy)
    wide = value.array.astype(np.float64)
    return wide if dtype is None else rounded(wide, dtype)
