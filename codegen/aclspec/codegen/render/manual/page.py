"""The page of one operator, ready for its template."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

from aclspec.codegen.load import Operator, Project
from aclspec.codegen.predicate.unparse import unparse
from aclspec.codegen.render.manual.carriers import ClauseView, clause_file, clause_views
from aclspec.codegen.render.manual.checks import CheckView, check_views
from aclspec.codegen.render.manual.examples import ExampleView, SampleView, example_views, sample_view
from aclspec.codegen.render.manual.markdown import Prose, code, escaped
from aclspec.codegen.render.manual.matrix import MatrixView, matrix_view
from aclspec.codegen.render.manual.numbers import (
    OutputView,
    PrecisionView,
    ToleranceView,
    output_views,
    precision_roles,
    precision_views,
    tolerance_views,
)
from aclspec.codegen.render.manual.params import ParamView, param_view
from aclspec.codegen.render.manual.prototype import c_prototype, python_prototype
from aclspec.codegen.render.manual.words import Lang, labels
from aclspec.runtime.backends import KERNELS


@dataclass(frozen=True, slots=True)
class FormulaView:
    """A formula in LaTeX and what its letters mean."""

    anchor: str
    latex: str
    doc: str


@dataclass(frozen=True, slots=True)
class NoteView:
    """A remark; ``is_deviation``: the documents, the library and this spec part."""

    anchor: str
    is_deviation: bool
    doc: str
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LetView:
    """A name that the predicates of the checks use, what it stands for, and its value as the spec has it."""

    name: str
    doc: str
    value: str


@dataclass(frozen=True, slots=True)
class ProductView:
    """A product on which the operator may be called."""

    key: str
    name: str
    listed_by: str


@dataclass(frozen=True, slots=True)
class OperatorPage:
    """Everything that the template of an operator shows."""

    t: SimpleNamespace
    lang: Lang
    name: str
    snake: str
    header: str
    spec: str
    kernel: str
    summary: str
    deterministic: bool
    c_prototype: str
    python_prototype: str
    products: tuple[ProductView, ...]
    formulas: tuple[FormulaView, ...]
    params: tuple[ParamView, ...]
    matrix: MatrixView
    checks: tuple[CheckView, ...]
    lets: tuple[LetView, ...]
    outputs: tuple[OutputView, ...]
    roles: tuple[str, ...]
    precision: tuple[PrecisionView, ...]
    tolerance: tuple[ToleranceView, ...]
    examples: tuple[ExampleView, ...]
    sample: SampleView | None
    notes: tuple[NoteView, ...]
    document: str
    clauses: dict[str, ClauseView]

    @property
    def tensors(self) -> tuple[ParamView, ...]:
        """The parameters of the second table."""
        return tuple(param for param in self.params if param.is_tensor)

    @property
    def attributes(self) -> tuple[ParamView, ...]:
        """The parameters of the third table."""
        return tuple(param for param in self.params if param.is_limited)


def kernel_name(kernel: str) -> str:
    """The kernel as Python imports it; a bare module name is one of the runtime's."""
    return kernel if "." in kernel else f"{KERNELS}.{kernel}"


def operator_page(project: Project, operator: Operator, lang: Lang) -> OperatorPage:
    """The page of one operator in one language."""
    info, spec = operator.info, operator.spec
    words = labels(lang)
    prose = Prose.of(info, lang)
    file = clause_file(project, operator)
    names = {product.key: getattr(product.name, lang) for product in project.products}
    return OperatorPage(
        t=words,
        lang=lang,
        name=info.name,
        snake=info.snake,
        header=f"aclnnop/{info.header}",
        spec=info.spec,
        kernel=kernel_name(info.compute.kernel),
        summary=prose.written(getattr(info.summary, lang)),
        deterministic=info.compute.deterministic,
        c_prototype=c_prototype(info),
        python_prototype=python_prototype(info),
        products=tuple(
            ProductView(key, escaped(names.get(key, key)), getattr(words, listed)) for key, listed in info.products
        ),
        formulas=tuple(
            FormulaView(
                f"formula-{one.id}", one.latex, "" if one.doc is None else prose.written(getattr(one.doc, lang))
            )
            for one in spec.formula
        ),
        params=tuple(param_view(info, param, prose, lang) for param in info.params),
        matrix=matrix_view(operator, lang),
        checks=check_views(operator, prose, lang),
        lets=tuple(
            LetView(code(one.name), "" if one.doc is None else prose(getattr(one.doc, lang)), code(unparse(one.value)))
            for one in info.lets
        ),
        outputs=output_views(info, prose, lang),
        roles=tuple(map(code, precision_roles(info))),
        precision=precision_views(info, prose, lang),
        tolerance=tolerance_views(info, prose, lang),
        examples=example_views(info, lang),
        sample=sample_view(info),
        notes=tuple(
            NoteView(f"note-{one.id}", one.kind == "deviation", prose.written(getattr(one.doc, lang)), one.rules)
            for one in spec.notes
        ),
        document="" if file is None else file.document,
        clauses={view.id: view for view in clause_views(project, operator, lang)},
    )
