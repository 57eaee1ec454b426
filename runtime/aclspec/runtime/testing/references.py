"""What the outputs of a call should be, by the reference of its spec: in float64, by code that no kernel shares.

A formula is evaluated on arrays that know the size of their terms (`sized`). A function of PyTorch has none, so that
the size of its terms is what it gives for absolute values; that holds for sums of products. An output whose shape
depends on the data holds elements that are chosen or counted, each of one term. A gradient is that of the forward
operator's reference: by autograd of PyTorch's function, or by central difference quotients of a formula.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np

from aclspec.runtime.rules.interpreter import Environment
from aclspec.runtime.rules.operator_info import Mode, OperatorInfo, ReferenceInfo
from aclspec.runtime.tensors.tensor import Scalar, Tensor
from aclspec.runtime.testing.expected import expected_precision
from aclspec.runtime.testing.formula import evaluate_formula, parse_formula
from aclspec.runtime.testing.magnitude import FUNCTIONS, SHAPES, TORCH_NAMES, Array, WithMagnitude, along

Arrays: TypeAlias = Mapping[str, Any]
"""The tensors of a call by name, floating-point ones in float64; of a list, a list."""
Find: TypeAlias = Callable[[str], OperatorInfo]
"""Finds the spec of an operator by its module."""
_STEP = 2.0**-10
_ALIKE = 2.0**-16
_NOISE = 2.0**-29
"""The rounding of a forward output in DOUBLE, as a part of one in FLOAT."""


@dataclass(frozen=True)
class Asked:
    """A call that a reference is asked about: ``values`` are its arguments, ``arrays`` what its tensors hold."""

    info: OperatorInfo
    values: Mapping[str, Any]
    arrays: Arrays
    product: str
    mode: Mode

    @property
    def reference(self) -> ReferenceInfo:
        """The reference of the operator."""
        found = self.info.compute.reference
        assert found is not None, f"The spec of {self.info.name} names no reference."
        return found

    def lookup(self, wrapped: Mapping[str, Any]) -> Callable[[str], Any]:
        """What the names of a formula stand for: tensors as ``wrapped``, other arguments, lets and settings."""
        env = Environment(self.info, self.values, self.product, self.mode)
        settings = expected_precision(env) or {}

        def find(name: str) -> Any:
            if name == "null":
                return None
            if name in wrapped:
                return wrapped[name]
            known = self.values if name in self.values else settings
            return _plain(known[name] if name in known else env.lookup(name))

        return find

    def absolute(self, *names: str) -> Asked:
        """The same call of the absolute values of some tensors, or of all tensors and floating-point scalars."""
        chosen = names or tuple(self.arrays)
        arrays = {name: _each(np.abs, self.arrays[name]) for name in chosen if name in self.arrays}
        scalars = {} if names else {name: _positive(value) for name, value in self.values.items()}
        return replace(self, values={**self.values, **scalars}, arrays={**self.arrays, **arrays})


def expected(asked: Asked, find: Find) -> dict[str, Any]:
    """What each output should be, with the size of its terms; NaN where the reference has no answer.

    An output is a `WithMagnitude`, and one that is a list of tensors a list of them.
    """
    with np.errstate(all="ignore"):
        match asked.reference.kind:
            case "formula":
                return _formulas(asked)
            case "torch":
                exact, large = _torch(asked), _torch(asked.absolute())
                dependent = {param.name for param in asked.info.params if param.data_dependent}
                return {
                    name: WithMagnitude(value, abs(value)) if name in dependent else _sized(value, large[name])
                    for name, value in exact.items()
                }
            case "gradient":
                return _gradient(asked, find)


def _plain(value: Any) -> Any:
    """A scalar as its number, and a list of scalars as one of numbers; anything else as it is."""
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return value.value if isinstance(value, Scalar) else value


def _each(function: Callable[[Any], Any], value: Any) -> Any:
    return [function(item) for item in value] if isinstance(value, list) else function(value)


def _positive(value: Any) -> Any:
    """The absolute value of a floating-point scalar; anything else as it is, as an integer may be an axis."""
    is_floating = isinstance(value, Scalar) and value.dtype.is_floating
    return Scalar(abs(value.value), value.dtype) if is_floating else value


def _sized(value: Any, large: Any) -> Any:
    """Values with the size of their terms, which those of absolute values tell; of lists, a list."""
    if isinstance(value, list):
        return [_sized(one, other) for one, other in zip(value, large, strict=True)]
    return WithMagnitude(value, np.maximum(abs(value), abs(large)))


def _formulas(asked: Asked) -> dict[str, Any]:
    lookup = asked.lookup({name: _each(WithMagnitude.of, array) for name, array in asked.arrays.items()})
    texts = asked.reference.outputs
    found = {name: evaluate_formula(parse_formula(text), lookup, FUNCTIONS) for name, text in texts}
    lists = {param.name for param in asked.info.params if param.type == "tensor_list"}
    of = WithMagnitude.of
    return {name: [*map(of, one)] if name in lists else of(one) for name, one in found.items()}


def _tensors(arrays: Arrays) -> dict[str, Any]:
    import torch

    def tensor(array: Array) -> Any:
        """The array, unsigned integers as signed ones: PyTorch has few functions of those above 8 bits."""
        widened = array.dtype.kind == "u" and array.itemsize > 1
        return torch.tensor(np.asarray(array, np.int64 if widened else None, order="C"))

    return {name: _each(tensor, one) for name, one in arrays.items()}


def _torch(asked: Asked) -> dict[str, Any]:
    found = _torch_outputs(asked, _tensors(asked.arrays))
    as_lists = {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()}
    return {name: _each(lambda one: one.detach().numpy(), value) for name, value in as_lists.items()}


def _torch_outputs(asked: Asked, tensors: Mapping[str, Any]) -> dict[str, Any]:
    """The outputs by PyTorch, as tensors of PyTorch."""
    reference, functions = asked.reference, torch_functions()
    lookup = asked.lookup(tensors)
    module, *path = reference.target.split(".")
    function: Any = import_module(module)
    for name in path:
        function = getattr(function, name)
    words = {name: evaluate_formula(parse_formula(text), lookup, functions) for name, text in reference.arguments}
    result = function(**words)
    names = {**tensors, "result": result}
    lookup = asked.lookup(names)
    return {name: evaluate_formula(parse_formula(text), lookup, functions) for name, text in reference.outputs}


def torch_functions() -> dict[str, Callable[..., Any]]:
    """The functions that arrange the arguments and the results of PyTorch's."""
    import torch

    def pad(x: Any, begin: Sequence[int], end: Sequence[int]) -> Any:
        sides = [side for pair in zip(reversed(begin), reversed(end), strict=True) for side in pair]
        return torch.nn.functional.pad(x, sides)

    def crop(x: Any, begin: Sequence[int], end: Sequence[int]) -> Any:
        return pad(x, [-one for one in begin], [-one for one in end])

    arranging: dict[str, Callable[..., Any]] = {
        "along": along,
        "broadcast_to": torch.broadcast_to,
        "crop": crop,
        "pad": pad,
        "reshape": torch.reshape,
        "transpose": torch.permute,
        "zeros": lambda shape: torch.zeros(shape, dtype=torch.float64),
    }
    assert set(arranging) == set(TORCH_NAMES)
    return {**SHAPES, **arranging}


def _gradient(asked: Asked, find: Find) -> dict[str, WithMagnitude]:
    """The sum of each upstream gradient times the derivative of its forward output."""
    reference, upstream = asked.reference, [name for _, name in asked.reference.upstream]
    forward = find(reference.target)
    assert forward.compute.reference is not None, f"The spec of {forward.name} names no reference."
    if forward.compute.reference.kind == "formula":
        return _quotients(asked, forward_call(asked, forward))
    gradients = []
    for one in (asked, asked.absolute(*upstream), asked.absolute()):
        gradients.append(_autograd(one, forward_call(one, forward)))
    exact = gradients[0]
    sizes = {name: np.maximum.reduce([abs(found[name]) for found in gradients]) for name in exact}
    return {name: WithMagnitude(value, sizes[name]) for name, value in exact.items()}


def forward_call(asked: Asked, forward: OperatorInfo) -> Asked:
    """The call of the forward operator: its inputs as ``arguments`` give them, else those of the same name."""
    named = dict(asked.reference.arguments)
    lookup = asked.lookup({name: _each(WithMagnitude.of, array) for name, array in asked.arrays.items()})
    values: dict[str, Any] = {}
    arrays: dict[str, Any] = {}
    for param in forward.params:
        if param.direction == "out":
            continue
        text = named.get(param.name, param.name)
        found = asked.values.get(text)
        if text not in asked.values and param.name in named:
            found = evaluate_formula(parse_formula(text), lookup, FUNCTIONS)
        if isinstance(found, WithMagnitude):
            arrays[param.name] = found.value
            found = Tensor.from_array(found.value)
        elif isinstance(found, Tensor):
            arrays[param.name] = asked.arrays[text]
        values[param.name] = tuple(found) if isinstance(found, list) else found
    return Asked(forward, values, arrays, asked.product, asked.mode)


def _autograd(asked: Asked, forward: Asked) -> dict[str, Array]:
    import torch

    tensors = _tensors(forward.arrays)
    leaves = [tensors[name].requires_grad_() for _, name in asked.reference.outputs]
    found = _torch_outputs(forward, tensors)
    given = [torch.tensor(np.array(asked.arrays[name], order="C")) for _, name in asked.reference.upstream]
    results = [found[name] for name, _ in asked.reference.upstream]
    weights = [one.broadcast_to(y.shape) for one, y in zip(given, results, strict=True)]
    gradients = torch.autograd.grad(results, leaves, weights, allow_unused=True, materialize_grads=True)
    names = (name for name, _ in asked.reference.outputs)
    return {name: gradient.numpy() for name, gradient in zip(names, gradients, strict=True)}


def _quotients(asked: Asked, forward: Asked) -> dict[str, WithMagnitude]:
    """Central difference quotients, element by element; NaN where those of two steps or sides differ, as at a kink.

    Those of two steps together are exact but for the fourth power of the step. A gradient counts by how much rounding
    its input moves it too, and by the rounding of the outputs whose difference is taken.
    """
    found = {}
    weights = np.concatenate([np.ravel(asked.arrays[own]) for _, own in asked.reference.upstream])
    for name, param in asked.reference.outputs:
        at = forward.arrays[param]
        value, size = np.empty(at.shape), np.empty(at.shape)
        for place in np.ndindex(at.shape):
            here = abs(float(at[place]))
            step = _STEP * max(1.0, here)
            moves = (-step, -step / 2, 0.0, step / 2, step)
            low, lower, middle, higher, high = (_moved(asked, forward, param, place, by) for by in moves)
            left, right = (middle - low) / step, (high - middle) / step
            near, far = (higher - lower) / step, (high - low) / (2 * step)
            is_smooth = np.allclose(near, far, _ALIKE, _ALIKE) and np.allclose(left, right, 16 * _STEP, 16 * _STEP)
            slopes = weights * (4 * near - far) / 3
            value[place] = slopes.sum() if is_smooth else np.nan
            moved, noise = here * np.abs(weights * (right - left)).sum(), _NOISE * np.abs(weights * middle).sum()
            size[place] = np.abs(slopes).sum() + (moved + noise) / step
        found[name] = WithMagnitude(value, size)
    return found


def _moved(asked: Asked, forward: Asked, param: str, place: tuple[int, ...], by: float) -> Array:
    """The forward outputs, one after the other, with one element of an input moved."""
    moved = np.array(forward.arrays[param], np.float64)
    moved[place] += by
    outputs = _formulas(replace(forward, arrays={**forward.arrays, param: moved}))
    return np.concatenate([np.ravel(outputs[name].value) for name, _ in asked.reference.upstream])
