"""One call on a backend against the spec: what the spec expects, and the row of results."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from typing import Any, NamedTuple

from aclspec.codegen.conform.calls import Call, Piece, Settings, call_id, held, read_call, size_of, text_of
from aclspec.codegen.conform.cases import suite_of
from aclspec.codegen.conform.measure import NOTHING, Measured, Measurement, random_calls
from aclspec.codegen.conform.operators import find, register
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.errors import AclnnError, last_error
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.rules.interpreter import undefined_by
from aclspec.runtime.simulator.device import SIMULATOR, backend_of
from aclspec.runtime.tensors.tensor import Scalar
from aclspec.runtime.testing.suite import Target

AGREE, SKIPPED = "agree", "skipped"
ENDED = ("crash", "hang", "leak")
"""Outcomes of a call that its process does not outlive, or should not."""


class Planned(NamedTuple):
    """A call and what the spec expects of it; ``skip`` says why it is not made."""

    id: str
    text: str
    rule: str
    expected: int
    size: int
    skip: str = ""


class Answer(NamedTuple):
    """The outcome of a call."""

    outcome: str
    actual: int | None = None
    detail: str = ""
    measured: Measurement = NOTHING
    seconds: float = 0.0


class Judge:
    """Makes calls on the backend of some settings."""

    def __init__(self, settings: Settings) -> None:
        """Find the backend; a simulator becomes the product that is asked for."""
        self.settings = settings
        self.backend = "numpy" if settings.backend == "numpy" else "npu"
        for package in settings.packages:
            register(package)
        self._is_simulator = settings.backend == SIMULATOR
        self._read: dict[str, Call] = {}
        """The calls of the piece that was planned last, by id."""

    def planned(self, piece: Piece) -> list[Planned]:
        """The calls of a piece, with the expectations of the spec; nothing of the backend is asked."""
        operator, found = find(piece.operator), []
        self._read = {}
        for text, call in self._calls(operator, piece):
            one = self._planned(operator, piece, text, call)
            self._read[one.id] = call
            found.append(one)
        return found

    def _calls(self, operator: Operator, piece: Piece) -> Iterator[tuple[str, Call]]:
        yield from ((text, read_call(operator.info, text)) for text in piece.calls)
        if piece.random:
            target = Target(piece.product, "library" if self.settings.forbidden else "document")
            found = random_calls(operator, suite_of(operator), target, piece.seed, piece.random, piece.scale)
            yield from ((text_of(call), call) for call in map(held, found))

    def _planned(self, operator: Operator, piece: Piece, text: str, call: Call) -> Planned:
        verdict = operator.check(piece.product, True, *call.values())
        skip = "" if self._can_be_given(call) else "C cannot be given it"
        if not skip and not self.settings.forbidden:
            skip = _left_out(operator, piece.product, call, verdict)
        rule = "" if verdict is None else verdict.rule.rpartition(".")[2]
        expected = 0 if verdict is None else verdict.library
        return Planned(call_id(piece, self.settings, text), text, rule, expected, size_of(call), skip)

    def _can_be_given(self, call: Call) -> bool:
        """Whether C can be given the call: an aclScalar has no dtype below a byte, nor one that NumPy lacks."""
        if self.backend == "numpy":
            return True
        scalars = (one for value in call.values() for one in (value if isinstance(value, tuple) else (value,)))
        dtypes = {one.dtype for one in scalars if isinstance(one, Scalar)}
        return all(one.numpy is not None and one is not DType.INT4 for one in dtypes)

    def answer(self, piece: Piece, planned: Planned) -> Answer:
        """Make one call."""
        if planned.skip:
            return Answer(SKIPPED, None, planned.skip)
        operator = find(piece.operator)
        backend_of(self.settings.backend, piece.product)
        call = self._read[planned.id]
        begin = time.perf_counter()
        try:
            found = self._made(operator, piece, planned, call)
        except Exception as error:  # whatever it is, it is this call's
            found = Answer("error", None, f"{type(error).__name__}: {error}")
        return found._replace(seconds=time.perf_counter() - begin)

    def _made(self, operator: Operator, piece: Piece, planned: Planned, call: Call) -> Answer:
        last_error()
        status, _, executor = operator.get_workspace_size(
            *call.values(), product=piece.product, conformance="library", backend=self.backend
        )
        if executor is not None:
            executor.destroy()
        actual, expected = int(status), planned.expected
        if actual != expected:
            outcome = "refused" if expected == 0 else "accepted" if actual == 0 else "status"
            return Answer(outcome, actual, last_error() or "")
        if self.settings.mode == "status" or expected or planned.rule:
            return Answer(AGREE, actual)
        return self._computed(operator, piece, call)

    def _computed(self, operator: Operator, piece: Piece, call: Call) -> Answer:
        """The outputs of a call that is accepted, where the spec says what they should be."""
        by_kernel = self._is_simulator or self.backend == "numpy"
        measured = _measured(operator.name, piece.seed, self.backend, by_kernel)
        if measured is None or not measured.is_compared(call, piece.product):
            return Answer(AGREE, 0)
        try:
            found = measured.measure(call, piece.product, self.settings.mode == "accuracy")
        except AclnnError as error:
            return Answer("execution", int(error.status), str(error))
        return Answer("values" if found.wrong else AGREE, 0, found.wrong or "", found)


def _left_out(operator: Operator, product: str, call: Call, verdict: Any) -> str:
    """Why a call that library mode lets pass is not made without being asked for; empty where it is."""
    if verdict is not None and verdict.effect is None:
        return ""
    document = operator.check(product, False, *call.values())
    if document is not None and document.effect is None:
        return f"only the document forbids it ({document.rule})"
    if any(rule.outcome == "undefined" for rule in operator.info.rules):
        broken = undefined_by(operator.info, call, product, "library")
        return f"its outcome is undefined ({broken[0]})" if broken else ""
    return ""


@lru_cache(maxsize=8)
def _measured(name: str, seed: int, backend: str, by_kernel: bool) -> Measured | None:
    """The reference of an operator; None where it has none, or one of PyTorch, which is not there."""
    operator = find(name)
    if operator.info.compute.reference is None:
        return None
    found = Measured(operator, suite_of(operator), seed, backend, by_kernel)
    if found.needs_torch:
        try:
            import_module("torch").set_num_threads(1)
        except ImportError:
            return None
    return found
