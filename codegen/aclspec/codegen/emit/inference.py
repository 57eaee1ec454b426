"""The programs of the generated ``infer`` and ``precision``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from aclspec.codegen.emit.fact_set import FactSet, implied
from aclspec.codegen.emit.guards import not_null
from aclspec.codegen.emit.lowered import FALSE, NONE, TRUE, Python, conj
from aclspec.codegen.emit.lowering import Lowering
from aclspec.codegen.emit.printer import Block, Line, Statement, quoted
from aclspec.codegen.emit.scope import Scope, identifier
from aclspec.runtime.language.nodes import Call, Each, ListOf, Name, Node, Not, Or, children, names
from aclspec.runtime.rules.operator_info import InferInfo, ParamInfo, PrecisionInfo

_FIELDS = ("shape", "dtype", "format")


@dataclass(frozen=True, slots=True)
class _Guarded:
    """A value, the conditions under which it has one, each with what is known before it, and what is known then."""

    steps: tuple[tuple[Node, FactSet], ...]
    value: Node
    known: FactSet

    @property
    def conditions(self) -> tuple[Node, ...]:
        """The conditions that are not known to hold; ``False`` alone when one cannot."""
        found = tuple(condition for condition, _ in self.steps if condition != TRUE)
        return (FALSE,) if FALSE in found else found


def inferred_type(param: ParamInfo) -> str:
    """The type of an output in the result of ``infer``."""
    return "shapes.InferredList" if param.type == "tensor_list" else "shapes.Inferred"


def output_name(param: ParamInfo) -> str:
    """The local that describes an output; one that is written in place has its input under its own name."""
    return identifier(param.name) if param.direction == "out" else f"{identifier(param.name)}_out"


def compile_infer(lowering: Lowering, known: FactSet) -> Iterator[Statement]:
    """The program of ``infer``: one output after the other, None where nothing follows."""
    info = lowering.scope.info
    rules = {rule.param: rule for rule in info.infer}
    outputs = [param for param in info.params if param.is_output]
    found = [(param, _described(param, rules.get(param.name), lowering, known)) for param in outputs]
    for conditions, group in groupby(found, key=lambda output: output[1].conditions):
        yield from _inferred(list(group), conditions, lowering, known)
    yield Line("return ", ListOf(tuple(Python(output_name(param)) for param in outputs)), known)


def _inferred(
    outputs: Sequence[tuple[ParamInfo, _Guarded]], conditions: tuple[Node, ...], lowering: Lowering, known: FactSet
) -> Iterator[Statement]:
    """Outputs that are known under the same conditions."""
    for param, one in outputs:
        start = f"{output_name(param)}: {inferred_type(param)} = "
        yield Line(start, NONE, known) if conditions else Line(start, one.value, one.known)
    if conditions and conditions != (FALSE,):
        inside = [Line(f"{output_name(param)} = ", one.value, one.known) for param, one in outputs]
        yield from _nested(outputs[0][1].steps, inside, lowering)


def _nested(
    steps: Iterable[tuple[Node, FactSet]], inside: Sequence[Statement], lowering: Lowering, comment: str = ""
) -> Sequence[Statement]:
    """Statements under conditions; one that needs a let which those before it define stands in a block of its own."""
    left = [(condition, known) for condition, known in steps if condition != TRUE]
    if not left:
        return inside
    start = left[0][1]
    end = next((at for at in range(1, len(left)) if _needs_let(*left[at], start, lowering)), len(left))
    condition = conj(*(condition for condition, _ in left[:end]))
    return [Block(condition, tuple(_nested(left[end:], inside, lowering)), start, comment)]


def _needs_let(condition: Node, known: FactSet, start: FactSet, lowering: Lowering) -> bool:
    """Whether a condition needs a let that is defined at its place, but not yet where the block starts."""
    match condition:
        case Call(func="let", args=(name, _)) if lowering.surely(name, known) and not lowering.surely(name, start):
            return True
    return any(_needs_let(child, known, start, lowering) for child in children(condition))


def _described(param: ParamInfo, rule: InferInfo | None, lowering: Lowering, known: FactSet) -> _Guarded:
    """The shape, dtype and format of an output, and when they are known."""
    relied = () if rule is None else lowering.scope.info.relied_on(rule)
    wanted: list[tuple[Node, FactSet]] = []
    for pointer in _pointers(rule, lowering.scope) if relied else ():
        if not known.proves(pointer):
            wanted.append((lowering.holds(pointer, known), known))
            known = known.assume(pointer)
    for node in (*(() if param.required is None else (param.required,)), *relied):
        wanted.append((lowering.holds(node, known), known))
        known = known.assume(node)
        if isinstance(node, Or):  # what only some calls need is not null where no static type checker can follow
            used = [name for name in sorted(names(node)) if name in lowering.scope.params]
            lowering.untyped |= {
                one for one in used if lowering.scope.may_be_null(one) and not known.proves(not_null(Name(one)))
            }
    if rule is not None:
        nodes = (rule.shape, rule.dtype, rule.format)
        if param.type == "tensor_list" and isinstance(rule.shape, Each):
            return _each_described(rule.shape, nodes, wanted, lowering, known)
        steps, values, known = _entries(nodes, lowering, known)
        expanded = [lowering.scope.expand(node) for node in nodes if node is not None]
        nullable = {one for node in expanded for one in names(node) if lowering.scope.may_be_null(one)}
        lowering.untyped |= {one for one in nullable if not known.proves(not_null(Name(one)))}
        return _Guarded((*wanted, *steps), ListOf(values), known)
    if param.direction == "out" or param.type == "tensor_list":  # of a list in place, the runtime reads the elements
        return _Guarded(((FALSE, known),), NONE, known)
    name = Name(param.name)
    wanted.append((lowering.defined(name, known), known))
    facts = ListOf(tuple(Call(fact, (name,)) for fact in _FIELDS))
    return _Guarded(tuple(wanted), facts, known.assume_defined(name))


def _pointers(rule: InferInfo | None, scope: Scope) -> Iterator[Node]:
    """The pointers that an output needs in any case, each once, as guards."""
    nodes = () if rule is None else (rule.shape, rule.dtype, rule.format)
    needed = (guard for node in nodes if node is not None for guard in implied(node, scope))
    yield from dict.fromkeys(one for one in needed if isinstance(one, Not))


def _each_described(
    shape: Each, nodes: tuple[Node | None, ...], wanted: list[tuple[Node, FactSet]], lowering: Lowering, known: FactSet
) -> _Guarded:
    """The descriptions of a tensor list, one per element of the list that it follows from."""
    steps, _, known = _entries([node for node in nodes if node is not None], lowering, known)
    inside = known.within(shape)
    bodies = [node.body if isinstance(node, Each) else None for node in nodes]
    values = tuple(NONE if body is None else lowering.value(body, lowering.trust(body, inside)) for body in bodies)
    walked = Each(shape.var, lowering.iterable(shape.over, known), ListOf(values))
    return _Guarded((*wanted, *steps), Call("tuple", (walked,)), known)


def compile_precision(lowering: Lowering, passed: FactSet) -> Iterator[Statement]:
    """The program of ``precision``: the first row whose guards hold, for a call that every rule let through."""
    for row in lowering.scope.info.compute.precision:
        found = _row(row, lowering, passed)
        comment = "" if row.doc is None else row.doc.en
        if not found.conditions:
            yield Line("return ", found.value, found.known, comment)
            return
        if found.conditions != (FALSE,):
            yield from _nested(found.steps, [Line("return ", found.value, found.known)], lowering, comment)
    yield Line("return ", Python("{}"), passed)


def _row(row: PrecisionInfo, lowering: Lowering, known: FactSet) -> _Guarded:
    """The dict of a row's roles and settings, and when the row applies."""
    conditions: list[tuple[Node, FactSet]] = []
    if row.products:
        places = frozenset(place for place in known.scope.places if place[1] in row.products)
        conditions.append((lowering.constants.where(places, known.places), known))
        known = known.restrict(places)
    if row.when is not None:
        conditions.append((lowering.holds(row.when, known), known))
        known = known.assume(row.when)
    steps, values, known = _entries([node for _, node in row.entries], lowering, known)
    items = tuple(
        Call("entry", (Python(quoted(name)), value)) for (name, _), value in zip(row.entries, values, strict=True)
    )
    return _Guarded((*conditions, *steps), Call("dict", items), known)


def _entries(
    nodes: Iterable[Node | None], lowering: Lowering, known: FactSet
) -> tuple[list[tuple[Node, FactSet]], tuple[Node, ...], FactSet]:
    """The values of nodes, ``None`` for one that is not there, and the conditions under which all have one."""
    steps: list[tuple[Node, FactSet]] = []
    values: list[Node] = []
    for node in nodes:
        if node is None:
            values.append(NONE)
            continue
        steps += lowering.steps(node, known)
        known = steps[-1][1].assume_defined(node)
        values.append(lowering.value(node, known))
    return steps, tuple(values), known
