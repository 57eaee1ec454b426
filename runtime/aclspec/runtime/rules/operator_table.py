"""The table of an operator: its parameters, its generated functions, and what follows from them for a call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from aclspec.runtime.abi.parameters import REQUIRED, Param
from aclspec.runtime.rules.levels import LEVELS, Level
from aclspec.runtime.rules.verdict import Verdict
from aclspec.runtime.tensors.coercion import converter, output_converter
from aclspec.runtime.tensors.tensor import wrap

if TYPE_CHECKING:
    from aclspec.runtime.abi.dtypes import DType
    from aclspec.runtime.rules.operator_info import OperatorInfo
    from aclspec.runtime.rules.shapes import Inferred, InferredList

Check: TypeAlias = Callable[..., Verdict | None]
"""``check(product, library, *all parameters in C order)``: the generated checks of phase one."""
Infer: TypeAlias = "Callable[..., tuple[Inferred | InferredList, ...]]"
"""``infer(*input parameters)``: what each output is; None where it is not required or nothing follows."""
Precision: TypeAlias = "Callable[..., Mapping[str, DType | str | int]]"
"""``precision(product, *all parameters in C order)``: the dtype of each role of the arithmetic, and the settings."""


class OperatorTable:
    """The table of one operator, which every layer below the API takes."""

    def __init__(
        self,
        name: str,
        snake: str,
        module: str,
        params: Sequence[Param],
        result: Any,
        check: Check | None = None,
        infer: Infer | None = None,
        precision: Precision | None = None,
        kernel: str = "",
        level: Level = "computed",
    ) -> None:
        """The table of these parts.

        ``module`` is in the package that has the compiled spec, ``result`` is a NamedTuple class, and ``kernel`` is
        "module:function" (a bare module is one of `aclspec.runtime.kernels`). ``check`` and ``infer`` are there from
        the level "checked" on, ``precision`` and ``kernel`` at the level "computed".
        """
        self.name = name
        self.snake = snake
        self.module = module
        self.params = tuple(params)
        self.inputs = tuple(param for param in self.params if param.is_input)
        self.outputs = tuple(param for param in self.params if param.is_output)
        self.level = level
        self.has_rules, self.has_kernel = LEVELS[level].has_rules, LEVELS[level].has_kernel
        self.check = check or _missing
        self.infer = infer or _missing
        self.precision = precision or _missing
        self.result = result
        self.kernel = kernel
        self.converters = tuple(converter(param, name) for param in self.inputs)
        self.output_converters = tuple(output_converter(param, name) for param in self.outputs)
        self.phase_params = tuple(param._replace(optional=False, default=REQUIRED) for param in self.params)
        self.bounded = any(param.bounded for param in self.params)
        self.data_dependent = any(param.data_dependent for param in self.outputs)
        self.not_inferred = tuple(at for at, param in enumerate(self.outputs) if not self.infers(param))
        self.in_place = any(param.is_input for param in self.outputs)
        self.tensor_inputs = tuple(at for at, param in enumerate(self.inputs) if param.type.startswith("tensor"))
        self.numpy_kernel: Callable[..., Any] | None = None
        self._inputs_first = self.params == self.inputs + self.outputs
        self._formats = tuple(param.default_formats() for param in self.outputs)

    @cached_property
    def info(self) -> OperatorInfo:
        """The compiled spec, read on first access."""
        from aclspec.runtime.rules.operator_data import read_info  # an ordinary call reads none

        return read_info(self.module.rpartition(".")[0], self.snake)

    def infers(self, output: Param) -> bool:
        """Whether the rules say what an output is; one that is written in place is what the caller gives."""
        return output.is_input or (self.has_rules and output.inferred)

    def inferred(self, values: Sequence[Any]) -> list[Any]:
        """The outputs that follow from the inputs, without data; of a list of tensors, a tuple.

        Of an operator without rules none follows.
        """
        if not self.has_rules:
            return [None] * len(self.outputs)
        tensors: list[Any] = []
        found: tuple[Any, ...] = self.infer(*values)
        for param, (by_rank, any_rank), what in zip(self.outputs, self._formats, found, strict=True):
            if what is None:
                tensors.append(None)
            elif param.type == "tensor_list":
                tensors.append(tuple(wrap(s, d, f or by_rank.get(len(s), any_rank)) for s, d, f in what))
            else:
                shape, dtype, layout = what
                tensors.append(wrap(shape, dtype, layout or by_rank.get(len(shape), any_rank)))
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


def _missing(*values: object) -> Any:
    """A function that the level of the operator does not have; whoever calls one asks for the level first."""
    raise LookupError("The spec of the operator does not say so much.")
