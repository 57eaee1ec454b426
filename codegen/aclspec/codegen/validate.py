"""Plain data to a model, every complaint of pydantic turned into a finding of ours with its place."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from aclspec.codegen.complaints import TYPES, Complaint, sentence, shown
from aclspec.codegen.findings import START, Finding
from aclspec.codegen.mending import Hopeless, mended
from aclspec.codegen.yamltext import Key, Mapping, Scalar, Sequence, Source, Tree, find, plain

M = TypeVar("M", bound=BaseModel)


def validate(source: Source, model: type[M]) -> M | None:
    """The model of a file; None, with findings in the source, when the file does not fit it."""
    tree = source.tree
    if tree is None or (isinstance(tree, Scalar) and tree.value is None):
        if not source.findings:
            source.findings.append(Finding(source.file, START, "empty-file", "The file is empty; expected a mapping."))
        return None
    if not isinstance(tree, Mapping):
        text = f"The file is {shown(tree)}; expected a mapping."
        source.findings.append(Finding(source.file, tree.at, "not-a-mapping", text))
        return None
    try:
        return model.model_validate(plain(tree))
    except ValidationError as error:
        groups = _grouped(tree, error)
    for path, group in groups.items():
        at, kind, message = sentence(tree, model, path, group)
        source.findings.append(Finding(source.file, at, kind, message))
    return None


def guess(source: Source, model: type[M]) -> M | None:
    """The model that a file with slips most likely means, so that the rest of it can be checked in the same run."""
    tree = source.tree
    if not isinstance(tree, Mapping):
        return None
    try:
        return model.model_validate(plain(tree))
    except ValidationError as error:
        groups = _grouped(tree, error)
    try:
        return model.model_validate(plain(mended(tree, model, groups)))
    except (Hopeless, ValidationError):
        return None


def _path(tree: Tree, detail: Any) -> tuple[Key, ...]:
    """The location without the labels that pydantic adds for the members of a union."""
    path: tuple[Key, ...] = ()
    *steps, last = detail["loc"] or ("",)
    for step in (*steps, last):
        if find(tree, (*path, step)) is not None:
            path = (*path, step)
    # The field that is missing is the end of the path, though the tree does not have it.
    return (*path, last) if detail["type"] == "missing" else path


def _counts_wrongly(tree: Tree, complaint: Complaint) -> bool:
    """Whether a list is called too short for the elements in it that are wrong, which pydantic does not count."""
    node = find(tree, complaint.path)
    least = complaint.detail.get("ctx", {}).get("min_length", 0)
    return complaint.type == "too_short" and isinstance(node, Sequence) and len(node.items) >= least


def _grouped(tree: Tree, error: ValidationError) -> dict[tuple[Key, ...], list[Complaint]]:
    """Complaints by path; the members of a union that the value is not at all are left out for those it nearly is."""
    groups: dict[tuple[Key, ...], list[Complaint]] = defaultdict(list)
    for detail in error.errors(include_url=False):
        path = _path(tree, detail)
        groups[path].append(Complaint(path, str(detail["type"]), detail))
    for path, group in list(groups.items()):
        below = any(other[: len(path)] == path and len(other) > len(path) for other in groups)
        precise = [c for c in group if c.type not in TYPES and c.type != "literal_error"]
        if below:
            groups[path] = [c for c in precise if not _counts_wrongly(tree, c)]
        elif precise:
            groups[path] = precise[:1]
    return {path: group for path, group in groups.items() if group}
