"""Changes of specs that disagreements suggest, as diffs to review: a status that differs, a dtype row that is taken.

Nothing is applied. Where a spec does not state a rule or its dtypes in a line of its own, a sentence says what to do.
"""

from __future__ import annotations

import difflib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from aclspec.codegen.conform.operators import find
from aclspec.codegen.conform.report import ConformReport, Kind
from aclspec.codegen.pipeline.load import load_operator, load_tables
from aclspec.codegen.source.folders import files_by_operator, find_specs
from aclspec.runtime.abi.products import KEYS
from aclspec.runtime.abi.status import Status
from aclspec.runtime.rules.operator_info import OperatorInfo, RuleInfo

_ROWS = 20
"""Dtype rows that are proposed for an operator, at most."""


@dataclass
class Draft:
    """A spec on the way to its proposal: its lines, and what is to be done by hand."""

    lines: list[str]
    by_hand: list[str] = field(default_factory=list)


def proposals(report: ConformReport) -> Iterator[str]:
    """The diff of each spec that the disagreements concern, with the calls behind it as comments."""
    root, by_operator = find_specs(), defaultdict[str, list[Kind]](list)
    for kind in report.kinds:
        by_operator[kind.least["operator"]].append(kind)
    files = files_by_operator(root)
    for name, kinds in by_operator.items():
        if name in files:
            yield from _proposal(root, files[name], name, kinds)


def _proposal(root: Path, file: Path, name: str, kinds: list[Kind]) -> Iterator[str]:
    text = file.read_text(encoding="utf-8")
    draft = Draft(text.splitlines(keepends=True))
    info = find(name).info
    rules = {rule.id: rule for rule in info.rules}
    places = _places(root, file)
    reasons = []
    # from the last line to the first, so that places stay what they are
    for kind in sorted(kinds, key=lambda one: -places.get(one.least["rule"], (0, 0))[0]):
        row = kind.least
        rule = rules.get(row["rule"])
        if row["outcome"] == "status" and rule is not None and row["actual"] in [int(one) for one in Status]:
            sharing = [other for other, place in places.items() if place == places.get(rule.id) and other != rule.id]
            _with_status(draft, rule, places.get(rule.id), row["actual"], sharing)
            reasons.append(_reason(kind, f"{rule.id} answers {row['actual']}, not {row['expected']}"))
    _with_rows(draft, kinds, info, reasons)
    path = f"specs/{file.relative_to(root).as_posix()}"
    yield from (f"# {reason}\n" for reason in reasons)
    yield from (f"# by hand in {path}: {sentence}\n" for sentence in draft.by_hand)
    yield from difflib.unified_diff(text.splitlines(keepends=True), draft.lines, f"a/{path}", f"b/{path}")


def _reason(kind: Kind, what: str) -> str:
    """A comment of one line: a line more would be one of the diff."""
    return " ".join(f"{kind.least['operator']}: {what} in {kind.calls} calls, such as {kind.least['call']}".split())


def _places(root: Path, file: Path) -> Mapping[str, tuple[int, int]]:
    """The line and the column of each rule that stands in a spec."""
    tables, _ = load_tables(root)
    operator, _ = load_operator(root, file, tables)
    return {} if operator is None else {rule: (at.line, at.column) for rule, at in operator.places.items()}


def _with_status(draft: Draft, rule: RuleInfo, at: tuple[int, int] | None, actual: int, sharing: list[str]) -> None:
    """State the status that the library answers, in library mode alone."""
    before, name = dict(rule.status), Status(actual).name
    stated = "{" + ", ".join(f"{mode}: {name if mode == 'library' else old}" for mode, old in before.items()) + "}"
    status = name if list(before) == ["library"] else stated
    line = draft.lines[at[0] - 1] if at is not None else ""
    if at is None or "status:" in line or sharing:
        also = f", which shares its line with {', '.join(sharing)}" if sharing else ""
        draft.by_hand.append(f"give the rule {rule.id}{also}, the status {status}.")
        return
    end = _end(line, at[1] - 1)
    if end is not None:
        draft.lines[at[0] - 1] = f"{line[:end]}, status: {status}{line[end:]}"
    elif line.lstrip().startswith("- "):
        draft.lines.insert(at[0], f"{' ' * (at[1] - 1)}status: {status}\n")
    else:
        draft.by_hand.append(f"give the rule {rule.id} the status {status}.")


def _end(line: str, start: int) -> int | None:
    """Where the mapping in braces that begins at a place of a line ends; None where none begins or it goes on."""
    if line[start : start + 1] != "{":
        return None
    depth, quote = 0, ""
    for at in range(start, len(line)):
        letter = line[at]
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        elif letter in "{[":
            depth += 1
        elif letter in "}]":
            depth -= 1
            if depth == 0:
                return at
    return None


def _with_rows(draft: Draft, kinds: list[Kind], info: OperatorInfo, reasons: list[str]) -> None:
    """Add the dtype rows that the library takes and the spec does not, at the end of its list of rows."""
    rules, names = {rule.id: rule for rule in info.rules}, {param.name for param in info.params}
    taken: dict[tuple[tuple[str, str], ...], set[str]] = defaultdict(set)
    for kind in kinds:
        rule = rules.get(kind.least["rule"])
        if kind.least["outcome"] == "accepted" and rule is not None and rule.kind in ("dtype", "dtypes"):
            reasons.append(_reason(kind, f"dtypes that {rule.id} refuses are taken"))
            for dtypes in kind.dtypes:
                if names.issuperset(dict(dtypes)):
                    taken[dtypes] |= kind.products.keys()
    made = [_row(dict(dtypes), products) for dtypes, products in sorted(taken.items())[:_ROWS]]
    start = next((at for at, line in enumerate(draft.lines) if line.startswith("dtypes:")), None)
    if start is None or not draft.lines[start + 1].startswith("  - "):
        draft.by_hand += [f"add the dtype row {row.strip()}" for row in made]
        return
    end = start + 1
    while end < len(draft.lines) and draft.lines[end].startswith("  "):
        end += 1
    draft.lines[end:end] = made


def _row(dtypes: Mapping[str, str], products: set[str]) -> str:
    cells = ", ".join(f"{name}: {dtype}" for name, dtype in dtypes.items())
    chosen = json.dumps([key for key in KEYS if key in products]).replace('"', "")
    return f"  - {{row: {{{cells}}}, products: {chosen}, conformance: library}}\n"
