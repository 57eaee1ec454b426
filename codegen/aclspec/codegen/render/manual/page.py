"""The page of one operator: what its template writes beside the fields of the compiled spec."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from aclspec.codegen.compile.clauses import Carrier, carriers_of, clause_anchor
from aclspec.codegen.compile.context import texts
from aclspec.codegen.predicate.unparse import unparse
from aclspec.codegen.render.environment import template
from aclspec.codegen.render.headers import c_prototype
from aclspec.codegen.render.manual.examples import session
from aclspec.codegen.render.manual.markdown import Prose, code, codes, escaped, formula
from aclspec.codegen.render.manual.words import Lang, labels
from aclspec.codegen.render.samples import expected_output, sample_of
from aclspec.codegen.source.naming import CALL_KEYWORDS
from aclspec.codegen.spec import base
from aclspec.codegen.spec.project import Operator, Project
from aclspec.codegen.spec.tables import ClauseSpec
from aclspec.codegen.wording.marks import with_marks
from aclspec.codegen.wording.rules import clause, elements, noun, requirement
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.abi.status import Status
from aclspec.runtime.execution.backends import KERNELS
from aclspec.runtime.rules.dtype_table import Line, dtype_table
from aclspec.runtime.rules.nodes import IfElse, InRows, Name, Node
from aclspec.runtime.rules.operator_info import MODES, OperatorInfo, ParamInfo, PrecisionInfo, RuleInfo, Text

_PROTOTYPE_WIDTH = 76


def operator_page(project: Project, operator: Operator, lang: Lang) -> str:
    """The page of one operator in one language."""
    name = "operator" if operator.info.facts.has_rules else "declared"
    return template(f"docs/{name}.md.j2").render(
        page=_Page(project, operator, lang),
        info=operator.info,
        spec=operator.spec,
        lang=lang,
        t=labels(lang),
        code=code,
        math=formula,
        codes=codes,
        unparse=unparse,
        c_prototype=c_prototype,
        python_prototype=python_prototype,
        session=session,
        repr=repr,
    )


def precision_roles(info: OperatorInfo) -> tuple[str, ...]:
    """The roles and settings that some row of the precision table has: its columns."""
    return tuple(dict.fromkeys(role for row in info.compute.precision for role, _ in row.entries))


def python_prototype(info: OperatorInfo) -> str:
    """The function of `aclspec.ops`."""
    params = [param for param in info.params if param.direction != "out"]
    inputs = [f"{param.snake}{_default(params[at:])}" for at, param in enumerate(params)]
    keywords = [f"{keyword}=None" for keyword in (*CALL_KEYWORDS, "out")]
    outputs = [param.snake for param in info.params if param.is_output]
    lines = [
        textwrap.fill(text, _PROTOTYPE_WIDTH, initial_indent=" " * 4, subsequent_indent=" " * 4, break_long_words=False)
        for text in (f"{', '.join(inputs)},", f"*, {', '.join(keywords)},")
    ]
    return "\n".join([f"aclspec.ops.{info.snake}(", *lines, f") -> ({', '.join(outputs)})"])


def _default(params: list[ParamInfo]) -> str:
    """The default of the first of these, which it has only where no later one must be given."""
    if not all(param.optional or param.has_default for param in params):
        return ""
    return f"={params[0].default!r}" if params[0].has_default else "=None"


class _Matrix(NamedTuple):
    """Columns of dtypes, one for each group of parameters with equal cells, and of products."""

    groups: list[str]
    products: tuple[str, ...]
    lines: list[tuple[list[str], list[str]]]
    has_newer: bool


class _Page:
    """The texts of a page that follow from several fields, or need the words of a language."""

    def __init__(self, project: Project, operator: Operator, lang: Lang) -> None:
        self.project, self.operator, self.info, self.lang = project, operator, operator.info, lang
        self.words, self.prose = labels(lang), Prose.of(operator.info, lang)
        self.carriers = list(carriers_of(operator))
        self.clause_file = next((file for file in project.clauses if file.operator == self.info.name), None)
        self.clauses = () if self.clause_file is None else self.clause_file.clauses

    def written(self, text: Text | base.Text | None) -> str:
        """A text of the spec; nothing where there is none."""
        return "" if text is None else self.prose.written(getattr(_complete(text), self.lang))

    def called(self, text: Text | None) -> str:
        """The noun that a spec gives to a let."""
        names = (param.name for param in self.info.params)
        return "" if text is None else self.prose(with_marks(text, names, self.lang))

    def escaped(self, text: Text | base.Text) -> str:
        """A text in which no name is marked."""
        return escaped(getattr(_complete(text), self.lang))

    def noun(self, node: Node) -> str:
        """A value in words."""
        return self.prose.part(noun(self.info, node, self.lang, marks=True))

    def condition(self, node: Node) -> str:
        """A condition in words."""
        return self.prose.part(clause(self.info, node, self.lang, marks=True))

    @property
    def kernel(self) -> str:
        """The kernel as Python imports it; a bare module name is one of the runtime's."""
        kernel = self.info.compute.kernel
        return kernel if "." in kernel else f"{KERNELS}.{kernel}"

    def product(self, key: str) -> str:
        """The name of a product."""
        return next((self.escaped(one.name) for one in self.project.products if one.key == key), escaped(key))

    # Parameters

    @property
    def tensors(self) -> list[ParamInfo]:
        """The parameters of the second table."""
        return [param for param in self.info.params if _is_tensor(param)]

    @property
    def attributes(self) -> list[ParamInfo]:
        """The parameters of the third table: attributes with more to say than their type."""
        limited = (param for param in self.info.params if param.values or param.lengths or param.has_default)
        return [param for param in limited if not _is_tensor(param)]

    def c_type(self, param: ParamInfo) -> str:
        """The C type of a parameter."""
        return code(PARAM_TYPES[param.type].c.replace("*", " *"))

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
        return codes(found) or str(self.words.any)

    def formats(self, param: ParamInfo) -> str:
        """The formats of a tensor, by rank."""
        others = self.words.other_ranks if len(param.formats) > 1 else "{}"
        texts = (
            (others if rank < 0 else self.words.of_rank).format(codes(names), rank) for rank, names in param.formats
        )
        return str(self.words.semicolon).join(texts) or str(self.words.any)

    def rank(self, param: ParamInfo) -> str:
        """The ranks of a tensor."""
        low, high = param.rank
        return str(low) if low == high else str(self.words.range.format(low, high))

    @property
    def bounds(self) -> list[str]:
        """What the elements of tensors have to be, a sentence for each that is bounded."""
        bounded = (param for param in self.info.params if param.elements)
        return [self.prose(elements(self.info, param, self.lang, marks=True)) for param in bounded]

    @cached_property
    def matrix(self) -> _Matrix:
        """Products against dtypes: the joint rows, those with equal dtypes as one line."""
        table = dtype_table(self.info)
        newer = list(self._newer())
        return _Matrix(
            [codes(group, ",<br>") for group in table.groups],
            table.products,
            [
                (list(map(codes, line.dtypes)), [self._mark(line, product, newer) for product in table.products])
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

    def check(self, number: int, rule: RuleInfo) -> tuple[str, str, str]:
        """The sentence of a check, its place, status and scope, and its details."""
        words = self.words
        scope = (self._status(rule), self._scope(rule), code(f"{self.info.name}.{rule.id}"))
        head = str(words.check_of.format(number, len(self.info.rules), *scope))
        return self.prose(requirement(self.info, rule, self.lang, marks=True)), head, "<br>".join(self._details(rule))

    def _status(self, rule: RuleInfo) -> str:
        """The code and its name; one for each mode where they differ."""
        if rule.kind == "shortcut":
            return f"{int(Status.ACLNN_SUCCESS)} {self.words.ends_checks}"
        by_mode = dict(rule.status)
        if len(set(by_mode.values())) <= 1:
            return _numbered(next(iter(by_mode.values()), Status.ACLNN_SUCCESS.name))
        return ", ".join(self.words.status_in_mode.format(_numbered(name), mode) for mode, name in by_mode.items())

    def _scope(self, rule: RuleInfo) -> str:
        """The mode and the products to which the rule is limited."""
        modes = [mode for mode in MODES if mode in dict(rule.status)]
        limit = self.words.one_mode.format(modes[0]) if len(modes) == 1 else ""
        limits = [self.words.nobody if rule.outcome == "undefined" else limit, codes(rule.products)]
        return str(self.words.semicolon).join(filter(None, limits)) or str(self.words.everywhere)

    def _details(self, rule: RuleInfo) -> Iterator[str]:
        """The remark, the predicate and the clauses of a rule."""
        words = self.words
        if rule.doc is not None:
            yield self.written(rule.doc)
        if rule.outcome == "undefined":
            yield words.not_checked
        when = None if rule.when is None else code(unparse(rule.when))
        require = None if rule.require is None or isinstance(rule.require, InRows) else code(unparse(rule.require))
        if when and require:
            yield f"{words.predicate}{words.colon}{words.guarded.format(require, when)}"
        elif when or require:
            yield f"{words.guard if when else words.predicate}{words.colon}{when or require}"
        own = next((one.clauses for one in self.carriers if one.kind == "rule" and one.name == rule.id), ())
        if own:
            known = {one.id for one in self.clauses}
            links = (f"[{one}](#{clause_anchor(one)})" if one in known else one for one in own)
            yield f"{words.clause if len(own) == 1 else words.clauses_of}{words.colon}{words.comma.join(links)}"

    # Numbers

    def rules(self, ids: Iterable[str]) -> str:
        """Links to rules."""
        return str(self.words.comma).join(f"[{code(rule)}](#rule-{rule})" for rule in ids)

    @property
    def roles(self) -> tuple[str, ...]:
        """The columns of the precision table."""
        return precision_roles(self.info)

    def row_condition(self, row: PrecisionInfo) -> str:
        """When a row of the precision table holds."""
        parts = [self.words.for_products.format(codes(row.products))] if row.products else []
        if row.when is not None:
            parts.append(self.condition(row.when))
        return str(self.words.comma).join(parts) or str(self.words.otherwise)

    def cells(self, row: PrecisionInfo) -> list[str]:
        """The dtype or setting of each role in a row of the precision table."""
        entries = dict(row.entries)
        return [self.noun(entries[role]) if role in entries else self.words.none for role in self.roles]

    def terms(self, terms: Node) -> str:
        """The number of terms; each case of a condition on a line of its own."""
        if not isinstance(terms, IfElse):
            return self.noun(terms)
        case = self.words.terms_when.format(self.condition(terms.cond), self.noun(terms.then))
        return f"{case}<br>{self.words.terms_else.format(self.terms(terms.orelse))}"

    def unit(self, unit: Node) -> str:
        """The unit of a tolerance: a role as it stands in the precision table, else a dtype."""
        roles = {role for row in self.info.compute.precision for role, _ in row.roles}
        return code(unit.id) if isinstance(unit, Name) and unit.id in roles else self.noun(unit)

    @property
    def sample(self) -> str | None:
        """The output of the first example as a C++ program."""
        sample = sample_of(self.info)
        return None if sample is None else expected_output(sample).rstrip()

    # Clauses of the original document

    def carried(self, spec: ClauseSpec) -> str:
        """What carries a clause, as links into the page."""
        carried = [carrier for carrier in self.carriers if spec.id in carrier.clauses]
        if carried:
            return ", ".join(dict.fromkeys(f"[{self._label(one)}](#{one.anchor})" for one in carried))
        if spec.waiver is not None:
            return str(self.words.waived.format(self.escaped(spec.waiver)))
        return str(self.words.a_test)

    def _label(self, carrier: Carrier) -> str:
        """What the link to a carrier says."""
        words = self.words
        by_kind = {"interface": words.prototype_link, "row": words.rows_link, "precision": words.precision_link}
        return by_kind.get(carrier.kind) or code(carrier.name)

    def anchor(self, spec: ClauseSpec) -> str:
        """The anchor of a clause."""
        return clause_anchor(spec.id)


def _complete(text: Text | base.Text) -> Text:
    """A text that says so where a language is missing."""
    return text if isinstance(text, Text) else texts(text)


def _is_tensor(param: ParamInfo) -> bool:
    return PARAM_TYPES[param.type].predicate in ("tensor", "tensors")


def _numbered(name: str) -> str:
    return f"{int(Status[name])} {code(name)}"
