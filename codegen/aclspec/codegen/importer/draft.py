"""The draft of a spec as a tree, its provenance, and the questions that it leaves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from aclspec.codegen.importer.dtype_rows import DtypeRows, dtype_rows
from aclspec.codegen.importer.model import Fact, Function, Parameter, Place, Question
from aclspec.codegen.importer.questions import ask, ask_sentences
from aclspec.codegen.importer.rules import DraftRule, Gathered, gather, problem
from aclspec.codegen.importer.sentences import read_sentences
from aclspec.codegen.importer.statuses import with_statuses
from aclspec.codegen.importer.vocabulary import MOST_DIMENSIONS, PRODUCTS
from aclspec.codegen.pipeline.scaffold import DOCS, OTHER_DOC
from aclspec.codegen.source.naming import Name
from aclspec.runtime.abi.formats import Format


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an entry of the draft comes from."""

    about: str
    source: str
    places: tuple[Place, ...]
    reading: str
    confidence: str = "sure"


@dataclass(slots=True)
class Draft:
    """The tree of the YAML file, and what its sidecar says."""

    name: str
    page: str
    tree: dict[str, Any]
    origins: list[Origin] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    gathered: Gathered = field(default_factory=Gathered)

    @property
    def file(self) -> str:
        """``prelu_backward``, the stem of its files."""
        return Name(self.name).snake


def make_draft(function: Function) -> Draft:
    """A function as a draft."""
    return _Maker(function).make()


class _Maker:
    """Builds one draft."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.gathered = gather(function, read_sentences(function))
        self.rows: DtypeRows = dtype_rows(function, [one.names for one, _ in self.gathered.same])
        self.draft = Draft(function.name, function.page, {}, gathered=self.gathered)
        self.questions = self.draft.questions
        self.ranks = {one.name: self._rank(one) for one in function.parameters if one.is_tensor}

    def make(self) -> Draft:
        """Every key in the order of specs."""
        function, tree = self.function, self.draft.tree
        self.questions += function.questions
        tree["op"] = function.name
        tree["header"] = str(function.value("", "header") or Name(function.name).header)
        tree["category"] = "imported"
        tree["level"] = "checked"
        tree["draft"] = True
        products = function.products
        if not products:
            self._ask("products", "", [])
        tree["products"] = [{"product": key, "listed_by": "newer"} for key in products or PRODUCTS]
        self._signature_conflict()
        tree["params"] = [self._param(one) for one in function.parameters]
        self._dtypes()
        self._null_and_checks()
        self._infer()
        ask_sentences(self.questions, self.gathered)
        return self.draft

    def _ask(self, kind: str, subject: str, places: Sequence[Place], **facts: object) -> None:
        self.questions.append(ask(kind, subject, places, **facts))

    def _origin(self, about: str, fact: Fact | None, confidence: str = "sure") -> None:
        if fact is not None:
            self.draft.origins.append(Origin(about, fact.source, (fact.place,), fact.reading, confidence))

    def _fact(self, name: str, field_name: str) -> Fact | None:
        return next(self.function.about(name, field_name), None)

    def _signature_conflict(self) -> None:
        said = {fact.source: fact for fact in self.function.about("", "signature")}
        if "page" in said:
            self._ask("signature", "", [said["page"].place], page=said["page"].value, header=said["header"].value)

    # parameters

    def _param(self, parameter: Parameter) -> dict[str, Any]:
        name, kind = parameter.name, parameter.kind
        direction = self.function.direction(name)
        entry: dict[str, Any] = {"name": name, "type": kind or "int64", "direction": direction}
        if kind is None:
            self._ask("type", name, [], c_type=parameter.c_type)
        self._origin(f"params.{name}.direction", self._fact(name, "direction"))
        if not parameter.is_tensor and direction != "in":
            entry["direction"] = "in"
            self._ask("direction", name, [fact.place for fact in self.function.about(name, "direction")])
        required = self._required(name)
        if required:
            entry["required"] = required
        elif parameter.is_pointer and self.is_optional(name):
            entry["optional"] = True
            self._origin(f"params.{name}.optional", self._fact(name, "optional"))
        if parameter.is_tensor:
            self._tensor(entry, parameter)
        self._listed(entry, parameter)
        en, zh = DOCS.get((str(kind), direction), OTHER_DOC)
        entry["doc"] = {"en": en, "zh": zh}
        return entry

    def is_optional(self, name: str) -> bool:
        """Whether null is always legal: said so, and no row refuses it."""
        return bool(self.function.value(name, "optional")) and not any(
            not fact.when for fact, _ in self.gathered.about("null", name)
        )

    def _required(self, name: str) -> str | None:
        """The condition under which null is refused, when every row that names the parameter has the same one."""
        conditions = {fact.when for fact, _ in self.gathered.about("null", name)}
        parameter = self.function.parameter(name)
        if len(conditions) != 1 or None in conditions or parameter is None or not parameter.is_tensor:
            return None
        return next(iter(conditions)) if self.function.direction(name) == "out" else None

    def _tensor(self, entry: dict[str, Any], parameter: Parameter) -> None:
        name = parameter.name
        fact = self._fact(name, "formats")
        known = tuple(
            one for one in (fact.value if fact and isinstance(fact.value, tuple) else ()) if one in Format.__members__
        )
        if known:
            entry["formats"] = list(known)
            self._origin(f"params.{name}.formats", fact)
        else:
            entry["formats"] = ["ND"]
            self._ask("formats", name, [])
        ranks = self.ranks[name]
        if ranks is None:
            places = [one.place for one in self.function.about(name, "rank-unread")]
            self._ask("rank", name, places)
        else:
            entry["rank"] = [ranks[0], ranks[-1]]
        if (
            self.gathered.about("empty", name)
            and not self.gathered.about("empty-allowed", name)
            and parameter.kind == "tensor"
        ):
            entry["empty"] = "refused"
        fact = self._fact(name, "noncontiguous")
        if (fact is not None and fact.value is False) or self.gathered.about("contiguous", name):
            entry["noncontiguous"] = "refused"
            self._origin(f"params.{name}.noncontiguous", fact)

    def _rank(self, parameter: Parameter) -> tuple[int, ...] | None:
        """The column, narrowed by error rows; the library where the page says nothing; a conflict is a question."""
        name = parameter.name
        column = next((fact for fact in self.function.about(name, "rank") if fact.source == "page"), None)
        library = next((fact for fact in self.function.about(name, "rank") if fact.source == "library"), None)
        said = [
            (fact, s)
            for fact, s in self.gathered.about("rank", name)
            if isinstance(fact.value, tuple) and s.products is None
        ]
        found: tuple[int, ...] | None = column.value if column and isinstance(column.value, tuple) else None
        self._origin(f"params.{name}.rank", column or library)
        for fact, sentence in said:
            assert isinstance(fact.value, tuple)
            both = tuple(one for one in found if one in fact.value) if found else fact.value
            if not both:
                self._ask(
                    "rank-conflict",
                    name,
                    [*([column.place] if column else []), sentence.place],
                    column=found,
                    row=fact.value,
                )
                continue
            self.draft.origins.append(Origin(f"params.{name}.rank", "page", (sentence.place,), "sentence"))
            found = both
        if library is not None and isinstance(library.value, tuple):
            if found is None:
                return library.value
            if library.value[-1] != found[-1]:
                self._ask("rank-library", name, [library.place], page=found, library=library.value)
        return found

    def _listed(self, entry: dict[str, Any], parameter: Parameter) -> None:
        """Values of an enumeration and lengths of an array."""
        name = parameter.name
        for check, key in (("value", "values"), ("length", "lengths")):
            said = [(fact, s) for fact, s in self.gathered.about(check, name) if isinstance(fact.value, tuple)]
            sets = {fact.value for fact, _ in said}
            if len(sets) == 1 and all(s.products is None for _, s in said):
                entry[key] = list(next(iter(sets)))  # type: ignore[call-overload]
                self.draft.origins += [Origin(f"params.{name}.{key}", "page", (s.place,), "sentence") for _, s in said]
            elif sets:
                self._ask(f"{key}-conflict", name, [s.place for _, s in said], sets=sorted(map(str, sets)))

    # dtypes

    def _dtypes(self) -> None:
        rows = self.rows
        if rows.rows:
            self.draft.tree["dtypes"] = rows.rows
        for name in rows.blank:
            self._ask("dtypes", name, [])
        for members in dict.fromkeys(rows.conflicts):
            self._ask("dtypes-conflict", ", ".join(members), [])
        for name, fact in ((one.name, self._fact(one.name, "dtypes")) for one in self.function.parameters):
            self._origin(f"dtypes.{name}", fact)
        for one, sentence in self.gathered.same:
            self.draft.origins.append(Origin(f"dtypes.{'+'.join(one.names)}", "page", (sentence.place,), "sentence"))
        for fact in (one for one in self.function.facts if one.field == "removed"):
            self.draft.origins.append(Origin(f"dtypes.{fact.subject}", fact.source, (fact.place,), "hardware"))
        for name in (one.name for one in self.function.parameters if one.is_tensor):
            self._library_dtypes(name)

    def _library_dtypes(self, name: str) -> None:
        """Where the library takes other dtypes than the page, a question, for the rows of the mode library."""
        differing = []
        for product in self.function.products:
            page = set(self.function.dtypes(name, product))
            found = [f for f in self.function.about(name, "dtypes", product) if f.source == "library"]
            if page and found and isinstance(found[0].value, tuple) and set(found[0].value) != page:
                differing.append(
                    (product, sorted(set(found[0].value) - page), sorted(page - set(found[0].value)), found[0].place)
                )
        if differing:
            wider = sorted({dtype for _, more, _, _ in differing for dtype in more})
            narrower = sorted({dtype for _, _, less, _ in differing for dtype in less})
            self._ask("dtypes-library", name, [differing[0][3]], wider=wider, narrower=narrower,
                      products=[product for product, *_ in differing])  # fmt: skip

    # checks

    def _null_and_checks(self) -> None:
        function, gathered = self.function, self.gathered
        checks: list[dict[str, Any]] = [{"product": "all"}]
        checks += self._nulls()
        tensors = [one.name for one in function.parameters if one.is_tensor]
        table: dict[str, list[dict[str, Any]]] = {"dtype": [], "rank": [], "format": []}
        if tensors and self.rows.rows:
            table["dtype"] = [{"dtype": "all"}, *([{"dtypes": "all"}] if self.rows.is_joint else [])]
        if tensors:
            table["format"] = [{"format": "all", **self._document_only("format")}]
            table["rank"] = [{"rank": "all"}]
        order = [word for word in (function.value("", "order") or ()) if word in ("dtype", "rank")]  # type: ignore[attr-defined]
        first = ["rank", "dtype"] if order[:1] == ["rank"] else ["dtype", "rank"]
        for word in ("dtype", "format", "rank") if first[0] == "dtype" else ("rank", "dtype", "format"):
            checks += table[word]
        params = self.draft.tree["params"]
        for key, check in (
            ("empty", "empty"),
            ("noncontiguous", "contiguous"),
            ("lengths", "length"),
            ("values", "value"),
        ):
            if names := [entry["name"] for entry in params if key in entry]:
                checks.append({check: names})
        checks += [self._rank_rule(name, ranks) for name, ranks in self.ranks.items() if ranks and _has_holes(ranks)
                   and function.parameter(name).kind == "tensor"]  # type: ignore[union-attr]  # fmt: skip
        rows = [one["row"] for one in self.rows.rows]
        fitting = dict.fromkeys(("rank", "format"), tensors)
        fitting["dtype"] = [name for name in tensors if any(name in row for row in rows)]
        checks = list(with_statuses(checks, gathered, fitting))
        for rule in gathered.rules:
            if not implied(rule, gathered.rules) and not self._in_the_table(rule):
                checks += self._rule(rule)
        self.draft.tree["checks"] = checks

    def _in_the_table(self, rule: DraftRule) -> bool:
        """Whether the table says it: equal formats of parameters that have one and the same format."""
        names = re.fullmatch(r"format\((\w+)\) == format\((\w+)\)", rule.require)
        formats = {
            tuple(entry["formats"]) for entry in self.draft.tree["params"] if names and entry["name"] in names.groups()
        }
        return len(formats) == 1 and len(next(iter(formats))) == 1

    def _document_only(self, word: str) -> dict[str, Any]:
        """Formats are seldom checked by the library: only the document does, unless the sources say otherwise."""
        order = self.function.value("", "order")
        return {} if isinstance(order, tuple) and word in order else {"enforced_by": ["document"]}

    def _nulls(self) -> list[dict[str, Any]]:
        """Null checks; where page and library differ, the conformance mode says which of them refuses."""
        function = self.function
        pointers = [one.name for one in function.parameters if one.is_pointer]
        page = [name for name in pointers if any(not f.when for f, _ in self.gathered.about("null", name))]
        library = [f.subject for f in function.facts if f.field == "null" and f.source == "library"]
        conditional = [name for name in pointers if name not in page and self._required(name)]
        unnamed = [
            name for name in pointers if name not in page and name not in conditional and not self.is_optional(name)
        ]
        if not library:
            if unnamed:
                self._ask(
                    "null", ", ".join(unnamed), [s.place for f, s in self.gathered.table if f.check == "null"][:1]
                )
            listed = [name for name in pointers if name in (*page, *conditional, *unnamed)]
            return [{"null": listed}] if listed else []
        both = [
            n for n in pointers if (n in page and n in library) or n in conditional or (n in unnamed and n in library)
        ]
        document = [name for name in page if name not in library]
        only = [name for name in pointers if name in unnamed and name not in library]
        if document or only:
            self._ask(
                "null-library",
                ", ".join(document + only),
                [s.place for f, s in self.gathered.table if f.check == "null"][:1],
            )
        found: list[dict[str, Any]] = [{"null": both}] if both else []
        return found + ([{"null": [*document, *only], "enforced_by": ["document"]}] if document or only else [])

    def _rank_rule(self, name: str, ranks: tuple[int, ...]) -> dict[str, Any]:
        return {"id": f"{Name(name).kebab}-ranks", "require": f"rank({name}) in {list(ranks)}"}

    def _rule(self, rule: DraftRule) -> list[dict[str, Any]]:
        products = self.function.products
        chosen = [key for key in products if rule.products is None or key in rule.products]
        if not chosen:
            return []
        entry: dict[str, Any] = {"id": rule.id}
        if len(chosen) < len(products):
            entry["products"] = chosen
        if rule.status:
            entry["status"] = rule.status
        if rule.when:
            entry["when"] = rule.when
        entry["require"] = rule.require
        self.draft.origins.append(
            Origin(f"checks.{rule.id}", "page", tuple(rule.places), rule.reading, rule.confidence)
        )
        return [entry]

    # inference

    def _infer(self) -> None:
        found: dict[str, dict[str, str]] = {}
        for parameter in self.function.parameters:
            if parameter.is_tensor and self.function.direction(parameter.name) == "out":
                shape, dtype = self._shape(parameter), self._dtype(parameter)
                if shape is None:
                    self._ask("infer-shape", parameter.name, [])
                if dtype is None:
                    self._ask("infer-dtype", parameter.name, [])
                if shape and dtype:
                    found[parameter.name] = {"shape": shape, "dtype": dtype}
        if found:
            self.draft.tree["infer"] = found

    def _outs(self) -> set[str]:
        return {one.name for one in self.function.parameters if self.function.direction(one.name) == "out"}

    def _shape(self, parameter: Parameter) -> str | None:
        """The other side of an equation about the shape of an output."""
        outs = self._outs()
        equal: dict[str, str] = {}
        for rule in self.gathered.rules:
            if rule.when or rule.products:
                continue
            match = re.fullmatch(r"shape\((\w+)\) == (.+)", rule.require)
            lists = re.fullmatch(r"len\((\w+)\) == len\((\w+)\) and all\(shape\(.*", rule.require)
            if match:
                equal.setdefault(match[1], match[2])
                if other := re.fullmatch(r"shape\((\w+)\)", match[2]):
                    equal.setdefault(other[1], f"shape({match[1]})")
            elif lists:
                equal.setdefault(lists[1], f"[shape(t) for t in {lists[2]}]")
                equal.setdefault(lists[2], f"[shape(t) for t in {lists[1]}]")
        name, text = parameter.name, None
        for _ in range(4):  # from one output to the next, until only inputs are named
            text = equal.get(name)
            other = re.fullmatch(r"shape\((\w+)\)", text or "")
            if text is None or not set(re.findall(r"\w+", text)) & outs or other is None:
                break
            name = other[1]
        if text is None or set(re.findall(r"\w+", text)) & outs:
            return None
        return text if text.startswith("[") or problem(self.function, text, "ints") is None else None

    def _dtype(self, parameter: Parameter) -> str | None:
        """The dtype of an input of its group, the only one of its cells, or what a rule casts to it."""
        name, outs = parameter.name, self._outs()
        group = next((members for members in self.rows.groups if name in members), (name,))
        for mate in group:
            other = self.function.parameter(mate)
            if mate not in outs and other is not None and other.kind == parameter.kind:
                return f"dtype({mate})" if parameter.kind == "tensor" else f"[dtype(t) for t in {mate}]"
        if parameter.kind != "tensor":
            return None
        cells = {self.function.dtypes(name, product) for product in self.function.products}
        if len(cells) == 1 and len(only := next(iter(cells))) == 1:
            return only[0]
        for rule in self.gathered.rules:
            match = re.fullmatch(rf"castable\((promote\(.*\)), dtype\({name}\)\)", rule.require)
            equal = re.fullmatch(rf"dtype\({name}\) == (\w+|dtype\(\w+\))", rule.require)
            if (match or equal) and not rule.when and not rule.products:
                return (match or equal)[1]  # type: ignore[index]
        return None


_SIDES = re.compile(r"(?P<function>\w+)\((?P<left>\w+)\) == \w+\((?P<right>\w+)\)")


def implied(rule: DraftRule, rules: Sequence[DraftRule]) -> bool:
    """Whether equal shapes imply the rule: equal numbers of dimensions, or shapes that broadcast."""
    names = re.fullmatch(
        r"(?:broadcastable\(shape\((\w+)\), shape\((\w+)\)\)|rank\((\w+)\) == rank\((\w+)\))", rule.require
    )
    if names is None:
        return False
    pair = {name for name in names.groups() if name}
    return any(
        other.when is None
        and other.products is None
        and (match := _SIDES.fullmatch(other.require)) is not None
        and match["function"] == "shape"
        and {match["left"], match["right"]} == pair
        for other in rules
    )


def _has_holes(ranks: tuple[int, ...]) -> bool:
    return ranks != tuple(range(ranks[0], min(ranks[-1], MOST_DIMENSIONS) + 1))
