"""The command ``import``: drafts of specs from documentation pages, their review, and a spec beside a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aclspec.cli import output
from aclspec.cli.errors import FINDING, UsageError
from aclspec.cli.output import AsJson

if TYPE_CHECKING:
    from aclspec.codegen.importer.draft import Draft
    from aclspec.codegen.importer.page import Page
    from aclspec.codegen.importer.sources import Sources
    from aclspec.codegen.source.findings import Finding

SUFFIXES = (".md", ".markdown", ".html", ".htm")
LIBRARIES = ("markdown_it", "lxml")


def import_pages(
    pages: Annotated[
        list[Path] | None, typer.Argument(metavar="PAGE", help="Documentation pages, or folders of them.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Folder of the drafts.")] = None,
    facts: Annotated[
        list[Path] | None,
        typer.Option("--facts", metavar="JSON", help="Facts about the library's sources; may be given several times."),
    ] = None,
    headers: Annotated[
        list[Path] | None,
        typer.Option("--header", metavar="HEADER", help="A C header with the prototypes; may be given several times."),
    ] = None,
    report: Annotated[
        bool, typer.Option("--report", help="Write nothing; count what was read, understood and asked.")
    ] = False,
    review: Annotated[
        str | None,
        typer.Option("--review", metavar="OP", help="Ask the open questions of a draft in --out, one at a time."),
    ] = None,
    against: Annotated[
        Path | None, typer.Option("--against", metavar="SPEC", help="Show where this spec and the page differ.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Draft specs from documentation pages that you have; what was not understood becomes a question.

    A draft is two files: the spec, and NAME.questions.yaml with the place that each entry comes from and the questions.

    Example: aclspec import page.md --out drafts
    """
    _require_libraries()
    if review is not None:
        _review(review, out)
        return
    if not pages:
        raise UsageError("Name at least one page")
    sources = _sources(facts or (), headers or ())
    paths = list(_files(pages))
    if report:
        _report(paths, sources, as_json)
    elif against is not None:
        _against(against, paths, sources, as_json)
    elif out is None:
        raise UsageError("Give --out DIR, the folder of the drafts")
    else:
        _draft(paths, sources, out, as_json)


def _require_libraries() -> None:
    """A usage error that names the extra where a library is missing."""
    from importlib.util import find_spec

    missing = [name for name in LIBRARIES if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"The command import needs the package {missing[0]}; install it with: pip install 'aclspec[import]'"
        )


def _files(given: Sequence[Path]) -> Iterator[Path]:
    """The pages, those of a folder in the order of their names."""
    for path in given:
        if path.is_dir():
            yield from sorted(one for one in path.rglob("*") if one.suffix.lower() in SUFFIXES and one.is_file())
        elif path.exists():
            yield path
        else:
            raise UsageError(f"The path ({path}) does not exist")


def _sources(facts: Sequence[Path], headers: Sequence[Path]) -> Sources:
    from aclspec.codegen.importer.sources import Sources

    sources = Sources()
    for path in facts:
        sources.add_facts(path)
    for path in headers:
        sources.add_header(path)
    if sources.findings:
        raise UsageError(f"{sources.findings[0].file}: {sources.findings[0].message}")
    return sources


def _read(path: Path) -> Page:
    from aclspec.codegen.importer.page import read_page

    return read_page(path)


def _draft(paths: Sequence[Path], sources: Sources, out: Path, as_json: bool) -> None:
    from aclspec.codegen.importer.draft import make_draft
    from aclspec.codegen.importer.writing import write_draft

    if (out / "common" / "products.yaml").exists():
        raise UsageError(f"The folder ({out}) holds the project's specs; a draft belongs in another one")
    drafts: dict[Path, Draft] = {}
    findings: list[Finding] = []
    with output.progress("reading pages") as update:
        for path in paths:
            update(path.name)
            page = _read(path)
            findings += page.findings
            for function in page.functions:
                sources.apply(function)
                draft = make_draft(function)
                taken = out / f"{draft.file}.yaml"
                if taken in drafts:
                    raise UsageError(
                        f"Two pages declare {draft.name}, {drafts[taken].page} and {draft.page}; name one of them"
                    )
                if taken.exists():
                    raise UsageError(f"The file {taken} exists already; remove it first, or choose another folder")
                drafts[taken] = draft
    written = [(draft.name, write_draft(draft, out), len(draft.questions)) for draft in drafts.values()]
    _show_findings(findings, as_json)
    if as_json:
        rows = [{"op": op, "files": [one.as_posix() for one in files], "questions": n} for op, files, n in written]
        output.show_json({"drafts": rows, "findings": [str(one) for one in findings]})
    else:
        for _, files, number in written:
            output.show(output.plain(f"wrote {files[0].as_posix()}: {output.count(number, 'question')}"))
    if any(one.severity == "error" for one in findings):
        raise typer.Exit(FINDING)


def _show_findings(findings: Sequence[Finding], as_json: bool) -> None:
    for finding in findings if not as_json else ():
        output.write(finding, error=True)


def _report(paths: Sequence[Path], sources: Sources, as_json: bool) -> None:
    from aclspec.codegen.importer.report import ImportReport

    made = ImportReport()
    with output.progress("reading pages") as update:
        for path in paths:
            update(path.name)
            made.add(_read(path), sources)
    if as_json:
        output.show_json(made.to_json())
    else:
        output.show(output.table("Import", ("group", "what", "count"), made.rows()))


def _against(spec: Path, paths: Sequence[Path], sources: Sources, as_json: bool) -> None:
    from aclspec.codegen.importer.against import differences, load_spec
    from aclspec.codegen.pipeline.load import lint

    if not spec.is_file():
        raise UsageError(f"The path ({spec}) does not exist")
    errors = [one for one in lint([spec]) if one.severity == "error"]
    tree, unread = load_spec(spec)
    if tree is None:
        _show_findings(errors or unread, as_json=False)
        raise typer.Exit(FINDING)
    draft = _draft_of(str(tree["op"]), paths, sources)
    try:
        found = list(differences(tree, draft))
    except ValueError as error:
        _show_findings(errors, as_json=False)
        output.write(error, error=True)
        raise typer.Exit(FINDING) from error
    _show_findings(errors, as_json)
    left = sorted({one.place.line for one in draft.gathered.not_taken})
    if as_json:
        rows = [{"about": d.about, "spec": d.spec, "page": d.page, "places": [str(p) for p in d.places]} for d in found]
        told = {"differences": rows, "not_compared": left, "findings": [str(one) for one in errors]}
        output.show_json({"op": draft.name, **told})
    elif found:
        cells = [(d.about, d.spec, d.page, ", ".join(str(p.line) for p in d.places)) for d in found]
        output.show(output.table(f"{draft.name}: spec and page", ("about", "spec", "page", "lines"), cells))
    elif not errors:
        output.show(output.plain(f"spec and page say the same{' in what was compared' if left else ''}"))
    if left and not as_json:
        lines = f"{output.count(len(left), 'line')} of the page: {', '.join(map(str, left))}"
        output.show(output.plain(f"not compared, for they were not understood: {lines}"))
    if found or errors:
        raise typer.Exit(FINDING)


def _draft_of(name: str, paths: Sequence[Path], sources: Sources) -> Draft:
    from aclspec.codegen.importer.draft import make_draft

    for path in paths:
        page = _read(path)
        for function in page.functions:
            if function.name == name:
                sources.apply(function)
                return make_draft(function)
        _show_findings(page.findings, as_json=False)
    raise UsageError(f"No page declares {name}, the operator of the spec")


def _review(operator: str, out: Path | None) -> None:
    """Ask until there is no question left, or until the answers end."""
    from aclspec.codegen.importer.review import Refused, Review

    if out is None:
        raise UsageError("Give --out DIR, the folder of the draft")
    try:
        review = Review.load(operator, out)
    except ValueError as error:
        raise UsageError(str(error)) from error
    for question in review.open:
        output.write(f"\n{question['id']}. {question['en']}\n   {question['zh']}")
        for file, line, text in review.lines(question):
            output.write(f"   {file}:{line}: {text}")
        output.write(f"   Answer: {review.expects(question)}. An empty line leaves the question open.")
        while True:
            try:
                answer = input("> ")
            except EOFError:
                output.write(f"\n{output.count(len(review.open), 'question')} left")
                return
            if not answer.strip():
                break
            try:
                review.answer(question, answer)
            except Refused as error:
                output.write(f"   {error}")
                continue
            break
    output.write(f"{output.count(len(review.open), 'question')} left")
