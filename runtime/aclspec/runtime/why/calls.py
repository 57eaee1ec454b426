"""Whole calls in a text: lines of a recording, calls as aclspec writes them, and calls of PyTorch in code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.abi.products import KEYS
from aclspec.runtime.api.catalog import Catalog
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.replay.arguments import NotKnown, values_of
from aclspec.runtime.replay.recording import read_lines
from aclspec.runtime.rules.operator_info import ParamInfo
from aclspec.runtime.tensors.tensor import Tensor
from aclspec.runtime.why.literals import read_arguments, written_calls
from aclspec.runtime.why.python_code import UNKNOWN, CodeCall, code_calls

_ALIASES: Final = {"input": "self", "axis": "dim", "keepdim": "keepdims"}
"""Names of arguments of PyTorch that the operators have under another name."""


@dataclass(frozen=True, slots=True)
class FoundCall:
    """A call of an operator: its values by C name, and the parameters that the text does not state."""

    operator: Operator
    values: dict[str, Any]
    missing: tuple[str, ...] = ()
    product: str | None = None
    code: CodeCall | None = None
    unread: tuple[str, ...] = ()
    """Arguments of the code that were not understood."""
    others: tuple[str, ...] = field(default=())
    """Operators that the same function may call too."""


def calls_of(text: str, catalog: Catalog) -> Iterator[FoundCall]:
    """All whole calls of a text, those of operators that have a spec or a signature."""
    yield from _recorded(text, catalog)
    for written in written_calls(text):
        if (operator := find(catalog, written.operator)) is not None:
            values, missing = read_arguments(operator.info, written.arguments)
            product = written.product if written.product in KEYS else None
            yield FoundCall(operator, values, missing, product)
    for code in code_calls(text):
        if (found := _from_code(code, catalog)) is not None:
            yield found


def find(catalog: Catalog, name: str) -> Operator | None:
    """The operator of a C name; None for one that is unknown."""
    try:
        return catalog.get(name)
    except LookupError:
        return None


def _recorded(text: str, catalog: Catalog) -> Iterator[FoundCall]:
    lines = [line for line in text.splitlines() if line.lstrip().startswith("{") and '"arguments"' in line]
    if not lines:
        return
    for call in read_lines("\n".join(lines).encode("utf-8", "replace")).calls:
        operator = find(catalog, call.operator)
        if operator is None:
            continue
        product = call.product if call.product in KEYS else None
        try:
            yield FoundCall(operator, values_of(operator.info, call.arguments), (), product)
        except NotKnown:
            known = tuple(param.name for param in operator.info.params if param.direction != "out")
            yield FoundCall(operator, {}, known, product)


def _from_code(code: CodeCall, catalog: Catalog) -> FoundCall | None:
    name = code.function if "." in code.function else f"torch.{code.function}"
    operators = [one for one in (find(catalog, name) for name in catalog.of_torch(name)) if one is not None]
    if not operators:
        return None
    chosen, *others = operators
    values, unread = _mapped(chosen, code)
    missing = [
        param.name
        for param in chosen.info.params
        if param.name not in values and param.direction != "out" and not param.optional and not param.has_default
    ]
    names = tuple(one.name for one in others)
    return FoundCall(chosen, values, tuple(missing), None, code, tuple(unread), names)


def _mapped(operator: Operator, code: CodeCall) -> tuple[dict[str, Any], list[str]]:
    """The arguments under the names of parameters: keywords by name, the others in order while their kinds agree."""
    left = [param for param in operator.info.params if param.direction != "out"]
    values: dict[str, Any] = {}
    unread: list[str] = []
    by_name = {_folded(param.name): param for param in left}
    for keyword, value in code.keywords.items():
        plain = _folded(keyword)
        param = by_name.get(plain) or by_name.get(_folded(_ALIASES.get(keyword, keyword)))
        if param is None or (fitted := fit(param, value)) is UNKNOWN:
            unread.append(keyword)
        else:
            values[param.name] = fitted
    open_params = [param for param in left if param.name not in values]
    for at, value in enumerate(code.args):
        if not open_params or (fitted := fit(open_params[0], value)) is UNKNOWN:
            unread += map(str, range(at + 1, len(code.args) + 1))
            break
        values[open_params.pop(0).name] = fitted
    return values, unread


def _folded(name: str) -> str:
    return name.replace("_", "").lower()


def fit(param: ParamInfo, value: Any) -> Any:
    """A value of code as a parameter takes it; unknown where it is of another kind."""
    predicate = PARAM_TYPES[param.type].predicate
    if value is UNKNOWN or (isinstance(value, tuple) and UNKNOWN in value):
        return UNKNOWN
    if value is None:
        return None if PARAM_TYPES[param.type].pointer else UNKNOWN
    is_int = isinstance(value, int) and not isinstance(value, bool)
    match predicate:
        case "tensor":
            fits = isinstance(value, Tensor)
        case "tensors":
            fits = isinstance(value, tuple) and all(isinstance(one, Tensor) for one in value)
        case "int":
            fits = is_int
        case "float":
            fits = is_int or isinstance(value, float)
        case "scalar":
            fits = isinstance(value, bool | int | float | complex)
        case "bool":
            fits = isinstance(value, bool)
        case "dtype":
            fits = isinstance(value, DType)
        case "ints":
            value = (value,) if is_int else value
            fits = isinstance(value, tuple) and all(type(one) is int for one in value)
        case "string":
            fits = isinstance(value, str)
        case _:
            fits = False
    return value if fits else UNKNOWN
