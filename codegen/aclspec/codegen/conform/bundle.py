"""What a maintainer needs of a machine, as one ZIP file: versions, findings, recent messages; no data, no secrets.

Of the environment go in the values of variables that aclspec and CANN read and that name no secret; of the logs of
CANN the last lines that are warnings or errors. The home folder and the user's and the machine's names are left out.
"""

from __future__ import annotations

import getpass
import json
import os
import re
import zipfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from aclspec.codegen.conform.describe import describe
from aclspec.codegen.source.whole import whole

VARIABLES = (
    *(
        "ACLSPEC_BACKEND",
        "ACLSPEC_PRODUCT",
        "ACLSPEC_SOC",
        "ACLSPEC_CONFORMANCE",
        "ACLSPEC_KERNELS",
        "ACLSPEC_NPU_CHECKS",
    ),
    *("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME", "ASCEND_CUSTOM_PATH", "ASCEND_OPP_PATH", "ASCEND_CUSTOM_OPP_PATH"),
    *("ASCEND_RT_VISIBLE_DEVICES", "ASCEND_GLOBAL_LOG_LEVEL", "ASCEND_PROCESS_LOG_PATH", "LD_LIBRARY_PATH"),
)
"""The variables whose values go in."""
LOGS = ("ASCEND_PROCESS_LOG_PATH", "~/ascend/log")
_LINES, _FILES = 200, 5
_WANTED = re.compile(r"\[?(ERROR|WARNING|EVENT)\]?")
_SECRET = re.compile(r"(?i)\b(\w*(?:token|secret|passw\w*|key|credential)\w*)\s*[=:]\s*\S+")


def write_bundle(path: Path, findings: Iterable[Mapping[str, str]]) -> list[str]:
    """Write the file whole, and answer the names of what is in it."""
    parts = {
        "versions.json": json.dumps(describe(), indent=2),
        "findings.json": cleaned(json.dumps(list(findings), indent=2, ensure_ascii=False)),
        "environment.json": json.dumps(
            {name: cleaned(os.environ[name]) for name in VARIABLES if name in os.environ}, indent=2
        ),
        "messages.txt": "\n".join(messages()),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole(path) as beside, zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, text in parts.items():
            bundle.writestr(name, text + "\n")
    return list(parts)


def messages() -> list[str]:
    """The last warnings and errors of CANN's logs, the newest files last."""
    folders = [Path(os.environ.get(place, place)).expanduser() for place in LOGS]
    files = [file for folder in folders if folder.is_dir() for file in folder.rglob("*.log")]
    found: list[str] = []
    for file in sorted(files, key=_changed)[-_FILES:]:
        with suppress(OSError):
            lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
            found += [cleaned(line) for line in lines if _WANTED.match(line)]
    return found[-_LINES:]


def cleaned(text: str) -> str:
    """A text without the home folder, the names of user and machine, and what looks like a secret."""
    names = {str(Path.home()): "~", os.uname().nodename: "HOST"}
    with suppress(OSError, KeyError, ImportError):
        names[getpass.getuser()] = "USER"
    for name, stands in names.items():
        if len(name) > 2 and name != "root":
            text = re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", stands, text)
    return _SECRET.sub(r"\1=HIDDEN", text)


def _changed(file: Path) -> float:
    with suppress(OSError):
        return file.stat().st_mtime
    return 0.0
