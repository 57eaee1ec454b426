"""An operator whose names are all in the way: of Python, of its builtins and of our own keywords."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from random import Random
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import pytest

from aclspec.codegen.derive import Cases
from aclspec.codegen.emit.operator import emit
from aclspec.codegen.pipeline.load import load_project
from aclspec.codegen.render.build import OperatorBuild, target_of
from aclspec.codegen.render.environment import docstring, format_python
from aclspec.codegen.render.info import render_info
from aclspec.codegen.render.module import render_operator
from aclspec.codegen.render.package import render_package
from aclspec.codegen.spec.project import Operator, Project
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.errors import AclnnError
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.abi.products import KEYS
from aclspec.runtime.rules.interpreter import evaluate
from aclspec.runtime.rules.operator_info import MODES
from aclspec.runtime.tensors.tensor import Scalar, Tensor

PACKAGE = "wild.ops"


@pytest.fixture(scope="module")
def project() -> Project:
    return load_project(Path(__file__).parent / "specs")


def built(operator: Operator, universe: tuple[str, ...]) -> OperatorBuild:
    return OperatorBuild(operator, emit(operator.info, universe, {}), cast(Cases, None))


def written(project: Project, root: Path, package: str) -> Path:
    """The package of one operator, written; without tests and manual."""
    target = target_of(project, package)
    (operator,) = project.operators
    files = render_package([operator.info for operator in project.operators], target)
    files[target.folder / f"{operator.info.snake}.py"] = render_operator(built(operator, target.universe), target)
    files[target.folder / "_info" / f"{operator.info.snake}.json"] = render_info(operator.info)
    for path, text in format_python(files).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def folder(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(project, tmp_path_factory.mktemp("wild"), PACKAGE)


@pytest.fixture
def ops(folder: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(folder))
    return import_module(PACKAGE)


def test_the_info_is_the_spec(project: Project, ops: ModuleType) -> None:
    assert ops.get("any").info == project.operators[0].info


def test_the_check_agrees_with_the_interpreter(ops: ModuleType) -> None:
    operator = ops.get("aclnnAny")
    random = Random(3)
    decided: set[str | None] = set()
    for _ in range(3000):
        call = a_call(random)
        product, mode = random.choice(KEYS), random.choice(MODES)
        report = evaluate(operator.info, call, product, mode)
        verdict = operator.check(product, mode == "library", *call.values())
        expected = None if report.first is None else (f"aclnnAny.{report.first}", int(report.status))
        assert (verdict and (verdict.rule, verdict.status(mode == "library"))) == expected, call
        decided.add(report.first)
    assert len(decided) > 25


def a_call(random: Random) -> dict[str, Any]:
    """A call that is mostly right."""
    dtype = random.choice((DType.FLOAT, DType.FLOAT, DType.BF16))
    size = random.choice((1, 2, 3, 7))

    def tensor(likely: float = 0.95) -> Tensor | None:
        if random.random() > likely:
            return None
        rank = random.choice((0, 3, 4, 5, 9)) if random.random() < 0.1 else 2
        shape = (random.choice((2, 2, 2, size)),) * rank
        layout = Format.ND if len(shape) not in (3, 4) else random.choice((Format.NCL, Format.NCHW))
        steps = tuple(range(1, len(shape) + 1)) if random.random() < 0.03 else None
        kind = dtype if random.random() < 0.95 else random.choice((DType.FLOAT, DType.BF16, DType.INT8))
        return Tensor(shape=shape, dtype=kind, format=layout, strides=steps)

    def ints(likely: float = 0.95) -> tuple[int, ...] | None:
        found = tuple(random.choice((1, 1, 2, 2, 3, 0)) for _ in range(random.choice((0, 1, 2, 2, 3))))
        return found if random.random() < likely else None

    return {
        "self": tensor(),
        "input": tensor(0.5),
        "lambda": tuple(tensor() for _ in range(random.randrange(3))) if random.random() < 0.5 else None,
        "min": Scalar(1, DType.FLOAT) if random.random() < 0.5 else None,
        "max": random.choice((0, 1, 2, 2, 3)),
        "len": random.choice(((1,), (2,), (1, 2), ints())),
        "stride": ints(0.5),
        "library": random.choice((0.5, 1.0, 1.0, 1.0, float("nan"))),
        "kind": DType.FLOAT,
        "mode": random.choice(("sum", "sum", "mean", None, "max")),
        "keep": random.random() < 0.5,
        "outputs": tensor(),
    }


def test_outputs_are_inferred(ops: ModuleType) -> None:
    operator = ops.get("any")
    tensor = Tensor(shape=(4, 5), dtype="FLOAT", format="ND")
    rest = (None, None, None, 1, (1,), None, 1.0, DType.FLOAT, "sum")
    assert operator.infer(tensor, *rest, True) == (((4, 1), DType.FLOAT, Format.ND),)
    assert operator.infer(tensor, *rest, False) == (None,)
    assert operator.infer(Tensor(shape=(), dtype="FLOAT", format="ND"), *rest, True) == (None,)
    assert operator.infer(None, *rest, True) == (None,)


def test_precision_has_a_row_for_every_call(ops: ModuleType) -> None:
    operator = ops.get("any")
    half = Tensor(shape=(4, 5), dtype="FLOAT16", format="ND")
    rest = (None, None, None, 1, (1,), None, 1.0, DType.FLOAT, "sum", True, half)
    assert operator.precision("atlas_a2", half, *rest) == {"work": DType.FLOAT}
    assert operator.precision("ascend_950", half, *rest) == {"work": DType.FLOAT16}


@pytest.mark.parametrize("command", ["check", "format --check"])
def test_the_linter_has_nothing_to_say(
    folder: Path, repository: Path, program: Callable[[str], str], command: str
) -> None:
    arguments = [program("ruff"), *command.split(), "--no-cache", "--config", str(repository / "pyproject.toml")]
    done = subprocess.run([*arguments, "."], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_type_checker_has_nothing_to_say(folder: Path, repository: Path) -> None:
    pytest.importorskip("mypy")
    files = [str(path) for path in sorted(folder.rglob("*.py"))]
    config = ["--config-file", str(repository / "pyproject.toml"), "--cache-dir", str(folder / ".mypy_cache")]
    done = subprocess.run([sys.executable, "-m", "mypy", *config, *files], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


NAMES = ("Check", "Infer", "Precision", "Math", "Shapes", "Builtins", "FunctionOf", "Get", "Names")


@pytest.mark.parametrize("name", NAMES)
def test_an_operator_called_as_something_of_its_module(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its function gets an underscore, so that the checks and the package stay what they are."""
    specs = tmp_path / "specs"
    shutil.copytree(Path(__file__).parent / "specs", specs)
    spec = specs / "reduce" / "any.yaml"
    spec.write_text(spec.read_text(encoding="utf-8").replace("aclnnAny", f"aclnn{name}"), encoding="utf-8")
    package = f"wild_{name.lower()}"
    monkeypatch.syspath_prepend(str(written(load_project(specs), tmp_path, package)))
    monkeypatch.setitem(sys.modules, "k", ModuleType("k"))
    monkeypatch.setitem(sys.modules, "k.any", SimpleNamespace(any=lambda *_: None))
    ops = import_module(package)
    operator = ops.get(f"aclnn{name}")
    assert ops.names() == (operator.snake,)
    assert operator.snake.endswith("_")
    module = import_module(operator.module)
    tensor = Tensor(shape=(4, 5), dtype="FLOAT", format="ND")
    call = {"self": tensor, "max": 1, "len": (1,), "library": 1.0, "kind": DType.FLOAT, "keep": False}
    assert operator.explain(**call, product="atlas_a2").ok
    assert (module.check, module.infer, module.precision) == (operator.check, operator.infer, operator.precision)
    refused = operator.explain(**call | {"max": 3}, product="atlas_a2")["atlas_a2"].violations[0]
    with pytest.raises(AclnnError) as error:
        getattr(module, operator.snake)(**call | {"max": 3}, product="atlas_a2")
    assert error.value.rule == refused.rule


@pytest.mark.parametrize(
    "text", ['Says "no"', 'Holds """ inside', '"""', 'A \\ and """', "Ends in \\", 'Two lines\n    """', "π \\d"]
)
def test_a_docstring_says_what_the_text_says(text: str) -> None:
    code = f"def function() -> None:\n    {docstring(text, 4)}\n"
    (function,) = ast.parse(code).body
    assert isinstance(function, ast.FunctionDef)
    assert (ast.get_docstring(function, clean=False) or "").rstrip() == text
