"""Would this call work, on which products, and if not, which arguments are at fault?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from aclspec.runtime.abi.environment import CANN, resolve_conformance
from aclspec.runtime.abi.errors import ParamError, ParamTypeError, Violation
from aclspec.runtime.abi.parameters import NOT_GIVEN, bind
from aclspec.runtime.abi.products import KEYS, read_product
from aclspec.runtime.abi.status import Status
from aclspec.runtime.api.answers import Explanation, ModeVerdict, ProductVerdict
from aclspec.runtime.api.fixes import Fix, Fixes
from aclspec.runtime.api.numbers import fitted, plain
from aclspec.runtime.api.precision import overflow
from aclspec.runtime.execution.elements import element_outside
from aclspec.runtime.execution.outputs import bind_out, check_overlap, is_only_list
from aclspec.runtime.rules.answer_words import of_versions, reason
from aclspec.runtime.rules.interpreter import INFERRED, Memory
from aclspec.runtime.rules.judgement import judge, version
from aclspec.runtime.rules.levels import unknown
from aclspec.runtime.rules.operator_info import Mode, OperatorInfo
from aclspec.runtime.rules.sentences import Lang, failure, is_shortened, requirement
from aclspec.runtime.rules.violations import violations
from aclspec.runtime.tensors.array_coercion import is_tensor_like

if TYPE_CHECKING:
    from aclspec.runtime.rules.operator_table import OperatorTable
    from aclspec.runtime.rules.sentences import Lang


def explain(
    info: OperatorInfo,
    call: Mapping[str, object],
    products: str | Iterable[str] = "all",
    conformance: Mode = "document",
    lang: Lang = "en",
    cann: str | None = None,
) -> Explanation:
    """What each product says to a call, given as C names of all parameters; "all" is every product there is.

    Nothing is computed, and a bad call is an answer, not an exception. ``cann`` is the version of CANN, as text; None
    is the newest.
    """
    wanted = None if cann is None else version(cann)
    keys = KEYS if products == "all" else (products,) if isinstance(products, str) else tuple(products)
    memory, fixes = Memory(), Fixes(info, call)
    verdicts = {
        str(key): _product_verdict(info, call, str(key), conformance, lang, memory, fixes, wanted) for key in keys
    }
    return Explanation(info.name, conformance, verdicts, info.level, lang, cann=cann)


def _product_verdict(
    info: OperatorInfo,
    call: Mapping[str, object],
    product: str,
    conformance: Mode,
    lang: Lang,
    memory: Memory,
    fixes: Fixes,
    cann: tuple[int, ...] | None,
) -> ProductVerdict:
    meant = fitted(info, call, product)
    if meant is not call:
        call, memory, fixes = meant, Memory(), Fixes(info, meant)

    def judge(mode: Mode) -> ModeVerdict:
        return _mode_verdict(info, call, product, mode, lang, memory, cann)

    def find(mode: Mode) -> tuple[Fix, ...]:
        return fixes.find(product, mode, lang) if info.facts.has_rules else ()

    return ProductVerdict(product, conformance, lang, judge, find)


def _mode_verdict(
    info: OperatorInfo,
    call: Mapping[str, object],
    product: str,
    mode: Mode,
    lang: Lang,
    memory: Memory,
    cann: tuple[int, ...] | None,
) -> ModeVerdict:
    if not info.facts.has_rules:
        return ModeVerdict(None, (), {}, note=unknown(info.name, lang), verdict="unknown")
    verdict, report, call, caveat, versions = judge(info, call, product, mode, memory, cann)
    outcomes = {f"{info.name}.{rule}": outcome for rule, outcome in report.outcomes.items()}
    if caveat is not None:
        status = Status[caveat.status] if caveat.status else None
        full = f"{info.name}.{caveat.id}"
        if status is not None and verdict == "refused":
            violation = Violation(full, status, of_versions(caveat, lang))
            return ModeVerdict(status, (violation,), outcomes, verdict=verdict, caveat=full)
        return ModeVerdict(status, (), outcomes, note=reason(caveat, lang), verdict=verdict, caveat=full)
    if report.shortcut is None:
        found = violations(info, report, call, product, mode, lang)
        told = () if found else (element_outside(info, call, product, lang), overflow(info, call, product, mode, lang))
        note = " ".join(filter(None, told))
        if versions is not None:
            note = " ".join(filter(None, (note, of_versions(versions, lang, bool(found)))))
        rules = map(info.rule, report.failing)
        whole = tuple(
            failure(info, rule, call, product, mode, lang, True) if is_shortened(one.sentence, lang) else one.sentence
            for rule, one in zip(rules, found, strict=True)
        )
        return ModeVerdict(report.status, found, outcomes, note=note or "", verdict=verdict, whole=whole)
    taken = info.rule(report.shortcut)
    note = requirement(taken, lang)
    return ModeVerdict(report.status, (), outcomes, f"{info.name}.{taken.id}", taken.effect, note)


def explain_call(
    operator: OperatorTable,
    args: Sequence[Any],
    keywords: Mapping[str, Any],
    product: str,
    conformance: str | None,
    out: object,
    lang: Lang,
    cann: str | None = None,
) -> Explanation:
    """What each product says to a call; an output that is not given is inferred and blamed for nothing."""
    mode, cann = resolve_conformance(conformance), cann or CANN.read()
    if cann is not None:
        version(cann)  # an error of the caller, even where the call is refused for another reason
    name = None if product == "all" else read_product(product)
    keys = KEYS if name is None else (name.key,)
    inputs, given = _bound(operator, args, keywords, out)
    try:
        call = _converted(operator, inputs, given)
    except (ParamError, ParamTypeError) as error:  # an answer all the same: no product takes a value of this kind
        return _refused(operator, error, keys, mode, lang)
    found = explain(operator.info, call, keys, mode, lang, cann)
    return found if name is None else replace(found, note=name.note)


def _bound(
    operator: OperatorTable, args: Sequence[Any], keywords: Mapping[str, Any], out: object
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
    is_one_output = out is None or is_tensor_like(out) or is_only_list(operator.outputs, out)
    if "out" in pure and is_one_output:  # a keyword like any other: an output is called so
        given["out"] = out
    elif out is not None and out is not NOT_GIVEN:
        values = zip(operator.outputs, bind_out(operator.outputs, out, operator.name), strict=True)
        given |= {param.name: value for param, value in values if value is not None and not param.is_input}
    return inputs, given


def _converted(operator: OperatorTable, inputs: Sequence[Any], given: Mapping[str, Any]) -> dict[str, Any]:
    values = {
        param.name: plain(value, _read(param.name, convert, value))
        for param, convert, value in zip(operator.inputs, operator.converters, inputs, strict=True)
    }
    for param, convert in zip(operator.outputs, operator.output_converters, strict=True):
        if not param.is_input:
            values[param.name] = _read(param.name, convert, given[param.name]) if param.name in given else INFERRED
    if len(given) > 1:
        inferred = operator.inferred([values[param.name] for param in operator.inputs])
        pairs = zip(operator.outputs, inferred, strict=True)
        written = [mine and values[param.name] if param.name in given else None for param, mine in pairs]
        check_overlap(operator.outputs, written, operator.name)
    return {param.name: values[param.name] for param in operator.params}


def _read(name: str, convert: Callable[[Any], Any], value: Any) -> Any:
    """A value as the checks take it; ParamError or ParamTypeError for one that they do not take."""
    try:
        return convert(value)
    except (ParamError, ParamTypeError):
        raise
    except Exception as error:  # a value of somebody's class runs code of its own
        raise ParamError(f"The value of {name} cannot be read: it raises {type(error).__name__}.", name) from error


def _refused(
    operator: OperatorTable, error: ParamError | ParamTypeError, keys: Sequence[str], mode: Mode, lang: Lang
) -> Explanation:
    violation = Violation(f"{operator.name}.argument", Status.ACLNN_ERR_PARAM_INVALID, error.sentence)
    verdict = ModeVerdict(violation.status, (violation,), {}, verdict="refused")
    verdicts = {key: ProductVerdict(key, mode, lang, lambda mode: verdict) for key in keys}
    return Explanation(operator.name, mode, verdicts, operator.level, lang)
