"""Runs the cases of a suite; a failure comes with a line for the shell that makes the call again and explains it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import numpy as np

from aclspec.runtime.abi.errors import AclnnError, last_error
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.rules.interpreter import Environment, Memory, evaluate, evaluate_node
from aclspec.runtime.rules.levels import NO_KERNEL_STATUS
from aclspec.runtime.rules.operator_info import MODES, Mode
from aclspec.runtime.testing import data
from aclspec.runtime.testing.expected import arguments, described, dtype_names, expected_output, expected_precision
from aclspec.runtime.testing.suite import Case, Cell, Outcome, Suite


@contextmanager
def one_line(operator: Operator, suite: Suite, case: Case, cell: Cell) -> Iterator[None]:
    """Add the shell line to an exception that passes through."""
    try:
        yield
    except Exception as error:
        error.add_note(f"{case.id} on {cell.product} in {cell.mode} mode; to see it again:")
        error.add_note(f"  {command(operator, suite.call(case), cell)}")
        raise


def command(operator: Operator, call: Mapping[str, Any], cell: Cell) -> str:
    """A shell command that makes the call and explains it."""
    values = ", ".join(f"{name}={value!r}" for name, value in call.items())
    code = (
        "from aclspec.runtime.testing import reproduce; "
        f"reproduce({operator.module!r}, {cell.product!r}, {cell.mode!r}, dict({values}))"
    )
    return f'python -c "{code}"'


def reproduce(module: str, product: str, mode: str, call: Mapping[str, Any]) -> None:
    """Print what phase one and `explain` say about a call given as literals."""
    operator: Operator = import_module(module).OPERATOR
    values = arguments(operator.info, call)
    status, workspace, _ = operator.get_workspace_size(*values.values(), product=product, conformance=mode)
    print(f"phase one: {status.name} ({int(status)}), workspace {workspace}")
    print(last_error() or "no error is recorded")
    keywords: dict[str, Any] = {"product": product, "conformance": mode}
    print(operator.explain(**values, **keywords))


def interpreted(suite: Suite, operator: Operator, case: Case) -> dict[Cell, Outcome]:
    """The outcome of a case in every cell: as the case states it, elsewhere as the interpreter gives it."""
    found = suite.outcomes(case)
    values, memory = arguments(operator.info, suite.call(case)), Memory()
    for cell in suite.cells:
        if cell not in found:
            report = evaluate(operator.info, values, cell.product, cell.mode, memory)
            found[cell] = Outcome(int(report.status), report.failing, report.shortcut)
    return found


class Runner:
    """The cases of one operator on a backend, which is passed on to every call."""

    def __init__(self, suite: Suite, operator: Operator, backend: str | None = None) -> None:
        """Run this suite on this operator."""
        self.suite = suite
        self.operator = operator
        self.backend = backend
        self._effects = {self.full(rule.id): rule.effect for rule in operator.info.checks}

    def _outcomes(self, case: Case, mode: Mode | None) -> list[tuple[Cell, Outcome]]:
        """What must come of a case in each cell that it names, or in those of one mode."""
        return [(cell, one) for cell, one in self.suite.outcomes(case).items() if mode in (None, cell.mode)]

    def _deciding(self, case: Case, mode: Mode | None) -> list[tuple[Cell, Outcome]]:
        """Where the rule that a violation is about decides, and the outcome there."""
        found = self._outcomes(case, mode)
        return [(cell, one) for cell, one in found if one.failing and case.id.startswith(f"{one.rule}-")]

    def refused(self) -> list[tuple[Cell, Outcome]]:
        """Each product and mode that the operator does not list, with what comes of any call there."""
        return [(cell, Outcome.parse(text)) for cell, text in self.suite.refused.items()]

    def check_violation(self, case: Case, cell: Cell) -> None:
        """Every entry point refuses the call with the expected status and rule, and writes nothing."""
        outcome = self.suite.outcomes(case)[cell]
        with one_line(self.operator, self.suite, case, cell):
            self._phase_one(case, cell, outcome)
            self._raised(case, cell, outcome, self._explained(case, cell, outcome))

    def check_violations(self, case: Case, mode: Mode | None = None, asked: set[Outcome] | None = None) -> None:
        """The check refuses the call wherever its rule decides; every entry point does in a cell of each outcome.

        The entry points are left out for outcomes in ``asked``, which grows.
        """
        asked = set() if asked is None else asked
        values = arguments(self.operator.info, self.suite.call(case))
        for cell, outcome in self._deciding(case, mode):
            if outcome not in asked:
                asked.add(outcome)
                self.check_violation(case, cell)
            else:
                self._check_decides(case, values, cell, outcome)

    def check_everywhere(self, case: Case, mode: Mode | None = None, asked: set[Outcome] | None = None) -> None:
        """The check gives the stated outcome in every cell that is named; phase one and `explain` in a cell of each.

        They are left out for outcomes in ``asked``, which grows.
        """
        asked = set() if asked is None else asked
        values = arguments(self.operator.info, self.suite.call(case))
        for cell, outcome in self._outcomes(case, mode):
            if outcome in asked:
                self._check_decides(case, values, cell, outcome)
                continue
            asked.add(outcome)
            with one_line(self.operator, self.suite, case, cell):
                self._phase_one(case, cell, outcome)
                self._explained(case, cell, outcome)

    def check_elsewhere(self) -> None:
        """In the cells that a case does not name, the generated check agrees with the interpreter."""
        for case in self.suite.cases:
            values = arguments(self.operator.info, self.suite.call(case))
            stated = self.suite.outcomes(case)
            for cell, outcome in interpreted(self.suite, self.operator, case).items():
                if cell not in stated:
                    self._check_decides(case, values, cell, outcome)

    def _check_decides(self, case: Case, values: dict[str, Any], cell: Cell, outcome: Outcome) -> None:
        """The generated check gives an outcome for a case in a cell: status, deciding rule and effect."""
        with one_line(self.operator, self.suite, case, cell):
            verdict = self.operator.check(cell.product, cell.mode == "library", *values.values())
            assert (verdict and verdict.rule) == (outcome.rule and self.full(outcome.rule))
            if verdict is not None:
                assert verdict.status(cell.mode == "library") == outcome.status
                assert verdict.effect == self._effects[verdict.rule]

    def check_status(self, case: Case, cell: Cell, outcome: Outcome) -> None:
        """Phase one gives an outcome for a case in a cell."""
        with one_line(self.operator, self.suite, case, cell):
            self._phase_one(case, cell, outcome)

    def check_unlisted(self, cell: Cell, outcome: Outcome) -> None:
        """The product rule refuses valid calls, violations and boundaries, and no other rule speaks."""
        first = self.suite.valid[0]
        for case in (first, *self.suite.violations[:3], *self.suite.boundaries[:1]):
            with one_line(self.operator, self.suite, case, cell):
                self._phase_one(case, cell, outcome)
                self._explained(case, cell, outcome)
        with one_line(self.operator, self.suite, first, cell):
            self._raised(first, cell, outcome, self._explained(first, cell, outcome))

    def check_precision(self) -> None:
        """`precision` gives what the interpreter gives, for every call that computes."""
        info = self.operator.info
        for case in self.suite.valid:
            values = arguments(info, self.suite.call(case))
            for cell, outcome in self.suite.outcomes(case).items():
                if outcome == (0, (), None):
                    with one_line(self.operator, self.suite, case, cell):
                        found = self.operator.precision(cell.product, *values.values())
                        assert dtype_names(found) == expected_precision(
                            Environment(info, values, cell.product, cell.mode)
                        )

    def check_inferred(self) -> None:
        """`infer` gives what the interpreter gives, on the inputs of every call of the suite."""
        info, inputs = self.operator.info, self.operator.inputs
        by_inputs: dict[str, Case] = {}
        for case in self.suite.cases:
            call = self.suite.call(case)
            by_inputs.setdefault(repr([call[param.name] for param in inputs]), case)
        for case in by_inputs.values():
            cell = next(iter(self.suite.outcomes(case) or self.suite.cells))
            with one_line(self.operator, self.suite, case, cell):
                values = arguments(info, self.suite.call(case))
                found = self.operator.infer(*[values[param.name] for param in inputs])
                env = Environment(info, values, cell.product, cell.mode)
                for output, one in zip(self.operator.outputs, found, strict=True):
                    assert described(one, output) == expected_output(env, output.name), output.name

    def check_without_kernel(self, case: Case) -> None:
        """A call that passes without a shortcut is refused for want of a kernel, in one step and in phase two."""
        for cell, outcome in self.suite.outcomes(case).items():
            if outcome == (0, (), None):
                with one_line(self.operator, self.suite, case, cell):
                    self._refused_for_its_kernel(arguments(self.operator.info, self.suite.call(case)), cell)

    def _refused_for_its_kernel(self, values: dict[str, Any], cell: Cell) -> None:
        keywords: dict[str, Any] = {"product": cell.product, "conformance": cell.mode}
        status, size, executor = self.operator.get_workspace_size(*values.values(), **keywords)
        assert status == 0
        assert executor is not None
        last_error()
        assert self.operator.execute(np.empty(size, np.uint8), size, executor) == NO_KERNEL_STATUS
        assert "has no kernel" in (last_error() or "")
        if not self._is_allocated(values, cell):
            outputs = [param.name for param in self.operator.outputs if not param.is_input]
            given = outputs if self.operator.not_inferred else []
            error = self._error(values, cell, {name: values[name] for name in given})
            assert error is not None
            assert (error.status, error.rule) == (NO_KERNEL_STATUS, None)

    def _phase_one(self, case: Case, cell: Cell, outcome: Outcome) -> None:
        """Status, workspace, executor and the recorded error of the C-shaped first phase."""
        last_error()
        values = arguments(self.operator.info, self.suite.call(case))
        status, workspace, executor = self.operator.get_workspace_size(
            *values.values(), product=cell.product, conformance=cell.mode, backend=self.backend
        )
        message = last_error()
        assert int(status) == outcome.status, message
        if outcome.failing:
            assert (workspace, executor) == (0, None)
            assert message is not None
            rule = self.full(outcome.failing[0])
            in_library = self.backend is not None and f"rule {rule} " in message
            assert in_library or message.startswith(f"{rule}:"), message
            return
        assert message is None
        assert executor is not None
        assert workspace == 0 or outcome.shortcut is None

    def _explained(self, case: Case, cell: Cell, outcome: Outcome) -> list[str]:
        """`explain` gives the status, the deciding rule and the shortcut; the rules that fail, in their order."""
        values = arguments(self.operator.info, self.suite.call(case))
        keywords: dict[str, Any] = {"product": cell.product, "conformance": cell.mode}
        verdict = self.operator.explain(**values, **keywords)[cell.product]
        failing = [one.rule for one in verdict.violations]
        assert failing[:1] == [self.full(rule) for rule in outcome.failing[:1]]
        assert verdict.status == outcome.status
        assert verdict.shortcut == (outcome.shortcut and self.full(outcome.shortcut))
        assert all(one.sentence for one in verdict.violations)
        return failing

    def _raised(self, case: Case, cell: Cell, outcome: Outcome, failing: list[str]) -> None:
        """The Python function raises the error of the rules that fail, and the outputs that it was given stay."""
        values = arguments(self.operator.info, self.suite.call(case))
        if self._is_allocated(values, cell):
            return
        given = {
            param.name: data.blanked(values[param.name]) if data.all_held(values[param.name]) else values[param.name]
            for param in self.operator.outputs
            if not param.is_input
        }
        before = memory(given)
        error = self._error(values, cell, given)
        assert error is not None, "The function computes, although the call is to be refused."
        assert (int(error.status), error.rule) == (outcome.status, self.full(outcome.failing[0])), error
        violations: Iterable[Any] = error.violations
        assert [one.rule for one in violations] == failing
        assert memory(given) == before, "The refused call writes to an output."

    def _error(self, values: dict[str, Any], cell: Cell, given: dict[str, Any]) -> AclnnError | None:
        """The error that the Python function raises."""
        inputs = [values[param.name] for param in self.operator.inputs]
        keywords = {"product": cell.product, "conformance": cell.mode, "backend": self.backend}
        try:
            self.operator.call(inputs, **keywords, out=given or None)
        except AclnnError as error:
            return error
        return None

    def _is_allocated(self, values: dict[str, Any], cell: Cell) -> bool:
        """Whether a required output is null: the Python function allocates it."""
        env = Environment(self.operator.info, values, cell.product, cell.mode)
        return any(
            values[param.name] is None
            and param.is_output
            and (param.required is None or evaluate_node(param.required, env) is True)
            for param in self.operator.info.params
        )

    def full(self, rule: str) -> str:
        """The full id of a rule."""
        return f"{self.operator.name}.{rule}"


def memory(given: dict[str, Any]) -> dict[str, bytes]:
    """The bytes of the outputs that have data."""
    return {name: data.storage(one) for name, one in data.named_tensors(given) if one.has_data}


def passing(
    suite: Suite, modes: tuple[Mode, ...] = MODES, cases: Iterable[Case] | None = None
) -> Iterator[tuple[Case, Cell]]:
    """The valid cases, or some, with the products on which they compute; one mode does: numbers do not depend on it."""
    for case in suite.valid if cases is None else cases:
        done: set[str] = set()
        for cell, outcome in suite.outcomes(case).items():
            if outcome.status == 0 and cell.mode in modes and cell.product not in done:
                done.add(cell.product)
                yield case, cell
