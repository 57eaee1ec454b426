"""What a run that finds a change builds: the files of the specs that changed, and those that all operators share."""

from __future__ import annotations

import pickle
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from aclspec.codegen.findings import SpecErrors
from aclspec.codegen.folders import LOCK, PRODUCT_TABLE
from aclspec.codegen.load import Loader, load_project
from aclspec.codegen.lock import lock_text, updated_lock
from aclspec.codegen.part import Part
from aclspec.codegen.parts import Builder
from aclspec.codegen.render.products import render_product_table
from aclspec.codegen.render.project import render_shared
from aclspec.codegen.render.share import Share
from aclspec.codegen.texts import Deflated, Texts


@dataclass(frozen=True, slots=True)
class Built:
    """A spec that was built: the files that it alone decides, and what it gives to the shared ones, pickled."""

    files: tuple[str, ...]
    share: bytes


class Building:
    """Puts the texts of one run's files into ``texts``, below the folder ``out``."""

    def __init__(self, root: Path, package: str, texts: Texts, out: Path) -> None:
        """Read the tables that all specs share."""
        self.root, self.texts, self.out = root, texts, out
        self.builder = Builder(root, package)

    def specs(self, files: Mapping[str, Path], parts: Mapping[Path, Part]) -> dict[str, Built]:
        """What some specs come to, by their names; raise `SpecErrors` where one has a mistake."""
        self._refuse(files.values(), parts)
        built = {}
        for name, file in files.items():
            part = parts[file]
            self.texts.update((self.out / path, text) for path, text in part.files.items())
            built[name] = Built(tuple(str(self.out / path) for path in part.files), part.share)
        return built

    def _refuse(self, files: Iterable[Path], parts: Mapping[Path, Part]) -> None:
        """Raise all that is wrong with the specs that have changed; what has not changed has no mistake."""
        wrong = [finding for part in parts.values() for finding in part.findings]
        if wrong:
            loader = Loader(self.root)
            loader.load(set(files))
            errors = any(finding.severity == "error" for finding in loader.findings)
            raise SpecErrors(loader.findings if errors else wrong)

    def same(self, before: Mapping[str, bytes], after: Mapping[str, bytes], names: Iterable[str]) -> bool:
        """Whether some specs give the same to the files of all operators as they did."""
        return all(name in before and pickle.loads(before[name]) == pickle.loads(after[name]) for name in names)

    def shared(self, pickled: Iterable[bytes], is_checkout: bool, acknowledge: Collection[str]) -> tuple[str, ...]:
        """Build the files of all operators, the lock among them, from what each gives; the result is their paths."""
        shares: list[Share] = [pickle.loads(share) for share in pickled]
        if len({share.snake for share in shares}) < len(shares):
            load_project(self.root)  # which says which two are the same operator
        shares.sort(key=lambda share: share.name)
        files = {
            self.out / path: text
            for path, text in render_shared(self.builder.project, shares, self.builder.target).items()
        }
        if is_checkout:
            files[self.root.parent / PRODUCT_TABLE] = render_product_table(self.builder.project, self.builder.target)
        text = lock_text(self.root, [rule for share in shares for rule in share.rules], acknowledge)
        files[self.root / LOCK] = text or updated_lock(load_project(self.root), acknowledge)
        self.texts.update((path, Deflated.of(text)) for path, text in files.items())
        return tuple(map(str, files))
