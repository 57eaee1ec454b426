"""Calls of PyTorch in code of Python, read as a tree and never run.

Statements are read from top to bottom: a variable is a tensor whose shape and dtype its constructor states, or a
constant. What depends on anything else is not known.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.tensors.tensor import Tensor

MOST_CODE: Final = 20_000
"""Characters of code that are read."""
MOST_DEPTH: Final = 60
_MADE: Final = {"randn", "rand", "empty", "zeros", "ones"}
_SHORT: Final = {
    "half": DType.FLOAT16,
    "float": DType.FLOAT,
    "double": DType.DOUBLE,
    "bfloat16": DType.BF16,
    "int": DType.INT32,
    "long": DType.INT64,
    "short": DType.INT16,
    "char": DType.INT8,
    "byte": DType.UINT8,
    "bool": DType.BOOL,
}
"""Methods that give a tensor another dtype."""
_SAME: Final = {"npu", "cuda", "cpu", "contiguous", "clone", "detach", "requires_grad_"}
_MODULES: Final = {"torch", "torch_npu", "F", "Tensor", "nn"}


class Unknown:
    """What is not known of a value."""


UNKNOWN: Final = Unknown()


class CodeCall(NamedTuple):
    """A call of a function: its name, its arguments, and the line."""

    function: str
    args: tuple[Any, ...]
    keywords: Mapping[str, Any]
    line: int


def parse(text: str) -> ast.Module | None:
    """The tree of some code; None for what is none, is too long or too deep."""
    if len(text) > MOST_CODE or "(" not in text:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    level: list[ast.AST] = [tree]
    for _ in range(MOST_DEPTH):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return tree
    return None


def code_calls(text: str) -> list[CodeCall]:
    """The calls of functions in a code, or in the lines of a text that are code, as a traceback shows."""
    tree = parse(text)
    if tree is not None:
        return list(_Reader().statements(tree.body))
    calls: list[CodeCall] = []
    reader = _Reader()
    for number, line in enumerate(text[:MOST_CODE].splitlines(), 1):
        tree = parse(line.strip().removeprefix(">>> "))
        if tree is not None:
            calls += [call._replace(line=number) for call in reader.statements(tree.body)]
    return calls


@dataclass
class _Reader:
    """What the variables hold by now."""

    variables: dict[str, Any] = field(default_factory=dict)
    calls: list[CodeCall] = field(default_factory=list)

    def statements(self, body: Sequence[ast.stmt]) -> Iterator[CodeCall]:
        for statement in body:
            self.calls = []
            if isinstance(statement, ast.Assign):
                self.assign(statement.targets, self.value(statement.value))
            elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
                self.assign([statement.target], self.value(statement.value))
            elif isinstance(statement, ast.Expr | ast.Return) and statement.value is not None:
                self.value(statement.value)
            elif isinstance(statement, ast.With | ast.For | ast.If | ast.FunctionDef):
                self.calls += list(_Reader(dict(self.variables)).statements(statement.body))
            yield from self.calls

    def assign(self, targets: Sequence[ast.expr], value: Any) -> None:
        for target in targets:
            if isinstance(target, ast.Name):
                self.variables[target.id] = value
            elif isinstance(target, ast.Tuple | ast.List):
                values = value if isinstance(value, tuple) and len(value) == len(target.elts) else None
                for at, inner in enumerate(target.elts):
                    self.assign([inner], values[at] if values else UNKNOWN)

    def value(self, node: ast.expr) -> Any:
        """The value of an expression, as far as it is known; its calls are noted on the way."""
        match node:
            case ast.Constant(value=value) if value is None or isinstance(value, bool | int | float | complex | str):
                return value
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                inner = self.value(operand)
                is_number = isinstance(inner, int | float | complex) and not isinstance(inner, bool)
                return -inner if is_number else UNKNOWN
            case ast.Tuple(elts=items) | ast.List(elts=items):
                return tuple(self.value(item) for item in items)
            case ast.Name(id=name):
                return self.variables.get(name, UNKNOWN)
            case ast.Attribute():
                return self.attribute(node)
            case ast.Call():
                return self.call(node)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child)
        return UNKNOWN

    def attribute(self, node: ast.Attribute) -> Any:
        name = dotted(node)
        if name is not None and name.startswith("torch."):
            try:
                return DType.parse(name)
            except ValueError:
                return UNKNOWN
        value = self.value(node.value)
        if isinstance(value, Tensor) and node.attr == "T" and value.rank == 2:
            return described(value.shape[::-1], value.dtype)
        return value.dtype if isinstance(value, Tensor) and node.attr == "dtype" else UNKNOWN

    def call(self, node: ast.Call) -> Any:
        args = tuple(self.value(one) for one in node.args)
        keywords = {one.arg: self.value(one.value) for one in node.keywords if one.arg is not None}
        name = dotted(node.func)
        if name is not None and name.partition(".")[0] in _MODULES - self.variables.keys():
            made = _constructed(name, args, keywords)
            if made is UNKNOWN:
                self.calls.append(CodeCall(name, args, keywords, node.lineno))
            return made
        if isinstance(node.func, ast.Attribute):
            owner = self.value(node.func.value)
            if isinstance(owner, Tensor):
                made = _method(owner, node.func.attr, args, keywords)
                if made is UNKNOWN:
                    self.calls.append(CodeCall(f"Tensor.{node.func.attr}", (owner, *args), keywords, node.lineno))
                return made
        return UNKNOWN


def dotted(node: ast.expr) -> str | None:
    """``torch.nn.functional.softmax`` of a chain of attributes; None for another expression."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None


def described(shape: Sequence[Any], dtype: DType) -> Any:
    """A tensor without data; unknown where the shape or the dtype is none."""
    if not all(isinstance(size, int) and not isinstance(size, bool) and 0 <= size < 2**40 for size in shape):
        return UNKNOWN
    if len(shape) > 64 or not dtype.is_stored:
        return UNKNOWN
    return Tensor(shape=tuple(shape), dtype=dtype)


def _constructed(name: str, args: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
    last = name.removeprefix("torch.")
    dtype = keywords.get("dtype", DType.FLOAT)
    if last in _MADE and isinstance(dtype, DType):
        sizes = keywords.get("size", args[0] if len(args) == 1 and isinstance(args[0], tuple) else args)
        return described(sizes, dtype) if isinstance(sizes, tuple) else UNKNOWN
    if last == "full" and len(args) >= 2 and isinstance(args[0], tuple) and isinstance(keywords.get("dtype"), DType):
        return described(args[0], dtype)
    if last == "randint" and args and isinstance(args[-1], tuple):
        return described(args[-1], keywords.get("dtype", DType.INT64))
    return UNKNOWN


def _method(owner: Tensor, name: str, args: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
    if name in _SHORT and not args:
        return described(owner.shape, _SHORT[name])
    if name in _SAME:
        return owner
    if name in ("to", "type"):
        dtypes = [one for one in (*args, *keywords.values()) if isinstance(one, DType)]
        return described(owner.shape, dtypes[0] if dtypes else owner.dtype)
    if name == "t" and owner.rank == 2:
        return described(owner.shape[::-1], owner.dtype)
    return UNKNOWN
