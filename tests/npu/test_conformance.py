"""The whole generated suite of every operator a second time, through the bridge, with its own checks off.

Every status comes from the library through its C interface, and so does every value where there is a kernel: equal
statuses, equal bits.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.tensors.tensor import Scalar
from aclspec.runtime.testing import Case, Numbers, Outcome, Runner, Target
from aclspec.runtime.testing.expected import arguments
from aclspec.runtime.testing.runner import interpreted
from tests.support.operators import computed, some
from tests.support.simulated import Simulator

HALVES = "weight_quant_batch_matmul_v2"
"""An operator of numbers of four bits, of which the library has two in a byte."""
SUITES = {
    name: Path(__file__).parents[2] / f"generated/tests/test_{name}.py" for name in sorted({*some(20, small=8), HALVES})
}
WITH_NUMBERS = {name: SUITES[name] for name in computed() if name in SUITES}
each = pytest.mark.parametrize("suite", SUITES.values(), ids=list(SUITES))
each_with_numbers = pytest.mark.parametrize("suite", WITH_NUMBERS.values(), ids=list(WITH_NUMBERS))


class Library:
    """A suite, to be run on what the library answers."""

    def __init__(self, path: Path, simulator: Simulator, patch: pytest.MonkeyPatch) -> None:
        spec = importlib.util.spec_from_file_location(f"suite_of_{path.stem}", path)
        assert spec is not None
        assert spec.loader is not None
        self.module: ModuleType = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.module)
        self.simulator, self.patch = simulator, patch
        self.own: Runner = self.module.ITEMS.runner
        self.runner = Runner(self.own.suite, self.own.operator, "npu")
        patch.setenv("ACLSPEC_NPU_CHECKS", "off")

    @property
    def numbers(self) -> Numbers:
        """The cases of an operator that has a kernel."""
        return Numbers(self.runner, self.module.ITEMS.numbers)

    @contextmanager
    def target(self, target: Target) -> Iterator[None]:
        """The device is of the product of a target, and the library of its mode."""
        self.simulator.become(target.product)
        self.patch.setenv("ACLSPEC_CONFORMANCE", target.mode)
        yield

    def can_be_given(self, case: Case) -> bool:
        """Whether C can be given the call: no aclScalar has a dtype of less than a byte, or one that NumPy lacks."""
        values = arguments(self.own.operator.info, self.own.suite.call(case)).values()
        dtypes = {one.dtype for one in values if isinstance(one, Scalar)}
        return all(one.numpy is not None and one is not DType.INT4 for one in dtypes)

    def says_its_outputs(self, case: Case) -> bool:
        """Whether all outputs that are on follow from the inputs; the bridge gives the library no others."""
        info, call = self.own.operator.info, arguments(self.own.operator.info, self.own.suite.call(case))
        found = self.own.operator.inferred([call[param.name] for param in self.own.operator.inputs])
        outputs = [info.param(param.name) for param in self.own.operator.outputs]
        return all(one or param.required for param, one in zip(outputs, found, strict=True) if not param.optional)

    def keeps_in_place(self, case: Case, target: Target) -> bool:
        """Whether a shortcut keeps a tensor of an operator in place; without its checks the bridge brings that back."""
        outcome = interpreted(self.own.suite, self.own.operator, case)[target]
        return outcome.shortcut is not None and any(param.is_input for param in self.own.operator.outputs)


@pytest.fixture
def library(suite: Path, simulator: Simulator, monkeypatch: pytest.MonkeyPatch) -> Library:
    return Library(suite, simulator, monkeypatch)


@each
def test_statuses(library: Library) -> None:
    suite = library.runner.suite
    cases = [case for case in suite.cases if library.can_be_given(case)]
    for target in suite.targets:
        with library.target(target):
            for case in cases:
                outcome = interpreted(suite, library.own.operator, case)[target]
                library.runner.check_status(case, target, outcome)
    assert cases


@each
def test_products_that_are_not_listed(library: Library) -> None:
    for target, text in library.runner.suite.refused.items():
        outcome = Outcome.parse(text)
        with library.target(target):
            for case in (*library.own.suite.valid[:1], *library.own.suite.violations[:3]):
                if library.can_be_given(case):
                    library.runner.check_status(case, target, outcome)


@each_with_numbers
def test_numbers(library: Library) -> None:
    computing = library.numbers.computing()
    for case, target in computing:
        if library.says_its_outputs(case) and not library.keeps_in_place(case, target):
            with library.target(target):
                library.numbers.check_computing(case, target)
    assert computing


@each_with_numbers
def test_nan_and_infinity(library: Library) -> None:
    for case, target in library.numbers.special():
        with library.target(target):
            library.numbers.check_special(case, target)


@each_with_numbers
def test_examples(library: Library) -> None:
    examples = library.numbers.examples()
    for example, target in examples:
        with library.target(target):
            library.numbers.check_example(example, target)
    assert examples
