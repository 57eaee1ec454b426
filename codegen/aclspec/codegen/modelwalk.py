"""Which models may stand at a place of a file: pydantic's errors name the place, not the keys it knows there."""

from __future__ import annotations

from collections.abc import Iterable
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, Tag

from aclspec.codegen.yamltext import Key


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
