"""The operators that a command may name: those of aclspec and those of the packages that were registered."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aclspec.cli import output
from aclspec.cli.errors import UsageError
from aclspec.runtime.abi.suggest import did_you_mean

if TYPE_CHECKING:
    from aclspec.runtime.api.operator import Operator
    from aclspec.runtime.rules.sentences import Lang


BACKENDS = ("numpy", "simulator", "npu")
"""Where a command may make calls."""
registered: dict[str, Path] = {}
"""The packages that were registered, and the folder that each is imported from."""


def register(packages: list[str]) -> None:
    """Make the operators of generated packages known, looked for from the working directory too."""
    from aclspec import ops

    if packages and "" not in sys.path:
        sys.path.insert(0, "")
    for package in packages:
        try:
            with warnings.catch_warnings(record=True, action="always") as told:
                ops.register(package)
            registered[package] = _home(package)
        except (ImportError, AttributeError, TypeError, ValueError) as error:
            raise UsageError(f"The package ({package}) cannot be registered: {error}") from error
        for one in told:
            output.write(f"warning: {one.message}", error=True)


def _home(package: str) -> Path:
    file = sys.modules[package].__file__ or ""
    return Path(file).resolve().parents[package.count(".") + 1]


def kernels() -> str:
    """The kernels that compute on the host, numpy or torch; UsageError where they cannot."""
    from aclspec.runtime.torch_kernels.choice import resolve_kernels

    try:
        return resolve_kernels()
    except ValueError as error:
        raise UsageError(str(error)) from error


def names(declared: bool = False) -> tuple[str, ...]:
    """The snake_case names, in order; with ``declared`` also of operators known by signature alone."""
    from aclspec import ops

    return tuple(sorted(ops.names(declared)))


def has(name: str) -> bool:
    """Whether an operator of this name has a spec."""
    from aclspec import ops

    return name in ops.names() or name in ops.CATALOG.operators.values()


def c_names() -> list[str]:
    """The C names, in the order of `names`."""
    return [find(name).name for name in names()]


def complete(incomplete: str) -> list[str]:
    """The names that a shell may complete to: C names where the word begins as one, else snake_case names."""
    spellings = c_names() if incomplete.startswith("aclnn") else names()
    return [name for name in spellings if name.startswith(incomplete)]


def complete_product(incomplete: str) -> list[str]:
    """The products that a shell may complete to."""
    from aclspec.runtime.abi.products import KEYS

    return [key for key in (*KEYS, "all") if key.startswith(incomplete)]


OperatorName = Annotated[
    str,
    typer.Argument(
        metavar="OP",
        help="C name (aclnn may be left out), snake_case name, or a function of PyTorch.",
        autocompletion=complete,
    ),
]


def find(name: str) -> Operator:
    """The operator of this name, C name or snake_case, or the one that a function of PyTorch calls."""
    from aclspec import ops

    try:
        return ops.get(name)
    except (KeyError, LookupError, AttributeError, ValueError) as error:
        found = ops.CATALOG.of_torch(name)
        if not found:
            raise UsageError(f"The operator ({name}) is unknown{did_you_mean(name, _spellings())}") from error
    return ops.get(_chosen(name, found))


def _chosen(function: str, found: tuple[str, ...]) -> str:
    """The operator that a function of PyTorch means: the only one, or that of its own name, with a note on stderr."""
    own = function.rpartition(".")[2].rpartition(":")[2].replace("_", "").lower()
    if len(found) > 1 and found[0].lower() != f"aclnn{own}":
        raise UsageError(f"The function {function} calls {' and '.join(found)}; name one of them")
    if len(found) > 1:
        output.write(f"{function} means {found[0]} here; it calls {' and '.join(found[1:])} too.", error=True)
    return found[0]


def _spellings() -> list[str]:
    from aclspec import ops

    snake = list(names(declared=True))
    return [*snake, *(ops.get(name).name for name in snake)]


def product(name: str | None) -> str:
    """The key of the product that a person means, with a note on stderr; None is the one that a call would take."""
    from aclspec.runtime.abi.products import read_product, resolve_product
    from aclspec.runtime.api.device import register

    register()
    try:
        if name is None:
            return resolve_product()
        found = read_product(name)
    except (TypeError, ValueError) as error:
        raise UsageError(str(error)) from error
    if found.note:
        output.write(found.note, error=True)
    return found.key


def one_of(value: str | None, allowed: tuple[str, ...], noun: str) -> None:
    """Refuse a word that is none of those allowed."""
    if value is not None and value not in allowed:
        hint = did_you_mean(value, allowed)
        raise UsageError(f"The {noun} ({value}) is neither {' nor '.join(allowed)}{hint}")


def language(word: str) -> Lang:
    """The language of this name."""
    one_of(word, ("en", "zh"), "language")
    return "zh" if word == "zh" else "en"
