"""What all models share: frozen, strict, and no key that is not theirs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, WithJsonSchema

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.abi.status import Status

Mode: TypeAlias = Literal["document", "library"]
Expression: TypeAlias = Annotated[str | int | float | bool, "a text of the predicate language, a number or a bool"]
KEBAB = r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$"
RULE_ID = r"^([a-z][a-z0-9]*|\{it\})(-([a-z0-9]+|\{it\}))*$"
C_NAME = r"^[A-Za-z_][A-Za-z0-9_]*$"
CLAUSE_ID = r"^[A-Za-z0-9_{}-]+(\.[A-Za-z0-9_{}-]+)+$"
OPERATOR = r"^aclnn[A-Z][A-Za-z0-9]*$"
HEADER = r"^[a-z0-9_]+\.h$"
SNAKE = r"^[a-z][a-z0-9_]*$"
SIGNATURE_PARAM = r"^((const )?(out|inout)|in|unknown) [a-z0-9_]+$"
KERNEL = r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$"
AXIS = r"^[A-Za-z0-9/]{1,6}$"
TORCH = r"^torch(\.[A-Za-z_]\w*)+$"
VERSION = r"^[0-9]+\.[0-9]+$"
TORCH_NAME = r"^((torch|torch_npu|Tensor)(\.[A-Za-z_]\w*)+|aten::[a-z_]\w*)$"
PATTERNS: dict[str, str] = {
    KEBAB: "lower-case words joined by hyphens, such as empty-input",
    RULE_ID: "lower-case words joined by hyphens, such as weight-numel or shape-{it}",
    C_NAME: "a C identifier",
    CLAUSE_ID: "words joined by dots, such as 004.161002.3",
    OPERATOR: "a C name such as aclnnPreluBackward",
    HEADER: "a file name such as aclnn_prelu_backward.h",
    SNAKE: "lower-case words joined by underscores",
    SIGNATURE_PARAM: "a direction and a type, such as in tensor, or const before what is written",
    KERNEL: "module:function, such as prelu:prelu_backward",
    AXIS: "one to six letters, digits or slashes, such as N, Cin or kH",
    TORCH: "a function of PyTorch, such as torch.add",
    VERSION: "two numbers and a dot, such as 8.1",
    TORCH_NAME: "a function such as torch.add, Tensor.add, aten::add or torch_npu.npu_swiglu",
}
"""What each pattern asks for, in words for a message."""
Kebab: TypeAlias = Annotated[str, StringConstraints(pattern=KEBAB)]
RuleId: TypeAlias = Annotated[str, StringConstraints(pattern=RULE_ID)]
CName: TypeAlias = Annotated[str, StringConstraints(pattern=C_NAME)]
ClauseId: TypeAlias = Annotated[str, StringConstraints(pattern=CLAUSE_ID)]
Clauses: TypeAlias = tuple[ClauseId, ...]
Sentence: TypeAlias = Annotated[str, StringConstraints(min_length=1)]


def _words(words: Iterable[str]) -> WithJsonSchema:
    """Let editors complete the words; the loader itself checks them, with a better message."""
    return WithJsonSchema({"type": "string", "enum": list(words)})


DtypeName: TypeAlias = Annotated[str, _words(dtype.name for dtype in DType if dtype.is_stored)]
FormatName: TypeAlias = Annotated[str, _words(format_.name for format_ in Format)]
StatusName: TypeAlias = Annotated[str, _words(Status.__members__)]
Products: TypeAlias = Annotated[tuple[str, ...], Field(min_length=1)]


class Model(BaseModel):
    """Base of every concept."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True)


class Text(Model):
    """A text in the languages of the manual; a draft may lack one."""

    en: Sentence = ""
    """English."""
    zh: Sentence = ""
    """Simplified Chinese."""


class FullText(Text):
    """A text in both languages."""

    en: Sentence
    """English."""
    zh: Sentence
    """Simplified Chinese."""
