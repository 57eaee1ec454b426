"""``aclspec watch``: an operator is checked, generated and tested after each save."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from queue import Queue

import pytest

from aclspec.cli.watch import Watch
from tests.pipeline.conftest import PACKAGE, Small

LONGEST = 240
"""Seconds to wait for a line."""


class Watched:
    """A running ``aclspec watch`` and the lines that it prints."""

    def __init__(self, small: Small, *words: str) -> None:
        options = ["--specs", str(small.specs), "--out", str(small.out), "--package", PACKAGE]
        path = os.pathsep.join([str(small.out), os.environ.get("PYTHONPATH", "")])
        self.process = subprocess.Popen(
            [sys.executable, "-u", "-m", "aclspec.cli", "watch", *words, *options],
            cwd=small.root,
            env={**os.environ, "PYTHONPATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.lines: Queue[str] = Queue()
        self.reader = threading.Thread(target=self._read)
        self.reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as stream:
            for line in stream:
                self.lines.put(line)

    def until(self, text: str) -> str:
        """The next line with a text in it."""
        while text not in (line := self.lines.get(timeout=LONGEST)):
            print(line, end="")
        return line


@pytest.fixture
def watched(small: Small) -> Iterator[Watched]:
    running = Watched(small, "copy_all")
    yield running
    running.process.kill()
    running.process.wait()
    running.reader.join()


def source_of(text: str, root: Path, families: str = "families: {}") -> list[Path]:
    """What `watch` looks at beside a spec of this text."""
    for path, said in {"common/families.yaml": families, "copy/other.yaml": text}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(said, encoding="utf-8")
    watch = Watch(root, root, None)
    watch._seen([file := root / "copy" / "other.yaml"])
    return list(watch.related[file])


FAMILY = "families: {copies: {doc: [x, x], names: [x], spec: {compute: {kernel: 'copying:copy'}}}}"


@pytest.mark.parametrize(
    "text",
    [
        "op: aclnnOther\ncompute:\n  kernel: copying:copy\n",
        "op: aclnnOther\ncompute: {kernel: 'copying:copy'}\n",
        "{op: aclnnOther, compute: {kernel: aclspec.runtime.kernels.copying:copy}}\n",
        "op: aclnnOther\nuse: copies\nparams: {self: {in: tensor}}\n",
    ],
)
def test_the_kernel_is_found_in_whatever_form_a_spec_names_it(text: str, tmp_path: Path) -> None:
    assert [path.name for path in source_of(text, tmp_path, FAMILY)] == ["copying.py"]
    assert all(path.is_file() for path in source_of(text, tmp_path, FAMILY))


def test_a_variant_follows_its_base_and_its_kernel(small: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    watch = Watch(small.specs, small.out, PACKAGE)
    variant = small.specs / "copy" / "other.yaml"
    variant.write_text("op: aclnnOther\nvariant_of: copy/copy_all.yaml\n", encoding="utf-8")
    kernel = small.out / "outside_kernels" / "copy_all.py"
    before = watch._seen([variant, small.spec])
    assert watch.related == {variant: (small.spec, kernel), small.spec: (kernel,)}
    assert watch._seen([variant, small.spec]) == before
    os.utime(kernel, ns=(1, 1))
    after = watch._seen([variant, small.spec])
    assert [file for file in after if after[file] != before[file]] == [variant, small.spec]
    text = small.spec.read_text(encoding="utf-8")
    small.spec.write_text(text.replace("outside_kernels.copy_all:", "outside_kernels.made:"), encoding="utf-8")
    assert watch._seen([variant])[variant] != after[variant]
    later = watch._seen([variant])
    assert watch._seen([variant]) == later
    kernel.rename(made := kernel.with_name("made.py"))
    assert watch._seen([variant]) != later
    assert watch.related[variant] == (small.spec, made)


@pytest.mark.timeout(900)
def test_each_save_is_worked_on(watched: Watched, small: Small) -> None:
    watched.until(" passed")
    text = small.spec.read_text(encoding="utf-8")
    small.spec.write_text(text.replace("rank: [0, 8]", "rank: [0, nine]", 1), encoding="utf-8")
    assert "copy_all.yaml:24:15: The value of entry 2 of rank is a string (nine)" in watched.until("nine")
    small.spec.write_text(text.replace("en: A copy of self.", "en: The same as self."), encoding="utf-8")
    watched.until(" passed")
    assert "The same as self." in small.module.read_text(encoding="utf-8")
    kernel = small.out / "outside_kernels" / "copy_all.py"
    kernel.write_text(kernel.read_text(encoding="utf-8").replace("out[...] =", "out[...] = 1 +"), encoding="utf-8")
    watched.until("FAILED")
    watched.process.send_signal(signal.SIGINT)
    watched.until("ended")
    assert watched.process.wait(LONGEST) == 0
