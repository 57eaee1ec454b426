"""Whatever a file says, loading it ends in a project or in findings that point into the file."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from aclspec.codegen.compile.fingerprint import rule_digests
from aclspec.codegen.pipeline.load import load_project
from aclspec.codegen.pipeline.lock import LockedRule, updated_lock
from aclspec.codegen.source.findings import SpecErrors
from aclspec.codegen.spec.project import Project
from aclspec.runtime.testing.amount import amount

TOKEN = re.compile(r"[\w.]+|==|<=|[^\w\s]|\s+")
EXTRA = (
    *("[", "]", "{", "}", "0", "-1", "null", "true", "1.5", "'x'", "~", "''", "- ", ": ", "\n  ", "<<", "&a", "*a"),
    *("!!x", "|", "> ", "99999999999999999999999", "1e400", ".nan", "\t", "\0", "{it}", "all", "it", "rank(self)"),
)
ALIKE = (
    ("self", "bias", "out", "sizes", "mode", "alpha", "wanted", "channels", "product"),
    ("FLOAT", "FLOAT16", "BF16", "T", "S", "HFLOAT32"),
    ("tensor", "tensor_list", "scalar", "int_array", "int8", "bool", "double", "string", "dtype"),
    ("in", "out", "inout"),
    ("0", "1", "2", "4", "8"),
    ("null", "dtype", "format", "rank", "empty", "contiguous", "length", "value", "dtypes"),
    ("atlas_a2", "atlas_training", "atlas_inference"),
    ("==", "<", "<=", "in", "+", "and"),
    ("rank", "numel", "len", "dim", "shape", "is_empty", "is_null", "dtype", "format"),
)


def _broken(text: str, chance: random.Random) -> str:
    """The text with a few tokens dropped, doubled, or replaced by anything."""
    tokens = TOKEN.findall(text)
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(tokens))
        match chance.randrange(4):
            case 0:
                del tokens[place]
            case 1:
                tokens[place] = chance.choice(EXTRA)
            case 2:
                tokens[place] = chance.choice(tokens)
            case _:
                source = chance.randrange(len(tokens))
                tokens[place:place] = tokens[source : source + chance.randint(1, 12)]
    return "".join(tokens)


def _shuffled(text: str, chance: random.Random) -> str:
    """The text with a few words replaced by others of their kind, which mostly are still YAML and a spec."""
    tokens = TOKEN.findall(text)
    kinds = {word: kind for kind in ALIKE for word in kind}
    places = [place for place, token in enumerate(tokens) if token in kinds]
    for _ in range(chance.randint(1, 3)):
        place = chance.choice(places)
        tokens[place] = chance.choice(kinds[tokens[place]])
        kinds = {**kinds, tokens[place]: kinds[tokens[place]]}
    return "".join(tokens)


def _loaded(specs: Path, text: str) -> Project | SpecErrors:
    (specs / "math" / "scale.yaml").write_text(text, encoding="utf-8")
    try:
        project = load_project(specs)
        rules = [LockedRule(*rule) for operator in project.operators for rule in rule_digests(operator)]
        updated_lock(project.root, rules)
    except SpecErrors as errors:
        return errors
    return project


@pytest.mark.parametrize("change", [_broken, _shuffled])
def test_a_changed_file(specs: Path, scale_text: str, change: object) -> None:
    assert callable(change)
    chance = random.Random(2)
    for _ in range(amount(20, 200)):
        text = change(scale_text, chance)
        found = _loaded(specs, text)
        if isinstance(found, SpecErrors):
            assert found.findings
            for finding in found.findings:
                assert 1 <= finding.at.line <= text.count("\n") + 2, text
                assert finding.message.endswith((".", "?")), finding
