"""The error of a call that a rule refuses; only a failed call imports this, and with it the interpreter."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from aclspec.runtime.errors import AclnnError
from aclspec.runtime.info import Mode, OperatorInfo
from aclspec.runtime.predicate.interp import INFERRED, Report, evaluate
from aclspec.runtime.predicate.sentences import failure, message
from aclspec.runtime.status import Status
from aclspec.runtime.verdict import Verdict

if TYPE_CHECKING:
    from aclspec.runtime.operator import Operator


class Violation(NamedTuple):
    """A rule that fails: its full id, the status it alone would give, and the sentence with the actual values."""

    rule: str
    status: Status
    sentence: str


def refusal(
    operator: Operator,
    values: Sequence[Any],
    inferred: Collection[int],
    product: str,
    mode: Mode,
    verdict: Verdict,
    function: str,
) -> AclnnError:
    """The error of a call on which the generated check answered ``verdict``.

    ``inferred`` are the places of the outputs that the caller did not give. Their facts follow from the inputs, so the
    first rule that fails without them is the one to name: nobody is blamed for a tensor that he did not give.
    """
    info = operator.info
    call = dict(zip((param.name for param in operator.params), values, strict=True))
    blameless = call | {operator.params[at].name: INFERRED for at in inferred}
    report = evaluate(info, blameless, product, mode)
    if report.first is None:  # the inferred tensor itself breaks a rule, such as one on its rank
        blameless, report = call, evaluate(info, call, product, mode)
    decided = report.first if inferred and report.first is not None else verdict.rule.rpartition(".")[2]
    rule = info.rule(decided)
    text = message(info, rule, blameless, product, mode, function)
    status = Status[dict(rule.status)[mode]]
    full = f"{info.name}.{decided}"
    return AclnnError(text, status, full, _violations(info, report, blameless, product, mode))


def _violations(
    info: OperatorInfo, report: Report, call: dict[str, object], product: str, mode: Mode
) -> tuple[Violation, ...]:
    rules = (info.rule(name) for name in report.failing)
    return tuple(
        Violation(f"{info.name}.{rule.id}", Status[dict(rule.status)[mode]], failure(info, rule, call, product, mode))
        for rule in rules
    )
