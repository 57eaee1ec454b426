"""The lock file of rule meanings: an id means the same for ever.

``rules.lock`` stands beside the specs: a line for every rule with its full id and a hash of its meaning, and one for
every id that was ever retired. A rule whose meaning differs from its line is an error until it is acknowledged; a
retired id is never given to another meaning.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from pathlib import Path

from aclspec.codegen.consistency.rules import Lets, lets_of
from aclspec.codegen.findings import Finding, SpecErrors, did_you_mean, display_path
from aclspec.codegen.folders import LOCK
from aclspec.codegen.load import Project
from aclspec.codegen.predicate.unparse import unparse
from aclspec.codegen.same import Made, Same
from aclspec.runtime.info import MODES, OperatorInfo, RuleInfo
from aclspec.runtime.predicate.nodes import InRows, Node, Position
from aclspec.runtime.predicate.walk import children

_HEADER = """\
# The meaning of every rule, as a hash; written by aclspec generate. A changed line is a changed meaning under an old
# id: give the rule a new id, or acknowledge the change. A retired id is never given to another meaning.
"""
_LINE = re.compile(r"(?P<id>\w+\.[a-z0-9-]+) (?P<hash>[0-9a-f]{16})(?P<retired> retired)?")
_MAX_COMBINATIONS = 4096


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the lock file."""

    id: str
    hash: str
    retired: bool = False

    def __str__(self) -> str:
        """The line."""
        return f"{self.id} {self.hash}{' retired' if self.retired else ''}"


def meaning(info: OperatorInfo, rule: RuleInfo, lets: Lets | None = None) -> str:
    """What a rule says, in a canonical text: equal texts mean equal rules."""
    lets = lets or lets_of(tuple(map(Same, info.lets)))
    parts = [
        f"kind: {rule.kind}",
        *(f"{mode}: {status}" for mode, status in rule.status),
        f"products: {' '.join(sorted(rule.products)) or 'all'}",
        f"outcome: {rule.outcome}",
        f"effect: {rule.effect}",
        f"when: {_text(rule.when, lets)}",
        f"require: {_text(rule.require, lets)}",
    ]
    if rule.kind == "product":
        parts.append(f"listed: {' '.join(sorted(key for key, _ in info.products))}")
    for params in dict.fromkeys(_row_params(rule.require)):
        parts += _rows(info, params)
        parts += (f"checked {name}: {_text(info.param(name).checked, lets)}" for name in params)
    return "\n".join(parts)


def _text(node: Node | None, lets: Lets) -> str:
    return "none" if node is None else unparse(lets.expand(node))


def _row_params(node: Node | None) -> Iterator[tuple[str, ...]]:
    """The parameters of every look into the dtype rows."""
    if isinstance(node, InRows):
        yield node.params
    elif node is not None:
        for child in children(node):
            yield from _row_params(child)


def _rows(info: OperatorInfo, params: tuple[str, ...]) -> Iterator[str]:
    """The legal combinations of some parameters, for each product and mode."""
    for mode in MODES:
        for key in sorted({key for row in info.rows for key in row.products}):
            found: set[str] = set()
            for row in info.rows:
                if key in row.products and mode in row.modes:
                    found |= set(_combinations([dict(row.cells)[name] for name in params]))
            yield f"{mode} {key}: {'; '.join(sorted(found))}"


def _combinations(cells: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Each combination by itself, so that how rows are written does not count; very many are kept together."""
    if prod(len(cell) for cell in cells) > _MAX_COMBINATIONS:
        yield " ".join("|".join(sorted(cell)) for cell in cells)
    else:
        yield from (" ".join(choice) for choice in product(*cells))


def digest(info: OperatorInfo, rule: RuleInfo, lets: Lets) -> str:
    """The hash of a meaning; of a rule that is about no rows and no products it is that of all the very same rules."""
    if rule.kind == "product" or any(_row_params(rule.require)):
        return _digest(info, rule, lets)
    return _DIGESTS.of((Same(rule), Same(lets)), lambda: _digest(info, rule, lets))


_DIGESTS = Made[str]()


def _digest(info: OperatorInfo, rule: RuleInfo, lets: Lets) -> str:
    return hashlib.sha256(meaning(info, rule, lets).encode()).hexdigest()[:16]


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


def locked(info: OperatorInfo) -> tuple[tuple[str, str], ...]:
    """The rules of an operator as the lock knows them: the full id of each, and its hash."""
    lets = lets_of(tuple(map(Same, info.lets)))
    return tuple((f"{info.name}.{rule.id}", digest(info, rule, lets)) for rule in info.rules)


def check_lock(project: Project, acknowledge: Iterable[str] = ()) -> list[Finding]:
    """Rules whose meaning differs from their line in the lock; new rules and removed ones are no findings."""
    path = project.root / LOCK
    entries, findings = read_lock(path)
    acknowledged = set(acknowledge)
    known: set[str] = set()
    for operator in project.operators:
        for rule, (name, found) in zip(operator.info.rules, locked(operator.info), strict=True):
            known.add(name)
            entry = entries.get(name)
            if entry is not None and entry.hash != found:
                findings += _changed(operator.source.file, operator.places[rule.id], entry, acknowledged)
    for name in sorted(acknowledged - known):
        text = f"A rule ({name}) that is acknowledged does not exist{did_you_mean(name, known)}"
        findings.append(Finding(display_path(path), Position(1, 1), "lock", text))
    return findings


def _changed(file: str, at: Position, entry: Entry, acknowledged: set[str]) -> Iterator[Finding]:
    if entry.retired:
        text = f"A rule ({entry.id}) has the id of a retired rule of another meaning; expected a new id."
        yield Finding(file, at, "retired-rule", text)
    elif entry.id not in acknowledged:
        text = f"The meaning of a rule ({entry.id}) differs from the one locked under its id"
        yield Finding(file, at, "changed-rule", f"{text}; expected a new id, or --acknowledge {entry.id}.")


def updated_lock(project: Project, acknowledge: Iterable[str] = ()) -> str:
    """The text of the lock for a project; raise `SpecErrors` for a change that is not acknowledged."""
    findings = check_lock(project, acknowledge)
    if findings:
        raise SpecErrors(findings)
    return _text_of(read_lock(project.root / LOCK)[0], (rule for one in project.operators for rule in locked(one.info)))


def lock_text(root: Path, rules: Collection[tuple[str, str]], acknowledge: Collection[str] = ()) -> str | None:
    """The text of the lock for rules that are known already; None where `updated_lock` has something to say."""
    text = _as_it_stands(root / LOCK, rules)
    if text is not None and not acknowledge:
        return text
    entries, findings = read_lock(root / LOCK)
    changed = any(name in entries and entries[name].hash != found for name, found in rules)
    return None if findings or changed or acknowledge else _text_of(entries, rules)


def _as_it_stands(path: Path, rules: Iterable[tuple[str, str]]) -> str | None:
    """The text of a lock that has a line for each of the rules, and else retired ids alone, as it would be written."""
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    lines = text.removeprefix(_HEADER).splitlines()
    ours = {f"{name} {found}" for name, found in rules}
    rest = set(lines) - ours
    ids = {line.partition(" ")[0] for line in lines}
    stands = text.startswith(_HEADER) and len(lines) == len(ours) + len(rest) == len(ids) and lines == sorted(lines)
    retired = all((match := _LINE.fullmatch(line)) is not None and match["retired"] for line in rest)
    return text if stands and retired and text.endswith("\n") else None


def _text_of(entries: dict[str, Entry], rules: Iterable[tuple[str, str]]) -> str:
    # What is no longer a rule keeps its line for ever.
    lines = {name: Entry(name, entry.hash, retired=True) for name, entry in entries.items()}
    lines |= {name: Entry(name, found) for name, found in rules}
    return _HEADER + "".join(f"{lines[name]}\n" for name in sorted(lines))


def update(project: Project, acknowledge: Iterable[str] = ()) -> Path:
    """Write the lock file, all of it or nothing; its path."""
    path = project.root / LOCK
    text = updated_lock(project, acknowledge)
    temporary = path.with_name(f".{LOCK}.{os.getpid()}")
    temporary.write_text(text, encoding="utf-8", newline="\n")
    temporary.replace(path)
    return path
