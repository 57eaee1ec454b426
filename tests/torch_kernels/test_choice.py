"""Which kernels compute, what is said where they cannot, and what surrounds a call that PyTorch computes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from aclspec import ops
from aclspec.cli.main import main
from aclspec.runtime.torch_kernels import choice
from tests.support.kernels import kernel_of

X = np.array([[-1.5, 2.0], [0.0, -4.0]], np.float32)
WEIGHT = np.array([0.5, 0.25], np.float32)
EXPECTED = np.array([[-0.75, 2.0], [0.0, -1.0]], np.float32)
CALL = ["prelu", "--self", "float32[2,2]=-1", "--weight", "float32[2]=0.5"]


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> Any:
    found = pytest.importorskip("torch")
    monkeypatch.setenv("ACLSPEC_KERNELS", "torch")
    return found


@pytest.fixture
def without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where PyTorch is not installed."""
    monkeypatch.setenv("ACLSPEC_KERNELS", "torch")
    monkeypatch.setitem(sys.modules, "torch", None)
    for name in [name for name in sys.modules if name.startswith("aclspec.runtime.torch_kernels.")]:
        if name != choice.__name__:
            monkeypatch.delitem(sys.modules, name)
    choice._table.cache_clear()
    monkeypatch.setattr(choice, "_table", choice._table.__wrapped__)


def test_numpy_computes_unless_asked_and_imports_no_torch() -> None:
    program = (
        "import sys, numpy as np; from aclspec import ops; ops.erf(np.ones((2, 2), np.float32));"
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_the_choice_is_read_at_each_call(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    operator = ops.get("prelu")
    assert isinstance(kernel_of(operator, "numpy"), choice.TorchKernel)
    for kernels in ("numpy", ""):
        monkeypatch.setenv("ACLSPEC_KERNELS", kernels)
        assert not isinstance(kernel_of(operator, "numpy"), choice.TorchKernel)
    monkeypatch.setenv("ACLSPEC_KERNELS", "torch")
    assert not isinstance(kernel_of(ops.get("prelu_backward"), "numpy"), choice.TorchKernel)


def test_a_value_that_nobody_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACLSPEC_KERNELS", "tocrh")
    with pytest.raises(
        ValueError, match=r"the environment variable ACLSPEC_KERNELS \(tocrh\) is neither numpy nor torch \(did you"
    ):
        ops.prelu(X, WEIGHT)


@pytest.mark.usefixtures("without_torch")
def test_without_torch_the_first_call_says_so(capfd: pytest.CaptureFixture[str]) -> None:
    said = "ACLSPEC_KERNELS (torch) needs PyTorch, which is not installed"
    with pytest.raises(ValueError, match="needs PyTorch, which is not installed"):
        ops.prelu(X, WEIGHT)
    for command in ("run", "explain"):
        assert main([command, *CALL]) == 2
        error = capfd.readouterr().err
        assert said in error
        assert error.count("\n") == 1
    assert main(["doctor", "--json"]) == 1
    findings = {one["topic"]: one for one in json.loads(capfd.readouterr().out)["findings"]}
    assert findings["kernels"]["state"] == "missing"
    assert said in findings["kernels"]["sentence"]


def test_commands_say_which_kernels_compute(
    torch: Any, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["explain", *CALL]) == 0
    assert "The kernel of PyTorch computes it on the host (ACLSPEC_KERNELS)." in capfd.readouterr().out
    for kernels in ("torch", "numpy"):
        monkeypatch.setenv("ACLSPEC_KERNELS", kernels)
        assert main(["explain", *CALL, "--json"]) == 0
        assert json.loads(capfd.readouterr().out)["kernels"] == kernels


def test_conform_says_which_kernels_compute(torch: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("distributed")
    out, page = tmp_path / "results.parquet", tmp_path / "page.html"
    words = ["conform", "prelu", "--backend", "numpy", "--mode", "accuracy", "--product", "atlas_a2"]
    assert main([*words, "--out", str(out), "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["kernels"] == "torch"
    assert main(["conform", "report", str(out), "--html", str(page)]) == 0
    assert "backend numpy, kernels torch, mode accuracy" in page.read_text(encoding="utf-8")


def frozen(array: Any) -> Any:
    array = array.copy()
    array.flags.writeable = False
    return array


def spread(array: Any) -> Any:
    wide = np.zeros((2 * array.shape[0], 3 * array.shape[1]), array.dtype)
    wide[::2, ::3] = array
    return wide[::2, ::3]


@pytest.mark.parametrize("layout", [frozen, spread, np.asfortranarray], ids=["read-only", "strided", "by columns"])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16])
def test_layouts(torch: Any, layout: Callable[[Any], Any], dtype: Any) -> None:
    x, weight, out = layout(X.astype(dtype)), WEIGHT.astype(dtype), spread(np.zeros((2, 2), dtype))
    ops.prelu(x, weight, out=out)
    np.testing.assert_array_equal(out, EXPECTED.astype(dtype))
    np.testing.assert_array_equal(x, X.astype(dtype))


def test_the_settings_of_the_caller_are_his(torch: Any) -> None:
    """Neither automatic casts nor gradients nor a default dtype and device reach a kernel; threads stay as they are."""
    x, weight = np.full((1, 64), 1 / 3, np.float32), np.full((64, 64), 1 / 3, np.float32)
    threads = torch.get_num_threads()
    with torch.autocast("cpu", dtype=torch.bfloat16), torch.enable_grad(), torch.device("meta"):
        torch.set_default_dtype(torch.float64)
        try:
            found = ops.matmul(x, weight, 0)
        finally:
            torch.set_default_dtype(torch.float32)
        assert torch.is_grad_enabled()
        assert not torch.is_inference_mode_enabled()
    assert torch.get_num_threads() == threads
    np.testing.assert_allclose(found.out, x.astype(np.float64) @ weight.astype(np.float64), rtol=1e-5)


def test_calls_that_pytorch_leaves_are_computed_by_numpy(torch: Any) -> None:
    """Float64, an exact answer, no elements, and an infinite weight beside padding."""
    x = np.array([0.5, 1.0])
    np.testing.assert_allclose(ops.erf(x).out, [0.5204998778130465, 0.8427007929497149], rtol=1e-15)
    assert ops.prelu(np.zeros((0, 2), np.float32), WEIGHT).out.shape == (0, 2)
    np.testing.assert_array_equal(ops.prelu(X, WEIGHT, compute="exact").out, EXPECTED)
    image, weight = np.ones((1, 1, 2, 2), np.float32), np.full((1, 1, 3, 3), np.inf, np.float32)
    found = ops.convolution(image, weight, None, (1, 1), (1, 1), (1, 1), False, (0, 0), 1, 0)
    assert np.isposinf(found.output).all()


def test_the_simulator_refuses_what_it_should_compute(monkeypatch: pytest.MonkeyPatch) -> None:
    from aclspec.runtime.abi.status import Status
    from aclspec.runtime.simulator.calls import accept

    monkeypatch.setenv("ACLSPEC_KERNELS", "tocrh")
    status, _, _, text = accept("aclnnPrelu", "atlas_a2", None, ())
    assert status == Status.ACLNN_ERR_INNER
    assert "ACLSPEC_KERNELS (tocrh) is neither numpy nor torch" in str(text)
