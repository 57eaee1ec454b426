"""What ``aclspec explain OP`` and ``aclspec run OP`` do with a call."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from aclspec.cli import operators, output, values
from aclspec.cli.errors import FINDING, GOOD, NO_KERNEL, NOT_JUDGED, UNDOCUMENTED, UsageError
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.errors import AclnnError
from aclspec.runtime.api.answers import Explanation, ProductVerdict
from aclspec.runtime.rules.sentences import Lang
from aclspec.runtime.torch_kernels.choice import kernels_of

STYLES_OF_ANSWERS = {True: "green", False: "red", None: "yellow"}
_STATUSES: dict[str, int] = {
    "not judged": NOT_JUDGED,
    "unknown": NOT_JUDGED,
    "no kernel": NO_KERNEL,
    "undocumented": UNDOCUMENTED,
}
_WORST_FIRST = (FINDING, NO_KERNEL, UNDOCUMENTED, NOT_JUDGED, GOOD)
STYLES = {"holds": "green", "fails": "bold red", "n/a": "dim", "off": "dim", "skipped": "dim"}


def explain(
    operator: str,
    call: Mapping[str, Any],
    product: str | None,
    conformance: str | None,
    lang: Lang,
    cann: str | None,
    rules: bool,
    json: bool,
) -> int:
    """Explain a call; the exit status is its verdict on the product that is meant, or the worst of all of them.

    Without a product every one is shown, and the one that a call would take decides.
    """
    operators.one_of(conformance, ("document", "library"), "conformance")
    operators.one_of(lang, ("en", "zh"), "language")
    judged = None if product == "all" else operators.product(product)
    shown = "all" if product is None else judged or "all"
    explanation = _explanation(operator, call, shown, conformance, lang, cann)
    good = explanation.ok if judged is None else explanation[judged].ok
    kernels = _kernels(operator)
    if json:
        output.show_json({**explanation.to_dict(), "judged": judged or "all", "good": good, "kernels": kernels})
    else:
        _show_verdicts(explanation, judged, kernels)
        if rules:
            _show_rules(explanation)
    decisive = explanation.values() if judged is None else [explanation[judged]]
    return min(map(_status, decisive), key=_WORST_FIRST.index)


def _status(verdict: ProductVerdict) -> int:
    """The exit status of a verdict; whether a call that CANN takes or refuses is good is up to its own mode."""
    return _STATUSES.get(verdict.verdict, GOOD if verdict.ok else FINDING)


def _explanation(
    operator: str, call: Mapping[str, Any], product: str, conformance: str | None, lang: Lang, cann: str | None
) -> Explanation:
    try:
        found: Explanation = operators.find(operator).explain(
            product=product, conformance=conformance, lang=lang, cann=cann, **call
        )
    except (TypeError, ValueError) as error:
        raise UsageError(str(error).splitlines()[0]) from error
    return found


def _kernels(operator: str) -> str | None:
    """Which kernels compute an operator on the host, numpy or torch; None where it has no kernel."""
    operators.kernels()
    found = operators.find(operator)
    return kernels_of(found.kernel) if found.has_kernel else None


def _show_verdicts(explanation: Explanation, judged: str | None, kernels: str | None) -> None:
    head = f"{explanation.operator} ({explanation.level}), judged by the {explanation.conformance}"
    output.show(output.plain(head, "bold"))
    if kernels == "torch":
        output.show(output.plain("The kernel of PyTorch computes it on the host (ACLSPEC_KERNELS)."))
    if explanation.note:
        output.show(output.plain(explanation.note))
    output.show()
    for answer, verdicts in explanation.groups():
        products = [verdict.product for verdict in verdicts]
        _show_verdict(answer, verdicts[0], products, judged if len(explanation) > 1 else None)


def _show_verdict(answer: str, verdict: ProductVerdict, products: list[str], judged: str | None) -> None:
    """Products that say the same, once."""
    names = ", ".join(f"{product} (the one meant)" if product == judged else product for product in products)
    output.show(output.plain(f"{names}: ") + output.plain(answer, f"bold {STYLES_OF_ANSWERS[verdict.ok]}"))
    for line in verdict.lines():
        output.show(output.plain(line))
    output.show()


def _show_rules(explanation: Explanation) -> None:
    """Every rule, and its outcome on each product."""
    products = list(explanation)
    rules = dict.fromkeys(rule for verdict in explanation.values() for rule in verdict.outcomes)
    rows = [
        (rule, *(_outcome(explanation[product].outcomes.get(rule, "off")) for product in products)) for rule in rules
    ]
    output.show(output.table("Rules and their outcomes", ("rule", *products), rows))


def _outcome(outcome: str) -> Any:
    return output.plain(outcome, STYLES[outcome])


def run(
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
    target = None if out is None else values.target(Path(out))
    try:
        with output.progress(f"computing {found.name}"):
            result = found(product=operators.product(product), conformance=conformance, backend=backend, **call)
    except AclnnError as error:
        if error.rule is None:  # not a rule: a value that no call can have, such as a tensor without data
            raise UsageError(str(error).splitlines()[0]) from error
        return _refused(error, json)
    except (TypeError, ValueError) as error:
        raise UsageError(str(error).splitlines()[0]) from error
    outputs = {param.snake: _array(value) for param, value in zip(found.outputs, _each(result), strict=True)}
    if target is not None:
        values.save(target, {name: array for name, array in outputs.items() if array is not None})
    if json:
        output.show_json({name: _json_output(array) for name, array in outputs.items()})
    elif target is None:
        for name, array in outputs.items():
            _show_output(name, array)
    else:
        output.show(output.plain(f"wrote {target}: {', '.join(n for n, a in outputs.items() if a is not None)}"))
    return GOOD


def _each(result: Any) -> tuple[Any, ...]:
    """The outputs; an operator with one may answer it bare."""
    return tuple(result) if isinstance(result, tuple) else (result,)


def _array(value: Any) -> values.Array | None:
    return None if value is None else np.asarray(getattr(value, "array", value))


def _refused(error: AclnnError, json: bool) -> int:
    if json:
        shown = {"status": int(error.status), "rule": error.rule, "message": str(error)}
        output.show_json({"error": shown})
    else:
        output.show(output.plain(f"{error.status.name} ({int(error.status)})", "bold red"))
        output.show(output.plain(str(error)))
    return FINDING


def _show_output(name: str, array: values.Array | None) -> None:
    if array is None:
        output.show(output.plain(f"{name}: not asked for"))
        return
    with np.printoptions(threshold=200, linewidth=100):
        output.show(output.plain(f"{name}: {_described_array(array)}", "bold"))
        output.show(output.plain(str(array)))


def _described_array(array: values.Array) -> str:
    return f"{DType.of(array.dtype).short}[{','.join(map(str, array.shape))}]"


def _json_output(array: values.Array | None) -> dict[str, object] | None:
    """An output for programs; what JSON has no number for is a string."""
    if array is None:
        return None
    wide = array.astype(np.float64) if array.dtype.kind not in "biuc" else array
    return {"dtype": DType.of(array.dtype).name, "shape": array.shape, "values": _plain(wide.tolist())}


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value if np.isfinite(value) and not isinstance(value, complex) else str(value)
