"""The two files of a draft: the spec in YAML, and its sidecar with provenance and questions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from aclspec.codegen.importer.draft import Draft
from aclspec.codegen.importer.model import Place
from aclspec.codegen.source.folders import QUESTIONS

_BLOCKS = ("products", "params", "dtypes", "checks", "infer", "provenance", "questions")
HEAD_MARK = "#"
_HEAD = {
    "en": "# Drafted by aclspec import, and not yet checked by a person. Questions and places: {name}.questions.yaml.",
    "zh": "# 由 aclspec import 起草。问题与出处见 {name}.questions.yaml；内容均未经人工核对。",
}


def flow(value: object) -> str:
    """A value on one line; the key null is a plain word, as in every spec."""
    text: str = yaml.dump(
        value, default_flow_style=True, width=10**9, allow_unicode=True, sort_keys=False, Dumper=yaml.SafeDumper
    )
    return text.strip().removesuffix("\n...").replace("{'null':", "{null:")


def to_yaml(tree: dict[str, Any], head: str = "") -> str:
    """A tree with one line for each entry of a list, as specs are written."""
    lines = [head] if head else []
    for key, value in tree.items():
        if key in _BLOCKS and isinstance(value, list) and value:
            lines.append(f"{key}:")
            lines += [f"  - {flow(entry)}" for entry in value]
        elif key in _BLOCKS and isinstance(value, dict) and value:
            lines.append(f"{key}:")
            lines += [f"  {name}: {flow(entry)}" for name, entry in value.items()]
        else:
            lines.append(f"{key}: {flow(value)}")
    return "\n".join(lines) + "\n"


def draft_text(draft: Draft) -> str:
    """The spec."""
    head = "\n".join(text.format(name=draft.file) for text in _HEAD.values())
    return to_yaml(draft.tree, head)


def sidecar_tree(draft: Draft) -> dict[str, Any]:
    """Where every entry comes from, and what is open; a question has the number by which it is answered."""
    return {
        "op": draft.name,
        "page": draft.page,
        "questions": [
            {
                "id": number,
                "kind": question.kind,
                "about": question.subject,
                "places": _places(question.places),
                "en": question.en,
                "zh": question.zh,
                "answer": None,
            }
            for number, question in enumerate(draft.questions, 1)
        ],
        "provenance": [
            {
                "about": one.about,
                "source": one.source,
                "places": _places(one.places),
                "reading": one.reading,
                "confidence": one.confidence,
            }
            for one in draft.origins
        ],
    }


def _places(places: tuple[Place, ...]) -> list[dict[str, Any]]:
    return [{"file": one.file, "section": one.section, "line": one.line} for one in dict.fromkeys(places)]


def write_draft(draft: Draft, folder: Path) -> list[Path]:
    """Write both files; the result is their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    spec, sidecar = folder / f"{draft.file}.yaml", folder / f"{draft.file}{QUESTIONS}"
    spec.write_text(draft_text(draft), encoding="utf-8")
    sidecar.write_text(to_yaml(sidecar_tree(draft)), encoding="utf-8")
    return [spec, sidecar]
