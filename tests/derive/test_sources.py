"""The key of derived cases takes in what derivation runs through and reads, all of it and nothing else."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest

from aclspec.codegen.derive.cache import key
from aclspec.codegen.derive.cases import derive
from aclspec.codegen.derive.sources import sources
from aclspec.codegen.load import Project
from aclspec.runtime.info import OperatorInfo, Text

LOADED = """
import importlib.util, sys, types
for name in sys.argv[1:]:  # packages that do nothing when they are imported
    package = types.ModuleType(name)
    package.__path__ = list(importlib.util.find_spec(name).submodule_search_locations)
    sys.modules[name] = package
import aclspec.codegen.derive.cases
loaded = [name for name, module in sys.modules.items() if getattr(module, "__file__", None)]
print(*[name for name in loaded if name.startswith("aclspec.")])
"""
RUN = """
import sys
from aclspec.codegen.derive.cases import derive
from aclspec.codegen.load import load_project
info = load_project().operator(sys.argv[1]).info
names = set()
sys.setprofile(lambda frame, event, argument: names.add(frame.f_globals.get("__name__")))
derive(info)
sys.setprofile(None)
print(*[name for name in names if name is not None and name.startswith("aclspec.")])
"""


def said(program: str, *arguments: str) -> set[str]:
    command = [sys.executable, "-c", program, *arguments]
    return set(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())


def test_the_sources_are_the_modules_that_the_derivation_imports() -> None:
    own = ("aclspec.codegen", "aclspec.codegen.derive", "aclspec.codegen.predicate")
    packages = (*own, "aclspec.runtime", "aclspec.runtime.testing")
    assert said(LOADED, *packages) == sources().keys()


def test_a_derivation_runs_through_no_other_module() -> None:
    through = said(RUN, "aclnnPrelu")
    assert {"aclspec.codegen.derive.search", "aclspec.runtime.predicate.interp"} <= through
    assert through <= sources().keys()


class Unread:
    """What fails whoever looks at it."""

    def fail(self, *_: Any) -> Any:
        raise AssertionError("it was read")

    __bool__ = __call__ = __eq__ = __getattr__ = __getitem__ = __hash__ = __iter__ = __len__ = __repr__ = fail
    __str__ = fail


def with_unread(info: OperatorInfo, unread: Any) -> OperatorInfo:
    """The operator with something else wherever the key does not look."""
    return replace(
        info,
        header=unread,
        category=unread,
        summary=unread,
        spec=unread,
        params=tuple(replace(param, doc=unread) for param in info.params),
        lets=tuple(replace(let, doc=unread) for let in info.lets),
        rules=tuple(replace(rule, clauses=unread, doc=unread, reason=unread) for rule in info.rules),
        examples=tuple(replace(example, title=unread, clauses=unread) for example in info.examples),
        compute=replace(
            info.compute,
            kernel=unread,
            tolerance=unread,
            deterministic=unread,
            precision=tuple(replace(row, doc=unread) for row in info.compute.precision),
        ),
    )


def test_what_the_key_leaves_out_is_never_read(project: Project) -> None:
    info = project.operator("aclnnPrelu").info
    unread = with_unread(info, Unread())
    assert key(unread) == key(info)
    assert derive(unread) == derive(info)


CHANGES: list[dict[str, Any]] = [
    {"name": "aclnnOther"},
    {"rules": ()},
    {"rows": ()},
    {"examples": ()},
    {"products": ()},
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: next(iter(change)))
def test_another_spec_has_another_key(project: Project, change: dict[str, Any]) -> None:
    info = project.operator("aclnnPrelu").info
    assert key(replace(info, **change)) != key(info)
    assert key(replace(info, summary=Text("another", "另一个"))) == key(info)


def test_the_guards_of_the_precision_table_are_in_the_key(project: Project) -> None:
    info = project.operator("aclnnConvolutionBackward").info
    without = replace(info, compute=replace(info.compute, precision=info.compute.precision[1:]))
    assert key(without) != key(info)
