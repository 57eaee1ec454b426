"""Report the CANN and NPU found on this machine and what is missing; one sentence each."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from aclspec.runtime.abi.errors import AclnnError
from aclspec.runtime.abi.products import product_of
from aclspec.runtime.execution.backends import ENVIRONMENT as BACKEND
from aclspec.runtime.execution.backends import NPU
from aclspec.runtime.npu import packages
from aclspec.runtime.npu.libraries import (
    BASE_LIBRARY,
    RUNTIME_LIBRARIES,
    VARIABLES,
    Libraries,
    Root,
    candidates,
    custom_libraries,
    family_of,
    find_root,
)
from aclspec.runtime.npu.session import Session, session, shutdown

State: TypeAlias = Literal["found", "missing", "note"]
SIMULATOR = "aclspec_simulator.txt"
VERSION_FILES = ("version.cfg", "version.info", "*-linux/ascend_toolkit_install.info", "compiler/version.info")


class Finding(NamedTuple):
    """One finding; ``missing`` prevents the calls on the NPU that were asked for.

    ``words`` are aclspec's own; ``values`` are what was found, by the names that stand in the words.
    """

    topic: str
    state: State
    words: str
    values: Mapping[str, object] = {}

    @property
    def sentence(self) -> str:
        """The words with the values."""
        return self.words.format_map(self.values)

    def to_dict(self) -> dict[str, str]:
        """For programs."""
        return {"topic": self.topic, "state": self.state, "sentence": self.sentence}


def examine(operators: Iterable[str]) -> Iterator[Finding]:
    """The findings, from the environment down to the operators of these C names."""
    wanted = BACKEND.read() == NPU
    yield from _variables()
    root = find_root()
    if root is None:
        names = " or ".join(RUNTIME_LIBRARIES)
        asked = "although ACLSPEC_BACKEND is npu" if wanted else 'so backend="npu" is unavailable'
        yield Finding("cann", "missing" if wanted else "note", f"No folder has {names}, {asked}.")
        return
    yield from _root(root)
    yield from _libraries(root)
    soc = None
    for one in _device():
        soc = str(one.values["soc"]) if "soc" in one.values else soc
        yield one
    if not (root.path / SIMULATOR).exists():
        yield from installation(root.path, soc)
    yield from _operators(root, tuple(operators))


def installation(root: Path, soc: str | None) -> Iterator[Finding]:
    """Whether the packages of an installation fit one another and a SoC; None for one that is not known."""
    found = packages.versions(root)
    if len({tuple(one.split(".")[:2]) for one in found.values()}) > 1:
        told = ", ".join(f"{name} {{{name}}}" for name in found)
        words = f"The packages tell different versions: {told}. Look here first where a kernel does not load."
        yield Finding("packages", "note", words, found)
    opp = packages.opp_of(root)
    if opp.resolve() != (root / "opp").resolve():
        words = "ASCEND_OPP_PATH names {folder}, which is not the folder opp of the CANN at {path}."
        yield Finding("environment", "missing", words, {"folder": opp, "path": root})
    yield from _kernels(opp, soc)


def _kernels(opp: Path, soc: str | None) -> Iterator[Finding]:
    found = list(packages.kernels(opp))
    told: State = "missing" if soc else "note"
    if not found:
        words = "No kernels are below {folder}; the kernels package of a SoC is installed beside the toolkit."
        yield Finding("kernels package", told, words, {"folder": opp})
        return
    mine = packages.of_soc(found, soc) if soc else None
    if soc and mine is None:
        words = f"The kernels below {{folder}} are of {', '.join(one.soc for one in found)}, and none is of {{soc}}."
        yield Finding("kernels package", "missing", words, {"folder": opp, "soc": soc})
    for one in found if mine is None else [mine]:
        if one.problem is None:
            yield Finding("kernels package", "found", f"Kernels of {one.soc} are below {{folder}}.", {"folder": opp})
        else:
            words = f"The list of the kernels of {one.soc} below {{folder}}, binary_info_config.json, {one.problem}."
            yield Finding("kernels package", told, words, {"folder": opp})


def _variables() -> Iterator[Finding]:
    """The variables that name an installation which is none."""
    for root in candidates():
        if root.source in VARIABLES and not root.is_complete:
            names = " nor ".join(RUNTIME_LIBRARIES)
            words = f"{root.source} names {{path}}, which has neither {names} in lib64."
            yield Finding("environment", "missing", words, {"path": root.path})


def _root(root: Root) -> Iterator[Finding]:
    kind = "The simulator" if (root.path / SIMULATOR).exists() else "CANN"
    source = root.source if root.source.isupper() else "found in the usual place"
    version = _version(root)
    label = ", version {version}," if version else ""
    values = {"version": version, "path": root.path}
    yield Finding("cann", "found", f"{kind}{label} is at {{path}} ({source}).", values)


def _version(root: Root) -> str | None:
    """What an installation says of its own version."""
    for pattern in VERSION_FILES:
        for file in sorted(root.path.glob(pattern)):
            for line in _lines(file):
                name, _, value = line.partition("=")
                if name.strip().lower() in ("version", "runtime_running_version") and value.strip():
                    return value.strip().strip("[]").rpartition(":")[2]
    return None


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def _libraries(root: Root) -> Iterator[Finding]:
    runtime = next(name for name in RUNTIME_LIBRARIES if root.library(name) is not None)
    yield Finding("runtime", "found", "The runtime is {library}.", {"library": root.library(runtime)})
    base = root.library(BASE_LIBRARY)
    if base is None:
        words = f"The library {BASE_LIBRARY}, which makes tensors and executors, is missing."
        yield Finding("base", "missing", words)
    else:
        yield Finding("base", "found", "Tensors and executors come from {library}.", {"library": base})
    family = [path.name for path in family_of(root)]
    if family:
        yield Finding("operators", "found", f"Operators come from {', '.join(family)}.")
    else:
        yield Finding(
            "operators", "missing", "No library of operators is there: neither libopapi_*.so nor libopapi.so."
        )
    for path in custom_libraries(root):
        yield Finding("custom operators", "found", "Operators of {library} come before those.", {"library": path})


def _device() -> Iterator[Finding]:
    """Whether a device can be used, which takes a whole session."""
    try:
        owner = session()
        count = ctypes.c_uint32()
        owner.check("aclrtGetDeviceCount", owner.libraries.aclrtGetDeviceCount(ctypes.byref(count)))
        soc = str(owner.libraries.aclrtGetSocName() or b"", "utf-8", "replace")
        number, version = owner.device, _runtime_version(owner)
        shutdown()
    except (AclnnError, ValueError) as error:
        yield Finding("device", "missing", "No device can be used: {reason}", {"reason": _reason(error)})
        return
    product = product_of(soc)
    of = f"of the product {product}" if product else "of no product that aclspec knows"
    places = "1 device" if count.value == 1 else f"{count.value} devices"
    words = f"Device {{number}} of {places} is {{soc}}, {of}."
    yield Finding("device", "found" if product else "missing", words, {"number": number, "soc": soc})
    if version is not None:
        words = "The interface of the runtime is of version {version}."
        yield Finding("version", "found", words, {"version": version})


def _runtime_version(owner: Session) -> str | None:
    """What the runtime says of itself; None of one that does not."""
    parts = [ctypes.c_int32() for _ in range(3)]
    try:
        code = owner.libraries.aclrtGetVersion(*map(ctypes.byref, parts))
    except AclnnError:  # the function is not there
        return None
    return None if code else ".".join(str(part.value) for part in parts)


def _reason(error: Exception) -> str:
    """An error on one line, without the calls that led to it."""
    lines = [line.removeprefix(" - ") for line in str(error).splitlines() if not line.startswith(" - while ")]
    return " ".join(line[:1].upper() + line[1:] for line in lines)


def _operators(root: Root, operators: tuple[str, ...]) -> Iterator[Finding]:
    if not family_of(root) or not operators:
        return
    try:
        libraries = Libraries(root)
        lacking = [name for name in operators if not libraries.has(name)]
    except AclnnError as error:
        yield Finding("operators", "missing", "{reason}", {"reason": _reason(error)})
        return
    if lacking:
        words = f"{len(lacking)} of {len(operators)} operators are not in these libraries: {', '.join(lacking)}."
        yield Finding("operators", "missing", words)
    else:
        yield Finding("operators", "found", f"All {len(operators)} operators that aclspec has specs for are there.")


def chosen_backend() -> Finding:
    """The default backend of a call."""
    name = BACKEND.read()
    if name is None:
        return Finding(
            "backend", "note", "Calls compute with NumPy unless they say otherwise: ACLSPEC_BACKEND is not set."
        )
    words = "Calls take the backend {backend} unless they say otherwise (ACLSPEC_BACKEND)."
    return Finding("backend", "note", words, {"backend": name})


def loader_path() -> Finding | None:
    """A root on the loader's path that no variable names."""
    for folder in filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)):
        if any((Path(folder) / name).is_file() for name in RUNTIME_LIBRARIES) and find_root() is None:
            words = "LD_LIBRARY_PATH has the runtime in {folder}; set ASCEND_HOME_PATH to the folder above it."
            return Finding("environment", "missing", words, {"folder": folder})
    return None
