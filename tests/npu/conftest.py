"""What the tests of the bridge share: the simulator, built once, as the NPU of this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from aclspec.runtime import last_error
from tests.support.simulated import Simulator, as_device, build_once, shared_folder


@pytest.fixture(scope="session")
def root(tmp_path_factory: pytest.TempPathFactory, program: Callable[[str], str]) -> Path:
    """A CANN root with the simulator in it."""
    program("g++")
    return build_once(shared_folder(tmp_path_factory))


@pytest.fixture
def simulator(root: Path) -> Iterator[Simulator]:
    """The simulator as the NPU that this process finds."""
    last_error()
    with as_device(root) as found:
        yield found
    last_error()
