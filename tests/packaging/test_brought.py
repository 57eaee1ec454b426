"""Libraries that a wheel brings are taken where a compiler would be given the same, and no compiler is run then."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from aclspec import ops
from aclspec.codegen.layer.build import LIBRARY, build_layer
from aclspec.codegen.render.c.files import write_checks
from aclspec.codegen.simulator.root import HOME, build_root
from aclspec.codegen.toolchain import brought
from aclspec.codegen.toolchain.compiler import ToolError

COMPILER = """#!/bin/sh
echo "$*" >> '{log}'
while [ "$1" != -o ]; do shift; done
echo compiled > "$2"
"""


@dataclass(frozen=True)
class Build:
    """A kind of libraries: where they are in what is built, and how that is."""

    kind: str
    inner: Path
    root: Path
    make: Callable[[list[str], Path], object]

    def texts(self, out: Path) -> dict[str, str]:
        """What the libraries hold."""
        return {path.name: path.read_text() for path in (out / self.root / self.inner).glob("*.so")}


def layer(names: list[str], out: Path) -> None:
    infos = [ops.get(name).info for name in names]
    build_layer(infos, partial(write_checks, infos), out)


def simulator(names: list[str], out: Path) -> None:
    build_root([ops.get(name).info for name in names], out)


BUILDS = [
    Build("layer", LIBRARY.parent, Path(), layer),
    Build("simulator", Path("lib64"), Path(HOME), simulator),
]


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the only compiler of this machine was called with; it compiles nothing. The wheel brings nothing yet."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "cc").write_text(COMPILER.format(log=tmp_path / "log"))
    (tmp_path / "bin" / "cc").chmod(0o755)
    (tmp_path / "log").touch()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(brought, "BROUGHT", tmp_path / "brought")
    return tmp_path / "log"


@pytest.mark.parametrize("build", BUILDS, ids=lambda build: build.kind)
def test_brought_libraries_take_the_place_of_compiled_ones(
    build: Build, log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build.make(["prelu"], tmp_path / "first")
    compiled = build.texts(tmp_path / "first")
    assert set(compiled.values()) == {"compiled\n"}
    assert log.read_text().count("\n") > len(compiled)
    wheel = tmp_path / "brought" / build.kind
    wheel.mkdir(parents=True)
    (wheel / brought.DIGEST).write_bytes((tmp_path / "first" / build.root / brought.DIGEST).read_bytes())
    for name in compiled:
        (wheel / name).write_text("brought\n")

    def sources(name: str, out: str) -> set[str]:
        log.write_text("")
        build.make([name], tmp_path / out)
        assert bool(log.read_text()) == ("compiled\n" in build.texts(tmp_path / out).values())
        return set(build.texts(tmp_path / out).values())

    assert sources("prelu", "second") == {"brought\n"}
    assert build.texts(tmp_path / "second").keys() == compiled.keys()
    assert sources("gelu", "other") == {"compiled\n"}  # other operators than those of the wheel
    with monkeypatch.context() as patch:
        patch.setenv("CC", str(tmp_path / "bin" / "cc"))  # asked for by name
        assert sources("prelu", "third") == {"compiled\n"}
    (tmp_path / "bin" / "cc").unlink()
    assert sources("prelu", "fourth") == {"brought\n"}
    with pytest.raises(ToolError, match=f"The {build.kind} needs a C compiler"):
        build.make(["gelu"], tmp_path / "fifth")
    assert not (tmp_path / "fifth").exists()


def test_the_digest_sees_each_text_and_option(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("int a;")
    found = {brought.digest("-O1", tmp_path), brought.digest("-O2", tmp_path)}
    (tmp_path / "notes.txt").write_text("no source")
    assert brought.digest("-O1", tmp_path) in found
    (tmp_path / "a.c").rename(tmp_path / "b.c")
    found.add(brought.digest("-O1", tmp_path))
    for name in ("b.c", "b.h", "b.map"):
        (tmp_path / name).write_text("int b;")
        found.add(brought.digest("-O1", tmp_path))
    assert len(found) == 6


def test_the_hook_puts_them_where_they_are_looked_for(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = importlib.util.spec_from_file_location("hatch_build", repository / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for build in BUILDS:
        root = tmp_path / "build" / "wheel" / "aarch64" / build.kind / build.root
        (root / build.inner).mkdir(parents=True)
        for path in (root / build.inner / "libone.so", root / brought.DIGEST, root / "aclspec_python.txt"):
            path.touch()
    monkeypatch.setenv("ACLSPEC_WHEEL", "aarch64")
    data: dict[str, Any] = {"force_include": {}, "pure_python": True}
    module.Libraries(str(tmp_path), {}, None, None, "", "wheel").initialize("standard", data)
    home = brought.BROUGHT.relative_to(repository / "codegen")
    expected = {str(home / build.kind / name) for build in BUILDS for name in ("libone.so", brought.DIGEST)}
    assert set(data["force_include"].values()) == expected
    assert all(Path(path).is_file() for path in data["force_include"])
    assert (data["pure_python"], data["tag"]) == (False, "py3-none-manylinux_2_28_aarch64")
