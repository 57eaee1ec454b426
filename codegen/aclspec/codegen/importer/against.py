"""A spec beside a page: every fact in which they differ.

Spec and draft are compiled alike, so that families, variants, groups of products and other short forms do not count,
and compared by what they allow in the mode document on each product that both list.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from aclspec.codegen.importer.demands import Demand, Knowledge, demands
from aclspec.codegen.importer.draft import Draft
from aclspec.codegen.importer.legal_values import MOST_DIMENSIONS, Legal, has_index, is_about_all, subjects
from aclspec.codegen.importer.model import Place
from aclspec.codegen.importer.statuses import PageStatuses
from aclspec.codegen.importer.writing import to_yaml
from aclspec.codegen.pipeline.load import Document, compile_spec, load_tables, read_spec, root_of
from aclspec.codegen.source.findings import START, Finding
from aclspec.codegen.source.folders import find_specs
from aclspec.codegen.source.yaml_tree import Source, parse, plain
from aclspec.codegen.spec.operator import OperatorSpec
from aclspec.codegen.spec.project import Project
from aclspec.codegen.spec.validation import guess, validate
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.language.unparse import unparse
from aclspec.runtime.rules.operator_info import OperatorInfo

_KEYS = {"empty": "empty", "contiguous": "noncontiguous", "value": "values", "length": "lengths"}
"""The key of a parameter for each kind of check of the parameter table that is a predicate."""
_ANY_RANK = f"0-{MOST_DIMENSIONS}"
_TABLES = ("null", "dtype", "dtypes", "format", "rank")
"""The kinds of check whose legal values are compared."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What spec and page say of one thing; a dash where one of them says nothing."""

    about: str
    spec: str
    page: str
    places: tuple[Place, ...] = ()


def load_spec(path: Path) -> tuple[Mapping[str, Any] | None, list[Finding]]:
    """The tree of a spec file, its short forms expanded; None with findings where it cannot be read."""
    root = root_of(path)
    source = read_spec(root, path.resolve(), load_tables(root)[0]).source
    tree = plain(source.tree) if source.tree is not None else None
    if not isinstance(tree, dict) or not isinstance(tree.get("op"), str):
        wrong = Finding(source.file, START, "no-spec", "The file is not the spec of an operator.")
        return None, source.findings or [wrong]
    return tree, source.findings  # type: ignore[return-value]


def differences(spec: Mapping[str, Any], draft: Draft) -> Iterator[Difference]:
    """Products, parameters, dtypes, null checks, rules and statuses, in this order; ValueError as `comparisons`."""
    yield from (one for one in comparisons(spec, draft) if one.spec != one.page)


def comparisons(spec: Mapping[str, Any], draft: Draft) -> Iterator[Difference]:
    """Every fact that both could state, those that they agree in too; ValueError where one cannot be compiled."""
    left, right = _compiled(spec, "spec"), _compiled(draft.tree, "draft of the page")
    statuses = PageStatuses(draft.gathered)
    places = {one.about: one.places for one in draft.origins} | statuses.places
    unsaid = {(one.kind, name) for one in draft.questions for name in one.subject.split(", ")}
    for about, mine, other in _Comparison(left, right, statuses, unsaid).facts():
        base = about.partition(" on ")[0].partition("+")[0]
        yield Difference(about, mine, other, places.get(base) or places.get(base.removesuffix(".status"), ()))


@dataclass(slots=True)
class _Side:
    """The demands of one of the two, on one product."""

    knowledge: Knowledge
    legal: Legal

    @classmethod
    def of(cls, info: OperatorInfo, product: str, known: dict[tuple[Demand, ...], Knowledge]) -> _Side:
        """Learn the demands; what is known already of the same ones on another product is taken from there."""
        found = tuple(demands(info, product))
        knowledge = known.get(found) or known.setdefault(found, Knowledge(info, found))
        return cls(knowledge, Legal(info, product, found))

    def meets(self, demand: Demand) -> bool:
        """Whether a demand of the other side follows from those of this one."""
        return self.knowledge.entails(demand) or self.legal.implies(demand, self.legal.dtypes())

    def ranks(self, name: str) -> list[int]:
        """The legal numbers of dimensions, by whatever rule."""
        return [rank for rank in self.legal.ranks(name) if self.knowledge.may_have_rank(name, rank)]

    def rules(self) -> Iterator[tuple[str, Demand]]:
        """The demands that are no legal values of one parameter or pairs of dtypes, and what they are about."""
        for demand in self.knowledge.demands:
            rule = demand.rule
            if rule.kind in _KEYS:
                yield f"params.{rule.params[0]}.{_KEYS[rule.kind]}", demand
            elif rule.kind not in _TABLES and not _is_of_values(demand):
                yield f"checks.{rule.id}", demand

    def nulls(self) -> list[str]:
        """The parameters whose null pointer is refused, and when."""
        found = []
        for demand in self.knowledge.demands:
            if demand.rule.kind == "null":
                guard = "" if demand.when is None else f" when {unparse(demand.when)}"
                found.append(demand.rule.params[0] + guard)
        return sorted(found)


class _Comparison:
    """Two compiled specs of one operator."""

    def __init__(
        self, spec: OperatorInfo, page: OperatorInfo, statuses: PageStatuses, unsaid: Collection[tuple[str, str]]
    ) -> None:
        """Prepare for both; ``unsaid`` are the kinds and subjects of questions, which the page does not answer."""
        self.infos = (spec, page)
        self.statuses, self.unsaid = statuses, unsaid
        self.known: tuple[dict[tuple[Demand, ...], Knowledge], ...] = ({}, {})
        listed = [[key for key, _ in info.products] for info in self.infos]
        self.products = [key for key in listed[0] if key in listed[1]]
        names = [[param.name for param in info.params] for info in self.infos]
        self.names = [name for name in names[0] if name in names[1]]

    def facts(self) -> Iterator[tuple[str, str, str]]:
        """What each says of everything; what holds for some products only names them."""
        spec, page = self.infos
        yield _fact("products", [_listed(sorted(key for key, _ in info.products)) for info in self.infos])
        yield _fact("params", [_listed([param.name for param in info.params]) for info in self.infos])
        for name in self.names:
            mine, theirs = spec.param(name), page.param(name)
            yield f"params.{name}.type", mine.type, theirs.type
            yield f"params.{name}.direction", mine.direction, theirs.direction
        found: dict[tuple[str, str, str], list[str]] = {}
        for product in self.products:
            for fact in self._on(product):
                found.setdefault(fact, []).append(product)
        order = dict.fromkeys(about for about, _, _ in found)
        places = {about: place for place, about in enumerate(order)}
        for (about, one, other), products in sorted(found.items(), key=lambda item: places[item[0][0]]):
            where = "" if len(products) == len(self.products) else f" on {', '.join(products)}"
            yield about + where, one, other

    def _on(self, product: str) -> Iterator[tuple[str, str, str]]:
        sides = [_Side.of(info, product, known) for info, known in zip(self.infos, self.known, strict=True)]
        spec, page = (side.legal for side in sides)
        for name in self.names:
            if spec.kind(name) in ("tensor", "tensor_list") and page.kind(name) == spec.kind(name):
                ranks = [_span(side.ranks(name)) for side in sides]
                formats = [_formats(legal.formats(name)) for legal in (spec, page)]
                if ranks[1] == _ANY_RANK and ("rank", name) in self.unsaid:
                    ranks[1] = "-" if ranks[0] != _ANY_RANK else _ANY_RANK
                if ("formats", name) in self.unsaid:
                    formats[1] = formats[0]  # every spec names some
                yield _fact(f"params.{name}.rank", ranks)
                yield _fact(f"params.{name}.formats", formats)
        dtypes = [side.legal.dtypes() for side in sides]
        for name in self.names:
            cells = [_listed(sorted(table.get(name, ()))) for table in dtypes]
            if cells != ["-", "-"]:
                yield _fact(f"dtypes.{name}", cells)
        yield from self._pairs(sides, dtypes)
        mine, theirs = (side.nulls() for side in sides)
        said = [name for name in theirs if name in mine or ("null", name) not in self.unsaid]
        yield _fact("null", [_listed(mine), _listed(said)])
        yield from self._rules(*sides)
        yield from self.statuses.facts(product, sides[0].knowledge, sides[1].knowledge)

    def _pairs(self, sides: Sequence[_Side], dtypes: list[dict[str, frozenset[str]]]) -> Iterator[tuple[str, str, str]]:
        """Two dtypes that are legal in both, and legal together in only one."""
        common = {name: dtypes[0][name] & dtypes[1][name] for name in self.names if all(name in one for one in dtypes)}
        left, right = (side.legal.pairs(common, common) for side in sides)
        for one, other in left:
            mine, theirs = left[one, other], right[one, other]
            whole = len(common[one]) * len(common[other])
            if mine != theirs:
                yield f"dtypes.{one}+{other}", _listed(sorted(mine - theirs)), _listed(sorted(theirs - mine))
            elif len(mine) < whole:
                yield f"dtypes.{one}+{other}", "-", "-"

    def _rules(self, spec: _Side, page: _Side) -> Iterator[tuple[str, str, str]]:
        """Each demand of the one that the other lacks."""
        texts: dict[str, list[list[str]]] = {}
        for place, (side, other) in enumerate(((spec, page), (page, spec))):
            for about, demand in side.rules():
                known = other.meets(demand)
                if known:
                    yield about, str(demand), str(demand)
                else:
                    texts.setdefault(about, [[], []])[place].append(str(demand))
        for about, (mine, theirs) in texts.items():
            yield about, _listed(mine, "; "), _listed(theirs, "; ")


def _is_of_values(demand: Demand) -> bool:
    """Whether the legal ranks, formats and dtypes, or pairs of dtypes, say what a demand does."""
    named = len(subjects(demand))
    if has_index(demand):
        return False
    if named == 1:
        return is_about_all(demand, "rank", "format") or is_about_all(demand, "dtype")
    return named == 2 and is_about_all(demand, "dtype")


def _compiled(tree: Mapping[str, Any], noun: str) -> OperatorInfo:
    """A spec in long form, compiled; what is wrong with it is said only where that prevents it, by a ValueError."""
    source = parse(Source(Path(f"{tree['op']}.yaml"), to_yaml(dict(tree)), None))
    model = validate(source, OperatorSpec) or guess(source, OperatorSpec)
    compiled = compile_spec(Document(source, model, False, source.path.name), _tables())
    if compiled is None:
        reason = next((f": {one.message}" for one in source.findings if one.severity == "error"), ".")
        raise ValueError(f"The {noun} of {tree['op']} cannot be compiled, and nothing was compared{reason}")
    return compiled.info


@cache
def _tables() -> Project:
    return load_tables(find_specs())[0]


def _fact(about: str, said: Sequence[str]) -> tuple[str, str, str]:
    """What spec and page say of one thing."""
    spec, page = said
    return about, spec, page


def _listed(words: Sequence[str], mark: str = ", ") -> str:
    return mark.join(dict.fromkeys(words)) or "-"


def _formats(found: Collection[str]) -> str:
    return "any" if len(found) == len(Format) else _listed(sorted(found))


def _span(numbers: Sequence[int]) -> str:
    """Numbers with a dash for those that follow each other."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return _listed([str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts])
