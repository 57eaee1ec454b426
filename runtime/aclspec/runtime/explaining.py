"""The call that `explain` looks at, made of what a Python caller gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from aclspec.runtime.arrays import is_tensor_like
from aclspec.runtime.errors import ParamError, ParamTypeError
from aclspec.runtime.explain import Explanation, ProductVerdict, explain
from aclspec.runtime.failures import Violation
from aclspec.runtime.giving import bind_out, check_apart, is_only_list
from aclspec.runtime.info import Mode
from aclspec.runtime.modes import resolve_conformance
from aclspec.runtime.parameters import NOT_GIVEN, bind
from aclspec.runtime.predicate.interp import INFERRED
from aclspec.runtime.products import KEYS, resolve_product
from aclspec.runtime.status import Status

if TYPE_CHECKING:
    from aclspec.runtime.operator import Operator
    from aclspec.runtime.predicate.sentences import Lang


def explain_call(
    operator: Operator,
    args: Sequence[Any],
    keywords: Mapping[str, Any],
    product: str,
    conformance: str | None,
    out: object,
    lang: Lang,
) -> Explanation:
    """What each product says to a call; an output that is not given is inferred and blamed for nothing."""
    mode = resolve_conformance(conformance)
    keys = KEYS if product == "all" else (resolve_product(product),)
    inputs, given = _bound(operator, args, keywords, out)
    try:
        call = _converted(operator, inputs, given)
    except (ParamError, ParamTypeError) as error:  # an answer all the same: no product takes a value of this kind
        return _refused(operator, error, keys, mode)
    return explain(operator.info, call, keys, mode, lang)


def _bound(
    operator: Operator, args: Sequence[Any], keywords: Mapping[str, Any], out: object
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The inputs in order, and the outputs that were given, by C name: as keywords, in ``out``, or in C order."""
    if len(args) == len(operator.params) > len(operator.inputs):  # as phase one takes them
        keywords = {param.name: value for param, value in zip(operator.params, args, strict=True)} | dict(keywords)
        args = ()
    pure = {spelling: param.name for param in operator.outputs if not param.is_input for spelling in param[:2]}
    given = {pure[name]: value for name, value in keywords.items() if name in pure}
    inputs = bind(
        operator.inputs, args, {name: value for name, value in keywords.items() if name not in pure}, operator.name
    )
    plain = out is None or is_tensor_like(out) or is_only_list(operator.outputs, out)
    if "out" in pure and plain:  # a keyword like any other: an output is called so
        given["out"] = out
    elif out is not None and out is not NOT_GIVEN:
        values = zip(operator.outputs, bind_out(operator.outputs, out, operator.name), strict=True)
        given |= {param.name: value for param, value in values if value is not None and not param.is_input}
    return inputs, given


def _converted(operator: Operator, inputs: Sequence[Any], given: Mapping[str, Any]) -> dict[str, Any]:
    values = {
        param.name: convert(value)
        for param, convert, value in zip(operator.inputs, operator.converters, inputs, strict=True)
    }
    for param, convert in zip(operator.outputs, operator.output_converters, strict=True):
        if not param.is_input:
            values[param.name] = convert(given[param.name]) if param.name in given else INFERRED
    if len(given) > 1:
        inferred = operator.inferred([values[param.name] for param in operator.inputs])
        pairs = zip(operator.outputs, inferred, strict=True)
        written = [mine and values[param.name] if param.name in given else None for param, mine in pairs]
        check_apart(operator.outputs, written, operator.name)
    return {param.name: values[param.name] for param in operator.params}


def _refused(operator: Operator, error: ParamError | ParamTypeError, keys: Sequence[str], mode: Mode) -> Explanation:
    violation = Violation(f"{operator.name}.argument", Status.ACLNN_ERR_PARAM_INVALID, error.sentence)
    verdicts = {key: ProductVerdict(key, violation.status, (violation,), {}) for key in keys}
    return Explanation(operator.name, mode, verdicts)
