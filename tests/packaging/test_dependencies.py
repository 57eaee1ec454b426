"""Dependencies go one way: the runtime stands alone, generated code needs only it, the command line sees everything."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ALLOWED = {
    "runtime/aclspec/runtime": {"runtime"},
    "generated/aclspec/ops": {"ops", "runtime"},
    "codegen/aclspec/codegen": {"codegen", "runtime"},
    "codegen/aclspec/cli": {"cli", "codegen", "ops", "runtime"},
}
THIRD_PARTY = {
    "runtime/aclspec/runtime": {"ml_dtypes", "numpy"},
    "generated/aclspec/ops": set(),
    "codegen/aclspec/codegen": {
        "dask",
        "distributed",
        "elftools",
        "jinja2",
        "lxml",
        "markdown_it",
        "markupsafe",
        "ml_dtypes",
        "numpy",
        "pyarrow",
        "pydantic",
        "pydantic_core",
        "rich",
        "yaml",
    },
    "codegen/aclspec/cli": {"click", "numpy", "rich", "typer"},
}
NAMESPACE = "aclspec"


def imported(path: Path) -> Iterator[str]:
    """The full names of what a file imports, wherever in it the import stands."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def parts(path: Path) -> tuple[set[str], set[str]]:
    """The parts of aclspec that a file imports, and the top-level packages of everything else."""
    names = [name.split(".") for name in imported(path)]
    return {name[1] for name in names if name[0] == NAMESPACE}, {name[0] for name in names} - {NAMESPACE}


@pytest.mark.parametrize("folder", ALLOWED)
def test_each_part_imports_what_it_may(folder: str) -> None:
    files = sorted((ROOT / folder).rglob("*.py"))
    assert files
    for path in files:
        ours, others = parts(path)
        assert ours <= ALLOWED[folder], path
        runs_tests = "testing" in path.parts or path.parts[-2:] in (
            ("mutate", "kernels.py"),
            ("cli", "pytest_plugin.py"),
        )
        testing = {"pytest", "torch"} if runs_tests else set()
        by_torch = path.parent.name in (
            "missing",
            "torch_kernels",
            "torch_library",
        )  # in PyTorch's own process, and where asked to
        testing |= {"torch"} if by_torch else set()
        by_site = {"latex2mathml", "pygments"} if path.parent.name == "pages" else set()  # the extra docs
        assert others - set(sys.stdlib_module_names) <= THIRD_PARTY[folder] | testing | by_site, path


def test_an_import_is_seen_wherever_it_stands(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("def f():\n    from aclspec import ops\n    import aclspec.codegen.pipeline.load, yaml.reader\n")
    assert parts(file) == ({"ops", "codegen"}, {"yaml"})


def test_modules_named_in_strings() -> None:
    """What is imported by a name at run time, which no import statement shows."""
    for folder, allowed in ALLOWED.items():
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
                    named = [word for word in ast.walk(node) if isinstance(word, ast.Constant)]
                    for word in (str(constant.value) for constant in named):
                        if word.startswith(f"{NAMESPACE}."):
                            assert word.split(".")[1] in allowed, path
