"""The review of a draft: its open questions with the lines they are about, and answers written into the draft."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from aclspec.codegen.importer.model import Function, Parameter
from aclspec.codegen.importer.rules import problem
from aclspec.codegen.importer.vocabulary import MOST_DIMENSIONS, dtypes, formats
from aclspec.codegen.importer.writing import HEAD_MARK, to_yaml
from aclspec.codegen.source.folders import QUESTIONS
from aclspec.codegen.source.naming import Name
from aclspec.codegen.source.yaml_tree import plain, read
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.abi.parameters import PARAM_TYPES

CONFIRMING = ("signature", "direction", "rank-library", "dtypes-library", "null-library", "type")
NOTHING = ("none", "nothing", "无")
AROUND = 1
"""Lines shown above and below the one that a question is about."""


class Refused(Exception):
    """An answer that cannot be written into the draft; the message says why."""


@dataclass(slots=True)
class Review:
    """A draft and its sidecar as they are on the disk."""

    spec: Path
    sidecar: Path
    tree: dict[str, Any]
    notes: dict[str, Any]
    head: str

    @classmethod
    def load(cls, operator: str, folder: Path) -> Review:
        """The draft of an operator, by its C name or its snake_case name; ValueError where there is none."""
        stem = Name(operator).snake if operator.startswith("aclnn") else operator
        spec, sidecar = folder / f"{stem}.yaml", folder / f"{stem}{QUESTIONS}"
        texts = []
        for path in (spec, sidecar):
            if not path.is_file():
                raise ValueError(f"The folder {folder.as_posix()} has no draft of {operator} ({path.name}).")
            texts.append(path.read_text(encoding="utf-8"))
        source = read(spec)
        tree = plain(source.tree) if source.tree is not None else None
        try:
            notes = yaml.safe_load(texts[1])
        except yaml.YAMLError:
            notes = None
        if not isinstance(tree, dict) or not isinstance(notes, dict):
            raise ValueError(f"The draft of {operator} is no mapping in YAML any more.")
        head = "\n".join(line for line in texts[0].split("\n") if line.startswith(HEAD_MARK))
        return cls(spec, sidecar, _lists(tree), notes, head)

    @property
    def open(self) -> list[dict[str, Any]]:
        """The questions without an answer, in their order."""
        return [question for question in self.notes.get("questions") or () if question.get("answer") is None]

    def lines(self, question: dict[str, Any]) -> list[tuple[str, int, str]]:
        """The lines of the page that a question is about: file, number, text; none where the page is gone."""
        found = []
        for place in question.get("places") or ():
            path, line = Path(str(place["file"])), int(place["line"])
            if line < 1 or not path.is_file():
                continue
            rows = path.read_text(encoding="utf-8", errors="replace").split("\n")
            for number in range(max(1, line - AROUND), min(len(rows), line + AROUND) + 1):
                found.append((path.as_posix(), number, rows[number - 1].rstrip()))
        return found

    def expects(self, question: dict[str, Any]) -> str:
        """What an answer looks like."""
        return {
            "rank": "a number of dimensions, or least-most such as 2-4",
            "formats": "formats, such as ND, NCHW",
            "dtypes": "dtypes, such as FLOAT, FLOAT16",
            "infer-shape": "a shape in the language of predicates",
            "infer-dtype": "a dtype in the language of predicates",
            "null": "yes (null is refused) or no",
        }.get(question["kind"], _TEXT if question["kind"] not in CONFIRMING else "a remark, which the sidecar keeps")

    def answer(self, question: dict[str, Any], text: str) -> None:
        """Write an answer into the draft and the sidecar; `Refused` leaves both as they were."""
        text = text.strip()
        if text.lower() not in NOTHING and question["kind"] not in CONFIRMING:
            _WRITERS.get(question["kind"], _write_rule)(self, question, text)
        question["answer"] = text
        about = {"about": question["about"], "source": "answer", "places": question.get("places") or []}
        self.notes.setdefault("provenance", []).append(
            {**about, "reading": f"question {question['id']}", "confidence": "sure"}
        )
        self.spec.write_text(to_yaml(self.tree, self.head), encoding="utf-8")
        self.sidecar.write_text(to_yaml(self.notes), encoding="utf-8")

    def param(self, name: str) -> dict[str, Any]:
        """The entry of a parameter."""
        found: list[dict[str, Any]] = [entry for entry in self.tree.get("params") or () if entry.get("name") == name]
        if not found:
            raise Refused(f"The draft has no parameter {name} any more.")
        return found[0]

    def check(self, text: str, expected: str | tuple[str, ...]) -> None:
        """Refuse a predicate that the language does not accept."""
        params = [entry for entry in self.tree.get("params") or () if entry.get("type") in PARAM_TYPES]
        known = [Parameter(entry["name"], PARAM_TYPES[entry["type"]].c) for entry in params]
        if wrong := problem(Function("", "", known), text, expected):
            raise Refused(wrong)


def _lists(value: Any) -> Any:
    """A tree of plain data whose lists can be changed."""
    if isinstance(value, dict):
        return {key: _lists(one) for key, one in value.items()}
    return [_lists(one) for one in value] if isinstance(value, list | tuple) else value


_TEXT = "a predicate, perhaps followed by: when PREDICATE; or none, where there is nothing to check"


def _write_rank(review: Review, question: dict[str, Any], text: str) -> None:
    match = re.fullmatch(r"(\d)(?:\s*-\s*(\d))?", text)
    low, high = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
    if not low <= high <= MOST_DIMENSIONS:
        raise Refused(f"The ranks ({text}) are not a number or a range such as 2-4, of at most {MOST_DIMENSIONS}.")
    review.param(question["about"])["rank"] = [low, high]


def _write_formats(review: Review, question: dict[str, Any], text: str) -> None:
    found = [name for name in formats(text) if name in Format.__members__]
    if not found:
        raise Refused(f"The answer ({text}) names no format.")
    review.param(question["about"])["formats"] = found


def _write_dtypes(review: Review, question: dict[str, Any], text: str) -> None:
    found = list(dtypes(text))
    if not found:
        raise Refused(f"The answer ({text}) names no dtype.")
    keys = [entry["product"] for entry in review.tree.get("products") or ()]
    rows = review.tree.setdefault("dtypes", [{"row": {}, "products": keys, "listed_by": "newer"}])
    for row in rows:
        row["row"].setdefault(question["about"], found[0] if len(found) == 1 else found)


def _write_inference(review: Review, question: dict[str, Any], text: str) -> None:
    name, key = question["about"], question["kind"].removeprefix("infer-")
    lists = review.param(name)["type"] == "tensor_list"
    if not lists:
        review.check(text, {"shape": "ints", "dtype": "dtype"}[key])
    review.tree.setdefault("infer", {}).setdefault(name, {})[key] = text


def _write_null(review: Review, question: dict[str, Any], text: str) -> None:
    if text.lower() not in ("yes", "no", "是", "否"):
        raise Refused(f"The answer ({text}) is neither yes nor no.")
    if text.lower() in ("no", "否"):
        names = [name.strip() for name in question["about"].split(",")]
        for entry in review.tree.get("checks") or ():
            if isinstance(entry.get("null"), list):
                entry["null"] = [name for name in entry["null"] if name not in names]
        review.tree["checks"] = [entry for entry in review.tree.get("checks") or () if entry.get("null") != []]
        for name in names:
            review.param(name)["optional"] = True


def _write_rule(review: Review, question: dict[str, Any], text: str) -> None:
    require, _, when = (part.strip() for part in text.partition(" when "))
    review.check(require, "bool")
    rule = {"id": f"answer-{question['id']}"}
    if when:
        review.check(when, "bool")
        rule["when"] = when
    review.tree.setdefault("checks", []).append({**rule, "require": require})


_WRITERS = {
    "rank": _write_rank,
    "formats": _write_formats,
    "dtypes": _write_dtypes,
    "infer-shape": _write_inference,
    "infer-dtype": _write_inference,
    "null": _write_null,
}
