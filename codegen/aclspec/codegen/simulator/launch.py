"""The environment of a program on the simulator, and the cache of what is built for it."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final

from pydantic import Field

from aclspec.codegen.simulator.compile import LAYER, SOURCES
from aclspec.codegen.simulator.interface import FOLDER, LAUNCH
from aclspec.codegen.simulator.root import check_carried, environment, home_of
from aclspec.codegen.source.findings import SpecErrors
from aclspec.codegen.source.folders import COMMON, cache_folder, find_specs
from aclspec.codegen.source.yaml_tree import read
from aclspec.codegen.spec.base import FullText, Model, Sentence
from aclspec.codegen.spec.validation import validate
from aclspec.codegen.toolchain.compiler import ToolError

SEARCHED: Final = (("LD_LIBRARY_PATH", "lib64"), ("PATH", "bin"))
"""Variables that a simulator extends, each by the path of a folder of its root."""
KEPT: Final = 3
"""Folders of a kind in the cache: the newest."""
_SUFFIXES = (".py", ".j2", ".c", ".h", ".yaml")


class VariableSpec(Model):
    """A variable that the launcher sets."""

    value: Sentence
    """Its value."""
    doc: FullText
    """Why it is set."""


class FallbackSpec(Model):
    """Behind which module a program of PyTorch has the CPU in place of missing operators."""

    variable: Sentence
    """The variable that hands the module on."""
    module: Sentence
    """The module, which a program imports."""


class LaunchSpec(Model):
    """``launch.yaml``."""

    fallback: FallbackSpec
    """What ``--missing=cpu`` waits for."""
    variables: Annotated[dict[Sentence, VariableSpec], Field(min_length=1)]
    """The variables by name."""


def read_launch(specs: Path | None = None) -> LaunchSpec:
    """Read the file; `SpecErrors` where it has mistakes."""
    source = read((specs or find_specs()) / COMMON / FOLDER / LAUNCH)
    spec = validate(source, LaunchSpec)
    if spec is None or source.findings:
        raise SpecErrors(source.findings)
    return spec


def paths(root: Path, before: Mapping[str, str]) -> dict[str, str]:
    """The variables that name the folders of a simulator; searched paths keep what they hold ``before``.

    Raises ToolError for a folder that they cannot hold.
    """
    check_carried(home_of(root))
    found = environment(root)
    for name, folder in SEARCHED:
        own = str(home_of(root) / folder)
        found[name] = f"{own}{os.pathsep}{before[name]}" if before.get(name) else own
    return found


def launch_environment(root: Path, chosen: Mapping[str, str], before: Mapping[str, str]) -> dict[str, str]:
    """The environment of a program: that ``before``, the paths of the root, what is ``chosen``, and the usual rest."""
    usual = {name: variable.value for name, variable in read_launch().variables.items()}
    return {**usual, **before, **paths(root, before), **chosen}


def cached(kind: str, build: Callable[[Path], Sequence[str]], packages: Mapping[str, Path]) -> Path:
    """A folder of this kind in the cache, such as a simulator, built where what decides it has changed.

    ``build`` writes the folder that it is given whole or not at all, and gives warnings. Raises ToolError.
    """
    folder = cache_folder(kind)
    if folder is None:
        raise ToolError(
            "The cache is off, or its folder is another user's (ACLSPEC_CACHE): "
            f"build the {kind} (aclspec {kind} build) and name its folder."
        )
    folder.mkdir(parents=True, exist_ok=True)
    found = folder / _digest(packages)
    with open(folder / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not found.exists():
            for text in build(found):
                print(text, file=sys.stderr)
        found.touch()
        built = sorted((one for one in folder.iterdir() if one.is_dir()), key=lambda one: one.stat().st_mtime_ns)
        for old in built[:-KEPT]:
            shutil.rmtree(old, ignore_errors=True)
    return found


def _digest(packages: Mapping[str, Path]) -> str:
    """The hash of all that decides a root: specs, sources, and the Python that it is built for."""
    hashed = hashlib.sha256(f"{sys.version}\0{sys.executable}\0{sys.base_prefix}\0".encode())
    code = Path(__file__).parents[1]
    rendering = [code / "render", code / "layer", code / "simulator"]
    roots = [find_specs(), LAYER, SOURCES, *rendering, *sorted(packages.values())]
    for root in roots:
        for path in sorted(root.rglob("*")):
            if path.suffix in _SUFFIXES and path.is_file():
                hashed.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return hashed.hexdigest()[:32]
