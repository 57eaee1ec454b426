"""Runs the cases of a suite: what the test functions of a generated file call.

A failure is told with a line that can be pasted into a shell to see the call explained.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from aclspec.runtime.errors import AclnnError
from aclspec.runtime.info import Mode
from aclspec.runtime.messages import last_error
from aclspec.runtime.operator import Operator
from aclspec.runtime.predicate.interp import Environment, evaluate_node
from aclspec.runtime.status import Status
from aclspec.runtime.testing import data
from aclspec.runtime.testing.expected import described, expected_output, expected_precision, named
from aclspec.runtime.testing.reproduce import one_line
from aclspec.runtime.testing.suite import Case, Cell, Outcome, Suite


class Runner:
    """The cases of one operator, with the operator that they are about; ``backend`` is passed on to every call."""

    def __init__(self, suite: Suite, operator: Operator, backend: str | None = None) -> None:
        """Run this suite on this operator."""
        self.suite = suite
        self.operator = operator
        self.backend = backend

    def cells(self, group: str) -> list[Any]:
        """A pytest parameter a case and cell where its rule decides, with the id ``<case>-<product>-<mode>``."""
        import pytest

        return [
            pytest.param(case, cell, id=f"{case.id}-{cell.product}-{cell.mode}")
            for case in self.suite.groups[group]
            for cell, outcome in self.suite.outcomes(case).items()
            if any(case.id.startswith(f"{rule}-") for rule in outcome.failing[:1])
        ]

    def cases(self, group: str) -> list[Any]:
        """A pytest parameter a case."""
        import pytest

        return [pytest.param(case, id=case.id) for case in self.suite.groups[group]]

    def refused(self) -> list[Any]:
        """A pytest parameter a product and mode that the operator does not list."""
        import pytest

        outcomes = {cell: Outcome.parse(text) for cell, text in self.suite.refused.items()}
        return [
            pytest.param(cell, outcome, id=f"{outcome.failing[0]}-{cell.product}-{cell.mode}")
            for cell, outcome in outcomes.items()
        ]

    def check_violation(self, case: Case, cell: Cell) -> None:
        """The call is refused by every way of calling, with the expected status and rules, and writes nothing."""
        outcome = self.suite.outcomes(case)[cell]
        with one_line(self, case, cell):
            self._phase_one(case, cell, outcome)
            self._explained(case, cell, outcome)
            self._raised(case, cell, outcome)

    def check_statuses(self, cell: Cell) -> int:
        """Phase one gives the expected outcome for every case of the suite in a cell; how many there are."""
        checked = 0
        for case in (case for cases in self.suite.groups.values() for case in cases):
            outcome = self.suite.outcomes(case).get(cell)
            if outcome is not None:
                self.check_status(case, cell, outcome)
                checked += 1
        return checked

    def check_status(self, case: Case, cell: Cell, outcome: Outcome) -> None:
        """Phase one gives an outcome for a case in a cell."""
        with one_line(self, case, cell):
            self._phase_one(case, cell, outcome)

    def check_everywhere(self, case: Case) -> None:
        """Phase one gives the expected outcome in every cell; one cell of each outcome is also explained."""
        explained: set[Outcome] = set()
        for cell, outcome in self.suite.outcomes(case).items():
            with one_line(self, case, cell):
                self._phase_one(case, cell, outcome)
                if outcome not in explained:
                    explained.add(outcome)
                    self._explained(case, cell, outcome)

    def check_unlisted(self, cell: Cell, outcome: Outcome) -> None:
        """Valid calls, violations and boundaries alike are refused by the product rule, and by it alone."""
        for case in (self.suite.valid[0], *self.suite.violations[:3], *self.suite.boundaries[:1]):
            with one_line(self, case, cell):
                self._phase_one(case, cell, outcome)
                self._explained(case, cell, outcome)
        with one_line(self, self.suite.valid[0], cell):
            self._raised(self.suite.valid[0], cell, outcome)

    def check_precision(self) -> None:
        """`precision` gives what the interpreter gives, for every call that computes."""
        for case in self.suite.valid:
            values = data.arguments(self.operator, self.suite.call(case))
            for cell, outcome in self.suite.outcomes(case).items():
                if outcome.status == 0 and outcome.shortcut is None:
                    with one_line(self, case, cell):
                        found = self.operator.precision(cell.product, *values.values())
                        env = Environment(self.operator.info, values, cell.product, cell.mode)
                        assert named(found) == expected_precision(env)

    def check_inferred(self) -> None:
        """`infer` gives what the interpreter gives, on the inputs of every call of the suite."""
        info = self.operator.info
        asked: dict[str, Case] = {}
        for case in (case for cases in self.suite.groups.values() for case in cases):
            call = self.suite.call(case)
            asked.setdefault(repr([call[param.name] for param in self.operator.inputs]), case)
        for case in asked.values():
            cell = next(iter(self.suite.outcomes(case)))
            with one_line(self, case, cell):
                values = data.arguments(self.operator, self.suite.call(case))
                found = self.operator.infer(*[values[param.name] for param in self.operator.inputs])
                env = Environment(info, values, cell.product, cell.mode)
                for output, one in zip(self.operator.outputs, found, strict=True):
                    assert described(one, output) == expected_output(env, output.name), output.name

    def _phase_one(self, case: Case, cell: Cell, outcome: Outcome) -> None:
        """Status, workspace, executor and the recorded error of the C-shaped first phase."""
        last_error()
        values = data.arguments(self.operator, self.suite.call(case))
        status, workspace, executor = self.operator.get_workspace_size(
            *values.values(), product=cell.product, conformance=cell.mode, backend=self.backend
        )
        message = last_error()
        assert int(status) == outcome.status, message
        if outcome.failing:
            assert (workspace, executor) == (0, None)
            assert message is not None
            self._check_told(message, self.full(outcome.failing[0]))
            return
        assert message is None
        assert executor is not None
        assert workspace == 0 or outcome.shortcut is None

    def _check_told(self, message: str, rule: str) -> None:
        """The recorded error names the rule: it begins with it, or a library behind the backend says it."""
        if self.backend is None:
            assert message.startswith(f"{rule}:"), message
        else:
            assert f"rule {rule} " in message or message.startswith(f"{rule}:"), message

    def _explained(self, case: Case, cell: Cell, outcome: Outcome) -> None:
        """`explain` gives the same status, the same failing rules in the same order, and the same shortcut."""
        values = data.arguments(self.operator, self.suite.call(case))
        keywords: dict[str, Any] = {"product": cell.product, "conformance": cell.mode}
        verdict = self.operator.explain(**values, **keywords)[cell.product]
        assert [one.rule for one in verdict.violations] == [self.full(rule) for rule in outcome.failing]
        assert int(verdict.status) == outcome.status
        assert verdict.shortcut == (outcome.shortcut and self.full(outcome.shortcut))
        assert all(one.sentence for one in verdict.violations)

    def _raised(self, case: Case, cell: Cell, outcome: Outcome) -> None:
        """The Python function raises the error, and the outputs that it was given stay as they were."""
        values = data.arguments(self.operator, self.suite.call(case))
        if self.cannot_be_left_out(values, cell):
            return
        given = {
            param.name: data.blanked(values[param.name]) if data.all_held(values[param.name]) else values[param.name]
            for param in self.operator.outputs
            if not param.is_input
        }
        before = self.memory(given)
        error = self._error(values, cell, given)
        assert error is not None, "The function computes, although the call is to be refused."
        assert (int(error.status), error.rule) == (outcome.status, self.full(outcome.failing[0])), error
        violations: Iterable[Any] = error.violations
        assert [one.rule for one in violations] == [self.full(rule) for rule in outcome.failing]
        assert self.memory(given) == before, "The refused call writes to an output."

    def _error(self, values: dict[str, Any], cell: Cell, given: dict[str, Any]) -> AclnnError | None:
        """What the Python function raises."""
        inputs = [values[param.name] for param in self.operator.inputs]
        keywords = {"product": cell.product, "conformance": cell.mode, "backend": self.backend}
        try:
            self.operator.call(inputs, **keywords, out=given or None)
        except AclnnError as error:
            return error
        return None

    def cannot_be_left_out(self, values: dict[str, Any], cell: Cell) -> bool:
        """Whether a required output is null: a Python caller who gives none has it allocated instead."""
        env = Environment(self.operator.info, values, cell.product, cell.mode)
        return any(
            values[param.name] is None
            and param.is_output
            and (param.required is None or evaluate_node(param.required, env) is True)
            for param in self.operator.info.params
        )

    @staticmethod
    def memory(given: dict[str, Any]) -> dict[str, bytes]:
        """The bytes of the outputs that have data."""
        return {name: data.storage(one) for name, one in data.named_tensors(given) if one.has_data}

    def full(self, rule: str) -> str:
        """The full id of a rule."""
        return f"{self.operator.name}.{rule}"


def passing(suite: Suite, modes: tuple[Mode, ...] = ("document", "library")) -> Iterator[tuple[Case, Cell]]:
    """The valid cases with the products on which they compute; one mode does, since numbers do not depend on it."""
    for case in suite.valid:
        done: set[str] = set()
        for cell, outcome in suite.outcomes(case).items():
            if outcome.status == int(Status.ACLNN_SUCCESS) and cell.mode in modes and cell.product not in done:
                done.add(cell.product)
                yield case, cell
