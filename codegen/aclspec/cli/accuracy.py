"""``python -m aclspec.cli.accuracy``: how far the answers of each operator are from exact ones, product by product.

The calls are the derived valid ones, on seeded random data. Exact is the same kernel in float64 throughout, from the
same inputs, and not rounded at the end. An error is relative to the largest value of the exact output.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from aclspec import ops
from aclspec.codegen.reference import table
from aclspec.codegen.render.manual.words import Lang
from aclspec.codegen.trace.suites import read_suites
from aclspec.runtime.dtypes import DType
from aclspec.runtime.operator import Operator
from aclspec.runtime.products import KEYS
from aclspec.runtime.tensor import Tensor
from aclspec.runtime.testing import data
from aclspec.runtime.testing.runner import passing
from aclspec.runtime.testing.suite import Suite


class Key(NamedTuple):
    """What an error is told for: the dtypes of the inputs, and the dtypes in which the product computes."""

    operator: str
    dtypes: str
    roles: str


Errors = dict[Key, dict[str, float]]
"""The largest error by product."""
_HEADS: dict[Lang, tuple[str, ...]] = {"en": ("dtypes", "computed in"), "zh": ("数据类型", "计算所用类型")}
_NO_ROLES = "-"


def measure(suites: Iterable[Suite]) -> Errors:
    """The errors of every operator that has a suite and is known here."""
    found: Errors = {}
    for suite in suites:
        operator = ops.get(suite.operator)
        for case, cell in passing(suite):
            if cell.mode == "document" and suite.outcomes(case)[cell].shortcut is None:
                values = data.arguments(operator, suite.call(case))
                if all(map(data.all_held, values.values())):
                    key, error = _measured(
                        operator, _filled(operator, values, case.id), _out(operator, values), cell.product
                    )
                    by_product = found.setdefault(key, {})
                    by_product[cell.product] = max(by_product.get(cell.product, 0.0), error)
    return found


def accuracy(lang: Lang, root: Path) -> str:
    """A table for each operator of a checkout."""
    return "\n".join(_sections(_of_checkout(root), lang))


@cache
def _of_checkout(root: Path) -> Errors:
    return measure(file.suite for file in read_suites(root, root / "generated" / "tests").values())


def _sections(errors: Errors, lang: Lang) -> Iterator[str]:
    for name in dict.fromkeys(key.operator for key in errors):
        rows = {key: by_product for key, by_product in errors.items() if key.operator == name}
        products = [key for key in KEYS if any(key in one for one in rows.values())]
        yield f"## [`{name}`](operators/{ops.get(name).info.snake}.md) {{: #{name}}}\n"
        yield table((*_HEADS[lang], *(f"`{key}`" for key in products)), _rows(rows, products))


def _rows(errors: Errors, products: list[str]) -> Iterator[tuple[str, ...]]:
    for key, by_product in sorted(errors.items()):
        yield key.dtypes, key.roles, *(_number(by_product.get(product)) for product in products)


def _number(error: float | None) -> str:
    return "-" if error is None else "0" if error == 0 else f"{error:.1e}"


def _filled(operator: Operator, values: Mapping[str, Any], seed: str) -> list[Any]:
    """The inputs in C order, of random numbers."""

    def fill(value: Any, name: str) -> Any:
        if isinstance(value, tuple):
            return tuple(fill(item, f"{name}[{at}]") for at, item in enumerate(value))
        return data.filled(value, f"{seed} {name}") if isinstance(value, Tensor) else value

    return [fill(values[param.name], param.name) for param in operator.inputs]


def _out(operator: Operator, values: Mapping[str, Any]) -> dict[str, Any]:
    """The outputs that the call describes: an inferred one may have another format, which rules may refuse."""
    described = {param.name: values[param.name] for param in operator.outputs}
    return {name: _map(value, data.blank) for name, value in described.items() if value is not None}


def _measured(operator: Operator, inputs: list[Any], out: dict[str, Any], product: str) -> tuple[Key, float]:
    """The error of one call, over all of its floating-point outputs."""
    before = [_map(value, _doubled) for value in inputs]
    outputs = operator.call([_map(value, data.plain) for value in inputs], product=product, out=out)
    given = iter(before), iter([_map(value, _blank) for value in outputs])
    exact = [next(given[0]) if param.is_input else next(given[1]) for param in operator.params]
    described = iter(inputs), iter(outputs)
    in_order = [next(described[0]) if param.is_input else next(described[1]) for param in operator.params]
    precision = operator.precision(product, *in_order)
    doubles = {role: DType.DOUBLE if isinstance(dtype, DType) else dtype for role, dtype in precision.items()}
    operator.kernel_for("numpy")(*exact, doubles)
    wanted = (value for param, value in zip(operator.params, exact, strict=True) if param.is_output)
    error = max((_error(found, right) for found, right in zip(outputs, wanted, strict=True)), default=0.0)
    return Key(operator.name, _dtypes(inputs), _roles(precision)), error


def _map(value: Any, change: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_map(item, change) for item in value)
    return change(value) if isinstance(value, Tensor) else value


def _doubled(tensor: Tensor) -> Any:
    """The elements in float64 where they are floating-point numbers."""
    array = np.array(tensor.array)
    return array.astype(np.float64) if tensor.dtype.is_floating else array


def _blank(tensor: Tensor) -> Any:
    return np.zeros_like(_doubled(tensor))


def _error(found: Any, exact: Any) -> float:
    """The error of an output; elements without a finite value have none."""
    if not isinstance(found, Tensor) or not found.dtype.is_floating:
        return 0.0
    values = found.array.astype(np.float64)
    finite = np.isfinite(values) & np.isfinite(exact)
    if not finite.any():
        return 0.0
    largest = float(np.max(np.abs(exact[finite])))
    return float(np.max(np.abs(values[finite] - exact[finite]))) / largest if largest else 0.0


def _dtypes(inputs: list[Any]) -> str:
    named = (one.dtype for value in inputs for one in (value if isinstance(value, tuple) else (value,)) if _floats(one))
    return ", ".join(f"`{dtype.name}`" for dtype in sorted(set(named)))


def _floats(value: Any) -> bool:
    return isinstance(value, Tensor) and value.dtype.is_floating


def _roles(precision: Mapping[str, Any]) -> str:
    roles = (f"{role} `{one.name}`" for role, one in precision.items() if isinstance(one, DType))
    return ", ".join(roles) or _NO_ROLES


if __name__ == "__main__":
    sys.stdout.write(accuracy("en", Path(__file__).resolve().parents[3]))
