"""Which values a generated function keeps in locals: each bound once, just before its first use.

A fact of a parameter gets a local when it is needed at least twice, a ``let`` whenever it can; but only at a place
where it is surely defined, and a value that only one block needs stays in that block.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from aclspec.codegen.emit.fact_set import FactSet
from aclspec.codegen.emit.guards import not_null
from aclspec.codegen.emit.lowered import Lookup, Python
from aclspec.codegen.emit.lowering import Lowering
from aclspec.codegen.emit.printer import Block, Line, Statement, chained, with_value
from aclspec.codegen.emit.scope import identifier
from aclspec.runtime.language.nodes import And, Call, Each, Name, Node, Quantifier, children, names, rebuild
from aclspec.runtime.rules.operator_info import LetInfo

ANNOTATIONS = {
    "bool": "bool",
    "int": "int",
    "float": "float",
    "string": "str",
    "dtype": "DType",
    "format": "Format | None",
    "ints": "tuple[int, ...]",
    "bools": "tuple[bool, ...]",
    "floats": "tuple[float, ...]",
    "strings": "tuple[str, ...]",
    "dtypes": "tuple[DType, ...]",
    "formats": "tuple[Format | None, ...]",
}
_FACTS = {"shape": "shape", "len": "rank", "prod": "numel"}


@dataclass
class Locals:
    """Binds the locals of one function; ``taken`` are the names that are not free in it."""

    lowering: Lowering
    taken: frozenset[str]
    names: dict[Node, str] = field(default_factory=dict)
    declared: set[str] = field(default_factory=set)

    def bind(self, program: Iterable[Statement]) -> tuple[Statement, ...]:
        """The statements with the bindings of locals between them: lets, the last one first, then what they need."""
        found = tuple(program)
        for let in reversed(self.lowering.scope.info.lets):
            found = self._bound(found, _Let(self, let))
        for value in reversed(_facts(found, self.lowering)):
            found = self._bound(found, value)
        return found

    def _bound(self, block: tuple[Statement, ...], value: _Value) -> tuple[Statement, ...]:
        """A block that binds a value where that is worth a local."""
        uses = [_uses(statement, value) for statement in block]
        done: list[Statement] = []
        for at, statement in enumerate(block):
            if not uses[at]:
                done.append(statement)
                continue
            inside = isinstance(statement, Block) and not value.count(statement.value) and not any(uses[at + 1 :])
            if not inside and sum(uses[at:]) >= value.least and value.available(statement.known):
                start = len(done)
                while start and isinstance(done[start - 1], Binding) and done[start - 1].known is statement.known:
                    start -= 1
                return (*done[:start], *self._with_binding([*done[start:], *block[at:]], value, statement.known))
            if isinstance(statement, Block):
                statement = replace(statement, body=self._bound(statement.body, value))
            done.append(statement)
        return tuple(done)

    def _with_binding(self, block: Sequence[Statement], value: _Value, known: FactSet) -> list[Statement]:
        """Statements behind the binding of a value that they use."""
        name = self._name(value)
        return [value.binding(name, known), *(_replaced(statement, value, Python(name)) for statement in block)]

    def _name(self, value: _Value) -> str:
        """A free name after the hint, chosen once for each value."""
        if value.node not in self.names:
            name = identifier(value.hint)
            while name in self.taken or name in self.names.values():
                name += "_"
            self.names[value.node] = name
        return self.names[value.node]


@dataclass(frozen=True, slots=True)
class Binding(Line):
    """The binding of a local; ``value_of`` is the let or the fact that it holds."""

    name: str = ""
    value_of: Node | None = None


class _Value:
    """A value that a local may hold."""

    least = 2
    """How many uses are worth a local."""

    def __init__(self, node: Node, hint: str) -> None:
        self.node, self.hint = node, hint
        self.needs = names(node)

    def matches(self, node: Node) -> bool:
        """Whether a lowered tree is this value."""
        return node == self.node

    def available(self, known: FactSet) -> bool:
        """Whether the value is surely defined."""
        match self.node:
            case Lookup(where=where):
                return known.places <= where
            case Call(args=(Call(args=(Name() as name,)),)) | Call(args=(Name() as name,)):
                return known.proves(not_null(name))
        raise TypeError(f"not a fact: {self.node!r}")

    def binding(self, name: str, known: FactSet) -> Binding:
        """The statement that binds it."""
        return Binding(f"{name} = ", self.node, known, name=name, value_of=self.node)

    def count(self, node: Node, weight: int = 1) -> int:
        """How often a tree uses it; inside a loop once is often."""
        if not self.needs <= names(node):
            return 0
        if self.matches(node):
            return weight
        inner = 2 if isinstance(node, Each | Quantifier) else weight
        found = sum(self.count(child, inner) for child in children(node))
        if isinstance(node, And):  # a side with which a chain of comparisons goes on is written once
            middles = (chained(one, other) for one, other in pairwise(node.items))
            found -= sum(self.count(middle, inner) for middle in middles if middle is not None)
        return found


class _Let(_Value):
    """A let: a local whenever it is surely defined, with its type where its name first stands."""

    least = 1

    def __init__(self, owner: Locals, info: LetInfo) -> None:
        super().__init__(Name(info.name), info.name)
        self.owner, self.info = owner, info

    def matches(self, node: Node) -> bool:
        return isinstance(node, Call) and node.func == "let" and node.args[0] == self.node

    def available(self, known: FactSet) -> bool:
        return self.owner.lowering.surely(self.node, known)

    def binding(self, name: str, known: FactSet) -> Binding:
        value = self.owner.lowering.value(self.info.value, known)
        annotation = "" if name in self.owner.declared else f": {ANNOTATIONS[self.info.type]}"
        self.owner.declared.add(name)
        comment = "" if self.info.doc is None else f"{self.info.name} is {self.info.doc.en}."
        return Binding(f"{name}{annotation} = ", value, known, comment, name, self.node)


def _uses(statement: Statement, value: _Value) -> int:
    inside = sum(_uses(one, value) for one in statement.body) if isinstance(statement, Block) else 0
    return value.count(statement.value) + inside


def _replaced(statement: Statement, value: _Value, local: Node) -> Statement:
    """A statement that uses the local."""

    def change(node: Node) -> Node:
        return local if value.matches(node) else rebuild(node, change)

    found = with_value(statement, change(statement.value))
    if isinstance(found, Block):
        return replace(found, body=tuple(_replaced(one, value, local) for one in found.body))
    return found


def _facts(program: Iterable[Statement], lowering: Lowering) -> list[_Value]:
    """The rows of tables and the facts of parameters that a program uses: of each its shape, and what needs that."""
    found: dict[Node, dict[Node, _Value]] = {}

    def gather(node: Node) -> None:
        for child in children(node):
            gather(child)
        match node:
            case Lookup(hint=hint):
                found.setdefault(node, {})[node] = _Value(node, hint)
            case (
                Call(func="shape" as func, args=(Name(id=name),))
                | Call(func="len" | "prod" as func, args=(Call(func="shape", args=(Name(id=name),)),))
            ) if lowering.scope.is_param(name):
                hint = f"{lowering.scope.params[name].snake}_{_FACTS[func]}"
                found.setdefault(Name(name), {}).setdefault(node, _Value(node, hint))

    def walk(statements: Iterable[Statement]) -> None:
        for statement in statements:
            gather(statement.value)
            if isinstance(statement, Block):
                walk(statement.body)

    walk(program)
    return [value for values in found.values() for value in values.values()]
