"""Runs the valid cases on data: what must hold of the numbers without knowing what they should be.

The same values give the same bits in any memory layout, through every entry point, on every run. A call writes its
outputs only, and of these only the requested ones. A reference backend states the bits that another one must give.

A call that a rule of outcome ``undefined`` names may be refused for want of a kernel instead, with its outputs as they
were.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from aclspec.runtime.abi.errors import AclnnError
from aclspec.runtime.abi.status import Status
from aclspec.runtime.rules.bounds import Bounds, bounds_of
from aclspec.runtime.rules.interpreter import evaluate, undefined_by
from aclspec.runtime.tensors.tensor import Tensor, leaves
from aclspec.runtime.testing import data
from aclspec.runtime.testing.data import bits_of, is_blank, kinds, with_specials, zeroed
from aclspec.runtime.testing.expected import arguments
from aclspec.runtime.testing.runner import Runner, memory, one_line, passing
from aclspec.runtime.testing.suite import Case, Target

_LAYOUTS: Mapping[str, Callable[[Tensor], Tensor]] = {"strided": data.strided, "offset": data.shifted}
Arguments = dict[str, Any]
_BETWEEN = "The call writes between elements."


class Numbers:
    """The runs on data of one suite."""

    def __init__(self, runner: Runner, reference: Numbers | None = None) -> None:
        """Run the cases of this runner's suite; ``reference`` says which bits to expect, and is this by default."""
        self.runner = runner
        self.reference = reference or self
        self.operator = runner.operator

    def computing(self, cases: Iterable[Case] | None = None) -> list[tuple[Case, Target]]:
        """Each valid case, or each of these, with a product of every arithmetic that it has."""
        found: dict[tuple[str, str], tuple[Case, Target]] = {}
        for case, target in passing(self.runner.suite, cases=cases):
            if self._is_held(case):
                found.setdefault((case.id, self._arithmetic(case, target)), (case, target))
        return list(found.values())

    def _arithmetic(self, case: Case, target: Target) -> str:
        """All that a kernel learns of the product, which decides the numbers: what is equal here gives equal bits."""
        shortcut = self.runner.suite.outcomes(case)[target].shortcut
        if shortcut is not None:
            return shortcut
        values = arguments(self.operator.info, self.runner.suite.call(case))
        return repr(self.operator.precision(target.product, *values.values()))

    def special(self) -> list[tuple[Case, Target]]:
        """For each dtype of the inputs and arithmetic the first case that computes with it."""
        found: dict[tuple[str, ...], tuple[Case, Target]] = {}
        for case, target in sorted(passing(self.runner.suite), key=self._is_undefined):
            if self._is_held(case) and self.runner.suite.outcomes(case)[target].shortcut is None:
                inputs = self._special_inputs(self._filled(case))
                key = (self._arithmetic(case, target), *(tensor.dtype.name for tensor in inputs.values()))
                if inputs and key not in found:
                    found[key] = case, target
        return list(found.values())

    def examples(self) -> list[tuple[str, Target]]:
        """Each example of the spec on every product on which it is legal."""
        return [
            (example.id, target)
            for example in self.operator.info.examples
            for target in self.runner.suite.targets
            if target.mode == "document" and (not example.products or target.product in example.products)
        ]

    def check_computing(self, case: Case, target: Target) -> None:
        """Every entry point and every layout give the same bits and write nothing else."""
        with one_line(self.runner.operator, self.runner.suite, case, target):
            values = self._filled(case)
            outcome = self.runner.suite.outcomes(case)[target]
            if outcome.shortcut is not None:
                self._check_shortcut(outcome.shortcut, values, target)
                return
            if self._is_refused(case, target, values):
                return
            expected = self.reference._out(self._relaid(values, data.contiguous), target)
            if self._may_be_left_out(values, target) and not self._is_refused(case, target, values, fresh=True):
                self._check_fresh(values, target, expected)
            assert self._out(values, target) == expected, "The views of the case give other bits."
            self._check_output_is_not_read(values, target, expected)
            requested = {name: bits for name, bits in expected.items() if bits is None or values[name] is not None}
            assert self._two_phases(values, target) == requested, "The two phases give other bits."
            for name, moved in self._layouts(values, target):
                assert self._out(moved, target) == expected, f"The {name} tensors give other bits."

    def check_special(self, case: Case, target: Target) -> None:
        """NaN, infinities and negative zero raise no warning, and give the same bits in every layout."""
        with one_line(self.runner.operator, self.runner.suite, case, target):
            values = self._filled(case)
            if self._is_refused(case, target, values):
                return
            for name, special in self._special_inputs(values).items():
                given = self._relaid(values, partial(with_specials, chosen=special))
                expected = self.reference._out(self._relaid(given, data.contiguous), target)
                for _, moved in self._layouts(given, target):
                    assert self._out(moved, target) == expected, name

    def check_example(self, name: str, target: Target) -> None:
        """The outputs of an example are exactly its values."""
        example = next(one for one in self.operator.info.examples if one.id == name)
        inputs = {key: data.example_argument(value) for key, value in example.inputs}
        result = data.as_tensors(self.operator(**inputs, **self._keywords(target)))
        outputs = dict(zip((param.name for param in self.operator.outputs), result, strict=True))
        for key, place, value in example.expected:
            expected = data.example_argument(value).array
            found = (outputs[key] if place is None else outputs[key][place]).array
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found, expected, err_msg=f"{key} of {example.id}")

    def _is_held(self, case: Case) -> bool:
        values = arguments(self.operator.info, self.runner.suite.call(case))
        possible = all(map(data.is_possible, self._bounds(values).values()))
        return possible and all(data.all_held(value) for value in values.values())

    def _is_undefined(self, made: tuple[Case, Target]) -> bool:
        """Whether a rule of outcome ``undefined`` names a call."""
        case, target = made
        if all(rule.outcome != "undefined" for rule in self.operator.info.rules):
            return False
        values = arguments(self.operator.info, self.runner.suite.call(case))
        return bool(undefined_by(self.operator.info, values, target.product, target.mode))

    def _is_refused(self, case: Case, target: Target, values: Arguments, fresh: bool = False) -> bool:
        """Whether a call has no kernel: only an undefined one may have none, and then nothing is written.

        ``fresh``: without outputs, of which those that follow may be others than the data wants.
        """
        if not self._is_undefined((case, target)):
            return False
        given = {} if fresh else self._blank_outputs(values)
        before = memory(given)
        status = Status.ACLNN_SUCCESS
        try:
            self.operator.call(self._inputs(values), **self._keywords(target), out=given or None)
        except AclnnError as error:
            status = error.status
        if status is Status.ACLNN_SUCCESS:
            return False
        assert status is Status.ACLNN_ERR_INNER_FIND_KERNEL_ERROR
        assert memory(given) == before, "A call without a kernel writes to its outputs."
        return True

    def _bounds(self, values: Arguments) -> dict[str, Bounds]:
        """The bounds of the elements of tensors that have some."""
        found = bounds_of(self.operator.info, values, self.runner.suite.targets[0].product)
        return {name: bounds for name, tensor, bounds in found if tensor.numel}

    def _filled(self, case: Case) -> Arguments:
        """The arguments with data: seeded inputs, and outputs full of sentinels."""
        values = arguments(self.operator.info, self.runner.suite.call(case))
        inputs, bounds = {param.name for param in self.operator.inputs}, self._bounds(values)

        def fill(value: Any, name: str) -> Any:
            if isinstance(value, tuple):
                return tuple(fill(item, f"{name}[{at}]") for at, item in enumerate(value))
            if not isinstance(value, Tensor):
                return value
            whole = name.partition("[")[0]
            return data.filled(value, f"{case.id} {name}", bounds.get(name)) if whole in inputs else data.blank(value)

        return {name: fill(value, name) for name, value in values.items()}

    def _layouts(self, values: Arguments, target: Target) -> Iterator[tuple[str, Arguments]]:
        """The arguments in every layout that the rules allow: one may want a tensor to be contiguous."""
        for name, layout in _LAYOUTS.items():
            moved = self._relaid(values, layout)
            if evaluate(self.operator.info, moved, target.product, target.mode).failing is None:
                yield name, moved

    def _relaid(self, values: Arguments, layout: Callable[[Tensor], Tensor]) -> Arguments:
        def move(value: Any) -> Any:
            if isinstance(value, tuple):
                return tuple(map(move, value))
            return layout(value) if isinstance(value, Tensor) else value

        return {name: move(value) for name, value in values.items()}

    def _keywords(self, target: Target) -> dict[str, Any]:
        return {"product": target.product, "conformance": target.mode, "backend": self.runner.backend}

    def _inputs(self, values: Arguments) -> list[Any]:
        return [values[param.name] for param in self.operator.inputs]

    def _input_bytes(self, values: Arguments) -> list[bytes]:
        return [data.storage(tensor) for value in self._inputs(values) for tensor in leaves(value)]

    def _blank_outputs(self, values: Arguments, byte: int | None = None) -> Arguments:
        """Outputs as the call describes them, full of sentinels; an in-place output has the layout of its input."""
        outputs = {param.name: values[param.name] for param in self.operator.outputs}
        return {name: data.blanked(value, byte) for name, value in outputs.items() if value is not None}

    def _check_output_is_not_read(
        self, values: Arguments, target: Target, expected: Mapping[str, bytes | None]
    ) -> None:
        """What was in an output before a call does not show in its result, be it a NaN or a number."""
        found = self._out(values, target, data.SENTINEL)
        for param in self.operator.outputs:
            if not param.partial:
                text = f"{param.name} depends on what was in it before the call."
                assert found[param.name] == expected[param.name], text

    def _out(self, values: Arguments, target: Target, byte: int | None = None) -> dict[str, bytes | None]:
        """The bits that a call writes to ``out``; the same tensors come back, and the inputs stay as they were."""
        given = self._blank_outputs(values, byte)
        before = self._input_bytes(values)
        gaps = {name: data.gaps(tensor) for name, tensor in data.named_tensors(given)}
        result = self.operator.call(self._inputs(values), **self._keywords(target), out=given)
        assert before == self._input_bytes(values)
        assert gaps == {name: data.gaps(tensor) for name, tensor in data.named_tensors(given)}, _BETWEEN
        written: dict[str, bytes | None] = {}
        for param, found in zip(self.operator.outputs, result, strict=True):
            own = given.get(param.name)
            if found is None:
                assert all(is_blank(tensor) for tensor in leaves(own)), f"{param.name} is off, yet written."
            elif own is not None and param.data_dependent:
                assert np.shares_memory(found.array, own.array) or not found.numel, f"{param.name} is no part of out."
            elif own is not None:
                assert found is own
            written[param.name] = None if found is None else bits_of(found)
        return written

    def _may_be_left_out(self, values: Arguments, target: Target) -> bool:
        """Whether the outputs that are inferred are legal too; a product may want others of a call than most do."""
        inputs = iter(self._inputs(values))
        inferred = iter(self.operator.inferred(self._inputs(values)))
        call = [next(inputs) if param.is_input else next(inferred) for param in self.operator.params]
        verdict = self.operator.check(target.product, target.mode == "library", *call)
        return verdict is None or verdict.effect is not None

    def _check_fresh(self, values: Arguments, target: Target, expected: Mapping[str, bytes | None]) -> None:
        """Without ``out`` the outputs are allocated as inferred; where dtypes, shapes and precision agree, bits do."""
        inferred = self.operator.inferred(self._inputs(values))
        fresh = values | {
            param.name: implied
            for param, implied in zip(self.operator.outputs, inferred, strict=True)
            if not param.is_input
        }
        first, second = (self.operator.precision(target.product, *call.values()) for call in (values, fresh))
        for _ in range(2):
            result = data.as_tensors(self.operator.call(self._inputs(values), **self._keywords(target)))
            for param, found, implied in zip(self.operator.outputs, result, inferred, strict=True):
                assert (found is None) == (expected[param.name] is None)
                if found is None:
                    continue
                if param.data_dependent:
                    assert found.dtype is implied.dtype, f"{param.name} has another dtype without out."
                    whole = slice(-1) if param.data_dependent == "last" else slice(1, None)
                    assert found.shape[whole] == implied.shape[whole], f"{param.name} has another shape without out."
                elif implied is not None and not param.is_input:
                    assert kinds(found) == kinds(implied)
                of_given, of_found = (
                    [(one.dtype, () if param.data_dependent else one.shape) for one in leaves(value)]
                    for value in (values[param.name], found)
                )
                if first == second and of_given == of_found:
                    wanted = expected[param.name]
                    if param.partial and wanted is not None:
                        if len(wanted) != len(bits_of(found)):  # what is not asked for may have any shape
                            continue
                        wanted = zeroed(found, wanted)
                    assert bits_of(found) == wanted, f"{param.name} differs without out."

    def _two_phases(self, values: Arguments, target: Target) -> dict[str, bytes | None]:
        """The bits that the two phases write; outputs that are not requested stay untouched."""
        outputs = self._blank_outputs(values)
        given: Arguments = values | outputs
        for param in self.operator.outputs:
            if param.is_input:
                for tensor, source in zip(leaves(given[param.name]), leaves(values[param.name]), strict=True):
                    tensor.array[...] = source.array
        gaps = {name: data.gaps(tensor) for name, tensor in data.named_tensors(outputs)}
        status, size, executor = self.operator.get_workspace_size(*given.values(), **self._keywords(target))
        assert status is Status.ACLNN_SUCCESS
        workspace = np.zeros(size, np.uint8) if size else None
        assert self.operator.execute(workspace, size, executor, None) is Status.ACLNN_SUCCESS
        assert executor is not None
        assert gaps == {name: data.gaps(tensor) for name, tensor in data.named_tensors(outputs)}, _BETWEEN
        inferred = self.operator.inferred(self._inputs(values))
        lengths = iter(executor.lengths or ())
        infos = {param.name: param for param in self.operator.info.params}
        written: dict[str, bytes | None] = {}
        for param, implied in zip(self.operator.outputs, inferred, strict=True):
            value = given[param.name]
            if param.data_dependent and value is not None:
                value = data.first_part(infos[param.name], value, next(lengths, None))
            if (value if param.is_input else implied) is None:
                assert param.is_input or all(is_blank(tensor) for tensor in leaves(value))
                written[param.name] = None
            elif value is not None:  # null is how C leaves out an optional output, which Python infers
                written[param.name] = bits_of(value)
        return written

    def _check_shortcut(self, rule: str, values: Arguments, target: Target) -> None:
        """A shortcut leaves the outputs alone, or fills with zeros those that are on."""
        effect = self.operator.info.rule(rule).effect
        given = self._blank_outputs(values)
        inferred = self.operator.inferred(self._inputs(values))
        before = memory(given)
        self.operator.call(self._inputs(values), **self._keywords(target), out=given)
        for param, implied in zip(self.operator.outputs, inferred, strict=True):
            for name, own in data.named_tensors({param.name: given.get(param.name)}):
                if effect == "zeros" and implied is not None:
                    assert not own.array.view(np.uint8).any() if own.is_contiguous else not own.array.any(), name
                else:
                    assert data.storage(own) == before[name], f"{name} is written by {rule}."

    def _special_inputs(self, values: Arguments) -> dict[str, Tensor]:
        """Floating-point inputs by name; not those that a NaN leaves undefined, or outside their bounds."""
        undefined = {name for rule in self.operator.info.rules if rule.outcome == "undefined" for name in rule.params}
        undefined |= {param.name for param in self.operator.params if param.bounded}
        inputs = {param.name: values[param.name] for param in self.operator.inputs if param.name not in undefined}
        return {name: one for name, one in data.named_tensors(inputs) if one.dtype.is_floating and one.numel}
