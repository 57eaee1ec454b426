"""The compiled kernels, built once for the session into a folder of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from aclspec.runtime.native import build, library


@pytest.fixture(scope="session")
def compiled(program: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[library.Library]:
    """The library of compiled kernels."""
    program("cc")
    patch = pytest.MonkeyPatch()
    patch.setenv("ACLSPEC_NATIVE_DIR", str(tmp_path_factory.mktemp("native")))
    patch.delenv("ACLSPEC_NATIVE", raising=False)
    library.forget()
    build.build()
    found = library.library()
    assert found is not None
    yield found
    patch.undo()
    library.forget()
