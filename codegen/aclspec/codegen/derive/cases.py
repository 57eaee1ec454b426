"""Everything derived from one operator: the suite of its generated test file, gaps and problems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from aclspec.codegen.compile.calls import WrittenCall
from aclspec.codegen.derive.boundaries import boundaries
from aclspec.codegen.derive.covered import Covered, uncovered
from aclspec.codegen.derive.search import Search
from aclspec.codegen.derive.tables import complements, sweeps
from aclspec.codegen.derive.valid import valid
from aclspec.codegen.derive.violations import Problem, falsify, violations
from aclspec.codegen.derive.written import written
from aclspec.runtime.abi.products import KEYS
from aclspec.runtime.abi.status import Status
from aclspec.runtime.rules.operator_info import MODES, OperatorInfo
from aclspec.runtime.search.call import Call, brief, literal
from aclspec.runtime.search.space import targets
from aclspec.runtime.testing.suite import Case, Change, Expect, Suite, Target, describe


@dataclass(frozen=True)
class Cases:
    """The suite, and what was seen of the rules.

    ``companions``: what else fails where a rule is never seen to fail alone.
    ``errors`` and ``undecided``: a rule and a sentence for each mode in which it provably never decides, or in which no
    call shows that it does; an error of no rule where no valid call was found.
    """

    suite: Suite
    companions: Mapping[str, tuple[str, ...]]
    errors: tuple[Problem, ...]
    undecided: tuple[Problem, ...]


@lru_cache(maxsize=64)
def derive_cases(info: OperatorInfo, facts: tuple[Covered, ...] = (), calls: tuple[WrittenCall, ...] = ()) -> Cases:
    """The same cases for the same operator; ``facts`` are those that rules are said to cover.

    ``calls`` are those that the spec adds to the ones that are found.
    """
    return derive(info, facts, calls)


def derive(info: OperatorInfo, facts: tuple[Covered, ...] = (), calls: tuple[WrittenCall, ...] = ()) -> Cases:
    """Derive the cases of an operator; none of one without rules."""
    none = Suite(info.name, {}, {}, (), ())
    if not info.facts.has_rules:
        return Cases(none, {}, (), ())
    search = Search(info)
    if not search.seeds:
        text = f"No call of {info.name} was found that breaks no rule; expected an example of one."
        return Cases(none, {}, (Problem("", text),), ())
    writer = _Writer(search)
    passing = valid(search)
    added = list(written(search, calls))
    sought = falsify(search, [call for _, call in added])
    known = [*(call for _, call in passing), *(call for one in sought for call in one.chosen)]
    edges = boundaries(search, known)
    broken = violations(sought)
    late = {call for _, call in broken.samples}.difference(known)
    suite = Suite(
        operator=info.name,
        products=writer.products,
        base={name: literal(value) for name, value in zip(search.space.names, search.base, strict=True)},
        valid=writer.cases(passing),
        violations=writer.cases(broken.samples, numbered=True),
        boundaries=writer.cases((*(one for one in edges if one[1] not in late), *added)),
        sweeps=sweeps(search, writer.expected),
        combinations=complements(search, writer.expected),
        unlisted=_unlisted(info),
        gaps=broken.gaps,
    )
    lacking = uncovered(search, facts, (call for _, call in passing))
    return Cases(suite, broken.companions, (*broken.errors, *lacking), tuple(broken.undecided))


class _Writer:
    """Calls as the cases of a test file."""

    def __init__(self, search: Search) -> None:
        self.search = search
        found = targets(search.space.info)
        modes = dict.fromkeys(target.mode for target in found)
        self.products = {mode: tuple(target.product for target in found if target.mode == mode) for mode in modes}

    def cases(self, samples: Iterable[tuple[str, Call]], numbered: bool = False) -> tuple[Case, ...]:
        """Cases with ids of their own; ``numbered`` counts from 1 under every label."""
        taken: Counter[str] = Counter()
        found = []
        for label, call in samples:
            taken[label] += 1
            suffix = f"-{taken[label]}" if numbered or taken[label] > 1 else ""
            found.append(Case(label + suffix, self.change(call), self.expected(call)))
        return tuple(found)

    def change(self, call: Call) -> Change:
        """The call as its difference from the base call; outputs are always stated, so that none is inferred."""
        values = zip(self.search.space.info.params, call, self.search.base, strict=True)
        return {param.name: brief(literal(value)) for param, value, base in values if param.is_output or value != base}

    def expected(self, call: Call) -> Expect:
        """What must come of a call, everywhere."""
        self.search.oracle.confirm(call)
        by_outcome: dict[str, list[Target]] = {}
        for kind in self.search.oracle.kinds:
            by_outcome.setdefault(self.search.oracle.outcome(call, kind), []).extend(kind.targets)
        return {describe(where, self.products): text for text, where in by_outcome.items()}


def _unlisted(info: OperatorInfo) -> dict[str, str]:
    """The outcome of any call where the product rule refuses the product."""
    rule = next((rule for rule in info.rules if rule.kind == "product"), None)
    refused = [key for key in KEYS if key not in {product for product, _ in info.products}]
    if rule is None or not refused:
        return {}
    status = dict(rule.status)
    return {f"{mode}:{','.join(refused)}": f"{int(Status[status[mode]])} {rule.id}" for mode in MODES if mode in status}
