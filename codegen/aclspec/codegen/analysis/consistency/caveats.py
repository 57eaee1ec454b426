"""What is not judged, or has no kernel, is a call that there may be."""

from __future__ import annotations

from aclspec.codegen.analysis.consistency.rules import type_facts
from aclspec.codegen.analysis.facts import FALSE, possible
from aclspec.codegen.compile.caveats import KINDS
from aclspec.codegen.compile.context import Context
from aclspec.codegen.compile.lower import Lets
from aclspec.runtime.rules.operator_info import OperatorInfo


def check_caveats(context: Context, info: OperatorInfo) -> None:
    """Report each caveat whose predicate never holds."""
    facts, lets = type_facts(info), Lets(info.lets)
    for caveat in info.caveats:
        if caveat.when is not None and possible(lets.expand(caveat.when), facts) == FALSE:
            group = next(group for group, kind in KINDS.items() if kind == caveat.kind)
            index = [entry.id for entry in getattr(context.spec, group)].index(caveat.id)
            text = f"An entry of {group} ({caveat.id}) is about no call: its predicate never holds."
            context.report((group, index, "when"), "dead", text)
