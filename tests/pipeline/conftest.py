"""A small project of specs to generate from: one new operator, as ``aclspec new`` starts it."""

from __future__ import annotations

from pathlib import Path

import pytest

from aclspec.codegen.pipeline.generate import Result, generate
from aclspec.codegen.pipeline.scaffold import Place, scaffold

PACKAGE = "outside.ops"


class Small:
    """A folder with the spec of a released operator, a kernel and what is generated from them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.specs, self.out = root / "specs", root / "out"
        place = Place(self.specs, root / "out" / "outside_kernels", "outside_kernels")
        for path, text in scaffold("aclnnCopyAll", "copy", place).items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.replace("draft: true\n", ""), encoding="utf-8")
        self.spec = self.specs / "copy" / "copy_all.yaml"
        self.module = self.out / "outside" / "ops" / "copy_all.py"

    def generate(self, check: bool = False) -> Result:
        """Generate, or only compare."""
        return generate(self.specs, self.out, PACKAGE, check=check)

    def edit(self, old: str, new: str) -> None:
        """Change the spec."""
        text = self.spec.read_text(encoding="utf-8")
        assert old in text
        self.spec.write_text(text.replace(old, new), encoding="utf-8")

    def contents(self) -> dict[str, bytes]:
        """Every file below the root, without Python's caches."""
        files = (path for path in sorted(self.root.rglob("*")) if path.is_file() and "__pycache__" not in path.parts)
        return {path.relative_to(self.root).as_posix(): path.read_bytes() for path in files}


@pytest.fixture
def small(tmp_path: Path) -> Small:
    """A small project, not generated yet."""
    return Small(tmp_path)
