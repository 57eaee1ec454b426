"""The parameter tables of a page."""

from __future__ import annotations

from dataclasses import dataclass

from aclspec.codegen.render.manual.markdown import Prose, code, codes
from aclspec.codegen.render.manual.words import Lang, labels
from aclspec.codegen.told import clause
from aclspec.runtime.info import OperatorInfo, ParamInfo
from aclspec.runtime.paramtypes import PARAM_TYPES


@dataclass(frozen=True, slots=True)
class ParamView:
    """One parameter: a line of the first table, and of the one for tensors or for attributes."""

    anchor: str
    name: str
    snake: str
    direction: str
    c_type: str
    null: str
    meaning: str
    is_tensor: bool
    dtypes: str
    formats: str
    rank: str
    empty: str
    noncontiguous: str
    values: str
    lengths: str
    default: str

    @property
    def is_limited(self) -> bool:
        """Whether an attribute has anything to say beside its type."""
        return not self.is_tensor and any(text != "-" for text in (self.values, self.lengths, self.default))


def param_view(info: OperatorInfo, param: ParamInfo, prose: Prose, lang: Lang) -> ParamView:
    """What the page says of a parameter."""
    words = labels(lang)
    kind = PARAM_TYPES[param.type]
    low, high = param.rank
    return ParamView(
        anchor=f"param-{param.name}",
        name=code(param.name),
        snake=code(param.snake),
        direction=getattr(words, param.direction),
        c_type=code(kind.c.replace("*", " *")),
        null=_null(info, param, prose, lang),
        meaning=prose.written(getattr(param.doc, lang)),
        is_tensor=kind.predicate in ("tensor", "tensors"),
        dtypes=codes(dict.fromkeys(d for row in info.rows for d in dict(row.cells).get(param.name, ()))) or words.any,
        formats=_formats(param, lang),
        rank=str(low) if low == high else words.range.format(low, high),
        empty=words.allowed if param.empty else words.refused,
        noncontiguous=words.allowed if param.noncontiguous else words.refused,
        values=codes(param.values) or words.none,
        lengths=codes(param.lengths) or words.none,
        default=code(repr(param.default)) if param.has_default else words.none,
    )


def _null(info: OperatorInfo, param: ParamInfo, prose: Prose, lang: Lang) -> str:
    words = labels(lang)
    if not PARAM_TYPES[param.type].pointer:
        return str(words.by_value)
    if param.optional:
        return str(words.may_be_null)
    if param.required is not None:
        return str(words.null_unless.format(prose.part(clause(info, param.required, lang))))
    return str(words.never_null)


def _formats(param: ParamInfo, lang: Lang) -> str:
    words = labels(lang)
    others = words.other_ranks if len(param.formats) > 1 else "{}"
    texts = [(others if rank < 0 else words.of_rank).format(codes(formats), rank) for rank, formats in param.formats]
    return str(words.semicolon).join(texts) or str(words.any)
