"""The loaded specs: what every later stage reads of an operator and of the tables that all operators share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from aclspec.codegen.source.findings import Finding
from aclspec.codegen.source.naming import Name
from aclspec.codegen.source.yaml_tree import Source
from aclspec.codegen.spec.families import Families
from aclspec.codegen.spec.operator import OperatorSpec
from aclspec.codegen.spec.pasted import Pasted
from aclspec.codegen.spec.tables import ClausesFile, ProductSpec, StatusSpec
from aclspec.runtime.language.nodes import Position
from aclspec.runtime.rules.operator_info import OperatorInfo


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator: its model, its compiled form, its file, and the position of each rule in that file."""

    spec: OperatorSpec
    info: OperatorInfo
    source: Source = field(repr=False)
    places: Mapping[str, Position] = field(repr=False)

    @property
    def name(self) -> Name:
        """The name in every casing."""
        return Name(self.spec.op)

    @property
    def path(self) -> Path:
        """The YAML file."""
        return self.source.path


@dataclass(frozen=True, slots=True)
class Project:
    """Everything that a directory of specs says; operators in the order of their names."""

    root: Path
    operators: tuple[Operator, ...]
    products: tuple[ProductSpec, ...]
    statuses: tuple[StatusSpec, ...]
    clauses: tuple[ClausesFile, ...]
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    families: Families = field(default_factory=dict, repr=False)
    declared: tuple[OperatorInfo, ...] = ()
    """The operators known by signature alone, by name."""
    warnings: tuple[Finding, ...] = field(default=(), repr=False)
    pasted: Pasted = field(default_factory=Pasted, repr=False)
    """The grammar of pasted texts, and what codes mean."""

    def operator(self, name: str) -> Operator:
        """The operator of a C name or a snake_case name; KeyError when there is none."""
        for operator in self.operators:
            if name in (operator.info.name, operator.info.snake):
                return operator
        raise KeyError(name)
