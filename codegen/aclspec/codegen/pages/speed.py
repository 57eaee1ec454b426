"""The figures of ``make bench`` as tables and plots."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from math import exp, log, log2
from pathlib import Path
from typing import Any

from aclspec.codegen.pages.svg import Picture
from aclspec.codegen.reference import table
from aclspec.codegen.render.manual.words import Lang

FIGURES = Path("site", "data", "benchmarks.json")
_WORDS: dict[Lang, dict[str, str]] = {
    "en": {
        "none": "Nothing has been measured yet: run `make bench`.",
        "machine": "Measured on {date}: {processor}, {cores} cores, {threads} threads each side, load {load:.1f}; "
        "Python {python}, NumPy {numpy}, PyTorch {torch}, aclspec {aclspec}, instructions {instructions}. "
        "Memory {bytes:.0f} GB/s (a copy), products {operations:.0f} G operations a second (float32, 2048 by 2048).",
        "kernels": "Kernels",
        "mean": "Geometric mean over all rows with compiled kernels: {native:.2f}; NumPy kernels: {numpy:.2f}.",
        "calls": "Calls",
        "imports": "Import",
        "generation": "Generation",
        "plot": "Times as fast as PyTorch, float32 ({way})",
    },
    "zh": {
        "none": "尚无测量数据：请运行 `make bench`。",
        "machine": "测量日期 {date}：{processor}，{cores} 核，双方各 {threads} 线程，负载 {load:.1f}；"
        "Python {python}，NumPy {numpy}，PyTorch {torch}，aclspec {aclspec}，指令集 {instructions}。"
        "内存 {bytes:.0f} GB/s（复制），矩阵乘 {operations:.0f} G 次运算/秒（float32，2048×2048）。",
        "kernels": "算子核",
        "mean": "所有行的几何平均：编译核 {native:.2f}；NumPy 核 {numpy:.2f}。",
        "calls": "调用",
        "imports": "导入",
        "generation": "生成",
        "plot": "相对 PyTorch 的倍数，float32（{way}）",
    },
}
_HEADS: dict[Lang, dict[str, tuple[str, ...]]] = {
    "en": {
        "kernels": (
            "operator",
            "shape",
            "dtype",
            "kernel",
            "ms",
            "times PyTorch",
            "± noise",
            "share of limit",
            "memory",
        ),
        "calls": ("operator", "way", "µs", "µs over the kernel", "times PyTorch"),
        "imports": ("statement", "ms", "of `import numpy, ml_dtypes`"),
        "generation": ("specs", "full, s", "again, s", "one changed, s", "check, s", "memory, MB"),
    },
    "zh": {
        "kernels": ("算子", "形状", "数据类型", "核", "毫秒", "PyTorch 的倍数", "± 噪声", "占极限", "内存"),
        "calls": ("算子", "方式", "微秒", "超出核的微秒", "PyTorch 的倍数"),
        "imports": ("语句", "毫秒", "与 `import numpy, ml_dtypes` 之比"),
        "generation": ("规格数", "全部，秒", "再次，秒", "改一份，秒", "检查，秒", "内存，MB"),
    },
}
WAYS = ("native", "numpy")


def speed(lang: Lang, root: Path) -> str:
    """All that was measured last."""
    words = _WORDS[lang]
    path = root / FIGURES
    if not path.is_file():
        return words["none"]
    figures = json.loads(path.read_text(encoding="utf-8"))
    limits = {name: value / 1e9 for name, value in figures["limits"].items()}
    parts = [words["machine"].format(**figures["machine"], **limits), ""]
    for name, rows in (("kernels", _kernels), ("calls", _calls), ("imports", _imports), ("generation", _generation)):
        measured = figures.get(name)
        if measured:
            parts += [f"## {words[name]} {{: #{name} }}", ""]
            if name == "kernels":
                parts += [words["mean"].format(**{way: _mean(measured, way) for way in WAYS}), ""]
                parts += [str(_plot(measured, way, words["plot"].format(way=way))) for way in WAYS]
            parts += [table(_HEADS[lang][name], rows(measured)), ""]
    return "\n".join(parts)


def _mean(rows: Iterable[dict[str, Any]], way: str) -> float:
    """The geometric mean of the ratios: a row without a compiled kernel counts with the NumPy one."""
    ratios = [row.get(way, row["numpy"])["ratio"] for row in rows]
    return exp(sum(map(log, ratios)) / len(ratios))


def _kernels(rows: Iterable[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    for row in rows:
        for way in WAYS:
            if one := row.get(way):
                numbers = (
                    f"{one['seconds'] * 1e3:.3f}",
                    f"{one['ratio']:.2f}",
                    f"{one['noise']:.0%}",
                    f"{one['limit']:.0%}",
                )
                yield f"`{row['operator']}`", row["shape"], row["dtype"], way, *numbers, _bytes(one["memory"])


def _calls(rows: Iterable[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    for row in rows:
        ratio = f"{row['ratio']:.2f}" if "ratio" in row else ""
        yield f"`{row['operator']}`", row["way"], f"{row['seconds'] * 1e6:.1f}", f"{row['over'] * 1e6:.1f}", ratio


def _imports(rows: Iterable[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    for row in rows:
        yield f"`{row['statement']}`", f"{row['seconds'] * 1e3:.0f}", f"{row['ratio']:.2f}"


def _generation(rows: Iterable[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    for row in rows:
        times = (f"{row[name]:.1f}" for name in ("full", "again", "changed", "check"))
        yield str(row["specs"]), *times, f"{row['memory'] / 2**20:.0f}"


def _bytes(count: int) -> str:
    return f"{count / 2**20:.1f} MB" if count >= 2**20 else f"{count / 2**10:.0f} KB"


def _plot(rows: Iterable[dict[str, Any]], way: str, title: str) -> Picture:
    """A bar for each row, on a logarithmic scale around 1."""
    chosen = [row for row in rows if row["dtype"] == "float32" and way in row]
    left, unit, step = 420, 46, 18
    picture = Picture(left + 6.5 * unit, step * len(chosen) + 44, title)
    picture.text(0, 14, title, middle=False)
    for power in range(-1, 6):
        x = left + power * unit
        picture.box(x, 22, 1, step * len(chosen) + 4, "grid")
        picture.text(x, step * len(chosen) + 40, f"{2.0**power:g}")
    for at, row in enumerate(chosen):
        y, ratio = 26 + step * at, row[way]["ratio"]
        long = max(-1.2, min(5.5, log2(ratio))) * unit
        label = f"{row['operator'].removeprefix('aclnn')} {row['shape']}"
        picture.text(0, y + 11, label if len(label) < 62 else f"{label[:60]}…", "small", middle=False)
        picture.box(left + min(0.0, long), y + 2, abs(long) + 1, step - 5, "c0" if ratio >= 1 else "c3")
    return picture
