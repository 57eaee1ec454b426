"""The pages of an operator on the site, rendered from its spec: the page itself, its further examples, its clauses."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from aclspec.codegen.compile.clauses import Carrier, carriers_of, clause_anchor
from aclspec.codegen.pages.enums import meanings
from aclspec.codegen.pages.environment import template
from aclspec.codegen.pages.examples import session
from aclspec.codegen.pages.html import HTML, block, formula
from aclspec.codegen.pages.pictures import pictures
from aclspec.codegen.pages.siblings import siblings
from aclspec.codegen.pages.words import WORDS
from aclspec.codegen.render.headers import c_prototype
from aclspec.codegen.render.manual.places import clauses_file, clauses_of, places, sections
from aclspec.codegen.render.manual.texts import Texts, is_tensor, precision_roles, python_prototype
from aclspec.codegen.render.manual.words import LANGS, Lang
from aclspec.codegen.render.samples import expected_output, render_sample, sample_of
from aclspec.codegen.spec.project import Operator, Project
from aclspec.codegen.spec.tables import ClauseSpec
from aclspec.codegen.wording.marks import with_marks
from aclspec.codegen.wording.rules import elements
from aclspec.runtime.execution.backends import KERNELS
from aclspec.runtime.language.nodes import IfElse, InRows, Name, Node
from aclspec.runtime.language.unparse import unparse
from aclspec.runtime.rules.operator_info import FITS_INT64, MODES, LetInfo, ParamInfo, PrecisionInfo, RuleInfo

SOURCES = "assets/source"
"""Where the site has specs, kernels and the header of the samples as texts."""
KERNEL_FOLDER = "runtime/aclspec/runtime/kernels"
_TOLERANCE = (
    r"|y - \mathit{exact}| \le \left(\mathit{factor} + \tfrac{\sqrt{\mathit{terms}}}{8}\right) u(\mathit{unit})\, S"
    r" + u(y)\, |\mathit{exact}|"
)


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the site: its content as HTML, and the sections in its table of contents."""

    title: str
    description: str
    html: str
    sections: tuple[tuple[str, str], ...]
    anchors: frozenset[str]


def operator_pages(
    project: Project, operator: Operator, lang: Lang, matrix: str = "", figure: str = ""
) -> dict[str, Page]:
    """The pages of an operator, by their paths below the folder of operators, without their suffix.

    ``matrix`` is what each product takes, ``figure`` the shapes of the tensors, both as HTML.
    """
    page = OperatorPage(project, operator, lang)
    name, snake, words = operator.info.name, operator.info.snake, WORDS[lang]
    context = {
        "page": page,
        "info": operator.info,
        "spec": operator.spec,
        "lang": lang,
        "t": page.words,
        "w": words,
        "block": block,
        "code": HTML.code,
        "codes": HTML.codes,
        "formula": formula,
        "unparse": unparse,
        "modes": MODES,
    }
    parts = {
        "prototypes": {"C": block(c_prototype(operator.info), "c"), "Python": block(python_prototype(operator.info))},
        "figure": figure,
        "matrix": matrix,
        "tolerance": _TOLERANCE,
        "pictures": pictures(operator.info, lang),
    }
    texts = {snake: template("operator.html.j2").render(context, **parts)}
    titles = {snake: name}
    for extra in page.extra:
        texts[f"{snake}/{extra}"] = template(f"{extra}.html.j2").render(context)
        titles[f"{snake}/{extra}"] = words[f"title {extra}"].format(name)
    summary = getattr(operator.info.summary, lang).replace("`", "")
    contents = tuple((section, page.title(section)) for section in page.sections)
    return {
        path: Page(
            titles[path],
            summary,
            text,
            contents if path == snake else (),
            frozenset(anchor for anchor, home in page.places.items() if home == path),
        )
        for path, text in texts.items()
    }


@dataclass(frozen=True, slots=True)
class Group:
    """The rules of one parameter, of several together, or of the call as a whole, each with its number."""

    anchor: str
    title: str
    rules: list[tuple[int, RuleInfo]]


class OperatorPage(Texts):
    """What the templates of an operator's pages show beside the fields of its compiled spec."""

    def __init__(self, project: Project, operator: Operator, lang: Lang) -> None:
        """Remember the clauses, and where everything stands."""
        super().__init__(operator, lang, HTML)
        self.project, self.carriers = project, list(carriers_of(operator))
        self.clause_file = clauses_file(project, operator)
        self.clauses = clauses_of(project, operator)
        self.sections, self.places = sections(operator), places(operator, self.clauses)
        self.site_words = WORDS[lang]

    def title(self, section: str) -> str:
        """The title of a section; that of the products is another one where their checks are unknown."""
        is_own = section in self.site_words and (section != "products" or self.info.facts.has_rules)
        return self.site_words[section] if is_own else str(getattr(self.words, section))

    def link(self, anchor: str, text: str, up: str = "") -> str:
        """A link to an anchor from the page itself, or, with a way up, from a page below it."""
        home = self.places.get(anchor, self.info.snake)
        page = "" if home == self.info.snake and not up else f"{up}{home}.html"
        return f'<a href="{page}#{anchor}">{text}</a>'

    def source(self, path: str, text: str, up: str = "") -> str:
        """A link to a text that the site has."""
        return f'<a href="{up}{self._top}{SOURCES}/{path}.txt">{self.code(text)}</a>'

    @property
    def assets(self) -> str:
        """The way to the assets of the site."""
        return f"{self._top}assets"

    @property
    def _top(self) -> str:
        """The way to the top of the site, which has a folder for each language but the first."""
        return "../" * (1 if self.lang == LANGS[0] else 2)

    @property
    def extra(self) -> list[str]:
        """The pages below the page itself."""
        return [*(["examples"] * bool(self.info.examples[1:] or self.sample)), *(["clauses"] * bool(self.clauses))]

    @property
    def kernel(self) -> str:
        """The kernel as Python imports it, as a link where it is one of ours: a bare module name is."""
        kernel = self.info.compute.kernel
        if "." in kernel:
            return self.code(kernel)
        return self.source(f"{KERNEL_FOLDER}/{kernel.partition(':')[0]}.py", f"{KERNELS}.{kernel}")

    def product(self, key: str) -> str:
        """The name of a product."""
        found = (self.escaped(one.name) for one in self.project.products if one.key == key)
        return next(found, HTML.escaped(key))

    @property
    def strip(self) -> Iterator[tuple[str, list[str]]]:
        """What stands first: the products, the level, names in PyTorch and relatives, each with a label."""
        words = self.site_words
        keys = [key for key, _ in self.info.products]
        known = [f'<a href="../products.html#{key}">{self.code(key)}</a>' for key in keys]
        yield words["products label"], known or [HTML.escaped(self.words.products_unknown)]
        meaning = html.escape(getattr(self.info.facts, self.lang))
        yield str(self.words.level), [f'<span title="{meaning}">{self.info.level}</span>']
        if names := self.info.torch:
            yield "PyTorch", [self.code(name) for name in names]
        homes = {one.name: f"../signatures.html#{one.snake}" for one in self.project.declared}
        homes |= {one.info.name: f"{one.info.snake}.html" for one in self.project.operators}
        for kind, others in siblings(self.project, self.info.name).items():
            yield words[kind], [f'<a href="{homes[name]}">{self.code(name)}</a>' for name in others]

    # Parameters

    @property
    def attributes(self) -> list[ParamInfo]:
        """The parameters of the second table: attributes with more to say than their type."""
        limited = (param for param in self.info.params if param.values or param.lengths or param.has_default)
        return [param for param in limited if not is_tensor(param)]

    @property
    def bounds(self) -> list[str]:
        """What the elements of tensors have to be, a sentence for each that is bounded."""
        bounded = (param for param in self.info.params if param.elements)
        return [self.prose(elements(self.info, param, self.lang, marks=True)) for param in bounded]

    def called(self, let: LetInfo) -> str:
        """The noun that a spec gives to a let."""
        names = (param.name for param in self.info.params)
        return "" if let.doc is None else self.prose(with_marks(let.doc, names, self.lang))

    def values(self, param: ParamInfo) -> str:
        """The values of an attribute, a line each with what it means where its description says so."""
        found = meanings(getattr(param.doc, self.lang), param.values)
        lines = [f"{self.code(value)} {HTML.escaped(text)}" for value, text in found.items()]
        return "<br>".join(lines) or HTML.codes(param.values)

    @property
    def dtype_heads(self) -> list[str]:
        """The heads of the table of dtypes."""
        return [*self.matrix.groups, *map(self.code, self.matrix.products)]

    def default(self, param: ParamInfo) -> str:
        """The default of an attribute."""
        return self.code(repr(param.default)) if param.has_default else str(self.words.none)

    # Rules

    @property
    def groups(self) -> list[Group]:
        """The rules by parameter, in the order of the parameters."""
        found: dict[str, list[tuple[int, RuleInfo]]] = {
            key: [] for key in ("", *(param.name for param in self.info.params), "*")
        }
        for number, rule in enumerate(self.info.checks, 1):
            found["" if not rule.params else rule.params[0] if len(rule.params) == 1 else "*"].append((number, rule))
        anchors = {"": "call", "*": "relations"}
        titles = {"": self.site_words["call"], "*": self.site_words["relations"]}
        return [
            Group(anchors.get(key, key), titles.get(key) or self.code(key), rules)
            for key, rules in found.items()
            if rules
        ]

    def check_of(self, number: int, rule: RuleInfo) -> str:
        """The number, the status and the scope of a rule."""
        scope = (self.status(rule), self.scope(rule), self.code(f"{self.info.name}.{rule.id}"))
        return str(self.words.check_of.format(number, len(self.info.checks), *scope))

    def filtered_by(self, rule: RuleInfo) -> str:
        """The attributes that the filter of the rules reads: products and mode, where the rule is not for all."""
        modes = [mode for mode in MODES if mode in dict(rule.status)]
        products = f' data-products="{" ".join(rule.products)}"' if rule.products else ""
        return products + (f' data-modes="{modes[0]}"' if len(modes) == 1 else "")

    def details(self, rule: RuleInfo) -> Iterator[str]:
        """The remark, the predicate and the clauses of a rule."""
        words = self.words
        if rule.doc is not None:
            yield self.written(rule.doc)
        if rule.outcome == "undefined":
            yield words.not_checked
        when = None if rule.when is None else self.code(unparse(rule.when))
        tested = rule.require is not None and not isinstance(rule.require, InRows) and rule is not FITS_INT64
        require = self.code(unparse(rule.require)) if tested and rule.require is not None else None
        if when and require:
            yield f"{words.predicate}{words.colon}{words.guarded.format(require, when)}"
        elif when or require:
            yield f"{words.guard if when else words.predicate}{words.colon}{when or require}"
        own = next((one.clauses for one in self.carriers if one.kind == "rule" and one.name == rule.id), ())
        if own:
            known = (self._clause(one) for one in own)
            yield f"{words.clause if len(own) == 1 else words.clauses_of}{words.colon}{words.comma.join(known)}"

    def _clause(self, clause: str) -> str:
        """A clause, as a link where it is one of the operator's own document."""
        anchor = clause_anchor(clause)
        return self.link(anchor, clause) if anchor in self.places else clause

    def links_to_rules(self, ids: Iterable[str]) -> str:
        """Links to rules."""
        return str(self.words.comma).join(self.link(f"rule-{rule}", self.code(rule)) for rule in ids)

    # Numbers

    @property
    def precision_heads(self) -> list[str]:
        """The heads of the precision table."""
        roles = map(self.code, precision_roles(self.info))
        return [str(self.words.when), *roles, str(self.words.meaning)]

    def row_condition(self, row: PrecisionInfo) -> str:
        """When a row of the precision table holds."""
        parts = [self.words.for_products.format(self.codes(row.products))] if row.products else []
        if row.when is not None:
            parts.append(self.condition(row.when))
        return str(self.words.comma).join(parts) or str(self.words.otherwise)

    def cells(self, row: PrecisionInfo) -> list[str]:
        """A row of the precision table: when it holds, the dtype or setting of each role, and what it says."""
        entries = dict(row.entries)
        roles = precision_roles(self.info)
        settings = [self.noun(entries[role]) if role in entries else str(self.words.none) for role in roles]
        return [self.row_condition(row), *settings, self.written(row.doc)]

    def terms(self, terms: Node) -> str:
        """The number of terms; each case of a condition on a line of its own."""
        if not isinstance(terms, IfElse):
            return self.noun(terms)
        case = self.words.terms_when.format(self.condition(terms.cond), self.noun(terms.then))
        return f"{case}<br>{self.words.terms_else.format(self.terms(terms.orelse))}"

    def unit(self, unit: Node) -> str:
        """The unit of a tolerance: a role as it stands in the precision table, else a dtype."""
        roles = {role for row in self.info.compute.precision for role, _ in row.roles}
        return self.code(unit.id) if isinstance(unit, Name) and unit.id in roles else self.noun(unit)

    # Examples

    @cached_property
    def sessions(self) -> list[tuple[str, str, str]]:
        """The anchor and the title of each example, and its session in Python."""
        return [
            (f"example-{one.id}", self.escaped(one.title), block("\n".join(session(self.info, one)), "pycon"))
            for one in self.info.examples
        ]

    @cached_property
    def sample(self) -> tuple[str, str] | None:
        """The first example as a C++ program, and what it prints."""
        sample = sample_of(self.info)
        if sample is None:
            return None
        (program,) = render_sample(self.info).values()
        return block(program, "cpp"), block(expected_output(sample).rstrip())

    # Clauses of the original document

    def covered(self, spec: ClauseSpec) -> str:
        """What covers a clause, as links from the page of the clauses."""
        covered = [carrier for carrier in self.carriers if spec.id in carrier.clauses]
        if covered:
            return ", ".join(dict.fromkeys(self.link(one.anchor, self._label(one), "../") for one in covered))
        if spec.waiver is not None:
            return str(self.words.waived.format(self.escaped(spec.waiver)))
        return str(self.words.a_test)

    def _label(self, carrier: Carrier) -> str:
        """What the link to a carrier says."""
        words = self.words
        by_kind = {"interface": words.prototype_link, "row": words.rows_link, "precision": words.precision_link}
        return by_kind.get(carrier.kind) or self.code(carrier.name)

    def anchor(self, spec: ClauseSpec) -> str:
        """The anchor of a clause."""
        return clause_anchor(spec.id)
