"""The commands that take an operator's own parameters as options: a sub-command an operator, made when named."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import typer
from typer.core import TyperGroup

from aclspec.cli import operators
from aclspec.cli.errors import UsageError
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.abi.products import KEYS
from aclspec.runtime.language.functions import ELEMENTS
from aclspec.runtime.rules.operator_info import OperatorInfo, ParamInfo

METAVARS = {
    "tensor": "TENSOR",
    "tensors": "TENSOR;...",
    "scalar": "NUMBER[:DTYPE]",
    "scalars": "NUMBER;...",
    "ints": "INT,...",
    "bools": "BOOL,...",
    "floats": "FLOAT,...",
    "bool": "true|false",
    "int": "INT",
    "float": "FLOAT",
    "string": "TEXT",
    "dtype": "DTYPE",
}
_MARKUP = re.compile(r"\[(?=[a-zA-Z#/@])")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def kebab(name: str) -> str:
    """``gradOutput``, ``grad_output`` and ``grad-output`` are one option."""
    return _HUMP.sub("-", name).replace("_", "-").strip("-").lower()


@dataclass(frozen=True, slots=True)
class Choice:
    """An option that the command has for every operator."""

    name: str
    help: str
    metavar: str | None = None
    default: str | bool | None = None
    words: tuple[str, ...] = ()
    """What a shell completes to."""

    def parameter(self) -> inspect.Parameter:
        """The option as a parameter of the command's function."""
        kind = bool if isinstance(self.default, bool) else str
        option = typer.Option(
            self.default, f"--{self.name}", help=self.help, metavar=self.metavar, autocompletion=self._complete
        )
        return inspect.Parameter(_slot(self.name), inspect.Parameter.KEYWORD_ONLY, default=option, annotation=kind)

    def _complete(self, incomplete: str) -> list[str]:
        return [word for word in self.words if word.startswith(incomplete)]


CONFORMANCE = Choice("conformance", "Which rules apply: document or library.", "MODE", words=("document", "library"))
JSON = Choice("json", "Answer in JSON.", default=False)


class OperatorGroup(TyperGroup):
    """A group whose sub-commands are the operators."""

    function: ClassVar[str]
    panel: ClassVar[str]
    takes_outputs: ClassVar[bool]
    choices: ClassVar[tuple[Choice, ...]]

    def command(self, operator: str, call: Mapping[str, Any], **choices: Any) -> int:
        """Perform the command; the result is its exit status."""
        from aclspec.cli import calls  # which needs NumPy, and the help does not

        status: int = getattr(calls, self.function)(operator, call, **choices)
        return status

    def list_commands(self, ctx: Any) -> list[str]:
        """The operators for the help; for the shell's completion, which parses leniently, by both of their names."""
        names = list(operators.names())
        return [*names, *operators.c_names()] if ctx.resilient_parsing else names

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of one operator, by any of its names."""
        info = operators.find(cmd_name).info
        single = typer.Typer(add_completion=False, rich_markup_mode="rich")
        settings = {"token_normalize_func": kebab, "help_option_names": ["-h", "--help"]}
        single.command(name=info.snake, help=_unmarked(info.summary.en), context_settings=settings)(
            self._function(info)
        )
        return typer.main.get_command(single)

    def _function(self, info: OperatorInfo) -> Callable[..., None]:
        """The function whose signature is the operator's parameters and then the command's own options."""
        params = tuple(param for param in info.params if self.takes_outputs or param.direction != "out")

        def perform(**given: Any) -> None:
            call = read(params, {param.name: given[_slot(param.snake)] for param in params})
            choices = {choice.name: given[_slot(choice.name)] for choice in self.choices}
            status = self.command(info.name, call, **choices)
            if status:
                raise typer.Exit(status)

        listed = [_parameter(param, self.panel) for param in params]
        own = [choice.parameter() for choice in self.choices]
        perform.__signature__ = inspect.Signature(listed + own)  # type: ignore[attr-defined]
        perform.__annotations__ = {one.name: one.annotation for one in listed + own}
        return perform


class ExplainGroup(OperatorGroup):
    """``aclspec explain OP``: inputs, and outputs where the caller has them."""

    function = "explain"
    takes_outputs = True
    panel = "Parameters (a tensor: 'float32[4,2]:NCHW', or values)"
    choices = (
        Choice("product", "Product key or SoC name, or all; it decides the exit status.", "KEY", words=(*KEYS, "all")),
        CONFORMANCE,
        Choice("lang", "Language of the sentences: en or zh.", "LANG", "en", ("en", "zh")),
        Choice("cann", "Version of CANN, such as 8.0.RC3; ACLSPEC_CANN, else the newest.", "VERSION"),
        Choice("rules", "Show every rule and its outcome.", default=False),
        JSON,
    )


class RunGroup(OperatorGroup):
    """``aclspec run OP``: inputs only; the outputs are the result."""

    function = "run"
    takes_outputs = False
    panel = "Parameters (a tensor: x.npy, x.npz:key, 'float32[4,2]=1', '[0.5]')"
    choices = (
        Choice("out", "Write the outputs to this .npz file.", "FILE"),
        Choice("product", "Product key or SoC name.", "KEY", words=KEYS),
        CONFORMANCE,
        Choice("backend", "Backend that computes.", "NAME", words=("numpy", "npu")),
        JSON,
    )


def read(params: tuple[ParamInfo, ...], given: Mapping[str, str | list[str] | None]) -> dict[str, object]:
    """The call, by C names; what may be left out and was is not in it."""
    from aclspec.cli import values  # which needs NumPy, and the help does not

    call: dict[str, object] = {}
    for param in params:
        texts = given[param.name]
        if texts is not None and texts != []:
            call[param.name] = values.parse_all(param, [texts] if isinstance(texts, str) else texts)
        elif param.direction != "out" and not param.has_default and not param.optional:
            null = " (null for a null pointer)" if PARAM_TYPES[param.type].pointer else ""
            raise UsageError(
                f"The parameter {param.name} is missing; give --{kebab(param.snake)} {_metavar(param)}{null}"
            )
    return call


def _slot(name: str) -> str:
    """The name of an option inside the command: a parameter called self must not meet Python's."""
    return f"given_{name.replace('-', '_')}"


def _unmarked(text: str) -> str:
    """The text with brackets that the help shows, rather than takes for markup."""
    return _MARKUP.sub(r"\\[", text)


def _metavar(param: ParamInfo) -> str:
    """What stands for the value in a usage line."""
    return METAVARS[PARAM_TYPES[param.type].predicate]


def _parameter(param: ParamInfo, panel: str) -> inspect.Parameter:
    notes = [param.doc.en, f"C name: {param.name}."]
    if param.has_default:
        notes.append(f"Default: {param.default}.")
    is_list = PARAM_TYPES[param.type].predicate in ELEMENTS
    if is_list:
        notes.append("May be repeated.")
    option = typer.Option(
        None, f"--{kebab(param.snake)}", metavar=_metavar(param), help=_unmarked(" ".join(notes)), rich_help_panel=panel
    )
    kind = list[str] | None if is_list else str | None
    return inspect.Parameter(_slot(param.snake), inspect.Parameter.KEYWORD_ONLY, default=option, annotation=kind)
