"""Lowered trees as expressions of C."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from aclspec.codegen.emit.c import lists
from aclspec.codegen.emit.c.arithmetic import ARITHMETIC, clamped, compared, negative
from aclspec.codegen.emit.c.functions import FUNCTIONS, support_call
from aclspec.codegen.emit.c.names import constant_name, local_name, product_name
from aclspec.codegen.emit.c.values import (
    INT64,
    LENGTH,
    Code,
    Level,
    Listed,
    Names,
    bound,
    call,
    conjunction,
    disjunction,
    literal,
    negated,
    ternary,
)
from aclspec.codegen.emit.constants import ByProduct, Cells, Column, Constant, Constants, Content, Joint, Member
from aclspec.codegen.emit.lowered import NONE, Lookup, Python
from aclspec.codegen.emit.scope import Scope
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.language.functions import ELEMENTS
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
    Int,
    ListOf,
    Name,
    Negate,
    Node,
    Not,
    Or,
    Quantifier,
    Str,
)

Value = Code | Listed
_SHORT: Final = 40
"""How long the element of a list may be to be written out wherever the variable of a loop stands."""
_NULL = Code("none", "NULL")


@dataclass
class Expressions:
    """Writes the expressions of one function.

    ``locals`` is what each name stands for in C: locals and the variables of loops.
    """

    scope: Scope
    constants: Constants
    names: Names = field(default_factory=Names)
    locals: dict[str, Value] = field(default_factory=dict)

    def condition(self, node: Node) -> Code:
        """A lowered predicate."""
        return self.code(node)

    def code(self, node: Node) -> Code:
        """A lowered tree that is one value."""
        found = self.value(node)
        if isinstance(found, Listed):
            raise TypeError(f"a list where C has one value: {node!r}")
        return found

    def list_of(self, node: Node) -> Listed:
        """A lowered tree that is a list."""
        found = self.value(node)
        if not isinstance(found, Listed):
            raise TypeError(f"one value where C has a list: {node!r}")
        return found

    def value(self, node: Node) -> Value:
        """A lowered tree."""
        match node:
            case Python(id=text):
                return self._named(text, node)
            case Name(id=name):
                return self.locals[name] if name in self.locals else self._parameter(name)
            case Bool(value=value):
                return Code("bool", "true" if value else "false")
            case Str(value=text):
                return Code("string", quoted(text))
            case Int(value=number):
                return literal(number)
            case Float(value=number):
                return _float(number)
            case ListOf(items=items):
                return self._listed(items)
            case Not(operand=operand):
                return negated(self.code(operand))
            case Negate(operand=operand):
                return negative(self.code(operand))
            case And(items=items):
                return conjunction(*map(self.code, items))
            case Or(items=items):
                return disjunction(*map(self.code, items))
            case Compare():
                return self._compare(node)
            case Arith(op=op, left=left, right=right):
                return ARITHMETIC[op](self.code(left), self.code(right))
            case IfElse(cond=cond, then=then, orelse=orelse):
                return self._chosen(self.code(cond), self.value(then), self.value(orelse))
            case Index(base=base, index=index):
                values = self.list_of(base)
                return lists.element(values, self._index(index, values), self.names)
            case Quantifier(kind=kind, var=var, over=over, body=body):
                return self._quantified(kind.upper(), var, self.list_of(over), body)
            case Each(var=var, over=over, body=body):
                return self._each(var, self.list_of(over), body)
            case Call():
                return self._call(node)
        raise TypeError(f"not a lowered node: {node!r}")

    def _named(self, text: str, node: Python) -> Value:
        """A leaf of the lowering: a local, a constant, the row of a table, the product or the mode."""
        if node == NONE:
            return _NULL
        if isinstance(node, Lookup) and text not in self.locals:
            held = self.constants.get(node.tables[0])
            assert held is not None
            names = list(map(constant_name, node.tables))
            table = names[0] if len(names) == 1 else f"(library ? {names[0]} : {names[1]})"
            return Code(_kind_of(held.content), f"{table}[product]")
        if text in self.locals:
            return self.locals[text]
        if (constant := self.constants.get(text)) is not None:
            return self._constant(constant)
        return Code({"library": "bool", "product": "product"}[text], text)

    def _constant(self, constant: Constant) -> Code:
        content = constant.content
        if isinstance(content, Member):
            return member(content.kind, content.name)
        return Code(_kind_of(content), constant_name(constant.name))

    def _parameter(self, name: str) -> Value:
        """A parameter: a scalar value by its name, an array as a list of which the elements must be known."""
        param, text = self.scope.params[name], local_name(name)
        kind = PARAM_TYPES[param.type]
        if kind.predicate not in ELEMENTS:
            return Code(kind.predicate, text, low=kind.low, high=kind.high)
        length = Code("int", f"LENGTH({text})", low=LENGTH[0], high=LENGTH[1])
        if kind.predicate == "ints":
            return lists.view(f"INTS({text})", length, lambda at: f"INT({text}, {at.text})")
        element = ELEMENTS[kind.predicate]
        return Listed(element, length, lambda at: Code(element, f"ITEM({text}, {at.text})"), array=f"KNOWN({text})")

    def _listed(self, items: tuple[Node, ...]) -> Listed:
        parts: list[Listed] = []
        for item in items:
            match item:
                case Call(func="*", args=(values,)):
                    parts.append(self.list_of(values))
                case _:
                    parts.append(lists.fixed([self.code(item)]))
        return lists.joined(parts) if parts else lists.fixed([])

    def _chosen(self, cond: Code, then: Value, orelse: Value) -> Value:
        if isinstance(then, Listed) and isinstance(orelse, Listed):
            return lists.chosen(cond, then, orelse)
        assert isinstance(then, Code)
        assert isinstance(orelse, Code)
        return ternary(cond, then, orelse)

    def _index(self, index: Node, values: Listed) -> Code:
        """An index; a negative literal counts from the end."""
        found = clamped(self.code(index))
        if isinstance(index, Int) and index.value < 0:
            return ARITHMETIC["-"](values.length, literal(-index.value))
        return found

    def _element(self, var: str, values: Listed, place: Code) -> tuple[Code, Code | None]:
        """The variable of a loop at a place, and the value to bind to its name where it is not written out."""
        item = values.at(place)
        if values.start is not None or len(item.text) <= _SHORT:
            return item, None
        name = local_name(var)
        return Code(item.kind, name, low=item.low, high=item.high), item

    def _quantified(self, macro: str, var: str, values: Listed, body: Node) -> Code:
        if values.start is not None:  # a range: its variable is the loop's own
            place = self._place(var)
            variable = replace(place, low=values.low, high=values.high)
            inside = self.bind(var, variable).code(body)
            assert values.stop is not None
            return call("bool", macro, place, values.start, values.stop, inside)
        place = self.names.place()
        variable, value = self._element(var, values, place)
        inside = self.bind(var, variable).code(body)
        if value is not None:
            inside = bound(variable.text, value, inside)
        return call("bool", macro, place, literal(0), values.length, inside)

    def _place(self, var: str) -> Code:
        name = local_name(var)
        return Code("int", name, low=INT64[0], high=INT64[1]) if var not in self.locals else self.names.place()

    def bind(self, name: str, value: Value) -> Expressions:
        """The same where a local or the variable of a loop has this value."""
        return replace(self, locals={**self.locals, name: value})

    def _each(self, var: str, values: Listed, body: Node) -> Listed:
        def at(place: Code) -> Code:
            variable, value = self._element(var, values, place)
            found = self.bind(var, variable).code(body)
            return found if value is None else bound(variable.text, value, found)

        kind = at(Code("int", "at0", low=LENGTH[0], high=LENGTH[1]))
        return Listed(kind.kind, values.length, at, kind.low, kind.high)

    def _compare(self, node: Compare) -> Code:
        op, left, right = node.op, node.left, node.right
        if op in ("is", "is not"):
            is_array = isinstance(left, Name) and isinstance(self.value(left), Listed)
            pointer = local_name(left.id) if is_array and isinstance(left, Name) else self.code(left).text
            return Code("bool", f"{pointer} {'==' if op == 'is' else '!='} NULL", Level.COMPARE)
        if op in ("in", "not in"):
            found = self._contained(left, right)
            return found if op == "in" else negated(found)
        one, other = self.value(left), self.value(right)
        if isinstance(one, Listed) and isinstance(other, Listed):
            same = lists.equal(one, other, self.names)
            return same if op == "==" else negated(same)
        assert isinstance(one, Code)
        assert isinstance(other, Code)
        if one.kind == "product":
            assert isinstance(right, Str)
            other = Code("product", product_name(right.value))
        return compared(op, one, other)

    def _contained(self, left: Node, right: Node) -> Code:
        """Membership in a list, in a set of products or of dtypes, or in rows of dtypes."""
        if isinstance(right, IfElse):
            then, orelse = self._contained(left, right.then), self._contained(left, right.orelse)
            return ternary(self.code(right.cond), then, orelse)
        values = self.value(right)
        if isinstance(values, Code):
            if values.kind == "products":
                return call("bool", "HAS_PRODUCT", values, "product")
            if values.kind == "rows":
                assert isinstance(left, ListOf)
                return self._in_rows([self._mask(item) for item in left.items], values)
            return call("bool", "HAS", values, self.code(left))
        if left == NONE:
            place = self.names.place()
            null = Code("bool", f"{values.at(place).text} == NULL", Level.COMPARE)
            return call("bool", "ANY", place, literal(0), values.length, null)
        return lists.contains(values, self.code(left), self.names)

    def _in_rows(self, given: Iterable[Code], rows: Code) -> Code:
        """Whether some row allows what is given for each column."""
        texts = [one.text for one in given]
        masks = f"(const dtype_set[]){{{', '.join(texts)}}}"
        return call("bool", "aclspec_in_some_row", rows, str(len(texts)), masks)

    def _mask(self, node: Node) -> Code:
        """The dtypes that are given for a column as a set: those of a list, one, null, or none at all."""
        match node:
            case IfElse(cond=cond, then=then, orelse=orelse):
                return ternary(self.code(cond), self._mask(then), self._mask(orelse))
            case ListOf(items=()):
                return Code("dtypes", "NO_DTYPES")
            case ListOf(items=(item,)):
                return self._mask(item)
            case Call(func="tuple", args=(Each() as each,)):
                values, place = self.list_of(each), self.names.place()
                return call("dtypes", "UNION", place, values.length, values.at(place))
            case _ if node == NONE:
                return Code("dtypes", "SET_NULL")
        return call("dtypes", "set_of", self.code(node))

    def _call(self, node: Call) -> Value:
        match node:
            case Call(func="let", args=(_, value)) | Call(func="tuple", args=(value,)):
                return self.value(value)
            case Call(func="in_some_row", args=(ListOf(items=items), rows)):
                return self._in_rows([self._mask(item) for item in items], self.code(rows))
            case Call(func="range", args=(stop,)):
                return lists.span(literal(0), clamped(self.code(stop)))
            case Call(func="range", args=(start, stop)):
                return lists.span(clamped(self.code(start)), clamped(self.code(stop)))
            case Call(func="slice", args=(values, start, stop)):
                whole = self.list_of(values)
                end = whole.length if stop == NONE else self._index(stop, whole)
                return lists.part(whole, self._index(start, whole), end)
            case Call(func="shape" | "strides" | "storage_shape" as func, args=(tensor,)):
                return self._dims(func, self.code(tensor))
            case Call(func="dtype", args=(subject,)):
                return Code("dtype", f"{self._seen(subject)}->dtype")
            case Call(func="format", args=(subject,)):
                return Code("format", f"{self.code(subject).within(Level.POSTFIX)}->format")
            case Call(func="value", args=(subject,)):
                return Code("number", f"aclspec_number({self._seen(subject)})")
            case Call(func="range_len", args=(Call(args=(start,)), Call(args=(stop,)), Call(args=(step,)))):
                return call("int", "aclspec_range_len", *map(self._seen, (start, stop, step)), low=0, high=2**65)
        args = [self.value(arg) for arg in node.args]
        if node.func in FUNCTIONS:
            return FUNCTIONS[node.func](self.names, *args)
        return support_call(node.func, args)

    def _seen(self, subject: Node) -> str:
        """A tensor, or a scalar that has to be known."""
        found = self.code(subject)
        if found.kind == "scalar" and isinstance(subject, Name) and self.scope.is_param(subject.id):
            return known(subject.id)
        return found.within(Level.POSTFIX)

    def _dims(self, func: str, tensor: Code) -> Listed:
        """The shape, the strides or the storage of a tensor."""
        rank, pointer = "storage_rank" if func == "storage_shape" else "rank", tensor.within(Level.POSTFIX)
        length = Code("int", f"(wide){pointer}->{rank}", Level.UNARY, *LENGTH)
        return lists.view(f"aclspec_{func}({tensor.text})", length, lambda at: f"AT({pointer}->{func}, {at.text})")


def known(name: str) -> str:
    """A scalar that the caller has to know."""
    return f"KNOWN({local_name(name)})"


def member(kind: str, name: str) -> Code:
    """A dtype or a format by name."""
    return Code(kind, f"{'DT' if kind == 'dtype' else 'FORMAT'}_{name}")


def quoted(text: str) -> str:
    """A string literal in UTF-8."""
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "?": "?"}
    return '"' + "".join(escapes.get(char, char) for char in text) + '"'


def _float(number: float) -> Code:
    text = {"inf": "ACLSPEC_INFINITY", "-inf": "-ACLSPEC_INFINITY", "nan": "ACLSPEC_NAN"}.get(
        repr(number), repr(number)
    )
    return Code("float", text, Level.UNARY if text.startswith("-") else Level.POSTFIX)


def _kind_of(content: Content) -> str:
    match content:
        case ByProduct(entries=entries):
            return _kind_of(entries[0][1])
        case Column():
            return "dtypes"
        case Joint() | Cells():
            return "rows"
        case _:
            return "products"
