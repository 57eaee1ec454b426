"""An operator as Python calls it: in one step, in two as C does, or only to have a call explained."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from aclspec.runtime.backends import DEFAULT, Kernel, kernel_of
from aclspec.runtime.calling import call
from aclspec.runtime.convert import converter, format_of_rank
from aclspec.runtime.executor import Executor
from aclspec.runtime.giving import output_converter
from aclspec.runtime.parameters import NOT_GIVEN, REQUIRED, Param, bind
from aclspec.runtime.plans import UNPLANNED, Plans
from aclspec.runtime.tensor import wrap
from aclspec.runtime.verdict import Verdict

if TYPE_CHECKING:
    from aclspec.runtime.dtypes import DType
    from aclspec.runtime.explain import Explanation
    from aclspec.runtime.info import OperatorInfo
    from aclspec.runtime.predicate.sentences import Lang
    from aclspec.runtime.shapes import Inferred, InferredList
    from aclspec.runtime.status import Status

__all__ = ["Operator", "Param"]

Check: TypeAlias = Callable[..., Verdict | None]
"""``check(product, library, *all parameters in C order)``: the generated checks of phase one."""
Infer: TypeAlias = "Callable[..., tuple[Inferred | InferredList, ...]]"
"""``infer(*input parameters)``: what each output is; None where it is not required or nothing follows."""
Precision: TypeAlias = "Callable[..., Mapping[str, DType | str | int]]"
"""``precision(product, *all parameters in C order)``: the dtype of each role of the arithmetic, and the settings."""


class Operator:
    """One operator: the tables of its generated module, and every way to call it."""

    def __init__(
        self,
        name: str,
        snake: str,
        module: str,
        params: Sequence[Param],
        check: Check,
        infer: Infer,
        precision: Precision,
        result: Any,
        kernel: str,
        info: str,
    ) -> None:
        """The operator of these parts.

        ``result`` is a NamedTuple class, ``kernel`` is "module:function" (a bare module is one of
        `aclspec.runtime.kernels`), and ``info`` names the module whose INFO is the compiled spec.
        """
        self.name = name
        self.snake = snake
        self.module = module
        self.params = tuple(params)
        self.inputs = tuple(param for param in self.params if param.is_input)
        self.outputs = tuple(param for param in self.params if param.is_output)
        self.check = check
        self.infer = infer
        self.precision = precision
        self.result = result
        self.kernel = kernel
        self.converters = tuple(converter(param, name) for param in self.inputs)
        self.output_converters = tuple(output_converter(param, name) for param in self.outputs)
        self.phase_params = tuple(param._replace(optional=False, default=REQUIRED) for param in self.params)
        self.in_place = any(param.is_input for param in self.outputs)
        self.tensor_inputs = tuple(at for at, param in enumerate(self.inputs) if param.type.startswith("tensor"))
        self._info = info
        self._inputs_first = self.params == self.inputs + self.outputs
        self._formats = tuple(format_of_rank(param) for param in self.outputs)
        self._kernel: Kernel | None = None
        self.plans = Plans(self)

    @cached_property
    def info(self) -> OperatorInfo:
        """The compiled spec, imported when first asked for."""
        info: OperatorInfo = import_module(self._info).INFO
        return info

    def __repr__(self) -> str:
        """The C name."""
        return f"<operator {self.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Where copy and pickle find it: an operator is the one of its module, in another process too."""
        return _operator_of, (self.module,)

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
        inputs = args
        if keywords or len(args) != len(self.inputs):
            inputs = bind(self.inputs, args, keywords, self.name)
        return self.call(inputs, product, conformance, backend, compute, out)

    def call(
        self,
        inputs: Sequence[Any],
        product: str | None = None,
        conformance: str | None = None,
        backend: str | None = None,
        compute: str | None = None,
        out: Any = None,
    ) -> Any:
        """Call it with the values of all input parameters in C order, as the function of its module does."""
        if compute is None:
            found = self.plans.call(inputs, product, conformance, backend, out)
            if found is not UNPLANNED:
                return found
        return call(self, inputs, product, conformance, backend, compute, out)

    def explain(
        self,
        /,
        *args: Any,
        product: str = "all",
        conformance: str | None = None,
        out: Any = NOT_GIVEN,
        lang: Lang = "en",
        **keywords: Any,
    ) -> Explanation:
        """Every rule that a call violates, on one product or on all.

        Outputs may be given by keyword, in ``out``, or with all parameters in C order; those not given are inferred. A
        call that breaks a rule is an answer, not an exception, and nothing is computed: tensors need no data.
        """
        from aclspec.runtime.explaining import explain_call

        return explain_call(self, args, keywords, product, conformance, out, lang)

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
        if compute is None and not keywords:
            answer = self.plans.phase_one(args, product, conformance, backend)
            if answer is not UNPLANNED:
                found: tuple[Status, int, Executor] = answer
                return found
        from aclspec.runtime.two_phase import get_workspace_size

        return get_workspace_size(self, args, keywords, product, conformance, backend, compute)

    def execute(self, workspace: Any, workspace_size: int, executor: Executor | None, stream: Any = None) -> Status:
        """Phase two: compute into the outputs that phase one was given."""
        if isinstance(executor, Executor):
            status = executor.at_once(self, workspace, workspace_size, stream)
            if status is not None:
                return status
        from aclspec.runtime.two_phase import execute

        return execute(self, workspace, workspace_size, executor, stream)

    def kernel_for(self, backend: str) -> Kernel:
        """The kernel by which a backend computes this operator."""
        if backend != DEFAULT:
            return kernel_of(self, backend)
        if self._kernel is None:
            self._kernel = kernel_of(self, backend)
        return self._kernel

    def inferred(self, values: Sequence[Any]) -> list[Any]:
        """The outputs that follow from the inputs, without data; of a list of tensors, a tuple."""
        tensors: list[Any] = []
        found: tuple[Any, ...] = self.infer(*values)
        for param, (by_rank, any_rank), what in zip(self.outputs, self._formats, found, strict=True):
            if what is None:
                tensors.append(None)
                continue
            several = param.type == "tensor_list"
            made = [
                wrap(shape, dtype, layout or by_rank.get(len(shape), any_rank))
                for shape, dtype, layout in (what if several else (what,))
            ]
            tensors.append(tuple(made) if several else made[0])
        return tensors

    def in_c_order(self, inputs: Sequence[Any], outputs: Sequence[Any], writing: bool = False) -> tuple[Any, ...]:
        """All parameters in C order; one that is written in place is its input, or with ``writing`` its output."""
        if self._inputs_first:
            return (*inputs, *outputs)
        reads, writes = iter(inputs), iter(outputs)
        merged = []
        for param in self.params:
            read = next(reads) if param.is_input else None
            write = next(writes) if param.is_output else None
            merged.append(write if param.is_output and (writing or not param.is_input) else read)
        return tuple(merged)


def _operator_of(module: str) -> Operator:
    operator: Operator = import_module(module).OPERATOR
    return operator
