"""The matrix of an operator: for each tensor what each product takes, found by asking the checks (`probes`).

Each cell says who says so: the document, the newer documentation, or the library alone.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator
from itertools import groupby

from aclspec.codegen.pages.probes import DTYPES, RANKS, Facets, Probes
from aclspec.codegen.render.manual.words import Lang
from aclspec.codegen.spec.project import Operator
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.rules.operator_info import ParamInfo

_MANY_FORMATS = 6
WORDS: dict[Lang, dict[str, str]] = {
    "en": {
        "tensor": "Tensor",
        "any": "any dtype",
        "any format": "any format",
        "rank": "rank {}",
        "empty": "empty",
        "strided": "non-contiguous",
        "nothing": "not taken",
        "document": "document",
        "newer": "newer document",
        "library": "CANN alone",
        "legend": "Found by asking the checks about each tensor alone. "
        "<sup>L</sup> CANN takes it, no document lists it. "
        "<sup>D</sup> The document allows it, CANN refuses it. <sup>N</sup> Only the newer document lists it.",
    },
    "zh": {
        "tensor": "张量",
        "any": "任意数据类型",
        "any format": "任意数据格式",
        "rank": "{} 维",
        "empty": "空张量",
        "strided": "非连续",
        "nothing": "不支持",
        "document": "文档",
        "newer": "新版文档",
        "library": "仅 CANN",
        "legend": "逐个张量询问检查项得出。<sup>L</sup> CANN 接受但文档未列出；<sup>D</sup> 文档允许但 CANN 拒绝；"
        "<sup>N</sup> 仅新版文档列出。",
    },
}


def matrix(operator: Operator, lang: Lang, probes: Probes) -> str:
    """The table as HTML, with its legend; nothing for an operator without tensors."""
    info, words = operator.info, WORDS[lang]
    tensors = [param for param in info.params if PARAM_TYPES[param.type].predicate in ("tensor", "tensors")]
    if not tensors or not info.facts.has_rules:
        return ""
    cells = _Cells(operator, lang, probes)
    columns = {key: tuple(cells.cell(param, key) for param in tensors) for key, _ in info.products}
    heads: dict[tuple[str, ...], list[str]] = {}
    for key, column in columns.items():
        heads.setdefault(column, []).append(key)
    lines = [
        ([param.name for param, _ in same], row)
        for row, same in _grouped((param, tuple(column[at] for column in heads)) for at, param in enumerate(tensors))
    ]
    return "\n".join(
        [
            '<div class="aclspec-matrix"><table><thead><tr>',
            f'<th scope="col">{words["tensor"]}</th>',
            *(f'<th scope="col">{"<br>".join(f"<code>{key}</code>" for key in keys)}</th>' for keys in heads.values()),
            "</tr></thead><tbody>",
            *(
                f'<tr><th scope="row">{"<br>".join(f"<code>{name}</code>" for name in names)}</th>'
                f"{''.join(f'<td>{cell}</td>' for cell in row)}</tr>"
                for names, row in lines
            ),
            "</tbody></table>",
            f"<p>{words['legend']}</p></div>",
        ]
    )


def _grouped(
    rows: Iterable[tuple[ParamInfo, tuple[str, ...]]],
) -> Iterator[tuple[tuple[str, ...], list[tuple[ParamInfo, tuple[str, ...]]]]]:
    """Neighbouring tensors with the same cells as one row."""
    for row, same in groupby(rows, key=lambda one: one[1]):
        yield row, list(same)


class _Cells:
    """The cells of one operator's matrix."""

    def __init__(self, operator: Operator, lang: Lang, probes: Probes) -> None:
        """Tell the rows that only the newer document has."""
        self.info, self.words, self.probes = operator.info, WORDS[lang], probes
        used = (
            (row, [values for name, values in row.where.items() if any(name in cell for cell in row.row.values())])
            for row in operator.spec.dtypes
        )
        flags = [row.listed_by == "newer" for row, values in used for _ in range(math.prod(map(len, values)))]
        self.newer = dict(zip(self.info.rows, flags, strict=True))
        self.listed = dict(self.info.products)

    def cell(self, param: ParamInfo, product: str) -> str:
        """What a product takes, in three lines, and who says so."""
        document, library = (self.probes.facets(param, product, mode) for mode in ("document", "library"))
        if document is None and library is None:
            return self.words["nothing"]
        empty = Facets(frozenset(), frozenset(), (), False, False)
        said, taken = document or empty, library or empty
        source = "library" if document is None else self.listed[product]
        lines = [
            self._dtypes(param, product, said, taken),
            self._layouts(param, said, taken),
            self._flags(said, taken),
            f"<small>{self.words[source]}</small>",
        ]
        return "<br>".join(filter(None, lines))

    def _dtypes(self, param: ParamInfo, product: str, said: Facets, taken: Facets) -> str:
        if len(said.dtypes | taken.dtypes) == len(DTYPES):
            return _marked(self.words["any"], len(said.dtypes) == len(DTYPES), len(taken.dtypes) == len(DTYPES))
        older = {
            dtype
            for row in self.info.rows
            if product in row.products and "document" in row.modes and not self.newer.get(row)
            for dtype in dict(row.cells).get(param.name, DTYPES)
        }
        parts = []
        for dtype in (one for one in DTYPES if one in said.dtypes | taken.dtypes):
            is_newer = self.listed[product] != "newer" and dtype in said.dtypes and dtype not in older
            mark = "<sup>N</sup>" if is_newer else ""  # where all of the product is newer, the cell says so once
            parts.append(_marked(f"<code>{dtype}</code>", dtype in said.dtypes, dtype in taken.dtypes) + mark)
        return " ".join(parts)

    def _layouts(self, param: ParamInfo, said: Facets, taken: Facets) -> str:
        """Ranks with their formats; ranks that allow the same stand together."""
        unchecked = said.ranks == frozenset(RANKS)  # then another rule decides the shape
        ranks = [rank for rank in RANKS if rank in said.ranks | taken.ranks]
        if unchecked:
            ranks = [rank for rank in ranks if param.rank[0] <= rank <= param.rank[1]]
        both = (dict(said.formats), dict(taken.formats))
        found: dict[str, list[int]] = {}
        for rank in ranks:
            found.setdefault(self._formats(*(one.get(rank, frozenset()) for one in both)), []).append(rank)
        return "; ".join(f"{self.words['rank'].format(_range(some))}: {text}" for text, some in found.items())

    def _formats(self, said: Collection[str], taken: Collection[str]) -> str:
        if len(said) >= _MANY_FORMATS and len(taken) >= _MANY_FORMATS:
            return self.words["any format"]
        texts = [_marked(f"<code>{name}</code>", True, name in taken) for name in sorted(said)]
        others = sorted(set(taken) - set(said))
        if len(taken) >= _MANY_FORMATS:
            texts.append(_marked(self.words["any format"], False, True))
        else:
            texts += [_marked(f"<code>{name}</code>", False, True) for name in others]
        return " ".join(texts)

    def _flags(self, said: Facets, taken: Facets) -> str:
        flags = {"empty": (said.empty, taken.empty), "strided": (said.noncontiguous, taken.noncontiguous)}
        return " · ".join(
            f"{self.words[name]} {_marked('✓' if any(pair) else '✗', *(pair if any(pair) else (True, True)))}"
            for name, pair in flags.items()
        )


def _marked(text: str, said: bool, taken: bool) -> str:
    """A value with the mark of what only one of document and library allows."""
    return f"{text}{'' if said and taken else '<sup>D</sup>' if said else '<sup>L</sup>'}"


def _range(ranks: list[int]) -> str:
    if len(ranks) > 1 and ranks == list(range(ranks[0], ranks[-1] + 1)):
        return f"{ranks[0]}–{ranks[-1]}"
    return ", ".join(map(str, ranks))
