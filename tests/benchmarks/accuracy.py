"""How far the answers of each operator are from exact ones, product by product; writes the figures of the site.

The calls are random, seeded, in every dtype and with every cubeMathType that a product takes; exact is the definition
of the operator in float64, which shares no code with the kernels (tests/support/oracles.py), from the same inputs, and
not rounded at the end. An error is relative to the largest value of the exact output::

    python -m tests.benchmarks.accuracy
"""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from aclspec import ops
from aclspec.codegen.pages.accuracy import FIGURES
from aclspec.runtime import AclnnError, Tensor, __version__
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.rules.operator_info import RowInfo
from tests.support.oracles import MASKS, ORACLES
from tests.support.samples import SAMPLES

ROOT = Path(__file__).resolve().parents[2]
TURNS = 24
"""Random calls for each product, choice of dtypes and value of cubeMathType."""
Choice: TypeAlias = dict[str, DType]


@dataclass
class Row:
    """The largest error by product, for the dtypes of the inputs and those in which the product computes."""

    operator: str
    dtypes: list[str]
    roles: dict[str, str]
    calls: int = 0
    errors: dict[str, float] = field(default_factory=dict)


def main() -> int:
    """Measure every operator, print the rows and write them."""
    rows = [row for name in measured() for row in measure(ops.get(name), TURNS)]
    for row in rows:
        errors = "  ".join(f"{product} {error:.1e}" for product, error in row.errors.items())
        roles = ", ".join(f"{role} {dtype}" for role, dtype in row.roles.items())
        print(f"{row.operator:32}{' '.join(row.dtypes):22}{roles:50}{row.calls:6}  {errors}", flush=True)
    path = ROOT / FIGURES
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(".new")
    figures = {"machine": machine(), "rows": [vars(row) for row in rows]}
    beside.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    beside.replace(path)
    return 0


def measured() -> list[str]:
    """The operators with samples and a float64 definition of their own; others have the reference of their spec."""
    return [name for name in ops.names() if ops.get(name).name in SAMPLES]


def machine() -> dict[str, str]:
    """What the figures were measured with; another NumPy may add in another order."""
    return {
        "date": date.today().isoformat(),
        "machine": f"{platform.machine()}, {len(os.sched_getaffinity(0))} cores",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "aclspec": __version__,
    }


def measure(operator: Operator, turns: int) -> list[Row]:
    """The errors of one operator, with this number of random calls of each kind."""
    rows: dict[str, Row] = {}
    modes = next((param.values for param in operator.info.params if param.name == "cubeMathType"), (0,))
    for product, dtypes, row in _kinds(operator):
        for mode in modes:
            for turn in range(turns):
                random = np.random.default_rng([turn, int(mode)])
                choice = {name: _chosen(cell, dtypes, random) for name, cell in row.cells}
                call = _call(operator, random, choice, {"cubeMathType": mode}, product)
                _measured(operator, call, product, dtypes, rows)
    return sorted(rows.values(), key=lambda row: (len(row.dtypes), row.dtypes, list(row.roles.items())))


def _kinds(operator: Operator) -> Iterator[tuple[str, tuple[str, ...], RowInfo]]:
    """For each product in document mode: a dtype for all tensors, or several for them to be mixed of, and their row."""
    for row in operator.info.rows:
        for product in row.products if "document" in row.modes else ():
            floating = dict.fromkeys(d for _, cell in row.cells for d in cell if DType[d].is_floating)
            cells = [cell for _, cell in row.cells if any(DType[dtype].is_floating for dtype in cell)]
            yield from ((product, (dtype,), row) for dtype in floating if all(dtype in cell for cell in cells))
            if len(floating) > 1:
                yield product, tuple(sorted(floating)), row


def _chosen(cell: tuple[str, ...], dtypes: tuple[str, ...], random: np.random.Generator) -> DType:
    """One of these dtypes where the row allows the tensor one of them, else any that it does."""
    return DType[str(random.choice([dtype for dtype in cell if dtype in dtypes] or cell))]


def _call(
    operator: Operator, random: np.random.Generator, choice: Choice, attributes: Mapping[str, Any], product: str
) -> dict[str, Any]:
    """Arguments in these dtypes, by C name in C order."""
    sample = {**attributes, **SAMPLES[operator.name](random)}
    call: dict[str, Any] = {}
    for param in operator.inputs:
        value = sample[param.name]
        call[param.name] = value.astype(choice[param.name].numpy) if isinstance(value, np.ndarray) else value
    return call | {name: MASKS[name](_wide(call), product) for name in MASKS.keys() & call.keys()}


def _wide(call: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with every tensor in float64."""
    return {name: value.astype(np.float64) if isinstance(value, np.ndarray) else value for name, value in call.items()}


def _measured(
    operator: Operator, call: dict[str, Any], product: str, dtypes: tuple[str, ...], rows: dict[str, Row]
) -> None:
    """Make one call and note its error; some products refuse some arithmetic, and then there is none."""
    try:
        found = operator(**call, product=product)
    except AclnnError as error:
        if error.rule is None:
            raise
        return
    outputs = dict(zip((param.name for param in operator.outputs), found, strict=True))
    roles = {role: dtype.name for role, dtype in _precision(operator, call | outputs, product).items()}
    row = rows.setdefault(str((dtypes, roles)), Row(operator.name, list(dtypes), roles))
    row.calls += 1
    exact = ORACLES[operator.name](_wide(call))
    errors = [_error(outputs[name], value) for name, value in exact.items()]
    row.errors[product] = max([row.errors.get(product, 0.0), *errors])


def _precision(operator: Operator, values: Mapping[str, Any], product: str) -> dict[str, DType]:
    """The dtypes in which a product computes a call."""
    pointers = {param.name for param in operator.params if PARAM_TYPES[param.type].predicate == "tensor"}
    in_order = (
        Tensor.from_array(values[param.name]) if param.name in pointers else values[param.name]
        for param in operator.params
    )
    return {role: one for role, one in operator.precision(product, *in_order).items() if isinstance(one, DType)}


def _error(found: Any, exact: Any) -> float:
    """The error of an output, relative to its largest value."""
    assert found.shape == exact.shape
    largest = float(np.max(np.abs(exact), initial=0))
    return float(np.max(np.abs(found.astype(np.float64) - exact))) / largest if largest else 0.0


if __name__ == "__main__":
    sys.exit(main())
