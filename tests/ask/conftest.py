"""The scripts of the form as the site has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from aclspec.codegen.pages.site import render_scripts
from aclspec.codegen.trace.sources import read_suites
from tests.support.once import once
from tests.support.project import own_project
from tests.support.simulated import shared_folder


@pytest.fixture(scope="session")
def scripts(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the tables and of the operators' scripts."""

    def make(folder: Path) -> None:
        suites = {name: file.suite for name, file in read_suites(repository, repository / "generated/tests").items()}
        for path, text in render_scripts(own_project(), suites, (None,)).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")

    return once(shared_folder(tmp_path_factory) / "scripts", make) / "docs/assets/ask"
