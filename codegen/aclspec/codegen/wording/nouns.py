"""Terms of a predicate as nouns, each followed by a placeholder for its value where the sentence is about a call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from aclspec.codegen.wording.language import Language, Quantity
from aclspec.codegen.wording.marks import with_marks
from aclspec.codegen.wording.patterns import LAST_AXES, SHARED, from_the_end, is_clause, is_literal
from aclspec.codegen.wording.slots import Slots
from aclspec.runtime.language import nodes as ast
from aclspec.runtime.language.functions import PHRASES, WINDOWS
from aclspec.runtime.language.nodes import Node, children, names, substitute
from aclspec.runtime.language.types import Checker, is_list
from aclspec.runtime.language.values import UNDEFINED, Undefined, value_text
from aclspec.runtime.rules.operator_info import LetInfo, OperatorInfo, Text, types_of
from aclspec.runtime.rules.sentences import NAME_MARK, bracketed, substituted

_VALUED_ARGS: Final = frozenset(
    {"broadcast", "broadcastable", "promotable", "promote", "promotable_all", "promote_all"}
    | {"castable", "is_private", "distinct"}
)
"""Functions whose result alone does not tell what their arguments were."""
_OF_LISTS: Final = frozenset({"max", "min", "prod", "promote_all", "sum"})
"""Functions of a list, whose items stand in a sentence one after the other."""
_UNSHOWN: Final = frozenset({"tensor", "tensors", "scalar", "scalars"})
"""Types whose values a sentence does not show."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A variable of a quantifier: what it is called, its type, and what it is.

    ``known``: it is one element, bound in the call, or the expression ``node``. Else it stands for every element.
    """

    called: str
    type: str
    known: bool = False
    node: Node | None = None


class UndecidedError(Exception):
    """The text depends on a condition whose truth only the call decides."""

    def __init__(self, condition: Node) -> None:
        """Keep the condition."""
        super().__init__(condition)
        self.condition = condition


@dataclass(frozen=True, slots=True)
class Nouns:
    """Writes nouns: without ``slots`` for a requirement, with them for the failure of a call.

    ``decided`` holds the conditions of the call that the text assumes. ``is_general``: the text is about every element
    of a list, or about a predicate that may be true or false, so that nothing need be defined. ``marks``: names are
    marked.
    """

    language: Language
    info: OperatorInfo
    slots: Slots | None = None
    bound: Mapping[str, Bound] = field(default_factory=dict)
    decided: Mapping[Node, bool | Undefined] = field(default_factory=dict)
    is_general: bool = False
    marks: bool = False

    def knows(self, node: Node) -> bool:
        """Whether the call gives the term one value."""
        return self.slots is not None and all(self.bound[name].known for name in names(node) if name in self.bound)

    def resolved(self, node: Node) -> Node:
        """The node as the call evaluates it, with the expressions of variables that stand for one."""
        found = {name: bound.node for name, bound in self.bound.items() if bound.node is not None}
        return substitute(node, found) if found else node

    def decide(self, node: Node) -> bool | Undefined:
        """Whether a condition holds in the call; undefined for a requirement."""
        match node:
            case ast.Bool(value=value) if self.slots is not None:
                return value
            case ast.Not(operand=operand):
                found = self.decide(operand)
                return UNDEFINED if found is UNDEFINED else not found
        if not self.knows(node):
            return UNDEFINED
        condition = self.resolved(node)
        if condition not in self.decided:
            raise UndecidedError(condition)
        return self.decided[condition]

    def assuming(self, condition: Node, truth: bool | Undefined) -> dict[Node, bool | Undefined]:
        """What is decided, and this condition."""
        return {**self.decided, condition: truth}

    def type_of(self, node: Node) -> str:
        """The type of a term."""
        scope = types_of(self.info) | {name: bound.type for name, bound in self.bound.items()}
        return Checker(scope).type_of(node, scope) or ""

    def noun(self, node: Node) -> str:
        """The noun of a term, followed by its value."""
        return self.bare(node) + self._shown(node)

    def bare(self, node: Node) -> str:
        """The noun of a term alone."""
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
                texts = [self.bare(item) for item in items]
                return _literal_list(items, texts) if is_literal(node) else f"[{', '.join(texts)}]"
            case ast.Arith() | ast.Negate():
                return term(self, node)
            case ast.Index(base=base, index=index):
                return self.element(self.bare(base), self._index(index))
            case ast.IfElse(cond=cond, then=then, orelse=orelse):
                chosen = self.decide(cond)
                return self._choice(node) if chosen is UNDEFINED else self.bare(then if chosen else orelse)
            case ast.Each():
                return self._list_of(node)
            case ast.Call(func=func, args=args) if not is_clause(node):
                return self._phrase(func, args)
            case _:
                return self.language.say("whether", replace(self, is_general=True).clause(node))

    def clause(self, node: Node, truth: bool = True) -> str:
        """The clause that a predicate is true, or false."""
        raise AssertionError("the writer of clauses overrides this")

    def _shown(self, node: Node) -> str:
        """The value of a term as it follows the noun: with its space and parentheses, or empty."""
        if self.slots is None or is_literal(node) or not self.knows(node):
            return ""
        kind, value = self.type_of(node), self.resolved(node)
        if kind in _UNSHOWN or is_literal(opened(self, value)):
            return ""
        bare, text = self.bare(node), self.slots.value(value)
        if bare == text or self._is_constant(node, bare):
            return ""
        if self.is_general:
            return self.slots.value(value, "~")
        if (arguments := self._worked(node)) is not None:
            return f" ({self.language.say('worked', text, arguments)})"
        if is_list(kind):
            return f" {text}"
        worked = opened_term(self, value)
        if isinstance(worked, ast.Arith | ast.Negate):
            return f" ({text if self._operands(worked) == bare else self.slots.value(worked, '=')})"
        return f' ("{text}")' if self._is_string(node) else f" ({text})"

    def _operands(self, node: Node) -> str:
        """The term with placeholders for its operands."""
        assert self.slots is not None
        slots = self.slots

        def operand(leaf: Node) -> str:
            bare = self.bare(leaf)
            return bare if self._is_constant(leaf, bare) else slots.value(self.resolved(leaf))

        return substituted(node, operand)

    def _is_constant(self, node: Node, bare: str) -> bool:
        """Whether a term, or the branch that it takes in this call, is a constant, so that its noun is its value."""
        while isinstance(node, ast.IfElse):
            node = node.then if self.decide(node.cond) is True else node.orelse
        return is_literal(opened(self, node)) and bare == self.bare(node)

    def _is_string(self, node: Node) -> bool:
        """Whether a value is shown in quotes."""
        match node:
            case ast.Name(id=name):
                return name not in self.bound and self.type_of(node) == "string"
            case ast.IfElse(then=then, orelse=orelse):
                return any(isinstance(branch, ast.Str) or self._is_string(branch) for branch in (then, orelse))
            case _:
                return False

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
        return self.bare(let.value) if let.doc is None else self.called(let.doc)

    def _index(self, index: Node) -> str:
        """An index as a number where it is known; else an axis that may count from the end is told as it is given."""
        if is_literal(index) or self.is_general or not self.knows(index) or self.slots is None:
            return self.bare(index.args[0] if isinstance(index, ast.Call) and index.func == "wrap" else index)
        return self.slots.value(self.resolved(index))

    def element(self, base: str, place: str) -> str:
        """An element of an array: in brackets after a name, in words after anything longer."""
        is_name = base.isascii() and " " not in base and not self.language.is_axis(place)
        return f"{base}[{place}]" if is_name else self.language.element(base, place)

    def _choice(self, node: Node) -> str:
        """A noun for each condition, the first that holds counting."""
        cases = []
        while isinstance(node, ast.IfElse):
            cases.append((self.clause(node.cond), self.bare(node.then)))
            node = node.orelse
        return self.language.choice(cases, self.bare(node))

    def _list_of(self, node: ast.Each) -> str:
        """A list as a noun: "[the rank of every element of tensors]"."""
        collection = self.bare(node.over)
        match node.over, node.body:
            case ast.Name(), ast.Call(args=(ast.Name(id=name), *rest)) if name == node.var and not any(
                node.var in names(one) for one in rest
            ):
                called = self.language.say("quantified every", collection)
                return f"[{self._plain(node.var, called).bare(node.body)}]"
        body = self._plain(node.var, node.var).bare(node.body)
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

    def _worked(self, node: Node) -> str | None:
        """The actual arguments of a function that a sentence describes by them."""
        match opened(self, node):
            case ast.Call(func=func, args=args) as call if (window := WINDOWS.get(func)) is not None:
                if self.slots is None or self.is_general or not self.knows(call):
                    return None
                slots = self.slots
                return self._fill(self.pick(window.arguments), [slots.value(self.resolved(arg)) for arg in args])
            case _:
                return None

    def _phrase(self, func: str, args: tuple[Node, ...]) -> str:
        """The phrase of a function that returns a value; one of many arguments is brief where its value shows them."""
        if func in WINDOWS and self._worked(ast.Call(func, args)) is not None:
            return self.pick(WINDOWS[func].brief)
        if func == "dim" and (place := from_the_end(*args)) in LAST_AXES:
            return self._fill(self.pick(LAST_AXES[place]), [self.bare(args[0])])
        texts = [self._shared(func, arg) if func in _VALUED_ARGS else self.bare(arg) for arg in args]
        if func == "dim":
            texts[1] = self._index(args[1])
            if self.language.is_axis(texts[1]):
                return self.language.say("axis", *texts)
        if func in _OF_LISTS and isinstance(args[0], ast.ListOf) and not is_literal(args[0]):
            texts = [self._fill("{args}", [self._shared(func, item) for item in args[0].items])]
        if func == "promote_all" and (collection := self._dtypes_of_each(args[0])):
            texts = [collection]
        if is_infix(ast.Call(func, args)):
            pairs = zip(args, texts, strict=True)
            texts = [f"({text})" if isinstance(opened(self, arg), ast.Arith) else text for arg, text in pairs]
        return self._fill(self.pick(PHRASES[func]), texts)

    def _shared(self, func: str, arg: Node) -> str:
        """An argument with its value; a tensor stands for its fact where the phrase says which fact it shares."""
        shared = SHARED.get(func)
        match arg:
            case ast.Call(func=fact, args=(tensor,)) if fact == shared:
                return self.bare(tensor) + self._shown(arg)
            case ast.Name() if shared is not None and self.type_of(arg) in ("tensor", "scalar"):
                return self.bare(arg) + self._shown(ast.Call(shared, (arg,)))
            case _:
                return self.noun(arg)

    def dtypes(self, args: tuple[Node, ...]) -> str:
        """Dtypes as one noun, each with its value: "the dtypes of x and y"."""
        if len(args) == 1 and (collection := self._dtypes_of_each(args[0])):
            return self.language.say("dtypes", collection)
        if len(args) == 1 and not isinstance(args[0], ast.ListOf):
            return self.noun(args[0])
        items = args[0].items if isinstance(args[0], ast.ListOf) else args
        if not items:
            return self.bare(args[0])
        shared = all(self._has_dtype(item) for item in items)
        texts = [self._shared("promote", item) if shared else self.noun(item) for item in items]
        return self.language.say("dtypes", self._fill("{args}", texts)) if shared else self._fill("{args}", texts)

    def _has_dtype(self, node: Node) -> bool:
        """Whether a dtype is that of a tensor or a scalar, which may stand for it."""
        if isinstance(node, ast.Name):
            return self.type_of(node) in ("tensor", "scalar")
        return isinstance(node, ast.Call) and node.func == "dtype"

    def _dtypes_of_each(self, node: Node) -> str:
        """The elements of the list whose dtypes a list has, such as all elements of x; empty for another list."""
        match node:
            case ast.Each(over=ast.Name() as over, var=var, body=ast.Call(func="dtype", args=(ast.Name(id=name),))):
                return self.language.say("elements", self.bare(over)) + self._shown(node) if name == var else ""
            case _:
                return ""

    def _fill(self, phrase: str, texts: list[str]) -> str:
        return phrase.format(*texts, args=self.language.nouns(texts, last="and"))


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
        return writer.language.say("negative", writer.bare(node.operand))
    in_words = any(" " in writer.bare(leaf) for leaf in _leaves(node))
    text = _written(writer, node, symbolic=True)
    if in_words and not any(mark in text for mark in ("(", " // ", " % ")):
        return _written(writer, node, symbolic=False)
    return text


def _is_noun(writer: Nouns, node: Node) -> bool:
    """Whether a term is several words that a word may stand before without a bracket."""
    return not isinstance(node, ast.Arith | ast.Negate | ast.IfElse) and not is_infix(node) and " " in writer.bare(node)


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
            text = writer.bare(node)
            return f"({text})" if " " in text else text
        case _:
            return f"({writer.bare(node)})" if is_infix(node) else writer.bare(node)


def is_infix(node: Node) -> bool:
    """Whether a function is written between its arguments, so that it needs brackets like an operator."""
    return isinstance(node, ast.Call) and PHRASES[node.func].en.startswith("{0} ")
