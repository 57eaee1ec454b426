"""What a maintainer has to know of a machine: versions, the SoC and its driver; no data, no secrets."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from aclspec.runtime.npu.libraries import find_root
from aclspec.runtime.version import __version__

_PACKAGES = ("numpy", "ml-dtypes", "torch", "torch-npu", "distributed", "pyarrow")
_VERSION_FILES = {
    "driver": (Path("/usr/local/Ascend/driver/version.info"),),
    "firmware": (Path("/usr/local/Ascend/firmware/version.info"),),
}
_CANN = ("version.cfg", "version.info", "compiler/version.info", "runtime/version.info")


def describe() -> dict[str, str]:
    """The versions of aclspec, Python, packages, CANN, driver and firmware, by name."""
    found = {
        "aclspec": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
    }
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    root = find_root()
    files = {**_VERSION_FILES, "cann": tuple(root.path / name for name in _CANN) if root is not None else ()}
    for noun, paths in files.items():
        for path in paths:
            stated = stated_version(path)
            if stated:
                found[noun] = stated
                break
    return found


def stated_version(path: Path) -> str:
    """What a file of versions states; empty where there is none."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    for line in lines:
        name, _, value = line.partition("=")
        if "version" in name.lower() and value.strip():
            return value.strip().strip("[]").rpartition(":")[2]
    return ""
