"""The page of an operator on the site: prototype, shapes, the form, the matrix, then rules grouped by parameter.

The manual is one Markdown file an operator. The site shows its sections in another order, and its further examples and
its clauses on pages of their own. Links between them follow.
"""

from __future__ import annotations

import re
from textwrap import indent

from aclspec.codegen.pages.axes import Axes
from aclspec.codegen.pages.diagram import diagram
from aclspec.codegen.pages.matrix import matrix
from aclspec.codegen.pages.pictures import pictures
from aclspec.codegen.pages.probes import Probes
from aclspec.codegen.render.manual.words import LANGS, Lang
from aclspec.codegen.spec.project import Operator
from aclspec.runtime.rules.operator_info import MODES, RuleInfo

_SECTION = re.compile(r"^(?=## .*\{: #[\w-]+\}$)", re.MULTILINE)
_PART = re.compile(r"^(?=#### .*\{: #[\w-]+\}$|### )", re.MULTILINE)
_ID = re.compile(r"\A#+ .*\{: #([\w-]+)\}")
_ANCHOR = re.compile(r'\{: #([\w-]+)|<a id="([^"]+)">')
_LINK = re.compile(r"\]\(#([^)\s]+)\)")
_CELL = re.compile(r"(?<!\\)\|")
_ORDER = ("formulas", "parameters", "dtypes", "checks", "outputs", "precision", "notes", "examples")
WORDS: dict[Lang, dict[str, str]] = {
    "en": {
        "ask": "Would this call work?",
        "needs": "The form needs JavaScript; aclspec explain answers the same question on a command line.",
        "matrix": "What each product takes",
        "checks": "Rules",
        "intro": "Phase one checks the rules in the order of their numbers; the first that fails decides the status. "
        "A rule is skipped if its condition is false or it needs an argument that is null.",
        "call": "The call as a whole",
        "relations": "Several parameters together",
        "more": "More",
        "examples": "Further examples, and the first as a C++ program",
        "clauses": "The clauses of the original document",
        "back": "Back to {0}",
        "title examples": "{0}: examples",
        "title clauses": "{0}: clauses",
        "product": "Product",
        "mode": "Mode",
        "all": "all",
        "shown": "{shown} of {all} rules",
    },
    "zh": {
        "ask": "这个调用可行吗？",
        "needs": "表单需要 JavaScript；命令 aclspec explain 可回答同样的问题。",
        "matrix": "各产品支持的输入",
        "checks": "规则",
        "intro": "第一段接口按编号顺序检查，首个不满足的规则决定返回码。条件不成立，或所需参数为空指针时，跳过该规则。",
        "call": "整个调用",
        "relations": "参数之间的关系",
        "more": "更多",
        "examples": "更多示例，以及第一个示例的 C++ 程序",
        "clauses": "原文条款",
        "back": "返回 {0}",
        "title examples": "{0}：示例",
        "title clauses": "{0}：原文条款",
        "product": "产品",
        "mode": "模式",
        "all": "全部",
        "shown": "{all} 条规则中的 {shown} 条",
    },
}


def site_pages(text: str, operator: Operator, lang: Lang, probes: Probes, axes: Axes | None) -> dict[str, str]:
    """The pages that the site makes of a page of the manual, by their paths below the folder of operators."""
    head, sections = _sections(text)
    if "checks" not in sections:
        return {f"{operator.info.snake}.md": text}
    words, name, snake = WORDS[lang], operator.info.name, operator.info.snake
    title, facts = head.split("\n\n- ", 1)
    first, further = _examples(sections.get("examples", ""))
    extra = {
        "examples": further + sections.get("sample", ""),
        "clauses": sections.get("clauses", ""),
    }
    found = {
        key: f"# {words[f'title {key}'].format(name)}\n\n[{words['back'].format(name)}](../{snake}.md)\n\n{body}"
        for key, body in extra.items()
        if body
    }
    parts = {**sections, "examples": first, "checks": _checks(sections["checks"], operator, lang)}
    first_screen = f"{_tabbed(parts['prototype']).rstrip()}\n\n{diagram(axes, lang)}"
    about = f"- {facts.strip()}\n{pictures(text, lang)}"
    parts["parameters"] = _columns(_without(parts["parameters"], "tensors"))
    links = "".join(f"- [{words[key]}]({snake}/{key}.md)\n" for key in found)
    pages = {
        f"{snake}.md": "".join(
            [
                "---\nhide: [toc]\n---\n\n",
                f'{title}\n\n<div class="aclspec-first" markdown>\n\n{first_screen}\n</div>\n\n',
                _form(operator, lang),
                f"## {words['matrix']} {{: #products}}\n\n{matrix(operator, lang, probes)}\n\n",
                *(parts[key] for key in _ORDER if key in parts),
                f"\n## {words['more']} {{: #more}}\n\n{about}{links}",
            ]
        ),
        **{f"{snake}/{key}.md": body for key, body in found.items()},
    }
    return _linked(pages)


def _sections(text: str) -> tuple[str, dict[str, str]]:
    """What stands before the first section, and the sections by their ids."""
    head, *parts = _SECTION.split(text)
    return head, {_id(part): part for part in parts}


def _id(part: str) -> str:
    found = _ID.match(part)
    return found[1] if found else ""


def _form(operator: Operator, lang: Lang) -> str:
    """The place of the form, and its scripts behind it, so that it stands before the rest of the page is read."""
    words, info = WORDS[lang], operator.info
    folder = f"{'../' * (1 if lang == LANGS[0] else 2)}assets/ask"
    scripts = "".join(
        f'<script src="{folder}/{name}.js"></script>' for name in ("ask", "tables", f"operators/{info.snake}.{lang}")
    )
    return (
        f"## {words['ask']} {{: #ask}}\n\n"
        f'<div class="aclspec-ask" data-op="{info.snake}" data-lang="{lang}">'
        f"<p>{words['needs']}</p></div>\n"
        f'<link rel="stylesheet" href="{folder}/ask.css">{scripts}<script>aclspecAsk.mountAll()</script>\n\n'
    )


def _examples(section: str) -> tuple[str, str]:
    """The first example under the section's heading, and the others."""
    head, *examples = _PART.split(section)
    return head + "".join(examples[:1]), "".join(part.replace("#### ", "## ", 1) for part in examples[1:])


def _tabbed(section: str) -> str:
    """The prototypes in C and in Python, one of them in view."""
    heading, *blocks = re.split(r"(?=^```\w+$)", section.rstrip(), flags=re.MULTILINE)
    tabs = (f'=== "{name}"\n\n{indent(block, " " * 4)}' for name, block in zip(("C", "Python"), blocks, strict=True))
    return heading + "\n".join(tabs)


def _columns(section: str) -> str:
    """The table of parameters without what the prototypes say: the names in Python and the types in C."""
    table, rest = re.split(r"(?=\n### |\Z)", section, maxsplit=1)
    lines = (_CELL.split(line) for line in table.split("\n"))
    return (
        "\n".join("|".join((*cells[:2], cells[3], *cells[5:]) if len(cells) > 6 else cells) for cells in lines) + rest
    )


def _without(section: str, name: str) -> str:
    return "".join(part for part in _PART.split(section) if _id(part) != name)


def _checks(section: str, operator: Operator, lang: Lang) -> str:
    """The rules in groups, each below a heading, with what the filter of the section reads."""
    words, info = WORDS[lang], operator.info
    _, *parts = _PART.split(section)
    texts = {_id(part): part for part in parts}
    groups: dict[str, list[RuleInfo]] = {key: [] for key in ("", *(param.name for param in info.params), "*")}
    for rule in info.rules:
        groups["" if not rule.params else rule.params[0] if len(rule.params) == 1 else "*"].append(rule)
    titles = {"": words["call"], "*": words["relations"]}
    lines = [f"## {words['checks']} {{: #checks}}\n\n{words['intro']}\n\n{_filter(operator, lang)}\n\n"]
    for key, rules in groups.items():
        if rules:
            anchor = {"": "call", "*": "relations"}.get(key, key)
            lines.append(f"### {titles.get(key) or f'`{key}`'} {{: #rules-{anchor} }}\n\n")
            lines += [_described(texts[f"rule-{rule.id}"], rule) for rule in rules]
    return "".join([*lines, texts.get("names", "")])


def _described(text: str, rule: RuleInfo) -> str:
    """The rule, with its products or its mode as attributes of its heading where it is not for all of them."""
    modes = [mode for mode in MODES if mode in dict(rule.status)]
    attributes = f' data-products="{" ".join(rule.products)}"' if rule.products else ""
    attributes += f' data-modes="{modes[0]}"' if len(modes) == 1 else ""
    heading, _, rest = text.partition("\n")
    return f"{heading.removesuffix('}')}{attributes}}}\n{rest}"


def _filter(operator: Operator, lang: Lang) -> str:
    words = WORDS[lang]

    def select(name: str, values: tuple[str, ...]) -> str:
        choices = [("", words["all"]), *((value, value) for value in values)]
        options = "".join(f'<option value="{value}">{text}</option>' for value, text in choices)
        return f'<label>{words[name]}<select name="{name}">{options}</select></label>'

    controls = select("product", tuple(key for key, _ in operator.info.products)) + select("mode", MODES)
    return f'<form class="aclspec-filter aclspec-rules" data-text="{words["shown"]}">{controls}<output></output></form>'


def _linked(pages: dict[str, str]) -> dict[str, str]:
    """The pages with links to the anchors of each other."""
    home = {one or other: path for path, text in pages.items() for one, other in _ANCHOR.findall(text)}

    def link(path: str, anchor: str) -> str:
        target = home.get(anchor, path)
        up = "" if target == path else "../" * path.count("/") + target
        return f"]({up}#{anchor})"

    return {
        path: _LINK.sub(lambda found, here=path: link(here, found[1]), text)  # type: ignore[misc]
        for path, text in pages.items()
    }
