"""Follow every clause and every rule to its tests and to its place in the manual, and report what leads nowhere.

The place is what the model of the page says (`places`); that the rendered page has it is a test of the template.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from aclspec.codegen.compile.clauses import Carrier, carriers, clause_anchor
from aclspec.codegen.render.manual.places import clauses_of, places
from aclspec.codegen.source.findings import did_you_mean
from aclspec.codegen.spec.project import Operator, Project
from aclspec.codegen.spec.tables import ClausesFile, ClauseSpec
from aclspec.codegen.trace.evidence import Evidence
from aclspec.codegen.trace.report import ClauseRow, DanglingEnd, EndKind, RuleRow, TraceReport
from aclspec.codegen.trace.sources import Mark, Mention, read_suites, read_tests
from aclspec.runtime.rules.operator_info import RuleInfo
from aclspec.runtime.testing.suite import describe

CLAUSES = "specs/clauses"


def trace(project: Project, root: Path, generated: Path | None = None) -> TraceReport:
    """The trace of a project whose hand-written tests stand in ``root/tests``.

    The derived tests stand below ``generated``, which is ``root/generated`` unless it is given.
    """
    return Tracer(project, root, root / "generated" if generated is None else generated).report()


class Tracer:
    """One trace: what the specs and the tests say, and the ends found so far."""

    def __init__(self, project: Project, root: Path, generated: Path) -> None:
        """Read the tests."""
        self.project = project
        self.ends: list[DanglingEnd] = []
        self.carriers = carriers(project)
        self.by_clause = _by_clause(self.carriers)
        self.marks, self.mentions = _read_tests(root, generated)
        suites = read_suites(root, generated / "tests")
        self.evidence = {
            operator.spec.op: Evidence(operator.info, suites.get(operator.spec.op)) for operator in project.operators
        }
        self.places = {
            operator.spec.op: places(operator, clauses_of(project, operator)) for operator in project.operators
        }

    def report(self) -> TraceReport:
        """Every row, and every end that dangles."""
        clauses = tuple(self._clause(file, clause) for file in self.project.clauses for clause in file.clauses)
        rules = tuple(self._rule(operator, rule) for operator in self.project.operators for rule in operator.info.rules)
        self._unknown_clauses({row.id for row in clauses})
        self._unknown_rules()
        self._missing_places()
        return TraceReport(clauses, rules, tuple(sorted(set(self.ends))))

    def _end(self, where: str, kind: EndKind, subject: str, message: str) -> None:
        self.ends.append(DanglingEnd(where, kind, subject, message))

    def _clause(self, file: ClausesFile, clause: ClauseSpec) -> ClauseRow:
        found = self.by_clause.get(clause.id, ())
        marked = [mark.test for mark in self.marks if mark.clause == clause.id]
        shown = [test for carrier in found for test in self.evidence[carrier.operator].of(carrier)]
        tests = tuple(dict.fromkeys([*marked, *shown]))
        self._judge(file, clause, found, marked, tests)
        stands = [
            (file.operator, clause_anchor(clause.id)),
            *((carrier.operator, carrier.anchor) for carrier in found),
        ]
        return ClauseRow(
            id=clause.id,
            document=file.document,
            operator=file.operator,
            place=clause.place,
            says=clause.says,
            waiver=clause.waiver,
            carriers=tuple(found),
            tests=tests,
            anchors=tuple(self._address(name, at) for name, at in dict.fromkeys(stands)),
        )

    def _judge(
        self, file: ClausesFile, clause: ClauseSpec, found: Iterable[Carrier], marked: list[str], tests: tuple[str, ...]
    ) -> None:
        """Report a clause that is neither covered nor waived, that is both, or that no test proves."""
        covered = bool(found) or bool(marked)
        if clause.waiver is not None:
            by = ", ".join([*(f"{carrier.kind} {carrier.name}" for carrier in found), *marked])
            if covered:
                self._bad_clause(file, clause, "waived-and-covered", f"is waived, yet something covers it ({by})")
        elif not covered:
            self._bad_clause(file, clause, "uncovered-clause", "is named by no spec and no test, and not waived")
        elif not tests:
            self._bad_clause(file, clause, "untested-clause", "is covered, but no test proves it")

    def _bad_clause(self, file: ClausesFile, clause: ClauseSpec, kind: EndKind, what: str) -> None:
        self._end(f"{CLAUSES}/{file.document}.yaml", kind, clause.id, f"The clause ({clause.id}) {what}.")

    def _rule(self, operator: Operator, rule: RuleInfo) -> RuleRow:
        name, evidence = operator.spec.op, self.evidence[operator.spec.op]
        untested = evidence.untested(rule)
        if evidence.suite is not None and untested:
            where = describe(untested, evidence.suite.products)
            text = f"The rule {name}.{rule.id} decides in no test of {evidence.file} on {where}."
            self._end(operator.info.spec, "untested-rule", f"{name}.{rule.id}", text)
        clauses = [clause for clause, found in self.by_clause.items() if any(_about(name, rule, one) for one in found)]
        if not clauses and not self._explained(operator, rule):
            text = f"The rule {name}.{rule.id} has no clause, and neither a doc nor a note says where it comes from."
            self._end(operator.info.spec, "unexplained-rule", f"{name}.{rule.id}", text)
        return RuleRow(
            operator=name,
            id=rule.id,
            kind=rule.kind,
            clauses=tuple(clauses),
            targets=len(evidence.needed(rule)),
            cases=evidence.count(rule.id),
            untested=tuple(f"{cell.mode}:{cell.product}" for cell in untested),
            anchors=(self._address(name, f"rule-{rule.id}"),),
        )

    def _explained(self, operator: Operator, rule: RuleInfo) -> bool:
        """Whether a rule without a clause says why it is there; where nobody numbered a document, none has to."""
        if all(file.operator != operator.spec.op for file in self.project.clauses):
            return True
        return rule.doc is not None or any(rule.id in note.rules for note in operator.spec.notes)

    def _unknown_clauses(self, known: set[str]) -> None:
        for carrier in self.carriers:
            for clause in carrier.clauses:
                if clause not in known:
                    text = f"The {carrier.kind} {carrier.name} names a clause ({clause}) that no document has"
                    self._end(carrier.operator, "unknown-clause", clause, text + did_you_mean(clause, known))
        for mark in self.marks:
            if mark.clause is None:
                text = f"The mark of a clause on line {mark.line} is no plain string."
                self._end(mark.file, "unreadable-test", mark.test, text)
            elif mark.clause not in known:
                text = f"A test on line {mark.line} names a clause ({mark.clause}) that no document has"
                self._end(mark.file, "unknown-clause", mark.clause, text + did_you_mean(mark.clause, known))

    def _unknown_rules(self) -> None:
        for name, evidence in self.evidence.items():
            known = [rule.id for rule in evidence.info.rules]
            if evidence.suite is None:
                self._end(name, "missing-suite", name, f"No generated test file has a suite of {name}.")
            for rule in evidence.unknown_rules():
                text = f"A case names a rule ({rule}) that {name} does not have"
                self._end(evidence.file, "unknown-rule", f"{name}.{rule}", text + did_you_mean(rule, known))
        for mention in self.mentions:
            found = self.evidence.get(mention.operator)
            if found is not None and mention.rule not in {rule.id for rule in found.info.rules}:
                full = f"{mention.operator}.{mention.rule}"
                text = f"A test on line {mention.line} names a rule ({full}) that does not exist."
                self._end(mention.file, "unknown-rule", full, text)

    def _address(self, operator: str, anchor: str) -> str:
        """The place of an anchor of an operator on the site; empty where its pages lack it."""
        page = self.places.get(operator, {}).get(anchor)
        return "" if page is None else f"operators/{page}.html#{anchor}"

    def _missing_places(self) -> None:
        """Report a clause, and what covers one, that has no place on the pages of its operator."""
        for file in self.project.clauses:
            for clause in file.clauses:
                if not self._address(file.operator, clause_anchor(clause.id)):
                    self._bad_clause(file, clause, "missing-anchor", "has no place on the pages of its operator")
        for carrier in self.carriers:
            if carrier.anchor not in self.places[carrier.operator]:
                text = f"The pages have no place ({carrier.anchor}) for the {carrier.kind} {carrier.name}."
                self._end(carrier.operator, "missing-anchor", carrier.anchor, text)


def _by_clause(found: Iterable[Carrier]) -> dict[str, tuple[Carrier, ...]]:
    table: dict[str, list[Carrier]] = {}
    for carrier in found:
        for clause in dict.fromkeys(carrier.clauses):
            table.setdefault(clause, []).append(carrier)
    return {clause: tuple(group) for clause, group in table.items()}


def _about(operator: str, rule: RuleInfo, carrier: Carrier) -> bool:
    return carrier.operator == operator and rule.id in carrier.rules


def _read_tests(root: Path, generated: Path) -> tuple[list[Mark], list[Mention]]:
    """The hand-written tests and what generated ones mark."""
    read = [read_tests(root, folder / "tests") for folder in (root, generated)]
    return [mark for marks, _ in read for mark in marks], [mention for _, found in read for mention in found]
