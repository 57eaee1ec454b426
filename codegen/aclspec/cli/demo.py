"""``python -m aclspec.cli.demo``: a call that only some products accept, and the documents' own calls.

It needs the runtime alone, none of the packages of the command line.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from aclspec import ops
from aclspec.runtime import Tensor
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.rules.operator_info import ExampleInfo, TensorValue

EXAMPLE = "document"
"""The id under which a spec gives the call of its original document."""
FEW = 8
"""The numbers of an array that are shown."""


def main() -> int:
    """Run the demo; 1 when an output is not what its document says."""
    calls = list(_documents())
    _explains(calls)
    wrong = [operator.name for operator, example in calls if not _computes(operator, example)]
    for name in wrong:
        print(f"The outputs of {name} are not those of its document.", file=sys.stderr)
    return 1 if wrong else 0


def _documents() -> Iterator[tuple[Operator, ExampleInfo]]:
    for name in sorted(ops.names()):
        operator = ops.get(name)
        yield from ((operator, example) for example in operator.info.examples if example.id == EXAMPLE)


def _computes(operator: Operator, example: ExampleInfo) -> bool:
    """Run one call and show it; whether every output has the expected values."""
    inputs: dict[str, Any] = {
        name: _array(value) if isinstance(value, TensorValue) else value for name, value in example.inputs
    }
    width = max(len(param.name) for param in operator.params)
    print(f"{operator.name}\n  {operator.info.summary.en}")
    for name, value in inputs.items():
        print(f"     {name:<{width}} = {_shown(value)}")
    result = operator(**inputs)
    good = True
    for name, place, expected in example.expected:
        output = getattr(result, operator.info.param(name).snake)
        output = output if place is None else output[place]
        good = good and np.array_equal(output, _array(expected))
        print(f"  -> {name:<{width}} = {_shown(output)}")
    print()
    return good


def _array(value: TensorValue) -> np.ndarray[Any, np.dtype[Any]]:
    flat = np.array(value.values, dtype=DType[value.dtype].numpy)
    return np.broadcast_to(flat, value.shape).copy() if flat.size == 1 else flat.reshape(value.shape)


def _shown(value: object) -> str:
    """The dtype, the shape and the elements of an array; of more than a few the first ones, in a row."""
    if not isinstance(value, np.ndarray):
        return str(value)
    head = f"{value.dtype}[{','.join(map(str, value.shape))}]"
    if value.size <= FEW:
        return f"{head} {value.tolist()}"
    return f"{head} {', '.join(map(str, value.ravel()[:FEW].tolist()))}, ..."


def _explains(calls: list[tuple[Operator, ExampleInfo]]) -> None:
    """Show the first of the calls that, in another dtype, is right on some products and wrong on others."""
    for operator, example in calls:
        listed = [product for product, _ in operator.info.products]
        for dtype in dict.fromkeys(dtype for row in operator.info.rows for _, cell in row.cells for dtype in cell):
            call = _described(example.inputs, DType[dtype])
            found = operator.explain(**call, product="all")
            good = [product for product in listed if found[product].ok]
            if good and len(good) < len(listed):
                shown = ", ".join(f"{name}={value}" for name, value in call.items())
                print(f"Would this work?  {operator.name}({shown})\n")
                print(f"{found}\n")
                return


def _described(inputs: tuple[tuple[str, Any], ...], dtype: DType) -> Mapping[str, Any]:
    """The call with every tensor of one dtype, and no data: explaining needs none."""
    return {name: Tensor(value.shape, dtype) if isinstance(value, TensorValue) else value for name, value in inputs}


if __name__ == "__main__":
    sys.exit(main())
