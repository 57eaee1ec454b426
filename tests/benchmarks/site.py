"""The site against the number of operators: ``python -m tests.benchmarks.site [10 500]``.

The pages of copies of our own specs, each with another name, are rendered and built by MkDocs as ``make docs`` builds
ours. Seconds are those of the processor: what they say does not hang on what else the machine does. Left out are the
two pages that derive or compute for every operator, Accuracy and Coverage.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from aclspec.codegen.load import load_project
from aclspec.codegen.render.docs import render_doc_indexes, render_docs
from tests.benchmarks.synthetic import synthesize

TOP = Path(__file__).resolve().parents[2]
_LEFT_OUT = ("accuracy", "coverage")


def measure(count: int) -> tuple[float, float, int]:
    """Seconds of rendering and of MkDocs for so many operators, and the bytes of the site."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for _ in synthesize(root / "specs", count):
            pass
        (root / "specs/clauses").mkdir(exist_ok=True)
        begin = time.process_time()
        project = load_project(root / "specs")
        pages = render_doc_indexes(project)
        for operator in project.operators:
            pages |= render_docs(project, operator)
        for name, text in pages.items():
            target = root / "generated" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        rendered = time.process_time() - begin
        _lay(root)
        return rendered, _build(root), sum(path.stat().st_size for path in (root / "out").rglob("*") if path.is_file())


def _lay(root: Path) -> None:
    """What the site needs beside the pages of operators."""
    shutil.copytree(TOP / "site", root / "site")
    shutil.copytree(TOP / "generated/docs/assets", root / "generated/docs/assets")
    shutil.copy(TOP / "CHANGELOG.md", root)
    for name in _LEFT_OUT:
        for page in (root / "site/docs").glob(f"*/{name}.md"):
            page.write_text(f"# {name.capitalize()}\n", encoding="utf-8")


def _build(root: Path) -> float:
    words = ["build", "--quiet", "--config-file", str(root / "site/mkdocs.yml"), "--site-dir", str(root / "out")]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    env = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    subprocess.run([sys.executable, "-m", "mkdocs", *words], check=True, env=env)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print a line for each number of operators."""
    for count in map(int, sys.argv[1:] or ("10", "500")):
        rendered, built, size = measure(count)
        told = f"{rendered:.1f} s rendering, {built:.1f} s MkDocs, {size / 2**20:.0f} MiB"
        print(f"{count} operators: {told}", flush=True)


if __name__ == "__main__":
    main()
