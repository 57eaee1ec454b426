"""Runs recorded calls again, on recorded or random data, and holds outputs to the operator's tolerance."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.errors import AclnnError
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.replay.arguments import NotKnown
from aclspec.runtime.replay.datafiles import NoData, blanks, random_inputs, recorded, stored
from aclspec.runtime.replay.expecting import Expected, furthest
from aclspec.runtime.replay.judging import Judge
from aclspec.runtime.replay.recording import Data, RecordedCall, Recording
from aclspec.runtime.replay.sentences import say
from aclspec.runtime.rules.interpreter import undefined_by
from aclspec.runtime.simulator.device import backend_of
from aclspec.runtime.tensors.tensor import leaves
from aclspec.runtime.testing.reference_runs import beside, computed
from aclspec.runtime.testing.tolerance import Error, Wanted

Verdict = Literal["agrees", "differs", "failed", "not run"]
Source = Literal["recorded", "random", ""]
_COMPLEX = (DType.COMPLEX32, DType.COMPLEX64, DType.COMPLEX128)


@dataclass(frozen=True, slots=True)
class Run:
    """One call that was run again: ``worst`` is the output that is furthest off, ``note`` whose, or why not run."""

    operator: str
    call: str
    data: Source
    verdict: Verdict
    worst: Error | None = None
    seconds: float = 0.0
    note: str = ""


class Runner:
    """Runs calls on one backend."""

    def __init__(self, judge: Judge, backend: str) -> None:
        """On this backend: numpy, npu, or simulator, which has to be this process's device already."""
        self.judge, self.backend = judge, backend
        self._expected: dict[str, Expected] = {}

    def runs(self, call: RecordedCall) -> Iterator[Run]:
        """A call on each of its recorded data, or once on random data."""
        yield from (self._run(call, data) for data in call.data)
        if not call.data:
            yield self._run(call, None)

    def _run(self, call: RecordedCall, data: Data | None) -> Run:
        text = self.judge.text(call)
        source: Source = "random" if data is None else "recorded"

        def run(verdict: Verdict, worst: Error | None = None, seconds: float = 0.0, note: str = "") -> Run:
            return Run(call.operator, text, source if verdict != "not run" else "", verdict, worst, seconds, note)

        try:
            operator, values = self._prepared(call, data)
            found, seconds = self._computed(operator, values, call.product)
            errors = list(self._errors(operator, values, call, data, found))
        except (NotKnown, NoData) as error:
            return run("not run", note=error.sentence(self.judge.lang))
        except (AclnnError, ArithmeticError, LookupError, TypeError, ValueError, MemoryError) as error:
            return run("failed", note=str(error).partition("\n")[0])
        key, far = max(errors, key=lambda one: one[1].ratio, default=("", None))
        if far is not None and far.ratio > 1:
            return run("differs", far, seconds, self._told(key, far))
        return run("agrees", far, seconds, "" if data is not None else self._missing(call))

    def _told(self, key: str, far: Error) -> str:
        """Whose element is off, and by how much."""
        values = {"output": far.output, "found": far.found, "expected": far.expected}
        return say(key, self.judge.lang, backend=self.backend, **values)

    def _missing(self, call: RecordedCall) -> str:
        """Why a call that ran on random data has none of its own; empty where none was asked for."""
        why = next(iter(call.missing), None)
        return "" if why is None else NoData("all missing", why=why).sentence(self.judge.lang)

    def _prepared(self, call: RecordedCall, data: Data | None) -> tuple[Operator, dict[str, Any]]:
        """The operator and the values with data; NoData for a call that cannot be run."""
        operator = self.judge.operator(call.operator)
        if operator is None or not operator.has_kernel:
            raise NoData("no kernel")
        if not operator.has_rules:
            raise NoData("no spec")
        values = self.judge.values(call)
        verdict = operator.check(call.product, True, *values.values())
        if verdict is not None and verdict.status(library=True):
            raise NoData("refused", rule=verdict.rule)
        tensors = [one for value in values.values() for one in leaves(value)]
        if any(one.dtype in _COMPLEX for one in tensors):
            raise NoData("complex")
        if undefined_by(operator.info, values, call.product, "library"):
            raise NoData("undefined")
        if data is not None:
            return operator, recorded(operator.info, values, data.inputs)
        filled = random_inputs(operator.info, values, call.product, call.operator)
        return operator, self._expectation(operator).saved(filled, call.product)

    def _computed(self, operator: Operator, values: Mapping[str, Any], product: str) -> tuple[dict[str, Any], float]:
        """The outputs by name, and how long the call took."""
        out, backend = blanks(operator.info, values), backend_of(self.backend, product)
        started = time.perf_counter()
        found = computed(operator, dict(values), product, "library", backend, out=out)
        return found, time.perf_counter() - started

    def _errors(
        self,
        operator: Operator,
        values: Mapping[str, Any],
        call: RecordedCall,
        data: Data | None,
        found: Mapping[str, Any],
    ) -> Iterator[tuple[str, Error]]:
        """How far each output is off: the one computed now, and the recorded one; with whose it is."""
        partial = {param.name for param in operator.info.params if param.partial}
        expected = self._expectation(operator).of(values, call.product)
        wanted = {name: each for name, each in expected.items() if name not in partial and found[name] is not None}
        yield from (("computed", furthest(name, tensor.array, one)) for name, tensor, one in beside(found, wanted))
        if data is None:
            return
        for name, each in wanted.items():
            shapes = [one.shape for one in leaves(found[name])]
            arrays = stored(name, self.judge.values(call)[name], data.outputs)
            yield from (("as recorded", error) for error in _recorded_errors(name, arrays, each, shapes))

    def _expectation(self, operator: Operator) -> Expected:
        if operator.name not in self._expected:
            self._expected[operator.name] = Expected(operator)
        return self._expected[operator.name]


def _recorded_errors(name: str, arrays: Any, expected: list[Wanted], shapes: list[tuple[int, ...]]) -> Iterator[Error]:
    """The recorded outputs; of one whose length depends on the data, as many rows as were computed."""
    listed = arrays if isinstance(arrays, tuple) else (arrays,)
    for at, (array, one, shape) in enumerate(zip(listed, expected, shapes, strict=True)):
        label = f"{name}[{at}]" if isinstance(arrays, tuple) else name
        yield furthest(label, array[: shape[0]] if shape else array, one)


def run_again(
    recording: Recording, judge: Judge, backend: str, tell: Callable[[str], None] = lambda part: None
) -> list[Run]:
    """Run the calls of a recording that worked, each of its data or once on random data."""
    runner, found = Runner(judge, backend), list[Run]()
    for at, call in enumerate(recording.calls):
        tell(f"run {at + 1} of {len(recording.calls)}: {call.operator}")
        if call.failed < call.count:
            found += runner.runs(call)
    return found
