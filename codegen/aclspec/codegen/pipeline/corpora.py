"""The derived calls of operators: read, compared with the rules that they were derived for, derived and written."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from aclspec.codegen.compile.calls import WrittenCall
from aclspec.codegen.compile.fingerprint import fingerprints
from aclspec.codegen.derive import Cases, Problem
from aclspec.codegen.derive.corpus import corpus_text, distinct
from aclspec.codegen.pipeline import stages
from aclspec.codegen.source.findings import Finding, SpecErrors, display_path, listing
from aclspec.codegen.source.folders import CALLS, Lack, find_specs
from aclspec.codegen.spec.project import Operator
from aclspec.runtime.language.nodes import Position
from aclspec.runtime.testing.corpus import Corpus, CorpusError, Kept, read, signature_of
from aclspec.runtime.testing.suite import Suite


@dataclass(frozen=True, slots=True)
class Calls:
    """The cases of an operator, and its corpus by its path below the generated folder; none of one without rules."""

    cases: Cases
    files: dict[str, str]


def path_of(operator: Operator) -> str:
    """The path of a corpus below the generated folder."""
    return f"{CALLS}/{operator.info.snake}.txt"


def read_or_derive(operator: Operator, out: Path, lacks: Collection[Lack]) -> Calls:
    """The calls of an operator as the disk has them; derived, where they have one of these lacks; else `SpecErrors`."""
    info = operator.info
    if not info.facts.has_rules:
        return Calls(Cases(Suite(info.name, {}, {}, (), ()), {}, (), ()), {})
    path = out / path_of(operator)
    old = _read(path)
    lack: Lack = "stale" if old else "missing"
    wrong = _lacks(operator, old, path)
    if wrong and lack not in lacks:
        text = f"{wrong}; run `{_command(operator, out)}`."
        raise SpecErrors([Finding(display_path(operator.path), Position(1, 1), "calls", text)])
    text = derived(operator, old, path) if wrong else old
    corpus = read(text, info)
    undecided = tuple(Problem(rule, sentence) for rule, sentence in corpus.undecided)
    return Calls(Cases(corpus.suite, corpus.companions, (), undecided), {path_of(operator): text})


def _command(operator: Operator, out: Path) -> str:
    """The command that derives the calls of an operator; specs of one's own are named."""
    root = operator.path.parents[1]
    own = "" if root.resolve() == find_specs().resolve() else f" --specs {display_path(root)} --out {display_path(out)}"
    return f"aclspec derive {operator.info.snake}{own}"


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _lacks(operator: Operator, text: str, path: Path) -> str:
    """Why calls do not fit their operator; nothing where they do."""
    name = operator.info.name
    if not text:
        return f"The calls of {name} are not derived yet"
    corpus = _corpus(text, path)
    if dict(corpus.signature) != signature_of(operator.info):
        return f"The calls of {name} were derived for other parameters"
    now = fingerprints(operator)
    changed = [rule for rule in now.keys() | corpus.digests.keys() if now.get(rule) != corpus.digests.get(rule)]
    if changed:
        return f"The calls of {name} were derived for other rules ({listing(sorted(changed))})"
    if corpus.unjudged:
        return f"The calls of {name} have lines that a person added ({listing(list(map(str, corpus.unjudged)))})"
    return ""


def _corpus(text: str, path: Path) -> Corpus:
    try:
        return read(text)
    except CorpusError as error:
        raise SpecErrors([Finding(display_path(path), Position(1, 1), "calls", f"{error}.")]) from error


def derived(operator: Operator, old: str, path: Path) -> str:
    """The text of a corpus anew; what a person added to the old one stays."""
    added = _corpus(old, path).kept if old else ()
    for one in added:
        gone = sorted(one.call.keys() - {param.name for param in operator.info.params})
        if gone:
            text = f"A call that was added by hand names a parameter that does not exist ({gone[0]})."
            raise SpecErrors([Finding(display_path(path), Position(1, 1), "calls", text)])
    kept = distinct(operator.info, added)
    cases = stages.derive(operator, tuple(_written(one) for one in kept))
    return corpus_text(operator.info, cases, fingerprints(operator), kept)


def _written(kept: Kept) -> WrittenCall:
    return WrittenCall("kept", "", tuple(kept.call.items()))


def anew_or_old(operator: Operator, out: Path, anew: bool) -> tuple[str, str]:
    """The path and the text of a corpus: derived, or the old one where that fits and nothing new is asked for."""
    path = out / path_of(operator)
    old = _read(path)
    return path_of(operator), derived(operator, old, path) if anew or _lacks(operator, old, path) else old
