"""Mutants of kernels: which there are, that wrong ones are killed, and what the list of the others may say."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from aclspec.codegen.mutate import kernels
from aclspec.codegen.mutate.kernel_mutants import KernelMutant, functions_of, kernel_mutants
from aclspec.codegen.mutate.kernels import KernelJudge, Operation, function_of, main, mutants_of, read_list
from aclspec.codegen.mutate.run import BadList
from tests.support.suites import own_suite

SAME = "Scratch.load: `if array.dtype == dtype and array.flags.c_contiguous:` becomes `if False:`"
"""A mutant that copies without need."""
SOURCE = '''
"""A module."""

class Part:
    """A part."""

    @property
    def size(self) -> int:
        """Its size."""
        return self.stop - 1

def kernel(x, out, precision, axis=0):
    """Compute."""
    scale: float = 2.0
    if x.size > 0 and not precision["flat"]:
        out[...] = np.maximum(x, scale).astype(np.float32)
    out += x.sum(axis=-1)
    np.copyto(out, x.reshape(-1).astype(int, copy=True))
    assert out.size == 1
    return x if axis else round_to(x, 3)
'''


def test_every_kind_of_mutant_is_described() -> None:
    found = [mutant.description for mutant in kernel_mutants("some.module", SOURCE)]
    assert len(set(found)) == len(found)
    for expected in (
        "Part.size: `self.stop - 1` becomes `self.stop + 1`",
        "Part.size: `self.stop - 1` becomes `self.stop - 2`",
        "kernel: `if x.size > 0 and (not precision['flat']):` becomes `if False:`",
        "kernel: `x.size > 0` becomes `x.size >= 0`",
        "kernel: `x.size > 0 and (not precision['flat'])` becomes `x.size > 0 or not precision['flat']`",
        "kernel: `np.maximum(x, scale)` becomes `np.minimum(x, scale)`",
        "kernel: `np.maximum(x, scale).astype(np.float32)` becomes `np.maximum(x, scale)`",
        "kernel: `np.float32` becomes `np.float16`",
        "kernel: `scale: float = 2.0` becomes `scale: float = 3.0`",
        "kernel: `out += x.sum(axis=-1)` is gone",
        "kernel: `out += x.sum(axis=-1)` becomes `out -= x.sum(axis=-1)`",
        "kernel: `x.sum(axis=-1)` becomes `x.sum(axis=1)`",
        "kernel: `np.copyto(out, x.reshape(-1).astype(int, copy=True))` is gone",
        "kernel: `round_to(x, 3)` becomes `x`",
        "kernel: `x if axis else round_to(x, 3)` becomes `x`",
    ):
        assert f"module.{expected}" in found, found
    assert not any("assert" in one or "Compute" in one or "axis=0" in one for one in found)
    assert not any("reshape(-2)" in one or "copy=False" in one for one in found)


def test_every_mutant_is_one_change_of_the_code_of_its_function() -> None:
    source = Path(kernels.__file__).parents[4] / "runtime/aclspec/runtime/kernels/prelu.py"
    text = source.read_text(encoding="utf-8")
    assert [name for name, _ in functions_of(ast.parse(text))] == ["prelu_backward", "_one_row"]
    found = kernel_mutants("aclspec.runtime.kernels.prelu", text)
    assert len(found) > 30
    for mutant in found:
        own = function_of(mutant).__code__
        assert mutant.code.co_name == own.co_name
        assert mutant.code.co_varnames[: own.co_argcount] == own.co_varnames[: own.co_argcount]
        assert (mutant.code.co_code, mutant.code.co_consts, mutant.code.co_names) != (
            own.co_code,
            own.co_consts,
            own.co_names,
        )


@pytest.fixture(scope="module")
def judge() -> KernelJudge:
    operator = import_module("aclspec.ops.prelu_backward").OPERATOR
    return KernelJudge([Operation(operator, own_suite("prelu_backward"), 30)], [], {})


@pytest.fixture
def mutant(judge: KernelJudge) -> Callable[[str], KernelMutant]:
    def find(words: str) -> KernelMutant:
        return next(one for one in mutants_of(judge.users) if words in one.description)

    return find


@pytest.mark.parametrize(
    "words", ["`np.greater(xs, 0)` becomes `np.greater_equal", "`clear(terms, positive)` is gone", "replace(terms"]
)
def test_a_wrong_kernel_is_killed(judge: KernelJudge, mutant: Callable[[str], KernelMutant], words: str) -> None:
    assert judge.complaint([operation for users in judge.users.values() for operation in users]) is None
    one = mutant(words)
    before = function_of(one).__code__
    assert judge.kills(one)
    assert function_of(one).__code__ is before


def test_a_kernel_that_means_the_same_survives(judge: KernelJudge, mutant: Callable[[str], KernelMutant]) -> None:
    assert not judge.kills(mutant(SAME))


def test_a_kernel_that_does_not_end_is_killed(
    judge: KernelJudge, mutant: Callable[[str], KernelMutant], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "SECONDS", 0.2)
    endless: dict[str, object] = {}
    exec(
        "def prelu_backward(grad_output, x, weight, grad_input, grad_weight, precision):\n    while True: pass", endless
    )
    code = endless["prelu_backward"].__code__  # type: ignore[attr-defined]
    one = mutant("prelu_backward: ")
    assert judge.kills(KernelMutant(one.module, one.function, "endless", code))


def test_the_list_explains_by_name_and_by_pattern(tmp_path: Path) -> None:
    path = tmp_path / "list.yaml"
    assert read_list(path).reason("m.f: `a[0]` becomes `a[1]`") is None
    path.write_text(
        "equivalent:\n- {mutant: 'm.f: `a[0]` becomes `a[1]`', reason: So.}\n- {mutant: 'm.g: *', reason: So.}\n"
    )
    listed = read_list(path)
    assert listed.reason("m.f: `a[0]` becomes `a[1]`") == "m.f: `a[0]` becomes `a[1]`"
    assert listed.reason("m.g: `b[0]` is gone") == "m.g: *"
    assert listed.reason("m.f: `a0` becomes `a1`") is None


@pytest.mark.parametrize(
    "text", ["[", "- one\n", "equivalent:\n- {mutant: one}\n", "equivalent: 3\n", "tests: [one]\n"]
)
def test_a_bad_list_is_told(text: str, tmp_path: Path) -> None:
    path = tmp_path / "list.yaml"
    path.write_text(text)
    with pytest.raises(BadList):
        read_list(path)


TEST = """
import numpy as np
from aclspec import ops

def test_the_product_of_zero_and_infinity():
    assert np.isnan(ops.prelu(np.zeros((1, 1), np.float32), np.array([np.inf], np.float32))).all()
"""


@pytest.mark.all
def test_the_command(
    capsys: pytest.CaptureFixture[str], repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACLSPEC_KERNELS", "numpy")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    listed = tmp_path / "list.yaml"
    options = ["--root", str(repository), "--calls", "30", "--workers", "1", "--equivalent", str(listed)]
    assert main([*options, "prelu_forward.prelu: `if *"]) == 0
    zero = "prelu_forward.prelu: `values > 0` becomes `values >= 0`"
    assert main([*options, zero]) == 1
    assert f"survives: {zero}" in capsys.readouterr().out
    path = tmp_path / "test_zero.py"
    path.write_text(TEST)
    listed.write_text(f"tests: {{prelu_forward: [{path}]}}\n")
    assert main([*options, zero]) == 0
    assert "1 killed" in capsys.readouterr().out
    path = tmp_path / "test_wrong.py"
    path.write_text("def test_wrong(): assert False\n")
    listed.write_text(f"tests: {{prelu_forward: [{path}]}}\n")
    assert main([*options, zero]) == 1
    assert "The kernels fail as they are" in capsys.readouterr().out
    path.unlink()
    assert main([*options, zero]) == 1
    assert "not found" in capsys.readouterr().out


@pytest.mark.all
def test_a_test_whose_threads_do_not_outlive_a_fork(repository: Path, tmp_path: Path) -> None:
    """The tests run in the process that forks, then in its children; there PyTorch would wait for threads for ever."""
    pytest.importorskip("torch")
    listed, path = tmp_path / "list.yaml", tmp_path / "test_threads.py"
    path.write_text(
        TEST.replace("    assert", "    torch.ones(1 << 22).exp()\n    assert").replace(
            "import numpy", "import torch, numpy"
        )
    )
    listed.write_text(f"tests: {{prelu_forward: [{path}]}}\n")
    zero = "prelu_forward.prelu: `values > 0` becomes `values >= *"
    options = ["--root", str(repository), "--calls", "30", "--workers", "1", "--equivalent", str(listed)]
    command = [sys.executable, "-m", "aclspec.codegen.mutate.kernels", *options, zero]
    environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    assert subprocess.run(command, cwd=repository, env=environment, timeout=300, check=False).returncode == 0
