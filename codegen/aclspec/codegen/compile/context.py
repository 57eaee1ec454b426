"""What the steps of the compiler share: the spec, the places of its text, the names in scope, the findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from aclspec.codegen.findings import START, Finding, Severity
from aclspec.codegen.naming import Name
from aclspec.codegen.predicate.lexer import PredicateError
from aclspec.codegen.predicate.parser import parse
from aclspec.codegen.predicate.types import Checker
from aclspec.codegen.spec.base import Text
from aclspec.codegen.spec.common import ProductSpec
from aclspec.codegen.spec.operator import OperatorSpec
from aclspec.codegen.spec.params import Param
from aclspec.codegen.textspan import Lines, offsets
from aclspec.codegen.yamltext import Key, Scalar, Source, find
from aclspec.codegen.yamltext import Mapping as YamlMapping
from aclspec.runtime import info
from aclspec.runtime.paramtypes import PARAM_TYPES, ParamType
from aclspec.runtime.predicate.nodes import Bool, Float, Int, Node, Position, Str

Path = tuple[Key, ...]


class Unplaced(Exception):
    """A mistake inside a predicate whose place in the file was not looked for."""


@dataclass(slots=True)
class Context:
    """One operator on its way from model to info.

    Trees of the same text are the same object in all operators, and what is found out of one is known of the next, as
    long as nobody asks where in a file they stand: where a predicate has a mistake, `Unplaced` is raised, and the
    operator is looked at again with ``placed``.
    """

    spec: OperatorSpec
    source: Source
    products: tuple[ProductSpec, ...]
    findings: list[Finding]
    placed: bool = True
    lets: dict[str, str] = field(default_factory=dict)
    lines: Lines = field(init=False)
    params: dict[str, Param] = field(init=False)
    """The parameters by name; of two with one name, which is a mistake, the first."""
    trees: dict[tuple[Path, str], Node | None] = field(init=False, default_factory=dict)
    """What was parsed before: a let is asked for by each that mentions it."""

    def __post_init__(self) -> None:
        """Index the lines of the text and the parameters once."""
        self.lines = Lines.of(self.source.text)
        self.params = {}
        for param in self.spec.params:
            self.params.setdefault(param.name, param)

    @property
    def product_keys(self) -> tuple[str, ...]:
        """Every product there is."""
        return tuple(product.key for product in self.products)

    @property
    def listed(self) -> tuple[str, ...]:
        """The products that the operator lists."""
        return tuple(entry.product for entry in self.spec.products)

    @property
    def scope(self) -> dict[str, str]:
        """The types of all parameters and of the lets so far."""
        return {**{name: type_of(param).predicate for name, param in self.params.items()}, **self.lets}

    @property
    def input_scope(self) -> dict[str, str]:
        """The scope without the outputs."""
        outputs = {param.name for param in self.spec.params if param.direction == "out"}
        return {name: kind for name, kind in self.scope.items() if name not in outputs}

    def at(self, path: Path, *, key: bool = False) -> Position:
        """Where the value (or the key) at a path stands; the nearest parent when it is not there."""
        if self.source.tree is None:
            return START
        if key:
            parent = find(self.source.tree, path[:-1])
            if isinstance(parent, YamlMapping) and path[-1] in parent.keys:
                return parent.keys[path[-1]].at
        while path and find(self.source.tree, path) is None:
            path = path[:-1]
        tree = find(self.source.tree, path)
        return tree.at if tree is not None else START

    def report(
        self, at: Path | Position, kind: str, message: str, *, key: bool = False, severity: Severity = "error"
    ) -> None:
        """Add a finding, once."""
        place = at if isinstance(at, Position) else self.at(at, key=key)
        finding = Finding(self.source.file, place, kind, message, severity)
        if finding not in self.findings:
            self.findings.append(finding)

    def parse(self, path: Path, value: str | int | float | bool) -> Node | None:
        """The tree of an expression, with the positions of the file; None after a syntax error."""
        if not isinstance(value, str):
            at = self.at(path)
            return Bool(value, at) if isinstance(value, bool) else _number(value, at)
        if not self.placed:
            return _shared(value)
        if (path, value) not in self.trees:
            self.trees[path, value] = self._parsed(path, value)
        return self.trees[path, value]

    def _parsed(self, path: Path, value: str) -> Node | None:
        """The tree of a text with its places in the file."""
        scalar = find(self.source.tree, path) if self.source.tree is not None else None
        places = offsets(self.source.text, scalar) if isinstance(scalar, Scalar) else [0] * (len(value) + 1)

        def locate(offset: int) -> Position:
            return self.lines.at(places[min(offset, len(places) - 1)])

        try:
            return parse(value, locate)
        except PredicateError as error:
            self.report(locate(error.offset), error.kind, error.message)
            return None

    def expression(
        self,
        path: Path,
        value: str | int | float | bool | None,
        expected: str,
        what: str,
        scope: Mapping[str, str] | None = None,
    ) -> Node | None:
        """The checked tree of an expression; None after any mistake in it, and for no expression."""
        node = None if value is None else self.parse(path, value)
        return node if node is not None and self.check(node, expected, what, scope) else None

    def check(
        self, node: Node, expected: str | tuple[str, ...] | None, what: str, scope: Mapping[str, str] | None = None
    ) -> bool:
        """Check the types of a tree and report what is wrong; whether nothing is."""
        checker = self.checker(scope)
        checker.check(node, expected, what)
        self.complain(checker, START)
        return not checker.problems

    def complain(self, checker: Checker, at: Position) -> None:
        """Report what is wrong in a tree; ``at`` is the place of what stands nowhere."""
        if checker.problems and not self.placed:
            raise Unplaced
        for problem in checker.problems:
            self.report(problem.at or at, problem.kind, problem.message)

    def checker(self, scope: Mapping[str, str] | None = None) -> Checker:
        """A type checker for the names of a scope, all so far if none is given, that knows why another is not there."""
        names = self.scope if scope is None else scope
        return Checker(names, hidden=dict(self._hidden(names)))

    def _hidden(self, scope: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """What to say of the lets and the parameters that are not in a scope."""
        for name in self.spec.let:
            if name not in scope:
                yield name, f"A let ({name}) is used before it is declared; expected it above."
        for name in self.params:
            if name not in scope:
                yield name, f"A parameter ({name}) is an output, which says nothing here; expected an input or a let."


@lru_cache(maxsize=1 << 12)
def _shared(text: str) -> Node:
    """The tree of a text, wherever it stands."""
    try:
        return parse(text)
    except PredicateError as error:
        raise Unplaced from error


def _number(value: int | float, at: Position) -> Node:
    return Int(value, at) if isinstance(value, int) else Float(value, at)


def literal(value: int | str | float | bool, at: Position | None = None) -> Node:
    """A literal node."""
    match value:
        case bool():
            return Bool(value, at)
        case int():
            return Int(value, at)
        case float():
            return Float(value, at)
    return Str(value, at)


def type_of(param: Param) -> ParamType:
    """The C type of a parameter."""
    return PARAM_TYPES[param.type]


def beyond(kind: ParamType, value: object) -> list[int]:
    """Those integers of a value, one or several, that the C type cannot hold; an element of an array is an int64_t."""
    holds = kind if kind.is_integer else PARAM_TYPES["int64"]
    items = value if isinstance(value, tuple) else (value,)
    if kind.predicate not in ("int", "ints", "scalar"):
        return []
    return [item for item in items if isinstance(item, int) and not holds.low <= item <= holds.high]


def kebab(name: str) -> str:
    """The kebab name of a parameter, as in the ids of its rules."""
    return Name(name).kebab


def text(value: Text | None) -> info.Text | None:
    """A text of the model as a text of the runtime."""
    return None if value is None else info.Text(value.en.strip(), value.zh.strip())


def texts(value: Text) -> info.Text:
    """A text that is never left out."""
    return info.Text(value.en.strip(), value.zh.strip())


def in_order(keys: Iterable[str], order: tuple[str, ...]) -> tuple[str, ...]:
    """The keys in the order of the products table, unknown ones last."""
    return tuple(sorted(keys, key=lambda key: order.index(key) if key in order else len(order)))
