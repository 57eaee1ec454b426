"""Building the compiled kernels with cffi and the machine's C compiler."""

from __future__ import annotations

import hashlib
import os
import sys
import sysconfig
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

SOURCES = Path(__file__).parent / "csource"
MAX_BUILDS = 8
"""Builds that stay: other checkouts and branches have builds in the same folder."""
FLAGS = [
    "-std=gnu11",
    "-D_GNU_SOURCE",
    "-O3",
    "-g0",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-wrapv",  # which Python builds with: nothing here overflows, and addresses in loops are simpler
    "-pthread",
    "-Wno-psabi",
]


class BuildError(Exception):
    """Why the compiled kernels cannot be built, in a sentence."""


@cache
def fingerprint() -> str:
    """Names a build by what it is built from, so that a newer source never meets an older library."""
    digest = hashlib.sha256(" ".join(FLAGS).encode())
    for path in sorted(SOURCES.iterdir()):
        if path.is_file():
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def module_name() -> str:
    """The name of the extension module."""
    return f"_aclspec_native_{fingerprint()}"


def folder() -> Path:
    """The folder of builds: ACLSPEC_NATIVE_DIR, else ``aclspec/native`` in the user's cache folder."""
    chosen = os.environ.get("ACLSPEC_NATIVE_DIR")
    if chosen:
        return Path(chosen)
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "aclspec" / "native"


def library_path() -> Path:
    """The file of the extension module, built or not."""
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    return folder() / f"{module_name()}{suffix}"


def build(force: bool = False) -> Path:
    """Build the extension module where it is not built yet, and answer its path.

    `BuildError` where that fails. A file appears whole or not at all: it is built beside its place and renamed. Of
    older builds the last ones that were built or asked for stay.
    """
    path = library_path()
    try:
        from cffi import FFI
    except ImportError:
        raise BuildError(
            "The compiled kernels need cffi, which is not installed; 'pip install aclspec[native]' installs it."
        ) from None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if force or not path.exists():
            _build_kernels(FFI(), path)
        _drop_old_builds(path)
    except OSError as error:
        raise BuildError(f"The compiled kernels cannot be written to {path.parent}: {error.strerror}.") from error
    except Exception as error:  # distutils and setuptools raise their own kinds for a compiler that fails
        raise BuildError(f"The C compiler cannot build the compiled kernels: {error}") from error
    sys.path_importer_cache.pop(str(path.parent), None)
    return path


def _drop_old_builds(used: Path) -> None:
    """Delete the least recently used builds for this Python.

    A process that has one of them loaded keeps it; one that is about to load it finds none, and NumPy does the work.
    """
    kind, suffix = used.name.split(".", 1)[0].rpartition("_")[0], "." + used.name.split(".", 1)[1]
    with suppress(OSError):  # another process drops the same ones, or the folder is not ours to clean
        os.utime(used)
        builds = [
            one for one in used.parent.glob(f"{kind}_*{suffix}") if len(one.name) == len(used.name) and one != used
        ]
        for old in sorted(builds, key=lambda one: one.stat().st_mtime, reverse=True)[MAX_BUILDS - 1 :]:
            old.unlink(missing_ok=True)


def _build_kernels(ffi: Any, path: Path) -> None:
    ffi.cdef((SOURCES / "interface.h").read_text(encoding="utf-8"))
    ffi.set_source(
        module_name(),
        '#include "native.c"',
        include_dirs=[str(SOURCES)],
        extra_compile_args=FLAGS,
        extra_link_args=["-pthread", "-Wno-psabi"],
    )
    with tempfile.TemporaryDirectory(dir=path.parent) as beside:
        os.replace(ffi.compile(tmpdir=beside, verbose=False), path)
