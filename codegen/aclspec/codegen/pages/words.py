"""The words of an operator's page that only the site has."""

from __future__ import annotations

from typing import Final

from aclspec.codegen.render.manual.words import Lang


def sound(text: str) -> bytes:
    """A key that sorts Chinese by its sound: GB 2312 has the usual characters in the order of their readings."""
    return text.lower().encode("gb18030")


WORDS: Final[dict[Lang, dict[str, str]]] = {
    "en": {
        "products": "What each product takes",
        "checks": "Rules",
        "more": "More",
        "needs": "The form needs JavaScript; aclspec explain answers the same question on a command line.",
        "intro": "Phase one checks the rules in the order of their numbers; the first that fails decides the status. "
        "A rule is skipped if its condition is false or it needs an argument that is null.",
        "call": "The call as a whole",
        "relations": "Several parameters together",
        "link examples": "Further examples, and the first as a C++ program",
        "link clauses": "The clauses of the original document",
        "back": "Back to {0}",
        "title examples": "{0}: examples",
        "title clauses": "{0}: clauses",
        "product": "Product",
        "mode": "Mode",
        "all": "all",
        "shown": "{shown} of {all} rules",
        "permalink": "Permanent link",
        "contents": "On this page",
        "products label": "Products",
        "forward": "Forward",
        "gradient": "Gradient",
        "in_place": "In place",
        "out_of_place": "Out of place",
        "versions": "Other versions",
    },
    "zh": {
        "products": "各产品支持的输入",
        "checks": "规则",
        "more": "更多",
        "needs": "表单需要 JavaScript；命令 aclspec explain 可回答同样的问题。",
        "intro": "第一段接口按编号顺序检查，首个不满足的规则决定返回码。条件不成立，或所需参数为空指针时，跳过该规则。",
        "call": "整个调用",
        "relations": "参数之间的关系",
        "link examples": "更多示例，以及第一个示例的 C++ 程序",
        "link clauses": "原文条款",
        "back": "返回 {0}",
        "title examples": "{0}：示例",
        "title clauses": "{0}：原文条款",
        "product": "产品",
        "mode": "模式",
        "all": "全部",
        "shown": "{all} 条规则中的 {shown} 条",
        "permalink": "固定链接",
        "contents": "本页内容",
        "products label": "产品",
        "forward": "正向",
        "gradient": "反向",
        "in_place": "原地",
        "out_of_place": "非原地",
        "versions": "其他版本",
    },
}
