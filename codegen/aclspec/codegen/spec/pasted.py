"""The grammar of pasted texts, ``specs/common/pasted.yaml``, and what codes mean, ``failures.yaml``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, StringConstraints

from aclspec.codegen.source.findings import Finding, did_you_mean
from aclspec.codegen.source.tree_edit import expand_texts
from aclspec.codegen.source.yaml_tree import Key, Source, find, read
from aclspec.codegen.spec.base import KEBAB, FullText, Model, Sentence
from aclspec.codegen.spec.shared_regex import PatternError, groups_of
from aclspec.codegen.spec.validation import validate
from aclspec.runtime.language.nodes import Position

Name: TypeAlias = Annotated[str, StringConstraints(pattern=KEBAB)]
Kind: TypeAlias = Literal[
    "operator",
    "rule",
    "torch",
    "type",
    "parameter",
    "noun",
    "dtype",
    "dtypes",
    "subject",
    "code",
    "failure",
    "soc",
    "product",
    "cann",
    "library",
    "symbol",
    "function",
]
Found: TypeAlias = Sentence | Annotated[tuple[Sentence, ...], Field(min_length=2)]


class PastedExample(Model):
    """A made-up text, and all that is found in it."""

    text: Sentence
    """The text."""
    finds: dict[Kind, Found]
    """What all forms together find, by kind; several of a kind as a list."""


class PastedForm(Model):
    """One form of a line that people paste."""

    doc: FullText
    """Who writes it, and what it says."""
    pattern: Sentence
    """A regular expression in the subset that Python and JavaScript read alike; it is looked for in each line."""
    yields: tuple[Kind, ...] = ()
    """What each group is, in order."""
    implies: dict[Kind, Sentence] = Field(default_factory=dict)
    """What the form means without a group."""
    examples: Annotated[tuple[PastedExample, ...], Field(min_length=1)]
    """Its tests."""


class PastedFile(Model):
    """``specs/common/pasted.yaml``."""

    forms: Annotated[dict[Name, PastedForm], Field(min_length=1)]
    """The forms by name."""


class Check(Model):
    """One thing to check."""

    doc: FullText
    """The question or the advice."""


class FailureSpec(Model):
    """What a code or a message means."""

    codes: tuple[Sentence, ...]
    """The codes, numbers as text; one that ends in ``*`` is a prefix. None: only a message leads here."""
    refusal: bool = False
    """Whether a check of the call refused it, which the rules of the operator explain."""
    vague: bool = False
    """Whether it says nothing where the text tells another failure."""
    title: FullText
    """A line."""
    doc: FullText
    """What it means."""
    checks: tuple[Check, ...] = ()
    """What to check, in order."""


class FailuresFile(Model):
    """``specs/common/failures.yaml``."""

    failures: Annotated[dict[Name, FailureSpec], Field(min_length=1)]
    """The failures by name; the first that has a code answers it."""


@dataclass(frozen=True, slots=True)
class Pasted:
    """The grammar and the failures; empty where a file has mistakes."""

    forms: PastedFile | None = None
    failures: FailuresFile | None = None


def read_pasted(common: Sequence[Path], findings: list[Finding]) -> Pasted:
    """Read both files from the first folder that has them."""
    forms, failures = _source("pasted.yaml", common), _source("failures.yaml", common)
    forms_file = validate(forms, PastedFile) if forms else None
    failures_file = validate(failures, FailuresFile) if failures else None
    names = tuple(failures_file.failures) if failures_file else ()
    if forms and forms_file:
        for name, form in forms_file.forms.items():
            _check_form(forms, name, form, names)
    if failures and failures_file:
        _check_codes(failures, failures_file)
    findings += [finding for source in (forms, failures) if source for finding in source.findings]
    return Pasted(forms_file, failures_file)


def _source(name: str, folders: Sequence[Path]) -> Source | None:
    path = next((folder / name for folder in folders if (folder / name).is_file()), None)
    source = None if path is None else read(path)
    if source is not None and source.tree is not None:
        expand_texts(source.tree)
    return source


def _check_form(source: Source, name: str, form: PastedForm, failures: Sequence[str]) -> None:
    """The pattern is of the subset and has a group for each kind; what it implies exists."""
    at: tuple[Key, ...] = ("forms", name)
    try:
        groups = groups_of(form.pattern)
    except PatternError as error:
        text = f"The pattern of {name} is outside the subset of Python and JavaScript: {error}."
        _report(source, (*at, "pattern"), "pattern", text)
    else:
        if groups != len(form.yields):
            text = f"The pattern of {name} has {groups} groups, and yields names {len(form.yields)}."
            _report(source, (*at, "pattern"), "pattern", text)
    if not form.yields and not form.implies:
        _report(source, at, "missing-key", f"The form {name} neither yields nor implies anything.")
    failure = form.implies.get("failure")
    if failure is not None and failure not in failures:
        text = f"A failure ({failure}) does not exist{did_you_mean(failure, failures)}"
        _report(source, (*at, "implies", "failure"), "unknown-failure", text)


def _check_codes(source: Source, file: FailuresFile) -> None:
    """No code is answered by two failures."""
    seen: dict[str, str] = {}
    for name, failure in file.failures.items():
        for index, code in enumerate(failure.codes):
            if code in seen:
                text = f"The code ({code}) is that of {seen[code]} already."
                _report(source, ("failures", name, "codes", index), "duplicate-id", text)
            seen.setdefault(code, name)


def _report(source: Source, path: tuple[Key, ...], kind: str, message: str) -> None:
    node = find(source.tree, path) if source.tree is not None else None
    source.findings.append(Finding(source.file, node.at if node else Position(1, 1), kind, message))
