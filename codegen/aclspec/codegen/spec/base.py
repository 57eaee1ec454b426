"""What all models share: frozen, strict, and no key that is not theirs."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Mode: TypeAlias = Literal["document", "library"]
Expression: TypeAlias = Annotated[
    str | int | float | bool,
    Field(
        union_mode="left_to_right", description="A text of the predicate language; a bare number or truth value is one."
    ),
]
Kebab: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$")]
RuleId: TypeAlias = Annotated[str, StringConstraints(pattern=r"^([a-z][a-z0-9]*|\{it\})(-([a-z0-9]+|\{it\}))*$")]
CName: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
ClauseId: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_{}-]+(\.[A-Za-z0-9_{}-]+)+$")]
Clauses: TypeAlias = tuple[ClauseId, ...]
Sentence: TypeAlias = Annotated[str, StringConstraints(min_length=1)]


class Model(BaseModel):
    """Base of every concept."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True)


class Text(Model):
    """A text in both languages of the manual."""

    en: Sentence
    """English."""
    zh: Sentence
    """Simplified Chinese."""
