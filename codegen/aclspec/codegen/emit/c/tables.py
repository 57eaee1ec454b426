"""The constants of an operator's source, and the tables that all share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from aclspec.codegen.emit.c.expressions import quoted
from aclspec.codegen.emit.c.names import constant_name, product_name
from aclspec.codegen.emit.c.statements import comment, folded
from aclspec.codegen.emit.constants import ByProduct, Cells, Column, Constant, Joint, Member, Products
from aclspec.codegen.emit.dtype_rows import RowData
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.rules import shapes
from aclspec.runtime.rules.operator_info import NULL, OperatorInfo
from aclspec.runtime.rules.sentences import WORDS

_SPECIAL: Final = {None: "SET_NULL", "DT_UNDEFINED": "SET_UNDEFINED", "HFLOAT32": "SET_HFLOAT32"}
_NO_DTYPE: Final = -4


def constant_lines(constants: Iterable[Constant]) -> Iterator[str]:
    """The declarations of constants; a dtype or a format has its name in the shared header."""
    for constant in constants:
        if not isinstance(constant.content, Member):
            yield from comment(constant.comment, 0)
            yield from _declared(constant_name(constant.name), constant)


def _declared(name: str, constant: Constant) -> Iterator[str]:
    match constant.content:
        case Products(keys=keys):
            products = " | ".join(f"PRODUCT({product_name(key)})" for key in keys)
            yield from folded(f"static const unsigned {name} = {products};", 0)
        case Column(cell=cell):
            yield from folded(f"static const dtype_set {name} = {_set(cell)};", 0)
        case Joint() | Cells() as content:
            yield from _rows(f"{name}_CELLS", content)
            yield f"#define {name} ({_table(f'{name}_CELLS', content)})"
        case ByProduct(entries=entries):
            yield from _by_product(name, entries)


def _by_product(name: str, entries: Sequence[tuple[str, Column | Joint | Cells]]) -> Iterator[str]:
    contents = list(dict.fromkeys(content for _, content in entries))
    texts: dict[Column | Joint | Cells, str] = {}
    for at, content in enumerate(contents, 1):
        if isinstance(content, Column):
            texts[content] = _set(content.cell)
        else:
            cells = f"{name}_CELLS_{at}"
            yield from _rows(cells, content)
            texts[content] = f"{{{cells}, {len(content.rows)}}}"
    kind = "dtype_set" if isinstance(contents[0], Column) else "dtype_rows"
    yield f"static const {kind} {name}[ACLSPEC_PRODUCT_COUNT] = {{"
    for product, content in entries:
        yield from folded(f"[{product_name(product)}] = {texts[content]},", 1)
    yield "};"


def _rows(name: str, content: Joint | Cells) -> Iterator[str]:
    """The cells of rows, one row after the other."""
    if not content.rows:
        yield f"static const dtype_set {name}[] = {{NO_DTYPES}};"
        return
    yield f"static const dtype_set {name}[] = {{"
    rows = content.rows if isinstance(content, Cells) else [tuple((dtype,) for dtype in row) for row in content.rows]
    for cells in rows:
        yield from folded(", ".join("ANY_DTYPE" if cell is None else _set(cell) for cell in cells) + ",", 1)
    yield "};"


def _table(cells: str, content: Joint | Cells) -> str:
    return f"(dtype_rows){{{cells}, {len(content.rows)}}}"


def _set(cell: tuple[str | None, ...] | None) -> str:
    """A set of dtypes."""
    if cell is None:
        return "KNOWN_DTYPES"
    return " | ".join(_SPECIAL.get(dtype) or f"SET(DT_{dtype})" for dtype in cell) or "NO_DTYPES"


def row_lines(info: OperatorInfo, rows: RowData) -> Iterator[str]:
    """The dtype rows in full, for the clause that dtypes are not supported."""
    cells: dict[tuple[str, ...], str] = {}
    lines: list[str] = []
    for row in info.rows:
        table = row.table
        names = []
        for column in rows.columns:
            cell = table.get(column)
            names.append("NULL" if cell is None else cells.setdefault(cell, f"CELL_{len(cells) + 1}"))
        products = " | ".join(f"PRODUCT({product_name(key)})" for key in row.products) or "0"
        modes = ", ".join(str(mode in row.modes).lower() for mode in ("document", "library"))
        lines += folded(f"{{{products}, {modes}, CELLS({', '.join(names)})}},", 1)
    yield from comment(f"The rows of dtypes in full: {', '.join(rows.columns)}.", 0)
    for cell, name in cells.items():
        dtypes = ", ".join("CELL_NULL" if dtype == NULL else f"DT_{dtype}" for dtype in cell)
        yield from folded(f"static const int16_t {name}[] = {{{dtypes}{', ' if dtypes else ''}CELL_END}};", 0)
    yield "static const aclspec_row ROWS_IN_FULL[] = {"
    yield from lines
    yield "};"


def member_lines() -> Iterator[str]:
    """The numbers of dtypes and formats, and the set of all dtypes."""
    yield "enum {"
    yield from (f"    DT_{dtype.name} = {int(dtype)}," for dtype in DType)
    yield from (f"    FORMAT_{format.name} = {int(format)}," for format in Format)
    yield "};"
    yield f"#define KNOWN_DTYPES ((dtype_set){_all_dtypes():#x}u)"


def _all_dtypes() -> int:
    special = {DType.DT_UNDEFINED: 62, DType.HFLOAT32: 61}
    return sum(1 << special.get(dtype, int(dtype)) for dtype in DType)


def table_lines() -> Iterator[str]:
    """The tables of the support source: what dtypes and formats are, and the words of sentences."""
    dtypes, formats = list(DType), list(Format)
    kinds = [shapes.promotable_scalar(DType.BOOL, dtype) for dtype in dtypes]
    yield f"#define DTYPE_COUNT {len(dtypes)}"
    yield f"#define FORMAT_COUNT {len(formats)}"
    yield f"#define NO_DTYPE ({_NO_DTYPE})"
    yield f'#define NULL_DTYPE "{NULL}"'
    yield from _array("int16_t DTYPES[]", (str(int(dtype)) for dtype in dtypes))
    yield from _array("char *const DTYPE_NAMES[]", (quoted(dtype.name) for dtype in dtypes))
    integral = (
        promotes and shapes.promote_scalar(DType.INT64, dtype) == DType.INT64
        for promotes, dtype in zip(kinds, dtypes, strict=True)
    )
    yield from _array("bool DTYPE_IS_INTEGER[]", (str(one).lower() for one in integral))
    yield from _array("int16_t BITS[]", (str(shapes.bits(dtype)) for dtype in dtypes))
    yield from _array("int16_t FORMATS[]", (str(int(format)) for format in formats))
    yield from _array("char *const FORMAT_NAMES[]", (quoted(format.name) for format in formats))
    yield from _array("bool FORMAT_IS_PRIVATE[]", (str(format.is_private).lower() for format in formats))
    castable = ([to.name for to in dtypes if shapes.castable(one, to)] for one in dtypes)
    yield from _array("dtype_set CASTABLE[]", (_set(tuple(row)) for row in castable))
    for name, able, common in (
        ("PROMOTE", shapes.promotable, shapes.promote),
        ("PROMOTE_SCALAR", shapes.promotable_scalar, shapes.promote_scalar),
    ):
        rows = ([int(common(one, other)) if able(one, other) else _NO_DTYPE for other in dtypes] for one in dtypes)
        yield from _array(f"int16_t {name}[][DTYPE_COUNT]", (f"{{{', '.join(map(str, row))}}}" for row in rows))
    english, chinese = WORDS["en"], WORDS["zh"]
    keys = [key for key in english if key != "compound"]
    yield f"enum {{ {', '.join('WORD_' + key.upper().replace(' ', '_') for key in keys)} }};"
    yield from _array("char *const WORDS[][2]", (f"{{{quoted(english[key])}, {quoted(chinese[key])}}}" for key in keys))
    parts = [", ".join([*map(quoted, _alternatives(words["compound"])), "NULL"]) for words in (english, chinese)]
    width = max(len(_alternatives(words["compound"])) for words in (english, chinese)) + 1
    yield from _array(f"char *const COMPOUND[2][{width}]", (f"{{{part}}}" for part in parts))


def _alternatives(pattern: str) -> list[str]:
    """The texts that a pattern matches, which is a list of texts or of characters."""
    if pattern.startswith("["):
        return list(pattern[1:-1])
    texts = pattern.split("|")
    assert all(re.escape(text).replace("\\ ", " ") == text for text in texts), pattern
    return texts


def _array(declaration: str, items: Iterable[str]) -> Iterator[str]:
    yield f"static const {declaration} = {{"
    yield from folded(", ".join(items), 1)
    yield "};"
