"""Backends, exact computation, and what is refused before anything is allocated."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from aclspec.runtime import AclnnError, Status, Tensor, register_backend
from aclspec.runtime.abi import host_memory as memory
from aclspec.runtime.abi.dtypes import DType, unit_roundoff
from aclspec.runtime.api.operator import Operator, Param
from aclspec.runtime.execution import backends, compute, outputs
from aclspec.runtime.tensors.rounding import round_into


@pytest.fixture(autouse=True)
def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "_backends", dict(backends._backends))


def test_a_backend_is_asked_for_the_kernel(
    prelu: Operator, call: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def sevens(operator: Operator) -> Callable[..., None]:
        if operator.name != "aclnnPreluBackward":
            raise LookupError("only PReLU")

        def kernel(g: Any, x: Any, weight: Any, grad_input: Any, grad_weight: Any, precision: Any) -> None:
            grad_input[...] = grad_weight[...] = 7
            assert precision["accumulate"] is DType.FLOAT

        return kernel

    register_backend("sevens", sevens)
    assert prelu(**call, backend="sevens").grad_input.tolist() == [[7, 7]] * 4
    assert prelu(**call).grad_input.tolist() != [[7, 7]] * 4
    monkeypatch.setenv("ACLSPEC_BACKEND", "sevens")
    assert prelu(**call).grad_weight.tolist() == [7, 7]
    assert prelu(**call, backend="numpy").grad_weight.tolist() != [7, 7]
    arguments = [*call.values(), np.zeros((4, 2), np.float32), np.zeros(2, np.float32)]
    _, size, executor = prelu.get_workspace_size(*arguments, backend="sevens")
    assert prelu.execute(bytearray(size), size, executor) == 0
    assert arguments[-1].tolist() == [7, 7]


def test_a_backend_without_the_kernel(batch_norm: Operator) -> None:
    def none(operator: Operator) -> Callable[..., None]:
        raise LookupError("only PReLU")

    register_backend("none", none)
    x, c = np.ones((2, 3), np.float32), np.ones(3, np.float32)
    with pytest.raises(ValueError, match="The backend none has no kernel for aclnnBatchNormReduceBackward: only PReLU"):
        batch_norm(x, x, c, c, None, True, True, True, backend="none")


@pytest.mark.parametrize("found", [3, np.zeros(2, np.float32), (1,), True], ids=repr)
def test_a_kernel_that_returns_what_nobody_asked_for(prelu: Operator, call: dict[str, Any], found: Any) -> None:
    register_backend("returning", lambda operator: lambda *arguments: found)
    said = rf"The value that the kernel returns \({type(found).__name__}\) is not None\.\n - while calling aclnnPrelu"
    for way in (None, "exact"):
        with pytest.raises(TypeError, match=said):
            prelu(**call, backend="returning", compute=way)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (None, "kernels_of.mine:kernel cannot be loaded (No module named 'kernels_of.mine')."),
        ("def other(): pass", "cannot be loaded (module 'kernels_of.mine' has no attribute 'kernel')."),
        ("import nowhere", "cannot be loaded (No module named 'nowhere')."),
        ("kernel = (", "cannot be loaded ('(' was never closed (mine.py, line 1))."),
        ("kernel = 3", "is not a function (3)."),
        (
            "def kernel(self, out, precision): pass",
            "self, weight, gradInput, gradWeight, precision): too many positional arguments.",
        ),
        ("kernel = type", None),
        ("def kernel(*arguments): pass", None),
    ],
    ids=["no module", "no function", "a module below", "syntax", "no callable", "arguments", "C", "any arguments"],
)
def test_a_kernel_that_cannot_be_used(
    prelu: Operator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None, wrong: str | None
) -> None:
    """What is wrong is said of the operator and of its kernel, before anything is computed."""
    (tmp_path / "kernels_of").mkdir()
    if text is not None:
        (tmp_path / "kernels_of" / "mine.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("kernels_of", "kernels_of.mine"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr(prelu, "kernel", "kernels_of.mine:kernel")
    monkeypatch.setattr(prelu, "numpy_kernel", None)
    if wrong is None:
        assert callable(backends.resolve_backend("numpy").kernel(prelu))
        return
    with pytest.raises(
        ValueError, match=r"The backend numpy has no kernel for aclnnPreluBackward: kernels_of\.mine:kernel "
    ) as caught:
        backends.resolve_backend("numpy").kernel(prelu)
    assert str(caught.value).endswith(wrong)


def test_unknown_backends(prelu: Operator, call: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match=r"The value of backend \(nunpy\) is not a backend \(did you mean numpy\?\)"):
        prelu(**call, backend="nunpy")
    with pytest.raises(TypeError, match=r"The value of backend \(1\) is not the name of a backend"):
        prelu(**call, backend=1)  # type: ignore[arg-type]
    monkeypatch.setenv("ACLSPEC_BACKEND", "gpu")
    with pytest.raises(ValueError, match=r"the environment variable ACLSPEC_BACKEND \(gpu\) is not a backend"):
        prelu(**call)


def test_backends_that_cannot_be_registered() -> None:
    with pytest.raises(TypeError, match="is not a non-empty string"):
        register_backend("", lambda operator: print)
    with pytest.raises(TypeError, match="is not a callable"):
        register_backend("x", 1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="numpy cannot be replaced"):
        register_backend("numpy", lambda operator: print)


def test_exact_is_float64_rounded_once(handmade: Callable[..., Operator]) -> None:
    def kernel(x: Any, scale: float, out: Any, precision: Any) -> None:
        assert x.dtype == out.dtype == precision["accumulate"].numpy
        out[...] = x.sum() * scale

    params = [Param("x", "x"), Param("scale", "scale", "double"), Param("out", "out", direction="out")]
    operator = handmade(params, kernel, lambda x, scale: (((), x.dtype, None),), {"accumulate": DType.FLOAT})
    x = np.array([1, 2.0**-8, 2.0**-20], ml_dtypes.bfloat16)
    # 1 + 2**-8 lies halfway between two bfloat16; what comes after it decides, unless float32 drops it first.
    assert operator(x, 1.0, compute="exact").out == np.array(1 + 2.0**-7, ml_dtypes.bfloat16)
    mine = np.zeros((), ml_dtypes.bfloat16)
    assert operator(x, 1.0, compute="exact", out=mine).out is mine
    assert mine == np.array(1 + 2.0**-7, ml_dtypes.bfloat16)


@pytest.mark.parametrize(
    ("dtype", "exact"),
    [(DType.INT64, DType.INT64), (DType.BOOL, DType.BOOL), (DType.COMPLEX64, DType.COMPLEX128)],
)
def test_exact_keeps_integers_and_widens_complex_numbers(
    handmade: Callable[..., Operator], dtype: DType, exact: DType
) -> None:
    def kernel(x: Any, out: Any, precision: Any) -> None:
        assert precision["operand"] is exact
        assert x.dtype == out.dtype == exact.numpy
        out[...] = x

    params = [Param("x", "x"), Param("out", "out", direction="out")]
    operator = handmade(params, kernel, lambda x: ((x.shape, x.dtype, None),), {"operand": dtype})
    x = np.array([0, 1], dtype.numpy)
    assert operator(x, compute="exact").out.tolist() == x.tolist()


def test_exact_gives_the_caller_what_float64_gives(prelu: Operator, sample: dict[str, Any]) -> None:
    wide = {name: array.astype(np.float64) for name, array in sample.items()}
    g, x, weight = wide.values()
    result = prelu(**sample, compute="exact")
    np.testing.assert_array_equal(result.grad_input, np.where(x > 0, g, weight * g).astype(sample["self"].dtype))
    assert result.grad_weight.dtype == sample["weight"].dtype


def nearest(value: float, dtype: Any) -> float:
    """The nearest number of a 16-bit type by trying them all, ties to the even one."""
    every = np.arange(1 << 16, dtype=np.uint16).view(dtype)
    with np.errstate(invalid="ignore"):  # some of them are signalling NaN
        wide = np.nan_to_num(every.astype(np.float64), nan=np.inf, posinf=np.inf, neginf=np.inf)
    order = np.argsort(np.abs(wide - value), kind="stable")[:4]
    least = abs(wide[order[0]] - value)
    ties = [at for at in order if abs(wide[at] - value) == least]
    even = [at for at in ties if at % 2 == 0]
    return float(wide[(even or ties)[0]])


@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, np.float16])
def test_rounding_is_to_nearest_even(dtype: Any) -> None:
    rng = np.random.default_rng(1)
    plain = rng.standard_normal(60) * np.exp2(rng.integers(-12, 12, 60))
    grid = plain.astype(dtype).astype(np.float64)
    step = np.abs(grid) * 2.0 * unit_roundoff(DType.of(np.dtype(dtype)))
    near_ties = np.concatenate(
        [grid + step / 2 * side * (1 + tiny) for side in (1, -1) for tiny in (0, 2**-40, -(2**-40))]
    )
    values = np.concatenate([plain, near_ties])
    found = np.empty(values.shape, dtype)
    round_into(found, values)
    assert found.astype(np.float64).tolist() == [nearest(value, dtype) for value in values]


@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, np.float16, np.float32, np.float64])
def test_rounding_of_what_is_not_finite(dtype: Any) -> None:
    values = np.array([np.inf, -np.inf, np.nan, 1e300, -1e300, 1e-300, 0.0, -0.0])
    found = np.empty(values.shape, dtype)
    round_into(found, values)
    top = 1e300 if dtype is np.float64 else np.inf
    expected = [np.inf, -np.inf, np.nan, top, -top, 1e-300 if dtype is np.float64 else 0, 0, 0]
    np.testing.assert_array_equal(found.astype(np.float64), expected)
    assert np.signbit(found[7])


def test_computing_without_data_names_the_bytes(prelu: Operator, call: dict[str, Any]) -> None:
    with pytest.raises(
        AclnnError, match=r"The tensor self \(float32\[4,2\]:ND\) has no data .* take 32 bytes"
    ) as raised:
        prelu(**(call | {"self": Tensor((4, 2), "float32")}))
    assert raised.value.status == 361001
    assert raised.value.rule is None


def test_computing_beyond_memory_names_the_bytes_and_allocates_none(prelu: Operator) -> None:
    huge = np.broadcast_to(np.float32(1), (1 << 24, 1 << 20))
    with pytest.raises(AclnnError):  # a first refusal imports what builds its sentence
        prelu(huge, huge, np.ones(1, np.float32))
    tracemalloc.start()
    with pytest.raises(AclnnError, match="The call needs 70368744177668 bytes of memory, more than the") as raised:
        prelu(huge, huge, np.ones(1, np.float32))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert raised.value.status == 361001
    assert peak < 1 << 20


def test_exact_counts_its_wider_copies(prelu: Operator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compute, "available_bytes", lambda: 1 << 26)
    x, weight = np.zeros((1 << 11, 1 << 11), np.float32), np.ones(1, np.float32)
    assert prelu(x, x, weight).grad_input.shape == x.shape
    with pytest.raises(AclnnError, match="The call needs 100663312 bytes"):
        prelu(x, x, weight, compute="exact")


def test_an_allocation_that_fails_is_an_answer(
    prelu: Operator, call: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*shape: Any) -> None:
        raise MemoryError

    monkeypatch.setattr("aclspec.runtime.execution.compute.np.empty", fail)
    with pytest.raises(AclnnError, match=r"The 32 bytes of an output \(float32\[4,2\]:ND\) cannot be allocated"):
        prelu(**call)


def test_what_is_available(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    assert memory.available_bytes() > 1 << 20
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal: 9 kB\nMemAvailable:   3 kB\n")
    (tmp_path / "memory.max").write_text("2000\n")
    (tmp_path / "memory.current").write_text("500\n")
    monkeypatch.setattr(memory, "_MEMINFO", meminfo)
    monkeypatch.setattr(memory, "_CGROUP", tmp_path)
    assert memory.available_bytes() == 1500
    (tmp_path / "memory.max").write_text("max\n")
    assert memory.available_bytes() == 3072
    monkeypatch.setattr(memory, "_MEMINFO", tmp_path / "none")
    assert memory.available_bytes() > 1 << 60


def test_few_elements_are_not_asked_about(
    prelu: Operator, call: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outputs, "reserve", lambda *given: pytest.fail("a small call looked at the memory"))
    prelu(**call)


def test_a_failed_call_writes_nothing(prelu: Operator, call: dict[str, Any]) -> None:
    given = {"gradInput": np.full((4, 2), 9, np.float32), "gradWeight": np.full(2, 9, np.float32)}
    for change in (
        {"weight": None},
        {"weight": [1]},
        {"self": call["self"][::-1]},
        {"gradOutput": Tensor((4, 2), "float32")},
    ):
        with pytest.raises((AclnnError, TypeError)):
            prelu(**(call | change), out=given)
    with pytest.raises(ValueError, match="neither a product"):
        prelu(**call, out=given, product="x")
    assert all((array == 9).all() for array in given.values())


HUGE = 3 * 2**31


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ((-1,), r"The shape of an output \(float\d+\[-1\].*\) has a negative dimension"),
        ((-2, -2), r"The shape of an output \(float\d+\[-2,-2\].*\) has a negative dimension"),
        ((HUGE, HUGE), rf"The number of elements \({HUGE**2}\) of an output .* is beyond the range of int64"),
        ((HUGE, 2**10), r"The call needs \d+ bytes of memory, more than the \d+ bytes that are available"),
    ],
)
@pytest.mark.parametrize("exact", [False, True])
def test_sizes_that_no_array_has(
    handmade: Callable[..., Operator], shape: tuple[int, ...], message: str, exact: bool
) -> None:
    params = [Param("x", "x"), Param("good", "good", direction="out"), Param("out", "out", direction="out")]
    operator = handmade(params, infer=lambda x: (((2,), DType.FLOAT, None), (shape, DType.FLOAT, None)))
    with pytest.raises(AclnnError, match=message) as caught:
        operator(np.zeros(2, np.float32), compute="exact" if exact else None)
    assert caught.value.status == Status.ACLNN_ERR_RUNTIME_ERROR


def test_an_input_with_a_negative_dimension(prelu: Operator, call: dict[str, Any]) -> None:
    with pytest.raises(AclnnError, match=r"The tensor weight \(float32\[-1,-2\]:ND\) has no elements to compute with"):
        prelu(**{**call, "weight": Tensor((-1, -2), "float32")})
