"""Terms of a predicate as nouns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from aclspec.codegen.wording.language import Language, Quantity
from aclspec.codegen.wording.marks import with_marks
from aclspec.codegen.wording.patterns import (
    FIRST_ELEMENTS,
    LAST_AXES,
    NAMED_AXES,
    NAMED_AXIS,
    PARTS_OF_SHAPES,
    SHARED,
    axis_name,
    from_the_end,
    is_clause,
    is_literal,
    part_of_shape,
)
from aclspec.codegen.wording.slots import Slots
from aclspec.runtime.language import nodes as ast
from aclspec.runtime.language.functions import PHRASES
from aclspec.runtime.language.nodes import Node, children, names
from aclspec.runtime.language.types import Checker, is_list
from aclspec.runtime.language.values import value_text
from aclspec.runtime.rules.operator_info import LetInfo, OperatorInfo, Text, types_of
from aclspec.runtime.rules.sentences import NAME_MARK, WORDS, bracketed

_OF_LISTS: Final = frozenset({"max", "min", "prod", "promote_all", "sum"})
"""Functions of a list, whose items stand in a sentence one after the other."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A variable of a quantifier: what it is called, and its type; ``known``: it is one element of a call."""

    called: str
    type: str
    known: bool = False


@dataclass(frozen=True, slots=True)
class Nouns:
    """Writes nouns; with ``slots`` an index is shown by its value in the call. ``marks``: names are marked."""

    language: Language
    info: OperatorInfo
    slots: Slots | None = None
    bound: Mapping[str, Bound] = field(default_factory=dict)
    marks: bool = False

    def knows(self, node: Node) -> bool:
        """Whether the call gives the term one value."""
        return self.slots is not None and all(self.bound[name].known for name in names(node) if name in self.bound)

    def type_of(self, node: Node) -> str:
        """The type of a term."""
        scope = types_of(self.info) | {name: bound.type for name, bound in self.bound.items()}
        return Checker(scope).type_of(node, scope) or ""

    def noun(self, node: Node) -> str:
        """The noun of a term."""
        match node:
            case ast.Int(value=value) | ast.Float(value=value) | ast.Bool(value=value):
                return value_text(value)
            case ast.Str(value=text):
                return value_text(text, quoted=True)
            case ast.Symbol(name=name):
                return name
            case ast.Name(id=name):
                return self._name(name)
            case ast.ListOf(items=items):
                texts = [self.noun(item) for item in items]
                return _literal_list(items, texts) if is_literal(node) else f"[{', '.join(texts)}]"
            case ast.Arith() | ast.Negate():
                return term(self, node)
            case ast.Index(base=base, index=index):
                return self.element(self.noun(base), self._index(index))
            case ast.IfElse():
                return self._choice(node)
            case ast.Each():
                return self._list_of(node)
            case ast.Call(func=func, args=args) if not is_clause(node):
                return self._phrase(func, args)
            case _:
                return self.language.say("whether", self.clause(node))

    def clause(self, node: Node, truth: bool = True) -> str:
        """The clause that a predicate is true, or false."""
        raise AssertionError("the writer of clauses overrides this")

    def is_clause(self, node: Node) -> bool:
        """Whether a node reads as a clause: a predicate, or a let that stands for one."""
        let = self.let(node.id) if isinstance(node, ast.Name) else None
        return is_clause(node) if let is None else let.type == "bool"

    def let(self, name: str) -> LetInfo | None:
        """The let of this name, unless a variable hides it."""
        return next((let for let in self.info.lets if let.name == name and name not in self.bound), None)

    def pick(self, text: Text) -> str:
        """A text in the language of the writer."""
        return self.language.pick(text)

    def called(self, text: Text) -> str:
        """The noun that a spec gives to a let."""
        if not self.marks:
            return self.pick(text)
        return with_marks(text, (param.name for param in self.info.params), self.language.code)

    def _name(self, name: str) -> str:
        """A variable by what it stands for, a let by its noun or its definition, a parameter by its name."""
        if name in self.bound:
            return self.bound[name].called
        let = self.let(name)
        if let is None:
            return NAME_MARK + name if self.marks else name
        return self.noun(let.value) if let.doc is None else self.called(let.doc)

    def _index(self, index: Node) -> str:
        """An index as a number where it is known; else an axis that may count from the end is told as it is given."""
        if self.slots is None or is_literal(index) or not self.knows(index):
            return self.noun(index.args[0] if isinstance(index, ast.Call) and index.func == "wrap" else index)
        return self.slots.value(index)

    def element(self, base: str, place: str) -> str:
        """An element of an array: in brackets after a name, in words after anything longer."""
        is_name = base.isascii() and " " not in base and not self.language.is_axis(place)
        return f"{base}[{place}]" if is_name else self.language.element(base, place)

    def _choice(self, node: Node) -> str:
        """A noun for each condition, the first that holds counting."""
        cases = []
        while isinstance(node, ast.IfElse):
            cases.append((replace(self, slots=None).clause(node.cond), self.noun(node.then)))
            node = node.orelse
        return self.language.choice(cases, self.noun(node))

    def _list_of(self, node: ast.Each) -> str:
        """A list as a noun: "[the rank of every element of tensors]"."""
        collection = self.noun(node.over)
        match node.over, node.body:
            case ast.Name(), ast.Call(args=(ast.Name(id=name), *rest)) if name == node.var and not any(
                node.var in names(one) for one in rest
            ):
                called = self.language.say("quantified every", collection)
                return f"[{self._plain(node.var, called).noun(node.body)}]"
        body = self._plain(node.var, node.var).noun(node.body)
        return self.language.say("of_each", body, self.domain(node, "every", collection))

    def _plain(self, var: str, called: str) -> Nouns:
        """A writer without values, with this variable."""
        return replace(self, slots=None, bound={**self.bound, var: Bound(called, "")})

    def domain(self, node: ast.Each | ast.Quantifier, quantity: Quantity, collection: str) -> str:
        """What the variable of a list or a quantifier runs over."""
        match node.over:
            case ast.Call(func="range", args=(ast.Int(value=0), ast.Call(func="len", args=(base,)))):
                return self.language.say(f"index_domain {quantity}", node.var, self.noun(base))
            case ast.Call(func="range", args=(start, stop)):
                return self.language.say(f"range_domain {quantity}", node.var, self.noun(start), self.noun(stop))
            case _:
                return self.language.say(f"element_domain {quantity}", node.var, collection)

    def _phrase(self, func: str, args: tuple[Node, ...]) -> str:
        """The phrase of a function that returns a value."""
        if func == "dim" and (named := self._named_axis(*args)):
            return named
        if func == "dim" and (place := from_the_end(*args)) in LAST_AXES:
            return self._fill(self.pick(LAST_AXES[place]), [self.noun(args[0])])
        if func == "slice" and (part := self._part_of_shape(*args)):
            return part
        if func == "broadcast":
            *first, last = [self.shared(func, arg) for arg in _broadcast_together(args)]
            return self._fill(self.pick(PHRASES[func]), [WORDS[self.language.code]["comma"].join(first), last])
        texts = [self.shared(func, arg) for arg in args]
        if func == "dim":
            texts[1] = self._index(args[1])
            if self.language.is_axis(texts[1]):
                return self.language.say("axis", *texts)
        if func in _OF_LISTS and isinstance(args[0], ast.ListOf) and not is_literal(args[0]):
            texts = [self._fill("{args}", [self.shared(func, item) for item in args[0].items])]
        if func == "promote_all" and (collection := self._dtypes_of_each(args[0])):
            texts = [collection]
        if is_infix(ast.Call(func, args)):
            pairs = zip(args, texts, strict=True)
            texts = [f"({text})" if isinstance(opened(self, arg), ast.Arith) else text for arg, text in pairs]
        return self._fill(self.pick(PHRASES[func]), texts)

    def _named_axis(self, tensor: Node, axis: Node) -> str:
        """The size of an axis by the name that the spec gives it; empty where it has none."""
        owner = tensor.base if isinstance(tensor, ast.Index) else tensor
        place = axis.value if isinstance(axis, ast.Int) else -from_the_end(tensor, axis)
        if not isinstance(owner, ast.Name) or not (isinstance(axis, ast.Int) or place):
            return ""
        param = next((one for one in self.info.params if one.name == owner.id and owner.id not in self.bound), None)
        name = "" if param is None else axis_name(param, place)
        phrase = NAMED_AXES.get(place, NAMED_AXIS)
        return self._fill(self.pick(phrase), [self.noun(tensor), name, str(place)]) if name and place > -3 else ""

    def _part_of_shape(self, whole: Node, start: Node, stop: Node) -> str:
        """The sizes of the first or last axes of a tensor, or the first elements of a list; empty for another part."""
        if not isinstance(whole, ast.Call) or whole.func != "shape":
            plural = start == ast.Int(0) and isinstance(stop, ast.Int) and stop.value > 1
            return self._fill(self.pick(FIRST_ELEMENTS), [self.noun(whole), self.noun(stop)]) if plural else ""
        found = part_of_shape(whole.args[0], opened_term(self, start), opened_term(self, stop))
        if found is None:
            return ""
        kind, count = found
        axes = self.language.say("axes", count == 1, str(count))
        return self._fill(self.pick(PARTS_OF_SHAPES[kind]), [self.noun(whole.args[0]), axes])

    def shared(self, func: str, arg: Node) -> str:
        """An argument; a tensor stands for its fact where the phrase of the function says which fact it shares."""
        match arg:
            case ast.Call(func=fact, args=(tensor,)) if fact == SHARED.get(func):
                return self.noun(tensor)
            case _:
                return self.noun(arg)

    def dtypes(self, args: tuple[Node, ...]) -> str:
        """Dtypes as one noun: "the dtypes of x and y"."""
        if len(args) == 1 and (collection := self._dtypes_of_each(args[0])):
            return self.language.say("dtypes", collection)
        if len(args) == 1 and not isinstance(args[0], ast.ListOf):
            return self.noun(args[0])
        items = args[0].items if isinstance(args[0], ast.ListOf) else args
        if not items:
            return self.noun(args[0])
        is_shared = all(self._has_dtype(item) for item in items)
        texts = [self.shared("promote", item) if is_shared else self.noun(item) for item in items]
        named = self._fill("{args}", texts)
        return self.language.say("dtypes", named) if is_shared else named

    def _has_dtype(self, node: Node) -> bool:
        """Whether a dtype is that of a tensor or a scalar, which may stand for it."""
        if isinstance(node, ast.Name):
            return self.type_of(node) in ("tensor", "scalar")
        return isinstance(node, ast.Call) and node.func == "dtype"

    def _dtypes_of_each(self, node: Node) -> str:
        """The elements of the list whose dtypes a list has, such as all elements of x; empty for another list."""
        match node:
            case ast.Each(over=ast.Name() as over, var=var, body=ast.Call(func="dtype", args=(ast.Name(id=name),))):
                return self.language.say("elements", self.noun(over)) if name == var else ""
            case _:
                return ""

    def _fill(self, phrase: str, texts: list[str]) -> str:
        return phrase.format(*texts, args=self.language.nouns(texts, last="and"))


def _broadcast_together(args: tuple[Node, ...]) -> Iterator[Node]:
    """The shapes that broadcast to one, those of an inner broadcast among them."""
    for arg in args:
        if isinstance(arg, ast.Call) and arg.func == "broadcast":
            yield from _broadcast_together(arg.args)
        else:
            yield arg


def _literal_list(items: tuple[Node, ...], texts: list[str]) -> str:
    """A list of constants, as a tuple."""
    if not items:
        return "()"
    numbers = not any(isinstance(item, ast.Str | ast.Symbol) for item in items)
    return f"({texts[0]},)" if len(texts) == 1 and numbers else f"({', '.join(texts)})"


def term(writer: Nouns, node: Node) -> str:
    """The term as a noun: in words where an operand is more than a word and the term needs no brackets."""
    node = opened_term(writer, node)
    if isinstance(node, ast.Negate) and _is_noun(writer, node.operand):
        return writer.language.say("negative", writer.noun(node.operand))
    in_words = any(" " in writer.noun(leaf) for leaf in _leaves(node))
    text = _written(writer, node, symbolic=True)
    if in_words and not any(mark in text for mark in ("(", " // ", " % ")):
        return _written(writer, node, symbolic=False)
    return text


def _is_noun(writer: Nouns, node: Node) -> bool:
    """Whether a term is several words that a word may stand before without a bracket."""
    return not isinstance(node, ast.Arith | ast.Negate | ast.IfElse) and not is_infix(node) and " " in writer.noun(node)


def opened(writer: Nouns, node: Node) -> Node:
    """The definition of a let that has no noun of its own, else the node."""
    let = writer.let(node.id) if isinstance(node, ast.Name) else None
    return node if let is None or let.doc is not None else opened(writer, let.value)


def opened_term(writer: Nouns, node: Node) -> Node:
    """A term with the definitions of lets that have no noun of their own."""
    match opened(writer, node):
        case ast.Arith(op=op, left=left, right=right):
            return ast.Arith(op, opened_term(writer, left), opened_term(writer, right))
        case ast.Negate(operand=operand):
            return ast.Negate(opened_term(writer, operand))
        case leaf:
            return leaf


def _leaves(node: Node) -> Iterator[Node]:
    """The operands of an arithmetic term."""
    if isinstance(node, ast.Arith | ast.Negate):
        for child in children(node):
            yield from _leaves(child)
    else:
        yield node


def _written(writer: Nouns, node: Node, symbolic: bool) -> str:
    match node:
        case ast.Arith(op=op, left=left, right=right):
            texts = bracketed(node, _written(writer, left, symbolic), _written(writer, right, symbolic))
            joins = op == "+" and any(is_list(writer.type_of(side)) for side in (left, right))
            return writer.language.arithmetic("followed by" if joins else op, *texts, symbolic)
        case ast.Negate(operand=operand):
            text = _written(writer, operand, symbolic)
            is_bracketed = isinstance(operand, ast.IfElse) or is_infix(operand)
            return f"-({text})" if " " in text and not is_bracketed else f"-{text}"
        case ast.IfElse():
            text = writer.noun(node)
            return f"({text})" if " " in text else text
        case _:
            return f"({writer.noun(node)})" if is_infix(node) else writer.noun(node)


def is_infix(node: Node) -> bool:
    """Whether a function is written between its arguments, so that it needs brackets like an operator."""
    return isinstance(node, ast.Call) and PHRASES[node.func].en.startswith("{0} ")
