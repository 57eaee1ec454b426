"""Plain data to a model, every complaint of pydantic turned into a finding of ours with its place."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from aclspec.codegen.findings import START, Finding
from aclspec.codegen.yamltext import Mapping, Scalar, Sequence, Source, Tree, plain

M = TypeVar("M", bound=BaseModel)


def validate(source: Source, model: type[M]) -> M | None:
    """The model of a file; None, with findings, when the file does not fit it."""
    if source.tree is None:
        if not source.findings:
            source.findings.append(Finding(source.file, START, "empty-file", "The file is empty; expected a mapping."))
        return None
    if isinstance(source.tree, Scalar) and source.tree.value is None:
        source.findings.append(Finding(source.file, START, "empty-file", "The file is empty; expected a mapping."))
        return None
    if not isinstance(source.tree, Mapping):
        text = f"The file is {_kind(source.tree)}; expected a mapping."
        source.findings.append(Finding(source.file, source.tree.at, "not-a-mapping", text))
        return None
    try:
        return model.model_validate(plain(source.tree))
    except ValidationError as error:
        source.findings += [finding(source, detail) for detail in error.errors(include_url=False)]
        return None


def finding(source: Source, detail: Any) -> Finding:
    """One complaint of pydantic as a finding."""
    return Finding(source.file, START, "model", str(detail))


def _kind(tree: Tree) -> str:
    match tree:
        case Sequence():
            return "a list"
        case Mapping():
            return "a mapping"
        case Scalar(value=value):
            return f"a {type(value).__name__} ({value})"
