"""Whether a spec says as much as its level asks, and no more."""

from __future__ import annotations

from collections.abc import Iterator

from aclspec.codegen.compile.context import Context, Path
from aclspec.codegen.source.findings import Severity
from aclspec.codegen.spec.base import FullText, Model, Text
from aclspec.codegen.spec.levels import ADDED, NEEDED, levels_below
from aclspec.codegen.spec.operator import OperatorSpec
from aclspec.codegen.spec.validation import place_name
from aclspec.runtime.rules.levels import LEVELS


def check_level(context: Context) -> None:
    """Report the keys and the texts that the level wants, and the keys that are of a higher one."""
    spec = context.spec
    for level in LEVELS:
        is_reached = spec.level == level or level in levels_below(spec.level)
        for key in NEEDED[level] if is_reached else ():
            if key not in spec.model_fields_set or getattr(spec, key) is None:
                text = f"The key ({key}) of the file is missing; level {level} needs it."
                severity = severity_of_gap(spec) if key == "summary" else "error"
                context.report((key,), "missing-key", text, severity=severity)
        for key in () if is_reached else ADDED[level]:
            if key in spec.model_fields_set:
                text = f"The key ({key}) is of level {level}, and the spec of level {spec.level}."
                context.report((key,), "level", text, key=True)
    if LEVELS[spec.level].has_rules:
        _check_params(context)
    for path, found in _texts(spec, ()):
        _check_languages(context, path, found)


def severity_of_gap(spec: OperatorSpec) -> Severity:
    """How bad it is that a spec lacks its summary, or what an output is: a draft of the level checked may lack them."""
    return "warning" if spec.draft and spec.level == "checked" else "error"


def _check_params(context: Context) -> None:
    """Every parameter has a direction and a text."""
    for index, param in enumerate(context.spec.params):
        path: Path = ("params", index)
        if param.direction == "unknown":
            text = f"The direction of a parameter ({param.name}) is unknown; level checked needs in, out or inout."
            context.report((*path, "direction"), "missing-key", text)
        if param.doc is None:
            text = f"The key (doc) of {place_name(path)} is missing; level checked needs it."
            context.report(path, "missing-key", text)


def _texts(value: object, path: Path) -> Iterator[tuple[Path, Text]]:
    """Every text that the file states."""
    if isinstance(value, Text):
        yield path, value
    elif isinstance(value, Model):
        for name in type(value).model_fields:
            if name in value.model_fields_set:
                yield from _texts(getattr(value, name), (*path, name))
    elif isinstance(value, tuple):
        for index, item in enumerate(value):
            yield from _texts(item, (*path, index))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(item, (*path, key))


def _check_languages(context: Context, path: Path, text: Text) -> None:
    """Both languages are there, and one of them in a draft."""
    missing = [lang for lang in FullText.model_fields if lang not in text.model_fields_set]
    if missing and not (context.spec.draft and text.model_fields_set):
        for lang in missing:
            message = f"The key ({lang}) of {place_name(path)} is missing; expected en and zh."
            context.report(path, "missing-key", message)
