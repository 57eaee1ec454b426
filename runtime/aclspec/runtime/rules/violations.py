"""The error of a call that a rule refuses; only a failed call imports this, and with it the interpreter."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from aclspec.runtime.abi.errors import AclnnError, Violation
from aclspec.runtime.abi.status import Status
from aclspec.runtime.rules.interpreter import INFERRED, Memory, Report, evaluate
from aclspec.runtime.rules.judgement import caveats
from aclspec.runtime.rules.operator_info import Mode, OperatorInfo
from aclspec.runtime.rules.operator_table import OperatorTable
from aclspec.runtime.rules.sentences import Lang, failure, message
from aclspec.runtime.rules.verdict import Verdict


def refusal(
    operator: OperatorTable,
    values: Sequence[Any],
    inferred: Collection[int],
    product: str,
    mode: Mode,
    verdict: Verdict,
    function: str,
) -> AclnnError:
    """The error of a call on which the generated check answered ``verdict``.

    ``inferred`` are the places of the outputs that the caller left out. Their facts follow from the inputs, so the
    error names the first rule that fails without them.
    """
    info = operator.info
    call = dict(zip((param.name for param in operator.params), values, strict=True))
    uninferred = call | {operator.params[at].name: INFERRED for at in inferred}
    report = evaluate(info, uninferred, product, mode)
    if report.first is None:  # the inferred tensor itself breaks a rule, such as one on its rank
        uninferred, report = call, evaluate(info, call, product, mode)
    decided = report.first if inferred and report.first is not None else verdict.rule.rpartition(".")[2]
    rule = info.rule(decided)
    text = message(info, rule, uninferred, product, mode, function)
    left_out = [one for one in caveats(info, uninferred, product, mode, Memory()) if decided in one.rules]
    if left_out:
        text += f"\n - the spec leaves this case out, CANN may take the call: {left_out[0].because.en}"
    elif mode == "document" and not evaluate(info, uninferred, product, "library").status:
        text += "\n - CANN itself takes this call; its document forbids it"
    status = Status[dict(rule.status)[mode]]
    full = f"{info.name}.{decided}"
    return AclnnError(text, status, full, violations(info, report, uninferred, product, mode))


def violations(
    info: OperatorInfo, report: Report, call: Mapping[str, object], product: str, mode: Mode, lang: Lang = "en"
) -> tuple[Violation, ...]:
    """The rules that fail in a report, in the order of the checks."""
    found = []
    for rule in map(info.rule, report.failing):
        sentence = failure(info, rule, call, product, mode, lang)
        found.append(Violation(f"{info.name}.{rule.id}", Status[dict(rule.status)[mode]], sentence))
    return tuple(found)
