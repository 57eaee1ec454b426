"""Pydantic's complaints as sentences that follow the law of messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from aclspec.codegen.findings import START, did_you_mean, listing, one_of
from aclspec.codegen.modelwalk import fields, length_at, models_at, required
from aclspec.codegen.spec.base import PATTERNS
from aclspec.codegen.spec.checks import CHECK_KEYS
from aclspec.codegen.yamltext import Key, Mapping, Scalar, Sequence, Tree, find
from aclspec.runtime.predicate.nodes import Position

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
    what = _what(path)
    if node is not None and all(c.type in (*TYPES, "literal_error") for c in group):
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
        text = f"The list {_what(tuple(parent))} has {len(node.items)} element{'s' * (len(node.items) != 1)}"
        wanted = length_at(model, complaint.detail["loc"][:-1])
        return at, "value", f"{text}; expected {wanted or 'more'}."
    known = required(models_at(model, complaint.detail["loc"][:-1]))
    return at, "missing-key", f"The key ({key}) of {_what(tuple(parent))} is missing; expected {listing(known)}."


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
    text = f"The key ({key}) of {_what(tuple(parent))} is unknown; expected one of {one_of(known)}"
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
    return at, "value", f"The key ({path[-1]}) of {_what(path[:-1])} is wrong; {expected}{hint}"


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


def _what(path: tuple[Key, ...]) -> str:
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
