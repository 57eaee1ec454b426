"""The scripts of a project: the shared tables, one for each operator, and for a package of one's own the library."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.resources import files
from pathlib import PurePosixPath
from typing import Any

from aclspec.codegen.render.build import OWN_PACKAGE, Target, header_line
from aclspec.codegen.render.javascript.labels import LABELS
from aclspec.codegen.render.javascript.operator import render_operator_script, script
from aclspec.codegen.render.javascript.presets import presets
from aclspec.codegen.render.manual.words import LANGS, Lang
from aclspec.codegen.spec.project import Project
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.abi.parameters import PARAM_TYPES, ParamType
from aclspec.runtime.abi.products import aliases, folded
from aclspec.runtime.abi.status import Status
from aclspec.runtime.api.numbers import ORDER, RANGES
from aclspec.runtime.language.functions import MAX_RANGE
from aclspec.runtime.language.library import IMPLEMENTATIONS, promote, promote_scalar
from aclspec.runtime.language.values import Undefined
from aclspec.runtime.rules.answer_words import ANSWER_WORDS, FIX_WORDS
from aclspec.runtime.rules.operator_info import OperatorInfo
from aclspec.runtime.rules.sentences import WORDS
from aclspec.runtime.testing.suite import Suite

_DTYPES = [dtype.name for dtype in DType]


def render_tables(project: Project) -> str:
    """The text of ``tables.js``."""
    data = {
        "products": {product.key: {"en": product.name.en, "zh": product.name.zh} for product in project.products},
        "aliases": aliases(),
        "socs": {folded(soc): product.key for product in project.products for soc in product.socs},
        "socPrefixes": [
            (soc[:-1], product.key) for product in project.products for soc in product.socs if soc.endswith("*")
        ],
        "defaultProduct": next(product.key for product in project.products if product.default),
        "statuses": {name: int(status) for name, status in Status.__members__.items()},
        "numbers": {"order": ORDER, "ranges": RANGES},
        "dtypes": {dtype.name: dtype.spellings for dtype in DType if dtype != DType.HFLOAT32},
        "formats": {format.name: format.is_private for format in Format},
        "promote": {one: _promoted(one, promote) for one in _DTYPES},
        "promoteScalar": {one: _promoted(one, promote_scalar) for one in _DTYPES},
        "bits": {one: IMPLEMENTATIONS["bits"](one) for one in _DTYPES},
        "floating": [dtype.name for dtype in DType if dtype.is_floating],
        "castable": {one: [to for to in _DTYPES if IMPLEMENTATIONS["castable"](one, to)] for one in _DTYPES},
        "maxRange": MAX_RANGE,
        "paramTypes": {name: _param_type(kind) for name, kind in PARAM_TYPES.items()},
        "words": WORDS,
        "answers": ANSWER_WORDS,
        "fixes": FIX_WORDS,
        "labels": {lang: {key: text[at] for key, text in LABELS.items()} for at, lang in enumerate(LANGS)},
    }
    return script((header_line("specs/common"),), "globalThis.aclspecAsk.tables = ", data, ";")


def _promoted(left: str, common_dtype: Callable[[str, str], str | Undefined]) -> dict[str, str]:
    """The common dtype of a dtype with each other one that it has one with."""
    common = {right: common_dtype(left, right) for right in _DTYPES}
    return {right: dtype for right, dtype in common.items() if not isinstance(dtype, Undefined)}


def _param_type(kind: ParamType) -> dict[str, Any]:
    bounds = {"low": str(kind.low), "high": str(kind.high)} if kind.is_integer else {}
    return {"predicate": kind.predicate, "pointer": kind.pointer, **bounds}


FOLDER = PurePosixPath("docs/assets/ask")
LIBRARY = files("aclspec.codegen.render.javascript") / "library"
"""The hand-written scripts and the style sheet, which read the tables and run what the operators' scripts register."""


def render_script(
    project: Project, info: OperatorInfo, suite: Suite, target: Target, lang: Lang | None = None
) -> dict[PurePosixPath, str]:
    """The script of one operator, in one language or in all, by its path below the generated files."""
    default = next(product.key for product in project.products if product.default)
    text = render_operator_script(info, target, presets(info, suite, default), lang)
    return {FOLDER / "operators" / (f"{info.snake}.{lang}.js" if lang else f"{info.snake}.js"): text}


def render_shared_scripts(project: Project, target: Target) -> dict[PurePosixPath, str]:
    """The tables; and the library, which the site of this project takes from the package itself."""
    found = {FOLDER / "tables.js": render_tables(project)}
    if target.package != OWN_PACKAGE:
        found |= {FOLDER / name: _copied(text) for name, text in library().items()}
    return found


def library() -> dict[str, str]:
    """The hand-written files by name."""
    return {one.name: one.read_text(encoding="utf-8") for one in sorted(LIBRARY.iterdir(), key=lambda one: one.name)}


def bundled() -> dict[str, str]:
    """The library in as few files as a page loads at once: the scripts of `ask.FILES` as one, those of `ask.LATER`."""
    found = library()
    listed = re.findall(r'"(\w+)"', found["ask.js"].partition("ask.FILES = [")[2].partition("];")[0])
    at_once = ["ask.js", *(f"{name}.js" for name in listed if name != "tables")]
    return {"ask.js": "\n".join(map(found.pop, at_once)), **found}


def _copied(text: str) -> str:
    header = header_line("the library of aclspec")
    return f"/* {header} */\n{text}"
