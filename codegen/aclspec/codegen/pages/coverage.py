"""How well the specs and their tests cover the documents: clauses, rules, derived tests and mutants, counted."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from aclspec.codegen.mutate.mutants import mutants
from aclspec.codegen.pages.checkout import project_of
from aclspec.codegen.pages.predicate_reference import table
from aclspec.codegen.render.manual.words import Lang
from aclspec.codegen.spec.project import Operator, Project
from aclspec.codegen.trace import trace
from aclspec.codegen.trace.report import TraceReport
from aclspec.runtime.abi.products import KEYS
from aclspec.runtime.rules.operator_info import OperatorInfo

_HEADS: dict[Lang, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "en": (
        ("operator", "level", "rules", "clauses", "cases", "mutants"),
        ("document", "operator", "clauses", "covered", "tested", "waived"),
        ("clause", "what it says", "why it is waived"),
    ),
    "zh": (
        ("算子", "级别", "规则", "条款", "用例", "变异体"),
        ("文档", "算子", "条款", "已落实", "由测试证明", "豁免"),
        ("条款", "内容", "豁免理由"),
    ),
}
_TITLES: dict[Lang, tuple[str, str, str, str, str]] = {
    "en": ("By operator", "Verdicts by product", "By document", "Waived clauses", "No clause is waived."),
    "zh": ("按算子", "各产品上的结论", "按文档", "豁免的条款", "没有豁免的条款。"),
}
_VERDICTS: dict[Lang, dict[str, str]] = {
    "en": {
        "judged": "judged",
        "refused": "refused",
        "undocumented": "undocumented",
        "no kernel": "no kernel",
        "some no kernel": "some without a kernel",
        "some unjudged": "some not judged",
        "comma": ", ",
    },
    "zh": {
        "judged": "可判断",
        "refused": "拒绝",
        "undocumented": "文档未列",
        "no kernel": "没有内核",
        "some no kernel": "部分没有内核",
        "some unjudged": "部分未判断",
        "comma": "，",
    },
}


def coverage(lang: Lang, root: Path) -> str:
    """The tables of a checkout."""
    report = _traced(root)[1]
    by_operator, by_product, by_document, waived, none = _TITLES[lang]
    operators, documents, clauses = _HEADS[lang]
    waivers = list(_waived(report, lang))
    return "\n".join(
        (
            f"## {by_operator} {{: #operators}}\n",
            table(operators, _operators(root)),
            f"## {by_product} {{: #products}}\n",
            table((operators[0], *(f"`{key}`" for key in KEYS)), verdicts(project_of(root), lang)),
            f"## {by_document} {{: #documents}}\n",
            table(documents, _documents(report)),
            f"## {waived} {{: #waived}}\n",
            table(clauses, waivers) if waivers else none,
        )
    )


def verdicts(project: Project, lang: Lang) -> Iterator[tuple[str, ...]]:
    """A row for each operator with rules: what may be said of its calls on each product."""
    for info in (operator.info for operator in project.operators if operator.info.facts.has_rules):
        yield f"[`{info.name}`](operators/{info.snake}.md)", *(_verdict(info, key, lang) for key in KEYS)


def _verdict(info: OperatorInfo, product: str, lang: Lang) -> str:
    """Whether the document lists the product and the library knows it, then the caveats of some calls there."""
    words = _VERDICTS[lang]
    here = (caveat for caveat in info.caveats if not caveat.products or product in caveat.products)
    found = [caveat for caveat in here if caveat.kind != "version"]
    if any(caveat.kind == "no kernel" and caveat.when is None for caveat in found):
        return words["no kernel"]
    rule = next((rule for rule in info.rules if rule.kind == "product"), None)
    if product not in dict(info.products) and rule is not None:
        head = "refused" if "library" in dict(rule.status) else "undocumented"
    else:
        head = "judged"
    some = () if head == "refused" else dict.fromkeys(f"some {caveat.kind}" for caveat in found)
    return words["comma"].join(words[key] for key in (head, *some))


@cache
def _traced(root: Path) -> tuple[Project, TraceReport]:
    project = project_of(root)
    return project, trace(project, root)


@cache
def _operators(root: Path) -> tuple[tuple[str, ...], ...]:
    """A row of numbers for each operator, the same in both languages."""
    project, report = _traced(root)
    return tuple(_counted(project.operators, report, root))


def _counted(operators: tuple[Operator, ...], report: TraceReport, root: Path) -> Iterator[tuple[str, ...]]:
    for operator in operators:
        name, snake = operator.info.name, operator.info.snake
        module = root / "generated" / "aclspec" / "ops" / f"{snake}.py"
        found = mutants(ast.parse(module.read_text(encoding="utf-8")))
        rules = [row for row in report.rules if row.operator == name]
        numbers = (
            len(rules),
            sum(row.operator == name for row in report.clauses),
            sum(row.cases for row in rules),
            len(found),
        )
        yield f"[`{name}`](operators/{snake}.md)", f"`{operator.info.level}`", *map(str, numbers)


def _documents(report: TraceReport) -> Iterator[tuple[str, ...]]:
    operators = {row.document: row.operator for row in report.clauses}
    for document, counts in sorted(report.counts().items()):
        fates = (str(counts.get(fate, 0)) for fate in ("clauses", "covered", "tested", "waived"))
        yield document, f"`{operators[document]}`", *fates


def _waived(report: TraceReport, lang: Lang) -> Iterator[tuple[str, ...]]:
    for row in report.clauses:
        if row.waiver is not None:
            yield row.id, getattr(row.says, lang), getattr(row.waiver, lang)
