"""The failed calls of a recording as findings, for continuous integration: a baseline, JSON lines and SARIF."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Container, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import quote

from aclspec.runtime.replay.judging import Judge
from aclspec.runtime.replay.recording import Recording
from aclspec.runtime.replay.summary import Failure, failures
from aclspec.runtime.version import __version__

SARIF = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
MUTE = "ACLSPEC_LAYER_MUTE"
Identity: TypeAlias = tuple[str | None, ...]
"""What a baseline knows a finding by: lines and shapes may change."""
_IDENTITY = ("rule", "operator", "status", "file", "function")


class BaselineError(Exception):
    """A file that is no baseline; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Failed calls of one rule and one place; call, product and message are those of the first.

    ``rule`` is the operator where no rule explains the failure. ``file`` is the program where no Python frame is known.
    """

    rule: str
    operator: str
    status: str
    product: str
    message: str
    call: str
    file: str
    line: int | None
    function: str | None
    count: int

    @property
    def identity(self) -> Identity:
        """What a baseline knows it by."""
        return tuple(getattr(self, name) for name in _IDENTITY)

    @property
    def where(self) -> str:
        """``train.py:12``, or the program."""
        return self.file if self.line is None else f"{self.file}:{self.line}"


def findings_of(recording: Recording, judge: Judge, program: str, without: Container[str] = ()) -> list[Finding]:
    """The findings of a recording of this program, but for those of muted rules; the first call comes first."""
    found: dict[tuple[object, ...], Finding] = {}
    for failure in failures(recording, judge, with_fixes=False):
        one = _finding(failure, program)
        key = (*one.identity, one.line)
        if one.rule not in without:
            found[key] = replace(found[key], count=found[key].count + one.count) if key in found else one
    return list(found.values())


def _finding(failure: Failure, program: str) -> Finding:
    place = failure.place
    is_file = place is not None and not place.file.startswith("<")  # <string> and <stdin> are none
    return Finding(
        failure.rule or failure.operator,
        failure.operator,
        failure.status,
        failure.product,
        " ".join(failure.reasons),
        failure.call,
        _short(place.file if place is not None and is_file else program),
        place.line if place is not None and is_file else None,
        place.function if place is not None else None,
        failure.count,
    )


def _short(file: str) -> str:
    """The path from the working directory for a file below it, so that a baseline is good in another checkout."""
    try:
        path, here = Path(os.path.abspath(file)), Path.cwd()
    except OSError:  # the program removed its working directory
        return file
    return path.relative_to(here).as_posix() if path.is_relative_to(here) else str(path)


def muted() -> frozenset[str]:
    """The rules of ACLSPEC_LAYER_MUTE, which the layer does not report either."""
    return frozenset(os.environ.get(MUTE, "").replace(",", " ").split())


def read_baseline(path: Path) -> set[Identity]:
    """The identities of the findings of a file; BaselineError for a broken one, OSError for one that cannot be read."""
    found = set()
    for number, line in enumerate(BytesIO(path.read_bytes()), 1):  # text is cut at U+2028 too
        try:
            entry = json.loads(line.decode())
            found.add(tuple(_text(entry[name]) for name in _IDENTITY))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise BaselineError(f"Line {number} of the baseline {path} is not a finding.") from error
    return found


def _text(value: object) -> str | None:
    if value is not None and not isinstance(value, str):
        raise TypeError(value)
    return value


def json_lines(findings: Iterable[Finding]) -> str:
    """A JSON object a line; a baseline is such a file."""
    return "".join(json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in findings)


def sarif(findings: Iterable[Finding]) -> str:
    """The findings as SARIF 2.1.0, which services of continuous integration show."""
    results = [_result(one) for one in findings]
    rules = [{"id": name} for name in dict.fromkeys(result["ruleId"] for result in results)]
    driver = {"name": "aclspec", "version": __version__, "rules": rules}
    document = {"$schema": SARIF, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _result(one: Finding) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": _uri(one.file)}}
    if one.line is not None:
        place["region"] = {"startLine": max(one.line, 1)}
    location: dict[str, Any] = {"physicalLocation": place}
    if one.function is not None:
        location["logicalLocations"] = [{"name": one.function}]
    whole: Mapping[str, object] = asdict(one)
    identity = hashlib.sha256(json.dumps([whole[name] for name in _IDENTITY]).encode()).hexdigest()
    return {
        "ruleId": one.rule,
        "level": "error",
        "message": {"text": f"{one.message} The call {one.call} failed with {one.status} on {one.product}."},
        "locations": [location],
        "occurrenceCount": one.count,
        "partialFingerprints": {"aclspec/v1": identity},
    }


def _uri(file: str) -> str:
    path = Path(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
