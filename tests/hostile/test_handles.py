"""The layer before a CANN that bears any handle: foreign, destroyed and reused ones of every kind, shared by threads.

The seed is random; ACLSPEC_SEED gives that of a run that failed.
"""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from aclspec import ops
from aclspec.codegen.layer import build
from aclspec.codegen.render.c.files import write_checks
from aclspec.runtime.testing.amount import amount
from tests.layer.test_record import lines

PROGRAMS = Path(__file__).parent / "programs"
OPERATORS = ("aclnnAdds", "aclnnCat", "aclnnFlip", "aclnnForeachDivScalarList")
SANITIZERS = ("address,undefined", "thread")
CALLS = amount(3_000, 100_000, 1_000_000)
QUIET = {"ACLSPEC_LAYER_LOG": "/dev/null"}


@dataclass(frozen=True)
class Attack:
    """The attacker behind the layer, all compiled with a sanitizer."""

    folder: Path
    library: Path

    def run(self, calls: int, threads: int, seed: int, variables: Mapping[str, str]) -> str:
        """What the program prints, which lives and makes no sanitizer speak."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("ACLSPEC")}
        given = {"LD_LIBRARY_PATH": f"{self.folder}:{self.library.parent}", **QUIET, **variables}
        words = [str(self.folder / "handles"), str(calls), str(threads), str(seed)]
        print(f"ACLSPEC_SEED={seed}")
        done = subprocess.run(words, env=kept | given, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), f"with ACLSPEC_SEED={seed}: {done}"
        return done.stdout


def compiled(folder: Path, kind: str) -> Attack:
    flags = [f"-fsanitize={kind}", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"]
    compiler = shutil.which("cc") or "cc"
    infos = [ops.get(name).info for name in OPERATORS]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CC", " ".join([compiler, *flags]))
        patch.setattr(build, "LINK", tuple(flag for flag in build.LINK if "no-undefined" not in flag))
        patch.setattr(
            build, "FLAGS", tuple(flag for flag in build.FLAGS if flag != "-O1")
        )  # it compiles in half the time
        assert build.build_layer(infos, partial(write_checks, infos), folder / "layer") == []
    library = folder / "layer" / build.LIBRARY
    strict = [compiler, *flags, "-std=gnu11", "-g", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-pthread"]
    for words in (
        ["-shared", str(PROGRAMS / "cann.c"), "-Wl,-soname,libopapi.so", "-o", "libopapi.so"],
        [str(PROGRAMS / "handles.c"), "-o", "handles", str(library), "-L.", "-Wl,--no-as-needed", "-lopapi", "-ldl"],
    ):
        done = subprocess.run([*strict, *words], cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    return Attack(folder, library)


@pytest.fixture(scope="module", params=[SANITIZERS[0], pytest.param(SANITIZERS[1], marks=pytest.mark.all)])
def attack(
    request: pytest.FixtureRequest, program: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory
) -> Attack:
    program("cc")
    return compiled(tmp_path_factory.mktemp("hostile"), request.param)


@pytest.fixture
def seed() -> int:
    return int(os.environ.get("ACLSPEC_SEED") or secrets.randbelow(2**32))


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_handles_of_any_kind(attack: Attack, seed: int, threads: int) -> None:
    found = attack.run(CALLS, threads, seed, {"ACLSPEC_RECORD": "/dev/null"})
    assert found.endswith("others 0\n")
    if threads == 1:  # with several, CANN's answers depend on which is first
        assert found == attack.run(CALLS, threads, seed, {"ACLSPEC_LAYER": "off"})


@pytest.mark.parametrize("mode", ["portability", "enforce"])
def test_in_each_mode(attack: Attack, seed: int, mode: str) -> None:
    variables = {"ACLSPEC_LAYER": mode, "ACLSPEC_RECORD": "/dev/null", "ACLSPEC_LAYER_BACKTRACE": "1"}
    attack.run(CALLS // 10, 4, seed, variables)


def test_what_is_recorded_of_it(attack: Attack, seed: int, tmp_path: Path) -> None:
    """Whole lines, each phase two after its phase one, from threads that share executors."""
    attack.run(2_000, 4, seed, {"ACLSPEC_RECORD": str(tmp_path / "calls")})
    assert len(lines(tmp_path / "calls")) >= 2_000
