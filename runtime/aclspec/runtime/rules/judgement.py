"""What a product says to a call in one mode: what the rules say, and what the spec knows beside them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, NamedTuple, TypeAlias

from aclspec.runtime.abi.status import Status
from aclspec.runtime.rules.inference import completed
from aclspec.runtime.rules.interpreter import Environment, Memory, Outcome, Report, evaluate
from aclspec.runtime.rules.operator_info import CaveatInfo, Mode, OperatorInfo

Verdict: TypeAlias = Literal["works", "refused", "no kernel", "not judged", "unknown"]
"""Of one mode: unknown is every call of an operator without rules."""


class Judgement(NamedTuple):
    """A verdict; ``report`` has the rules that count, ``caveat`` is what decides where no rule refuses.

    ``call`` is what was judged, with the outputs that follow. ``versions`` is what other versions of CANN refuse in a
    call that works, or take in one that the rules refuse.
    """

    verdict: Verdict
    report: Report
    call: Mapping[str, object]
    caveat: CaveatInfo | None = None
    versions: CaveatInfo | None = None


def judge(
    info: OperatorInfo,
    call: Mapping[str, object],
    product: str,
    mode: Mode,
    memory: Memory | None = None,
    cann: tuple[int, ...] | None = None,
) -> Judgement:
    """The verdict on a call, given as C names of all parameters: rules first, then what old versions refuse.

    Then come missing kernels and what is not judged. ``cann`` is a version of CANN, the newest where it is None. An
    output that the caller left out is blamed for nothing that the inputs are to blame for: the rules see it, as it
    follows, in a call that they do not refuse without it.
    """
    memory = memory or Memory()
    found = _judged(info, call, product, mode, memory, cann)
    if found.verdict == "refused":
        return found
    if memory.completed is None:
        memory.completed = completed(info, call), Memory()
    whole, remembered = memory.completed
    return found if whole is call else _judged(info, whole, product, mode, remembered, cann)


def _judged(
    info: OperatorInfo,
    call: Mapping[str, object],
    product: str,
    mode: Mode,
    memory: Memory,
    cann: tuple[int, ...] | None,
) -> Judgement:
    report = evaluate(info, call, product, mode, memory)
    found = () if report.shortcut is not None else caveats(info, call, product, mode, memory)
    silent = {rule for one in found if not one.until or _is_before(cann, one.until) for rule in one.rules}
    report = _without(info, report, silent, mode)
    if report.failing:
        older = next((one for one in found if one.until and report.first in one.rules), None)
        return Judgement("refused", report, call, versions=older)
    newer = next((one for one in found if one.since), None)
    if newer is not None and _is_before(cann, newer.since):
        return Judgement("refused", report, call, newer)
    for one in found:
        if one.kind != "version":
            return Judgement("no kernel" if one.kind == "no kernel" else "not judged", report, call, one)
    return Judgement("works", report, call, versions=newer)


def _is_before(cann: tuple[int, ...] | None, text: str) -> bool:
    """Whether a version, the newest where it is None, comes before another one."""
    return cann is not None and cann < version(text)


def version(text: str) -> tuple[int, ...]:
    """The first two numbers of a version of CANN, such as 8.1 or 8.0.RC3; ValueError for another text."""
    found = re.match(r"(\d+)\.(\d+)(?![^.\-])", text, re.ASCII)
    if found is None:
        raise ValueError(f"The version of CANN ({text}) is not one such as 8.1 or 8.0.RC3.")
    return int(found[1]), int(found[2])


def caveats(
    info: OperatorInfo, call: Mapping[str, object], product: str, mode: Mode, memory: Memory
) -> tuple[CaveatInfo, ...]:
    """What the spec knows of a call beside its rules, in the order in which it decides."""
    if not info.caveats:
        return ()
    env = Environment(info, call, product, mode, memory=memory)
    here = [one for one in info.caveats if mode in one.modes and (not one.products or product in one.products)]
    return tuple(one for one in here if one.when is None or env.value(one.when) is True)


def _without(info: OperatorInfo, report: Report, rules: set[str], mode: Mode) -> Report:
    """A report in which some rules that fail have nothing to say."""
    if rules.isdisjoint(report.failing):
        return report
    failing = tuple(rule for rule in report.failing if rule not in rules)
    outcomes: dict[str, Outcome] = {**report.outcomes}
    outcomes |= dict.fromkeys(rules.intersection(report.failing), "n/a")
    status = Status[dict(info.rule(failing[0]).status)[mode]] if failing else Status.ACLNN_SUCCESS
    return replace(report, outcomes=outcomes, failing=failing, status=status)
