"""Facts from elsewhere than the page: a C header, and a JSON file of facts about the library's sources.

The JSON file has either of two forms. ``{"aclnnX": {"events": [[kind, names, value, status], ...]}}`` lists the checks
of a function in their order; the kinds are ``null``, ``dtype`` (value: dtypes by product), ``dtype_same``,
``shape_same``, ``max_dim``, ``min_dim``, ``dim``, ``format``, ``cast``, ``broadcast``, ``empty`` and ``custom``.
``{"Op": {"rows": {product: {"params": [...], "rows": [[...]]}}}}`` lists the joint dtypes of a definition.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aclspec.codegen.importer.model import Fact, Function, JointTable, Parameter, Place
from aclspec.codegen.importer.prototype import read_header
from aclspec.codegen.importer.vocabulary import MOST_DIMENSIONS, dtypes
from aclspec.codegen.source.findings import START, Finding

_DIMENSIONS = {"max_dim": (0, None), "min_dim": (None, MOST_DIMENSIONS), "dim": (None, None)}


@dataclass(slots=True)
class Sources:
    """What was given beside the pages."""

    headers: dict[str, tuple[str, list[Parameter]]] = field(default_factory=dict)
    library: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    definitions: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def add_header(self, path: Path) -> None:
        """Take the prototypes of a C header."""
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            self._refuse(path, f"The header cannot be read ({(error.strerror or str(error)).lower()}).")
            return
        found = read_header(text)
        if not found:
            self._refuse(path, "The header declares no function aclnn...GetWorkspaceSize.")
        for name, parameters in found.items():
            self.headers.setdefault(name, (path.name, parameters))

    def add_facts(self, path: Path) -> None:
        """Take the facts of a JSON file."""
        try:
            loaded = json.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            self._refuse(path, f"The file of facts cannot be read ({(error.strerror or str(error)).lower()}).")
            return
        except (ValueError, RecursionError):
            self._refuse(path, "The file of facts is not JSON.")
            return
        entries = loaded.items() if isinstance(loaded, dict) else ()
        known = False
        for name, entry in entries:
            if isinstance(entry, dict) and isinstance(entry.get("events"), list):
                self.library[name], known = entry, True
            elif isinstance(entry, dict) and isinstance(entry.get("rows"), dict):
                self.definitions[_plain(name)], known = entry, True
        if not known:
            self._refuse(path, "The file of facts has no operator with the key events or rows.")

    def _refuse(self, path: Path, message: str) -> None:
        self.findings.append(Finding(path.as_posix(), START, "source", message))

    def apply(self, function: Function) -> None:
        """Add to a function what the sources say of it."""
        if header := self.headers.get(function.name):
            function.add(Fact("", "header", header[0], "header", Place(header[0])))
            self._signature(function, header[1], header[0])
        if entry := self.library.get(function.name):
            _Library(function, entry).read()
        elif entry := self.definitions.get(_plain(function.name.removeprefix("aclnn"))):
            _definition(function, entry)

    def _signature(self, function: Function, declared: Sequence[Parameter], file: str) -> None:
        """The header wins; where the page's prototype differs in more than ``const``, that is remembered."""
        mine = [(one.kind, one.name) for one in function.parameters]
        if mine != [(one.kind, one.name) for one in declared]:
            said = ", ".join(one.name for one in function.parameters)
            function.add(Fact("", "signature", said, "page", Place(function.page), None, "prototype"))
            function.add(Fact("", "signature", ", ".join(one.name for one in declared), "header", Place(file)))
        function.parameters = list(declared)


def _plain(name: str) -> str:
    """A name without case, underscores and the endings that pages and sources treat differently."""
    bare = re.sub(r"(?:Optional|Ref)$", "", name)
    return bare.replace("_", "").lower()


def _matching(function: Function, name: str) -> str | None:
    """The parameter that a source calls ``name``."""
    found = [one.name for one in function.parameters if _plain(one.name) == _plain(name)]
    return found[0] if len(found) == 1 else None


class _Library:
    """The checks of one function, in their order."""

    def __init__(self, function: Function, entry: Mapping[str, Any]) -> None:
        self.function = function
        self.place = Place(str(entry.get("path", "")))
        self.events = [event for event in entry["events"] if isinstance(event, list) and len(event) >= 3]

    def read(self) -> None:
        """Null checks, dtypes, dimensions, and the order of the kinds."""
        order: list[str] = []
        bounds: dict[str, list[int]] = {}
        for kind, names, value, *_ in self.events:
            if not isinstance(kind, str) or not isinstance(names, list):
                continue
            word = "rank" if kind in _DIMENSIONS else kind.split("_")[0]
            if word not in order:
                order.append(word)
            known = [name for one in names if isinstance(one, str) and (name := _matching(self.function, one))]
            for name in known:
                if kind == "null":
                    self._fact(name, "null", True)
                elif kind == "dtype" and isinstance(value, dict):
                    for product, listed in value.items():
                        found = dtypes(" ".join(map(str, listed)))
                        self._fact(name, "dtypes", found, frozenset((product,)))
                elif kind in _DIMENSIONS and isinstance(value, int) and 0 <= value <= MOST_DIMENSIONS:
                    low, high = _DIMENSIONS[kind]
                    low, high = (value if low is None else low), (value if high is None else high)
                    now = bounds.setdefault(name, [0, MOST_DIMENSIONS])
                    now[:] = [max(now[0], low), min(now[1], high)]
        for name, (low, high) in bounds.items():
            if low <= high:
                self._fact(name, "rank", tuple(range(low, high + 1)))
        self._fact("", "order", tuple(order))

    def _fact(self, subject: str, field: str, value: object, products: frozenset[str] | None = None) -> None:
        self.function.add(Fact(subject, field, value, "library", self.place, products, "source"))


def _definition(function: Function, entry: Mapping[str, Any]) -> None:
    """The joint rows of a definition, where each of its columns is one tensor of the function."""
    for product, table in entry["rows"].items():
        if not isinstance(table, dict):
            continue
        names = [_matching(function, str(name)) for name in table.get("params", ())]
        columns = [place for place, name in enumerate(names) if name is not None]
        tensors = [one.name for one in function.parameters if one.is_tensor]
        found = tuple(str(names[place]) for place in columns)
        if set(found) != set(tensors) or len(set(found)) < len(found):
            continue
        rows = {
            tuple(dtypes(str(row[place])) for place in columns)
            for row in table.get("rows", ())
            if len(row) == len(names)
        }
        if rows and all(all(row) for row in rows):
            place = Place(str(entry.get("path", "")))
            function.joint.append(JointTable(found, tuple(sorted(rows)), place, frozenset((product,)), "definition"))
