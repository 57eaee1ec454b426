"""The page of figures, and how the figures are taken and kept."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aclspec.codegen.pages.speed import speed
from tests.benchmarks import timing
from tests.benchmarks.figures import Figures

ROOT = Path(__file__).resolve().parents[2]
MACHINE = {
    "processor": "A processor",
    "cores": 2,
    "load": 0.25,
    "python": "3.11",
    "numpy": "2",
    "torch": "2.13",
    "aclspec": "0.1",
    "instructions": "avx2",
    "date": "2026-01-01",
}
KERNEL = {
    "operator": "aclnnPrelu",
    "shape": "large (8, 64)",
    "dtype": "float32",
    "moved": 3_000_000,
    "operations": 0,
    "peer": 0.004,
    "torch": {"seconds": 0.001, "ratio": 4.0, "noise": 0.02, "rounds": 5},
    "numpy": {"seconds": 0.004, "ratio": 1.0, "noise": 0.03, "rounds": 5, "memory": 3 << 20},
}
DENSE = {**KERNEL, "operator": "aclnnConvolutionBackward", "operations": 5_000_000}
CALL = {"operator": "aclnnPrelu", "way": "call", "seconds": 9e-6, "over": 4e-6, "ratio": 1.5, "noise": 0.1}
GENERATION = {"way": "everything, nothing cached", "seconds": 20.25, "cpu": 31.5}


def written(folder: Path, **more: Any) -> Path:
    """A repository with figures."""
    figures = {"machine": MACHINE, "limits": {"bytes": 5e9, "operations": 1e10}, **more}
    path = folder / "site" / "data" / "benchmarks.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(figures), encoding="utf-8")
    return folder


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_shows_every_figure(tmp_path: Path, lang: Any) -> None:
    page = speed(lang, written(tmp_path, kernels=[KERNEL, DENSE], calls=[CALL], generation=[GENERATION]))
    lines = page.splitlines()
    by_torch = next(line for line in lines if "| torch" in line)
    assert all(shown in by_torch for shown in ("1.000", "4.00", "2%", "60%"))  # 3 MB at 5 GB/s take 0.6 ms
    dense = [line for line in lines if "| numpy" in line][1]
    assert all(shown in dense for shown in ("4.000", "1.00", "15%", "3.0 MB"))
    assert [line.count("4.00") for line in lines if line.startswith("<summary") and "`aclnn" in line] == [1, 1]
    assert "A processor" in page
    assert any("9.0" in line and "4.0" in line and "1.50" in line and "10%" in line for line in lines)
    assert any("everything, nothing cached" in line and "20.2" in line and "31.5" in line for line in lines)
    assert page.count("<svg") == 4  # ratios of both kernels, shares, calls


def test_the_mean_counts_numpy_where_pytorch_has_no_kernel(tmp_path: Path) -> None:
    plain = {name: value for name, value in KERNEL.items() if name != "torch"}
    page = speed("en", written(tmp_path, kernels=[KERNEL, plain]))
    assert "kernels of PyTorch where there are any: 2.00; NumPy kernels: 1.00" in page


def test_without_figures_the_page_says_so(tmp_path: Path) -> None:
    assert "make bench" in speed("en", tmp_path)


def test_an_interrupted_run_keeps_what_it_measured(tmp_path: Path) -> None:
    path = tmp_path / "figures.json"
    Figures(path).measure("calls", iter([{**CALL, "way": "old"}, CALL]), str, True)

    def rows() -> Iterator[dict[str, Any]]:
        yield {**CALL, "seconds": 1.0}
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Figures(path).measure("calls", rows(), str, True)
    assert [(row["way"], row["seconds"]) for row in json.loads(path.read_text())["calls"]] == [
        ("old", CALL["seconds"]),
        ("call", 1.0),
    ]
    Figures(path).measure("calls", iter([CALL]), str, True)
    assert json.loads(path.read_text())["calls"] == [CALL]


def test_a_ratio_is_the_median_of_the_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = itertools.count()
    monkeypatch.setattr(time, "perf_counter", lambda: float(next(clock)))
    slow = iter([1, 1, 2, 4, 8, 8, 8, 8, 8, 8])  # extra ticks of the peer, the first of them before the rounds

    def peer() -> None:
        for _ in range(next(slow)):
            next(clock)

    ours, theirs = timing.side_by_side([lambda: None], peer, timing.Rule(batch=0, fewest=5, most=5))
    assert (ours.seconds, ours.rounds) == (1.0, 5)
    assert ours.ratio == 5.0  # of 2, 3, 5, 9, 9
    assert ours.noise == pytest.approx((9 - 3) / 2 / 5)
    assert (theirs.seconds, theirs.ratio, theirs.noise) == (5.0, 1.0, 0.0)


def test_a_side_rests_and_is_woken_before_the_clock_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    def clock() -> float:
        told.append("clock")
        return float(len(told))

    monkeypatch.setattr(time, "sleep", lambda seconds: told.append(f"rest {seconds}"))
    monkeypatch.setattr(time, "perf_counter", clock)
    rule = timing.Rule(batch=0, fewest=2, most=2, rest=0.5)
    timing.side_by_side([lambda: told.append("ours")], lambda: told.append("theirs"), rule)
    first = told.index("rest 0.5")
    assert told[first : first + 5] == ["rest 0.5", "ours", "clock", "ours", "clock"]
    assert told[first + 5 : first + 10] == ["rest 0.5", "theirs", "clock", "theirs", "clock"]


def test_an_operator_that_nobody_knows_is_not_measured() -> None:
    pytest.importorskip("torch")
    words = [sys.executable, "-m", "tests.benchmarks.bench", "--operator", "aclnnNothing"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("bench: the operator (aclnnNothing) is in no name of ")


def test_quiet_rounds_are_few() -> None:
    steady = timing.side_by_side([], lambda: time.sleep(0), timing.Rule(batch=0, fewest=3, most=9))
    assert steady[0].rounds == 3  # the peer against itself has no noise
