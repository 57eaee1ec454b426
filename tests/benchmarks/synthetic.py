"""Many specs: ours in turn, each under another name of its operator.

From the second copy on one number of each is another one too: an integer of a predicate, a default, or a dtype that is
left out of a list, so that each checks something else. A change that makes a spec wrong is not taken, and the next one
is tried.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import yaml

from aclspec.codegen.derive.cache import key
from aclspec.codegen.derive.cases import derive_cases
from aclspec.codegen.kept import Versions
from aclspec.codegen.load import load_operator, load_project, load_tables
from aclspec.codegen.tables import Tables
from aclspec.runtime.dtypes import DType
from aclspec.runtime.info import OperatorInfo

SPECS = Path(__file__).resolve().parents[2] / "specs"
_INTEGER = re.compile(r"(?<![\w.])(?:[89]|[1-9]\d+)(?![\w.])")
"""An integer of a predicate that is a bound, and no axis or count of axes."""
_TRIES = 12


def synthesize(folder: Path, count: int) -> Iterator[tuple[OperatorInfo, OperatorInfo]]:
    """Write so many specs: each of ours in turn with a number in its names, and with one of its numbers changed.

    After each is written, it comes compiled, with the one of ours that it was made of.
    """
    shutil.copytree(SPECS / "common", folder / "common")
    tables = load_tables(folder, [])
    ours = [path for path in sorted(SPECS.glob("*/*.yaml")) if path.parent.name not in ("common", "clauses")]
    trees = [_without_clauses(yaml.safe_load(path.read_text(encoding="utf-8"))) for path in ours]
    originals = {operator.info.name: operator.info for operator in load_project(SPECS).operators}
    for number in range(count):
        path, tree = ours[number % len(ours)], trees[number % len(ours)]
        target = folder / path.parent.name / f"{path.stem}_n{number}.yaml"
        target.parent.mkdir(parents=True, exist_ok=True)
        changes = islice(_perturbed(tree, number // len(ours)), _TRIES) if number >= len(ours) else ()
        for changed in (*changes, tree):
            text = yaml.safe_dump(changed, sort_keys=False, allow_unicode=True, width=10_000)
            target.write_text(text.replace(tree["op"], f"{tree['op']}N{number}"), encoding="utf-8")
            made = _loaded(folder, target, tables)
            if made is not None:
                yield made, originals[tree["op"]]
                break


def change(root: Path, path: Path) -> bool:
    """Write a spec with one of its numbers changed; False, and the spec as it was, where none can be."""
    tables, before = load_tables(root, []), path.read_text(encoding="utf-8")
    for changed in islice(_perturbed(yaml.safe_load(before), 1), _TRIES):
        path.write_text(yaml.safe_dump(changed, sort_keys=False, allow_unicode=True, width=10_000), encoding="utf-8")
        if _loaded(root, path, tables) is not None:
            return True
    path.write_text(before, encoding="utf-8")
    return False


def keep_cases(made: OperatorInfo, original: OperatorInfo, cache: Path) -> None:
    """Put the derived cases of the original where those of the copy are looked for.

    Where a number differs they are not the right ones for it, but they take as long to write.
    """
    cases = derive_cases(original)
    cases = replace(cases, suite=replace(cases.suite, operator=made.name))
    Versions(cache / "derive" / made.snake).store(key(made), cases)


def _loaded(root: Path, path: Path, tables: Tables) -> OperatorInfo | None:
    """A spec compiled; None where it has a mistake."""
    operator, findings = load_operator(root, path, tables)
    wrong = operator is None or any(finding.severity == "error" for finding in findings)
    return None if wrong or operator is None else operator.info


def _perturbed(tree: Any, turn: int) -> Iterator[Any]:
    """The spec with one thing changed, a different thing first at each turn."""
    places = list(_places(tree, ()))
    for at in range(len(places)):
        path, change = places[(7 * turn + at) % len(places)]
        yield _replaced(tree, path, change(turn))


def _places(node: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Callable[[int], Any]]]:
    """What can be changed, and how."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key not in ("examples", "summary", "notes", "formula", "doc"):
                yield from _places(value, (*path, key))
    elif isinstance(node, list):
        if len(node) > 1 and all(isinstance(item, str) and item in DType.__members__ for item in node):
            yield path, lambda turn: [item for place, item in enumerate(node) if place != turn % len(node)]
        for place, value in enumerate(node):
            yield from _places(value, (*path, place))
    elif path[-1] in ("require", "when") and isinstance(node, str) and _INTEGER.search(node):
        yield path, lambda turn: _INTEGER.sub(lambda found: str(int(found[0]) + 1 + turn), node, count=1)
    elif path[-1] == "default":
        yield path, lambda turn: not node if isinstance(node, bool) else node + 1 if isinstance(node, int) else node


def _replaced(node: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    if isinstance(node, dict):
        return {**node, path[0]: _replaced(node[path[0]], path[1:], value)}
    return [_replaced(item, path[1:], value) if place == path[0] else item for place, item in enumerate(node)]


def _without_clauses(node: Any) -> Any:
    """A spec that stands alone, without what the documents say."""
    if isinstance(node, dict):
        return {key: _without_clauses(value) for key, value in node.items() if key != "clauses"}
    return [_without_clauses(value) for value in node] if isinstance(node, list) else node
