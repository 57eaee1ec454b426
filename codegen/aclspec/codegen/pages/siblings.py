"""The relatives of an operator by its name: its gradient or what it is the gradient of, other versions, in place."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Literal

from aclspec.codegen.spec.project import Project

Kind = Literal["forward", "gradient", "in_place", "out_of_place", "versions"]
_SUFFIX = re.compile(r"(?<=.)(?:V(?P<version>\d+)|Backward|Grad)$")
_PREFIX = re.compile(r"^aclnn")
_IN_PLACE = "Inplace"


@dataclass(frozen=True, slots=True)
class Form:
    """A name taken apart: ``aclnnInplaceHardswishBackwardV2`` is version 2 of the gradient of hardswish, in place."""

    stem: str
    is_gradient: bool
    is_in_place: bool
    version: int


def form_of(name: str) -> Form:
    """The parts of a C name; a version may stand behind the word for the gradient or before it."""
    stem, version = _PREFIX.sub("", name), 1
    is_gradient = False
    while (found := _SUFFIX.search(stem)) is not None:
        version = int(found["version"] or version)
        is_gradient = is_gradient or found["version"] is None
        stem = stem[: found.start()]
    is_in_place = stem.startswith(_IN_PLACE) and stem != _IN_PLACE
    return Form(stem.removeprefix(_IN_PLACE).casefold(), is_gradient, is_in_place, version)


def siblings(project: Project, name: str) -> dict[Kind, list[str]]:
    """The relatives of an operator among those with a spec or a known signature, by what they are to it."""
    names = (*(one.info.name for one in project.operators), *(info.name for info in project.declared))
    own, families = form_of(name), _families(names)
    found: dict[Kind, list[str]] = defaultdict(list)
    for other in families[own.stem]:
        kind = _kind(own, form_of(other))
        if other != name and kind is not None:
            found[kind].append(other)
    return {kind: sorted(others, key=lambda one: form_of(one).version) for kind, others in found.items()}


def _kind(own: Form, other: Form) -> Kind | None:
    """What another one of the same stem is; none for a relative of a relative, such as the gradient in place."""
    if own.is_gradient != other.is_gradient:
        plain = not (own.is_in_place or other.is_in_place)
        return ("forward" if own.is_gradient else "gradient") if plain else None
    if own.is_in_place != other.is_in_place:
        return "out_of_place" if own.is_in_place else "in_place"
    return "versions"


@cache
def _families(names: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for name in names:
        found[form_of(name).stem].append(name)
    return found
