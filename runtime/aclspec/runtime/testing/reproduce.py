"""The line that shows a failing case by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aclspec.runtime.operator import Operator
    from aclspec.runtime.testing.runner import Runner
    from aclspec.runtime.testing.suite import Case, Cell


@contextmanager
def one_line(runner: Runner, case: Case, cell: Cell) -> Iterator[None]:
    """Add the shell line to an exception that passes through."""
    try:
        yield
    except Exception as error:
        error.add_note(f"{case.id} on {cell.product} in {cell.mode} mode; to see it again:")
        error.add_note(f"  {command(runner.operator, runner.suite.call(case), cell)}")
        raise


def command(operator: Operator, call: Mapping[str, Any], cell: Cell) -> str:
    """A shell command that makes the call and explains it."""
    values = ", ".join(f"{name}={value!r}" for name, value in call.items())
    code = (
        "from aclspec.runtime.testing import reproduce; "
        f"reproduce({operator.module!r}, {cell.product!r}, {cell.mode!r}, dict({values}))"
    )
    return f'python -c "{code}"'


def reproduce(module: str, product: str, mode: str, call: Mapping[str, Any]) -> None:
    """Print what phase one and `explain` say about a call given as literals."""
    from importlib import import_module

    from aclspec.runtime.messages import last_error
    from aclspec.runtime.testing.data import arguments

    operator: Operator = import_module(module).OPERATOR
    values = arguments(operator, call)
    status, workspace, _ = operator.get_workspace_size(*values.values(), product=product, conformance=mode)
    print(f"phase one: {status.name} ({int(status)}), workspace {workspace}")
    print(last_error() or "no error is recorded")
    keywords: dict[str, Any] = {"product": product, "conformance": mode}
    print(operator.explain(**values, **keywords))
