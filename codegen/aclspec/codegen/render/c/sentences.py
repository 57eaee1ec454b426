"""Templates of sentences as parts of the tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from aclspec.codegen.render.c.predicates import Predicates
from aclspec.codegen.render.c.tables import NONE, Part
from aclspec.runtime.language.nodes import Quantifier
from aclspec.runtime.rules.operator_info import Text
from aclspec.runtime.rules.template import Placeholder, Template, read_template

_KINDS: Final = {"": "P_VALUE", "~": "P_ASIDE", "=": "P_WORKED", "/": "P_STRIDES"}
MOST_CLAUSES: Final = 64


def failure(predicates: Predicates, text: Text | None) -> tuple[int, int]:
    """The templates of a failure, in English and in Chinese."""
    if text is None:
        return NONE, NONE
    english, chinese = (_template(predicates, read_template(one)) for one in (text.en, text.zh))
    return english, chinese


def _template(predicates: Predicates, template: Template) -> int:
    return predicates.tables.template(list(_parts(predicates, template)))


def _parts(predicates: Predicates, template: Template) -> Iterator[Part]:
    for part in template:
        if isinstance(part, str):
            yield Part("P_TEXT", predicates.tables.strings.add(part))
        else:
            yield _part(predicates, part)


def _part(predicates: Predicates, part: Placeholder) -> Part:
    node, children = part.nodes[0], predicates.tables.children
    match part.kind:
        case "#":
            return Part("P_PLACE", predicates.levels[part.names[0]])
        case "$":
            return Part("P_PRODUCT")
        case "%":
            params = list(map(predicates.param, part.names))
            return Part("P_UNSUPPORTED", 0, children.add(params), len(params))
        case "&":
            assert len(part.nodes) <= MOST_CLAUSES
            pairs = zip(part.nodes, part.texts, strict=True)
            run = [index for one, text in pairs for index in (predicates.node(one), _template(predicates, text))]
            return Part("P_CLAUSES", 0, children.add(run), len(part.nodes))
        case "?":
            texts = [_template(predicates, text) for text in part.texts]
            return Part("P_CHOICE", predicates.node(node), children.add(texts), len(texts))
        case "@":
            assert isinstance(node, Quantifier)
            inside = predicates.inside(node.var)
            texts = [_template(inside if at == 0 else predicates, text) for at, text in enumerate(part.texts)]
            return Part("P_ELEMENT", predicates.node(node), children.add(texts), len(texts))
    return Part(_KINDS[part.kind], predicates.node(node))
