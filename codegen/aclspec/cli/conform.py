"""``aclspec conform``: compare what a backend answers with the specs, on one machine or a fleet."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer
from typer.core import TyperGroup

from aclspec.cli import operators, output
from aclspec.cli.errors import FINDING, UsageError
from aclspec.cli.output import AsJson, AsLang
from aclspec.cli.printable import printable
from aclspec.cli.simulator import DEFAULT_ROOT, home
from aclspec.codegen.conform.words import WORDS
from aclspec.codegen.source.atomic import atomic_write
from aclspec.runtime.replay.words import count

if TYPE_CHECKING:
    from aclspec.codegen.conform.calls import Settings
    from aclspec.codegen.conform.run import Execute, Summary, Watcher
    from aclspec.codegen.conform.tls import Tls
    from aclspec.runtime.rules.sentences import Lang

TlsCaFile = Annotated[Path | None, typer.Option("--tls-ca-file", help="Certificate authority of the cluster, in PEM.")]
TlsCert = Annotated[Path | None, typer.Option("--tls-cert", help="Certificate of this process, in PEM.")]
TlsKey = Annotated[Path | None, typer.Option("--tls-key", help="Key of that certificate, in PEM.")]
MODES = ("status", "values", "accuracy")
DEFAULT_OUT = Path("conform.parquet")


class ConformGroup(TyperGroup):
    """The words after ``conform`` are operators unless the first of them is a command."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take ``run`` for what is not said."""
        named = args[:1] and (args[0] in self.commands or args[0] in ("-h", "--help"))
        return super().parse_args(ctx, args if named else ["run", *args])


conform = typer.Typer(
    name="conform",
    cls=ConformGroup,
    help="Compare what a backend answers with what the specs say: `aclspec conform [OPERATORS] --backend npu`.\n\n"
    "Without a command it runs; `aclspec conform run --help` lists its options.",
    short_help="Compare what hardware answers with what the specs say.",
    rich_markup_mode="rich",
)


@conform.command("run")
def run(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[OP]...", help="C names or snake_case names; else all operators.")
    ] = None,
    backend: Annotated[str, typer.Option(help="numpy, simulator or npu.")] = "npu",
    mode: Annotated[
        str, typer.Option(help="status; values: also the outputs; accuracy: also how far they are off.")
    ] = "status",
    random: Annotated[int, typer.Option(min=0, help="Random calls for each operator and product.")] = 0,
    scale: Annotated[int, typer.Option(min=1, help="Sizes of random calls, as a multiple of those of tests.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Seed of random calls and of data.")] = 0,
    product: Annotated[
        list[str] | None, typer.Option(help="Product or SoC name; else the device's, and all where there is none.")
    ] = None,
    forbidden: Annotated[
        bool, typer.Option("--forbidden", help="Also calls that only the document forbids or leaves undefined.")
    ] = False,
    derived: Annotated[bool, typer.Option("--derived/--no-derived", help="Calls that the specs' tests make.")] = True,
    workers: Annotated[int, typer.Option(min=1, help="Processes that make calls; one a device.")] = 1,
    scheduler: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Scheduler of a Dask cluster.")] = None,
    tls_ca_file: TlsCaFile = None,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
    out: Annotated[Path, typer.Option("--out", help="File of results, in Parquet.")] = DEFAULT_OUT,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where a run was cut off.")] = False,
    root: Annotated[Path, typer.Option("--root", help="Folder of the simulator, as built.")] = DEFAULT_ROOT,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds after which a call hangs.")] = 60.0,
    lang: AsLang = "en",
    as_json: AsJson = False,
) -> None:
    """Make calls of operators on a backend, and write what it answers beside what the specs say.

    The exit status is 1 where they disagree. A run that is stopped goes on with --resume.

    Example: aclspec conform prelu --backend numpy --out results.parquet
    """
    operators.one_of(backend, operators.BACKENDS, "backend")
    operators.one_of(mode, MODES, "mode")
    chosen_lang = operators.language(lang)
    from aclspec.codegen.conform.calls import Settings

    _require_fleet()
    settings = Settings(
        backend=backend,
        mode=mode,
        forbidden=forbidden,
        root=str(home(root)) if backend == "simulator" else None,
        timeout=timeout,
        packages=tuple(operators.registered),
        kernels=operators.kernels(),
    )
    chosen = [operators.find(name).snake for name in names or operators.names()]
    keys = [operators.product(one) for one in product or ()] or _device(backend)
    cluster = Cluster(workers, scheduler, _tls(tls_ca_file, tls_cert, tls_key, scheduler))
    summary = _run(settings, (chosen, keys, random, seed, scale, derived), out, resume, cluster)
    _tell(summary, settings, out, chosen_lang, as_json)
    if summary.findings or summary.lost:
        raise typer.Exit(FINDING)


class Cluster(NamedTuple):
    """Where calls are made: by this number of processes here, or by the workers of a scheduler."""

    workers: int
    scheduler: str | None
    tls: Tls | None


def _tls(ca_file: Path | None, cert: Path | None, key: Path | None, scheduler: str | None) -> Tls | None:
    from aclspec.codegen.conform.tls import tls_of

    try:
        return tls_of(ca_file, cert, key, scheduler)
    except ValueError as error:
        raise UsageError(str(error)) from error


def _run(settings: Settings, asked: tuple[Any, ...], out: Path, resume: bool, cluster: Cluster) -> Summary:
    from aclspec.codegen.conform.cases import plan
    from aclspec.codegen.conform.results import Parts
    from aclspec.codegen.conform.run import conform as start

    parts = Parts(out)
    if parts.exist and not resume:
        raise UsageError(f"The folder ({parts.folder}) holds parts of an earlier run; give --resume, or remove it")
    if out.exists() and not resume:
        raise UsageError(f"The file ({out}) exists; give --resume to add what it lacks, or another --out")
    with ExitStack() as stack:
        with output.progress("planning"):
            pieces = list(plan(*asked))
        execute = stack.enter_context(_execution(settings, cluster))
        watch = stack.enter_context(_watching())
        try:
            return start(pieces, settings, out, execute, watch)
        except KeyboardInterrupt:
            output.write(f"aclspec: Stopped; --resume goes on from {parts.folder}.", error=True)
            raise


@contextmanager
def _execution(settings: Settings, cluster: Cluster) -> Generator[Execute, None, None]:
    """One process, or a fleet where more are asked for."""
    from aclspec.codegen.conform.run import alone

    if cluster.workers == 1 and cluster.scheduler is None:
        yield alone
        return
    from aclspec.codegen.conform.fleet import fleet

    with output.progress("starting workers"):
        stack = ExitStack()
        try:
            devices = settings.backend == "npu"
            found = stack.enter_context(fleet(cluster.scheduler, cluster.workers, devices, cluster.tls))
        except (OSError, ValueError) as error:
            place = f"scheduler ({cluster.scheduler})" if cluster.scheduler else "workers of this machine"
            raise UsageError(f"The {place} cannot be reached: {error}") from error
    with stack:
        yield found.execute


@contextmanager
def _watching() -> Generator[Watcher, None, None]:
    """A bar on standard error; nothing where nobody watches."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("calling")

        def watch(doing: str, done: int, of: int, calls: int, findings: int) -> None:
            words = f"{doing}: {output.count(calls, 'call')}, {output.count(findings, 'disagreement')}"
            bar.update(task, description=printable(words), completed=done, total=of)

        yield watch


def _tell(summary: Summary, settings: Settings, out: Path, lang: Lang, as_json: bool) -> None:
    kinds = [
        {"operator": one["operator"], "product": one["product"], "outcome": one["outcome"], "rule": one["rule"]}
        for _, one in sorted(summary.kinds.items(), key=lambda item: str(item[0]))
    ]
    words = WORDS[lang]
    if as_json:
        counts = {"pieces": summary.pieces, "resumed": summary.resumed, "calls": summary.calls}
        output.show_json(
            {
                "out": str(out),
                "backend": settings.backend,
                "kernels": settings.kernels,
                **counts,
                "disagreements": summary.findings,
                "kinds": kinds,
            }
        )
    else:
        numbers = {"call": summary.calls, "disagreement": summary.findings, "kind": len(kinds)}
        calls, findings, of = (count(number, noun, lang) for noun, number in numbers.items())
        told = {"calls": calls, "findings": findings, "kinds": of, "kernels": settings.kernels}
        output.show(output.plain(words["ran"].format(out=out, **told)))
        for one in kinds:
            output.show(output.plain("  " + words["kind by rule" if one["rule"] else "kind"].format(**one)))
    for text in summary.lost:
        output.write(f"aclspec: A piece is lost, and --resume does it again: {text}", error=True)


def _device(backend: str) -> list[str]:
    """The product of the device; nothing for a backend that can be all of them."""
    return [operators.product(None)] if backend == "npu" else []


def _require_fleet(*more: str) -> None:
    from importlib.util import find_spec

    for name in ("distributed", "pyarrow", *more):
        if find_spec(name) is None:
            raise UsageError(f"{name} is not installed; pip install 'aclspec[fleet]'")


@conform.command()
def worker(
    scheduler: Annotated[str, typer.Option(metavar="ADDRESS", help="Scheduler, such as tcp://host:8786.")],
    device: Annotated[int | None, typer.Option(min=0, help="Number of the device that its calls use.")] = None,
    tls_ca_file: TlsCaFile = None,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
) -> None:
    """Make calls for a run elsewhere: one process for each device, until the scheduler ends.

    Example: aclspec conform worker --help
    """
    _require_fleet()
    from aclspec.codegen.conform.fleet import serve

    os.environ.setdefault("OMP_NUM_THREADS", "1")
    tls = _tls(tls_ca_file, tls_cert, tls_key, scheduler)
    try:
        serve(scheduler, device, tls)
    except (OSError, ValueError, RuntimeError) as error:
        raise UsageError(f"The scheduler ({scheduler}) cannot be reached: {error}") from error


@conform.command()
def report(
    results: Annotated[Path, typer.Argument(help="File of results.")],
    html: Annotated[Path | None, typer.Option("--html", help="Page to write.")] = None,
    against: Annotated[
        Path | None, typer.Option("--against", help="Earlier results, such as of an older CANN.")
    ] = None,
    spec: Annotated[bool, typer.Option("--spec", help="Propose changes of the specs, as a diff to review.")] = False,
    lang: AsLang = "en",
) -> None:
    """Say by operator, product and rule how many calls agree, and show the least call of each disagreement.

    Example: aclspec conform report results.parquet --html report.html
    """
    _require_fleet()
    chosen = operators.language(lang)
    words = WORDS[chosen]
    from aclspec.codegen.conform.proposals import proposals
    from aclspec.codegen.conform.report import read_report
    from aclspec.codegen.conform.results import ResultsError

    for path in (results, *([against] if against else [])):
        if not path.is_file():
            raise UsageError(f"The file ({path}) does not exist")
    try:
        found = read_report(results, against)
    except ResultsError as error:
        raise UsageError(str(error)) from error
    if html is not None:
        from aclspec.codegen.conform.page import render

        with atomic_write(html) as beside:
            beside.write_text(render(found, chosen), encoding="utf-8", errors="replace")
        output.write(html)
    if spec:
        output.write("".join(proposals(found)), end="")
    if html is None and not spec:
        rows = [
            (one.operator, one.product, one.rule or "-", one.agree, one.differ, one.skipped) for one in found.counts
        ]
        wrong = [row for row in rows if row[4]]
        columns = [words[head] for head in ("operator", "product", "rule", "agree", "differ", "skipped")]
        output.show(output.table(None, columns, wrong))
        output.show(output.plain(words["total"].format(**found.totals)))
