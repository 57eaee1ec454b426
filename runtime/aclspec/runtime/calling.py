"""A call in one step: convert, infer, check, compute, hand back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from aclspec.runtime.backends import DEFAULT, NPU, resolve_backend
from aclspec.runtime.compute import require_data, reserve_doubles, run, run_exactly
from aclspec.runtime.errors import AclnnError
from aclspec.runtime.messages import record
from aclspec.runtime.modes import is_exact, resolve_conformance
from aclspec.runtime.outputs import Outputs
from aclspec.runtime.plan import plan_of
from aclspec.runtime.products import resolve_product

if TYPE_CHECKING:
    from aclspec.runtime.info import Mode
    from aclspec.runtime.operator import Operator


def call(
    operator: Operator,
    inputs: Sequence[Any],
    product: str | None,
    conformance: str | None,
    backend: str | None,
    compute: str | None,
    out: object,
) -> Any:
    """The outputs of an operator as its result class; AclnnError for a call that the rules refuse.

    Nothing is allocated or written before every check has passed. What passes leaves a plan for the calls like it.
    """
    name = resolve_backend(backend)
    if name == NPU:
        from aclspec.runtime.npu.calling import call as call_on_device

        return call_on_device(operator, inputs, product, conformance, backend, compute, out)
    planned = None
    if name == DEFAULT and compute is None:
        planned = operator.plans.call_key(inputs, product, conformance, backend, out)
    try:
        key = resolve_product(product)
        mode = resolve_conformance(conformance)
        exact = is_exact(compute)
        kernel = operator.kernel_for(name)
        values = [convert(value) for convert, value in zip(operator.converters, inputs, strict=True)]
        outputs = Outputs(operator, values, out)
        described = operator.in_c_order(values, outputs.described())
        effect = effect_of(operator, key, mode, described, outputs)
        if effect is None:
            require_data(operator.inputs, values, operator.name)
            if exact:
                reserve_doubles(described, operator.name)
        targets = outputs.targets(values, effect)
        if effect is None:
            in_order = operator.in_c_order(values, targets, writing=True)
            precision = operator.precision(key, *in_order)
            (run_exactly if exact else run)(kernel, operator.params, in_order, precision, fresh=not outputs.given)
            if planned is not None:
                plan = plan_of(operator, kernel, in_order, precision, *planned[1:])
                again = operator.plans.call_key(inputs, product, conformance, backend, out)
                if (
                    plan is not None and again is not None and again[0] == planned[0]
                ):  # nobody changed an array meanwhile
                    operator.plans.keep(planned[0], plan)
        if outputs.given:
            outputs.finish(targets, effect)
        return outputs.results(inputs, targets)
    except AclnnError as error:
        record(error.rule or operator.name, str(error))
        raise


def effect_of(operator: Operator, product: str, mode: Mode, described: Sequence[Any], outputs: Outputs) -> str | None:
    """What a shortcut does to the outputs, None for a call to compute; AclnnError for one that breaks a rule."""
    verdict = operator.check(product, mode == "library", *described)
    if verdict is None or verdict.effect is not None:
        return None if verdict is None else verdict.effect
    from aclspec.runtime.failures import refusal

    raise refusal(operator, described, outputs.not_given(), product, mode, verdict, operator.name)
