"""The compiled specs hold predicates as text; the trees are those of the specs, parsed when they are first read."""

from __future__ import annotations

import pytest

from aclspec import ops
from aclspec.codegen.spec.project import Project
from aclspec.runtime.language.nodes import InRows, Symbol
from aclspec.runtime.language.parser import parse, parse_compiled
from aclspec.runtime.rules.operator_info import LetInfo, PrecisionInfo, RuleInfo
from tests.support.project import own_project


@pytest.fixture(scope="module")
def project() -> Project:
    return own_project()


@pytest.mark.parametrize("name", ops.names())
def test_the_trees_are_those_of_the_spec(name: str, project: Project) -> None:
    info = next(operator.info for operator in project.operators if operator.info.snake == name)
    compiled = ops.get(name).info
    assert repr(compiled) == repr(info)
    if "nan" not in repr(info.examples):  # which is not equal to itself
        assert compiled == info
        assert hash(compiled) == hash(info)


def test_a_field_is_parsed_when_it_is_first_read() -> None:
    rule = RuleInfo("id", "rule", ("self",), (), require="numel(self) == 1")  # type: ignore[arg-type]
    assert vars(rule)["require"] == "numel(self) == 1"
    assert rule.require == parse("numel(self) == 1")
    assert vars(rule)["require"] is rule.require
    assert rule.when is None


def test_pairs_and_fields_without_a_default_are_parsed_too() -> None:
    row = PrecisionInfo(roles=(("sum", "FLOAT"),))  # type: ignore[arg-type]
    assert row.roles == (("sum", Symbol("dtype", "FLOAT")),)
    assert LetInfo("n", "numel(self)", "int").value == parse("numel(self)")  # type: ignore[arg-type]


def test_only_a_compiled_predicate_names_the_dtype_rows() -> None:
    assert parse_compiled("in_rows(self, out)") == InRows(("self", "out"))
    with pytest.raises(Exception, match="A function \\(in_rows\\) is unknown"):
        parse("in_rows(self, out)")
