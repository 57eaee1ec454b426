"""The commands, their options and their help; heavy modules are imported when a command runs."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from aclspec.cli import importing, machine, operators, output, specs
from aclspec.cli.conform import conform
from aclspec.cli.docs import docs
from aclspec.cli.errors import UsageError, one_line
from aclspec.cli.layer import layer
from aclspec.cli.lookup import reference
from aclspec.cli.opgroup import ExplainGroup, RunGroup
from aclspec.cli.output import AsJson, AsLang
from aclspec.cli.replay import replay
from aclspec.cli.sample import sample
from aclspec.cli.simulator import simulator
from aclspec.cli.watch import watch
from aclspec.cli.why import why
from aclspec.runtime.version import __version__

ORDER = (
    *("list", "show", "why", "explain", "run", "new", "import", "lint", "derive", "generate", "watch", "trace"),
    *("reference", "conform", "doctor", "sample", "simulator", "layer", "replay", "docs"),
)


class Top(TyperGroup):
    """The commands in the order in which a person meets them."""

    def list_commands(self, ctx: Any) -> list[str]:
        """For the help and for completion."""
        return sorted(self.commands, key=ORDER.index)


app = typer.Typer(
    name="aclspec",
    cls=Top,
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

app.add_typer(simulator)
app.add_typer(layer)
app.add_typer(conform)
app.add_typer(docs)
for command in (
    specs.lint,
    specs.derive,
    specs.generate,
    watch,
    specs.new,
    specs.trace,
    reference,
    machine.doctor,
    sample,
    replay,
    why,
):
    app.command()(command)
app.command("import")(importing.import_pages)


def run(arguments: list[str]) -> int | None:
    """Run the command line without leaving the process; the result is the exit status."""
    command = typer.main.get_command(app)
    try:
        status = command.main(arguments, prog_name="aclspec", standalone_mode=False)
    except typer.Abort as error:
        raise KeyboardInterrupt from error
    except SystemExit as error:
        if isinstance(error.__context__, BrokenPipeError):
            raise BrokenPipeError from error  # click ends with 1, but a reader who has enough is no mistake
        raise
    except Exception as error:
        # Typer keeps the base of its usage errors private; what they share is this method.
        sentence = getattr(error, "format_message", None)
        if sentence is None:
            raise
        raise UsageError(one_line(sentence())) from error
    return status if isinstance(status, int) else None


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
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Declarative specs for CANN's aclnn operators: check a call, explain it, run it, generate from it.

    Example: aclspec list

    Example: aclspec show prelu

    Example: aclspec explain prelu --self 'float32[4,2]' --weight 'float32[3]'
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit
    operators.register(package or [])


@app.command("list")
def list_operators(
    declared: Annotated[bool, typer.Option("--declared", help="Also those known by signature alone.")] = False,
    torch: Annotated[
        bool, typer.Option("--torch", help="The functions of PyTorch instead, with the operators that each calls.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List the operators.

    Example: aclspec list --json
    """
    if torch:
        _list_torch(as_json)
        return
    infos = [operators.find(name).info for name in operators.names(declared)]
    if as_json:
        output.show_json(
            [
                {
                    "name": info.name,
                    "snake": info.snake,
                    "category": info.category,
                    "level": info.level,
                    "summary": {"en": info.summary.en, "zh": info.summary.zh},
                    "products": [key for key, _ in info.products],
                    "header": info.header,
                    "torch": info.torch,
                }
                for info in infos
            ]
        )
        return
    rows = [(info.name, info.snake, info.category, info.level, info.summary.en) for info in infos]
    output.show(output.table(None, ("operator", "Python", "category", "level", "what it computes"), rows))


def _list_torch(as_json: bool) -> None:
    from aclspec import ops

    found = ops.CATALOG.torch()
    if as_json:
        output.show_json(found)
    else:
        rows = [(name, ", ".join(names)) for name, names in found.items()]
        output.show(output.table(None, ("function of PyTorch", "operators that it calls on an NPU"), rows))


@app.command()
def show(
    operator: operators.OperatorName,
    product: Annotated[
        str | None,
        typer.Option(metavar="KEY", help="Only what this product checks.", autocompletion=operators.complete_product),
    ] = None,
    param: Annotated[str | None, typer.Option(metavar="NAME", help="Only what is about this parameter.")] = None,
    rule: Annotated[str | None, typer.Option(metavar="ID", help="Only this rule.")] = None,
    lang: AsLang = "en",
    as_json: AsJson = False,
) -> None:
    """Show an operator: its parameters, its dtypes on each product, its rules in the order of the checks.

    Example: aclspec show aclnnPreluBackward --product A2 --param weight
    """
    from aclspec.cli.show import Filter, show

    kept = Filter(None if product is None else operators.product(product), param, rule)
    show(operators.find(operator).info, operators.language(lang), as_json, kept)
