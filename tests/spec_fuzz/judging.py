"""What must hold of every case: it is refused with findings that have a position, or what is made of it compiles."""

from __future__ import annotations

import re
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext
from importlib import import_module, invalidate_caches
from pathlib import Path, PurePosixPath
from types import FrameType
from unittest.mock import patch

from aclspec.codegen.compile.fingerprint import fingerprints, rule_digests
from aclspec.codegen.derive import Cases
from aclspec.codegen.derive.corpus import corpus_text
from aclspec.codegen.pipeline import load, stages
from aclspec.codegen.pipeline.corpora import path_of
from aclspec.codegen.render.build import OperatorBuild
from aclspec.codegen.source.findings import Finding, SpecErrors
from aclspec.codegen.source.folders import CLAUSES, COMMON
from aclspec.codegen.spec.project import Operator, Project
from aclspec.runtime.testing.suite import Suite
from tests.spec_fuzz.mutations import ROOTS, Case
from tests.support.headers import include_folder

PACKAGE = "fuzzed.ops"
GIGABYTE = 1 << 30
LINT_SECONDS, DERIVE_SECONDS = 30, 240
"""Processor time for a case; attention with 60 parameters takes half of it."""
AT_START = frozenset({"empty-file", "no-file", "encoding"})
"""Kinds of findings about a file as a whole."""


class TooMuch(BaseException):
    """A case took too long; no code that passes over exceptions catches it."""


@contextmanager
def limited(seconds: int, memory: int = GIGABYTE) -> Iterator[None]:
    """Limit the seconds of processor time and the bytes of new memory; `TooMuch` and MemoryError beyond them."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooMuch(f"more than {seconds} s of processor time")

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    before = signal.signal(signal.SIGPROF, stop)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + memory, hard))
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        signal.signal(signal.SIGPROF, before)


class Workshop:
    """Copies of the folders of specs, in which one file at a time is replaced."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.roots = {root: folder / str(number) / "specs" for number, root in enumerate(ROOTS)}
        for root, own in self.roots.items():
            shutil.copytree(root, own)
            (own / "rules.lock").unlink(missing_ok=True)  # a changed meaning is no mistake here
        self.tables = {own: load.load_tables(own) for own in self.roots.values()}

    def judge(self, case: Case, thorough: bool) -> str:
        """Lint a case and generate from it: "refused", "accepted" or "underived"; an exception is a defect.

        A thorough case also derives the tests, and imports what was generated.
        """
        root = self.roots[case.root]
        path = root / case.file
        before = path.read_bytes()
        path.write_text(case.text, encoding="utf-8")
        try:
            return self._judge(root, path, case, thorough)
        finally:
            path.write_bytes(before)

    def _judge(self, root: Path, path: Path, case: Case, thorough: bool) -> str:
        subject = path
        with ExitStack() as stack:
            stack.enter_context(limited(LINT_SECONDS))
            if path.parent.name in (COMMON, CLAUSES):
                operators = sorted(root.glob("[!c]*/*.yaml"))
                subject = operators[case.seed % len(operators)]
            else:
                tables, found = self.tables[root]
                stack.enter_context(patch.object(load, "load_tables", lambda _: (tables, list(found))))
            project, findings = load.load_specs(root, only=subject)
            operators_of = [] if project is None else [one for one in project.operators if one.path == subject]
        for finding in findings:
            check_finding(finding, path, case.text)
        if load.has_errors(findings) or project is None:
            return "refused"
        try:
            for operator in operators_of:
                self._generate(operator, project, thorough)
        except SpecErrors as errors:
            refused = errors.findings
        else:
            return "accepted"
        assert refused
        for finding in refused:
            check_finding(finding, path, case.text)
        return "underived"

    def _generate(self, operator: Operator, project: Project, thorough: bool) -> None:
        """Generate from an operator; with its tests where it is a thorough case."""
        layout = nullcontext() if thorough else patch.object(stages, "format_python", dict)
        with limited(DERIVE_SECONDS if thorough else LINT_SECONDS), layout:
            rule_digests(operator)
            none = Cases(Suite(operator.info.name, {}, {}, (), ()), {}, (), ())
            cases = stages.derive(operator) if thorough else none
            build = OperatorBuild(operator, stages.emit(operator, project), cases)
            entries = [stages.render(build, project, PACKAGE)]
            entries.append(stages.render_common(entries, project, PACKAGE, with_runtime=False))
        files = {name: text for entry in entries for name, text in entry.files.items()}
        if thorough:
            files[path_of(operator)] = corpus_text(operator.info, cases, fingerprints(operator))
        for name, text in files.items():
            if name.endswith(".py"):
                compile(text, name, "exec")
        if thorough:
            self._use(files, operator)

    def _use(self, files: Mapping[str, str], operator: Operator) -> None:
        """Import the generated modules and tests; let a compiler read the header and the sample."""
        out = self.folder / "out"
        shutil.rmtree(out, ignore_errors=True)
        for name, text in files.items():
            path = out / PurePosixPath(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        info = operator.info
        module = f"{PACKAGE}.{info.snake}"
        try:
            sys.path.insert(0, str(out))
            invalidate_caches()
            generated = import_module(module)
            assert repr(generated.OPERATOR.info) == repr(info)  # a NaN is unequal to itself
            for test in (out / "tests").glob("test_*.py"):
                exec(
                    compile(test.read_text(encoding="utf-8"), str(test), "exec"),
                    {"__name__": test.stem, "__file__": str(test)},
                )
        finally:
            sys.path.remove(str(out))
            for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE.partition(".")[0]]:
                del sys.modules[name]
        self._read_c(out)

    def _read_c(self, out: Path) -> None:
        compiler = shutil.which("g++")
        if compiler is None:
            return
        for header in (out / "include" / "aclnnop").glob("*.h"):
            text = f'#include "{header}"\n'
            command = [compiler, "-fsyntax-only", "-Wall", "-Werror", "-x", "c++", f"-I{include_folder()}", "-"]
            done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr


def check_finding(finding: Finding, path: Path, text: str) -> None:
    """A finding has a place in a file and is a sentence."""
    place = (finding.at.line, finding.at.column)
    assert place >= (1, 1), finding
    assert finding.message.endswith((".", "?")), finding
    assert len(str(finding).splitlines()) == 1 + len(finding.context), finding
    assert not re.search(r"<class|object at 0x|Traceback", finding.message), finding
    if finding.file.endswith(f"{path.parent.name}/{path.name}"):
        assert finding.at.line <= text.count("\n") + 2, finding
        assert place != (1, 1) or finding.kind in AT_START, finding
