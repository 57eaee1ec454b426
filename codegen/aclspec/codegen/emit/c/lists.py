"""Lists that are never stored: what has elements of its own, and what is made of the elements of others."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aclspec.codegen.emit.c.arithmetic import clamped, compared, maximum, minimum, minus, plus
from aclspec.codegen.emit.c.values import (
    INT64,
    LENGTH,
    Code,
    Level,
    Listed,
    Names,
    as_big,
    bound,
    call,
    conjunction,
    disjunction,
    literal,
    negated,
    ternary,
)

ZERO, ONE = literal(0), literal(1)


def view(text: str, length: Code, element: Callable[[Code], str]) -> Listed:
    """A list of 64-bit integers that some memory holds."""
    return Listed("int", length, lambda at: Code("int", element(at), low=INT64[0], high=INT64[1]), *INT64, view=text)


def local_view(name: str) -> Listed:
    """A view that a local holds."""
    length = Code("int", f"{name}.length", low=LENGTH[0], high=LENGTH[1])
    return view(name, length, lambda at: f"at({name}, {at.text})")


def local_array(name: str, values: Listed) -> Listed:
    """A list of a fixed length of which a local array holds the elements."""
    assert values.items is not None

    def at(place: Code) -> Code:
        index = place.text if place.text.isdigit() else f"(size_t){place.within(Level.UNARY)}"
        return Code(values.kind, f"{name}[{index}]", low=values.low, high=values.high)

    held = tuple(at(literal(index)) for index in range(len(values.items)))
    return Listed(values.kind, values.length, at, values.low, values.high, items=held)


def fixed(items: Sequence[Code]) -> Listed:
    """A list of some elements."""
    if any(item.kind == "big" for item in items):
        items = [as_big(item) for item in items]
    low, high = min((item.low for item in items), default=0), max((item.high for item in items), default=0)
    kind = items[0].kind if items else "int"
    nothing = Code(kind, '""' if kind == "string" else "0")

    def at(place: Code) -> Code:
        if place.is_literal and not 0 <= place.low < len(items):
            return nothing  # some guard before it fails
        if place.is_literal:
            return items[place.low]
        found = items[-1] if items else nothing
        for index in range(len(items) - 2, -1, -1):
            found = ternary(compared("==", place, literal(index)), items[index], found)
        return found

    return Listed(kind, literal(len(items)), at, low, high, items=tuple(items))


def joined(parts: Sequence[Listed]) -> Listed:
    """One list after the other."""
    parts = [part for part in parts if part.items is None or part.items] or list(parts[:1])
    if len(parts) == 1:
        return parts[0]
    if all(part.items is not None for part in parts):
        return fixed([item for part in parts for item in part.items or ()])
    kind = "big" if any(part.kind == "big" for part in parts) else parts[-1].kind
    ends = [parts[0].length]
    for part in parts[1:]:
        ends.append(plus(ends[-1], part.length))

    def at(place: Code) -> Code:
        found = parts[-1].at(minus(place, ends[-2]))
        for index in range(len(parts) - 2, -1, -1):
            inside = place if index == 0 else minus(place, ends[index - 1])
            found = ternary(compared("<", place, ends[index]), parts[index].at(inside), found)
        return as_big(found) if kind == "big" else found

    return Listed(kind, ends[-1], at, min(part.low for part in parts), max(part.high for part in parts))


def span(start: Code, stop: Code) -> Listed:
    """The integers from one up to another one; the second may be less."""
    length = call("int", "aclspec_max", minus(stop, start), ZERO, low=0, high=LENGTH[1])
    low, high = start.low, max(stop.high - 1, start.low)
    return Listed("int", length, lambda at: plus(start, at), low, high, start=start, stop=stop)


def chosen(cond: Code, then: Listed, orelse: Listed) -> Listed:
    """One list or the other."""
    low, high = min(then.low, orelse.low), max(then.high, orelse.high)
    kind = "big" if "big" in (then.kind, orelse.kind) else then.kind
    held = (
        None if then.view is None or orelse.view is None else f"({cond.within(Level.OR)} ? {then.view} : {orelse.view})"
    )
    return Listed(
        kind,
        ternary(cond, then.length, orelse.length),
        lambda at: ternary(cond, then.at(at), orelse.at(at)),
        low,
        high,
        view=held,
    )


def element(values: Listed, index: Code, names: Names) -> Code:
    """The element at an index."""
    if index.is_simple or values.view is not None:
        return values.at(index)
    place = names.place()
    return bound(place.text, index, values.at(place))


def part(values: Listed, start: Code, stop: Code) -> Listed:
    """The elements from an index up to another one."""
    if values.items is not None and start.text.isdigit() and stop.text.isdigit():
        return fixed(values.items[int(start.text) : int(stop.text)])
    length, held = minus(stop, start), None
    if values.view is not None:
        held = f"aclspec_part({values.view}, {start.text}, {stop.text})"
    return Listed(
        values.kind, length, lambda at: values.at(clamped(plus(start, at))), values.low, values.high, view=held
    )


def replaced(values: Listed, index: Code, value: Code) -> Listed:
    """The list with another value at an index."""
    low, high = min(values.low, value.low), max(values.high, value.high)
    kind = "big" if "big" in (values.kind, value.kind) else values.kind
    return Listed(kind, values.length, lambda at: ternary(compared("==", at, index), value, values.at(at)), low, high)


def removed(values: Listed, index: Code) -> Listed:
    """The list without the value at an index."""

    def at(place: Code) -> Code:
        return values.at(plus(place, ternary(compared(">=", place, index), ONE, ZERO)))

    return Listed(values.kind, minus(values.length, ONE), at, values.low, values.high)


def inserted(values: Listed, index: Code, value: Code) -> Listed:
    """The list with one more value before an index."""
    kind = "big" if "big" in (values.kind, value.kind) else values.kind

    def at(place: Code) -> Code:
        before = ternary(compared("==", place, index), value, values.at(minus(place, ONE)))
        return ternary(compared("<", place, index), values.at(place), before)

    low, high = min(values.low, value.low), max(values.high, value.high)
    return Listed(kind, plus(values.length, ONE), at, low, high)


def broadcast(one: Listed, other: Listed) -> Listed:
    """The common shape of two shapes that broadcast."""
    low, high = min(one.low, other.low, 1), max(one.high, other.high, 1)
    if one.items is not None and other.items is not None:
        rank = max(len(one.items), len(other.items))
        sides = [(*(ONE,) * (rank - len(items)), *items) for items in (one.items, other.items)]
        sizes = zip(*sides, strict=True)
        return fixed([_common_size(*pair) for pair in sizes])
    length = maximum([one.length, other.length])

    def at(place: Code) -> Code:
        if one.view is not None and other.view is not None:
            return call("int", "aclspec_broadcast_at", one.view, other.view, place, low=low, high=high)
        places = [clamped(minus(place, minus(length, side.length))) for side in (one, other)]
        sides = zip((one, other), places, strict=True)
        return _common_size(*(ternary(compared("<", index, ZERO), ONE, side.at(index)) for side, index in sides))

    return Listed("big" if "big" in (one.kind, other.kind) else "int", length, at, low, high)


def _common_size(left: Code, right: Code) -> Code:
    """The size of two that meet."""
    low, high = min(left.low, right.low), max(left.high, right.high)
    if "big" in (left.kind, right.kind):
        return ternary(compared("==", left, ONE), right, left)
    return call("int", "BROADCAST", left, right, low=low, high=high)


def broadcastable(one: Listed, other: Listed, names: Names) -> Code:
    """Whether two shapes broadcast."""
    if one.view is not None and other.view is not None:
        return call("bool", "aclspec_broadcastable", one.view, other.view)
    if one.items is not None and other.items is not None:
        pairs = zip(reversed(one.items), reversed(other.items), strict=False)
        return conjunction(Code("bool", "true"), *(_sizes_meet(*pair) for pair in pairs))
    place = names.place()
    sides = [side.at(clamped(minus(minus(side.length, ONE), place))) for side in (one, other)]
    shorter = minimum([one.length, other.length])
    return call("bool", "ALL", place, ZERO, shorter, _sizes_meet(*sides))


def _sizes_meet(left: Code, right: Code) -> Code:
    """Whether two sizes are equal, or one of them is 1."""
    if "big" in (left.kind, right.kind):
        return disjunction(compared("==", left, right), compared("==", left, ONE), compared("==", right, ONE))
    return call("bool", "SIZES_MEET", left, right)


def indexable(shape: Listed, indices: Listed) -> Code:
    """Whether tensors of indices choose something of a shape."""
    return call("bool", "aclspec_indexable", *_indexed(shape, indices))


def index_shape(shape: Listed, indices: Listed) -> Listed:
    """The shape of what tensors of indices choose."""
    held = _indexed(shape, indices)
    length = call("int", "aclspec_index_rank", *held, low=LENGTH[0], high=LENGTH[1])
    low, high = min(shape.low, 0), max(shape.high, INT64[1])
    return Listed(
        "int", length, lambda place: call("int", "aclspec_index_at", *held, place, low=low, high=high), low, high
    )


def _indexed(shape: Listed, indices: Listed) -> tuple[str, str]:
    """The texts of a shape and of tensors that some memory holds."""
    if shape.view is None or indices.array is None:
        raise ValueError("What is indexed, or is an index, is made of other lists and has no C.")
    return shape.view, indices.array


def reduced(shape: Listed, axes: Listed, keep: Code, names: Names) -> Listed:
    """The shape without some axes, or with size 1 in their place."""

    def is_reduced(at: Code) -> Code:
        place = names.place()
        axis = call("int", "aclspec_wrap", axes.at(place), shape.length, low=INT64[0], high=INT64[1])
        return call("bool", "ANY", place, ZERO, axes.length, compared("==", axis, at))

    place = names.place()
    left = call("int", "COUNT", place, shape.length, negated(is_reduced(place)), low=0, high=LENGTH[1])

    def at(index: Code) -> Code:
        place = names.place()
        nth = call("int", "NTH", place, index, shape.length, negated(is_reduced(place)), low=0, high=LENGTH[1])
        one_of = ternary(is_reduced(index), ONE, shape.at(index))
        return ternary(keep, one_of, element(shape, nth, names))

    return Listed("int", ternary(keep, shape.length, left), at, min(shape.low, 1), max(shape.high, 1))


def equal(one: Listed, other: Listed, names: Names) -> Code:
    """Whether two lists have the same elements."""
    if one.view is not None and other.view is not None:
        return call("bool", "aclspec_equal", one.view, other.view)
    lengths = compared("==", one.length, other.length)
    for literal_list, rest in ((one, other), (other, one)):
        if literal_list.items is not None and (rest.view is not None or rest.items is not None):
            same = [compared("==", rest.at(literal(index)), item) for index, item in enumerate(literal_list.items)]
            return conjunction(lengths, *same)
    place = names.place()
    return conjunction(
        lengths, call("bool", "ALL", place, ZERO, one.length, compared("==", one.at(place), other.at(place)))
    )


def contains(values: Listed, value: Code, names: Names) -> Code:
    """Whether an element equals a value."""
    if values.items is not None:
        if not values.items:
            return Code("bool", "false")
        if value.is_simple:
            return disjunction(*(compared("==", value, item) for item in values.items))
        place = names.place()
        named = Code(value.kind, place.text, low=value.low, high=value.high)
        return bound(place.text, value, disjunction(*(compared("==", named, item) for item in values.items)))
    if values.view is not None and value.kind == "int":
        return call("bool", "aclspec_contains", values.view, value)
    place = names.place()
    return call("bool", "ANY", place, ZERO, values.length, compared("==", values.at(place), value))


def distinct(values: Listed, names: Names) -> Code:
    """Whether no two elements are equal."""
    one, other = names.place(), names.place()
    same = compared("==", values.at(one), values.at(other))
    return call("bool", "DISTINCT", one, other, values.length, same)
