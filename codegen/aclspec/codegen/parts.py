"""What single specs come to: the files that each alone decides, and its share of the files of all."""

from __future__ import annotations

import pickle
from pathlib import Path

from aclspec.codegen.findings import Finding, SpecErrors
from aclspec.codegen.ledger import content
from aclspec.codegen.load import Project, load_operator, load_tables
from aclspec.codegen.part import Part
from aclspec.codegen.partstore import PartStore
from aclspec.codegen.render.project import render_files, target_of
from aclspec.codegen.render.share import share_of
from aclspec.codegen.texts import Deflated


class Builder:
    """Builds the parts of the specs of one directory, for one package."""

    def __init__(self, root: Path, package: str) -> None:
        """Read the tables that all operators share."""
        findings: list[Finding] = []
        self.tables = load_tables(root, findings)
        self.findings = tuple(finding for finding in findings if finding.severity == "error")
        tables = self.tables
        self.project = Project(root, (), tables.products, tables.statuses, tables.clauses)
        self.target = target_of(self.project, package)
        self._store = PartStore(root, package)

    def build(self, file: Path) -> Part:
        """The part of one spec, which is kept unless it has mistakes."""
        before = content(file)
        part = self._built(file)
        if not part.findings and content(file) == before:  # else the text was changed meanwhile
            self._store.store(file, before, part)
        return part

    def _built(self, file: Path) -> Part:
        operator, findings = load_operator(self.project.root, file, self.tables)
        errors = tuple(finding for finding in findings if finding.severity == "error")
        if operator is None or errors or self.findings:
            return Part(file.stem, findings=(*self.findings, *errors))
        try:
            texts = render_files(self.project, operator, self.target)
        except SpecErrors as wrong:
            return Part(operator.info.name, findings=wrong.findings)
        files = {path.as_posix(): Deflated.of(text) for path, text in texts.items()}
        return Part(operator.info.name, pickle.dumps(share_of(operator)), files)
