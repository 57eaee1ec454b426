"""The commands, their options and their help; what each does stands in a module that is loaded when it runs."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from aclspec.cli import operators
from aclspec.cli.documenting import docs
from aclspec.cli.errors import UsageError, one_line
from aclspec.cli.opgroup import ExplainGroup, RunGroup
from aclspec.cli.simulating import simulator
from aclspec.runtime.version import __version__

ORDER = ("list", "show", "explain", "run", "new", "lint", "generate", "trace", "doctor", "native", "simulator", "docs")


class Top(TyperGroup):
    """The commands in the order in which a person meets them."""

    def list_commands(self, ctx: Any) -> list[str]:
        """For the help and for completion."""
        return sorted(self.commands, key=ORDER.index)


app = typer.Typer(
    name="aclspec",
    cls=Top,
    help="Declarative specs for CANN's aclnn operators: check a call, explain it, run it, generate from it.",
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)
app.add_typer(
    typer.Typer(cls=ExplainGroup, rich_markup_mode="rich"),
    name="explain",
    help="Say whether a call is legal, product by product, and if not which rule it breaks.\n\n"
    "Example: aclspec explain prelu_backward --grad-output 'float32[4,2]' --self 'float32[4,2]' --weight 'float32[3]'",
    short_help="Say whether a call is legal, and on which products.",
)
app.add_typer(
    typer.Typer(cls=RunGroup, rich_markup_mode="rich"),
    name="run",
    help="Compute an operator on arrays from files or from the command line.\n\n"
    "Example: aclspec run prelu_backward --grad-output g.npy --self data.npz:x --weight '[0.5, 0.5]' --out result.npz",
    short_help="Compute an operator.",
)

native = typer.Typer(
    name="native",
    help="The compiled kernels, which are used by themselves once they are built; ACLSPEC_NATIVE=0 turns them off.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)
app.add_typer(native)
app.add_typer(simulator)
app.add_typer(docs)

AsJson = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]
OperatorName = Annotated[
    str,
    typer.Argument(metavar="OP", help="C name or snake_case name.", autocompletion=operators.complete),
]
Specs = Annotated[Path | None, typer.Option("--specs", help="Folder of spec files.", show_default="the project's own")]


def run(arguments: list[str]) -> int | None:
    """Run the command line without leaving the process; the result is the exit status."""
    command = typer.main.get_command(app)
    try:
        status = command.main(arguments, prog_name="aclspec", standalone_mode=False)
    except typer.Abort as error:
        raise KeyboardInterrupt from error
    except Exception as error:
        # Typer keeps the base of its usage errors private; what they share is this method.
        sentence = getattr(error, "format_message", None)
        if sentence is None:
            raise
        raise UsageError(one_line(sentence())) from error
    return status if isinstance(status, int) else None


def _perform(module: str, *arguments: Any, **options: Any) -> None:
    """Run the command of a module and end with its status."""
    status = importlib.import_module(f"aclspec.cli.{module}").perform(*arguments, **options)
    if status:
        raise typer.Exit(status)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"aclspec {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def top(
    context: typer.Context,
    package: Annotated[
        list[str] | None,
        typer.Option(
            "--package",
            metavar="NAME",
            envvar="ACLSPEC_PACKAGES",
            help="Also know the operators of this generated package; may be given several times.",
        ),
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Declarative specs for CANN's aclnn operators: check a call, explain it, run it, generate from it."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit
    operators.register(package or [])


@app.command("list")
def list_operators(as_json: AsJson = False) -> None:
    """List the operators.

    Example: aclspec list --json
    """
    _perform("listing", as_json=as_json)


@app.command()
def show(
    operator: OperatorName,
    lang: Annotated[str, typer.Option(help="Language of the sentences: en or zh.")] = "en",
    as_json: AsJson = False,
) -> None:
    """Show an operator: its parameters, its dtypes on each product, its rules in the order of the checks.

    Example: aclspec show aclnnPreluBackward
    """
    operators.one_of(lang, ("en", "zh"), "language")
    _perform("show", operator, lang=lang, as_json=as_json)


@app.command()
def lint(
    paths: Annotated[list[Path] | None, typer.Argument(help="Spec files or folders.", show_default="the specs")] = None,
    as_json: AsJson = False,
) -> None:
    """Check spec files and report everything that is wrong with them, each with its file, line and column.

    Example: aclspec lint my_specs
    """
    _perform("lint", paths or [], as_json=as_json)


@app.command()
def generate(
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit with 1 where files differ.")] = False,
    specs: Specs = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder to write.", show_default="generated, in the checkout")
    ] = None,
    package: Annotated[
        str | None, typer.Option("--package", metavar="NAME", help="Name of the package to generate, for --specs.")
    ] = None,
    acknowledge: Annotated[
        list[str] | None,
        typer.Option("--acknowledge", metavar="RULE", help="Accept that this rule, by its full id, has a new meaning."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write the bindings, checks, tests and manual pages that follow from the specs.

    Without options, in a checkout: its own specs. Otherwise --specs, --out and --package are given together.

    Example: aclspec generate --specs my_specs --out . --package my_ops
    """
    _perform(
        "generate",
        check=check,
        specs=specs,
        out=out,
        package=package,
        acknowledge=acknowledge or [],
        as_json=as_json,
    )


@app.command()
def new(
    name: Annotated[str, typer.Argument(metavar="OP", help="C name of the operator, such as aclnnScaledAdd.")],
    specs: Annotated[Path | None, typer.Option("--specs", help="Folder of the spec file [specs].")] = None,
    kernels: Annotated[
        str | None, typer.Option("--kernels", metavar="PACKAGE", help="Python package of the kernel [kernels].")
    ] = None,
    category: Annotated[str, typer.Option("--category", help="Category of the operator, a word.")] = "custom",
    as_json: AsJson = False,
) -> None:
    """Start an operator: a spec that is right as it stands and a kernel, both to be edited.

    In a checkout of aclspec, and with neither --specs nor --kernels, they go where the project has its own.

    Example: aclspec new aclnnScaledAdd --specs my_specs --kernels my_kernels
    """
    _perform("new", name, specs=specs, kernels=kernels, category=category, as_json=as_json)


@app.command()
def trace(
    specs: Specs = None,
    rows: Annotated[bool, typer.Option("--rows", help="Show every clause and every rule.")] = False,
    as_json: AsJson = False,
) -> None:
    """Follow every clause of the documents to its rule, its tests and its place in the manual.

    Example: aclspec trace --json
    """
    _perform("trace", specs=specs, rows=rows, as_json=as_json)


@app.command()
def doctor(as_json: AsJson = False) -> None:
    """Say what there is of CANN and of an NPU on this machine, what calls would use, and what is missing.

    The exit status is 1 where something that is asked for is missing.

    Example: aclspec doctor --json
    """
    _perform("doctor", as_json=as_json)


@native.command("build")
def native_build(
    force: Annotated[bool, typer.Option("--force", help="Build them again where they are built already.")] = False,
    as_json: AsJson = False,
) -> None:
    """Compile the kernels with this machine's C compiler; needs cffi (pip install 'aclspec[native]').

    Example: aclspec native build
    """
    _perform("native", force=force, as_json=as_json)
