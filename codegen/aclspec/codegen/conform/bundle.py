"""What a maintainer needs of a machine, as one ZIP file: versions, findings, recent messages; no data, no secrets.

Nothing is copied and then cleaned: of each part go in the fields, and of each field the values, that `allowed` knows.
"""

from __future__ import annotations

import json
import os
import platform
import re
import zipfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from aclspec.codegen.conform import allowed
from aclspec.codegen.conform.describe import describe
from aclspec.codegen.source.atomic import atomic_write
from aclspec.runtime.npu.doctor import Finding

LOGS = ("ASCEND_PROCESS_LOG_PATH", "~/ascend/log")
_LINES, _FILES = 200, 5
_LINE: Final = re.compile(
    r"\[(?P<level>ERROR|WARNING|EVENT)\]\s*(?P<module>[A-Z_]{1,16})\([^()]{0,80}\):"
    r"(?P<time>\d{4}(?:-\d\d){3}(?::\d\d){2}(?:\.\d{1,3}){0,2}(?!\S))?\s*"
    r"(?:\[(?P<place>[a-z0-9_]{1,60}\.(?:cc|cpp|c|h):\d{1,6})\])?(?P<text>.*)"
)
_MODULES: Final = frozenset(
    (
        *("AICPU", "ASCENDCL", "ATRACE", "CCE", "CCECPU", "DEVMM", "DRV", "FE", "FFTS", "GE", "HCCL", "HCCP", "HDC"),
        *("KERNEL", "OP", "PROFILING", "ROS", "RUNTIME", "TBE", "TDT", "TEFUSION", "TS", "TSDUMP", "TUNE"),
    )
)


def write_bundle(path: Path, findings: Iterable[Finding]) -> list[str]:
    """Write the file whole, and answer the names of what is in it."""
    parts = {
        "versions.json": _versions(),
        "findings.json": [*map(_finding, findings)],
        "environment.json": _variables(),
    }
    texts = {name: json.dumps(part, indent=2) for name, part in parts.items()} | {"messages.txt": "\n".join(messages())}
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as beside, zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, text in texts.items():
            bundle.writestr(name, text + "\n")
    return list(texts)


def _versions() -> dict[str, str]:
    versions = {name: allowed.version(text) for name, text in describe().items()}
    system = f"{platform.system()} {allowed.version(platform.release())} {platform.machine()}"
    return versions | {"system": system}


def _finding(one: Finding) -> dict[str, str]:
    values = {name: allowed.field(name, value) for name, value in one.values.items()}
    return {"topic": one.topic, "state": one.state, "sentence": one.words.format_map(values)}


def _variables() -> dict[str, str]:
    return {name: allow(os.environ[name]) for name, allow in allowed.VARIABLES.items() if name in os.environ}


def messages() -> list[str]:
    """The last warnings and errors of CANN's logs, the newest files last."""
    folders = [Path(os.environ.get(place, place)).expanduser() for place in LOGS]
    files = {
        file.resolve() for folder in folders if folder.is_dir() for file in folder.rglob("*.log") if file.is_file()
    }
    found: list[str] = []
    for file in sorted(files, key=_changed)[-_FILES:]:
        with suppress(OSError):
            found += filter(None, map(message, file.read_text(encoding="utf-8", errors="replace").splitlines()))
    return found[-_LINES:]


def message(line: str) -> str:
    """The fields of a warning or an error: level, module, time, the place in CANN's sources, words that are known."""
    found = _LINE.match(line)
    if found is None or found["module"] not in _MODULES:
        return ""
    fields = (found["level"], found["module"], found["time"], found["place"], allowed.words(found["text"]))
    return " ".join(filter(None, fields))


def _changed(file: Path) -> float:
    with suppress(OSError):
        return file.stat().st_mtime
    return 0.0
