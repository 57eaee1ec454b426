"""The mutants that mean the same as the original, each with its reason: tests/mutants_equivalent.yaml."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import yaml


class BadList(Exception):
    """The file of equivalent mutants is not what it should be."""


def read(path: Path) -> dict[str, dict[str, str]]:
    """Reasons by operator and description; empty where there is no file."""
    if not path.exists():
        return {}
    try:
        loaded = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except yaml.YAMLError as error:
        raise BadList(f"{path} is not YAML: {error}") from error
    if not isinstance(loaded, dict):
        raise BadList(f"{path} is not a mapping from operators to lists of mutants.")
    return {str(operator): dict(_entries(path, str(operator), entries)) for operator, entries in loaded.items()}


def _entries(path: Path, operator: str, entries: object) -> Iterable[tuple[str, str]]:
    if not isinstance(entries, list):
        raise BadList(f"The value of {operator} in {path} is not a list of mutants.")
    for entry in entries:
        if not isinstance(entry, dict) or set(entry) != {"mutant", "reason"} or not all(entry.values()):
            raise BadList(f"An entry of {operator} in {path} has not the keys mutant and reason: {entry}.")
        yield str(entry["mutant"]), str(entry["reason"])


def stale(listed: Mapping[str, str], survivors: Iterable[str], known: Iterable[str]) -> list[str]:
    """What is wrong with the entries of one operator: mutants that do not exist, or that the cases kill."""
    alive, existing = set(survivors), set(known)
    return [
        f"The listed mutant ({name}) {'is killed' if name in existing else 'does not exist'}; take it off the list."
        for name in listed
        if name not in alive
    ]
