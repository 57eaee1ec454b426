"""Prototypes as C and as Python write them."""

from __future__ import annotations

import textwrap

from aclspec.codegen.naming import CALL_KEYWORDS
from aclspec.runtime.info import OperatorInfo, ParamInfo
from aclspec.runtime.paramtypes import PARAM_TYPES

_WIDTH = 100
_SHOWN = 76


def c_prototype(info: OperatorInfo) -> str:
    """Both phases, as the header declares them."""
    first = [f"{_c_type(param)}{param.name}" for param in info.params]
    first += ["uint64_t *workspaceSize", "aclOpExecutor **executor"]
    second = ["void *workspace", "uint64_t workspaceSize", "aclOpExecutor *executor", "aclrtStream stream"]
    return "\n\n".join((_declared(f"{info.name}GetWorkspaceSize", first), _declared(info.name, second)))


def python_prototype(info: OperatorInfo) -> str:
    """The function of `aclspec.ops`."""
    given = [param for param in info.params if param.direction != "out"]
    inputs = [f"{param.snake}{_default(given[at:])}" for at, param in enumerate(given)]
    keywords = [f"{keyword}=None" for keyword in (*CALL_KEYWORDS, "out")]
    outputs = [param.snake for param in info.params if param.is_output]
    told = [*_wrapped(f"{', '.join(inputs)},"), *_wrapped(f"*, {', '.join(keywords)},")]
    return "\n".join([f"aclspec.ops.{info.snake}(", *told, f") -> ({', '.join(outputs)})"])


def _wrapped(words: str) -> list[str]:
    """Arguments in lines that a page shows whole."""
    indent = " " * 4
    return textwrap.wrap(words, _SHOWN, initial_indent=indent, subsequent_indent=indent, break_long_words=False)


def _c_type(param: ParamInfo) -> str:
    """The type up to the name: a pointer that is only read points to const."""
    kind = PARAM_TYPES[param.type]
    if not kind.pointer:
        return f"{kind.c} "
    const = "" if param.is_output else "const "
    return f"{const}{kind.c.removesuffix('*')} *"


def _declared(name: str, params: list[str]) -> str:
    line = f"aclnnStatus {name}({', '.join(params)});"
    if len(line) <= _WIDTH:
        return line
    return f"aclnnStatus {name}(\n" + ",\n".join(f"    {param}" for param in params) + ");"


def _default(params: list[ParamInfo]) -> str:
    """The default of the first of these, which it has only where no later one must be given."""
    if not all(param.optional or param.has_default for param in params):
        return ""
    return f"={params[0].default!r}" if params[0].has_default else "=None"
