"""Plain data to a model: pydantic's errors become findings with positions, and obvious slips are corrected.

A misspelt key or word is read as the nearest known one, so that the rest of the file is checked in the same run; such a
file still gives no operator.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass
from types import UnionType
from typing import Annotated, Any, TypeAlias, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, Tag, ValidationError

from aclspec.codegen.source.findings import START, Finding, did_you_mean, listing, nearest, one_of
from aclspec.codegen.source.yaml_tree import Key, Mapping, Scalar, Sequence, Source, Tree, find, plain
from aclspec.codegen.spec.base import PATTERNS, Text
from aclspec.codegen.spec.checks import CHECK_KEYS
from aclspec.runtime.abi.status import Status
from aclspec.runtime.language.nodes import Position

Path: TypeAlias = tuple[Key, ...]
Groups: TypeAlias = "dict[Path, list[Complaint]]"
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
    groups = _validated(tree, model)
    if not isinstance(groups, dict):
        return groups
    for path, group in groups.items():
        at, kind, message = sentence(tree, model, path, group)
        source.findings.append(Finding(source.file, at, kind, message))
    return None


def guess(source: Source, model: type[M]) -> M | None:
    """The model that a file with slips most likely means, so that the rest of it can be checked in the same run."""
    tree = source.tree
    if not isinstance(tree, Mapping):
        return None
    groups = _validated(tree, model)
    if not isinstance(groups, dict):
        return groups
    corrected = deepcopy(tree)
    if not all(_correct(corrected, model, path, group) for path, group in groups.items()):
        return None
    found = _validated(corrected, model)
    return None if isinstance(found, dict) else found


def _validated(tree: Tree, model: type[M]) -> M | Groups:
    """The model of a tree, or pydantic's complaints by path."""
    try:
        return model.model_validate(plain(tree))
    except ValidationError as error:
        return _grouped(tree, error)


def _correct(tree: Tree, model: type[BaseModel], path: Path, group: list[Complaint]) -> bool:
    """Correct one slip in place; False where the meaning stays open."""
    first = group[0]
    if first.type == "extra_forbidden":
        return _rename(tree, path, fields(models_at(model, first.detail["loc"][:-1])))
    if words := [word for c in group if c.type == "literal_error" for word in literals(c)]:
        return _respell(tree, path, words)
    return first.type == "missing"  # a missing key may be there under a misspelt name


def _rename(tree: Tree, path: Path, known: list[str]) -> bool:
    """Rename an unknown key to the nearest known one, or drop it."""
    parent = find(tree, path[:-1])
    if not isinstance(parent, Mapping) or path[-1] not in parent.values or path[-1] in CHECK_KEYS:
        return False
    value = parent.values.pop(path[-1])
    meant = nearest(str(path[-1]), known)
    if meant is not None:
        parent.values.setdefault(meant, value)
    return True


def _respell(tree: Tree, path: Path, words: list[str]) -> bool:
    """Replace an unknown word by the nearest known one."""
    node = find(tree, path)
    if isinstance(node, Scalar) and isinstance(node.value, str):
        node.value = nearest(node.value, words)
        return node.value is not None
    return False


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


def _grouped(tree: Tree, error: ValidationError) -> Groups:
    """Complaints by path; the members of a union that the value is not at all are left out for those it nearly is."""
    groups: Groups = defaultdict(list)
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


TYPES = {
    "string_type": "a string",
    "int_type": "an integer",
    "float_type": "a number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "none_required": "null",
}
_KEY = "[key]"


@dataclass(frozen=True, slots=True)
class Complaint:
    """One error of pydantic: the path in the YAML tree, and the error."""

    path: tuple[Key, ...]
    type: str
    detail: Any


def sentence(
    tree: Tree, model: type[BaseModel], path: tuple[Key, ...], group: list[Complaint]
) -> tuple[Position, str, str]:
    """Place, kind and text of one finding."""
    first = group[0]
    node = find(tree, path)
    here = node.at if node is not None else START
    match first.type:
        case "missing":
            return _missing(tree, model, first)
        case "extra_forbidden":
            return _unknown_key(tree, model, first)
        case "union_tag_not_found":
            return _no_kind(node, here)
    if _KEY in first.detail["loc"]:
        return _bad_key(tree, path, group)
    what = place_name(path)
    if node is not None and all(c.type in (*TYPES, "literal_error") for c in group):
        if any(issubclass(one, Text) for one in models_at(model, first.detail["loc"])):
            return here, "type", _text_sentence(what, node)
        if "status" in path[-2:]:
            return here, "type", _status_sentence(what, node)
        return here, "type", _type_sentence(model, what, node, group)
    value = f" ({_value(node)})" if isinstance(node, Scalar) else ""
    return here, "value", f"The value{value} of {what} is wrong; {_expectation(first)}."


def _type_sentence(model: type[BaseModel], what: str, node: Tree, group: list[Complaint]) -> str:
    words = [word for c in group if c.type == "literal_error" for word in literals(c)]
    kinds = dict.fromkeys(_kind(model, c) for c in group if c.type in TYPES)
    if "a number" in kinds:
        kinds.pop("an integer", None)
    expected = one_of([*words, *kinds])
    if isinstance(node, Scalar) and isinstance(node.value, str) and words:
        hint = did_you_mean(node.value, words)
        return f"The value ({_value(node)}) of {what} is unknown; expected {expected}{hint}"
    return f"The value of {what} is {shown(node)}; expected {expected}."


def _text_sentence(what: str, node: Tree) -> str:
    """Of what stands for a text in two languages."""
    if not isinstance(node, Sequence):
        return f"The value of {what} is {shown(node)}; expected [English, Chinese]."
    count = len(node.items)
    hint = ", each in quotes where it holds a comma" if count > 2 else ""
    return f"The value of {what} is a list of {count} part{'s' * (count != 1)}; expected [English, Chinese]{hint}."


def _status_sentence(what: str, node: Tree) -> str:
    """Of what stands for the name of a status, be it the number of one."""
    errors = {int(status): status.name for status in Status if status != Status.ACLNN_SUCCESS}
    meant = errors.get(node.value) if isinstance(node, Scalar) and isinstance(node.value, int) else None
    hint = "." if meant is None else f"; did you mean {meant}?"
    return f"The value of {what} is {shown(node)}; expected a name such as ACLNN_ERR_PARAM_NULLPTR{hint}"


def _kind(model: type[BaseModel], complaint: Complaint) -> str:
    """The kind of value that would have been right, with the keys that a mapping of a model needs."""
    keys = required(models_at(model, complaint.detail["loc"])) if complaint.type == "model_type" else []
    return f"{TYPES[complaint.type]}{' with ' * bool(keys)}{listing(keys)}"


def literals(complaint: Complaint) -> list[str]:
    """The words of a Literal, out of pydantic's ``'a', 'b' or 'c'``."""
    expected = str(complaint.detail.get("ctx", {}).get("expected", ""))
    return [word.strip().strip("'") for part in expected.split(" or ") for word in part.split(",")]


def _missing(tree: Tree, model: type[BaseModel], complaint: Complaint) -> tuple[Position, str, str]:
    *parent, key = complaint.path
    node = find(tree, tuple(parent))
    at = node.at if node is not None else START
    if isinstance(node, Sequence):
        text = f"The list {place_name(tuple(parent))} has {len(node.items)} element{'s' * (len(node.items) != 1)}"
        wanted = length_at(model, complaint.detail["loc"][:-1])
        return at, "value", f"{text}; expected {wanted or 'more'}."
    known = required(models_at(model, complaint.detail["loc"][:-1]))
    return at, "missing-key", f"The key ({key}) of {place_name(tuple(parent))} is missing; expected {listing(known)}."


def _unknown_key(tree: Tree, model: type[BaseModel], complaint: Complaint) -> tuple[Position, str, str]:
    *parent, key = complaint.path
    node = find(tree, tuple(parent))
    at = node.keys[key].at if isinstance(node, Mapping) and key in node.keys else START
    if key in CHECK_KEYS and isinstance(node, Mapping):
        kinds = [word for word in node.keys if word in CHECK_KEYS]
        if len(kinds) > 1:
            text = f"A check has {len(kinds)} kinds ({', '.join(map(str, kinds))}); expected one of them."
            return node.keys[kinds[1]].at, "unknown-key", text
    known = fields(models_at(model, complaint.detail["loc"][:-1]))
    text = f"The key ({key}) of {place_name(tuple(parent))} is unknown; expected one of {one_of(known)}"
    return at, "unknown-key", text + did_you_mean(str(key), known)


def _no_kind(node: Tree | None, here: Position) -> tuple[Position, str, str]:
    if not isinstance(node, Mapping):
        return here, "type", f"A check is {shown(node)}; expected a mapping."
    keys = [str(key) for key in node.keys]
    hints = (hint for key in keys if (hint := did_you_mean(key, CHECK_KEYS)) != ".")
    text = f"A check ({', '.join(keys)}) does not say its kind; expected one key of {one_of(CHECK_KEYS)}"
    return here, "missing-key", text + next(hints, ".")


def _bad_key(tree: Tree, path: tuple[Key, ...], group: list[Complaint]) -> tuple[Position, str, str]:
    parent = find(tree, path[:-1])
    at = parent.keys[path[-1]].at if isinstance(parent, Mapping) and path[-1] in parent.keys else START
    literal = [c for c in group if c.type == "literal_error"]
    precise = [c for c in group if c.type not in TYPES and c.type != "literal_error"]
    expected = _expectation(precise[0]) if precise else f"expected {one_of([w for c in literal for w in literals(c)])}"
    hint = did_you_mean(str(path[-1]), [w for c in literal for w in literals(c)])
    return at, "value", f"The key ({path[-1]}) of {place_name(path[:-1])} is wrong; {expected}{hint}"


def _expectation(complaint: Complaint) -> str:
    """What would have been right."""
    context = complaint.detail.get("ctx", {})
    match complaint.type:
        case "string_pattern_mismatch":
            return f"expected {PATTERNS.get(context['pattern'], context['pattern'])}"
        case "string_too_short":
            return "expected some text"
        case "too_short":
            found, least = context["actual_length"], context["min_length"]
            return f"it has {found} elements; expected at least {least}"
        case "too_long":
            return f"it has {context['actual_length']} elements; expected at most {context['max_length']}"
        case "greater_than_equal":
            return f"expected at least {context['ge']}"
        case "less_than_equal":
            return f"expected at most {context['le']}"
    message = str(complaint.detail["msg"])
    return message[:1].lower() + message[1:]


def place_name(path: tuple[Key, ...]) -> str:
    """A name for the place in a sentence: ``direction``, ``entry 3 of params``, ``the file``."""
    if not path:
        return "the file"
    *parents, last = path
    if isinstance(last, int):
        named = next((str(step) for step in reversed(parents) if isinstance(step, str)), "the file")
        return f"entry {last + 1} of {named}"
    return str(last)


def shown(tree: Tree | None) -> str:
    """What stands in the file, for a sentence."""
    match tree:
        case Sequence():
            return "a list"
        case Mapping():
            return "a mapping"
        case Scalar(value=None):
            return "null"
        case Scalar(value=bool() as value):
            return f"a truth value ({str(value).lower()})"
        case Scalar(value=str()):
            return f"a string ({_value(tree)})"
    return f"a number ({_value(tree)})"


def _value(tree: Tree | None, limit: int = 60) -> str:
    text = str(tree.value) if isinstance(tree, Scalar) else ""
    return text if len(text) <= limit else f"{text[:limit]}..."


def fields(models: Iterable[type[BaseModel]]) -> list[str]:
    """The keys that one of the models has."""
    return list(dict.fromkeys(name for model in models for name in model.model_fields))


def required(models: Iterable[type[BaseModel]]) -> list[str]:
    """The keys that one of the models needs."""
    items = (item for model in models for item in model.model_fields.items())
    return list(dict.fromkeys(name for name, field in items if field.is_required()))


def models_at(model: type[BaseModel], location: tuple[Key, ...]) -> list[type[BaseModel]]:
    """The models that the value at a location of pydantic may be."""
    types: list[Any] = [model]
    for step in location:
        types = [inner for kind in types for inner in _inside(kind, step)] or _labelled(types, step) or types
    return [kind for kind in _members(types) if isinstance(kind, type) and issubclass(kind, BaseModel)]


def length_at(model: type[BaseModel], location: tuple[Key, ...]) -> int | None:
    """The number of elements that the list at a location of pydantic has, where its type fixes it."""
    *outer, key = location
    types = [inner for owner in models_at(model, tuple(outer)) for inner in _inside(owner, key)]
    lists = (get_args(kind) for kind in _members(types) if get_origin(kind) is tuple)
    return next((len(arguments) for arguments in lists if Ellipsis not in arguments), None)


def _members(types: Iterable[Any]) -> list[Any]:
    """The types with unions and annotations taken apart."""
    members = []
    for kind in types:
        if get_origin(kind) in (Union, UnionType):
            members += _members(get_args(kind))
        elif get_origin(kind) is Annotated:
            members += _members(get_args(kind)[:1])
        else:
            members.append(kind)
    return members


def _inside(kind: Any, step: Key) -> list[Any]:
    """The types of what stands at a key or an index of a value of this type."""
    found: list[Any] = []
    for member in _members([kind]):
        origin, arguments = get_origin(member), get_args(member)
        if isinstance(member, type) and issubclass(member, BaseModel):
            # The annotation keeps the members of a union with their tags; pydantic's FieldInfo has taken them off.
            found += [member.model_fields[step].annotation] if step in member.model_fields else []
        elif origin is tuple and isinstance(step, int):
            found += [argument for argument in arguments if argument is not Ellipsis]
        elif origin is dict:
            found.append(arguments[1])
    return found


def _labelled(types: list[Any], label: Key) -> list[Any]:
    """The member of a union that pydantic's label names: a tag or the name of a class."""
    found: list[Any] = []
    for kind in types:
        inner = get_args(kind)[0] if get_origin(kind) is Annotated else kind
        tags = [extra.tag for extra in getattr(kind, "__metadata__", ()) if isinstance(extra, Tag)]
        if label in tags or getattr(inner, "__name__", "") == label:
            found.append(inner)
        elif get_origin(inner) in (Union, UnionType):
            found += _labelled(list(get_args(inner)), label)
    return found
