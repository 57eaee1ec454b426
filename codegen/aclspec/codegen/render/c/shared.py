"""The tables that do not depend on operators: what dtypes and formats are, and the words of sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aclspec.codegen.render.c.operator import bit_of
from aclspec.codegen.render.c.text import array, quoted
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.rules import shapes
from aclspec.runtime.rules.operator_info import NULL
from aclspec.runtime.rules.sentences import LISTED_ROWS, WORDS

_NO_DTYPE = -4


def dtype_lines() -> Iterator[str]:
    """What dtypes and formats are."""
    dtypes, formats = list(DType), list(Format)
    yield f"#define DTYPE_COUNT {len(dtypes)}"
    yield f"#define FORMAT_COUNT {len(formats)}"
    yield from array("static const int16_t DTYPES[]", (str(int(dtype)) for dtype in dtypes))
    yield from array("static const char *const DTYPE_NAMES[]", (quoted(dtype.name) for dtype in dtypes))
    integral = (_is_kind(dtype, DType.INT64) for dtype in dtypes)
    yield from array("static const bool DTYPE_IS_INTEGER[]", (str(one).lower() for one in integral))
    yield from array(
        "static const bool DTYPE_IS_COMPLEX[]", (str(dtype.name.startswith("COMPLEX")).lower() for dtype in dtypes)
    )
    yield from array("static const int16_t BITS[]", (str(shapes.bits(dtype)) for dtype in dtypes))
    yield from array("static const int16_t FORMATS[]", (str(int(format)) for format in formats))
    yield from array("static const char *const FORMAT_NAMES[]", (quoted(format.name) for format in formats))
    yield from array("static const bool FORMAT_IS_PRIVATE[]", (str(one.is_private).lower() for one in formats))
    castable = (sum(1 << bit_of(to.name) for to in dtypes if shapes.castable(one, to)) for one in dtypes)
    yield from array("static const uint64_t CASTABLE[]", (f"{row:#x}u" for row in castable))
    for name, able, common in (
        ("PROMOTE", shapes.promotable, shapes.promote),
        ("PROMOTE_SCALAR", shapes.promotable_scalar, shapes.promote_scalar),
    ):
        rows = ([int(common(one, other)) if able(one, other) else _NO_DTYPE for other in dtypes] for one in dtypes)
        items = (f"{{{', '.join(map(str, row))}}}" for row in rows)
        yield from array(f"static const int16_t {name}[][DTYPE_COUNT]", items)


def _is_kind(dtype: DType, highest: DType) -> bool:
    """Whether a dtype is of a kind or of a lower one."""
    promotes = shapes.promotable_scalar(DType.BOOL, dtype)
    return promotes and shapes.promote_scalar(highest, dtype) == highest


def word_lines() -> Iterator[str]:
    """The words of sentences by language."""
    english, chinese = WORDS["en"], WORDS["zh"]
    keys = [key for key in english if key != "compound"]
    yield f"#define LISTED_ROWS {LISTED_ROWS} /* of more rows the sentence names the nearest */"
    yield f"#define NULL_DTYPE {quoted(NULL)}"
    names = ["WORD_" + key.upper().replace(" ", "_") for key in keys]
    yield f"enum {{ {', '.join(names)} }};"
    pairs = (f"{{{quoted(english[key])}, {quoted(chinese[key])}}}" for key in keys)
    yield from array("static const char *const WORDS[][2]", pairs)
    parts = [_alternatives(words["compound"]) for words in (english, chinese)]
    width = max(map(len, parts)) + 1
    assert max(len(one.encode()) for part in parts for one in part) <= 8, "a trial holds 8 bytes"
    items = (f"{{{', '.join([*map(quoted, part), 'NULL'])}}}" for part in parts)
    yield from array(f"static const char *const COMPOUND[2][{width}]", items)


def _alternatives(pattern: str) -> list[str]:
    """The texts that a pattern matches, which is a list of texts or of characters."""
    if pattern.startswith("["):
        return list(pattern[1:-1])
    texts = pattern.split("|")
    assert all(re.escape(text).replace("\\ ", " ") == text for text in texts), pattern
    return texts


def member_lines() -> Iterator[str]:
    """The numbers of dtypes and formats."""
    yield "enum {"
    yield from (f"    DT_{dtype.name} = {int(dtype)}," for dtype in DType)
    yield from (f"    FORMAT_{format.name} = {int(format)}," for format in Format)
    yield "};"
