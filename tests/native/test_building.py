"""Building, switching off, and what is said where that fails."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from aclspec import ops
from aclspec.cli.main import main
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.native import build, library
from aclspec.runtime.native.library import CompiledKernel, Library
from tests.support.kernels import kernel_of


def test_the_default_backend_uses_what_is_built(compiled: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = kernel_of(ops.get("aclnnPrelu"), "numpy")
    assert isinstance(kernel, CompiledKernel)
    x, weight = np.ones((2, 3), np.float32), np.ones(3, np.float32)
    call = (x, weight, x.copy(), {"operand": DType.FLOAT, "accumulate": DType.FLOAT})
    assert kernel.compiled(*call)
    monkeypatch.setenv("ACLSPEC_NATIVE", "0")
    assert not kernel.compiled(*call)


def test_a_call_that_the_kernels_decline_is_computed_by_numpy(compiled: Library) -> None:
    x = np.arange(24, dtype=np.float32).reshape(4, 6)[:, ::2] - 7
    weight = np.array([0.5, -2.0, 3.0], np.float32)
    kernel = kernel_of(ops.get("aclnnPrelu"), "numpy")
    out = np.empty(x.shape, np.float32)
    kernel(x, weight, out, {"operand": DType.FLOAT, "accumulate": DType.FLOAT})
    np.testing.assert_array_equal(out, np.where(x > 0, x, weight * x))


def test_no_library_is_no_fault(compiled: Library, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ACLSPEC_NATIVE_DIR", str(tmp_path))
    library.forget()
    try:
        assert library.library() is None
        build.library_path().write_bytes(b"not a library")
        library.forget()
        assert library.library() is None
    finally:
        library.forget()


def test_old_builds_are_dropped(compiled: Library, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The builds that were asked for last stay, and what is no build of this Python; a build that is loaded goes on."""
    now, suffix = build.library_path(), sysconfig.get_config_var("EXT_SUFFIX")
    monkeypatch.setenv("ACLSPEC_NATIVE_DIR", str(tmp_path))
    own = tmp_path / now.name
    shutil.copy(now, own)
    os.utime(own, (1, 1))
    old = [tmp_path / f"_aclspec_native_{at:016x}{suffix}" for at in range(12)]
    others = [
        tmp_path / name for name in (f"_aclspec_native_{0:016x}.other.so", f"_aclspec_native_mine{suffix}", "notes")
    ]
    for age, path in enumerate([*old, *others]):
        path.write_bytes(b"")
        os.utime(path, (1000 + age, 1000 + age))
    library.forget()
    try:
        loaded = library.library()
        assert loaded is not None
        assert build.build() == own
        assert set(tmp_path.iterdir()) == {own, *old[12 - build.MAX_BUILDS + 1 :], *others}
        own.unlink()
        assert loaded.lib.aclspec_use(b"portable") == 0
    finally:
        library.forget()


def test_a_folder_that_cannot_be_cleaned_is_no_fault(compiled: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "utime", refused)
    assert build.build() == build.library_path()


def test_a_compiler_that_fails_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ACLSPEC_NATIVE_DIR", str(tmp_path))
    monkeypatch.setenv("CC", str(tmp_path / "no-such-compiler"))
    assert main(["native", "build"]) == 2
    said = capfd.readouterr().err
    assert "The C compiler cannot build the compiled kernels" in said
    assert "Traceback" not in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "less", [[], ["-DACLSPEC_PORTABLE", "-U__SSE2__"], ["-U__linux__"]], ids=["all", "portable", "no-amx"]
)
def test_compilers_that_know_less_take_the_source(program: Callable[[str], str], less: list[str]) -> None:
    """Another machine's, and one that cannot make tiles of AMX."""
    words = [program("cc"), *build.FLAGS, "-Wall", "-Werror", "-fsyntax-only", *less, str(build.SOURCES / "native.c")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_a_wrong_number_of_threads_is_named(compiled: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACLSPEC_NATIVE_THREADS", "many")
    with pytest.raises(ValueError, match=r"ACLSPEC_NATIVE_THREADS \(many\)"):
        library.threads()
