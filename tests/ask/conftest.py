"""The scripts of the form as the site has them, each made when a test first asks about its operator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from aclspec import ops
from aclspec.codegen.render.build import target_of
from aclspec.codegen.render.javascript.files import render_script, render_tables
from tests.ask.node import Node
from tests.support.project import own_project
from tests.support.suites import own_suite


@pytest.fixture(scope="session")
def node(program: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """Node with the scripts of all operators."""
    folder, project = tmp_path_factory.mktemp("scripts"), own_project()
    target = target_of(project)

    def script(snake: str) -> Path:
        info = ops.get(snake).info
        (text,) = render_script(project, info, replace(own_suite(snake).suite, info=info), target).values()
        path = folder / f"{snake}.js"
        path.write_text(text, encoding="utf-8")
        return path

    (folder / "tables.js").write_text(render_tables(project), encoding="utf-8")
    with Node(program("node"), folder / "tables.js", [], script=script) as running:
        yield running
