"""An operator as Python calls it: in one step, in two as C does, or only to have a call explained."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from aclspec.runtime.abi.parameters import NOT_GIVEN, Param, bind
from aclspec.runtime.api import device as _device  # registers the NPU
from aclspec.runtime.api.results import operator_html, repr_html
from aclspec.runtime.execution.eager import call
from aclspec.runtime.execution.two_phase import execute, get_workspace_size
from aclspec.runtime.rules.operator_table import OperatorTable

if TYPE_CHECKING:
    from aclspec.runtime.abi.status import Status
    from aclspec.runtime.api.answers import Explanation
    from aclspec.runtime.execution.executor import Executor
    from aclspec.runtime.rules.sentences import Lang


P = ParamSpec("P")
R = TypeVar("R")


def function_of(operator: Operator) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let the operator answer the calls of a function that spells them out.

    The function says, to readers and to type checkers, what a call looks like and which call of the operator it is.
    Going to the operator at once saves a frame, gives a wrong call the project's own sentences, and lets a keyword be
    a C name too.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def call(*args: Any, **keywords: Any) -> Any:
            return operator(*args, **keywords)

        return call

    return decorate


__all__ = ["Operator", "Param"]

_device.register()


class Operator(OperatorTable):
    """One operator: the tables of its generated module, and every way to call it."""

    def __init__(self, *args: Any, **keywords: Any) -> None:
        """The table of these parts; its result class, a NamedTuple and so without bases, learns to show itself."""
        super().__init__(*args, **keywords)
        self.result._repr_html_ = repr_html

    def __repr__(self) -> str:
        """The C name."""
        return f"<operator {self.name}>"

    def _repr_html_(self) -> str:
        """Its parameters as a table, for notebooks."""
        return operator_html(self.info)

    def __reduce__(self) -> tuple[Any, ...]:
        """Where copy and pickle find it: an operator is the one of its package, in another process too."""
        return _operator_of, (self.module.rpartition(".")[0], self.name)

    def __call__(
        self,
        /,
        *args: Any,
        product: str | None = None,
        conformance: str | None = None,
        backend: str | None = None,
        compute: str | None = None,
        out: Any = None,
        **keywords: Any,
    ) -> Any:
        """Call it like the function of its module; keywords are C names or snake_case names."""
        if keywords or len(args) != len(self.inputs):
            args = bind(self.inputs, args, keywords, self.name)
        return call(self, args, product, conformance, backend, compute, out)

    def call(
        self,
        inputs: Sequence[Any],
        product: str | None = None,
        conformance: str | None = None,
        backend: str | None = None,
        compute: str | None = None,
        out: Any = None,
    ) -> Any:
        """Call it with the values of all input parameters in C order."""
        return call(self, inputs, product, conformance, backend, compute, out)

    def explain(
        self,
        /,
        *args: Any,
        product: str = "all",
        conformance: str | None = None,
        out: Any = NOT_GIVEN,
        lang: Lang = "en",
        cann: str | None = None,
        **keywords: Any,
    ) -> Explanation:
        """Every rule that a call violates, on one product or on all.

        Outputs may be given by keyword, in ``out``, or with all parameters in C order; those not given are inferred. A
        call that breaks a rule is an answer, not an exception, and nothing is computed: tensors need no data. ``cann``
        is the version of CANN, such as "8.0.RC3"; without it ACLSPEC_CANN's, else the newest.
        """
        from aclspec.runtime.api.explain import explain_call

        return explain_call(self, args, keywords, product, conformance, out, lang, cann)

    def get_workspace_size(
        self,
        /,
        *args: Any,
        product: str | None = None,
        conformance: str | None = None,
        backend: str | None = None,
        compute: str | None = None,
        **keywords: Any,
    ) -> tuple[Status, int, Executor | None]:
        """Phase one, with all parameters in C order, outputs among them: status, workspace size and executor."""
        return get_workspace_size(self, args, keywords, product, conformance, backend, compute)

    def execute(self, workspace: Any, workspace_size: int, executor: Executor | None, stream: Any = None) -> Status:
        """Phase two: compute into the outputs that phase one was given."""
        return execute(self, workspace, workspace_size, executor, stream)


def _operator_of(package: str, name: str) -> Operator:
    operator: Operator = import_module(package).get(name)
    return operator
