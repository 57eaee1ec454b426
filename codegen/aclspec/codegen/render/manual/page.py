"""The page of an operator among the generated files, for a reader of a code host: prototypes, dtypes, checks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import PurePosixPath

from aclspec.codegen.render.build import OWN_PACKAGE, Target
from aclspec.codegen.render.environment import template
from aclspec.codegen.render.headers import phase_one
from aclspec.codegen.render.manual.markdown import MARKDOWN, code, escaped
from aclspec.codegen.render.manual.prose import Prose
from aclspec.codegen.render.manual.texts import Texts, is_tensor, python_function
from aclspec.codegen.render.manual.words import LANGS, Lang, category, labels
from aclspec.codegen.spec.project import Operator
from aclspec.runtime.rules.operator_info import OperatorInfo, ParamInfo, RuleInfo

FOLDER = PurePosixPath("docs")


def languages(target: Target) -> tuple[Lang, ...]:
    """The languages of the pages: this project commits the English ones, and its site has both."""
    return LANGS[:1] if target.package == OWN_PACKAGE else LANGS


def render_docs(operator: Operator, target: Target) -> dict[PurePosixPath, str]:
    """The pages of one operator, by their paths below the generated folder."""
    name = f"{operator.info.snake}.md"
    return {FOLDER / lang / "operators" / name: _page(operator, lang, target) for lang in languages(target)}


def _page(operator: Operator, lang: Lang, target: Target) -> str:
    return template("docs/operator.md.j2").render(
        page=_Page(operator, lang, MARKDOWN),
        info=operator.info,
        lang=lang,
        t=labels(lang),
        has_site=target.package == OWN_PACKAGE,
        c_function=phase_one(operator.info),
        python_function=python_function(operator.info),
    )


class _Page(Texts):
    """What the template shows beside the texts that the page on the site has, too."""

    @property
    def params(self) -> Iterator[tuple[str, list[str]]]:
        """The rows of the table of parameters; equal neighbours are one row."""
        for cells, same in groupby(self.info.params, key=self._cells):
            yield self.codes((param.name for param in same), ",<br>"), cells

    def _cells(self, param: ParamInfo) -> list[str]:
        head = [str(getattr(self.words, param.direction)), self.null(param)]
        if not is_tensor(param):
            return [*head, self.c_type(param), "-", "-"]
        return [*head, self.dtypes(param), self.formats(param), self.rank(param)]

    def code_of(self, rule: RuleInfo) -> str:
        """The status that a rule gives, as a number."""
        return self.status(rule, names=False)


def contents_rows(info: OperatorInfo) -> tuple[str, ...]:
    """The line of an operator in the list of all, in every language."""
    return tuple(_row(info, lang) for lang in LANGS)


def _row(info: OperatorInfo, lang: Lang) -> str:
    summary = Prose.of(info, lang, MARKDOWN).written(getattr(info.summary, lang))
    link = f"[{code(info.name)}](operators/{info.snake}.md)"
    return f"| {link} | {escaped(category(info.category, lang))} | {summary} | {code(info.level)} |"


def render_contents(rows: Sequence[tuple[str, ...]], target: Target) -> dict[PurePosixPath, str]:
    """The list of all operators; ``rows`` has the line of each in every language."""
    return {
        FOLDER / lang / "README.md": template("docs/README.md.j2").render(
            t=labels(lang), rows=[row[LANGS.index(lang)] for row in rows]
        )
        for lang in languages(target)
    }
