"""The reference of an operator: what its numbers are compared with, which shares no code with the kernel."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import BeforeValidator, Field, StringConstraints

from aclspec.codegen.spec.base import OPERATOR, TORCH, CName, Expression, Model, Sentence

Formula: TypeAlias = Annotated[
    Sentence, BeforeValidator(lambda value: str(value) if isinstance(value, int | float) else value)
]


class Rounding(Model):
    """The dtypes that an output goes through, each an expression in which the name of a role stands for its dtype."""

    inputs: dict[CName, Expression]
    """The dtype that each input is rounded to before all else, a scalar cast; one that is left out is read as it is."""
    sums: Expression
    """The dtype that products and sums run in: its unit roundoff takes the place of the tolerance's."""
    result: Expression | None = None
    """The dtype that the output is rounded to before it becomes its own: what is written is a number of it."""


class Reference(Model):
    """A formula, a function of PyTorch or the gradient of another operator; exactly one of the three."""

    formula: dict[CName, Formula] | None = None
    """For each output what it is: arithmetic on the inputs in float64."""
    torch: Annotated[str, StringConstraints(pattern=TORCH)] | None = None
    """A function of PyTorch, such as ``torch.nn.functional.avg_pool2d``, called with float64 tensors."""
    gradient: Annotated[str, StringConstraints(pattern=OPERATOR)] | None = None
    """The operator that this one is the gradient of; its own reference is differentiated."""
    arguments: dict[CName, Formula] = Field(default_factory=dict)
    """Of a function of PyTorch its arguments by keyword; of the forward operator the inputs that none of the same name
    gives."""
    outputs: dict[CName, Formula] = Field(default_factory=dict)
    """For each output a formula of the function's ``result``, or the forward input that the derivative is taken in."""
    upstream: dict[CName, CName] = Field(default_factory=dict)
    """For each output of the forward operator the input that holds its gradient."""
    saved: dict[CName, CName] = Field(default_factory=dict)
    """Inputs that the forward operator computes, each with the name of its output there."""
    rounding: dict[CName, Rounding] = Field(default_factory=dict)
    """The dtypes that an output goes through; of one that is left out only the tolerance counts."""
    unchecked: dict[CName, Sentence] = Field(default_factory=dict)
    """Outputs that it says nothing about, each with the reason why."""
