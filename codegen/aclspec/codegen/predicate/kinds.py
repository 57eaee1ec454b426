"""How the types of predicates relate: which fits where, and what two have in common."""

from __future__ import annotations

from aclspec.runtime.predicate.functions import ELEMENTS, LISTS

EMPTY_LIST = "list"
"""The type of ``[]``, which is a list of anything."""


def is_list(kind: str) -> bool:
    """Whether values of this type are lists."""
    return kind in ELEMENTS or kind == EMPTY_LIST


def fits(found: str, wanted: str) -> bool:
    """Whether a value of type ``found`` may stand where ``wanted`` is expected."""
    return unify(found, wanted) == wanted


def unify(left: str, right: str) -> str | None:
    """The type of both, an int being also a float and ``[]`` any list."""
    if left == right:
        return left
    if is_list(left) and is_list(right):
        if EMPTY_LIST in (left, right):
            return left if right == EMPTY_LIST else right
        element = unify(ELEMENTS[left], ELEMENTS[right])
        return LISTS[element] if element else None
    return "float" if {left, right} == {"int", "float"} else None


def a(kind: str) -> str:
    """A type with its article."""
    if kind in ELEMENTS and kind not in ("tensors", "scalars"):
        return f"a list of {ELEMENTS[kind]}"
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"
