"""What an inference relies on: rules that refuse every call for which nothing follows."""

from __future__ import annotations

from aclspec.codegen.compile.checks import ChecksCompiler
from aclspec.codegen.compile.context import Context, Path
from aclspec.codegen.findings import did_you_mean, listing
from aclspec.runtime.info import MODES, OperatorInfo, RuleInfo
from aclspec.runtime.predicate.nodes import InRows, Node
from aclspec.runtime.predicate.walk import children


def check_infer(context: Context, info: OperatorInfo, compiled: ChecksCompiler) -> None:
    """Check every rule that an inference names."""
    for param, entry in context.spec.infer.items():
        for position, rule_id in enumerate(entry.relies_on):
            path: Path = ("infer", param, "relies_on", position)
            if rule_id in compiled.paths:
                wrong = _unreliable(info, info.rule(rule_id))
                if rule_id in entry.relies_on[:position]:
                    wrong = "is named twice"
                if wrong is not None:
                    context.report(path, "relies-on", f"A rule ({rule_id}) under relies_on {wrong}.")
            elif rule_id not in compiled.attempted:
                hint = did_you_mean(rule_id, compiled.paths)
                context.report(path, "unknown-rule", f"A rule ({rule_id}) under relies_on does not exist{hint}")


def _unreliable(info: OperatorInfo, rule: RuleInfo) -> str | None:
    """Why a rule does not refuse every call for which nothing follows; None when it does."""
    outputs = [param.name for param in info.params if param.direction == "out" and param.name in rule.params]
    lacking = [mode for mode in MODES if mode not in dict(rule.status)]
    shortcuts = [one.id for one in info.rules[: info.rules.index(rule)] if one.kind == "shortcut"]
    if rule.require is None:
        return "requires nothing"
    if rule.outcome != "error":
        return "refuses no call: its outcome is undefined"
    if outputs:
        return f"speaks of an output ({outputs[0]}), which is what is inferred"
    if rule.products:
        return f"is enforced only on {listing(rule.products)}; expected one that is enforced on every product"
    if lacking:
        return f"is not enforced in {listing(lacking)} mode; expected one that is enforced in both modes"
    if _asks_rows(rule.require):
        return "asks the dtype rows, which depend on the product; an inference does not know it"
    if shortcuts:
        return f"is not reached by a call that takes a shortcut before it ({shortcuts[0]})"
    return None


def _asks_rows(node: Node) -> bool:
    return isinstance(node, InRows) or any(map(_asks_rows, children(node)))
