"""Sentences about shapes, sizes of dimensions, and empty tensors."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aclspec.codegen.importer.grammar import GRAMMAR, Hit, Outcome, Rule, TableFact, Vague, kebab

_ORDINALS = {"零": 0, "0": 0, "一": 0, "二": 1, "三": 2, "四": 3, "五": 4}


@GRAMMAR.form(
    "shape.broadcast",
    "names shape? (cannot|unsatisfied|must|can|satisfied)* broadcast requirement?",
    "names shape names shape? (cannot|unsatisfied|must|can|satisfied)* broadcast requirement?",
    "names shape (must|satisfied)* names satisfied? broadcast requirement?",
    "names (must|satisfied)* broadcast names shape?",
    "names shape (cannot|unsatisfied) names shape? broadcast requirement?",
    "names shape names satisfied? broadcast requirement?",
    "names dims? requirement? unsatisfied can? broadcast requirement?",
)
def broadcast(hit: Hit) -> Sequence[Outcome] | None:
    """The shapes of ``x`` and ``y`` do not broadcast."""
    names = hit.of_kind("tensor")
    if hit.has("cannot", "unsatisfied") is hit.holds or len(names) < len(hit.names):
        return None
    if len(names) == 2:
        a, b = names
        return [Rule(f"{kebab(b)}-broadcast", f"broadcastable(shape({a}), shape({b}))")]
    if len(names) == 3:
        a, b, c = names
        pair = f"broadcast(shape({a}), shape({b}))"
        both = f"broadcastable(shape({a}), shape({b})) and broadcastable({pair}, shape({c}))"
        return [Rule(f"{kebab(c)}-broadcast", both)]
    return None


@GRAMMAR.form(
    "shape.broadcast-out",
    "names? shape? (must|can)? broadcast shape? (ne|differ|eq|same|must|outputs)* names?"
    " (shape|outputs)? (differ|same)?",
    "names shape (ne|eq|must)* names? shape? broadcast shape? (differ|same)?",
    "names shape names shape? broadcast shape? (differ|same)",
    "names broadcast (must|names|eq|ne|same|differ|shape)+",
    "names shape (must|eq)* names broadcast shape? (same)?",
)
def broadcast_out(hit: Hit) -> Sequence[Outcome] | None:
    """The shape of ``out`` is not that which ``x`` and ``y`` broadcast to."""
    bad = hit.has("ne", "differ")
    if hit.has("eq", "same") is bad and (bad or not hit.holds):
        return None
    if bad is hit.holds:
        return None
    groups = hit.all("names")
    place = next(i for i, token in enumerate(hit.tokens) if token.word == "broadcast")
    before = [i for i, token in enumerate(hit.tokens) if token.word == "names" and i < place]
    if len(groups) == 2 and len(before) == 2:  # out is not what x and y broadcast to
        outs, ins = groups[0], list(groups[1])
    elif len(groups) == 2:  # what x and y broadcast to is not out
        ins, outs = list(groups[0]), groups[1]
    elif len(groups) == 1 and hit.outputs() and groups[0][0] in hit.outputs() and len(groups[0]) == 1:
        outs, ins = groups[0], [name for name in hit.inputs() if name != groups[0][0]]
        if hit.function.direction(groups[0][0]) == "inout":
            ins = [groups[0][0], *ins]
        if len(ins) != 2:
            return None
    else:
        return None
    kinds = {one.name: one.kind for one in hit.function.parameters}
    if len(outs) != 1 or not 2 <= len(ins) <= 3 or any(kinds[name] != "tensor" for name in (*outs, *ins)):
        return None
    shape = f"broadcast(shape({ins[0]}), shape({ins[1]}))"
    if len(ins) == 3:
        shape = f"broadcast({shape}, shape({ins[2]}))"
    return [Rule(f"{kebab(outs[0])}-shape", f"shape({outs[0]}) == {shape}")]


@GRAMMAR.form(
    "shape.product",
    "names shape? (must|can)? (cannot|unsatisfied|satisfied)? product shape? broadcast requirement?",
    "names shape? must? product shape? (differ|same)",
    "names shape (ne|must|eq)+ product shape?",
)
def product(hit: Hit) -> Sequence[Outcome] | None:
    """The shape of ``x`` is not that of the matrix product of ``a`` and ``b``, or does not broadcast to it."""
    names = hit.of_kind("tensor")
    if len(names) != 1 or len(hit.names) != 1 or hit.has("cannot", "unsatisfied", "differ", "ne") is hit.holds:
        return None
    (left, right), (name,) = hit.all("product")[0], names
    shape = f"slice(shape({left}), 0, rank({left}) - 1) + [dim({right}, rank({right}) - 1)]"
    if hit.has("broadcast"):
        return [Rule(f"{kebab(name)}-broadcast", f"broadcastable(shape({name}), {shape})")]
    return [Rule(f"{kebab(name)}-shape", f"shape({name}) == {shape}")]


@GRAMMAR.form(
    "shape.same",
    "names shape (differ|same)",
    "names shape must? names shape? must? (differ|same)",
    "names shape (ne|eq) names shape?",
    "names shape must? (ne|eq)? names shape? (differ|same)",
    "(inputs|outputs)+ shape (differ|same)",
    "names (differ|same) shape",
    "names shape differ shape",
    "names (shape|dims|rankword|format)+ names? (shape|dims|rankword|format)* (differ|same)",
)
def same(hit: Hit) -> Sequence[Outcome] | None:
    """The shapes of ``x`` and ``y`` differ."""
    if not hit.agrees(("same", "eq"), ("differ", "ne")) or not hit.has("shape") or hit.has("rankword"):
        return None
    names = hit.of_kind("tensor", "tensor_list")
    if not hit.holds and any("匹配" in word for (word,) in hit.all("differ")):
        return [Vague("shape", tuple(hit.names))]  # shapes may fit each other without being equal
    if not hit.names:
        names = [*hit.inputs(), *(name for name in hit.outputs() if name not in hit.inputs())]
        if len(names) != 2:
            return None
    lists = [name for name in names if name in hit.of_kind("tensor_list")]
    arrays = hit.of_kind("int_array")
    if len(arrays) == 1 and names and not lists and len(names) + 1 == len(hit.names) and not hit.has("format", "dims"):
        return [Rule(f"{kebab(name)}-shape", f"shape({name}) == {arrays[0]}") for name in names]
    if len(names) < 2 or len(names) < len(hit.names) or (lists and len(lists) < len(names)):
        return None
    first = names[0]
    if lists:
        return list_shapes(names)
    found = [Rule(f"{kebab(name)}-shape-{kebab(first)}", f"shape({name}) == shape({first})") for name in names[1:]]
    if hit.has("format"):
        found += [
            Rule(f"{kebab(name)}-format-{kebab(first)}", f"format({name}) == format({first})") for name in names[1:]
        ]
    return found


def list_shapes(names: Sequence[str]) -> list[Outcome]:
    """The lists have one length, and their elements the same shapes."""
    first = names[0]
    return [
        Rule(
            f"{kebab(name)}-shapes",
            f"len({name}) == len({first}) and "
            f"all(shape({name}[i]) == shape({first}[i]) for i in range(0, len({first})))",
        )
        for name in names[1:]
    ]


@GRAMMAR.form(
    "shape.list-length",
    "names (tensorlist|rankword)? length (differ|same)",
    "names (length|rankword) names length? (differ|same)",
)
def list_length(hit: Hit) -> Sequence[Outcome] | None:
    """The lists ``xs`` and ``ys`` have different lengths."""
    kinds = {one.kind for one in hit.parameters}
    arrays = {"tensor_list", "scalar_list", "int_array", "bool_array", "float_array"}
    if not hit.agrees(("same",), ("differ",)) or len(hit.names) < 2 or not kinds <= arrays:
        return None
    first = hit.names[0]
    return [Rule(f"{kebab(name)}-length-{kebab(first)}", f"len({name}) == len({first})") for name in hit.names[1:]]


@GRAMMAR.form(
    "shape.dimension-same",
    "names dimindex value? names dimindex value? must? (differ|same)",
    "names dimindex value? (ne|eq|must)* names dimindex value?",
    "names dimindex (value|length)? (differ|same)",
    "names shape? dimindex (value|length)? must? names dimindex? (value|length)? must? (differ|same)",
    "names dimindex value? (gt|ge|lt|le) names dimindex value?",
)
def dimension_same(hit: Hit) -> Sequence[Outcome] | None:
    """A dimension of ``x`` differs from one of ``y``."""
    found = [axis(values[0]) for values in hit.all("dimindex")]
    places = [place for place in found if place is not None]
    names = hit.of_kind("tensor")
    if len(places) != len(found) or len(names) != 2 or len(hit.names) != 2:
        return None
    operator = hit.comparison
    if operator is None:
        if not hit.agrees(("same",), ("differ",)):
            return None
        operator = "=="
    a, b = names
    left, right = places[0], places[-1]
    ident = f"{kebab(a)}-dim-{place_word(left)}-{kebab(b)}"
    return [Rule(ident, f"{size(a, left)} {operator} {size(b, right)}")]


_CHANNELS = {"ND", "NCHW", "NCDHW", "NCL", "NC1HWC0", "NDC1HWC0"}


@GRAMMAR.form(
    "shape.axis-same",
    "names shape? letteraxis (dims|rankword|value|length)* (differ|same)",
    "names letteraxis (dims|rankword|value|length)* names letteraxis? (dims|rankword|value|length)* (differ|same)",
    "names (dims|shape) letteraxis (dims|rankword|value|length)* (differ|same)",
)
def axis_same(hit: Hit) -> Sequence[Outcome] | None:
    """The axis N or C of ``x`` and ``y`` differs: the first and the second axis of such formats."""
    names = hit.of_kind("tensor")
    found = [_axes(values[0]) for values in hit.all("letteraxis")]
    listed = {one for name in names if isinstance(value := hit.function.value(name, "formats"), tuple) for one in value}
    if not hit.agrees(("same",), ("differ",)) or len(names) != 2 or len(hit.names) != 2 or not listed <= _CHANNELS:
        return None
    if any(one != found[0] for one in found):
        return None
    a, b = names
    return [
        Rule(f"{kebab(b)}-axis-{axis}-{kebab(a)}", f"dim({b}, {axis}) == dim({a}, {axis})", None, "likely")
        for axis in found[0]
    ]


def _axes(text: str) -> tuple[int, ...]:
    """The axes that letters name."""
    if "channel" in text or text.startswith("通道"):
        return (1,)
    return tuple(place for place, letter in enumerate("NC") if letter in text)


@GRAMMAR.form("shape.dimension-value", "names shape? dimindex (value|length)? (ne|eq|must|gt|ge|lt|le)+ numbers")
def dimension_value(hit: Hit) -> Sequence[Outcome] | None:
    """A dimension of ``x`` is not 4."""
    places = [axis(values[0]) for values in hit.all("dimindex")]
    names, numbers = hit.of_kind("tensor"), hit.numbers
    if places[0] is None or not names or len(names) < len(hit.names) or hit.comparison is None or not numbers:
        return None
    if len(numbers) > 1 and hit.comparison not in ("==", "!="):
        return None
    place = places[0]

    def text(name: str) -> str:
        if len(numbers) > 1:
            word = "in" if hit.comparison == "==" else "not in"
            return f"{size(name, place)} {word} [{', '.join(map(str, numbers))}]"
        return f"{size(name, place)} {hit.comparison} {numbers[0]}"

    return [Rule(f"{kebab(name)}-dim-{place_word(place)}", text(name)) for name in names]


def size(name: str, place: int) -> str:
    """The size of an axis as a predicate; a negative one is counted from the end."""
    return f"dim({name}, {place})" if place >= 0 else f"dim({name}, rank({name}) - {-place})"


def axis(text: str) -> int | None:
    """The index of "the first dimension", "the last but one": Chinese numerals count from one."""
    if "最后" in text or "尾" in text:
        return -1
    if "首" in text:
        return 0
    match = re.search(r"第\s?([一二三四五零0])", text)
    if match is None:
        return None
    place = _ORDINALS[match[1]]
    if "倒数" in text:
        return None if match[1] in "零0" else -place - 1
    return place


def place_word(place: int | None) -> str:
    """A dimension in an id: ``0``, ``last``, ``last-1``."""
    if place is None or place >= 0:
        return str(place)
    return "last" if place == -1 else f"last-{-place - 1}"


@GRAMMAR.form(
    "shape.dimension-multiple",
    "names shape? dimindex (value|length)? (ne|eq|cannot|must|can)* (even|numbers multiple)",
)
def dimension_multiple(hit: Hit) -> Sequence[Outcome] | None:
    """The last dimension of ``x`` is no multiple of 16, or not even."""
    place, names = axis(hit.all("dimindex")[0][0]), hit.of_kind("tensor")
    numbers = [2] if hit.has("even") else hit.numbers
    if place is None or not names or len(names) < len(hit.names) or hit.has("ne", "cannot") is hit.holds:
        return None
    if len(numbers) != 1 or not isinstance(numbers[0], int) or numbers[0] < 1:
        return None
    return [
        Rule(f"{kebab(name)}-dim-{place_word(place)}-multiple", f"{size(name, place)} % {numbers[0]} == 0")
        for name in names
    ]


@GRAMMAR.form(
    "shape.numel",
    "names numel (ne|eq|must|gt|ge|lt|le)+ numbers",
    "names numel must? names numel? (differ|same)",
    "names numel (differ|same)",
)
def numel(hit: Hit) -> Sequence[Outcome] | None:
    """The number of elements of ``x`` is not 1, or not that of ``y``."""
    names, numbers = hit.of_kind("tensor"), hit.numbers
    if len(names) < len(hit.names):
        return _array_length(hit)
    if numbers:
        if hit.comparison is None or len(numbers) > 1:
            return None
        return [Rule(f"{kebab(name)}-numel", f"numel({name}) {hit.comparison} {numbers[0]}") for name in names]
    if len(names) != 2 or not hit.agrees(("same",), ("differ",)):
        return None
    return [Rule(f"{kebab(names[1])}-numel-{kebab(names[0])}", f"numel({names[1]}) == numel({names[0]})")]


def _array_length(hit: Hit) -> Sequence[Outcome] | None:
    """The number of elements of an array is its length; that of a list of tensors may be one of each."""
    arrays = hit.of_kind("int_array", "bool_array", "float_array", "scalar_list")
    if len(arrays) < len(hit.names) or hit.comparison is None or len(hit.numbers) != 1:
        return None
    number = hit.numbers[0]
    return [Rule(f"{kebab(name)}-length", f"len({name}) {hit.comparison} {number}") for name in arrays]


@GRAMMAR.form(
    "shape.empty",
    "names (eq|exist) emptytensor",
    "names? unsupported emptytensor",
    "names emptytensor",
    "names shape? (eq)? emptytensor",
)
def empty(hit: Hit) -> Sequence[Outcome] | None:
    """``x`` has no elements."""
    tensors = hit.of_kind("tensor", "tensor_list")
    if len(tensors) < len(hit.names) or not tensors or (hit.holds and not hit.has("unsupported")):
        return None
    return [TableFact("empty", tuple(tensors))]


@GRAMMAR.form("shape.empty-allowed", "names? support emptytensor")
def empty_allowed(hit: Hit) -> Sequence[Outcome] | None:
    """``x`` may have no elements."""
    return [TableFact("empty-allowed", tuple(hit.names))] if hit.holds else None


@GRAMMAR.form(
    "contiguous", "names eq? noncontiguous", "names (unsupported|exist) noncontiguous", "names shape? noncontiguous"
)
def contiguous(hit: Hit) -> Sequence[Outcome] | None:
    """``x`` is not contiguous."""
    if hit.holds and not hit.has("unsupported"):
        return None
    return [TableFact("contiguous", tuple(hit.names))]
