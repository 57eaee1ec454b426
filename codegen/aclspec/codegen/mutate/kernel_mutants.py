"""The mutants of kernels: each is one function of a module with one small change.

An operator, a comparison, a constant, an axis, a function of NumPy, a rounding or a whole statement is another one, or
gone. A description names the module and the function and the expression with what replaces it. It holds no line number,
so that it stays the same while nothing changes at that place.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import indent
from types import CodeType
from typing import TypeVar

from aclspec.codegen.mutate.mutants import COMPARISONS

N = TypeVar("N", bound=ast.AST)
Change = tuple[ast.AST | None, str]
"""What a node becomes, None for a statement that is gone, and the words for it; "" leaves them to what it stands in."""
_PARTS = (ast.Constant, ast.UnaryOp, ast.keyword, ast.Slice, ast.Tuple, ast.List)
"""Nodes that say too little by themselves."""

_OPERATIONS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
_OTHER_NAMES = {
    "add": "subtract",
    "subtract": "add",
    "multiply": "add",
    "divide": "multiply",
    "greater": "greater_equal",
    "greater_equal": "greater",
    "less": "less_equal",
    "less_equal": "less",
    "maximum": "minimum",
    "minimum": "maximum",
    "argmax": "argmin",
    "argmin": "argmax",
    "max": "min",
    "min": "max",
    "all": "any",
    "any": "all",
    "zeros": "ones",
    "ones": "zeros",
    "exp": "expm1",
    "floor": "ceil",
    "ceil": "floor",
    "rint": "floor",
    "float64": "float32",
    "float32": "float16",
}
_PASSED_ON = ("astype", "round_to", "rint", "abs", "swapaxes", "broadcast_to")
"""Functions whose call may become what it is given: a rounding, or another order of elements."""
_LEFT_ALONE = {
    ast.arg: ("annotation",),
    ast.AnnAssign: ("annotation", "target"),
    ast.FunctionDef: ("args", "decorator_list", "returns", "type_params"),
    ast.With: ("items",),
}
_SAME_NUMBERS = {"copy", "sparse", "strict"}
"""Keywords of NumPy and of ``zip`` that change no number: they stay as they are."""


@dataclass(frozen=True, slots=True)
class KernelMutant:
    """The code that a function of a module runs instead of its own, and a description."""

    module: str
    function: str
    description: str
    code: CodeType


def kernel_mutants(module: str, source: str) -> list[KernelMutant]:
    """Every mutant of the functions of a module."""
    found: list[KernelMutant] = []
    seen: Counter[str] = Counter()
    short = module.rpartition(".")[2]
    for qualified, function in functions_of(ast.parse(source)):
        for changed, words in _within(function):
            assert isinstance(changed, ast.FunctionDef)
            text = f"{short}.{qualified}: {words}"
            seen[text] += 1
            name = text if seen[text] == 1 else f"{text} ({seen[text]})"
            found.append(KernelMutant(module, qualified, name, _compiled(qualified, changed)))
    return found


def functions_of(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """The functions of a module and the methods of its classes, by qualified name."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.{one.name}", one) for one in node.body if isinstance(one, ast.FunctionDef))


def _compiled(qualified: str, function: ast.FunctionDef) -> CodeType:
    owner = qualified.rpartition(".")[0]
    text = ast.unparse(_with(function, "decorator_list", []))
    if owner:
        text = f"class {owner}:\n" + indent(text, "    ")
    code: CodeType = compile(f"from __future__ import annotations\n{text}", "<mutant>", "exec", dont_inherit=True)
    for name in qualified.split("."):
        code = _inner(code, name)
    return code


def _inner(code: CodeType, name: str) -> CodeType:
    return next(one for one in code.co_consts if isinstance(one, CodeType) and one.co_name == name)


def _within(node: N) -> Iterator[tuple[N, str]]:
    """Every node that differs from this one by one change further inside."""
    for changed, words in _inside(node):
        yield changed, words if words or isinstance(node, _PARTS) else _becomes(node, changed)


def _inside(node: N) -> Iterator[tuple[N, str]]:
    for field, value in ast.iter_fields(node):
        if field in _LEFT_ALONE.get(type(node), ()):
            continue
        if isinstance(node, ast.Call) and field == "func":
            yield from _method(node, node.func)
        elif isinstance(value, ast.AST):
            for changed, words in _changes(value):
                yield _with(node, field, changed), words
        elif isinstance(value, list):
            for place, item in enumerate(value):
                for changed, words in _changes(item) if isinstance(item, ast.AST) else ():
                    if _is_inferred(node, changed):
                        continue
                    kept = [changed] if changed is not None else [ast.Pass()] if len(value) == 1 else []
                    yield _with(node, field, [*value[:place], *kept, *value[place + 1 :]]), words


def _is_inferred(node: ast.AST, argument: ast.AST | None) -> bool:
    """Whether an argument is -2 of ``reshape``: NumPy takes any negative number for the size that it infers."""
    is_reshape = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "reshape"
    return is_reshape and argument is not None and ast.unparse(argument) == "-2"


def _method(node: N, func: ast.expr) -> Iterator[tuple[N, str]]:
    """The changes inside the object that a method is called of."""
    if isinstance(func, ast.Attribute) and not isinstance(func.value, ast.Name):
        for changed, words in _changes(func.value):
            yield _with(node, "func", _with(func, "value", changed)), words


def _changes(node: ast.AST) -> Iterator[Change]:
    """The changes of a node itself, and those inside it."""
    if isinstance(node, ast.Assert | ast.Raise | ast.JoinedStr | ast.FunctionDef | ast.Import | ast.ImportFrom):
        return
    if isinstance(node, ast.keyword) and node.arg in _SAME_NUMBERS:
        return
    for changed in _replacements(node):
        if changed is None:
            yield None, f"`{_line(node)}` is gone"
        else:
            yield changed, "" if isinstance(node, _PARTS) else _becomes(node, changed)
    yield from _within(node)


def _becomes(before: ast.AST, after: ast.AST) -> str:
    return f"`{_line(before)}` becomes `{_line(after)}`"


def _line(node: ast.AST) -> str:
    """The text of a node, of a statement the first line alone."""
    return ast.unparse(node).partition("\n")[0]


def _replacements(node: ast.AST) -> Iterator[ast.AST | None]:
    match node:
        case ast.Expr(value=ast.Call()):
            yield None
        case ast.AugAssign(op=op):
            yield None
            if type(op) in _OPERATIONS:
                yield _with(node, "op", _OPERATIONS[type(op)]())
        case ast.Assign(targets=[ast.Subscript() | ast.Attribute()]) | ast.Continue() | ast.Break():
            yield None
        case ast.If(test=test) | ast.While(test=test) if not isinstance(test, ast.Constant):
            yield _with(node, "test", ast.Constant(False))
            if isinstance(node, ast.If):
                yield _with(node, "test", ast.Constant(True))
        case ast.Compare(ops=ops):
            for place, sign in enumerate(ops):
                for other in COMPARISONS[type(sign)]:
                    yield _with(node, "ops", [*ops[:place], other(), *ops[place + 1 :]])
        case ast.BoolOp(op=op):
            yield _with(node, "op", ast.And() if isinstance(op, ast.Or) else ast.Or())
        case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert(), operand=operand):
            yield operand
        case ast.BinOp(op=op) if type(op) in _OPERATIONS:
            yield _with(node, "op", _OPERATIONS[type(op)]())
        case ast.IfExp(body=body, orelse=orelse):
            yield body
            yield orelse
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int() | float() as value):
            yield ast.Constant(value + 1)
            yield ast.Constant(value - 1)
        case ast.Attribute(attr=name) if name in _OTHER_NAMES:
            yield _with(node, "attr", _OTHER_NAMES[name])
        case ast.Call():
            yield from _calls(node)
        case _:
            return


def _calls(node: ast.Call) -> Iterator[ast.AST]:
    """A call of another function, or what it is given instead of what it makes of it."""
    func = node.func
    name = func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""
    if name in _OTHER_NAMES:
        other = _OTHER_NAMES[name]
        yield _with(node, "func", _with(func, "attr" if isinstance(func, ast.Attribute) else "id", other))
    if name in _PASSED_ON:
        is_method = isinstance(func, ast.Attribute) and not (isinstance(func.value, ast.Name) and func.value.id == "np")
        yield func.value if is_method and isinstance(func, ast.Attribute) else node.args[0]


def _with(node: N, field: str, value: object) -> N:
    """A copy of a node with another field."""
    return ast.copy_location(type(node)(**{**dict(ast.iter_fields(node)), field: value}), node)
