"""The test file of an operator: its derived cases as data, and the functions that run them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from textwrap import wrap
from typing import Any

from aclspec.codegen.derive import Cases, Problem, derive_cases
from aclspec.codegen.emit.pretty import Group, call, group, lay_out, quoted, tuple_literal
from aclspec.codegen.emit.pretty import Literal as Layout
from aclspec.codegen.emit.printer import fits
from aclspec.codegen.findings import START, Finding, SpecErrors, display_path
from aclspec.codegen.load import Operator
from aclspec.codegen.predicate.unparse import unparse
from aclspec.codegen.render.environment import WIDTH, template
from aclspec.codegen.render.names import rule_of
from aclspec.codegen.render.target import Target
from aclspec.codegen.same import remembered
from aclspec.runtime.info import OperatorInfo, RuleInfo
from aclspec.runtime.testing.suite import Case, Combinations, Sweep

_LONG, _SHORT = 60, 24


@dataclass(frozen=True, slots=True)
class Constant:
    """A module-level name of a test file, and the lines of its assignment."""

    name: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TestFile:
    """What the template of a test file shows."""

    header: str
    name: str
    module: str
    imports: tuple[str, ...]
    constants: tuple[Constant, ...]
    groups: tuple[str, ...]


def render_tests(operator: Operator, target: Target) -> dict[PurePosixPath, str]:
    """The test file of an operator, by its path below the folder that is written; SpecErrors where none can be had."""
    cases = derive_cases(operator.info)
    if cases.problems:
        raise SpecErrors(_finding(operator, problem) for problem in cases.problems)
    text = template("tests/test_operator.py.j2").render(file=_file(operator.info, cases, target))
    return {PurePosixPath("tests", f"test_{operator.info.snake}.py"): text}


def _finding(operator: Operator, problem: Problem) -> Finding:
    at = operator.places.get(problem.rule, START)
    return Finding(display_path(operator.path), at, "derivation", problem.message)


def _file(info: OperatorInfo, cases: Cases, target: Target) -> TestFile:
    suite = cases.suite
    names = _Names()
    groups = [
        Constant("BASE", tuple(lay_out("BASE: Change = ", _mapping(suite.base)))),
        Constant("VALID", _assigned("VALID", names.cases(suite.valid))),
        Constant("VIOLATIONS", tuple(_violations(info, suite.violations, names))),
        Constant("BOUNDARIES", _assigned("BOUNDARIES", names.cases(suite.boundaries))),
        Constant("SWEEPS", _assigned("SWEEPS", _items(map(names.sweep, suite.sweeps)))),
        Constant("COMBINATIONS", _assigned("COMBINATIONS", _items(map(names.combinations, suite.combinations)))),
        Constant("SUITE", tuple(_suite(cases))),
    ]
    used = [name for name, cases_of in (("Combinations", suite.combinations), ("Sweep", suite.sweeps)) if cases_of]
    return TestFile(
        header=target.header(info.spec),
        name=info.name,
        module=f"{target.package}.{info.snake}",
        imports=tuple(sorted(["Case", "Cell", "Change", "Numbers", "Outcome", "Runner", "Suite", *used])),
        constants=(*names.constants, *groups),
        groups=tuple(name for name, size in suite.sizes.items() if size),
    )


class _Names:
    """Module-level names for texts that would make long lines, and that often come again."""

    def __init__(self) -> None:
        self.constants: list[Constant] = []
        self._by_text: dict[str, str] = {}
        self._counts: Counter[str] = Counter()
        self._expected: dict[tuple[tuple[str, str], ...], Group] = {}

    def of(self, stem: str, text: str, long: int = _LONG) -> Layout:
        """The text itself, or the name that stands for it."""
        if len(text) <= long:
            return quoted(text)
        if text not in self._by_text:
            self._counts[stem] += 1
            name = self._by_text[text] = f"{stem}_{self._counts[stem]}"
            self.constants.append(Constant(name, tuple(_text_constant(name, text))))
        return self._by_text[text]

    def expect(self, outcomes: Mapping[str, str]) -> Group:
        """Outcomes by where they hold; many cases have the same."""
        key = tuple(outcomes.items())
        if key not in self._expected:
            pairs = [(self.of("ON", where, _SHORT), self.of("FAILING", text)) for where, text in key]
            self._expected[key] = Group("{", tuple((f"{where}: ", text) for where, text in pairs), "}")
        return self._expected[key]

    def cases(self, cases: Iterable[Case]) -> Iterator[str]:
        """Cases, one after the other."""
        return (line for case in cases for line in self.case(case))

    def case(self, case: Case) -> Iterator[str]:
        """A case, laid out as `lay_out` would do it: there are very many of them, and few do not fit as they are."""
        name, expect = quoted(case.id), self.expect(case.expect)
        change = f"{{{', '.join([f'{quoted(param)}: {_flat(value)}' for param, value in case.change.items()])}}}"
        whole = f"    Case({name}, {change}, {expect.flat}),"
        if fits(whole):
            yield whole
            return
        yield from ("    Case(", f"        {name},")
        if fits(f"        {change},"):
            yield f"        {change},"
        else:
            yield "        {"
            for param, value in case.change.items():
                label = f"{quoted(param)}: "
                line = f"            {label}{_flat(value)},"
                yield from (line,) if fits(line) else lay_out(label, _value(value), ",", 3)
            yield "        },"
        yield from lay_out("", expect, ",", 2)
        yield "    ),"

    def sweep(self, sweep: Sweep) -> Layout:
        """A sweep."""
        stem = f"{sweep.facet.upper()}S"
        outcomes = (group("(", (self.of(stem, one), self.expect(expect)), ")") for one, expect in sweep.outcomes)
        return call("Sweep", quoted(sweep.rule), quoted(sweep.param), quoted(sweep.facet), tuple_literal(outcomes))

    def combinations(self, table: Combinations) -> Layout:
        """A table of combinations."""
        outcomes = (
            group("(", (self.expect(expect), tuple_literal(map(quoted, combinations))), ")")
            for expect, combinations in table.outcomes
        )
        params = tuple_literal(map(quoted, table.params))
        return call("Combinations", quoted(table.rule), params, tuple_literal(outcomes))


def _text_constant(name: str, text: str) -> Iterator[str]:
    """A long text under a name, in as many lines as it needs."""
    line = f"{name} = {quoted(text)}"
    if len(line) <= WIDTH:
        yield line
        return
    whole = len(text) <= WIDTH - 6  # a formatter joins what fits on a line of its own
    parts = [text] if whole else wrap(text, WIDTH - 10, break_on_hyphens=False)
    yield f"{name} = ("
    yield from (f"    {quoted(part if part is parts[-1] else f'{part} ')}" for part in parts)
    yield ")"


def _value(value: Any) -> Layout:
    if isinstance(value, tuple):
        return tuple_literal(map(_value, value))
    return quoted(value) if isinstance(value, str) else repr(value)


def _flat(value: Any) -> str:
    """The same on one line."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, tuple):
        comma = "," if len(value) == 1 else ""
        return f"({', '.join([_flat(item) for item in value])}{comma})"
    return repr(value)


def _mapping(values: Mapping[str, Any]) -> Layout:
    return Group("{", tuple((f"{quoted(name)}: ", _value(value)) for name, value in values.items()), "}")


def _items(items: Iterable[Layout]) -> Iterator[str]:
    """Items, one after the other."""
    return (line for item in items for line in lay_out("", item, ",", 1))


def _assigned(name: str, items: Iterable[str]) -> tuple[str, ...]:
    """A tuple with one item a line, however short."""
    lines = tuple(items)
    return (f"{name} = (", *lines, ")") if lines else (f"{name} = ()",)


def _violations(info: OperatorInfo, cases: Iterable[Case], names: _Names) -> Iterator[str]:
    """The violations under a comment that says which rule they break."""
    yield "VIOLATIONS = ("
    commented: set[str] = set()
    rules = {rule.id: rule for rule in info.rules}
    for case in cases:
        rule = rule_of(case.id, rules)
        if rule is not None and rule.id not in commented:
            commented.add(rule.id)
            yield from _comment(rule)
        yield from names.case(case)
    yield ")"


@remembered
def _comment(rule: RuleInfo) -> list[str]:
    parts = [rule.id]
    if rule.kind == "rule" and rule.require is not None:
        parts.append(unparse(rule.require))
        if rule.when is not None:
            parts.append(f"when {unparse(rule.when)}")
    return wrap(": ".join(parts[:2]) + "".join(f", {part}" for part in parts[2:]), WIDTH, **_COMMENT)


_COMMENT: dict[str, Any] = {"initial_indent": "    # ", "subsequent_indent": "    #   "}


def _suite(cases: Cases) -> Iterator[str]:
    suite = cases.suite
    products = Group("{", tuple((f"{quoted(mode)}: ", _value(keys)) for mode, keys in suite.products.items()), "}")
    fields: dict[str, Layout] = {
        "operator": quoted(suite.operator),
        "products": products,
        **{name.lower(): name for name in ("BASE", "VALID", "VIOLATIONS", "BOUNDARIES", "SWEEPS", "COMBINATIONS")},
        "unlisted": _mapping(suite.unlisted),
    }
    yield from lay_out("SUITE = ", call("Suite", **fields))
