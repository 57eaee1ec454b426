"""The sentences of failures: the templates of an operator's rules as statements that write them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import Final

from aclspec.codegen.emit.c.expressions import Expressions, quoted
from aclspec.codegen.emit.c.names import local_name
from aclspec.codegen.emit.c.statements import INDENT, folded
from aclspec.codegen.emit.c.values import Code, Level, Listed
from aclspec.codegen.emit.fact_set import FactSet
from aclspec.codegen.emit.lowered import FALSE, TRUE
from aclspec.codegen.emit.lowering import Lowering
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.language.nodes import Arith, Negate, Node, Quantifier, Str
from aclspec.runtime.rules.sentences import PRECEDENCE
from aclspec.runtime.rules.template import Placeholder, Template

_PUT: Final = {
    "int": "PUT_INT",
    "big": "PUT_BIG",
    "bool": "PUT_BOOL",
    "float": "PUT_FLOAT",
    "dtype": "PUT_DTYPE",
    "format": "PUT_FORMAT",
    "string": "PUT",
}
_UNDEFINED: Final = 'PUT("UNDEFINED");'


@dataclass(frozen=True)
class Messages:
    """Writes templates where ``known`` is known; ``places`` has the index of the element of each bound variable."""

    lowering: Lowering
    expressions: Expressions
    known: FactSet
    columns: Mapping[str, int]
    places: Mapping[str, Code]
    numbers: Iterator[int]

    @classmethod
    def of(cls, lowering: Lowering, expressions: Expressions, known: FactSet) -> Messages:
        """For the templates of a rule; ``known`` is what its failure says."""
        columns = {name: at for at, name in enumerate(lowering.scope.rows.columns)}
        return cls(lowering, expressions, known, columns, {}, count(1))

    def lines(self, template: Template, depth: int) -> Iterator[str]:
        """The statements that write a template."""
        for part in template:
            if isinstance(part, str):
                yield from folded(f"PUT({quoted(part)});", depth)
            else:
                yield from self._placeholder(part, depth)

    def _placeholder(self, part: Placeholder, depth: int) -> Iterator[str]:
        lead, node = INDENT * depth, part.nodes[0]
        match part.kind:
            case "#":
                yield f"{lead}PUT_INT({self.places[part.names[0]].text});"
            case "$":
                yield f"{lead}PUT_PRODUCT();"
            case "&":
                yield from self._clauses(part, depth)
            case "%":
                yield from self._unsupported(part.names, depth)
            case "@":
                assert isinstance(node, Quantifier)
                yield from self._element(node, part, depth)
            case "?":
                assert node is not None
                yield from self._choice(node, part, depth)
            case "=":
                assert node is not None
                yield from self._worked(node, depth)
            case "~":
                assert node is not None
                start = f"start{next(self.numbers)}"
                inside = [f"const size_t {start} = out->length;", *self._put(node)]
                inside.append(f"aclspec_parenthesize(out, {start});")
                yield from self._where_defined(node, inside, (), depth, block=True)
            case "/":
                assert node is not None
                yield from self._where_defined(node, self._strides(node), ('PUT("()");',), depth)
            case _:
                assert node is not None
                yield from self._where_defined(node, self._put(node), (_UNDEFINED,), depth)

    def _inside(self, node: Node) -> Messages:
        """The same where a node has a value."""
        return replace(self, known=self.known.assume_defined(node))

    def _is(self, node: Node, value: bool) -> Node:
        return self.lowering.holds(node, self.known) if value else self.lowering.fails(node, self.known)

    def _where_defined(
        self, node: Node, found: list[str], otherwise: tuple[str, ...], depth: int, block: bool = False
    ) -> Iterator[str]:
        """Statements for where a node has a value, and others for where it has none."""
        defined = self.lowering.defined(node, self.known)
        if defined == TRUE and not block:
            for line in found:
                yield from folded(line, depth)
        elif defined == FALSE:
            for line in otherwise:
                yield from folded(line, depth)
        else:
            condition = "" if defined == TRUE else f"if ({self.expressions.condition(defined).text}) "
            yield from folded(f"{condition}{{", depth)
            for line in found:
                yield from folded(line, depth + 1)
            if otherwise and defined != TRUE:
                yield f"{INDENT * depth}}} else {{"
                for line in otherwise:
                    yield from folded(line, depth + 1)
            yield f"{INDENT * depth}}}"

    def _put(self, node: Node) -> list[str]:
        """The statements that write the value of a node where it has one."""
        if self.lowering.defined(node, self.known) == FALSE:
            return []
        if isinstance(node, Str):
            return [f"PUT({quoted(node.value)});"]
        known = self.known.assume_defined(node)
        value = self.expressions.value(self.lowering.value(node, known))
        if isinstance(value, Listed):
            place = self.expressions.names.place()
            item = put(value.at(place))
            single = '")"' if value.kind in ("dtype", "format", "string") else '",)"'
            return [f"PUT_LIST({place.text}, {value.length.text}, {single}, {item});"]
        return [f"{put(value)};"]

    def _strides(self, node: Node) -> list[str]:
        tensor, place = self.expressions.code(node), self.expressions.names.place()
        item = f"PUT_INT({tensor.text}->strides[(size_t){place.text}])"
        return [f'PUT_LIST({place.text}, (wide){tensor.text}->rank, ",)", {item});']

    def _choice(self, node: Node, part: Placeholder, depth: int) -> Iterator[str]:
        """The text of a condition that holds, fails or has no value."""
        lead, texts = INDENT * depth, part.texts
        holds, fails = self._is(node, True), self._is(node, False)
        surely = self.lowering.surely(node, self.known)
        if holds == TRUE:
            yield from self.lines(texts[0], depth)
            return
        if fails == TRUE:
            yield from self.lines(texts[1], depth)
            return
        cases = [(holds, replace(self, known=self.known.assume(node)), texts[0])]
        if len(texts) > 2:
            cases.append((fails, replace(self, known=self.known.assume(node, False)), texts[1]))
        last = self if len(texts) > 2 or not surely else replace(self, known=self.known.assume(node, False))
        word = ""
        for condition, inside, text in cases:
            if condition != FALSE:
                yield from folded(f"{word}if ({self.expressions.condition(condition).text}) {{", depth)
                yield from inside.lines(text, depth + 1)
                word = "} else "
        if not word:
            yield from last.lines(texts[-1], depth)
            return
        if texts[-1]:
            yield f"{lead}}} else {{"
            yield from last.lines(texts[-1], depth + 1)
        yield f"{lead}}}"

    def _clauses(self, part: Placeholder, depth: int) -> Iterator[str]:
        """The clauses whose conditions hold, joined; a second turn writes them all where none does."""
        number, lead, inner = next(self.numbers), INDENT * depth, INDENT * (depth + 1)
        start, turn = f"start{number}", f"turn{number}"
        yield f"{lead}const size_t {start} = out->length;"
        yield f"{lead}int {turn} = 0;"
        yield f"{lead}do {{"
        for node, text in zip(part.nodes, part.texts, strict=True):
            condition = TRUE if node is None else self._is(node, True)
            end = "aclspec_end_clause(out);"
            if condition == TRUE:
                yield from self.lines(text, depth + 1)
                yield f"{inner}{end}"
                continue
            test = (
                turn
                if condition == FALSE
                else f"{turn} || {self.expressions.condition(condition).within(Level.COMPARE)}"
            )
            yield from folded(f"if ({test}) {{", depth + 1)
            yield from self.lines(text, depth + 2)
            yield f"{inner}{INDENT}{end}"
            yield f"{inner}}}"
        yield f"{lead}}} while (out->length == {start} && {turn}++ == 0);"
        yield f"{lead}aclspec_join_clauses(out, {start}, {turn} > 0);"

    def _element(self, node: Quantifier, part: Placeholder, depth: int) -> Iterator[str]:
        """The text about the first element that decides."""
        lead, number = INDENT * depth, next(self.numbers)
        if self.lowering.defined(node.over, self.known) == FALSE:
            yield from self.lines(part.texts[1] if len(part.texts) > 1 else (), depth)
            return
        defined = self.lowering.defined(node.over, self.known)
        inside = self.known.assume_defined(node.over)
        values = self.expressions.list_of(self.lowering.iterable(node.over, inside))
        place = self.expressions.names.place()
        item = values.at(place)
        element = inside.within(node)
        decides = (self.lowering.holds if node.kind == "any" else self.lowering.fails)(node.body, element)
        bound_here = self.expressions.bind(node.var, item)
        condition = bound_here.condition(decides)
        text = Messages(
            self.lowering,
            bound_here,
            element.assume(node.body, node.kind == "any"),
            self.columns,
            {**self.places, node.var: place},
            self.numbers,
        )
        found, more = f"found{number}", len(part.texts) > 1 and bool(part.texts[1])
        yield f"{lead}bool {found} = false;"
        stop = values.length.text
        if defined != TRUE:
            stop = f"{self.expressions.condition(defined).within(Level.OR)} ? {stop} : 0"
        yield from folded(
            f"for (wide {place.text} = 0, end{number} = {stop}; {place.text} < end{number}; ++{place.text})", depth
        )
        yield from folded(f"if ({condition.text}) {{", depth + 1)
        yield from text.lines(part.texts[0], depth + 2)
        yield f"{lead}{INDENT * 2}{found} = true;"
        yield f"{lead}{INDENT * 2}break;"
        yield f"{lead}{INDENT}}}"
        if more:
            yield f"{lead}if (!{found}) {{"
            yield from self.lines(part.texts[1], depth + 1)
            yield f"{lead}}}"
        else:
            yield f"{lead}(void){found};"

    def _worked(self, node: Node, depth: int) -> Iterator[str]:
        """A term with the values of its operands, and what it comes to."""
        lead, number = INDENT * depth, next(self.numbers)
        start, value = f"start{number}", f"value{number}"
        yield f"{lead}const size_t {start} = out->length;"
        yield from self._substituted(node, depth)
        yield f"{lead}const size_t {value} = out->length;"
        yield from self._where_defined(node, self._put(node), (_UNDEFINED,), depth)
        yield f"{lead}aclspec_worked(out, {start}, {value});"

    def _substituted(self, node: Node, depth: int) -> Iterator[str]:
        lead = INDENT * depth
        match node:
            case Arith(op=op, left=left, right=right):
                own = PRECEDENCE[op]
                yield from self._bracketed(left, isinstance(left, Arith) and PRECEDENCE[left.op] < own, depth)
                yield f'{lead}PUT(" {op} ");'
                if isinstance(right, Arith) and PRECEDENCE[right.op] <= own:
                    yield from self._bracketed(right, True, depth)
                else:
                    yield from self._negative(right, depth, spaces=False)
            case Negate(operand=operand):
                yield f'{lead}PUT("-");'
                yield from self._negative(operand, depth, spaces=True)
            case _:
                yield from self._where_defined(node, self._put(node), (_UNDEFINED,), depth)

    def _bracketed(self, node: Node, brackets: bool, depth: int) -> Iterator[str]:
        lead = INDENT * depth
        if brackets:
            yield f'{lead}PUT("(");'
        yield from self._substituted(node, depth)
        if brackets:
            yield f'{lead}PUT(")");'

    def _negative(self, node: Node, depth: int, spaces: bool) -> Iterator[str]:
        lead, start = INDENT * depth, f"start{next(self.numbers)}"
        yield f"{lead}const size_t {start} = out->length;"
        yield from self._substituted(node, depth)
        yield f"{lead}aclspec_bracket_negative(out, {start}, {'true' if spaces else 'false'});"

    def _unsupported(self, names: tuple[str, ...], depth: int) -> Iterator[str]:
        """The clause that the dtypes of some parameters are not supported."""
        lead, given = INDENT * depth, f"given{next(self.numbers)}"
        yield f"{lead}const aclspec_given {given}[] = {{"
        for name in names:
            text, kind = local_name(name), PARAM_TYPES[self.lowering.scope.params[name].type].predicate
            yield f"{lead}{INDENT}GIVEN_{kind.upper()}({quoted(name)}, {self.columns[name]}, {text}),"
        yield f"{lead}}};"
        yield f"{lead}PUT_UNSUPPORTED({given});"


def put(value: Code) -> str:
    """The statement that writes a value, without its semicolon."""
    if value.kind == "number":
        return value.text.replace("aclspec_number(", "PUT_NUMBER(", 1)
    return f"{_PUT[value.kind]}({value.text})"


def _in_or(code: Code) -> str:
    return code.within(Level.COMPARE)
