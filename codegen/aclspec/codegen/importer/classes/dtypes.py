"""Sentences about dtypes and formats."""

from __future__ import annotations

from collections.abc import Sequence

from aclspec.codegen.importer.classes.shapes import list_shapes
from aclspec.codegen.importer.grammar import GRAMMAR, Hit, Outcome, Rule, SameDtype, TableFact, Vague, kebab

_BAD = "(unsupported|unsatisfied inputs? requirement?|invalid)"


@GRAMMAR.form(
    "dtype.supported",
    "(names|inputs|outputs)* (dtype|format|dims|rankword|value|element)* (dtype|format)"
    f" (format|dtype|dims|rankword|shape|value|nd)* {_BAD}",
    f"(names|inputs|outputs)+ (shape|dims|rankword|format)+ dtype (format|dims|shape)* {_BAD}",
    "(names|inputs|outputs)+ (dtype|format)+ ne supported (dtype|format)*",
    "names unsupported (dtype|format)",
    f"names inputs dtype {_BAD}",
    "(names|inputs|outputs)+ ne support (dtype|format)",
)
def supported(hit: Hit) -> Sequence[Outcome] | None:
    """The dtype or the format of ``x`` is not supported: the table checks say it."""
    if hit.holds:
        return None
    names = tuple(hit.names) or tuple(one.name for one in hit.function.parameters if one.is_tensor)
    found: list[Outcome] = [TableFact(word, names) for word in ("dtype", "format") if hit.has(word)]
    if hit.has("dims", "rankword", "nd"):
        found.append(TableFact("rank", names))
    if hit.has("shape"):
        found.append(Vague("shape", names))
    return found


@GRAMMAR.form(
    "dtype.value",
    "names dtype (ne|notin) dtypes",
    "names ne dtypes dtype?",
    "names dtype (eq|support|must)* dtypes dtype?",
)
def value(hit: Hit) -> Sequence[Outcome] | None:
    """The dtype of ``x`` is not FLOAT: the dtypes that its cells must not exceed."""
    listed = tuple(dtype for values in hit.all("dtypes") for dtype in values)
    if not hit.agrees(("eq", "support"), ("ne", "notin")) and not (hit.holds and not hit.has("ne", "notin")):
        return None
    return [TableFact("dtype", tuple(hit.names), listed)]


@GRAMMAR.form(
    "dtype.refused",
    "names dtype unsupported dtypes dtype?",
    "unsupported names dtype dtypes",
    "names unsupported dtypes dtype?",
)
def refused(hit: Hit) -> Sequence[Outcome] | None:
    """``x`` does not support BF16: its cells must lack it."""
    listed = tuple(dtype for values in hit.all("dtypes") for dtype in values)
    return [TableFact("dtype-without", tuple(hit.names), listed)]


_PARTS = "(dtype|shape|dims|rankword|format)"


@GRAMMAR.form(
    "dtype.same",
    f"names element? {_PARTS}+ names? {_PARTS}* (differ|same)",
    f"names {_PARTS}+ (ne|eq) names {_PARTS}*",
    f"(inputs|outputs)+ {_PARTS}+ (differ|same)",
    f"names (differ|same) {_PARTS}+",
)
def same(hit: Hit) -> Sequence[Outcome] | None:
    """The dtypes of ``x`` and ``y`` differ, perhaps their shapes too."""
    if not hit.agrees(("same", "eq"), ("differ", "ne")) or not hit.has("dtype"):
        return None
    tensors = [one.name for one in hit.parameters if one.is_tensor]
    kinds = hit.of_kind("dtype")
    if len(kinds) == 1 and len(tensors) == 1 and len(hit.names) == 2 and not hit.has("shape", "dims", "format"):
        return [Rule(f"{kebab(tensors[0])}-dtype", f"dtype({tensors[0]}) == {kinds[0]}")]
    if not hit.names:
        tensors = [*hit.inputs("tensor"), *(name for name in hit.outputs() if name not in hit.inputs("tensor"))]
        if len(tensors) != 2:
            return None
    if len(tensors) < len(hit.names):
        return None
    lists = [name for name in tensors if name in hit.of_kind("tensor_list")]
    found: list[Outcome] = []
    if len(tensors) > 1:
        found.append(SameDtype(tuple(tensors)))
    elif not lists:
        return None
    found += [Rule(f"{kebab(name)}-dtype-same", f"all(dtype(t) == dtype({name}[0]) for t in {name})") for name in lists]
    first = tensors[0]
    if lists and (hit.has("dims", "rankword") or (len(lists) < len(tensors) and hit.has("shape", "format"))):
        return None
    if lists:
        return found + (list_shapes(tensors) if hit.has("shape") else [])
    function = "shape" if hit.has("shape") else "rank" if hit.has("dims", "rankword") else ""
    if function:
        found += [
            Rule(f"{kebab(name)}-{function}-{kebab(first)}", f"{function}({name}) == {function}({first})")
            for name in tensors[1:]
        ]
    if hit.has("format"):
        found += [
            Rule(f"{kebab(name)}-format-{kebab(first)}", f"format({name}) == format({first})") for name in tensors[1:]
        ]
    return found


@GRAMMAR.form("dtype.supported-same", f"names dtype {_BAD} differ")
def supported_same(hit: Hit) -> Sequence[Outcome] | None:
    """The dtypes of ``x`` and ``y`` are not supported, or differ."""
    names = tuple(hit.of_kind("tensor"))
    if hit.holds or len(names) < max(2, len(hit.names)):
        return None
    return [TableFact("dtype", names), SameDtype(names)]


@GRAMMAR.form("format.same", "names format names? format? (differ|same)", "(inputs|outputs)+ format (differ|same)")
def format_same(hit: Hit) -> Sequence[Outcome] | None:
    """The formats of ``x`` and ``y`` differ."""
    names = hit.of_kind("tensor")
    if not hit.names:
        names = [*hit.inputs(), *(name for name in hit.outputs() if name not in hit.inputs())]
    if not hit.agrees(("same",), ("differ",)) or len(names) < 2 or len(names) < len(hit.names):
        return None
    first = names[0]
    return [Rule(f"{kebab(name)}-format-{kebab(first)}", f"format({name}) == format({first})") for name in names[1:]]


@GRAMMAR.form(
    "format.value",
    "names format (ne|notin|unsupported) formats format?",
    "names (ne|notin) formats format?",
    "names (format)? must? (eq|support|must)* formats",
)
def format_value(hit: Hit) -> Sequence[Outcome] | None:
    """The format of ``x`` is not ND."""
    listed = tuple(one for values in hit.all("formats") for one in values)
    if hit.has("unsupported"):
        return None
    if hit.has("ne", "notin") is hit.holds:
        return None
    return [TableFact("format", tuple(hit.names), listed)]


@GRAMMAR.form(
    "format.private",
    "names format? (eq|exist|unsupported)? private",
    "names unsupported private",
    "names format (eq|must)* private",
)
def private(hit: Hit) -> Sequence[Outcome] | None:
    """``x`` has a private format."""
    names = hit.of_kind("tensor")
    if len(names) < len(hit.names) or (hit.holds and not hit.has("unsupported")):
        return None
    return [Rule(f"{kebab(name)}-public-format", f"not is_private(format({name}))") for name in names]


_RULE = "(dtype|promote|requirement)+"


@GRAMMAR.form(
    "dtype.promotable",
    f"names dtype? (cannot|unsatisfied) {_RULE}",
    f"names dtype {_RULE} unsatisfied",
    f"names dtype? (can|must|satisfied)* {_RULE}",
    f"names dtype names dtype? (cannot|unsatisfied)? {_RULE}",
    "names promote differ",
    "names dtype unsupported (dtype|promote)+",
    "names dtype? unsatisfied dtype? promote",
)
def promotable(hit: Hit) -> Sequence[Outcome] | None:
    """The dtypes of ``x`` and ``y`` have no common dtype."""
    names = hit.of_kind("tensor", "scalar")
    if (
        not hit.has("promote")
        or hit.has("cannot", "unsatisfied", "unsupported", "differ") is hit.holds
        or len(names) < len(hit.names)
    ):
        return None
    return _promotable(names)


def _promotable(names: Sequence[str]) -> Sequence[Outcome] | None:
    if len(names) == 2:
        return [Rule("dtype-promotable", f"promotable(dtype({names[0]}), dtype({names[1]}))")]
    if len(names) == 3:
        a, b, c = names
        pair = f"promote(dtype({a}), dtype({b}))"
        return [Rule("dtype-promotable", f"promotable(dtype({a}), dtype({b})) and promotable({pair}, dtype({c}))")]
    return None


def _has_scalar(hit: Hit, names: Sequence[str]) -> bool:
    """Whether a scalar takes part in a promotion: one of the names, or of what the rows say promotes."""
    found = hit.function.value("", "promoted")
    said = names or (found if isinstance(found, tuple) else ())
    return any(one.name in said and one.kind == "scalar" for one in hit.function.parameters)


def promoted(hit: Hit, names: Sequence[str]) -> str | None:
    """The common dtype of the names, of the two that are promotable elsewhere, or of the only two inputs."""
    if not names:
        names = hit.inputs("tensor", "scalar") if len(hit.inputs("tensor", "scalar")) == 2 else []
        found = hit.function.value("", "promoted")
        names = list(found) if isinstance(found, tuple) else names
    kinds = {one.name: one.kind for one in hit.function.parameters}
    if any(kinds.get(name) != "tensor" for name in names):
        return None  # a scalar is promoted by its category, which the language does not say
    if len(names) == 2:
        return f"promote(dtype({names[0]}), dtype({names[1]}))"
    if len(names) == 3:
        return f"promote(promote(dtype({names[0]}), dtype({names[1]})), dtype({names[2]}))"
    return None


@GRAMMAR.form(
    "dtype.cast-promoted",
    "names? promote (dtype|requirement)* (cannot|must|can|satisfied)* cast names? dtype?",
    "names dtype? promote dtype (cannot|must|can|satisfied)* cast names? dtype?",
    "names dtype promote (cannot|can)? cast names dtype?",
    "names? dtype promote dtype? (cannot) cast (names|outputs) dtype?",
    "(promote)? dtype cannot cast (outputs|names) dtype?",
)
def cast_promoted(hit: Hit) -> Sequence[Outcome] | None:
    """The common dtype of ``x`` and ``y`` does not convert to that of ``out``."""
    if not hit.has("promote") or hit.has("cannot") is hit.holds:
        return None
    groups = hit.all("names")
    outs = list(groups[-1]) if groups and hit.tokens[0].word != "names" else list(groups[-1]) if len(groups) > 1 else []
    ins = list(groups[0]) if len(groups) > 1 else []
    if not outs and len(groups) == 1:
        ins = list(groups[0])
    outs = outs or hit.outputs()
    common = promoted(hit, ins)
    if common is None and _has_scalar(hit, ins):
        return [Vague("promoted-scalar", tuple(hit.names))]
    if common is None or len(outs) != 1 or outs[0] not in hit.outputs():
        return None
    return [Rule(f"{kebab(outs[0])}-castable", f"castable({common}, dtype({outs[0]}))")]


@GRAMMAR.form(
    "dtype.cast-to-promoted",
    "names dtype? (cannot|must|can|satisfied)* cast names? dtype? promote dtype?",
    "names dtype ne names promote can cast",
    "names dtype (must|eq)* names promote can? cast dtype?",
    "names dtype (ne|eq) names promote dtype? can cast dtype?",
)
def cast_to_promoted(hit: Hit) -> Sequence[Outcome] | None:
    """``alpha`` does not convert to the common dtype of ``x`` and ``y``."""
    groups = hit.all("names")
    if hit.has("cannot", "ne") is hit.holds or len(groups[0]) != 1:
        return None
    subject = groups[0][0]
    common = promoted(hit, groups[1] if len(groups) > 1 else [])
    if common is None and _has_scalar(hit, groups[1] if len(groups) > 1 else []):
        return [Vague("promoted-scalar", tuple(hit.names))]
    if common is None or subject not in hit.of_kind("tensor", "scalar"):
        return None
    words = [token.word for token in hit.tokens]
    takes = words.index("cast") > words.index("promote")  # "what x and y promote to, converted" is the other way round
    if takes or (subject in hit.outputs() and subject not in common):
        return [Rule(f"{kebab(subject)}-castable", f"castable({common}, dtype({subject}))")]
    return [Rule(f"{kebab(subject)}-castable", f"castable(dtype({subject}), {common})")]


@GRAMMAR.form(
    "dtype.cast",
    "names dtype? (cannot|must|can|satisfied)* cast (names|dtypes) dtype?",
    "names dtype (ne|eq)* can cast dtypes dtype?",
    "names dtype (ne|eq)+ dtypes can cast dtype?",
    "names dtype names dtype? (unsatisfied|cannot)? dtype? cast requirement?",
    "names names? dtype (cannot|unsatisfied) dtype? (cast|requirement)+",
    "names dtype (ne|eq|must)* names (dtype)? can cast dtype?",
    "names dtype names dtype (cannot|unsatisfied)? cast requirement?",
    "names unsatisfied dtype? cast requirement?",
    "names dtype names (can|cannot)? cast dtype? requirement?",
)
def cast(hit: Hit) -> Sequence[Outcome] | None:
    """The dtype of ``x`` does not convert to that of ``out``, or to FLOAT."""
    if not hit.has("cast") or hit.has("cannot", "unsatisfied", "ne") is hit.holds:
        return None
    names = hit.of_kind("tensor", "scalar")
    targets = [dtype for values in hit.all("dtypes") for dtype in values]
    groups = hit.all("names")
    kinds = hit.of_kind("dtype")
    if len(names) == 1 and len(kinds) == 1 and len(hit.names) == 2 and hit.names[1] == kinds[0]:
        return [Rule(f"{kebab(names[0])}-castable", f"castable(dtype({names[0]}), {kinds[0]})", None, "likely")]
    if len(names) < len(hit.names):
        return None
    if len(targets) == 1 and [token.word for token in hit.tokens].index("dtypes") < [t.word for t in hit.tokens].index(
        "cast"
    ):
        return [Rule(f"{kebab(name)}-castable", f"castable({targets[0]}, dtype({name}))") for name in names]
    if len(targets) == 1:
        return [Rule(f"{kebab(name)}-castable", f"castable(dtype({name}), {targets[0]})") for name in names]
    if len(groups) == 2 and len(groups[0]) > 1 and len(groups[1]) == 1 and not targets:
        to = groups[1][0]
        return [Rule(f"{kebab(name)}-castable", f"castable(dtype({name}), dtype({to}))") for name in groups[0]]
    if len(names) != 2 or targets:
        return None
    source, target = names
    if source in hit.outputs() and target not in hit.outputs():
        source, target = target, source  # what is written is what is converted to
    return [Rule(f"{kebab(target)}-castable", f"castable(dtype({source}), dtype({target}))")]


@GRAMMAR.form("dtype.promoted-in", "names? dtype? promote dtype? unsupported")
def promoted_in(hit: Hit) -> Sequence[Outcome] | None:
    """The common dtype of ``x`` and ``y`` is not supported: it is one of the dtypes of the first of them."""
    groups = hit.all("names")
    names = list(groups[0]) if groups else []
    common = promoted(hit, names)
    if common is None or hit.holds:
        return None
    return [Vague("promoted-dtypes", tuple(hit.names))]
