"""The tables that every operator's checks in JavaScript share: dtypes, statuses, products, functions, words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aclspec.codegen.load import Project
from aclspec.codegen.render.javascript.labels import LABELS
from aclspec.codegen.render.javascript.layout import Layout, array, lay_out, quoted, record, strings
from aclspec.codegen.render.javascript.phrases import LANGUAGES, phrases
from aclspec.codegen.render.manual.words import LANGS
from aclspec.codegen.render.target import Target
from aclspec.runtime.dtypes import DType
from aclspec.runtime.formats import Format
from aclspec.runtime.paramtypes import PARAM_TYPES, ParamType
from aclspec.runtime.predicate.functions import ELEMENTS, FUNCTIONS, MAX_RANGE
from aclspec.runtime.predicate.signatures import Function
from aclspec.runtime.predicate.wording.facts import FACTS, LAST_AXES, SHARED
from aclspec.runtime.status import Status


def render_tables(project: Project, target: Target) -> str:
    """The text of ``tables.js``."""
    products = {product.key: _text(product.name) for product in project.products}
    tables = record(
        {
            "products": record(products, broken=True),
            "defaultProduct": quoted(next(product.key for product in project.products if product.default)),
            "statuses": record({name: str(int(status)) for name, status in Status.__members__.items()}),
            **shared_tables(),
        },
        broken=True,
    )
    lines = lay_out("globalThis.aclspecAsk.tables = ", tables, ";")
    return "\n".join((f"// {target.header('specs/common')}", '"use strict";', "", *lines, ""))


def shared_tables() -> dict[str, Layout]:
    """What follows from the language of the specs and the runtime alone."""
    return {
        "dtypes": record({dtype.name: strings(_spellings(dtype)) for dtype in DType if dtype != DType.HFLOAT32}),
        "formats": record({format.name: _bool(format.is_private) for format in Format}),
        "listTypes": strings(ELEMENTS),
        "maxRange": str(MAX_RANGE),
        "paramTypes": record({name: _param_type(kind) for name, kind in PARAM_TYPES.items()}, broken=True),
        "facts": strings(sorted(FACTS)),
        "shared": _quoted(SHARED),
        "lastAxes": record({str(place): _text(text) for place, text in LAST_AXES.items()}),
        "functions": record({name: _function(one) for name, one in FUNCTIONS.items()}, broken=True),
        "phrases": record({one.code: _quoted(phrases(one)) for one in LANGUAGES}, broken=True),
        "labels": record(
            {lang: _quoted({key: text[at] for key, text in LABELS.items()}) for at, lang in enumerate(LANGS)}
        ),
    }


def _spellings(dtype: DType) -> list[str]:
    """The name in a tensor literal, and the others that are read."""
    others = {DType.FLOAT16: ["half"], DType.DT_UNDEFINED: ["undefined"]}
    return [dtype.short, *others.get(dtype, [])]


def _param_type(kind: ParamType) -> Layout:
    fields: dict[str, Layout | None] = {"predicate": quoted(kind.predicate), "pointer": _bool(kind.pointer)}
    if kind.is_integer:
        fields |= {"low": quoted(str(kind.low)), "high": quoted(str(kind.high))}
    return record(fields)


def _function(function: Function) -> Layout:
    return record(
        {
            "result": quoted(function.overloads[0].result),
            "phrase": _text(function.phrase),
            "negated": None if function.negated is None else _text(function.negated),
            "worked": None if function.worked is None else array(map(_text, function.worked)),
        }
    )


def _text(text: Any) -> Layout:
    """A text in both languages."""
    return record({"en": quoted(text.en), "zh": quoted(text.zh)})


def _quoted(texts: Mapping[str, str]) -> Layout:
    return record({key: quoted(text) for key, text in texts.items()}, broken=True)


def _bool(value: bool) -> str:
    return "true" if value else "false"
