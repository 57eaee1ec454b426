"""``aclspec run OP``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from aclspec.cli import arrays, operators, output
from aclspec.cli.errors import FINDING, GOOD, UsageError
from aclspec.runtime.dtypes import DType
from aclspec.runtime.errors import AclnnError
from aclspec.runtime.operator import Operator


def perform(
    operator: str,
    call: Mapping[str, Any],
    out: str | None,
    product: str | None,
    conformance: str | None,
    backend: str | None,
    json: bool,
) -> int:
    """Compute, and print the outputs or write them; a finding when the call is refused."""
    found = operators.find(operator)
    target = None if out is None else arrays.target(Path(out))
    try:
        with output.progress(f"computing {found.name}"):
            result = found(product=operators.product(product), conformance=conformance, backend=backend, **call)
    except AclnnError as error:
        if error.rule is None:  # not a rule: a value that no call can have, such as a tensor without data
            raise UsageError(str(error).splitlines()[0]) from error
        return _refused(error, json)
    except (TypeError, ValueError) as error:
        raise UsageError(str(error).splitlines()[0]) from error
    outputs = {param.snake: _array(value) for param, value in zip(found.outputs, _each(found, result), strict=True)}
    if target is not None:
        arrays.save(target, {name: array for name, array in outputs.items() if array is not None})
    if json:
        output.show_json({name: _document(array) for name, array in outputs.items()})
    elif target is None:
        for name, array in outputs.items():
            _show(name, array)
    else:
        output.show(output.plain(f"wrote {target}: {', '.join(n for n, a in outputs.items() if a is not None)}"))
    return GOOD


def _each(operator: Operator, result: Any) -> tuple[Any, ...]:
    """The outputs; an operator with one may answer it bare."""
    return tuple(result) if isinstance(result, tuple) else (result,)


def _array(value: Any) -> arrays.Array | None:
    return None if value is None else np.asarray(getattr(value, "array", value))


def _refused(error: AclnnError, json: bool) -> int:
    if json:
        shown = {"status": int(error.status), "rule": error.rule, "message": str(error)}
        output.show_json({"error": shown})
    else:
        output.show(output.plain(f"{error.status.name} ({int(error.status)})", "bold red"))
        output.show(output.plain(str(error)))
    return FINDING


def _show(name: str, array: arrays.Array | None) -> None:
    if array is None:
        output.show(output.plain(f"{name}: not asked for"))
        return
    with np.printoptions(threshold=200, linewidth=100):
        output.show(output.plain(f"{name}: {_described(array)}", "bold"))
        output.show(output.plain(str(array)))


def _described(array: arrays.Array) -> str:
    return f"{DType.of(array.dtype).short}[{','.join(map(str, array.shape))}]"


def _document(array: arrays.Array | None) -> dict[str, object] | None:
    """An output for programs; what JSON has no number for is a string."""
    if array is None:
        return None
    wide = array.astype(np.float64) if array.dtype.kind not in "biuc" else array
    return {"dtype": DType.of(array.dtype).name, "shape": array.shape, "values": _plain(wide.tolist())}


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value if np.isfinite(value) and not isinstance(value, complex) else str(value)
