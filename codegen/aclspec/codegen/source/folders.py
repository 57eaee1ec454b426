"""Where things are: the specs, the tables that they share, their lock, and the cache."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import Final, Literal, TypeAlias

COMMON, CLAUSES, FAMILIES = "common", "clauses", "families.yaml"
LOCK = "rules.lock"
QUESTIONS = ".questions.yaml"
"""How the name of a file ends that has the questions of a draft, beside it."""
SIGNATURES = "signatures.yaml"
"""The operators known by signature alone, beside the folders of specs."""
PRODUCT_TABLE = PurePosixPath("runtime/aclspec/runtime/abi/_product_table.py")
GRAMMAR = PurePosixPath("runtime/aclspec/runtime/why/_grammar.json")
RUNTIME_TABLES: Final = (PRODUCT_TABLE, GRAMMAR)
"""The generated files of the runtime, in a checkout."""
CALLS: Final = "calls"
"""The folder of the derived calls, below that of the generated files."""
Lack: TypeAlias = Literal["missing", "stale"]
LACKS: Final[tuple[Lack, ...]] = ("missing", "stale")
"""What may be wrong with derived calls: there are none, or they were derived for other rules or parameters."""
CACHE = "ACLSPEC_CACHE"
"""The environment variable that names the folder of the cache."""
_OFF = "off"
_PRIVATE, _OTHERS = 0o700, 0o022
"""The mode of folders of the cache, and the bits of a mode by which others write."""
_OP = re.compile(rb"^op: *[\"']?(\w+)", re.MULTILINE)
_FAMILY = re.compile(rb"^(?=  \w+:)", re.MULTILINE)
_WORD = re.compile(rb"\w+")
_GRADIENT = re.compile(rb"\bgradient: *[\"']?(\w+)")
VARIANT = re.compile(rb"^variant_of: *[\"']?([^\s\"']+)", re.MULTILINE)
"""Where a spec says which file it is a variant of."""


def find_specs(given: Path | str | None = None) -> Path:
    """The directory of specs: the one given, else the checkout's, else the one installed with the package."""
    if given is not None:
        return Path(given)
    package = Path(str(files("aclspec.codegen"))).resolve()
    checkout = package.parents[2] / "specs"
    return checkout if (checkout / COMMON).is_dir() else package.parent / "specs"


def table_files(root: Path) -> list[Path]:
    """The files of the tables that all specs share, those that come with the package among them."""
    commons = [folder for folder in dict.fromkeys((root / COMMON, find_specs() / COMMON)) if folder.is_dir()]
    return [path for folder in (*commons, root / CLAUSES) for path in sorted(folder.glob("*.yaml"))]


def operator_files(root: Path) -> list[Path]:
    """The YAML files of operators below a directory, in a fixed order; questions of drafts are none."""
    paths = (file for file in root.rglob("*.yaml") if file.is_file() and not file.name.endswith(QUESTIONS))
    return sorted(file for file in paths if file.relative_to(root).parts[0] not in (COMMON, CLAUSES, SIGNATURES))


def spec_texts(root: Path, file: Path) -> list[bytes]:
    """The text of a spec and, of a variant, that of the spec that it is a variant of."""
    text = file.read_bytes()
    found = VARIANT.search(text)
    base = root / found[1].decode(errors="replace") if found else None
    return [text, base.read_bytes()] if base is not None and base.is_file() else [text]


def family_texts(root: Path) -> list[tuple[bytes, bytes]]:
    """The name and the text of each family; a key has those that a spec names, for no other one concerns it."""
    files = [path for path in table_files(root) if path.name == FAMILIES]
    texts = (text for path in files for text in _FAMILY.split(path.read_bytes()))
    return [(found[0], text) for text in texts if (found := _WORD.search(text))]


def related_files(root: Path, file: Path) -> list[Path]:
    """A spec and the others that it cannot be checked without: of its forward operator, and of the same operator.

    Their paths begin with ``root`` as it is given, which may be relative or a link.
    """
    if file.name == SIGNATURES:
        return []
    file = root / file.resolve().relative_to(root.resolve())
    named = {word for text in spec_texts(root, file) for pattern in (_OP, _GRADIENT) for word in pattern.findall(text)}
    names = {word.lower() for word in named}
    others = [one for one in sorted(root.glob("*/*.yaml")) if one != file and not one.name.endswith(QUESTIONS)]
    return [file, *(one for one in others if names & {word.lower() for word in _OP.findall(one.read_bytes())})]


def operator_names(root: Path) -> list[str]:
    """The C names of the operators that have a spec, without reading more of them."""
    return list(files_by_operator(root))


def files_by_operator(root: Path) -> dict[str, Path]:
    """The file of each operator that has a spec, by its C name."""
    return {name.decode(): file for file in operator_files(root) for name in _OP.findall(file.read_bytes())}


def signature_texts(root: Path) -> list[bytes]:
    """The text of the table of signatures, where there is one."""
    path = root / SIGNATURES
    return [path.read_bytes()] if path.is_file() else []


def cache_folder(name: str) -> Path | None:
    """The folder of this name in the cache, made for its user alone; None where caching is off or it is another's."""
    chosen = os.environ.get(CACHE)
    if chosen == _OFF:
        return None
    home = os.environ.get("XDG_CACHE_HOME")
    with suppress(RuntimeError, OSError):
        folder = Path(chosen or (Path(home) if home else Path.home() / ".cache") / "aclspec") / name
        folder.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
        return folder if _is_own(folder) else None
    return None


def _is_own(folder: Path) -> bool:
    """Whether nobody else can write to a folder: what is in the cache is run. One's own is closed to the others."""
    found = folder.stat()
    if hasattr(os, "geteuid") and found.st_uid != os.geteuid():
        return False
    if found.st_mode & _OTHERS:
        folder.chmod(_PRIVATE)
    return True
