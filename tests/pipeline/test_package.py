"""A generated package from outside: lazy, typed, with C names, and registered beside our own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from aclspec import ops
from tests.pipeline.conftest import Small

HEAD = """\
import sys
import numpy as np
import outside.ops as mine
from aclspec import ops

x = np.array([1, -2], np.float32)
"""


def run(program: str, small: Small) -> str:
    """Run a program that can import what was generated; what it prints."""
    path = os.pathsep.join([str(small.out), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", HEAD + program],
        cwd=small.root,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def built(small: Small) -> Small:
    """The small project, generated."""
    small.generate()
    return small


def test_its_operators_are_called_like_ours(built: Small) -> None:
    printed = run(
        """
print(mine.copy_all(x).out, mine.get("aclnnCopyAll")(self=x).out)
before = set(ops.names())
ops.register("outside.ops")
print(ops.copy_all(x).out, ops.get("copy_all").name, set(ops.names()) - before)
status, size, executor = ops.aclnnCopyAllGetWorkspaceSize(x, y := np.zeros_like(x))
print(int(status), size, int(ops.aclnnCopyAll(np.empty(size, np.uint8), size, executor)), y)
print(ops.get("copy_all").explain(x, product="atlas_training").ok)
""",
        built,
    )
    assert printed.splitlines() == [
        "[ 1. -2.] [ 1. -2.]",
        "[ 1. -2.] aclnnCopyAll {'copy_all'}",
        "0 512 0 [ 1. -2.]",
        "False",
    ]


def test_a_declared_operator_that_was_asked_for_gives_way(built: Small) -> None:
    printed = run(
        """
from aclspec.ops import _declared
row = ("aclnnCopyAll", "aclnnop/aclnn_copy_all.h", "atlas_a2", "self self in tensor, out out out tensor")
_declared.DECLARED["copy_all"] = row
names = ("copy_all", "aclnnCopyAll", "aclnnCopyAllGetWorkspaceSize", "CopyAllResult")
print(ops.copy_all.level, [hasattr(ops, name) for name in names])
ops.register("outside.ops")
print([getattr(ops, name) == getattr(mine, name) for name in names], ops.copy_all(x).out)
ops.register("outside.ops")
print(ops.copy_all(x).out)
""",
        built,
    )
    assert printed.splitlines() == [
        "declared [True, True, True, True]",
        "[True, True, True, True] [ 1. -2.]",
        "[ 1. -2.]",
    ]


def test_a_module_is_loaded_when_it_is_used(built: Small) -> None:
    printed = run(
        """
def loaded(): return sorted(name for name in sys.modules if name.startswith(("outside.ops", "aclspec.ops.")))
print(loaded())
ops.register(mine)
print(loaded(), "copy_all" in ops.names())
ops.copy_all
print(loaded())
print(mine.get("copy_all").info.name, loaded())
heavy = ("pydantic", "jinja2", "yaml", "aclspec.codegen")
print([name for name in heavy if name in sys.modules])
""",
        built,
    )
    assert printed.splitlines() == [
        "['outside.ops']",
        "['outside.ops'] True",
        "['outside.ops', 'outside.ops.copy_all']",
        "aclnnCopyAll ['outside.ops', 'outside.ops.copy_all']",
        "[]",
    ]


@pytest.mark.parametrize(
    "first",
    [
        "import outside.ops.copy_all",
        "from outside.ops.copy_all import OPERATOR",
        "from outside.ops import copy_all",
        "import importlib; importlib.import_module('outside.ops.copy_all')",
        "mine.get('copy_all')",
    ],
)
def test_the_function_is_not_hidden_by_its_module(built: Small, first: str) -> None:
    assert run(f"{first}\nprint(mine.copy_all(x).out, mine.aclnnCopyAll.__module__)", built) == (
        "[ 1. -2.] outside.ops.copy_all\n"
    )


def test_what_cannot_be_registered_is_told(built: Small) -> None:
    printed = run(
        """
for package in (np, "outside", "outside.nothing"):
    try:
        ops.register(package)
    except (TypeError, ImportError) as error:
        print(type(error).__name__, error)
ops.register("outside.ops")
ops.register("outside.ops")
""",
        built,
    )
    assert printed.splitlines() == [
        "TypeError The package (numpy) is not one that `aclspec generate --package` wrote: it has no CATALOG.",
        "TypeError The package (outside) is not one that `aclspec generate --package` wrote: it has no CATALOG.",
        "ModuleNotFoundError No module named 'outside.nothing'",
    ]


def test_of_two_operators_of_one_name_the_first_stays(built: Small) -> None:
    from aclspec.codegen.pipeline.generate import generate

    generate(built.specs, built.out, "other.ops")
    printed = run(
        """
import warnings
ops.register("outside.ops")
ops.copy_all
with warnings.catch_warnings(record=True, action="always") as told:
    ops.register("other.ops")
print([(one.category.__name__, str(one.message)) for one in told])
print(ops.get("aclnnCopyAll").module, ops.aclnnCopyAll.__module__, ops.copy_all(x).out)
with warnings.catch_warnings(action="error"):
    ops.register("other.ops", replace=True)
import outside.ops.copy_all
print(ops.get("aclnnCopyAll").module, ops.copy_all.__module__, ops.aclnnCopyAll.__module__, ops.copy_all(x).out)
print("copy_all" in dir(ops), mine.copy_all.__module__)
""",
        built,
    )
    text = (
        "The package other.ops has operators that are there already, which stay: copy_all. "
        "register('other.ops', replace=True) takes those of the package."
    )
    assert printed.splitlines() == [
        str([("UserWarning", text)]),
        "outside.ops.copy_all outside.ops.copy_all [ 1. -2.]",
        "other.ops.copy_all other.ops.copy_all other.ops.copy_all [ 1. -2.]",
        "True outside.ops.copy_all",
    ]


def test_a_package_may_have_an_operator_that_aclspec_has_too(built: Small) -> None:
    """All others of the package are there; with ``replace``, its own takes the place of ours, whoever imports what."""
    for folder in (built.specs, *built.out.rglob("calls")):
        for path in [one for one in folder.rglob("*.yaml") if "aclnnCopyAll" in one.read_text("utf-8")]:
            text = path.read_text("utf-8").replace("aclnnCopyAll", "aclnnAbs").replace("aclnn_copy_all", "aclnn_abs")
            path.with_name("abs.yaml").write_text(text, "utf-8")
    built.generate()
    printed = run(
        """
import warnings, aclspec.ops.abs
with warnings.catch_warnings(record=True, action="always") as told:
    ops.register("outside.ops")
print(len(told), ops.abs(x).out, ops.copy_all(x).out)
ops.register("outside.ops", replace=True)
print(ops.abs(x).out, ops.get("aclnnAbs").module, ops.copy_all(x).out)
del sys.modules["aclspec.ops.abs"]
import aclspec.ops.abs
print(ops.abs(x).out, ops.aclnnAbs.__module__)
""",
        built,
    )
    assert printed.splitlines() == [
        "1 [1. 2.] [ 1. -2.]",
        "[ 1. -2.] outside.ops.abs [ 1. -2.]",
        "[ 1. -2.] outside.ops.abs",
    ]


def test_unknown_names_have_a_suggestion() -> None:
    with pytest.raises(AttributeError, match=r"no attribute prelu_backwards \(did you mean prelu_backward\?\)"):
        ops.prelu_backwards  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(LookupError, match=r"The operator \(aclnnPrelBackward\) is unknown \(did you mean aclnnPrel"):
        ops.get("aclnnPrelBackward")
    with pytest.raises(AttributeError, match="has no attribute"):
        ops.aclnnNothingLikeIt  # type: ignore[attr-defined]  # noqa: B018


def test_every_public_name_is_there() -> None:
    assert set(ops.__all__) <= set(dir(ops))
    assert all(getattr(ops, name) is not None for name in ops.__all__)
    assert ops.aclnnPreluBackward.__module__ == "aclspec.ops.prelu_backward"


def test_the_function_has_the_signature_of_snake_case_and_takes_c_names(built: Small, repository: Path) -> None:
    import inspect

    import numpy as np

    signature = inspect.signature(ops.prelu_backward)
    assert list(signature.parameters)[:3] == ["grad_output", "self", "weight"]
    assert "grad_output: The gradient" in (ops.prelu_backward.__doc__ or "")
    ones = np.ones((2, 3), np.float32)
    keywords = {"gradOutput": ones, "self": ones, "weight": ones[0]}
    named = ops.prelu_backward(**keywords)
    assert (named.grad_input == ops.prelu_backward(ones, ones, ones[0]).grad_input).all()
    assert named._fields == ("grad_input", "grad_weight")
