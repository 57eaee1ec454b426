"""Whether the derived cases notice a mutant: its function is called with every one of them until an answer is wrong."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any, NamedTuple

from aclspec.codegen.mutate.mutants import Mutant
from aclspec.runtime.language.values import UNDEFINED
from aclspec.runtime.rules.interpreter import Environment, evaluate
from aclspec.runtime.tensors.tensor import Tensor
from aclspec.runtime.testing.expected import arguments, described, dtype_names, expected_output, expected_precision
from aclspec.runtime.testing.runner import interpreted
from aclspec.runtime.testing.suite import Case, Outcome, Suite, Target

_RAISED = object()
"""The answer of a function that raised an exception."""


class Asked(NamedTuple):
    """The arguments of a call of a generated function, and what it must answer."""

    args: tuple[Any, ...]
    answer: Any


class Judge:
    """The derived cases of one operator as calls of its generated functions."""

    def __init__(self, module: ModuleType, suite: Suite) -> None:
        """Turn every case into calls."""
        self.module = module
        self.operator = module.OPERATOR
        self.info = self.operator.info
        self.suite = suite
        self._effects = {f"{self.info.name}.{rule.id}": rule.effect for rule in self.info.checks}
        self.asked: dict[str, list[Asked]] = {"check": [], "infer": [], "precision": []}
        for case in self.suite.cases:
            self._ask(case)
        self._ask_beyond_int64()

    def _ask(self, case: Case) -> None:
        values = arguments(self.info, self.suite.call(case))
        every = tuple(values.values())
        inputs = tuple(values[param.name] for param in self.operator.inputs)
        outcomes = interpreted(self.suite, self.operator, case)
        for target, outcome in self._everywhere(outcomes):
            self.asked["check"].append(Asked((target.product, target.mode == "library", *every), self._answer(outcome)))
            env = Environment(self.info, values, target.product, target.mode)
            if outcome.status == 0 and outcome.shortcut is None and self.info.facts.has_kernel:
                roles: Mapping[str, object] = expected_precision(env) or {}
                if UNDEFINED not in roles.values():  # the library may take dtypes that nothing is said about
                    self.asked["precision"].append(Asked((target.product, *every), roles))
        env = Environment(self.info, values, *next(iter(outcomes)))
        answer = [expected_output(env, param.name) for param in self.operator.outputs]
        self.asked["infer"].append(Asked(inputs, answer))

    def _ask_beyond_int64(self) -> None:
        """Calls with a tensor of more elements than INT64 counts, which the rule of the language is about."""
        values = arguments(self.info, self.suite.call(self.suite.cases[0]))
        for name, value in values.items():
            first = value[0] if isinstance(value, tuple) and value else value
            if not isinstance(first, Tensor):
                continue
            large = Tensor(dtype=first.dtype, shape=(2**32, 2**31), format=first.format)
            call = {**values, name: (large, *value[1:]) if isinstance(value, tuple) else large}
            for target in self.suite.targets:
                report = evaluate(self.info, call, target.product, target.mode)
                outcome = Outcome(int(report.status), report.failing, report.shortcut)
                args = (target.product, target.mode == "library", *call.values())
                self.asked["check"].append(Asked(args, self._answer(outcome)))

    def _everywhere(self, outcomes: dict[Target, Outcome]) -> Iterator[tuple[Target, Outcome]]:
        yield from outcomes.items()
        yield from ((target, Outcome.parse(text)) for target, text in self.suite.refused.items())

    def _answer(self, outcome: Outcome) -> Any:
        """The rule, the status and the effect of the expected verdict; None for a call to compute."""
        decided = outcome.failing[0] if outcome.failing else outcome.shortcut
        if decided is None:
            return None
        rule = f"{self.info.name}.{decided}"
        return rule, outcome.status, None if outcome.failing else self._effects[rule]

    def kills(self, mutant: Mutant) -> bool:
        """Whether some case has another answer, or an exception, where the mutant runs."""
        namespace = dict(vars(self.module))
        tree = ast.fix_missing_locations(ast.Module(list(mutant.definitions), []))
        try:
            exec(compile(tree, "<mutant>", "exec"), namespace)
        except Exception:
            return True
        function = namespace[mutant.function]
        return any(self._differs(mutant.function, function, asked) for asked in self.asked[mutant.function])

    def masks(self, mutant: Mutant) -> bool:
        """Whether the changed rule, asked alone, answers some case otherwise: rules before it refuse all of these.

        Cases in which the rule as it was cannot be asked alone, since it relies on what those before it refuse, are
        left out.
        """
        found = mutant.alone()
        if found is None:
            return False
        before, after = map(self._compiled, found)
        for asked in self.asked["check"]:
            answer = self._called(before, asked)
            if answer is not _RAISED and answer != self._called(after, asked):
                return True
        return False

    def _compiled(self, function: ast.FunctionDef) -> Any:
        namespace = dict(vars(self.module))
        exec(compile(ast.fix_missing_locations(ast.Module([function], [])), "<mutant>", "exec"), namespace)
        return namespace[function.name]

    def _called(self, function: Any, asked: Asked) -> Any:
        try:
            return function(*asked.args)
        except Exception:
            return _RAISED

    def faults(self) -> list[str]:
        """The functions of the module as it is that answer some case wrongly; there must be none to begin with."""
        functions = vars(self.module)
        return [
            name
            for name, asked in self.asked.items()
            if any(self._differs(name, functions[name], one) for one in asked)
        ]

    def _differs(self, name: str, function: Any, asked: Asked) -> bool:
        try:
            found = function(*asked.args)
            if name == "infer":
                pairs = zip(found, self.operator.outputs, strict=True)
                found = [described(one, param) for one, param in pairs]
        except Exception:
            return True
        if name == "check":
            given = None if found is None else (found.rule, found.status(asked.args[1]), found.effect)
            return bool(given != asked.answer)
        if name == "precision":
            return bool(dtype_names(found) != asked.answer)
        return bool(found != asked.answer)
