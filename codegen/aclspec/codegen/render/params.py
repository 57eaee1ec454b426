"""A parameter as the template of an operator's module sees it."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from aclspec.codegen.emit.fact_set import FactSet
from aclspec.codegen.emit.guards import not_null
from aclspec.codegen.emit.inference import inferred_type
from aclspec.codegen.emit.printer import call, plain_literal, quoted, tuple_literal
from aclspec.codegen.emit.scope import identifier
from aclspec.codegen.render.environment import docstring, wrap
from aclspec.codegen.source.naming import CALL_KEYWORDS
from aclspec.codegen.wording.marks import shown_marks
from aclspec.codegen.wording.rules import clause, noun
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.language.nodes import Bool, Each, Name, Node
from aclspec.runtime.language.unparse import unparse
from aclspec.runtime.rules.operator_info import InferInfo, OperatorInfo, ParamInfo

_WORD = re.compile(r"\w+")
_BOUNDS = {"min": "at least", "below": "less than"}
_VALUE_TYPES = {
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
_ARGUMENT_TYPES = {
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

    ``untyped``: it is not null whenever some condition holds, which the generated check uses and no static type
    says; ``inferring``: so it is in ``infer``. ``passed`` is what is known of a call that no rule refused.
    ``omittable``: neither it nor a later argument has to be given.
    """

    info: OperatorInfo
    untyped: bool
    inferring: bool
    passed: FactSet
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
    def value_type(self) -> str:
        """The type that the binding makes of any value."""
        found = _VALUE_TYPES.get(self.kind, self.kind)
        return f"{found} | None" if self.pointer and found != "Any" else found

    @property
    def inferring_type(self) -> str:
        """Its type in ``infer``."""
        return "Any" if self.context.inferring else self.value_type

    @property
    def checked_type(self) -> str:
        """Its type in ``check``."""
        return "Any" if self.context.untyped else self.value_type

    @property
    def checked_comment(self) -> str:
        """Why the parameter has no static type."""
        if not self.context.untyped:
            return ""
        rules = [rule for rule in self.context.info.rules if rule.kind == "null" and rule.params[:1] == (self.name,)]
        if not rules:
            return "  # not null wherever it is read"
        when = next((rule.when for rule in rules if rule.when is not None), None)
        return "  # null is refused in one mode only" if when is None else f"  # null is refused when {unparse(when)}"

    @property
    def passed_type(self) -> str:
        """Its type in ``precision``: a pointer that every passed call has is none that may be null."""
        if not self.pointer:
            return self.value_type
        if self.context.untyped:
            return "Any"
        return (
            self.value_type.removesuffix(" | None")
            if self.context.passed.proves(not_null(Name(self.name)))
            else self.value_type
        )

    @property
    def python_type(self) -> str:
        """Its type for a Python caller."""
        found = _ARGUMENT_TYPES.get(self.kind, self.kind)
        return f"{found} | None" if self.param.optional else found

    @property
    def python_default(self) -> str:
        """Its default, which a parameter before one without default cannot have."""
        if not self.context.omittable:
            return ""
        return f" = {plain_literal(self.param.default)}" if self.param.has_default else " = None"

    @property
    def c_type(self) -> str:
        """Its type in the C-shaped function, where any pointer may be null."""
        found = _ARGUMENT_TYPES.get(self.kind, self.kind)
        return f"{found} | None" if self.pointer else found

    @property
    def declaration(self) -> str:
        """The ``Param`` of the binding."""
        parts: dict[str, str] = {}
        if self.param.type != "tensor":
            parts["type"] = quoted(self.param.type)
        if self.param.is_output:  # one of unknown direction is bound as one that is read and written
            parts["direction"] = quoted("out" if self.param.direction == "out" else "inout")
        if self.param.optional:
            parts["optional"] = "True"
        if self.param.has_default:
            parts["default"] = plain_literal(self.param.default)
        if self.param.formats:
            formats = ((str(rank), tuple_literal(map(quoted, names))) for rank, names in self.param.formats)
            parts["formats"] = tuple_literal(map(tuple_literal, formats))
        if self.param.partial:
            parts["partial"] = "True"
        if self.param.data_dependent:
            parts["data_dependent"] = quoted("last") if self.param.data_dependent == "last" else "True"
        if self.param.elements:
            parts["bounded"] = "True"
        if self.context.info.facts.has_rules and self.name in self.context.info.not_inferred:
            parts["inferred"] = "False"
        return call("Param", quoted(self.name), quoted(self.snake), **parts)

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
        if not self.context.info.facts.has_rules:
            yield from self._declared()
            return
        yield from _dtypes_of(self.context.info, self.name)
        if self.kind == "tensor":
            yield from _formats_of(self.param)
            low, high = self.param.rank
            yield f"rank {low}" if low == high else f"rank {low} to {high}"
            if not self.param.empty:
                yield "not empty"
            if not self.param.noncontiguous:
                yield "contiguous"
        if self.param.elements:
            bounds = (
                (_BOUNDS[key], bound.body if isinstance(bound, Each) else bound) for key, bound in self.param.elements
            )
            yield f"elements {' and '.join(f'{words} {self._noun(bound)}' for words, bound in bounds)}"
        if self.param.values:
            yield f"one of {_listed(map(str, self.param.values))}"
        if self.param.lengths:
            yield f"length {_listed(map(str, self.param.lengths))}"

    def _noun(self, node: Node) -> str:
        """A value in the words of the page."""
        return self._python(noun(self.context.info, node, marks=True))

    def _python(self, text: str) -> str:
        """A marked text with the Python names of parameters as code."""
        snakes = {param.name: param.snake for param in self.context.info.params}
        return shown_marks(text, lambda name: f"``{_WORD.sub(lambda word: snakes.get(word[0], word[0]), name)}``")

    def _declared(self) -> Iterator[str]:
        """What is said of a parameter where no rule is known."""
        if self.param.direction == "unknown":
            yield "whether it is read or written is unknown"

    @property
    def inferred_type(self) -> str:
        """Its type in the result of ``infer``."""
        return inferred_type(self.param)


@dataclass(frozen=True)
class OutputView(ParamView):
    """A parameter that the operator writes, with what follows of it from the inputs."""

    rule: InferInfo | None = None

    def _facts(self) -> Iterator[str]:
        if not self.context.info.facts.has_rules:
            yield self.param.type.replace("_", " ")
            yield from self._declared()
        yield from _dtypes_of(self.context.info, self.name)
        if self.rule is not None:
            yield f"shape: {'at most ' if self.param.data_dependent else ''}{self._noun(self.rule.shape)}"
            yield f"dtype unless given: {self._noun(self.rule.dtype)}"
        if self.param.required is not None:
            given = self.param.required == Bool(False)  # nothing but the caller makes it
            holds = "given" if given else self._python(clause(self.context.info, self.param.required, marks=True))
            yield f"None unless {holds}"
        if self.param.partial:
            yield "elements that are not needed are not written"
        if self.param.data_dependent:
            axis = "last" if self.param.data_dependent == "last" else "first"
            yield f"as long on its {axis} axis as the data says"

    @property
    def field_doc(self) -> str:
        """The docstring of its field in the result."""
        return docstring(wrap(f"{self.doc} {self.facts[0].upper()}{self.facts[1:]}", 4, first=10), 4)


def _dtypes_of(info: OperatorInfo, name: str) -> Iterator[str]:
    """The dtypes that the documents list for a parameter, those of few products with the products."""
    keys = [product for product, _ in info.products]
    found: dict[str, list[str]] = {}
    for row in info.rows:
        for dtype in dict(row.cells).get(name, ()):
            places = [product for product in keys if product in row.products and "document" in row.modes]
            found.setdefault(dtype, []).extend(product for product in places if product not in found.get(dtype, ()))
    everywhere = [dtype for dtype, products in found.items() if len(products) == len(keys)]
    if everywhere:
        yield _listed(everywhere)
    by_products: dict[tuple[str, ...], list[str]] = {}
    for dtype, products in found.items():
        if products and dtype not in everywhere:
            by_products.setdefault(tuple(sorted(products, key=keys.index)), []).append(dtype)
    for products_, dtypes in by_products.items():
        yield f"{_listed(dtypes)} on {_listed(products_, 'and')}"


def _formats_of(param: ParamInfo) -> Iterator[str]:
    """The formats of a tensor, by rank where the rank matters."""
    for rank, names in param.formats:
        yield f"format {_listed(names)}{'' if rank == -1 else f' at rank {rank}'}"


def _listed(items: Iterable[str], word: str = "or") -> str:
    """``a, b or c``."""
    names = list(items)
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"
