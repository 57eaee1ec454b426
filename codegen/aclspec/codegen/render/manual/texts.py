"""The texts of an operator's pages that follow from several fields of its spec, or need the words of a language."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from aclspec.codegen.compile.context import texts
from aclspec.codegen.render.manual.prose import Markup, Prose
from aclspec.codegen.render.manual.words import Lang, labels
from aclspec.codegen.source.naming import CALL_KEYWORDS
from aclspec.codegen.spec import base
from aclspec.codegen.spec.project import Operator
from aclspec.codegen.wording.rules import clause, noun, requirement
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.abi.status import Status
from aclspec.runtime.language.nodes import Node
from aclspec.runtime.language.unparse import unparse
from aclspec.runtime.rules.answer_words import of_versions, reason
from aclspec.runtime.rules.dtype_table import Line, dtype_table
from aclspec.runtime.rules.operator_info import MODES, CaveatInfo, OperatorInfo, ParamInfo, RuleInfo, Text

_PROTOTYPE_WIDTH = 76


def precision_roles(info: OperatorInfo) -> tuple[str, ...]:
    """The roles and settings that some row of the precision table has: its columns."""
    return tuple(dict.fromkeys(role for row in info.compute.precision for role, _ in row.entries))


def python_prototype(info: OperatorInfo) -> str:
    """The function of `aclspec.ops`, with every keyword."""
    keywords = [f"{keyword}=None" for keyword in (*CALL_KEYWORDS, "out")]
    lines = [
        textwrap.fill(text, _PROTOTYPE_WIDTH, initial_indent=" " * 4, subsequent_indent=" " * 4, break_long_words=False)
        for text in (f"{_inputs(info)},", f"*, {', '.join(keywords)},")
    ]
    return "\n".join([f"aclspec.ops.{info.snake}(", *lines, f") -> ({_outputs(info)})"])


def python_function(info: OperatorInfo) -> str:
    """The function of `aclspec.ops` in one line, without the keywords that all have."""
    return f"aclspec.ops.{info.snake}({_inputs(info)}) -> ({_outputs(info)})"


def _inputs(info: OperatorInfo) -> str:
    params = [param for param in info.params if param.direction != "out"]
    return ", ".join(f"{param.snake}{_default(params[at:])}" for at, param in enumerate(params))


def _outputs(info: OperatorInfo) -> str:
    return ", ".join(param.snake for param in info.params if param.is_output)


def _default(params: list[ParamInfo]) -> str:
    """The default of the first of these, which it has only where no later one must be given."""
    if not all(param.optional or param.has_default for param in params):
        return ""
    return f"={params[0].default!r}" if params[0].has_default else "=None"


class Matrix(NamedTuple):
    """Columns of dtypes, one for each group of parameters with equal cells, and of products."""

    groups: list[str]
    products: tuple[str, ...]
    lines: list[tuple[list[str], list[str]]]
    has_newer: bool


class Texts:
    """The texts about one operator in one language, in the markup of a kind of page."""

    def __init__(self, operator: Operator, lang: Lang, markup: Markup) -> None:
        """Remember the operator and the words."""
        self.operator, self.spec, self.info, self.lang = operator, operator.spec, operator.info, lang
        self.words, self.prose = labels(lang), Prose.of(operator.info, lang, markup)
        self.markup, self.code, self.codes = markup, markup.code, markup.codes

    def written(self, text: Text | base.Text | None) -> str:
        """A text of the spec; nothing where there is none."""
        return "" if text is None else self.prose.written(getattr(_complete(text), self.lang))

    def escaped(self, text: Text | base.Text) -> str:
        """A text in which no name is marked."""
        return self.markup.escaped(getattr(_complete(text), self.lang))

    def noun(self, node: Node) -> str:
        """A value in words."""
        return self.prose.part(noun(self.info, node, self.lang, marks=True))

    def condition(self, node: Node) -> str:
        """A condition in words."""
        return self.prose.part(clause(self.info, node, self.lang, marks=True))

    def caveat(self, caveat: CaveatInfo) -> str:
        """The status, the products and the predicate of a caveat, then what it says."""
        scope = [self.code(str(int(Status[caveat.status])))] if caveat.status else []
        scope += [self.codes(caveat.products)] if caveat.products else []
        scope += [self.code(unparse(caveat.when))] if caveat.when is not None else []
        text = self.prose.written(
            of_versions(caveat, self.lang) if caveat.kind == "version" else reason(caveat, self.lang)
        )
        return f"{', '.join(scope)}{self.words.colon}{text}"

    # Parameters

    @property
    def tensors(self) -> list[ParamInfo]:
        """The parameters that are tensors or lists of tensors."""
        return [param for param in self.info.params if is_tensor(param)]

    def c_type(self, param: ParamInfo) -> str:
        """The C type of a parameter."""
        return self.code(PARAM_TYPES[param.type].c.replace("*", " *"))

    def null(self, param: ParamInfo) -> str:
        """When a parameter may be null."""
        if not PARAM_TYPES[param.type].pointer:
            return str(self.words.by_value)
        if param.optional:
            return str(self.words.may_be_null)
        if param.required is not None:
            return str(self.words.null_unless.format(self.condition(param.required)))
        return str(self.words.never_null)

    def dtypes(self, param: ParamInfo) -> str:
        """Every dtype that some row allows a parameter."""
        found = dict.fromkeys(dtype for row in self.info.rows for dtype in dict(row.cells).get(param.name, ()))
        return self.codes(found) or str(self.words.any)

    def formats(self, param: ParamInfo) -> str:
        """The formats of a tensor, by rank."""
        others = self.words.other_ranks if len(param.formats) > 1 else "{}"
        found = (
            (others if rank < 0 else self.words.of_rank).format(self.codes(names), rank)
            for rank, names in param.formats
        )
        return str(self.words.semicolon).join(found) or str(self.words.any)

    def rank(self, param: ParamInfo) -> str:
        """The ranks of a tensor."""
        low, high = param.rank
        return str(low) if low == high else str(self.words.range.format(low, high))

    @cached_property
    def matrix(self) -> Matrix:
        """Products against dtypes: the joint rows, those with equal dtypes as one line."""
        table = dtype_table(self.info)
        newer = list(self._newer())
        return Matrix(
            [self.codes(group, ",<br>") for group in table.groups],
            table.products,
            [
                (list(map(self.codes, line.dtypes)), [self._mark(line, product, newer) for product in table.products])
                for line in table.lines
            ],
            any(newer),
        )

    def _newer(self) -> Iterator[bool]:
        """For each expanded row whether only the newer documentation lists it."""
        for row in self.operator.spec.dtypes:
            used = (values for name, values in row.where.items() if any(name in cell for cell in row.row.values()))
            yield from [row.listed_by == "newer"] * math.prod(map(len, used))

    def _mark(self, line: Line, product: str, newer: list[bool]) -> str:
        """The modes in which a product takes a line; two rows of one mode each make both modes."""
        rows = line.rows.get(product)
        if not rows:
            return str(self.words.unsupported)
        modes = {mode for at in rows for mode in self.info.rows[at].modes}
        only = self.words.library_only if "library" in modes else self.words.document_only
        mark = str(self.words.supported if len(modes) > 1 else only)
        return str(self.words.newer_mark.format(mark)) if any(newer[at] for at in rows) else mark

    # Checks

    def sentence(self, rule: RuleInfo) -> str:
        """What a rule requires."""
        return self.prose(requirement(self.info, rule, self.lang, marks=True))

    def status(self, rule: RuleInfo, names: bool = True) -> str:
        """The code, with its name if wanted; one for each mode where they differ."""
        if rule.kind == "shortcut":
            return f"{int(Status.ACLNN_SUCCESS)} {self.words.ends_checks}"
        by_mode = dict(rule.status)
        if len(set(by_mode.values())) <= 1:
            return self._numbered(next(iter(by_mode.values()), Status.ACLNN_SUCCESS.name), names)
        numbered = {mode: self._numbered(name, names) for mode, name in by_mode.items()}
        return ", ".join(self.words.status_in_mode.format(text, mode) for mode, text in numbered.items())

    def _numbered(self, name: str, is_named: bool) -> str:
        return f"{int(Status[name])}{f' {self.code(name)}' if is_named else ''}"

    def scope(self, rule: RuleInfo) -> str:
        """The mode and the products to which the rule is limited."""
        modes = [mode for mode in MODES if mode in dict(rule.status)]
        limit = self.words.one_mode.format(modes[0]) if len(modes) == 1 else ""
        limits = [self.words.nobody if rule.outcome == "undefined" else limit, self.codes(rule.products)]
        return str(self.words.semicolon).join(filter(None, limits)) or str(self.words.everywhere)


def _complete(text: Text | base.Text) -> Text:
    """A text that says so where a language is missing."""
    return text if isinstance(text, Text) else texts(text)


def is_tensor(param: ParamInfo) -> bool:
    """Whether a parameter is a tensor or a list of tensors."""
    return PARAM_TYPES[param.type].predicate in ("tensor", "tensors")
