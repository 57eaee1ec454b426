"""The operators that the tests of the derivation look at: the project's own, and toys with other shapes of rules."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from aclspec.codegen.derive import Cases, derive_cases
from aclspec.codegen.pipeline.load import load_project
from aclspec.codegen.spec.project import Project
from aclspec.runtime.rules.operator_info import OperatorInfo
from tests.support.project import own_project

TOYS = Path(__file__).parent / "specs"


@pytest.fixture(scope="session")
def project() -> Project:
    """The project's own specs."""
    return own_project()


@pytest.fixture(scope="session")
def toys() -> Project:
    """Specs with arrays, quantifiers, masks, lists, scalars, strings and an operator that works in place."""
    return load_project(TOYS)


@pytest.fixture(scope="session")
def info_of(project: Project, toys: Project) -> Callable[[str], OperatorInfo]:
    """The compiled spec of an operator by its C name."""
    found = {operator.info.name: operator.info for operator in (*project.operators, *toys.operators)}
    return found.__getitem__


@pytest.fixture(scope="session")
def cases_of(info_of: Callable[[str], OperatorInfo]) -> Callable[[str], Cases]:
    """The derived cases of an operator by its C name."""
    return cache(lambda name: derive_cases(info_of(name)))
