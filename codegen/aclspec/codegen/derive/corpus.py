"""The corpus of an operator: its derived calls as the text that `aclspec.runtime.testing.corpus` reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from aclspec.codegen.derive.cases import Cases
from aclspec.runtime.abi.status import Status
from aclspec.runtime.rules.operator_info import MODES, OperatorInfo, RuleInfo
from aclspec.runtime.testing.corpus import DTYPES, FORMATS, KEEP, Kept, Parameter, signature_of, words
from aclspec.runtime.testing.expected import followed_outputs, inferred_call
from aclspec.runtime.testing.suite import Case, Outcome, Target, describe

Box = tuple[tuple[str, ...], ...]
FAILS = "fails"


def completed(info: OperatorInfo, kept: Kept) -> dict[str, Any]:
    """The whole call of a line that a person added."""
    call = {**dict.fromkeys(param.name for param in info.params), **kept.call}
    return plain(inferred_call(info, call, kept.call))


def distinct(info: OperatorInfo, kept: Iterable[Kept]) -> tuple[Kept, ...]:
    """Each call that a person added once: a line of a rule repeats it where the rule decides or holds."""
    found: dict[str, Kept] = {}
    for one in kept:
        found.setdefault(str(completed(info, one)), one)
    return tuple(found.values())


def corpus_text(info: OperatorInfo, cases: Cases, digests: Mapping[str, str], kept: Iterable[Kept] = ()) -> str:
    """The text of a corpus; ``digests`` has the meaning of each rule, ``kept`` are the calls that a person added."""
    writer = _Writer(info, cases, kept)
    suite = cases.suite
    lines = [
        f"# Calls of {info.name}, written by `aclspec derive {info.snake}`.",
        f"# A line is a call: paste it behind `aclspec explain {info.snake}`.",
        *parameter_lines(writer.signature),
        *(f"# {mode}: {' '.join(keys)}" for mode, keys in suite.products.items()),
        "",
        "## base",
        f"{words(writer.signature, plain(suite.base), whole=True)}  # *",
        "",
        "## passes",
    ]
    passing = list(writer.valid())
    writer.violations()
    writer.edges()
    writer.tables()
    writer.remaining()
    lines += [*passing, *writer.others]
    for rule in info.rules:
        lines += ["", " ".join(["##", rule.id, *_statuses(rule), digests[rule.id]]), *writer.rule(rule)]
    return "\n".join(lines) + "\n"


def parameter_lines(signature: Mapping[str, Parameter]) -> Iterator[str]:
    """A line for each parameter: its type, and what a call that leaves it out means."""
    for name, one in signature.items():
        yield f"# --{name} {one.type}" + ("" if one.default is None else f", else {one.default}")


def _statuses(rule: RuleInfo) -> list[str]:
    """The status of a rule's refusals, one for each mode where they differ; 0 of a shortcut."""
    if rule.kind == "shortcut":
        return ["0"]
    numbers = {mode: int(Status[name]) for mode, name in rule.status}
    if set(numbers) == set(MODES) and len(set(numbers.values())) == 1:
        return [str(numbers[MODES[0]])]
    return [f"{mode}={number}" for mode, number in numbers.items()] or ["-"]


class _Writer:
    """The lines of a suite, by the rule that they are about."""

    def __init__(self, info: OperatorInfo, cases: Cases, kept: Iterable[Kept]) -> None:
        self.info, self.suite, self.found = info, cases.suite, cases
        self.signature = signature_of(info)
        self.by_rule: dict[str, list[str]] = {rule.id: [] for rule in info.rules}
        self.others: list[str] = []
        self._kept = {self._options(completed(info, one)): one.why for one in kept}
        self._decided: set[tuple[str, Target]] = set()
        self._counts: Counter[str] = Counter()

    def rule(self, rule: RuleInfo) -> Iterator[str]:
        """What the file says about a rule."""
        yield from self.by_rule[rule.id]
        if rule.kind == "product":
            yield from (f"# unlisted: {where}" for where in self._unlisted())
        if companions := self.found.companions.get(rule.id):
            yield f"# fails only with: {' '.join(companions)}"
        if gaps := self._gaps(rule):
            yield f"# never decides: {self._where(gaps)}"
        yield from (f"# not decided: {one.message}" for one in self.found.undecided if one.rule == rule.id)

    def _unlisted(self) -> Iterator[str]:
        """The products that the operator does not list, by mode."""
        modes: dict[str, list[str]] = {}
        for target in self.suite.refused:
            modes.setdefault(target.mode, []).append(target.product)
        yield from (f"{mode}: {' '.join(products)}" for mode, products in modes.items())

    def _gaps(self, rule: RuleInfo) -> list[Target]:
        """Where neither the search nor any other call shows that a rule decides."""
        return [target for target in self.suite.gaps.get(rule.id, ()) if (rule.id, target) not in self._decided]

    def valid(self) -> Iterator[str]:
        """The calls that pass; those of a shortcut stand at its rule."""
        for case in self.suite.valid:
            for outcome, targets in self._outcomes(case):
                if outcome == (0, (), None):
                    yield self._call(self._label(case.id), targets, case)
                elif outcome.shortcut:
                    self._about(outcome.shortcut, "ends", targets, case)

    def violations(self) -> None:
        """The calls that a rule refuses, in the targets where it decides."""
        for case in self.suite.violations:
            for outcome, targets in self._outcomes(case):
                if outcome.failing and case.id.startswith(f"{outcome.rule}-"):
                    self._about(outcome.failing[0], FAILS, targets, case)

    def remaining(self) -> None:
        """The calls that show by the way a rule which decides nowhere else in some target."""
        for case in (*self.suite.violations, *self.suite.valid):
            for outcome, targets in self._outcomes(case):
                if outcome.rule and any((outcome.rule, target) not in self._decided for target in targets):
                    self._about(outcome.rule, FAILS if outcome.failing else "ends", targets, case)

    def edges(self) -> None:
        """The calls on and beside bounds."""
        for case in self.suite.boundaries:
            rule = _rule_of(case.id, self.by_rule)
            outcomes = self._outcomes(case)
            about = [one for one in outcomes if one[0].rule in (None, rule)]
            for outcome, targets in about or outcomes:
                if outcome.rule:
                    self._about(outcome.rule, FAILS if outcome.failing else "ends", targets, case)
                elif rule:
                    self._about(rule, "holds", targets, case)
                else:
                    self.others.append(self._call(self._label(case.id), targets, case))

    def tables(self) -> None:
        """The dtypes and the formats that a rule refuses."""
        names: dict[tuple[str, str, str, str], list[str]] = {}
        for sweep in self.suite.sweeps:
            for values, expect in sweep.outcomes:
                for rule, where in self._refused(expect):
                    names.setdefault((rule, where, sweep.facet, sweep.param), []).extend(values.split())
        for (rule, where, facet, param), found in names.items():
            text = names_text(found, DTYPES if facet == "dtype" else FORMATS)
            self.by_rule[rule].append(f"# {facet}s {param}: {text}; {where}")
        lines: dict[tuple[str, str, tuple[str, ...]], list[tuple[str, ...]]] = {}
        for table in self.suite.combinations:
            for expect, texts in table.outcomes:
                for rule, where in self._refused(expect):
                    if rule == table.rule:
                        key = (rule, where, table.params)
                        lines.setdefault(key, []).extend(tuple(text.split()) for text in texts)
        for (rule, where, params), chosen in lines.items():
            rows = ", ".join(" ".join(map("|".join, box)) for box in boxes(chosen))
            self.by_rule[rule].append(f"# combinations {' '.join(params)}: {rows}; {where}")

    def _refused(self, expect: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """The rules that refuse a call, and where."""
        for outcome, targets in self._outcomes(Case("", {}, expect)):
            if outcome.failing:
                self._decided |= {(outcome.failing[0], target) for target in targets}
                yield outcome.failing[0], self._where(targets)

    def _about(self, rule: str, kind: str, targets: list[Target], case: Case) -> None:
        """A line about a rule, unless the same one stands there."""
        text = self._call(kind, targets, case)
        if text not in self.by_rule[rule]:
            self.by_rule[rule].append(text)
            self._decided |= {(rule, target) for target in targets}

    def _call(self, kind: str, targets: list[Target], case: Case) -> str:
        """The line of a call; outputs that follow from its inputs are left out, unless a rule refuses the call."""
        call = plain(self.suite.call(case))
        options = self._options(call)
        note = f"{kind}: {self._where(targets)}"
        if why := self._kept.get(options):
            note += f"; {KEEP}{why}"
        return f"{words(self.signature, call) if kind == FAILS else options}  # {note}"

    def _options(self, call: dict[str, Any]) -> str:
        """A call without the outputs that follow from its inputs."""
        followed = followed_outputs(self.info, call)
        inferred = {name for name, one in self.signature.items() if one.is_inferred and name in followed}
        stated = {name: value for name, value in call.items() if name not in inferred or value != followed[name]}
        return words(self.signature, stated)

    def _where(self, targets: Iterable[Target]) -> str:
        return describe(targets, self.suite.products)

    def _outcomes(self, case: Case) -> list[tuple[Outcome, list[Target]]]:
        """The targets of each outcome, by the rule that decides."""
        found: dict[str | None, tuple[Outcome, list[Target]]] = {}
        for target, outcome in self.suite.outcomes(case).items():
            found.setdefault(outcome.rule, (outcome, []))[1].append(target)
        return list(found.values())

    def _label(self, name: str) -> str:
        """The label of a call that passes: its id without the number that the reader counts anew."""
        stem, _, number = name.rpartition("-")
        label = stem if number.isdigit() and int(number) == self._counts[stem] + 1 and self._counts[stem] else name
        self._counts[label] += 1
        return label


def _rule_of(label: str, rules: Iterable[str]) -> str:
    """The rule whose bound a case stands on: the longest id that its own begins with."""
    fitting = [rule for rule in rules if label == rule or label.startswith(f"{rule}-")]
    return max(fitting, key=len, default="")


def names_text(names: Sequence[str], every: Sequence[str]) -> str:
    """Names separated by spaces, or all but the others."""
    others = [name for name in every if name not in names]
    return f"but {' '.join(others)}" if others and len(others) < len(names) else " ".join(names)


def plain(call: Mapping[str, Any]) -> dict[str, Any]:
    """A call without the format ND, which a tensor has unless it states another."""
    return {name: _without_default(value) for name, value in call.items()}


def _without_default(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_without_default, value))
    if not isinstance(value, str) or "]:ND" not in value:
        return value
    head, _, tail = value.partition("]:ND")
    return value if tail[:1] not in ("", ":") else f"{head}]{tail}"


def boxes(lines: Iterable[tuple[str, ...]]) -> list[Box]:
    """The same combinations as products of sets: boxes that differ along one axis are joined, axis by axis."""
    found: list[Box] = [tuple((value,) for value in line) for line in dict.fromkeys(lines)]
    for axis in reversed(range(len(found[0]) if found else 0)):
        joined: dict[Box, list[str]] = {}
        for box in found:
            joined.setdefault((*box[:axis], (), *box[axis + 1 :]), []).extend(box[axis])
        found = [(*rest[:axis], tuple(values), *rest[axis + 1 :]) for rest, values in joined.items()]
    return found
