"""The figures of ``make bench``: tables, and plots with one bar for each row."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from math import exp, log, log2, log10
from pathlib import Path
from typing import Any, NamedTuple

from aclspec.codegen.pages.predicate_reference import table
from aclspec.codegen.pages.svg import Picture
from aclspec.codegen.render.manual.words import Lang

LEFT, STEP, MOST = 420, 18, 62


class Bar(NamedTuple):
    """A row of a plot."""

    label: str
    place: float
    """Where it ends, in units of the axis."""
    good: bool


class Axis(NamedTuple):
    """The marks of a plot from its first to its last unit, and where bars begin."""

    marks: Sequence[str]
    first: float
    unit: float
    origin: float = 0.0


RATIOS = Axis([f"{2.0**power:g}" for power in range(-3, 7)], -3, 44)
SHARES = Axis([f"{20 * at}%" for at in range(7)], 0, 60)
MICROSECONDS = Axis(["1 µs", "10 µs", "100 µs", "1 ms"], 0, 110)


def plot(bars: Iterable[Bar], axis: Axis, title: str) -> str:
    """The picture; nothing where there are no bars."""
    rows = list(bars)
    if not rows:
        return ""
    last = axis.first + len(axis.marks) - 1
    picture = Picture(LEFT + axis.unit * (len(axis.marks) - 0.5), STEP * len(rows) + 44, title)
    picture.text(0, 14, title, middle=False)
    for at, mark in enumerate(axis.marks):
        x = LEFT + axis.unit * at
        picture.box(x, 22, 1, STEP * len(rows) + 4, "grid")
        picture.text(x, STEP * len(rows) + 40, mark)
    for at, (label, place, good) in enumerate(rows):
        y = 26 + STEP * at
        begin, end = sorted((axis.origin, min(max(place, axis.first), last)))
        picture.text(0, y + 11, label if len(label) < MOST else f"{label[: MOST - 2]}…", "small", middle=False)
        x = LEFT + axis.unit * (begin - axis.first)
        picture.box(x, y + 2, axis.unit * (end - begin) + 1, STEP - 5, "c0" if good else "c3")
    return str(picture)


def ratios(rows: Iterable[dict[str, Any]], way: str) -> Iterable[Bar]:
    """Times as fast as PyTorch, on a logarithmic scale around 1."""
    for row in rows:
        if way in row:
            yield Bar(_label(row), log2(row[way]["ratio"]), row[way]["ratio"] >= 1)


def shares(rows: Iterable[dict[str, Any]], way: str, limits: dict[str, float]) -> Iterable[Bar]:
    """The share of the limit that each row reaches."""
    for row in rows:
        if way in row:
            share = least_seconds(row, limits) / row[way]["seconds"]
            yield Bar(_label(row), 5 * share, share >= 0.75)


def calls(rows: Iterable[dict[str, Any]]) -> Iterable[Bar]:
    """What a call takes beside its kernel."""
    for row in rows:
        micro = max(1.0, row["over"] * 1e6)
        yield Bar(f"{row['operator'].removeprefix('aclnn')}, {row['way']}", log10(micro), micro <= 10)


def least_seconds(row: dict[str, Any], limits: dict[str, float]) -> float:
    """The time that the machine's limits leave: of memory, or of multiplications and additions."""
    return float(max(row["moved"] / limits["bytes"], row["operations"] / limits["operations"]))


def _label(row: dict[str, Any]) -> str:
    return f"{row['operator'].removeprefix('aclnn')} {row['shape']}"


FIGURES = Path("site", "data", "benchmarks.json")
_WORDS: dict[Lang, dict[str, str]] = {
    "en": {
        "none": "Nothing has been measured yet: run `make bench`.",
        "machine": "Measured on {date}: {processor}, {cores} cores, as many threads each side, load {load:.1f}; "
        "Python {python}, NumPy {numpy}, PyTorch {torch}, aclspec {aclspec}, instructions {instructions}. "
        "Memory {bytes:.0f} GB/s (a copy), products {operations:.0f} G operations a second (float32, 2048 by 2048).",
        "how": "Our kernels write into arrays that are there. PyTorch does so where its operator has a variant for it "
        "(pooling); elsewhere it allocates its outputs, from memory that the process keeps. Both sides take turns in "
        "every round; a ratio is the median over the rounds, and the noise half the distance between the quartiles. "
        "The limit is that copy, or that product for dense convolutions; data that fits into a cache may go beyond it. "
        "Memory is what a kernel of NumPy takes at most beside its inputs and outputs.",
        "kernels": "Kernels",
        "mean": "Geometric mean over all rows, kernels of PyTorch where there are any: {torch:.2f}; "
        "NumPy kernels: {numpy:.2f}.",
        "calls": "Calls",
        "imports": "Import",
        "generation": "Generation",
        "ratios": "Times as fast as PyTorch, {dtype} ({way})",
        "shares": "Share of the limit, {dtype} ({way})",
        "over": "What a call takes beside its kernel",
        "rows": "`{operator}`: {torch:.2f} times as fast as PyTorch with a kernel of PyTorch, {numpy:.2f} with that "
        "of NumPy (geometric means)",
        "runs": "All specs of the project. Wall time, and processor time of all processes; of the runs after a change "
        "of one spec, the slowest.",
    },
    "zh": {
        "none": "尚无测量数据：请运行 `make bench`。",
        "machine": "测量日期 {date}：{processor}，{cores} 核，双方线程数与核数相同，负载 {load:.1f}；"
        "Python {python}，NumPy {numpy}，PyTorch {torch}，aclspec {aclspec}，指令集 {instructions}。"
        "内存 {bytes:.0f} GB/s（复制），矩阵乘 {operations:.0f} G 次运算/秒（float32，2048×2048）。",
        "how": "我方内核写入已分配的数组。PyTorch 的算子若有此类变体（池化）也如此；"
        "否则由它分配输出，所用内存由进程保留。每一轮中双方轮流运行；比值取各轮中位数，噪声为四分位距的一半。极限即上述复制，稠密卷积则为上述矩阵乘；"
        "能放入缓存的数据可以超过它。内存指 NumPy 内核除输入输出之外的最大占用。",
        "kernels": "内核",
        "mean": "所有行的几何平均：有 PyTorch 内核者用之 {torch:.2f}；NumPy 内核 {numpy:.2f}。",
        "calls": "调用",
        "imports": "导入",
        "generation": "生成",
        "ratios": "相对 PyTorch 的倍数，{dtype}（{way}）",
        "shares": "占极限的份额，{dtype}（{way}）",
        "over": "一次调用在内核之外的耗时",
        "rows": "`{operator}`：PyTorch 内核为 PyTorch 的 {torch:.2f} 倍，NumPy 内核为 {numpy:.2f} 倍（几何平均）",
        "runs": "本项目的全部规格。耗时，以及所有进程的处理器时间；改动一份规格后的运行取最慢的一次。",
    },
}
_HEADS: dict[Lang, dict[str, tuple[str, ...]]] = {
    "en": {
        "kernels": (
            "shape",
            "dtype",
            "kernel",
            "ms",
            "times PyTorch",
            "± noise",
            "share of limit",
            "memory",
        ),
        "calls": ("operator", "way", "µs", "µs over the kernel", "times PyTorch", "± noise"),
        "imports": ("statement", "ms", "of `import numpy, ml_dtypes`", "± noise"),
        "generation": ("run", "s", "CPU s"),
    },
    "zh": {
        "kernels": ("形状", "数据类型", "内核", "毫秒", "PyTorch 的倍数", "± 噪声", "占极限", "内存"),
        "calls": ("算子", "方式", "微秒", "超出内核的微秒", "PyTorch 的倍数", "± 噪声"),
        "imports": ("语句", "毫秒", "与 `import numpy, ml_dtypes` 之比", "± 噪声"),
        "generation": ("运行", "秒", "处理器秒"),
    },
}
KERNELS = ("torch", "numpy")


def speed(lang: Lang, root: Path) -> str:
    """All that was measured last."""
    words = _WORDS[lang]
    path = root / FIGURES
    if not path.is_file():
        return words["none"]
    figures = json.loads(path.read_text(encoding="utf-8"))
    limits = figures["limits"]
    billions = {name: value / 1e9 for name, value in limits.items()}
    parts = [words["machine"].format(**figures["machine"], **billions), "", words["how"], ""]
    tables = {"calls": _calls, "imports": _imports, "generation": _generation}
    for name in ("kernels", *tables):
        measured = figures.get(name)
        if measured:
            parts += [f"## {words[name]} {{: #{name} }}", ""]
            if name == "kernels":
                parts += [words["mean"].format(**{way: _mean(measured, way) for way in KERNELS}), ""]
            if name == "generation":
                parts += [words["runs"], ""]
            if name == "kernels":
                parts += _plots(measured, limits, words)
                parts += _by_operator(measured, limits, lang)
                continue
            numbers = table(_HEADS[lang][name], tables[name](measured))
            if name == "calls":
                picture = plot(calls(measured), MICROSECONDS, words["over"])
                numbers = folded(words["over"], f"{picture}\n{numbers}")
            parts += [numbers, ""]
    return "\n".join(parts)


def _by_operator(rows: list[dict[str, Any]], limits: dict[str, float], lang: Lang) -> Iterator[str]:
    """The rows of each operator, folded under what they come to."""
    for operator in dict.fromkeys(row["operator"] for row in rows):
        own = [row for row in rows if row["operator"] == operator]
        means = {way: _mean(own, way) for way in KERNELS}
        title = _WORDS[lang]["rows"].format(operator=operator, **means)
        yield folded(title, table(_HEADS[lang]["kernels"], _kernels(own, limits)))


def folded(title: str, content: str) -> str:
    """A part of the page that a click on its title opens."""
    summary = f'<summary markdown="span">{title}</summary>'
    return f'<details class="aclspec-fold" markdown="1">\n{summary}\n\n{content}\n\n</details>\n'


def _plots(rows: list[dict[str, Any]], limits: dict[str, float], words: dict[str, str]) -> Iterator[str]:
    """The pictures of the kernels."""
    for dtype in dict.fromkeys(row["dtype"] for row in rows):
        chosen = [row for row in rows if row["dtype"] == dtype]
        titles = {way: words["ratios"].format(dtype=dtype, way=way) for way in KERNELS}
        yield plot(ratios(chosen, "numpy"), RATIOS, titles["numpy"])
        if any("torch" in row for row in chosen):
            yield folded(titles["torch"], plot(ratios(chosen, "torch"), RATIOS, titles["torch"]))
        title = words["shares"].format(dtype=dtype, way="numpy")
        yield folded(title, plot(shares(chosen, "numpy", limits), SHARES, title))


def _mean(rows: Iterable[dict[str, Any]], way: str) -> float:
    """The geometric mean of the ratios: a row without a kernel of PyTorch counts with the NumPy one."""
    ratios = [row.get(way, row["numpy"])["ratio"] for row in rows]
    return exp(sum(map(log, ratios)) / len(ratios))


def _kernels(rows: Iterable[dict[str, Any]], limits: dict[str, float]) -> Iterator[tuple[str, ...]]:
    for row in rows:
        for way in KERNELS:
            if one := row.get(way):
                numbers = (
                    f"{one['seconds'] * 1e3:.3f}",
                    f"{one['ratio']:.2f}",
                    f"{one['noise']:.0%}",
                    f"{least_seconds(row, limits) / one['seconds']:.0%}",
                )
                yield row["shape"], row["dtype"], way, *numbers, _bytes(one["memory"]) if "memory" in one else ""


def _calls(rows: Iterable[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    for row in rows:
        against = (f"{row['ratio']:.2f}", f"{row['noise']:.0%}") if "ratio" in row else ("", "")
        yield f"`{row['operator']}`", row["way"], f"{row['seconds'] * 1e6:.1f}", f"{row['over'] * 1e6:.1f}", *against


def _imports(rows: Iterable[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    for row in rows:
        yield f"`{row['statement']}`", f"{row['seconds'] * 1e3:.0f}", f"{row['ratio']:.2f}", f"{row['noise']:.0%}"


def _generation(rows: Iterable[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    for row in rows:
        yield row["way"], f"{row['seconds']:.1f}", f"{row['cpu']:.1f}"


def _bytes(count: int) -> str:
    return f"{count / 2**20:.1f} MB" if count >= 2**20 else f"{count / 2**10:.0f} KB"
