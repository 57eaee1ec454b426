"""What importing the operators brings in, and what it does not."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = {"pydantic", "jinja2", "yaml", "typer", "rich", "aclspec.codegen", "aclspec.cli"}


def loaded(statement: str) -> set[str]:
    """The modules of a new interpreter after a statement."""
    code = f"import sys, json\n{statement}\nprint(json.dumps(list(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize(
    "statement",
    [
        "from aclspec import ops",
        "from aclspec import ops; ops.prelu_backward",
        "import aclspec.runtime",
        "from aclspec import ops; ops.get('prelu_backward').info",
    ],
)
def test_neither_the_generator_nor_the_command_line_is_loaded(statement: str) -> None:
    assert loaded(statement) & HEAVY == set()


def test_an_operator_is_loaded_when_it_is_used() -> None:
    assert not {name for name in loaded("from aclspec import ops") if name.startswith("aclspec.ops.")} - {
        "aclspec.ops._table"
    }
    used = loaded("from aclspec import ops; ops.prelu_backward")
    assert "aclspec.ops.prelu_backward" in used
    assert "aclspec.ops.batch_norm_reduce_backward" not in used
    assert "aclspec.runtime.rules.operator_data" not in used


def test_the_runtime_stands_alone() -> None:
    assert not any(name.startswith("aclspec.ops") for name in loaded("import aclspec.runtime; aclspec.runtime.Tensor"))
