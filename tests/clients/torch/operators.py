"""PyTorch's own database of operators on the simulator: one line of `../torch_operators.csv` for each entry.

Run by `aclspec simulator run -- python tests/clients/torch/operators.py [NAME...]` with the client's Python; a name is
`name` or `name.variant`, and without any all entries run and the table is written.

Each entry is tried with its first samples in float32, or in the first dtype that it has, on the device and on the CPU:

- class: `aclnn`, it or its gradient calls aclnn operators; `aclop`, it calls an operator by its type; `cpu`, the
  backend itself falls back to the CPU; `composite`, it runs and calls no operator; `error`, it stops before any call.
- result: `right`, `part` (some samples), `differs`, `missing` (an operator without a kernel), `refused`, `error`. Where
  the CPU itself gives other numbers for another seed, the distributions of some draws are compared; the reason says so.
- gradient: the same of the gradients with respect to the inputs, for random gradients of the results.
- reason: the operators that are missing, or the first complaint. It also says where a sample of float32 asks for
  float64, complex128 or complex32: such an entry leaves the dtypes of which the last line of the output speaks.

What counts as right is what PyTorch's own comparison of a device with the CPU, ``test_compare_cpu``, lets through, and
where it is looser than the comparison here, the reason says so: results that are unique but for a sign go through the
sample's ``output_process_fn_grad``, as all do before gradients are taken; a bound of 0.001 holds for a forward result;
and where the database expects the comparison to fail, for a device saves other statistics, the first result decides.
"""

from __future__ import annotations

import csv
import ctypes
import os
import re
import subprocess
import sys
import tempfile
import unittest
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from typing import Any

_COUNTED = """
#include <dlfcn.h>
#include <stdint.h>

long counted_calls;

/* The one function of the simulator through which each operator is launched. */
int sim_phase_two(const void *site, const char *const *op, void *workspace, uint64_t size, void *executor, void *stream)
{
    typedef int function(const void *, const char *const *, void *, uint64_t, void *, void *);
    void *simulator = dlopen("libaclspec_simulator.so", RTLD_NOW | RTLD_NOLOAD);
    __atomic_add_fetch(&counted_calls, 1, __ATOMIC_SEQ_CST);
    return ((function *)dlsym(simulator, "sim_phase_two"))(site, op, workspace, size, executor, stream);
}
"""


def count_calls() -> None:
    """Start this program again with a library in front of the simulator that counts the calls that are launched.

    Each operator is launched at once: a refusal is that of its own call, and the next ones go on.
    """
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder, "counted.c"), Path(folder, "counted.so")
        source.write_text(_COUNTED, "utf-8")
        subprocess.run(["cc", "-shared", "-fPIC", "-D_GNU_SOURCE", "-o", str(library), str(source), "-ldl"], check=True)
        preload = ":".join(filter(None, (os.environ.get("LD_PRELOAD"), str(library))))
        given = os.environ | {"LD_PRELOAD": preload, "COUNTED_CALLS": str(library), "TASK_QUEUE_ENABLE": "0"}
        sys.exit(subprocess.run([sys.executable, *sys.argv], env=given, check=False).returncode)


if "COUNTED_CALLS" not in os.environ:
    count_calls()
_calls = ctypes.c_long.in_dll(ctypes.CDLL(os.environ["COUNTED_CALLS"]), "counted_calls")

import numpy as np  # noqa: E402
import torch  # noqa: E402
from torch.testing._internal.common_device_type import onlyCUDA  # noqa: E402
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import torch_npu  # noqa: F401

TABLE = Path(__file__).parents[1] / "torch_operators.csv"
HEAD = ("operator", "variant", "class", "result", "gradient", "reason")
USUAL = {torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.bool}
BEYOND = {torch.float64, torch.complex128, torch.complex32}
SAMPLES = 3
DRAWS = 40
_manual_seed = torch.manual_seed
EXACT = "float64"
"""In place of a device: the CPU with tensors of float64."""
RANDOM = "random numbers: distributions compared"
NEAR = "no further off float64 than the CPU"
PROCESSED = "unique but for a sign: compared by what PyTorch's own test makes of it"
BOUND = "within 0.001, the bound of PyTorch's own comparison of a device with the CPU"
BLANK = "memory that nothing was written to: shapes and dtypes compared"
WIDER = "asks for another dtype than that of its tensors: "
FIRST = "PyTorch's own comparison with the CPU is expected to fail: the first result compared"
_REFUSED = re.compile(r"call (aclnn\w+) failed, error code is (\d+)|error code is (\d+)")
_BY_TYPE = re.compile(r"operator (\w+) is called by its type")
_LACKING = {"200001", "561003"}


torch.npu.conv.allow_hf32 = False  # else a convolution in float32 multiplies with 11 bits
DEVICE = "PrivateUse1"
_COMPOSITE = ("CompositeExplicitAutograd", "CompositeImplicitAutograd")
_STRUCTURED = "CompositeExplicitAutogradNonFunctional"
"""The key of functions that call their variant with ``out``."""


class Seen(TorchDispatchMode):
    """Notes the functions that the device itself has no kernel for, so that the backend falls back to the CPU."""

    def __init__(self) -> None:
        super().__init__()
        self.fallbacks: set[str] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func.name()
        has = torch._C._dispatch_has_kernel_for_dispatch_key
        if has(name, _STRUCTURED) and not has(name, DEVICE) and "out" in func.overloadpacket.overloads():
            name = func.overloadpacket.out.name()
        if not has(name, DEVICE) and not any(has(name, key) for key in _COMPOSITE):
            self.fallbacks.add(name)
        return func(*args, **(kwargs or {}))


def on(device: str, value: Any) -> Any:
    """The same arguments on a device, with gradients asked for where they were; on `EXACT` in float64 on the CPU."""
    if isinstance(value, torch.Tensor):
        dense = value.is_leaf and value.layout == torch.strided
        held = value.untyped_storage().nbytes() // value.element_size() if dense else 0
        if held > value.numel():  # a part of a larger memory
            all_of_it = on(device, value.detach().as_strided((held,), (1,), 0))
            part = all_of_it.as_strided(value.shape, value.stride(), value.storage_offset())
            return part.requires_grad_(value.requires_grad)
        wide = value.double() if device == EXACT and value.dtype == torch.float32 else value
        return wide.detach().to(device if device != EXACT else "cpu").requires_grad_(value.requires_grad)
    if isinstance(value, list | tuple):
        items = [on(device, item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, dict):
        return {key: on(device, item) for key, item in value.items()}
    return torch.device("cpu" if device == EXACT else device) if isinstance(value, torch.device) else value


def tensors(value: Any) -> Iterator[torch.Tensor]:
    """All tensors in some results, or arguments."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from tensors(item)
    elif isinstance(value, dict):
        yield from tensors(list(value.values()))


class Difference(Exception):
    """Two results that differ."""


def compare(found: Any, expected: Any, rtol: float = 2e-4, atol: float = 2e-5) -> None:
    """Raise `Difference` where two results differ, by default beyond the rounding of float32."""
    ones, others = list(tensors(found)), list(tensors(expected))
    if len(ones) != len(others):
        raise Difference(f"{len(ones)} results, not {len(others)}")
    for one, other in zip(ones, others, strict=True):
        try:
            torch.testing.assert_close(
                one.detach().cpu(), other.detach(), rtol=rtol, atol=atol, equal_nan=True, check_stride=False
            )
        except AssertionError as error:
            raise Difference(str(error).splitlines()[0]) from None


def judge(run: Callable[[str, int], Any], reasons: dict[str, None]) -> None:
    """Raise `Difference` where what a device and a seed give differs; of random numbers, where distributions do.

    A result that differs from the CPU's is right where it is as near as that to what the CPU gives in float64.
    """

    def drawn(device: str, seed: int) -> list[torch.Tensor]:
        return [one.detach().clone() for one in tensors(run(device, seed))]

    found, expected = drawn("npu:0", 0), drawn("cpu", 0)
    try:
        compare(found, expected)
    except Difference:
        try:
            for seed in range(1, 9):
                compare(drawn("cpu", seed), expected)
        except Difference:
            alike(*([drawn(device, seed) for seed in range(DRAWS)] for device in ("npu:0", "cpu")))
            reasons.setdefault(RANDOM, None)
        else:
            if not as_near(found, expected, drawn(EXACT, 0)):
                raise
            reasons.setdefault(NEAR, None)


def judge_forward(run: Callable[[str, int], Any], info: Any, sample: Any, reasons: dict[str, None]) -> None:
    """Judge a forward result, and where it differs once more as far as PyTorch's own comparison with the CPU looks."""
    if re.match("(new_)?empty", info.name):
        compare(*(list(map(torch.zeros_like, tensors(run(device, 0)))) for device in ("npu:0", "cpu")))
        reasons.setdefault(BLANK, None)
        return
    try:
        judge(run, reasons)
    except Difference as strict:
        found, expected = run("npu:0", 0), run("cpu", 0)
        process = sample.output_process_fn_grad
        ways: list[tuple[str, Callable[[], None]]] = []
        if process(expected) is not expected:
            ways.append((PROCESSED, lambda: judge(lambda *at: process(run(*at)), {})))
        if expects_failure(info):
            ways.append((FIRST, lambda: judge(lambda *at: next(tensors(run(*at))), {})))
        ways.append((BOUND, lambda: compare(found, expected, 1e-3, 1e-3)))
        for reason, way in ways:
            try:
                way()
            except Difference:
                continue
            reasons.setdefault(reason, None)
            return
        raise strict from None


def expects_failure(info: Any) -> bool:
    """Whether the database expects PyTorch's own comparison of any device with the CPU to fail for an entry."""
    return any(
        one.test_name == "test_compare_cpu" and one.device_type is None and unittest.expectedFailure in one.decorators
        for one in info.decorators
        if hasattr(one, "test_name")
    )


def as_near(found: list[torch.Tensor], expected: list[torch.Tensor], exact: list[torch.Tensor]) -> bool:
    """Whether results of float32 are hardly further off the exact ones than others are."""
    if len(found) != len(expected):
        return False
    for one, other, wide in zip(found, expected, exact, strict=True):
        if one.shape != other.shape or one.dtype != torch.float32 or other.dtype != torch.float32:
            return False
        off, off_other = ((side.cpu().double() - wide.double()).abs() for side in (one, other))
        if not (off <= 2 * off_other.max() + 2e-5 + 2e-4 * wide.double().abs()).all():
            return False
    return True


def alike(found: list[list[torch.Tensor]], expected: list[list[torch.Tensor]]) -> None:
    """Raise `Difference` where draws of the same tensors are not of one distribution.

    Elements are compared by the distance of Kolmogorov and Smirnov, and the mean ranks of the draws by their deviation;
    a right distribution fails in less than one of 10,000 tensors.
    """
    for of_device, of_cpu in zip(zip(*found, strict=True), zip(*expected, strict=True), strict=True):
        if any(one.shape != of_cpu[0].shape or one.dtype != of_cpu[0].dtype for one in of_device):
            raise Difference("shapes or dtypes of random numbers differ")
        draws = [
            np.stack([one.detach().cpu().double().numpy().ravel() for one in side]) for side in (of_device, of_cpu)
        ]
        columns = range(min(draws[0].shape[1], 100))
        ranks = np.zeros((2, DRAWS))
        for column in columns:
            both = alike_values(np.concatenate([one[:, column] for one in draws]))
            values, places, counts = np.unique(both, return_inverse=True, return_counts=True)
            ends = np.cumsum(counts)
            ranks += ((ends - counts / 2)[places]).reshape(2, DRAWS)
            steps = [np.bincount(places.reshape(2, DRAWS)[side], minlength=values.size).cumsum() for side in (0, 1)]
            if np.abs(steps[0] - steps[1]).max() > np.sqrt(DRAWS * np.log(2e5 * len(columns))):
                raise Difference("random numbers of another distribution")
        spread = np.sqrt(ranks.var(1, ddof=1).sum() / DRAWS)
        if abs(ranks[0].mean() - ranks[1].mean()) > 5 * spread:
            raise Difference("random numbers of another mean")


def alike_values(drawn: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The draws of an element, one value for those that `compare` takes for equal: rounding is no distribution."""
    firsts: list[float] = []
    for value in np.sort(drawn):
        if not firsts or not value - firsts[-1] <= 2e-5 + 2e-4 * abs(value):
            firsts.append(value)
    return np.asarray(firsts)[np.searchsorted(firsts, drawn, side="right") - 1]


def complaint(error: BaseException) -> tuple[str, str]:
    """What kind of failure an exception is, and what it says: the operator that is missing, or its first line."""
    text = str(error)
    found = _REFUSED.search(text)
    if isinstance(error, Difference):
        return "differs", text
    if found and found[1]:
        return ("missing" if found[2] in _LACKING else "refused"), f"{found[1]} {found[2]}"
    typed = _BY_TYPE.search(text)
    if typed:
        return "missing", f"aclop {typed[1]}"
    absent = re.search(r"(aclnn\w+?) or \w+GetWorkspaceSize not in", text)
    if absent:
        return "missing", f"{absent[1]} absent"
    return "error", f"{type(error).__name__}: {text.splitlines()[0] if text else ''}"[:160]


def entry(info: Any) -> tuple[str, ...]:
    """The line of one entry."""
    if not info.dtypes or onlyCUDA in info.decorators:  # an entry of another device
        reason = "PyTorch tests it on CUDA alone" if info.dtypes else "no dtype on the CPU"
        return info.name, info.variant_test_name, "error", "error", "", reason
    usual = (one for one in (torch.float32, torch.complex64) if one in info.dtypes)
    dtype = next(usual, None) or sorted(info.dtypes, key=str)[0]
    gradients = info.supports_autograd and dtype.is_floating_point
    results, gradient_results, reasons = Counter[str](), Counter[str](), dict[str, None]()
    own, seen = Counter[str](), Seen()
    try:
        samples = list(islice(info.sample_inputs("cpu", dtype, requires_grad=gradients), SAMPLES))
    except Exception as error:  # an entry of the database that cannot be used here
        return info.name, info.variant_test_name, "error", "error", "", complaint(error)[1]
    for sample in samples:
        given = (sample.input, sample.args, sample.kwargs)

        def forward(device: str, seed: int = 0, given: Any = given) -> tuple[Any, Any]:
            first, rest, named = on(device, given)
            torch.manual_seed = lambda given: _manual_seed(given + seed)  # the database seeds its own functions
            torch.manual_seed(0)
            began = _calls.value
            with seen if device.startswith("npu") else nullcontext():
                out = info.op(first, *rest, **named)
            own["calls"] += _calls.value - began
            return out, (first, rest, named)

        process = sample.output_process_fn_grad

        def gradient(
            device: str, seed: int, forward: Any = forward, process: Any = process
        ) -> list[torch.Tensor | None]:
            out, inputs = forward(device, seed)
            ways = [one for one in tensors(process(out)) if one.requires_grad and one.is_floating_point()]
            leaves = [one for one in tensors(inputs) if one.requires_grad]
            given, began = cotangents(ways), _calls.value
            found = list(torch.autograd.grad(ways, leaves, given, allow_unused=True))
            own["calls"] += _calls.value - began
            return found

        def gradients_there(device: str, seed: int, gradient: Any = gradient) -> list[torch.Tensor]:
            return [one for one in gradient(device, seed) if one is not None]

        try:
            expected, asked = forward("cpu")
        except Exception:  # the sample is not for this build of PyTorch
            continue
        wider = {one.dtype for one in tensors(expected)} & BEYOND - {one.dtype for one in tensors(asked)}
        reasons.update(dict.fromkeys(WIDER + str(one).removeprefix("torch.") for one in wider))
        before = own.total()
        attempt(
            lambda forward=forward, sample=sample: judge_forward(lambda *at: forward(*at)[0], info, sample, reasons),
            results,
            reasons,
        )
        idle(own.total() == before, results)
        if gradients and any(one.requires_grad and one.is_floating_point() for one in tensors(expected)):

            def backward(gradient: Any = gradient, there: Any = gradients_there) -> None:
                if [one is None for one in gradient("npu:0", 0)] != [one is None for one in gradient("cpu", 0)]:
                    raise Difference("a gradient is there on one device alone")
                judge(there, reasons)

            before = own.total()
            attempt(backward, gradient_results, reasons)
            idle(own.total() == before, gradient_results)
    return (
        info.name,
        info.variant_test_name,
        kind(own.total() > 0, seen, reasons),
        summary(results),
        summary(gradient_results),
        "; ".join(reasons),
    )


def cotangents(results: list[torch.Tensor]) -> list[torch.Tensor]:
    """Random gradients of some results, contiguous and the same on each device."""
    source = torch.Generator().manual_seed(7)
    return [torch.randn(one.shape, generator=source).to(one.dtype).to(one.device) for one in results]


def idle(unasked: bool, results: Counter[str]) -> None:
    """Count as idle what was right and launched nothing."""
    if unasked and results["right"]:
        results["right"] -= 1
        results["idle"] += 1


def attempt(run: Callable[[], None], results: Counter[str], reasons: dict[str, None]) -> None:
    """Run something once, and count how it ends."""
    try:
        run()
        results["right"] += 1
    except Exception as error:
        result, text = complaint(error)
        results[result] += 1
        reasons.setdefault(text, None)


def kind(own: bool, seen: Seen, reasons: dict[str, None]) -> str:
    """What the backend dispatches an entry to."""
    if any(one.startswith("aclop") for one in reasons):
        return "aclop"
    if any(one.startswith("aclnn") for one in reasons):
        return "aclnn"
    if seen.fallbacks:
        return "cpu"
    return "aclnn" if own else "error" if reasons else "composite"


def summary(results: Counter[str]) -> str:
    """One word for all samples that called an operator, or for all where none did; nothing where there are none."""
    counted = {result for result, count in results.items() if count}
    if counted - {"idle"}:
        counted -= {"idle"}
    if not counted:
        return ""
    if counted <= {"right", "idle"}:
        return "right"
    worst = next(one for one in ("differs", "error", "refused", "missing") if one in counted)
    return "part" if "right" in counted and worst == "missing" else worst


def main(words: Sequence[str]) -> None:
    """Try the entries of these names, or all, and write the table."""
    chosen = [one for one in op_db if not words or {one.name, f"{one.name}.{one.variant_test_name}"} & set(words)]
    lines = []
    for at, info in enumerate(chosen):
        if sys.stderr.isatty():
            print(f"\r{at + 1}/{len(chosen)} {info.name:60}", end="", file=sys.stderr)
        line = entry(info)
        lines.append(line)
        if words:
            print(",".join(line))
    if not words:
        with TABLE.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerows([HEAD, *sorted(lines)])
    for column in (2, 3, 4):
        print(HEAD[column], dict(Counter(line[column] for line in lines).most_common()))
    usual = {(info.name, info.variant_test_name) for info in chosen if info.dtypes.intersection(USUAL)}
    native = [line for line in lines if line[2] == "aclnn"]
    within = [line for line in native if line[:2] in usual]
    for words_of, counted in (
        ("aclnn", native),
        ("aclnn, in usual dtypes", within),
        ("aclnn, and no sample asks for another dtype", [line for line in within if WIDER not in line[5]]),
    ):
        right = [line for line in counted if line[3] == "right"]
        both = [line for line in right if line[4] in ("", "right")]
        print(f"{words_of}: {len(counted)}, right forward {len(right)}, with gradients too {len(both)}")


if __name__ == "__main__":
    main(sys.argv[1:])
