"""Everything derived from one operator: the suite of its generated test file, and what the report says about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from aclspec.codegen.derive.boundaries import boundaries, elements, inference, undefined
from aclspec.codegen.derive.cache import kept
from aclspec.codegen.derive.call import forget_tensors, literal
from aclspec.codegen.derive.coverage import aims
from aclspec.codegen.derive.deriver import QUICK, Deriver, Sample
from aclspec.codegen.derive.reached import reached
from aclspec.codegen.derive.tables import complements, sweeps
from aclspec.codegen.derive.trial import Goal
from aclspec.codegen.derive.views import views
from aclspec.codegen.derive.violations import Problem, violations
from aclspec.runtime.info import MODES, OperatorInfo
from aclspec.runtime.products import KEYS
from aclspec.runtime.status import Status
from aclspec.runtime.testing.suite import Case, Cell, Suite

_RANDOM = 8


@dataclass(frozen=True)
class Cases:
    """The suite, where a rule cannot fail though it applies, and the problems: sentences that name their rule."""

    suite: Suite
    gaps: Mapping[str, tuple[Cell, ...]]
    problems: tuple[Problem, ...]


@lru_cache(maxsize=64)
def derive_cases(info: OperatorInfo) -> Cases:
    """The cases of an operator; the same operator always gives the same cases."""
    return kept(info, derive)


def forget() -> None:
    """Give back what derivation keeps in memory; only where nobody holds a call any more."""
    derive_cases.cache_clear()
    forget_tensors()


def derive(info: OperatorInfo) -> Cases:
    """Derive the cases of an operator, whatever was kept."""
    deriver = Deriver(info)
    valid = _valid(deriver)
    broken = violations(deriver)
    suite = Suite(
        operator=info.name,
        products=deriver.products,
        base={name: literal(value) for name, value in zip(deriver.space.names, deriver.base, strict=True)},
        valid=_cases(deriver, valid),
        violations=_cases(deriver, broken.samples, numbered=True),
        boundaries=_cases(deriver, _edges(deriver, broken.samples)),
        sweeps=tuple(sweeps(deriver)),
        combinations=tuple(complements(deriver)),
        unlisted=_unlisted(info, deriver),
    )
    return Cases(suite, {rule: tuple(cells) for rule, cells in broken.gaps.items()}, tuple(broken.problems))


def _valid(deriver: Deriver) -> list[Sample]:
    """The base call, the examples, everything that valid calls must cover, random calls, and the base call's views."""
    samples = {deriver.base: "base"}

    def add(label: str, calls: Iterable[tuple[object, ...]]) -> None:
        for call in calls:
            samples.setdefault(call, label)  # type: ignore[arg-type]
            if call not in deriver.valid:
                deriver.valid.append(call)  # type: ignore[arg-type]

    add("example", deriver.seeds)
    for aim in aims(deriver.space, deriver.ways):
        found, _ = deriver.cover(Goal(aim.way), aim.label, QUICK)
        add(aim.label, found)
    for turn in range(_RANDOM):
        label = f"random-{turn + 1}"
        found, _ = deriver.cover(Goal(), label, QUICK, starts=[deriver.scrambled(label)])
        add(label, found)
    for label, call in views(deriver.space, deriver.base):
        if any(not deriver.verdict(call, cell).failing for cell in deriver.cells):
            samples.setdefault(call, label)
    return [Sample(label, call) for call, label in samples.items()]


def _edges(deriver: Deriver, broken: list[Sample]) -> list[Sample]:
    """Calls on and beside every bound, of values, of definedness and of what is inferred, and of what is reached."""
    edges = [*boundaries(deriver), *undefined(deriver), *inference(deriver), *elements(deriver)]
    return [*edges, *reached(deriver, (sample.call for sample in (*broken, *edges)))]


def _cases(deriver: Deriver, samples: Iterable[Sample], numbered: bool = False) -> tuple[Case, ...]:
    """Cases with ids of their own; ``numbered`` counts from 1 under every label."""
    taken: Counter[str] = Counter()
    cases = []
    for label, call in samples:
        taken[label] += 1
        suffix = f"-{taken[label]}" if numbered or taken[label] > 1 else ""
        cases.append(deriver.case(label + suffix, call))
    return tuple(cases)


def _unlisted(info: OperatorInfo, deriver: Deriver) -> dict[str, str]:
    """The outcome of any call where the product rule refuses the product."""
    rule = next((rule for rule in info.rules if rule.kind == "product"), None)
    if rule is None:
        return {}
    listed = {product for product, _ in info.products}
    refused = tuple(key for key in KEYS if key not in listed)
    found = {}
    for mode in MODES:
        status = dict(rule.status).get(mode)
        if status is not None and refused:
            found[f"{mode}:{','.join(refused)}"] = f"{int(Status[status])} {rule.id}"
    return found
