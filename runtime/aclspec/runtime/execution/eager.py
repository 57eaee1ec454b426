"""A call in one step: convert, infer, check, compute, hand back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from aclspec.runtime.abi.environment import resolve_conformance
from aclspec.runtime.abi.errors import AclnnError, record
from aclspec.runtime.execution.backends import resolve_backend
from aclspec.runtime.execution.two_phase import check
from aclspec.runtime.rules.levels import unknown_error

if TYPE_CHECKING:
    from aclspec.runtime.rules.operator_table import OperatorTable


def call(
    operator: OperatorTable,
    inputs: Sequence[Any],
    product: str | None,
    conformance: str | None,
    backend: str | None,
    compute: str | None,
    out: object,
) -> Any:
    """The outputs of an operator as its result class; AclnnError for a call that the rules or the library refuse.

    Nothing is allocated or written before every check has passed.
    """
    chosen = resolve_backend(backend)
    try:
        key = chosen.product(product)
        mode = resolve_conformance(conformance)
        exact = compute is not None and chosen.is_exact(compute)
        checks_first = chosen.checks_first(operator)
        if checks_first and not operator.has_rules:  # before anything is asked of the outputs
            raise unknown_error(operator.name, operator.name)
        values = [convert(value) for convert, value in zip(operator.converters, inputs, strict=True)]
        outputs = chosen.outputs(operator, values, out)
        effect = None
        if checks_first:
            described = operator.in_c_order(values, outputs.described())
            effect = check(operator, described, key, mode, operator.name, outputs)
            if effect is None:
                chosen.require_kernel(operator)
                chosen.require_data(operator.inputs, values, operator.name)
        targets = outputs.targets(effect)
        in_order = operator.in_c_order(values, targets, writing=True)
        lengths = chosen.run(operator, key, in_order, effect, exact, fresh=not outputs.given)
        if outputs.given:
            outputs.finish(targets, effect)
        return outputs.results(inputs, targets, lengths)
    except AclnnError as error:
        record(error.rule or operator.name, str(error))
        raise
