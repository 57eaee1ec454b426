"""The plans of an operator: which call has one, and which may be kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from aclspec.runtime.plan_key import Key, Keys, are_own, is_orderly, may_plan, named

if TYPE_CHECKING:
    from aclspec.runtime.operator import Operator

MOST = 256
"""Plans that an operator keeps; the oldest one goes first."""
UNPLANNED: Final[Any] = object()
"""The answer to a call that goes the long way."""


class Plans:
    """The plans of one operator, for calls in one step and for phase one."""

    __slots__ = ("_by_key", "_calls", "_is_on", "_outputs", "_phases")

    def __init__(self, operator: Operator) -> None:
        """Nothing is kept yet."""
        params = operator.params
        self._outputs = operator.outputs
        self._calls, self._phases = Keys(operator.inputs), Keys(params)
        self._is_on = may_plan(params)
        self._by_key: dict[Key, Any] = {}

    def __len__(self) -> int:
        """How many are kept."""
        return len(self._by_key)

    def clear(self) -> None:
        """Let go of all of them."""
        self._by_key.clear()

    def call(self, inputs: Sequence[Any], product: object, conformance: object, backend: object, out: object) -> Any:
        """The result of a call like an earlier one, `UNPLANNED` for another."""
        key: Key | None
        given: Sequence[Any] = ()
        if out is None:
            key = self._calls.key(inputs, product, conformance, backend)
        else:
            key, given = self._calls.key_with(inputs, out, product, conformance, backend) or (None, ())
        try:
            plan = self._by_key.get(key)
        except TypeError:  # something in the key cannot be one; the long way says what
            return UNPLANNED
        if plan is None or (given and not are_own(inputs, given) and not plan.are_apart((*inputs, *given))):
            return UNPLANNED
        try:
            return plan(inputs, given)
        except MemoryError:  # the long way says so in a sentence
            return UNPLANNED

    def phase_one(self, values: Sequence[Any], product: object, conformance: object, backend: object) -> Any:
        """What phase one answers to a call like an earlier one, all parameters in C order; else `UNPLANNED`."""
        try:
            plan = self._by_key.get(self._phases.key(values, product, conformance, backend))
        except TypeError:  # something in the key cannot be one; the long way says what
            return UNPLANNED
        return plan(values) if plan is not None and plan.are_apart(values) else UNPLANNED

    def call_key(
        self,
        inputs: Sequence[Any],
        product: object,
        conformance: object,
        backend: object,
        out: object,
        elsewhere: bool = False,
    ) -> tuple[Key, list[int], Sequence[Any]] | None:
        """The key of a call of which a plan may be kept, and what a plan asks of ``out``: its arrays, and their places.

        ``elsewhere``: arrays that are not on the host may be among them.
        """
        if not self._is_on or not self._calls.may_keep(inputs, elsewhere):
            return None
        if out is None:
            key = self._calls.key(inputs, product, conformance, backend)
            return None if key is None else (key, [-1] * len(self._outputs), ())
        found = self._calls.key_with(inputs, out, product, conformance, backend)
        if found is None or not all(one is None or is_orderly(one, True, elsewhere) for one in found[1]):
            return None
        with_out, given = found
        names, _ = named(out)
        return with_out, [_source(names, given, at, *param[:2]) for at, param in enumerate(self._outputs)], given

    def phase_key(
        self,
        values: Sequence[Any],
        product: object,
        conformance: object,
        backend: object,
        elsewhere: bool = False,
    ) -> Key | None:
        """The key of a phase one of which a plan may be kept; ``elsewhere``: arrays may not be on the host."""
        key = self._phases.key(values, product, conformance, backend) if self._is_on else None
        return key if key is not None and self._phases.may_keep(values, elsewhere) else None

    def keep(self, key: Key, plan: object) -> None:
        """Keep a plan, and let go of the oldest where there are too many."""
        try:
            self._by_key[key] = plan
        except TypeError:  # something in it cannot be a key
            return
        while len(self._by_key) > MOST:
            try:
                self._by_key.pop(next(iter(self._by_key)), None)
            except (StopIteration, RuntimeError):  # another thread is at it
                return


def _source(names: Any, given: Sequence[Any], at: int, name: str, snake: str) -> int:
    """The place of an output among the given arrays; -1 where there is none for it."""
    if isinstance(names, tuple):
        at = next((place for place, one in enumerate(names) if one in (name, snake)), -1)
    return at if 0 <= at < len(given) and given[at] is not None else -1
