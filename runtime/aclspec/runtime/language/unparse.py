"""From a tree back to the text of a predicate; parsing the result gives the same tree."""

from __future__ import annotations

from aclspec.runtime.language import nodes as ast
from aclspec.runtime.language.nodes import Node

_IF, _OR, _AND, _NOT, _COMPARE, _SUM, _PRODUCT, _UNARY, _ATOM = range(9)


def unparse(node: Node) -> str:
    """The text of a tree, with no more parentheses than it needs."""
    return _Writer(over=_OR).text(node, _IF)


def unparse_for_hash(node: Node) -> str:
    """The text that is hashed: a conditional after ``for x in`` has no parentheses, as when Python did not read it."""
    return _Writer(over=_IF).text(node, _IF)


class _Writer:
    """Writes a tree; ``over`` is how tightly what follows ``for x in`` binds at least."""

    def __init__(self, over: int) -> None:
        self.over = over

    def text(self, node: Node, least: int) -> str:
        """The text of a node, in parentheses when it binds less tightly than its place wants."""
        text, level = self.render(node)
        return f"({text})" if level < least else text

    def render(self, node: Node) -> tuple[str, int]:
        """The text of a node and how tightly it binds."""
        match node:
            case ast.Int(value=value) | ast.Float(value=value):
                return repr(value), _UNARY if str(value).startswith("-") else _ATOM
            case ast.Bool(value=value):
                return "true" if value else "false", _ATOM
            case ast.Str(value=text):
                return _quoted(text), _ATOM
            case ast.Symbol(name=name) | ast.Name(id=name):
                return name, _ATOM
            case ast.ListOf(items=items):
                return f"[{self.joined(items)}]", _ATOM
            case ast.Call(func=func, args=args):
                return f"{func}({self.joined(args)})", _ATOM
            case ast.InRows(params=params):
                return f"in_rows({', '.join(params)})", _ATOM
            case ast.Quantifier(kind=kind, var=var, over=over, body=body):
                return f"{kind}({self.text(body, _IF)} for {var} in {self.text(over, self.over)})", _ATOM
            case ast.Each(var=var, over=over, body=body):
                return f"[{self.text(body, _IF)} for {var} in {self.text(over, self.over)}]", _ATOM
            case ast.Index(base=base, index=index):
                return f"{self.text(base, _ATOM)}[{self.text(index, _IF)}]", _ATOM
            case _:
                return self.operation(node)

    def operation(self, node: Node) -> tuple[str, int]:
        """Nodes that are written with an operator."""
        match node:
            case ast.Not(operand=operand):
                return f"not {self.text(operand, _NOT)}", _NOT
            case ast.Negate(operand=operand):
                text = self.text(operand, _UNARY)
                # A minus right before a number would be part of the number.
                return (
                    f"-({text})" if text[0].isdigit() or isinstance(operand, ast.Int | ast.Float) else f"-{text}"
                ), _UNARY
            case ast.Arith(op=op, left=left, right=right):
                level = _SUM if op in "+-" else _PRODUCT
                return f"{self.text(left, level)} {op} {self.text(right, level + 1)}", level
            case ast.Compare(op=op, left=left, right=right):
                return f"{self.text(left, _SUM)} {op} {self.text(right, _SUM)}", _COMPARE
            case ast.And(items=items):
                return " and ".join(self.text(item, _NOT) for item in items), _AND
            case ast.Or(items=items):
                return " or ".join(self.text(item, _AND) for item in items), _OR
            case ast.IfElse(cond=cond, then=then, orelse=orelse):
                return f"{self.text(then, _OR)} if {self.text(cond, _OR)} else {self.text(orelse, _IF)}", _IF
        raise TypeError(f"not a node of a predicate: {node!r}")

    def joined(self, items: tuple[Node, ...]) -> str:
        return ", ".join(self.text(item, _IF) for item in items)


def _quoted(text: str) -> str:
    """A single-quoted string with everything unprintable escaped."""
    special = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\t": "\\t"}
    plain = (
        special.get(char) or (char if char.isprintable() or ord(char) > 0xFFFF else f"\\u{ord(char):04x}")
        for char in text
    )
    return f"'{''.join(plain)}'"
