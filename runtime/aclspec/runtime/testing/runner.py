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
from aclspec.runtime.rules.judgement import caveats
from aclspec.runtime.rules.levels import NO_KERNEL_STATUS
from aclspec.runtime.rules.operator_info import MODES, Mode
from aclspec.runtime.testing import data
from aclspec.runtime.testing.expected import arguments, described, dtype_names, expected_output, expected_precision
from aclspec.runtime.testing.suite import Case, Outcome, Suite, Target


@contextmanager
def one_line(operator: Operator, suite: Suite, case: Case, target: Target) -> Iterator[None]:
    """Add the shell line to an exception that passes through."""
    try:
        yield
    except Exception as error:
        error.add_note(f"{case.id} on {target.product} in {target.mode} mode; to see it again:")
        error.add_note(f"  {command(operator, suite.call(case), target)}")
        raise


def command(operator: Operator, call: Mapping[str, Any], target: Target) -> str:
    """A shell command that makes the call and explains it."""
    values = ", ".join(f"{name}={value!r}" for name, value in call.items())
    code = (
        "from aclspec.runtime.testing import reproduce; "
        f"reproduce({operator.module!r}, {target.product!r}, {target.mode!r}, dict({values}))"
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


def interpreted(suite: Suite, operator: Operator, case: Case) -> dict[Target, Outcome]:
    """The outcome of a case in every target: as the case states it, elsewhere as the interpreter gives it."""
    found = suite.outcomes(case)
    values, memory = arguments(operator.info, suite.call(case)), Memory()
    for target in suite.targets:
        if target not in found:
            report = evaluate(operator.info, values, target.product, target.mode, memory)
            found[target] = Outcome(int(report.status), report.failing, report.shortcut)
    return found


class Runner:
    """The cases of one operator on a backend, which is passed on to every call."""

    def __init__(self, suite: Suite, operator: Operator, backend: str | None = None) -> None:
        """Run this suite on this operator."""
        self.suite = suite
        self.operator = operator
        self.backend = backend
        self._effects = {self.full(rule.id): rule.effect for rule in operator.info.checks}

    def _outcomes(self, case: Case, mode: Mode | None) -> list[tuple[Target, Outcome]]:
        """What must come of a case in each target that it names, or in those of one mode."""
        return [(target, one) for target, one in self.suite.outcomes(case).items() if mode in (None, target.mode)]

    def _deciding(self, case: Case, mode: Mode | None) -> list[tuple[Target, Outcome]]:
        """Where the rule that a violation is about decides, and the outcome there."""
        found = self._outcomes(case, mode)
        return [(target, one) for target, one in found if one.failing and case.id.startswith(f"{one.rule}-")]

    def refused(self) -> list[tuple[Target, Outcome]]:
        """Each product and mode that the operator does not list, with the outcome of any call there."""
        return [(target, Outcome.parse(text)) for target, text in self.suite.refused.items()]

    def check_violation(self, case: Case, target: Target) -> None:
        """Every entry point refuses the call with the expected status and rule, and writes nothing."""
        outcome = self.suite.outcomes(case)[target]
        with one_line(self.operator, self.suite, case, target):
            self._phase_one(case, target, outcome)
            self._raised(case, target, outcome, self._explained(case, target, outcome))

    def check_violations(self, case: Case, mode: Mode | None = None, asked: set[Outcome] | None = None) -> None:
        """The check refuses the call wherever its rule decides; every entry point does in a target of each outcome.

        The entry points are left out for outcomes in ``asked``, which grows.
        """
        asked = set() if asked is None else asked
        values = arguments(self.operator.info, self.suite.call(case))
        for target, outcome in self._deciding(case, mode):
            if outcome not in asked:
                asked.add(outcome)
                self.check_violation(case, target)
            else:
                self._check_decides(case, values, target, outcome)

    def check_everywhere(self, case: Case, mode: Mode | None = None, asked: set[Outcome] | None = None) -> None:
        """The check gives the stated outcome for each target that is named; phase one and `explain` for one of each.

        They are left out for outcomes in ``asked``, which grows.
        """
        asked = set() if asked is None else asked
        values = arguments(self.operator.info, self.suite.call(case))
        for target, outcome in self._outcomes(case, mode):
            if outcome in asked:
                self._check_decides(case, values, target, outcome)
                continue
            asked.add(outcome)
            with one_line(self.operator, self.suite, case, target):
                self._phase_one(case, target, outcome)
                self._explained(case, target, outcome)

    def check_elsewhere(self) -> None:
        """In the targets that a case does not name, the generated check agrees with the interpreter."""
        for case in self.suite.cases:
            values = arguments(self.operator.info, self.suite.call(case))
            stated = self.suite.outcomes(case)
            for target, outcome in interpreted(self.suite, self.operator, case).items():
                if target not in stated:
                    self._check_decides(case, values, target, outcome)

    def _check_decides(self, case: Case, values: dict[str, Any], target: Target, outcome: Outcome) -> None:
        """The generated check gives an outcome for a case in a target: status, deciding rule and effect."""
        with one_line(self.operator, self.suite, case, target):
            verdict = self.operator.check(target.product, target.mode == "library", *values.values())
            assert (verdict and verdict.rule) == (outcome.rule and self.full(outcome.rule))
            if verdict is not None:
                assert verdict.status(target.mode == "library") == outcome.status
                assert verdict.effect == self._effects[verdict.rule]

    def check_status(self, case: Case, target: Target, outcome: Outcome) -> None:
        """Phase one gives an outcome for a case in a target."""
        with one_line(self.operator, self.suite, case, target):
            self._phase_one(case, target, outcome)

    def check_unlisted(self, target: Target, outcome: Outcome) -> None:
        """The product rule refuses valid calls, violations and boundaries, and no other rule speaks."""
        first = self.suite.valid[0]
        for case in (first, *self.suite.violations[:3], *self.suite.boundaries[:1]):
            with one_line(self.operator, self.suite, case, target):
                self._phase_one(case, target, outcome)
                self._explained(case, target, outcome)
        with one_line(self.operator, self.suite, first, target):
            self._raised(first, target, outcome, self._explained(first, target, outcome))

    def check_precision(self) -> None:
        """`precision` gives what the interpreter gives, for every call that computes."""
        info = self.operator.info
        for case in self.suite.valid:
            values = arguments(info, self.suite.call(case))
            for target, outcome in self.suite.outcomes(case).items():
                if outcome == (0, (), None):
                    with one_line(self.operator, self.suite, case, target):
                        found = self.operator.precision(target.product, *values.values())
                        assert dtype_names(found) == expected_precision(
                            Environment(info, values, target.product, target.mode)
                        )

    def check_inferred(self) -> None:
        """`infer` gives what the interpreter gives, on the inputs of every call of the suite."""
        info, inputs = self.operator.info, self.operator.inputs
        by_inputs: dict[str, Case] = {}
        for case in self.suite.cases:
            call = self.suite.call(case)
            by_inputs.setdefault(repr([call[param.name] for param in inputs]), case)
        for case in by_inputs.values():
            target = next(iter(self.suite.outcomes(case) or self.suite.targets))
            with one_line(self.operator, self.suite, case, target):
                values = arguments(info, self.suite.call(case))
                found = self.operator.infer(*[values[param.name] for param in inputs])
                env = Environment(info, values, target.product, target.mode)
                for output, one in zip(self.operator.outputs, found, strict=True):
                    assert described(one, output) == expected_output(env, output.name), output.name

    def check_without_kernel(self, case: Case) -> None:
        """A call that passes without a shortcut is refused for want of a kernel, in one step and in phase two."""
        for target, outcome in self.suite.outcomes(case).items():
            if outcome == (0, (), None):
                with one_line(self.operator, self.suite, case, target):
                    self._refused_for_its_kernel(arguments(self.operator.info, self.suite.call(case)), target)

    def _refused_for_its_kernel(self, values: dict[str, Any], target: Target) -> None:
        keywords: dict[str, Any] = {"product": target.product, "conformance": target.mode}
        status, size, executor = self.operator.get_workspace_size(*values.values(), **keywords)
        assert status == 0
        assert executor is not None
        last_error()
        assert self.operator.execute(np.empty(size, np.uint8), size, executor) == NO_KERNEL_STATUS
        assert "has no kernel" in (last_error() or "")
        if not self._is_allocated(values, target):
            outputs = [param.name for param in self.operator.outputs if not param.is_input]
            given = outputs if self.operator.not_inferred else []
            error = self._error(values, target, {name: values[name] for name in given})
            assert error is not None
            assert (error.status, error.rule) == (NO_KERNEL_STATUS, None)

    def _phase_one(self, case: Case, target: Target, outcome: Outcome) -> None:
        """Status, workspace, executor and the recorded error of the C-shaped first phase."""
        last_error()
        values = arguments(self.operator.info, self.suite.call(case))
        status, workspace, executor = self.operator.get_workspace_size(
            *values.values(), product=target.product, conformance=target.mode, backend=self.backend
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

    def _explained(self, case: Case, target: Target, outcome: Outcome) -> list[str]:
        """`explain` gives the status, the deciding rule and the shortcut; the rules that fail, in their order.

        Where the spec leaves the case out it says so instead, and of the rules that it left out for the case nothing.
        """
        info, values = self.operator.info, arguments(self.operator.info, self.suite.call(case))
        keywords: dict[str, Any] = {"product": target.product, "conformance": target.mode}
        verdict = self.operator.explain(**values, **keywords)[target.product]
        failing = [one.rule for one in verdict.violations]
        left_out = caveats(info, values, *target, Memory()) if outcome.shortcut is None else ()
        silent = {rule for one in left_out for rule in one.rules}
        known = evaluate(info, values, *target).failing if silent else outcome.failing
        heard = [rule for rule in known if rule not in silent]
        assert failing[:1] == [self.full(rule) for rule in heard[:1]]
        assert not {self.full(rule) for rule in silent}.intersection(failing)
        if not heard and any(one.kind != "version" for one in left_out):
            assert verdict.own.verdict in ("no kernel", "not judged")
        elif heard[:1] == list(outcome.failing[:1]):
            assert verdict.status == outcome.status
        assert verdict.shortcut == (outcome.shortcut and self.full(outcome.shortcut))
        assert all(one.sentence for one in verdict.violations)
        return [self.full(rule) for rule in known] if silent else failing

    def _raised(self, case: Case, target: Target, outcome: Outcome, failing: list[str]) -> None:
        """The Python function raises the error of the rules that fail, and the outputs that it was given stay."""
        values = arguments(self.operator.info, self.suite.call(case))
        if self._is_allocated(values, target):
            return
        given = {
            param.name: data.blanked(values[param.name]) if data.all_held(values[param.name]) else values[param.name]
            for param in self.operator.outputs
            if not param.is_input
        }
        before = memory(given)
        error = self._error(values, target, given)
        assert error is not None, "The function computes, although the call is to be refused."
        assert (int(error.status), error.rule) == (outcome.status, self.full(outcome.failing[0])), error
        violations: Iterable[Any] = error.violations
        assert [one.rule for one in violations] == failing
        assert memory(given) == before, "The refused call writes to an output."

    def _error(self, values: dict[str, Any], target: Target, given: dict[str, Any]) -> AclnnError | None:
        """The error that the Python function raises."""
        inputs = [values[param.name] for param in self.operator.inputs]
        keywords = {"product": target.product, "conformance": target.mode, "backend": self.backend}
        try:
            self.operator.call(inputs, **keywords, out=given or None)
        except AclnnError as error:
            return error
        return None

    def _is_allocated(self, values: dict[str, Any], target: Target) -> bool:
        """Whether a required output is null: the Python function allocates it."""
        env = Environment(self.operator.info, values, target.product, target.mode)
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
) -> Iterator[tuple[Case, Target]]:
    """The valid cases, or some, with the products on which they compute; one mode does: numbers do not depend on it."""
    for case in suite.valid if cases is None else cases:
        done: set[str] = set()
        for target, outcome in suite.outcomes(case).items():
            if outcome.status == 0 and target.mode in modes and target.product not in done:
                done.add(target.product)
                yield case, target
