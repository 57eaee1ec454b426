"""The figures of ``make bench`` as tables and plots."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from math import exp, log
from pathlib import Path
from statistics import median
from typing import Any

from aclspec.codegen.pages import speed_plots as plots
from aclspec.codegen.reference import table
from aclspec.codegen.render.manual.words import Lang

FIGURES = Path("site", "data", "benchmarks.json")
_WORDS: dict[Lang, dict[str, str]] = {
    "en": {
        "none": "Nothing has been measured yet: run `make bench`.",
        "machine": "Measured on {date}: {processor}, {cores} cores, {threads} threads each side, load {load:.1f}; "
        "Python {python}, NumPy {numpy}, PyTorch {torch}, aclspec {aclspec}, instructions {instructions}. "
        "Memory {bytes:.0f} GB/s (a copy), products {operations:.0f} G operations a second (float32, 2048 by 2048).",
        "how": "Our kernels write into arrays that are there. PyTorch does so where its operator has a variant for it "
        "(pooling); elsewhere it allocates its outputs, from memory that the process keeps. Both sides take turns in "
        "every round; a ratio is the median over the rounds, and the noise half the distance between the quartiles. "
        "The limit is that copy, or that product for dense convolutions; data that fits into a cache may go beyond it, "
        "and so may bfloat16 by tiles of AMX. "
        "Memory is what a call takes at most beside its inputs and outputs.",
        "kernels": "Kernels",
        "mean": "Geometric mean over all rows with compiled kernels: {native:.2f}; NumPy kernels: {numpy:.2f}.",
        "calls": "Calls",
        "imports": "Import",
        "generation": "Generation",
        "ratios": "Times as fast as PyTorch, {dtype} ({way})",
        "shares": "Share of the limit, {dtype} ({way})",
        "over": "What a call takes beside its kernel",
        "specs": "Generation: a full run from nothing, and one with nothing changed",
        "rows": "`{operator}`: {native:.2f} times as fast as PyTorch with the compiled kernel, {numpy:.2f} with that "
        "of NumPy (geometric means)",
        "made": "The specs are ours in turn, each under another name of its operator. From the second copy on one "
        "number of each differs too: a bound in a rule, a default, or a dtype that is left out; so each checks "
        "something else. Where cases are derived, a full run derives those of each spec by itself; where they are at "
        "hand, it begins with cases that were derived before. The one changed spec has another summary, and means what "
        "it did. Where a rule of each spec was changed in turn, the cases of that spec are derived anew; the least, "
        "the median and the most of these runs are given. Elsewhere is a full run into an empty folder, with what the "
        "runs before it kept.",
    },
    "zh": {
        "none": "尚无测量数据：请运行 `make bench`。",
        "machine": "测量日期 {date}：{processor}，{cores} 核，双方各 {threads} 线程，负载 {load:.1f}；"
        "Python {python}，NumPy {numpy}，PyTorch {torch}，aclspec {aclspec}，指令集 {instructions}。"
        "内存 {bytes:.0f} GB/s（复制），矩阵乘 {operations:.0f} G 次运算/秒（float32，2048×2048）。",
        "how": "我方核写入已分配的数组。PyTorch 的算子若有此类变体（池化）也如此；"
        "否则由它分配输出，所用内存由进程保留。每一轮中双方轮流运行；比值取各轮中位数，噪声为四分位距的一半。极限即上述复制，稠密卷积则为上述矩阵乘；"
        "能放入缓存的数据可以超过它，用 AMX 矩阵块的 bfloat16 也可以。内存指一次调用除输入输出之外的最大占用。",
        "kernels": "算子核",
        "mean": "所有行的几何平均：编译核 {native:.2f}；NumPy 核 {numpy:.2f}。",
        "calls": "调用",
        "imports": "导入",
        "generation": "生成",
        "ratios": "相对 PyTorch 的倍数，{dtype}（{way}）",
        "shares": "占极限的份额，{dtype}（{way}）",
        "over": "一次调用在核之外的耗时",
        "specs": "生成：从零开始的全部运行，以及无改动的再次运行",
        "rows": "`{operator}`：编译核为 PyTorch 的 {native:.2f} 倍，NumPy 核为 {numpy:.2f} 倍（几何平均）",
        "made": "测试用的规格由本项目的规格依次复制而成，算子名称各不相同；"
        "自第二份副本起每份还改动一个数值：某条规则的界限、某个默认值，"
        "或去掉一种数据类型，因此各份的检查互不相同。用例为“推导”时，全部运行要为每份规格单独推导用例；用例为“已有”时，开始时已有推导好的用例。"
        "“改一份”只改动其摘要，含义不变。"
        "“改一条规则”依次改动每份规格的一个数值，该规格的用例须重新推导；所列为各次运行的最小值、中位数与最大值。“别处”指借助此前各次运行所保存的内容，全部生成到一个空目录。",
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
        "generation": (
            "specs",
            "cases",
            "full, s",
            "again, s",
            "one changed, s",
            "a rule changed, s",
            "check, s",
            "elsewhere, s",
            "memory, MB",
        ),
    },
    "zh": {
        "kernels": ("形状", "数据类型", "核", "毫秒", "PyTorch 的倍数", "± 噪声", "占极限", "内存"),
        "calls": ("算子", "方式", "微秒", "超出核的微秒", "PyTorch 的倍数", "± 噪声"),
        "imports": ("语句", "毫秒", "与 `import numpy, ml_dtypes` 之比", "± 噪声"),
        "generation": (
            "规格数",
            "用例",
            "全部，秒",
            "再次，秒",
            "改一份，秒",
            "改一条规则，秒",
            "检查，秒",
            "别处，秒",
            "内存，MB",
        ),
    },
}
WAYS = ("native", "numpy")
_RUNS = ("full", "again", "changed", "check", "elsewhere")


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
                parts += [words["mean"].format(**{way: _mean(measured, way) for way in WAYS}), ""]
            if name == "generation":
                parts += [words["made"], ""]
            parts += _plots(name, measured, limits, words)
            if name == "kernels":
                parts += _by_operator(measured, limits, lang)
            else:
                parts += [table(_HEADS[lang][name], tables[name](measured)), ""]
    return "\n".join(parts)


def _by_operator(rows: list[dict[str, Any]], limits: dict[str, float], lang: Lang) -> Iterator[str]:
    """The rows of each operator, folded under what they come to."""
    for operator in dict.fromkeys(row["operator"] for row in rows):
        own = [row for row in rows if row["operator"] == operator]
        means = {way: _mean(own, way) for way in WAYS}
        title = _WORDS[lang]["rows"].format(operator=operator, **means)
        yield folded(title, table(_HEADS[lang]["kernels"], _kernels(own, limits)))


def folded(title: str, content: str) -> str:
    """A part of the page that a click on its title opens."""
    summary = f'<summary markdown="span">{title}</summary>'
    return f'<details class="aclspec-fold" markdown="1">\n{summary}\n\n{content}\n\n</details>\n'


def _plots(part: str, rows: list[dict[str, Any]], limits: dict[str, float], words: dict[str, str]) -> Iterator[str]:
    """The pictures of a part."""
    if part == "calls":
        yield plots.plot(plots.calls(rows), plots.MICROSECONDS, words["over"])
    if part == "generation":
        yield plots.plot(plots.generations(rows), plots.SECONDS, words["specs"])
    if part == "kernels":
        for dtype in dict.fromkeys(row["dtype"] for row in rows):
            chosen = [row for row in rows if row["dtype"] == dtype]
            said = {way: words["ratios"].format(dtype=dtype, way=way) for way in WAYS}
            yield plots.plot(plots.ratios(chosen, "native"), plots.RATIOS, said["native"])
            yield folded(said["numpy"], plots.plot(plots.ratios(chosen, "numpy"), plots.RATIOS, said["numpy"]))
            shares = words["shares"].format(dtype=dtype, way="native")
            yield folded(shares, plots.plot(plots.shares(chosen, "native", limits), plots.SHARES, shares))


def _mean(rows: Iterable[dict[str, Any]], way: str) -> float:
    """The geometric mean of the ratios: a row without a compiled kernel counts with the NumPy one."""
    ratios = [row.get(way, row["numpy"])["ratio"] for row in rows]
    return exp(sum(map(log, ratios)) / len(ratios))


def _kernels(rows: Iterable[dict[str, Any]], limits: dict[str, float]) -> Iterator[tuple[str, ...]]:
    for row in rows:
        for way in WAYS:
            if one := row.get(way):
                numbers = (
                    f"{one['seconds'] * 1e3:.3f}",
                    f"{one['ratio']:.2f}",
                    f"{one['noise']:.0%}",
                    f"{plots.least_seconds(row, limits) / one['seconds']:.0%}",
                )
                yield row["shape"], row["dtype"], way, *numbers, _bytes(one["memory"])


def _calls(rows: Iterable[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    for row in rows:
        against = (f"{row['ratio']:.2f}", f"{row['noise']:.0%}") if "ratio" in row else ("", "")
        yield f"`{row['operator']}`", row["way"], f"{row['seconds'] * 1e6:.1f}", f"{row['over'] * 1e6:.1f}", *against


def _imports(rows: Iterable[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    for row in rows:
        yield f"`{row['statement']}`", f"{row['seconds'] * 1e3:.0f}", f"{row['ratio']:.2f}", f"{row['noise']:.0%}"


def _generation(rows: Iterable[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    for row in rows:
        full, again, changed, check, elsewhere = (f"{row[name]:.1f}" for name in _RUNS)
        rule = row.get("rule")
        spread = " / ".join(f"{seconds:.1f}" for seconds in (rule[0], median(rule), rule[-1])) if rule else "–"
        memory = f"{row['memory'] / 2**20:.0f}"
        yield str(row["specs"]), row["cases"], full, again, changed, spread, check, elsewhere, memory


def _bytes(count: int) -> str:
    return f"{count / 2**20:.1f} MB" if count >= 2**20 else f"{count / 2**10:.0f} KB"
