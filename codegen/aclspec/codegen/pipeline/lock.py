"""The lock file of rule meanings: a rule id never changes its meaning unnoticed.

``rules.lock`` stands beside the specs: a line for every rule with its full id and a hash of its meaning, and one for
every retired id. A rule whose meaning differs from its line is an error until it is acknowledged; a retired id never
gets another meaning. The rules of a draft (``draft: true`` in its spec) are not locked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from aclspec.codegen.source.findings import Finding, SpecErrors, did_you_mean, display_path
from aclspec.codegen.source.folders import LOCK
from aclspec.runtime.language.nodes import Position

_HEADER = """\
# The meaning of every rule, as a hash; written by aclspec generate. A changed line is a changed meaning under an old
# id: give the rule a new id, or acknowledge the change. A retired id is never given to another meaning.
"""
_LINE = re.compile(r"(?P<id>\w+\.[a-z0-9-]+) (?P<hash>[0-9a-f]{16})(?P<retired> retired)?")


class LockedRule(NamedTuple):
    """A rule as the lock sees it: its full id, the hash of its meaning (none of a draft), and its place below specs."""

    id: str
    hash: str
    file: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the lock file."""

    id: str
    hash: str
    retired: bool = False

    def __str__(self) -> str:
        """The line."""
        return f"{self.id} {self.hash}{' retired' if self.retired else ''}"


def read_lock(path: Path) -> tuple[dict[str, Entry], list[Finding]]:
    """The entries of a lock file, by id, and what is wrong with the file; none of both when it does not exist."""
    entries: dict[str, Entry] = {}
    findings: list[Finding] = []
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        match = _LINE.fullmatch(line.strip())
        if match is None:
            text = f"A line ({line.strip()[:60]}) of the lock is no entry; expected an id, a hash and perhaps retired."
            findings.append(Finding(display_path(path), Position(number, 1), "lock", text))
        elif match["id"] in entries:
            text = f"A rule ({match['id']}) stands twice in the lock."
            findings.append(Finding(display_path(path), Position(number, 1), "lock", text))
        else:
            entries[match["id"]] = Entry(match["id"], match["hash"], bool(match["retired"]))
    return entries, findings


def check_lock(root: Path, rules: Iterable[LockedRule], acknowledge: Iterable[str] = ()) -> list[Finding]:
    """Rules whose meaning differs from their line in the lock; new and removed rules are no findings."""
    path = root / LOCK
    entries, findings = read_lock(path)
    acknowledged = set(acknowledge)
    known: set[str] = set()
    for rule in rules:
        known.add(rule.id)
        entry = entries.get(rule.id)
        if entry is not None and rule.hash and entry.hash != rule.hash:
            findings += _changed(root, rule, entry, acknowledged)
    for name in sorted(acknowledged - known):
        text = f"A rule ({name}) that is acknowledged does not exist{did_you_mean(name, known)}"
        findings.append(Finding(display_path(path), Position(1, 1), "lock", text))
    return findings


def _changed(root: Path, rule: LockedRule, entry: Entry, acknowledged: set[str]) -> Iterator[Finding]:
    file, at = display_path(root / rule.file), Position(rule.line, rule.column)
    if entry.retired:
        text = f"A rule ({entry.id}) has the id of a retired rule of another meaning; expected a new id."
        yield Finding(file, at, "retired-rule", text)
    elif entry.id not in acknowledged:
        text = f"The meaning of a rule ({entry.id}) differs from the one locked under its id"
        yield Finding(file, at, "changed-rule", f"{text}; expected a new id, or --acknowledge {entry.id}.")


def updated_lock(root: Path, rules: Iterable[LockedRule], acknowledge: Iterable[str] = ()) -> str:
    """The new text of the lock; raise `SpecErrors` for a change that is not acknowledged."""
    current = list(rules)
    findings = check_lock(root, current, acknowledge)
    if findings:
        raise SpecErrors(findings)
    entries, _ = read_lock(root / LOCK)
    lines = {name: Entry(name, entry.hash, retired=True) for name, entry in entries.items()}  # unless it is a rule now
    lines |= {rule.id: Entry(rule.id, rule.hash) for rule in current if rule.hash}
    return _HEADER + "".join(f"{lines[name]}\n" for name in sorted(lines))
