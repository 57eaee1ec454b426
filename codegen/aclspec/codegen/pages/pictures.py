"""Links from an operator's page to the pictures of what it does, which its predicates and settings tell."""

from __future__ import annotations

from collections.abc import Iterator

from aclspec.codegen.render.manual.texts import precision_roles
from aclspec.codegen.render.manual.words import Lang
from aclspec.runtime.language.nodes import Call, Node, children
from aclspec.runtime.rules.operator_info import OperatorInfo

_WINDOWS = frozenset({"pool_out", "conv_out", "conv_transpose_out"})
_LAYOUT = "layout"
_TITLES: dict[Lang, dict[str, str]] = {
    "en": {"": "In pictures", "windows": "how windows cover an input", "masks": "the two layouts of a mask"},
    "zh": {"": "图解", "windows": "窗口如何覆盖输入", "masks": "掩码的两种布局"},
}


def pictures(info: OperatorInfo, lang: Lang) -> str:
    """The item of the list of an operator's facts that links them; nothing where there are none."""
    titles, up = _TITLES[lang], "../guides/pictures.html"
    colon = ": " if lang == "en" else "："
    links = ", ".join(f'<a href="{up}#{anchor}">{titles[anchor]}</a>' for anchor in _shown(info))
    return f"<li>{titles['']}{colon}{links}</li>\n" if links else ""


def _shown(info: OperatorInfo) -> Iterator[str]:
    """The anchors of the pictures that show something of the operator."""
    predicates = [node for rule in info.rules for node in (rule.require, rule.when)]
    if any(_has_window(node) for node in (*predicates, *(let.value for let in info.lets)) if node is not None):
        yield "windows"
    if _LAYOUT in precision_roles(info):
        yield "masks"


def _has_window(node: Node) -> bool:
    return (isinstance(node, Call) and node.func in _WINDOWS) or any(map(_has_window, children(node)))
