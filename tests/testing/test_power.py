"""A wrong kernel does not pass its reference, whatever it is wrong in; a right one does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.testing import References
from aclspec.runtime.testing.magnitude import WithMagnitude
from aclspec.runtime.testing.tolerance import Wanted, judge
from tests.support.kernels import kernel_of
from tests.testing import kernels
from tests.testing.conftest import COMPARED

Find = Callable[[str], References]
Kernel = Callable[..., Any]

CALLS = 200
"""As `make test-all` makes them; fewer do not show what is rare."""


@pytest.mark.parametrize(
    "name", ["blend", "product_sum", "scale_each", "softmax_backward", "squash", "squash_backward"]
)
def test_a_right_kernel_passes(toy: Find, name: str) -> None:
    compared = toy(name).check(60)  # of blend with a negative scalar, by which PyTorch's terms are no smaller
    assert compared.calls == 60
    assert compared.left_out * 5 < compared.elements


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("product_sum", "product_sum_off_by_one"),
        ("scale_each", "scale_the_first"),
        ("softmax_backward", "softmax_backward_of_the_last"),
        ("squash_backward", "squash_backward_of_a_square"),
        ("squash_backward", "squash_backward_to_half"),
        ("squash_backward", "squash_backward_on_top"),
    ],
)
def test_a_wrong_kernel_does_not(toy: Find, name: str, wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    references = toy(name)
    monkeypatch.setattr(references.operator, "numpy_kernel", getattr(kernels, wrong))
    with pytest.raises(AssertionError, match=r"; it must be .* tolerances\."):
        references.check(60)


@pytest.mark.parametrize(("power", "known"), [(52, True), (54, False)])
def test_integers_are_compared_as_far_as_float64_has_all_of_them(power: int, known: bool) -> None:
    value = np.array([2.0**power])
    wanted = Wanted(WithMagnitude(value, value), 0.0, (DType.INT64,))
    judged = judge(value.astype(np.int64) + 1, wanted)
    assert judged.known.tolist() == judged.wrong.tolist() == [known]


TESTS = """
import importlib, sys
import pytest
sys.modules["torch"] = None
from aclspec import ops
from aclspec.codegen.trace.sources import read_suites
from aclspec.runtime.testing import References

@pytest.mark.parametrize("name", ["convolution", "convolution_backward", "abs"])
def test_reference(name):
    suites = read_suites({root!r}, {root!r} / "generated" / "tests")
    References(ops.get(name), suites[ops.get(name).name].suite).check(1)

def test_skipped():
    pytest.skip("a test of somebody else: pip install torch")
"""


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ("reference or skipped", "2 operators are not compared with an independent reference: pip install torch"),
        ("abs or skipped", None),
    ],
)
def test_without_pytorch_a_line_says_what_is_not_compared(
    repository: Path, tmp_path: Path, chosen: str, said: str | None
) -> None:
    """Of a function of PyTorch and the gradient of one; a formula needs none."""
    head = "from pathlib import Path, PosixPath\n"
    (tmp_path / "test_some.py").write_text(head + TESTS.format(root=repository), encoding="utf-8")
    words = ["-q", "-p", "no:aclspec", "-p", "aclspec.cli.pytest_plugin", "-p", "no:cacheprovider", "-k", chosen]
    done = subprocess.run([sys.executable, "-m", "pytest", *words, str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert [line for line in done.stdout.splitlines() if line.endswith("pip install torch")] == ([said] if said else [])


def from_the_front(kernel: Kernel) -> Kernel:
    """A kernel that takes an axis counted from the end for the first one."""
    return lambda x, dim, *rest: kernel(x, max(dim, 0), *rest)


def through(dtype: type[np.generic], at: int) -> Callable[[Kernel], Kernel]:
    """A kernel that takes the elements of an argument that is INT64 through another dtype."""

    def wrapped(kernel: Kernel) -> Kernel:
        def narrow(*args: Any) -> Any:
            given = args[at]
            is_long = given.dtype == np.int64
            return kernel(*args[:at], given.astype(dtype).astype(np.int64) if is_long else given, *args[at + 1 :])

        return narrow

    return wrapped


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("cat", from_the_front),
        ("scatter_add", from_the_front),
        ("scatter_add", through(np.int8, 3)),
        ("cumsum", through(np.float32, 0)),
    ],
)
def test_a_kernel_that_is_wrong_for_few_calls_does_not(
    own: Find, name: str, wrong: Callable[[Kernel], Kernel], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A negative axis or a large integer, of which the examples have none."""
    references = own(name)
    if references.needs_torch:
        pytest.importorskip("torch")
    references.check(CALLS)
    monkeypatch.setattr(references.operator, "numpy_kernel", wrong(kernel_of(references.operator, "numpy")))
    with pytest.raises((AssertionError, ValueError)):
        references.check(CALLS)


def test_the_generated_test_asks_the_reference(toys: Path, repository: Path) -> None:
    """All other generated tests pass with the wrong axis, which is why there is this one."""
    script = (
        "import sys, pytest; from importlib import import_module; from tests.testing import kernels;"
        "import_module('referenced.ops.softmax_backward').OPERATOR.numpy_kernel = kernels.softmax_backward_of_the_last;"
        "sys.exit(pytest.main(sys.argv[1:]))"
    )
    file = str(toys / "tests" / "test_softmax_backward.py")
    options = ["-q", "-n", "0", "-p", "no:cacheprovider", "--rootdir", str(repository), "-c", "pyproject.toml", file]
    path = os.pathsep.join([str(toys), str(repository), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", script, *options],
        cwd=repository,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    failed = [line for line in done.stdout.splitlines() if line.startswith("FAILED")]
    assert len(failed) == 1, done.stdout[-3000:] + done.stderr
    assert "test[reference]" in failed[0]


@pytest.mark.parametrize("name", COMPARED)
def test_one_element_that_is_off_is_noticed(own: Find, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    references = own(name)
    if references.needs_torch:
        pytest.importorskip("torch")
    kernel = kernel_of(references.operator, "numpy")
    monkeypatch.setattr(references.operator, "numpy_kernel", _off(kernel, _compared(references)))
    with pytest.raises(AssertionError):
        references.check(40)


def _compared(references: References) -> int:
    """The place of the first output that has a reference, among the parameters in C order."""
    reference = references.info.compute.reference
    assert reference is not None
    names = [name for name, _ in reference.outputs]
    return next(at for at, param in enumerate(references.info.params) if param.name in names)


def _off(kernel: Callable[..., Any], place: int) -> Callable[..., None]:
    """The same kernel, with an output that is off in one element: a tenth too large, or other where it is whole."""

    def wrong(*values: Any) -> None:
        kernel(*values)
        out = values[place]
        if isinstance(out, tuple):
            out = max(out, key=lambda one: one.size)
        if isinstance(out, np.ndarray) and out.size:
            sizes = np.array(np.abs(out.astype(np.float64)))
            if out.dtype.kind == "i":  # beyond half the range of a dtype nothing is compared
                sizes[sizes > np.iinfo(out.dtype).max / 2] = 0
            at = np.unravel_index(np.argmax(sizes), out.shape)
            out[at] = float(out[at]) * 1.1 if out.dtype.kind not in "iub" else (int(out[at]) + 1) % 2

    return wrong
