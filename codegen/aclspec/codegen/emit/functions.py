"""The programs of the generated ``infer`` and ``precision``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from aclspec.codegen.emit.conditions import Conditions
from aclspec.codegen.emit.facts import Facts
from aclspec.codegen.emit.locals import Locals
from aclspec.codegen.emit.logic import conj
from aclspec.codegen.emit.program import Line, Part, Section, shared_in
from aclspec.codegen.emit.python import FALSE, TRUE, Bracket, Fill, Py, Text, walk
from aclspec.codegen.emit.scope import identifier
from aclspec.codegen.emit.values import tuple_of
from aclspec.runtime.info import InferInfo, OperatorInfo, ParamInfo, PrecisionInfo
from aclspec.runtime.predicate.nodes import Each, Name, Node

_NOTHING = Text("None")


@dataclass(frozen=True, slots=True)
class _Guarded:
    """A value, the conditions under which it has one, each with what is known before it, and what is known then."""

    steps: tuple[tuple[Py, Facts], ...]
    value: Py
    facts: Facts

    @property
    def asked(self) -> tuple[Py, ...]:
        """The conditions that are not known to hold; ``False`` alone when one cannot."""
        found = tuple(condition for condition, _ in self.steps if condition != TRUE)
        return (FALSE,) if FALSE in found else found


@dataclass(frozen=True, slots=True)
class _Output:
    """An output and what follows of it from the inputs."""

    param: ParamInfo
    known: _Guarded

    @property
    def declared(self) -> str:
        """Its local with its type."""
        return f"{_local(self.param)}: {inferred_type(self.param)}"


def inferred_type(param: ParamInfo) -> str:
    """The type of an output in the result of ``infer``."""
    return "shapes.InferredList" if param.type == "tensor_list" else "shapes.Inferred"


def compile_infer(info: OperatorInfo, names: frozenset[str], conditions: Conditions, facts: Facts) -> tuple[Part, ...]:
    """The program of ``infer``: one output after the other, None where nothing follows."""
    rules = {rule.param: rule for rule in info.infer}
    outputs = [param for param in info.params if param.is_output]
    found = [_Output(param, _described(param, rules.get(param.name), info, facts, conditions)) for param in outputs]
    program: list[Part] = []
    for asked, group in groupby(found, key=lambda output: output.known.asked):
        program += _inferred(list(group), asked, facts, conditions)
    program.append(Line("return ", tuple_of([Text(_local(param)) for param in outputs]), facts))
    return _bound(program, info, names, conditions)


def _bound(program: list[Part], info: OperatorInfo, names: frozenset[str], conditions: Conditions) -> tuple[Part, ...]:
    outputs = {_local(param) for param in info.params if param.is_output}
    return tuple(Locals(conditions, names | outputs).bind(program))


def _local(param: ParamInfo) -> str:
    """The local that describes an output; one that is written in place has its input under its own name."""
    return identifier(param.name) if param.direction == "out" else f"{identifier(param.name)}_out"


def _inferred(outputs: list[_Output], asked: tuple[Py, ...], facts: Facts, conditions: Conditions) -> Iterator[Part]:
    """Outputs that are known under the same conditions."""
    if not asked:
        yield from (Line(f"{one.declared} = ", one.known.value, one.known.facts) for one in outputs)
        return
    yield from (Line(f"{one.declared} = ", _NOTHING, facts) for one in outputs)
    if asked != (FALSE,):
        lines: list[Part] = [Line(f"{_local(one.param)} = ", one.known.value, one.known.facts) for one in outputs]
        yield from _nested(outputs[0].known.steps, lines, conditions)


def _nested(
    steps: Iterable[tuple[Py, Facts]], inside: list[Part], conditions: Conditions, comment: str = ""
) -> list[Part]:
    """Parts under conditions; one that asks for a let which those before it define stands in a block of its own."""
    left = [(condition, facts) for condition, facts in steps if condition != TRUE]
    if not left:
        return inside
    start = left[0][1]
    end = next((at for at in range(1, len(left)) if _needs_let(*left[at], start, conditions)), len(left))
    condition = conj(*(condition for condition, _ in left[:end]))
    return [Section(condition, _nested(left[end:], inside, conditions), start, comment)]


def _needs_let(condition: Py, facts: Facts, start: Facts, conditions: Conditions) -> bool:
    """Whether a condition needs a let that is defined at its place, but not yet where the block starts."""
    lets = (shared.node for shared in shared_in(condition) if isinstance(shared.node, Name))
    return any(conditions.surely(let, facts) and not conditions.surely(let, start) for let in lets)


def _described(
    param: ParamInfo, rule: InferInfo | None, info: OperatorInfo, facts: Facts, conditions: Conditions
) -> _Guarded:
    """The shape, dtype and format of an output, and when they are known."""
    relied = () if rule is None else info.relied_on(rule)
    wanted: tuple[tuple[Py, Facts], ...] = ()
    for node in (*(() if param.required is None else (param.required,)), *relied):
        wanted += ((conditions.holds(node, facts), facts),)
        facts = facts.assume(node)
    if rule is not None and param.type == "tensor_list" and isinstance(rule.shape, Each):
        return _each_described(rule, rule.shape, wanted, facts, conditions)
    if rule is not None:
        steps, values, known = _entries([rule.shape, rule.dtype, rule.format], facts, conditions)
        return _Guarded((*wanted, *steps), tuple_of(values), known)
    if param.direction == "out" or param.type == "tensor_list":  # of a list in place, the runtime asks the elements
        return _Guarded(((FALSE, facts),), _NOTHING, facts)
    tensor = Text(identifier(param.name))
    given = conditions.defined(Name(param.name), facts), facts
    known = facts.assume_defined(Name(param.name))
    parts = [Fill(f"{{0.}}.{fact}", (tensor,)) for fact in ("shape", "dtype", "format")]
    return _Guarded((*wanted, given), tuple_of(list(parts)), known)


def _each_described(
    rule: InferInfo, shape: Each, wanted: tuple[tuple[Py, Facts], ...], facts: Facts, conditions: Conditions
) -> _Guarded:
    """The same of a list: the tensors one by one, as the list that it is made from is walked through."""
    nodes = [node for node in (rule.shape, rule.dtype, rule.format) if node is not None]
    steps, _, known = _entries(nodes, facts, conditions)
    inside = known.within(shape)
    bodies = [node.body if isinstance(node, Each) else None for node in (rule.shape, rule.dtype, rule.format)]
    values = [_NOTHING if body is None else conditions.values.value(body, inside.trust(body)) for body in bodies]
    walked = walk("tuple(", shape.var, tuple_of(values), conditions.values.iterable(shape.over, known))
    return _Guarded((*wanted, *steps), walked, known)


def compile_precision(
    info: OperatorInfo, names: frozenset[str], conditions: Conditions, passed: Facts
) -> tuple[Part, ...]:
    """The program of ``precision``: the first row whose guards hold, for a call that every rule let through."""
    program: list[Part] = []
    for at, row in enumerate(info.compute.precision):
        found = _row(row, at, conditions, passed)
        comment = "" if row.doc is None else row.doc.en
        if not found.asked:
            program.append(Line("return ", found.value, found.facts, comment))
            break
        if found.asked != (FALSE,):
            program += _nested(found.steps, [Line("return ", found.value, found.facts)], conditions, comment)
    else:
        program.append(Line("return ", Text("{}"), passed))
    return _bound(program, info, names, conditions)


def _row(row: PrecisionInfo, at: int, conditions: Conditions, facts: Facts) -> _Guarded:
    """The dict of a row's roles and settings, and when the row applies."""
    asked: list[tuple[Py, Facts]] = []
    if row.products:
        places = frozenset(place for place in facts.scope.places if place[1] in row.products)
        asked.append((conditions.rows.tables.where(places, facts.places, f"precision-{at + 1}"), facts))
        facts = facts.restrict(places)
    if row.when is not None:
        asked.append((conditions.holds(row.when, facts), facts))
        facts = facts.assume(row.when)
    steps, values, known = _entries([node for _, node in row.entries], facts, conditions)
    items = (Fill(f'"{name}": {{0}}', (value,)) for (name, _), value in zip(row.entries, values, strict=True))
    return _Guarded((*asked, *steps), Bracket("{", tuple(items), "}"), known)


def _entries(
    nodes: Iterable[Node | None], facts: Facts, conditions: Conditions
) -> tuple[list[tuple[Py, Facts]], list[Py], Facts]:
    """The values of nodes, ``None`` for one that is not there, and the conditions under which all have one."""
    steps: list[tuple[Py, Facts]] = []
    values: list[Py] = []
    for node in nodes:
        if node is None:
            values.append(_NOTHING)
            continue
        steps += conditions.steps(node, facts)
        facts = steps[-1][1].assume_defined(node)
        values.append(conditions.values.value(node, facts))
    return steps, values, facts
