"""Parts of specs kept between runs: whoever goes back to an earlier text, or to another folder, has them at once."""

from __future__ import annotations

import hashlib
from pathlib import Path

from aclspec.codegen.folders import cache_folder, table_files
from aclspec.codegen.kept import Versions
from aclspec.codegen.ledger import inputs_of
from aclspec.codegen.part import Part


class PartStore:
    """The parts of the specs of one directory, for one package, by the texts of the specs."""

    def __init__(self, root: Path, package: str) -> None:
        """Nothing is read yet; where nothing is to be kept, nothing is found either."""
        self._root, self._folder = root, cache_folder("parts")
        self._inputs = inputs_of(table_files(root), (package, root.resolve().name))

    def recall(self, file: Path, content: bytes) -> Part | None:
        """The part of a spec whose text has this hash."""
        found = None if self._folder is None else self._versions(file).recall(self._key(content))
        return found if isinstance(found, Part) else None

    def store(self, file: Path, content: bytes, part: Part) -> None:
        """Keep the part of a spec whose text had this hash."""
        if self._folder is not None:
            self._versions(file).store(self._key(content), part)

    def _versions(self, file: Path) -> Versions:
        assert self._folder is not None
        return Versions(self._folder / file.relative_to(self._root).with_suffix(""))

    def _key(self, content: bytes) -> str:
        return hashlib.sha256(self._inputs + content).hexdigest()[:32]
