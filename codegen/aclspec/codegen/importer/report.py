"""Counts of a run: what was read from which pages, what was understood, what is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from aclspec.codegen.importer.draft import Draft, make_draft
from aclspec.codegen.importer.model import Function
from aclspec.codegen.importer.page import Page
from aclspec.codegen.importer.sentences import read_sentences
from aclspec.codegen.importer.sources import Sources
from aclspec.codegen.importer.writing import to_yaml
from aclspec.codegen.pipeline.load import has_errors, load_operator, load_tables
from aclspec.codegen.spec.project import Project


@dataclass(slots=True)
class ImportReport:
    """Counters by group; a group is a table of the report."""

    groups: dict[str, Counter[str]] = field(default_factory=dict)

    def count(self, group: str, word: str, number: int = 1) -> None:
        """Add to a counter."""
        self.groups.setdefault(group, Counter())[word] += number

    def add(self, page: Page, sources: Sources) -> None:
        """Count one page."""
        self.count("pages", "read" if page.functions else "refused")
        for finding in page.findings:
            self.count("findings", finding.kind)
        for function in page.functions:
            self._function(function, sources)

    def _function(self, function: Function, sources: Sources) -> None:
        self.count("pages", "functions")
        if function.name in sources.headers:
            declared = [str(one) for one in sources.headers[function.name][1]]
            same = [str(one) for one in function.parameters] == declared
            self.count("signatures", "as in the header" if same else "other than in the header")
        sources.apply(function)
        self._tables(function)
        for reading in read_sentences(function):
            where = "error rows" if reading.sentence.where == "error" else "other sentences"
            word = (
                "checks" if reading.is_check else "vague" if reading.is_vague else "remarks" if reading.outcomes else ""
            )
            self.count(where, word or "not understood")
            if reading.kind:
                self.count("classes", reading.kind)
        draft = make_draft(function)
        self.count("drafts", "drafts")
        self.count("drafts", "rules", len(draft.gathered.rules))
        self.count("drafts", "without a question", not draft.questions)
        self.count("drafts", "that lint", _is_checked(draft))
        for question in draft.questions:
            self.count("questions", question.kind)

    def _tables(self, function: Function) -> None:
        """The cells of the parameter table that have a value."""
        products = function.products
        self.count("facts", "functions with products", bool(products))
        for parameter in function.parameters:
            self.count("facts", "parameters")
            self.count("facts", "with a C type of specs", parameter.kind is not None)
            if parameter.is_tensor:
                self.count("facts", "tensors")
                for key in ("formats", "rank", "noncontiguous"):
                    self.count("facts", f"tensors with {key}", function.value(parameter.name, key) is not None)
                self.count("facts", "dtype cells", len(products))
                filled = sum(bool(function.dtypes(parameter.name, key)) for key in products)
                self.count("facts", "dtype cells with dtypes", filled)

    def rows(self) -> Iterable[tuple[str, str, int]]:
        """Every counter, group by group, the largest first."""
        for group, counter in self.groups.items():
            for word, number in counter.most_common():
                yield group, word, number

    def to_json(self) -> dict[str, dict[str, int]]:
        """The same for programs."""
        return {group: dict(counter.most_common()) for group, counter in self.groups.items()}


def _is_checked(draft: Draft) -> bool:
    """Whether nothing is wrong with a draft but what it is still asked."""
    with TemporaryDirectory(prefix="aclspec-draft-") as folder:
        file = Path(folder, str(draft.tree["category"]), f"{draft.file}.yaml")
        file.parent.mkdir()
        file.write_text(to_yaml(draft.tree), encoding="utf-8")
        _, findings = load_operator(Path(folder), file, _tables())
        return not has_errors(findings)


@cache
def _tables() -> Project:
    """The tables that every project has."""
    with TemporaryDirectory(prefix="aclspec-tables-") as folder:
        return load_tables(Path(folder))[0]
