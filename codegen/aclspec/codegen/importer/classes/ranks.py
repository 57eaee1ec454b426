"""Sentences about numbers of dimensions."""

from __future__ import annotations

from collections.abc import Sequence

from aclspec.codegen.importer.grammar import GRAMMAR, Confidence, Hit, Outcome, Rule, TableFact, kebab
from aclspec.codegen.importer.vocabulary import MOST_DIMENSIONS

_RANK = "(shape|dims|rankword|nd|value|element)*"


@GRAMMAR.form(
    "rank.bound",
    f"(names|inputs|outputs)+ {_RANK} (must|cannot)? (gt|ge|lt|le) numbers (nd|dims)?",
    f"(names|inputs|outputs)+ {_RANK} (must|cannot)? (gt|lt|ge|le) numbers nd? (gt|lt|ge|le) numbers nd?",
)
def bound(hit: Hit) -> Sequence[Outcome] | None:
    """``x`` has more than 8 dimensions, or fewer than 2."""
    words = [token.word for token in hit.tokens]
    if not {"nd", "dims", "rankword"} & set(words) or hit.has("cannot"):
        return None
    bounds = [(word, number) for word, number in zip([w for w in words if w in _EDGES], hit.numbers, strict=False)]
    if len(bounds) != len(hit.numbers) or any(not isinstance(number, int) for _, number in bounds):
        return None
    low, high = 0, MOST_DIMENSIONS
    for word, number in bounds:
        way, edge = _EDGES[word][0 if hit.holds else 1], int(number)
        if way in (">", ">="):
            low = max(low, edge + (way == ">"))
        else:
            high = min(high, edge - (way == "<"))
    return _table(hit, tuple(range(low, high + 1)))


_EDGES = {"gt": (">", "<="), "ge": (">=", "<"), "lt": ("<", ">="), "le": ("<=", ">")}


@GRAMMAR.form(
    "rank.value",
    f"(names|inputs|outputs)+ {_RANK} (ne|eq|notin|must|support|unsupported)+ numbers (nd|dims)? (numbers (nd|dims)?)*",
    f"(names|inputs|outputs)+ {_RANK} (must|support)? numbers nd (numbers nd?)*",
)
def value(hit: Hit) -> Sequence[Outcome] | None:
    """``x`` does not have 4 dimensions, or 3 or 4."""
    if not hit.has("nd", "dims", "rankword") or not all(isinstance(number, int) for number in hit.numbers):
        return None
    if hit.holds is hit.has("ne", "notin", "unsupported"):
        return None
    return _table(hit, tuple(sorted({int(number) for number in hit.numbers})))


@GRAMMAR.form(
    "rank.range",
    f"(names|inputs|outputs)+ {_RANK} (notin|unsupported|must|eq|ne|support)* interval (nd|dims)?",
)
def between(hit: Hit) -> Sequence[Outcome] | None:
    """``x`` does not have 2 to 4 dimensions."""
    _, low, high, _ = hit.all("interval")[0]
    if not hit.has("nd", "dims", "rankword") or not (low.strip().isdigit() and high.strip().isdigit()):
        return None
    if hit.holds is hit.has("notin", "unsupported", "ne"):
        return None
    return _table(hit, tuple(range(int(low), int(high) + 1)))


def _table(hit: Hit, ranks: tuple[int, ...]) -> Sequence[Outcome] | None:
    """The ranks of the tensors named; an array has a length instead."""
    if not ranks or ranks[-1] > MOST_DIMENSIONS or ranks[0] < 0:
        return None
    tensors = hit.of_kind("tensor", "tensor_list")
    if not hit.names:
        inputs = hit.inputs("tensor", "tensor_list") if hit.has("inputs") else []
        tensors = [*inputs, *(hit.outputs() if hit.has("outputs") else [])]
    arrays = hit.of_kind("int_array", "bool_array", "float_array")
    if not tensors and not arrays:
        return None
    found: list[Outcome] = [TableFact("rank", tuple(tensors), ranks)] if tensors else []
    if arrays and ranks != tuple(range(MOST_DIMENSIONS + 1)) and len(ranks) <= 4:
        found.append(TableFact("length", tuple(arrays), ranks))
    elif arrays:
        high = ranks[-1]
        found += [Rule(f"{kebab(name)}-length", f"len({name}) <= {high}") for name in arrays]
    return found


@GRAMMAR.form(
    "rank.same",
    "names (dims|rankword) (differ|same)",
    "names (dims|rankword) must? names (dims|rankword)? must? (differ|same)",
    "names (dims|rankword) (ne|eq) names (dims|rankword)?",
    "names shape (dims|rankword) names? shape? (dims|rankword)? (differ|same)",
    "(inputs|outputs)+ (dims|rankword) (differ|same)",
    "names dims names shape? dims (differ|same)",
)
def same(hit: Hit) -> Sequence[Outcome] | None:
    """``x`` and ``y`` have different numbers of dimensions."""
    names = hit.of_kind("tensor")
    if not hit.names:
        names = [*hit.inputs(), *(name for name in hit.outputs() if name not in hit.inputs())]
        if len(names) != 2:
            return None
    if not hit.agrees(("same", "eq"), ("differ", "ne")) or len(names) < 2 or len(names) < len(hit.names):
        return None
    first = names[0]
    sure: Confidence = "sure" if hit.has("rankword") else "likely"  # "the dimensions differ" may mean the shapes
    return [
        Rule(f"{kebab(name)}-rank-{kebab(first)}", f"rank({name}) == rank({first})", None, sure) for name in names[1:]
    ]


@GRAMMAR.form("rank.compared", "names (dims|rankword|length) (gt|ge|lt|le|ne) names (dims|rankword|length)?")
def compared(hit: Hit) -> Sequence[Outcome] | None:
    """``x`` has fewer dimensions than ``ns`` has numbers."""
    groups = hit.all("names")
    if hit.comparison is None or any(len(group) != 1 for group in groups):
        return None
    kinds = {one.name: one.kind for one in hit.parameters}
    size = {"tensor": "rank", "tensor_list": "len", "int_array": "len", "float_array": "len", "bool_array": "len"}
    left, right = groups[0][0], groups[1][0]
    sides = [f"{size[kind]}({name})" for name in (left, right) if (kind := kinds[name]) in size]
    if len(sides) < 2:
        return None
    return [Rule(f"{kebab(left)}-rank-{kebab(right)}", f"{sides[0]} {hit.comparison} {sides[1]}")]


@GRAMMAR.form(
    "rank.element", "names numbers (ne|eq)+ numbers nd", "names numbers shape? (dims|rankword) (ne|eq)+ numbers nd?"
)
def element(hit: Hit) -> Sequence[Outcome] | None:
    """An element of a list does not have 4 dimensions."""
    place, wanted = (values[0] for values in hit.all("numbers"))
    lists = hit.of_kind("tensor_list")
    if len(lists) != 1 or len(hit.names) != 1 or hit.comparison != "==" or not place.isdigit() or not wanted.isdigit():
        return None
    return [Rule(f"{kebab(lists[0])}-rank-{place}", f"rank({lists[0]}[{place}]) == {wanted}")]
