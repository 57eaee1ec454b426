"""Random operators, well typed but otherwise wild, and random calls of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import TypeAlias

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.language.functions import ELEMENTS, LISTS
from aclspec.runtime.language.nodes import (
    And,
    Arith,
    Bool,
    Call,
    Compare,
    Each,
    Float,
    IfElse,
    Index,
    InRows,
    Int,
    ListOf,
    Name,
    Negate,
    Node,
    Not,
    Or,
    Quantifier,
    Str,
    Symbol,
    children,
)
from aclspec.runtime.rules.operator_info import (
    MODES,
    ComputeInfo,
    Direction,
    InferInfo,
    LetInfo,
    OperatorInfo,
    ParamInfo,
    PrecisionInfo,
    RowInfo,
    RuleInfo,
    Text,
)
from aclspec.runtime.tensors.tensor import Scalar, Tensor

Options: TypeAlias = list[Callable[[], Node]]
UNIVERSE = ("alpha", "beta", "gamma")
_NOTHING = Text("", "")
TYPES = {
    "first": "tensor",
    "second": "tensor",
    "third": "tensor",
    "list": "tensor_list",
    "scalar": "scalar",
    "ints": "int_array",
    "sizes": "int_array",
    "flags": "bool_array",
    "factors": "float_array",
    "on": "bool",
    "min": "bool",
    "count": "int64",
    "ratio": "double",
    "mode": "string",
    "kind": "dtype",
}
OUTPUTS = ("result", "other", "spare")
KINDS = {"tensor_list": "tensors", "int_array": "ints", "bool_array": "bools", "float_array": "floats", "int64": "int"}
KINDS |= {"double": "float"}
DTYPES = ("FLOAT", "FLOAT16", "BF16", "INT8")
FORMATS = ("ND", "NCHW", "FRACTAL_NZ")


class Maker:
    """Makes random nodes of a wanted type; ``names`` are the names in scope by type."""

    def __init__(self, random: Random, params: dict[str, str]) -> None:
        self.random = random
        self.names: dict[str, list[str]] = {}
        self.variables = 0
        self.rows = True
        for name, kind in params.items():
            self.names.setdefault(kind, []).append(name)

    def node(self, kind: str, depth: int) -> Node:
        """A node of this type, at most so deep."""
        makers: Options = getattr(self, f"_{kind}")(depth)
        names = [Name(name) for name in self.names.get(kind, ())]
        if depth > 0 and self.random.random() < 0.15 and kind not in ("tensors", "scalars"):
            return IfElse(self.node("bool", depth - 1), self.node(kind, depth - 1), self.node(kind, depth - 1))
        if names and (not makers or self.random.random() < 0.4):
            return self.random.choice(names)
        if depth > 0 and kind in LISTS and self.random.random() < 0.1:
            return Index(self.node(LISTS[kind], depth - 1), self._small(depth - 1))
        return self.random.choice(makers)()

    def _small(self, depth: int) -> Node:
        return Int(self.random.randrange(3)) if self.random.random() < 0.7 else self.node("int", depth)

    def _tensor(self, depth: int) -> Options:
        return [lambda: Name(self.random.choice(self.names["tensor"]))]

    def _tensors(self, depth: int) -> Options:
        return []

    def _scalar(self, depth: int) -> Options:
        return []

    def _string(self, depth: int) -> Options:
        return [lambda: Str(self.random.choice(("a", "b")))]

    def _dtype(self, depth: int) -> Options:
        symbol: Options = [lambda: Symbol("dtype", self.random.choice(DTYPES))]
        if depth <= 0:
            return symbol
        return [
            *symbol,
            lambda: Call("dtype", (self.node(self.random.choice(("tensor", "tensor", "scalar")), depth - 1),)),
            lambda: Call("promote", (self.node("dtype", depth - 1), self.node("dtype", depth - 1))),
        ]

    def _format(self, depth: int) -> Options:
        symbol: Options = [lambda: Symbol("format", self.random.choice(FORMATS))]
        return symbol if depth <= 0 else [*symbol, lambda: Call("format", (self.node("tensor", depth - 1),))]

    def _float(self, depth: int) -> Options:
        value: Options = [lambda: Float(self.random.choice((0.0, 0.5, 1.0, 2.5, 3e30)))]
        if depth <= 0:
            return value
        return [*value, lambda: Call("abs", (self.node("float", depth - 1),))]

    def _int(self, depth: int) -> Options:
        value: Options = [lambda: Int(self.random.randrange(5))]
        if depth <= 0:
            return value

        def tensor() -> Node:
            return self.node("tensor", depth - 1)

        def ints() -> Node:
            return self.node("ints", depth - 1)

        def number() -> Node:
            return self.node("int", depth - 1)

        return [
            *value,
            lambda: Call("rank", (tensor(),)),
            lambda: Call("numel", (tensor(),)),
            lambda: Call("dim", (tensor(), self._small(depth - 1))),
            lambda: Call("len", (self.node(self.random.choice(("ints", "tensors", "bools")), depth - 1),)),
            lambda: Call(self.random.choice(("prod", "sum", "min", "max")), (ints(),)),
            lambda: Call(self.random.choice(("min", "max", "ceil_div")), (number(), number())),
            lambda: Call("scaled", (number(), self.node("float", depth - 1))),
            lambda: self._window(number, depth - 1),
            lambda: _arithmetic(self.random.choice(("+", "-", "*", "//", "%")), number(), number()),
            lambda: Negate(number()),
        ]

    def _window(self, number: Callable[[], Node], depth: int) -> Node:
        name = self.random.choice(("pool_out", "conv_out", "conv_transpose_out"))
        args = [number() if self.random.random() < 0.4 else self._small(0) for _ in range(6)]
        if name == "pool_out":
            args.append(self.node("bool", depth))
        elif name == "conv_transpose_out":
            args.append(number())
        return Call(name, tuple(args))

    def _ints(self, depth: int) -> Options:
        value: Options = [
            lambda: ListOf(tuple(self.node("int", depth - 1) for _ in range(self.random.randrange(1, 3))))
        ]
        if depth <= 0:
            return value

        def ints() -> Node:
            return self.node("ints", depth - 1)

        def small() -> Node:
            return self._small(depth - 1)

        return [
            *value,
            lambda: Call("shape", (self.node("tensor", depth - 1),)),
            lambda: Call("broadcast", (ints(), ints())),
            lambda: Call("range", (small(), self.node("int", depth - 1))),
            lambda: Call("slice", (ints(), small(), small())),
            lambda: Arith("+", ints(), ints()),
            lambda: self._each("int", depth - 1),
        ]

    def _each(self, kind: str, depth: int) -> Node:
        over = self.random.choice(("ints", "ints", "tensors", "bools"))
        variable, body, elements = self._bound(kind, over, depth)
        return Each(variable, elements, body)

    def _bools(self, depth: int) -> Options:
        return [lambda: ListOf((self.node("bool", depth - 1),))]

    def _floats(self, depth: int) -> Options:
        return [lambda: ListOf((self.node("float", depth - 1),))]

    def _strings(self, depth: int) -> Options:
        return [lambda: ListOf((self.node("string", depth - 1),))]

    def _dtypes(self, depth: int) -> Options:
        return [lambda: ListOf(tuple(self.node("dtype", depth - 1) for _ in range(self.random.randrange(1, 4))))]

    def _formats(self, depth: int) -> Options:
        return [lambda: ListOf(tuple(self.node("format", depth - 1) for _ in range(self.random.randrange(1, 3))))]

    def _bool(self, depth: int) -> Options:
        if depth <= 0:
            return [lambda: Bool(self.random.random() < 0.5), lambda: Call("is_null", (Name("first"),))]

        def boolean() -> Node:
            return self.node("bool", depth - 1)

        def several() -> tuple[Node, ...]:
            return tuple(boolean() for _ in range(self.random.randrange(2, 4)))

        return [
            lambda: Not(boolean()),
            lambda: And(several()),
            lambda: Or(several()),
            lambda: self._compare(depth - 1),
            lambda: self._compare(depth - 1),
            lambda: self._member(depth - 1),
            lambda: self._between(depth - 1),
            lambda: self._quantifier(depth - 1),
            lambda: self._window_rule(depth - 1),
            lambda: Call(self.random.choice(("is_empty", "is_contiguous")), (self.node("tensor", depth - 1),)),
            lambda: Call("is_null", (Name(self.random.choice(("first", "second", "ints", "mode", "list", "scalar"))),)),
            lambda: Call("is_private", (self.node("format", depth - 1),)),
            lambda: Call("castable", (self.node("dtype", depth - 1), self.node("dtype", depth - 1))),
            lambda: Call("promotable_all", (self.node("dtypes", depth - 1),)),
            lambda: Call("broadcastable", (self.node("ints", depth - 1), self.node("ints", depth - 1))),
            self._rows if self.rows else lambda: self._compare(depth - 1),
        ]

    def _compare(self, depth: int) -> Node:
        kind = self.random.choice(("int", "int", "int", "float", "bool", "dtype", "format", "string", "ints"))
        ops = ("==", "!=", "<", "<=", ">", ">=") if kind in ("int", "float") else ("==", "!=")
        right = self.random.choice((kind, "int")) if kind == "float" else kind
        return Compare(self.random.choice(ops), self.node(kind, depth), self.node(right, depth))

    def _member(self, depth: int) -> Node:
        kind = self.random.choice(("int", "dtype", "format", "bool"))
        return Compare(self.random.choice(("in", "not in")), self.node(kind, depth), self.node(LISTS[kind], depth))

    def _between(self, depth: int) -> Node:
        middle = self.node("int", depth)
        return And((Compare("<=", Int(self.random.randrange(3)), middle), Compare("<=", middle, self.node("int", 0))))

    def _quantifier(self, depth: int) -> Node:
        variable, body, over = self._bound("bool", self.random.choice(("ints", "ints", "tensors", "bools")), depth)
        return Quantifier(self.random.choice(("all", "any")), variable, over, body)

    def _window_rule(self, depth: int) -> Node:
        """A long condition on each element of a list or on each axis, as the specs of windows have them."""
        variable = f"v{self.variables}"
        self.variables += 1
        at, array = Name(variable), Name(self.random.choice(("ints", "sizes")))
        tensor = Name(self.random.choice(("first", "second")))
        stop = self.random.choice((Call("len", (array,)), Arith("-", Call("rank", (tensor,)), Int(1)), Int(2)))
        size = Call("dim", (tensor, Arith("+", at, Int(self.random.randrange(2)))))
        step = Index(array, self.random.choice((at, Int(0), Arith("-", Call("len", (array,)), Int(1)))))
        window = Call("conv_out", (size, step, step, self._small(0), self._small(0), Int(1)))
        limit = Arith("*", Call("ceil_div", (size, step)), self.node("int", depth))
        sides = (Compare("<=", window, limit), Compare(">", Arith("+", size, step), self.node("int", depth)))
        body = self.random.choice((And(sides), Or(sides), Or((sides[0], And((sides[1], self.node("bool", depth)))))))
        return Quantifier(self.random.choice(("all", "any")), variable, Call("range", (Int(0), stop)), body)

    def choice(self, kind: str) -> Node:
        """One let or another: whether an array was given, or is long enough, decides."""
        array = Name(self.random.choice(("ints", "sizes")))
        empty = Compare("==", Call("len", (array,)), Int(0))
        cond = self.random.choice((Or((Call("is_null", (array,)), empty)), empty, self.node("bool", 1)))
        return IfElse(cond, self.node(kind, 1), Index(array, Int(0)) if kind == "int" else self.node(kind, 2))

    def _bound(self, kind: str, elements: str, depth: int) -> tuple[str, Node, Node]:
        """A variable, a node that may use it, and what it runs over."""
        over = self.node(elements, depth)
        variable = f"v{self.variables}"
        self.variables += 1
        known = self.names.setdefault(ELEMENTS[elements], [])
        known.append(variable)
        body = self.node(kind, depth)
        known.remove(variable)
        return variable, body, over

    def _rows(self) -> Node:
        params = ("first", "second", "third", "list", "scalar", "kind")
        return InRows(tuple(self.random.sample(params, self.random.choice((1, 1, 2, 3)))))


def _arithmetic(op: str, left: Node, right: Node) -> Node:
    """An operation on integers; a 0 that divides is refused as it is written."""
    return Arith(op, left, Int(1) if op in ("//", "%") and right == Int(0) else right)


def random_operator(seed: int) -> OperatorInfo:
    """An operator with a few lets and rules."""
    random = Random(seed)
    types = {name: KINDS.get(kind, kind) for name, kind in TYPES.items()}
    maker = Maker(random, types)
    maker.rows = False  # the rows ask the guards of parameters and their lets, which cannot ask the rows in turn
    lets = []
    for at in range(random.randrange(7)):
        kind = random.choice(("int", "int", "int", "bool", "ints", "dtype"))
        value = maker.choice(kind) if random.random() < 0.4 else maker.node(kind, 3)
        lets.append(LetInfo(f"let{at}", value, kind, Text("a value", "一个值")))
        maker.names.setdefault(kind, []).append(f"let{at}")
    params = tuple(_param(name, random, maker) for name in TYPES)
    outputs = tuple(_output(name, random, maker) for name in OUTPUTS)
    infer = tuple(_infer(name, maker) for name in OUTPUTS if random.random() < 0.9)
    precision = tuple(_precision(random, maker) for _ in range(random.randrange(4)))
    maker.rows = True
    rules = tuple(rule for at in range(random.randrange(1, 7)) for rule in _rules(f"rule-{at}", random, maker))
    listed = tuple((product, "document") for product in UNIVERSE if product == "beta" or random.random() < 0.7)
    if random.random() < 0.5:
        rules = (RuleInfo("product", "product", (), (("document", "ACLNN_ERR_PARAM_INVALID"),)), *rules)
    return OperatorInfo(
        name="aclnnRandom",
        snake="random",
        header="aclnn_random.h",
        category="random",
        summary=_NOTHING,
        spec="",
        products=listed,
        params=(*params, *outputs),
        rows=_random_rows(random),
        lets=tuple(lets),
        rules=rules,
        infer=_relying(infer, rules, Random(-1 - seed)),
        compute=ComputeInfo("random:random", precision, ()),
    )


def _param(name: str, random: Random, maker: Maker) -> ParamInfo:
    checked = random.choice((Name("on"), maker.node("bool", 2))) if random.random() < 0.2 else None
    return ParamInfo(name, name, TYPES[name], "in", _NOTHING, checked=checked)


def _output(name: str, random: Random, maker: Maker) -> ParamInfo:
    """An output, which may be switched off, or written in place of what is given."""
    required = random.choice((Name("on"), maker.node("bool", 2))) if random.random() < 0.4 else None
    direction: Direction = "inout" if random.random() < 0.2 else "out"
    return ParamInfo(name, name, "tensor", direction, _NOTHING, required=required)


def _infer(name: str, maker: Maker) -> InferInfo:
    """The shape, which lets go into, and the dtype of an output."""
    shape = ListOf(tuple(maker.node("int", 2) for _ in range(maker.random.randrange(1, 4))))
    whole = maker.random.choice((shape, Arith("+", maker.node("ints", 1), shape), maker.node("ints", 2)))
    return InferInfo(
        name, whole, maker.node("dtype", 2), maker.node("format", 1) if maker.random.random() < 0.3 else None
    )


def _relying(infer: tuple[InferInfo, ...], rules: tuple[RuleInfo, ...], random: Random) -> tuple[InferInfo, ...]:
    """Half of what is inferred relies on some rules, none of which asks the dtype rows."""
    known = [rule.id for rule in rules if rule.require is not None]
    asking = {rule.id for rule in rules for node in (rule.when, rule.require) if node is not None and _asks_rows(node)}
    known = [name for name in known if name not in asking]
    chosen = [random.sample(known, min(len(known), random.choice((0, 0, 1, 2, 3)))) for _ in infer]
    return tuple(replace(one, relies_on=tuple(names)) for one, names in zip(infer, chosen, strict=True))


def _asks_rows(node: Node) -> bool:
    return isinstance(node, InRows) or any(map(_asks_rows, children(node)))


def _precision(random: Random, maker: Maker) -> PrecisionInfo:
    """A row of the precision table, with a setting beside the roles."""
    products = tuple(product for product in UNIVERSE if random.random() < 0.6) if random.random() < 0.4 else ()
    when = maker.node("bool", 2) if random.random() < 0.7 else None
    roles = (("operand", maker.node("dtype", 2)), ("result", maker.node("dtype", 1)))
    return PrecisionInfo(roles, products, when, settings=(("size", maker.node("int", 2)),))


def _rules(name: str, random: Random, maker: Maker) -> tuple[RuleInfo, ...]:
    """A rule, or one for each mode, of which the second knows nothing of what the first has established."""
    rule = _rule(name, random, maker)
    if random.random() < 0.7 or rule.require is None:
        return (rule,)
    other = _rule(f"{name}-other", random, maker)
    weaker = Or((rule.require, other.require)) if other.require is not None else rule.require
    one, two = random.sample(MODES, 2)
    code = "ACLNN_ERR_PARAM_INVALID"
    return replace(rule, status=((one, code),)), RuleInfo(f"{name}-two", "rule", (), ((two, code),), require=weaker)


def _rule(name: str, random: Random, maker: Maker) -> RuleInfo:
    modes = random.choice((MODES, MODES, ("document",), ("library",)))
    status = tuple((mode, random.choice(("ACLNN_ERR_PARAM_INVALID", "ACLNN_ERR_PARAM_NULLPTR"))) for mode in modes)
    products = tuple(product for product in UNIVERSE if random.random() < 0.6) if random.random() < 0.3 else ()
    when = random.choice((Name("on"), maker.node("bool", 2))) if random.random() < 0.4 else None
    if random.random() < 0.15:
        condition = maker.node("bool", 3)
        return RuleInfo(name, "shortcut", (), status, when=condition, products=products, effect="zeros")
    null = Not(Call("is_null", (Name(random.choice(("first", "second", "third", "ints", "list"))),)))
    require = null if random.random() < 0.4 else maker.node("bool", 4)
    return RuleInfo(name, "rule", (), status, require=require, when=when, products=products)


def _random_rows(random: Random) -> tuple[RowInfo, ...]:
    columns = [name for name in ("first", "second", "third", "list", "scalar", "kind") if random.random() < 0.8]
    same = random.random() < 0.4
    rows = []
    for _ in range(random.randrange(5)):
        cells = {name: tuple(random.sample(DTYPES, random.choice((1, 1, 2)))) for name in columns}
        if same:
            cells = dict.fromkeys(columns, (random.choice(DTYPES),))
        if random.random() < 0.1 and cells:
            cells.popitem()
        products = tuple(product for product in UNIVERSE if random.random() < 0.7)
        modes = random.choice((MODES, MODES, MODES, ("library",)))
        rows.append(RowInfo(tuple(cells.items()), products, modes))
    return tuple(rows)


def random_call(random: Random) -> dict[str, object]:
    """A call of a random operator; every pointer may be null."""

    def tensor() -> Tensor:
        shape = tuple(random.choice((0, 1, 1, 2, 2, 3, -1)) for _ in range(random.choice((0, 1, 1, 2, 2, 3))))
        strides = tuple(reversed(range(1, len(shape) + 1))) if random.random() < 0.2 else None
        dtype, layout = DType[random.choice(DTYPES[:3])], Format[random.choice(FORMATS)]
        return Tensor(shape=shape, dtype=dtype, format=layout, strides=strides)

    def array(values: tuple[object, ...]) -> object:
        return tuple(random.choice(values) for _ in range(random.randrange(4)))

    makers: dict[str, Callable[[], object]] = {
        "tensor": tensor,
        "tensor_list": lambda: tuple(tensor() if random.random() < 0.9 else None for _ in range(random.randrange(3))),
        "scalar": lambda: Scalar(1, DType[random.choice(DTYPES)]),
        "int_array": lambda: array((-1, 0, 1, 1, 2, 3)),
        "bool_array": lambda: array((True, False)),
        "float_array": lambda: array((0.0, 0.5, float("nan"))),
        "bool": lambda: random.random() < 0.5,
        "int64": lambda: random.randrange(-2, 5),
        "double": lambda: random.choice((0.0, 0.5, 1.0, float("nan"), float("inf"))),
        "string": lambda: random.choice(("a", "b", "c")),
        "dtype": lambda: DType[random.choice(DTYPES)],
    }
    values = ("bool", "int64", "double", "dtype")
    types = TYPES | dict.fromkeys(OUTPUTS, "tensor")
    null = random.choice((0.0, 0.05, 0.15))
    return {
        name: None if kind not in values and random.random() < null else makers[kind]() for name, kind in types.items()
    }
