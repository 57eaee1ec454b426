"""Sentences about attributes: numbers, arrays and strings on the host."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aclspec.codegen.importer.classes import shapes
from aclspec.codegen.importer.grammar import GRAMMAR, Hit, Outcome, Rule, TableFact, kebab

NUMBERS = ("int", "int8", "int32", "int64", "uint64", "float", "double")
ARRAYS = ("int_array", "float_array")
_VALUE = "(value|element|exist|length)*"


@GRAMMAR.form(
    "attribute.comparison",
    f"names {_VALUE} (must|cannot)? (gt|ge|lt|le|ne|eq) {_VALUE} numbers {_VALUE}",
    f"names (exist|value|element|must|eq)* (negative|positive|nonnegative) {_VALUE}",
    "names rankword (gt|ge|lt|le) numbers",
)
def comparison(hit: Hit) -> Sequence[Outcome] | None:
    """``n`` is less than 0; an element of ``ns`` is."""
    kinds = {one.name: one.kind for one in hit.parameters}
    if any(kind not in (*NUMBERS, *ARRAYS, "scalar") for kind in kinds.values()) or hit.has("cannot"):
        return None
    if hit.has("rankword"):
        return None
    if hit.has("length", "size") and not all(kind in NUMBERS for kind in kinds.values()):
        return None  # the size of an array may be its length
    if hit.has("negative", "positive", "nonnegative"):
        bad = hit.has("negative")
        if bad is hit.holds or len(hit.all("numbers")):
            return None
        operator, number = (">=", 0) if hit.has("negative", "nonnegative") else (">", 0)
    elif hit.comparison is None or len(hit.numbers) != 1:
        return _values(hit)
    else:
        operator, number = hit.comparison, hit.numbers[0]  # type: ignore[assignment]
        if operator == "==" and all(kind in NUMBERS for kind in kinds.values()):
            return _values(hit)

    def text(name: str) -> str:
        if kinds[name] in ARRAYS:
            return f"all(v {operator} {number} for v in {name})"
        return f"{f'value({name})' if kinds[name] == 'scalar' else name} {operator} {number}"

    if operator in ("==", "!=") and any(kind in ARRAYS for kind in kinds.values()) and not hit.has("element", "value"):
        return None  # "the array is not 2" may be about its length
    word = {">": "positive" if number == 0 else "above", ">=": "non-negative" if number == 0 else "least"}
    suffix = word.get(operator, {"<": "below", "<=": "most", "==": "equal"}.get(operator, "differs"))
    return [Rule(f"{kebab(name)}-{suffix}", text(name)) for name in hit.names]


@GRAMMAR.form(
    "attribute.values",
    f"names {_VALUE} (notin|ne|unsupported) {_VALUE} (numbers|string|true|false)+ {_VALUE}",
    f"names {_VALUE} (must|eq|support|can)+ {_VALUE} (numbers|string)+ {_VALUE}",
)
def values(hit: Hit) -> Sequence[Outcome] | None:
    """``mode`` is none of 0, 1 and 2."""
    return _values(hit)


def _values(hit: Hit) -> Sequence[Outcome] | None:
    """The legal values of enumerations."""
    if hit.has("unsupported", "notin", "ne") is hit.holds or hit.has("gt", "ge", "lt", "le", "unsupported", "length"):
        return None
    numbers, strings = hit.numbers, [word for values in hit.all("string") for word in values]
    if hit.of_kind("bool") == hit.names and not numbers and not strings and hit.has("true") is not hit.has("false"):
        return [Rule(f"{kebab(name)}-value", name if hit.has("true") else f"not {name}") for name in hit.names]
    integers = ("int", "int8", "int32", "int64", "uint64")
    kinds = {one.kind for one in hit.parameters}
    if numbers and not strings and kinds <= set(integers) and all(isinstance(number, int) for number in numbers):
        return [TableFact("value", tuple(hit.names), tuple(sorted({int(number) for number in numbers})))]
    if strings and not numbers and kinds == {"string"}:
        return [TableFact("value", tuple(hit.names), tuple(strings))]
    if numbers and kinds <= {"int_array"} and hit.has("element", "value") and len(hit.names) == 1:
        listed = ", ".join(map(str, numbers))
        return [Rule(f"{kebab(hit.names[0])}-values", f"all(v in [{listed}] for v in {hit.names[0]})")]
    if numbers and kinds <= {"float", "double"} and len(numbers) == 1:
        return [Rule(f"{kebab(name)}-value", f"{name} == {numbers[0]}") for name in hit.names]
    return None


@GRAMMAR.form(
    "attribute.length",
    "names element? (length|rankword|dims|shape) (value)? (ne|notin|eq|must|support|unsupported)+ numbers nd?",
    "names (length|dims|rankword|shape) (value)? must? (gt|ge|lt|le) numbers nd?",
    "names numel (ne|notin|eq|must)+ numbers",
    "names value? ne numbers",
    "names length (notin|unsupported) interval",
    "names (ne|must|eq)+ numbers nd",
)
def length(hit: Hit) -> Sequence[Outcome] | None:
    """The length of ``ns`` is not 2."""
    arrays = hit.of_kind("int_array", "bool_array", "float_array", "tensor_list", "scalar_list")
    if len(arrays) < len(hit.names) or not arrays or hit.has("interval"):
        return None
    if hit.has("dimsize") or (hit.of_kind("tensor_list") and hit.has("dims", "rankword", "shape", "nd", "numel")):
        return None  # that is about the elements, or the tensors of the list
    if hit.has("gt", "ge", "lt", "le"):
        if hit.comparison is None or len(hit.numbers) != 1:
            return None
        word = "most" if "<" in hit.comparison else "least"
        return [
            Rule(f"{kebab(name)}-length-{word}", f"len({name}) {hit.comparison} {hit.numbers[0]}") for name in arrays
        ]
    if hit.has("ne", "notin", "unsupported") is hit.holds or min(hit.numbers) < 0:
        return None
    if hit.of_kind("tensor_list", "scalar_list"):
        listed = ", ".join(map(str, hit.numbers))
        return [Rule(f"{kebab(name)}-length", f"len({name}) in [{listed}]") for name in arrays]
    return [TableFact("length", tuple(arrays), tuple(sorted({int(number) for number in hit.numbers})))]


_RANK_OF = re.compile(r"\s*(?P<minus>-)?\s*\(?(?P<what>[^-+]*?)\)?\s*(?P<less>-\s*1)?\s*")


@GRAMMAR.form(
    "attribute.interval",
    f"names {_VALUE} (notin|unsupported|must|eq|support|ne)* interval {_VALUE} (unsupported)?",
    "names dims? (notin|unsupported|must|eq|support)+ (names|inputs)? (dims|value|shape|rankword)* interval",
    "names dims? value? (notin|must|eq)* interval",
    "names dims? value? gt (names (dims|shape)*)? interval",
)
def interval(hit: Hit) -> Sequence[Outcome] | None:
    """``n`` is not in [0, 1), or ``dim`` is no axis of ``x``."""
    bad = hit.has("notin", "unsupported", "ne", "gt")
    if bad is hit.holds or len(hit.all("interval")) != 1:
        return None
    names = list(hit.all("names")[0])
    kinds = {one.name: one.kind for one in hit.function.parameters}
    if any(kinds[name] not in (*NUMBERS, *ARRAYS) for name in names):
        return None
    opened, low, high, shut = hit.all("interval")[0]
    if _is_number(low) and _is_number(high):
        left, right = ("<=" if opened == "[" else "<"), ("<=" if shut == "]" else "<")
        text = f"{low.strip()} {left} {{}} {right} {high.strip()}"
        return [Rule(f"{kebab(name)}-range", _each(name, kinds, text)) for name in names]
    return _axis(hit, names, low, high, shut)


def _axis(hit: Hit, names: Sequence[str], low: str, high: str, shut: str) -> Sequence[Outcome] | None:
    """An interval such as [-N, N-1] or [-x.dim(), x.dim()): an axis of the tensor named, or of the only input."""
    first, second = _RANK_OF.fullmatch(low), _RANK_OF.fullmatch(high)
    if not first or not second or not first["minus"] or second["minus"] or first["what"] != second["what"]:
        return None
    if (shut == "]") is not bool(second["less"]) or first["less"]:
        return None
    tensors = [one.name for one in hit.function.parameters if one.kind in ("tensor", "tensor_list")]
    word = re.search(r"[A-Za-z_][A-Za-z0-9_]*", first["what"])
    base = word[0] if word and word[0] in tensors else None
    if base is None and word and re.fullmatch(r"[A-Za-z]|dim|rank|ndim|dims|dimNum", word[0]):
        others = [name for group in hit.all("names")[1:] for name in group if name in tensors]
        inputs = others or hit.inputs("tensor")
        base = inputs[0] if len(inputs) == 1 else None
    elif base is None and not word and re.search("维", first["what"]):
        inputs = hit.inputs("tensor")
        base = inputs[0] if len(inputs) == 1 else None
    return None if base is None else axis_rules(hit, names, base)


def axis_rules(hit: Hit, names: Sequence[str], base: str) -> Sequence[Outcome] | None:
    """Each name is an axis of ``base``, counted from the end where it is negative; a scalar has the axis 0."""
    kinds = {one.name: one.kind for one in hit.function.parameters}
    tensor = f"{base}[0]" if kinds[base] == "tensor_list" else base
    limit = f"max(rank({tensor}), 1)"
    if any(kinds[name] not in ("int64", "int32", "int", "int_array") for name in names):
        return None
    return [Rule(f"{kebab(name)}-axis", _each(name, kinds, f"-{limit} <= {{}} < {limit}")) for name in names]


def _each(name: str, kinds: dict[str, str | None], text: str) -> str:
    """The predicate for a number, or for every number of an array."""
    if kinds[name] in ARRAYS:
        return f"all({text.format('v')} for v in {name})"
    return text.format(name)


def _is_number(text: str) -> bool:
    return bool(re.fullmatch(r"\s*-?\d+(?:\.\d+)?\s*", text))


@GRAMMAR.form(
    "attribute.axis",
    "names (dims|value|element)* (notin|gt|unsupported) (names|inputs) shape? (dims|rankword|requirement|nd)+",
    "names (dims|value|element)* gt (names|inputs) (dims|rankword|shape)+",
    "names value? (gt|notin) (dims|rankword) requirement?",
    "names (dims|value)? unsupported (names|inputs) (dims|rankword)",
)
def axis(hit: Hit) -> Sequence[Outcome] | None:
    """``dim`` is none of the axes of ``x``."""
    groups = hit.all("names")
    bases = (
        [name for name in groups[1] if name in hit.of_kind("tensor", "tensor_list")]
        if len(groups) > 1
        else hit.inputs()
    )
    if hit.holds or len(bases) != 1:
        return None
    if any(word in ("大于", ">", "高于", "多于") for (word,) in hit.all("gt")):
        return None  # one that is equal to the number of dimensions is no axis either, and there may be negative ones
    return axis_rules(hit, list(groups[0]), bases[0])


@GRAMMAR.form("attribute.pair", "names value? (gt|ge|lt|le|ne|eq|must)+ names value?")
def pair(hit: Hit) -> Sequence[Outcome] | None:
    """``low`` is greater than ``high``."""
    groups = hit.all("names")
    kinds = {one.kind for one in hit.parameters}
    if (
        len(groups) != 2
        or any(len(group) != 1 for group in groups)
        or hit.comparison is None
        or not kinds <= set(NUMBERS)
    ):
        return None
    left, right = groups[0][0], groups[1][0]
    return [Rule(f"{kebab(left)}-{kebab(right)}", f"{left} {hit.comparison} {right}")]


@GRAMMAR.form(
    "attribute.multiple",
    f"names {_VALUE} (ne|eq|must|cannot|unsupported|exist)* numbers multiple",
    f"names {_VALUE} (must|cannot|can)* numbers multiple",
)
def multiple(hit: Hit) -> Sequence[Outcome] | None:
    """``n`` is no multiple of 16."""
    kinds = {one.name: one.kind for one in hit.parameters}
    if hit.has("ne", "cannot", "unsupported") is hit.holds or len(hit.numbers) != 1:
        return None
    if any(kind not in ("int", "int8", "int32", "int64", "uint64", "int_array") for kind in kinds.values()):
        return None
    number = hit.numbers[0]
    return [Rule(f"{kebab(name)}-multiple", _each(name, kinds, f"{{}} % {number} == 0")) for name in hit.names]


@GRAMMAR.form(
    "attribute.distinct",
    "names (dims|value|element|axis|exist|cannot)* repeated",
    "names (dims|axis|element|value|exist)* same (value|element|dims|axis)*",
)
def distinct(hit: Hit) -> Sequence[Outcome] | None:
    """A number occurs twice in ``ns``."""
    arrays = hit.of_kind("int_array")
    if len(arrays) < len(hit.names) or hit.has("cannot") is not hit.holds or (hit.has("same") and len(arrays) > 1):
        return None
    return [Rule(f"{kebab(name)}-distinct", f"distinct({name})", None, "likely") for name in arrays]


@GRAMMAR.form("attribute.below-dimension", "names (value|element|exist)* (gt|ge|lt|le) names dimindex value?")
def below_dimension(hit: Hit) -> Sequence[Outcome] | None:
    """``n`` is not less than the last dimension of ``x``."""
    groups = hit.all("names")
    place = shapes.axis(hit.all("dimindex")[0][0])
    kinds = {one.name: one.kind for one in hit.function.parameters}
    base = groups[-1][0]
    if len(groups) != 2 or len(groups[1]) != 1 or kinds[base] != "tensor" or place is None or hit.comparison is None:
        return None
    if any(kinds[name] not in ("int_array", "int", "int8", "int32", "int64") for name in groups[0]):
        return None
    text = f"{{}} {hit.comparison} {shapes.size(base, place)}"
    return [Rule(f"{kebab(name)}-dim-{kebab(base)}", _each(name, kinds, text)) for name in groups[0]]
