"""A parameter as the template of an operator's module sees it."""

from __future__ import annotations

import keyword
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from aclspec.codegen.emit.facts import Facts
from aclspec.codegen.emit.functions import inferred_type
from aclspec.codegen.emit.guards import not_null
from aclspec.codegen.emit.pretty import Literal, call, lay_out, quoted, tuple_literal
from aclspec.codegen.emit.scope import identifier
from aclspec.codegen.naming import CALL_KEYWORDS
from aclspec.codegen.predicate.unparse import unparse
from aclspec.codegen.render.environment import docstring, wrap
from aclspec.codegen.render.paramfacts import dtypes_of, formats_of, listed
from aclspec.runtime.info import InferInfo, OperatorInfo, ParamInfo
from aclspec.runtime.paramtypes import PARAM_TYPES
from aclspec.runtime.predicate.nodes import Name

_GIVEN = {
    "tensor": "Tensor",
    "tensors": "tuple[Any, ...]",
    "scalar": "Any",
    "scalars": "tuple[Any, ...]",
    "ints": "tuple[int, ...]",
    "bools": "tuple[bool, ...]",
    "floats": "tuple[float, ...]",
    "string": "str",
    "dtype": "DType",
}
_PYTHON = {
    "tensor": "TensorLike",
    "tensors": "Sequence[TensorLike]",
    "scalar": "ScalarLike",
    "scalars": "Sequence[ScalarLike]",
    "ints": "Sequence[int]",
    "bools": "Sequence[bool]",
    "floats": "Sequence[float]",
    "string": "str",
    "dtype": "DTypeLike",
}


@dataclass(frozen=True, slots=True)
class Context:
    """What is known of a parameter beside its own data.

    ``correlated``: it is not null whenever some condition holds, which the generated check uses and no static type
    says; ``inferring``: the same of ``infer``. ``passed`` is what is known of a call that no rule refused.
    ``omittable``: neither it nor a later argument has to be given.
    """

    info: OperatorInfo
    correlated: bool
    inferring: bool
    passed: Facts
    omittable: bool


@dataclass(frozen=True)
class ParamView:
    """One parameter: its names, its types in each generated function, and what its docstring says."""

    param: ParamInfo
    context: Context

    @property
    def name(self) -> str:
        """The C name."""
        return self.param.name

    @property
    def snake(self) -> str:
        """The Python name."""
        return self.param.snake

    @property
    def identifier(self) -> str:
        """The C name where Python allows it."""
        return identifier(self.param.name)

    @property
    def c_name(self) -> str:
        """The C name in the C-shaped function, whose other keywords it must not hide."""
        taken = keyword.iskeyword(self.name) or self.name in CALL_KEYWORDS
        return f"{self.name}_" if taken else self.name

    @property
    def kind(self) -> str:
        """The predicate type."""
        return PARAM_TYPES[self.param.type].predicate

    @property
    def pointer(self) -> bool:
        """Whether it may be null."""
        return PARAM_TYPES[self.param.type].pointer

    @property
    def given_type(self) -> str:
        """The type that the binding makes of any value."""
        found = _GIVEN.get(self.kind, self.kind)
        return f"{found} | None" if self.pointer and found != "Any" else found

    @property
    def inferring_type(self) -> str:
        """Its type in ``infer``."""
        return "Any" if self.context.inferring else self.given_type

    @property
    def checked_type(self) -> str:
        """Its type in ``check``."""
        return "Any" if self.context.correlated else self.given_type

    @property
    def checked_comment(self) -> str:
        """Why a type checker is told nothing."""
        if not self.context.correlated:
            return ""
        rules = (rule for rule in self.context.info.rules if rule.kind == "null" and rule.params[:1] == (self.name,))
        when = next((rule.when for rule in rules if rule.when is not None), None)
        return "  # null is refused in one mode only" if when is None else f"  # null is refused when {unparse(when)}"

    @property
    def passed_type(self) -> str:
        """Its type in ``precision``: a pointer that every passed call has is none that may be null."""
        if not self.pointer:
            return self.given_type
        if self.context.correlated:
            return "Any"
        return (
            self.given_type.removesuffix(" | None")
            if self.context.passed.proves(not_null(Name(self.name)))
            else self.given_type
        )

    @property
    def python_type(self) -> str:
        """Its type for a Python caller."""
        found = _PYTHON.get(self.kind, self.kind)
        return f"{found} | None" if self.param.optional else found

    @property
    def python_default(self) -> str:
        """Its default, which a parameter before one without default cannot have."""
        if not self.context.omittable:
            return ""
        return f" = {quoted_value(self.param.default)}" if self.param.has_default else " = None"

    @property
    def c_type(self) -> str:
        """Its type in the C-shaped function, where any pointer may be null."""
        found = _PYTHON.get(self.kind, self.kind)
        return f"{found} | None" if self.pointer else found

    @cached_property
    def declaration(self) -> tuple[str, ...]:
        """The ``Param`` of the binding, with its comma."""
        parts: dict[str, Literal] = {}
        if self.param.type != "tensor":
            parts["type"] = quoted(self.param.type)
        if self.param.direction != "in":
            parts["direction"] = quoted(self.param.direction)
        if self.param.optional:
            parts["optional"] = "True"
        if self.param.has_default:
            parts["default"] = quoted_value(self.param.default)
        if self.param.formats:
            parts["formats"] = tuple_literal(
                tuple_literal((str(rank), tuple_literal(map(quoted, names)))) for rank, names in self.param.formats
            )
        if self.param.partial:
            parts["partial"] = "True"
        declared = call("Param", quoted(self.name), quoted(self.snake), **parts)
        return tuple(line.removeprefix(" " * 8) for line in lay_out("", declared, ",", 2))

    @property
    def doc(self) -> str:
        """What it is."""
        return self.param.doc.en

    @property
    def facts(self) -> str:
        """What it may be: dtypes, formats, rank, emptiness, values."""
        return "; ".join(self._facts()) + "."

    def _facts(self) -> Iterator[str]:
        yield self.param.type.replace("_", " ") + (" or None" if self.param.optional else "")
        yield from dtypes_of(self.context.info, self.name)
        if self.kind == "tensor":
            yield from formats_of(self.param)
            low, high = self.param.rank
            yield f"rank {low}" if low == high else f"rank {low} to {high}"
            if not self.param.empty:
                yield "not empty"
            if not self.param.noncontiguous:
                yield "contiguous"
        if self.param.values:
            yield f"one of {listed(map(str, self.param.values))}"
        if self.param.lengths:
            yield f"length {listed(map(str, self.param.lengths))}"

    @property
    def inferred_type(self) -> str:
        """Its type in the result of ``infer``."""
        return inferred_type(self.param)


@dataclass(frozen=True)
class OutputView(ParamView):
    """A parameter that the operator writes, with what follows of it from the inputs."""

    rule: InferInfo | None = None

    def _facts(self) -> Iterator[str]:
        yield from dtypes_of(self.context.info, self.name)
        if self.rule is not None:
            yield f"shape ``{unparse(self.rule.shape)}``"
            yield f"dtype ``{unparse(self.rule.dtype)}`` where none is given"
        if self.param.required is not None:
            yield f"None unless ``{unparse(self.param.required)}``"
        if self.param.partial:
            yield "elements that are not needed are not written"

    @property
    def field_doc(self) -> str:
        """The docstring of its field in the result."""
        return docstring(wrap(f"{self.doc} {self.facts[0].upper()}{self.facts[1:]}", 4, first=10), 4)


def quoted_value(value: object) -> str:
    """A default as Python writes it."""
    return quoted(value) if isinstance(value, str) else repr(value)
