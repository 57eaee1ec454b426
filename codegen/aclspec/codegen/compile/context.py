"""What the steps of the compiler share: the spec, the places of its text, the names in scope, the findings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import inf

from aclspec.codegen.source.findings import START, Finding, Severity, did_you_mean, dtype_hint, one_of
from aclspec.codegen.source.naming import Name
from aclspec.codegen.source.yaml_tree import MADE, Key, Lines, Scalar, Source, find, offsets
from aclspec.codegen.source.yaml_tree import Mapping as YamlMapping
from aclspec.codegen.spec.base import Text
from aclspec.codegen.spec.checks import Check
from aclspec.codegen.spec.operator import OperatorSpec, Param
from aclspec.codegen.spec.tables import ProductSpec
from aclspec.runtime.abi.parameters import PARAM_TYPES, ParamType
from aclspec.runtime.abi.status import Status
from aclspec.runtime.language.nodes import Bool, Float, Int, Node, Position, Str
from aclspec.runtime.language.parser import PredicateError, parse
from aclspec.runtime.language.types import Checker
from aclspec.runtime.rules import operator_info as info
from aclspec.runtime.rules.operator_info import MODES, Mode
from aclspec.runtime.tensors.coercion import DOUBLE_MAX, FLOAT_MAX

Path = tuple[Key, ...]


@dataclass(slots=True)
class Context:
    """One operator during compilation: its model, its source, and the findings so far."""

    spec: OperatorSpec
    source: Source
    products: tuple[ProductSpec, ...]
    findings: list[Finding]
    has_function: bool = True
    """Whether it gets a Python function of its own; one of the table of signatures has none."""
    lets: dict[str, str] = field(default_factory=dict)
    lines: Lines = field(init=False)
    params: dict[str, Param] = field(init=False)
    """The parameters by name; of two with one name, which is a mistake, the first."""
    trees: dict[tuple[Path, str], Node | None] = field(init=False, default_factory=dict)
    """The parsed expressions by place and text."""

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

    def is_known(self, path: Path, noun: str, word: str, known: Collection[str], *, key: bool = False) -> bool:
        """Whether a word is one of the known ones; an unknown word is reported."""
        if word in known:
            return True
        hint = (dtype_hint if noun == "dtype" else did_you_mean)(word, known)
        text = f"A {noun} ({word}) is unknown; expected one of {one_of(known)}{hint}"
        self.report(path, f"unknown-{noun.split()[0]}", text, key=key)
        return False

    def parse(self, path: Path, value: str | int | float | bool) -> Node | None:
        """The tree of an expression, with the positions of the file; None after a syntax error."""
        if not isinstance(value, str):
            return literal(value, self.at(path))
        if (path, value) not in self.trees:
            self.trees[path, value] = self._parsed(path, value)
        return self.trees[path, value]

    def _parsed(self, path: Path, value: str) -> Node | None:
        """The tree of a text with its places in the file."""
        scalar = find(self.source.tree, path) if self.source.tree is not None else None
        written = isinstance(scalar, Scalar) and scalar.span != MADE
        made = None if written else self.at(path)  # the value of a misspelled key stands under no key that we know
        places = offsets(self.source.text, scalar) if isinstance(scalar, Scalar) else [0] * (len(value) + 1)

        def locate(offset: int) -> Position:
            return made or self.lines.at(places[min(offset, len(places) - 1)])

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


def literal(value: int | str | float | bool, at: Position | None = None) -> Node:
    """A literal node."""
    match value:
        case bool():
            return Bool(value, at=at)
        case int():
            return Int(value, at=at)
        case float():
            return Float(value, at=at)
    return Str(value, at=at)


def type_of(param: Param) -> ParamType:
    """The C type of a parameter."""
    return PARAM_TYPES[param.type]


_VALUES: dict[str, tuple[type, ...]] = {
    "bool": (bool,),
    "int": (int,),
    "float": (int, float),
    "string": (str,),
    "dtype": (str,),
    "scalar": (bool, int, float),
}
_ELEMENTS = {"ints": "int", "bools": "bool", "floats": "float", "scalars": "scalar"}


def fits(predicate: str, value: object) -> bool:
    """Whether a value is of a predicate type, a bool being no int."""
    if predicate in _ELEMENTS:
        return isinstance(value, tuple) and all(fits(_ELEMENTS[predicate], item) for item in value)
    types = _VALUES.get(predicate, ())
    return isinstance(value, types) and (bool in types or not isinstance(value, bool))


def beyond(kind: ParamType, value: object) -> list[int | float]:
    """Those numbers of a value, one or several, that the C type cannot hold; an element of an array is an int64_t."""
    items = [item for item in (value if isinstance(value, tuple) else (value,)) if isinstance(item, int | float)]
    if kind.predicate in ("float", "floats"):
        largest = FLOAT_MAX if kind.key in ("float", "float_array") else DOUBLE_MAX
        return [item for item in items if largest < abs(item) != inf]
    if kind.predicate not in ("int", "ints", "scalar"):
        return []
    holds = kind if kind.is_integer else PARAM_TYPES["int64"]
    return [item for item in items if isinstance(item, int) and not holds.low <= item <= holds.high]


def kebab(name: str) -> str:
    """The kebab name of a parameter, as in the ids of its rules."""
    return Name(name).kebab


def text(value: Text | None) -> info.Text | None:
    """A text of the model as a text of the runtime."""
    return None if value is None else texts(value)


def texts(value: Text | None) -> info.Text:
    """A text that is always there; where a language is missing, the text says so and is in the other one."""
    en, zh = ("", "") if value is None else (value.en.strip(), value.zh.strip())
    if not en and not zh:
        return info.Text("(no text)", "（无文本）")
    return info.Text(en or f"(no English text) {zh}", zh or f"（无中文文本）{en}")


def in_order(keys: Iterable[str], order: tuple[str, ...]) -> tuple[str, ...]:
    """The keys in the order of the products table, unknown ones last."""
    return tuple(sorted(keys, key=lambda key: order.index(key) if key in order else len(order)))


SUCCESS, NULLPTR, INVALID = "ACLNN_SUCCESS", "ACLNN_ERR_PARAM_NULLPTR", "ACLNN_ERR_PARAM_INVALID"
STATUSES = tuple(Status.__members__)


def statuses(
    context: Context, path: Path, check: Check, status: str | dict[Mode, str] | None, default: str
) -> tuple[tuple[Mode, str], ...]:
    """The status of each mode in which the check runs."""
    table: dict[Mode, str] = status if isinstance(status, dict) else dict.fromkeys(MODES, status or default)
    for mode, name in table.items():
        where = (*path, "status", mode) if isinstance(status, dict) else (*path, "status")
        if name not in STATUSES:
            expected = f"expected a name such as {NULLPTR}{did_you_mean(name, STATUSES)}"
            context.report(where, "unknown-status", f"A status ({name}) is unknown; {expected}")
        elif name == SUCCESS:
            context.report(where, "unknown-status", f"A check fails with {SUCCESS}; expected an error.")
        if isinstance(status, dict) and mode not in check.enforced_by:
            text_ = f"A status is given for a mode ({mode}) in which the check does not run."
            context.report(where, "unknown-status", text_, key=True)
    missing = [mode for mode in check.enforced_by if mode not in table]
    if missing:
        text_ = f"The status of a mode ({one_of(missing)}) is missing."
        context.report((*path, "status"), "unknown-status", text_, key=True)
    return tuple((mode, table[mode]) for mode in MODES if mode in check.enforced_by and mode in table)


def known_products(context: Context, path: Path, products: tuple[str, ...]) -> None:
    """Report products that do not exist."""
    for index, product in enumerate(products):
        known = context.is_known((*path, index), "product", product, context.product_keys)
        if known and product in products[:index]:
            context.report((*path, index), "duplicate-id", f"A product ({product}) is listed twice.")
