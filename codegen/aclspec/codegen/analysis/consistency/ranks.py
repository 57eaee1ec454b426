"""Whether the shape that is inferred for an output has a rank that the check of its rank accepts."""

from __future__ import annotations

from collections.abc import Callable

from aclspec.codegen.analysis.consistency.rules import type_facts
from aclspec.codegen.analysis.facts import FALSE, possible
from aclspec.codegen.compile.context import Context
from aclspec.codegen.compile.lower import Lets
from aclspec.runtime.language.nodes import Bool, Call, Compare, IfElse, Int, ListOf, Name, Node, names
from aclspec.runtime.rules.operator_info import OperatorInfo

_Ranks = Callable[[str], frozenset[int]]


def check_inferred_ranks(context: Context, info: OperatorInfo) -> None:
    """A warning for each output with an inferred shape whose rank its check refuses, as that of a reduction."""
    lets = Lets(info.lets)
    outputs = {param.name for param in info.params if param.direction == "out"}
    required = (
        lets.expand(rule.require) for rule in info.rules if rule.require and rule.when is None and not rule.products
    )
    facts = type_facts(info).assuming(one for one in required if not names(one) & outputs)

    def ranks(name: str) -> frozenset[int]:
        low, high = info.param(name).rank
        rank = Call("rank", (Name(name),))
        found = (one for one in range(low, high + 1) if possible(Compare("==", rank, Int(one)), facts) != FALSE)
        return frozenset(found)

    checked = {name for rule in info.rules if rule.kind == "rank" for name in rule.params}
    places = {param.name: index for index, param in enumerate(context.spec.params)}
    for entry in info.infer:
        low, high = info.param(entry.param).rank
        inferred = _ranks_of(lets.expand(entry.shape), ranks) or frozenset()
        refused = sorted(one for one in inferred if not low <= one <= high)
        if refused and entry.param in checked:
            text = f"An output ({entry.param}) of the inferred shape may have rank {refused[0]}"
            context.report(
                ("params", places[entry.param], "rank"),
                "refused-rank",
                f"{text}, which the check of its rank refuses; expected a rank of {low} to {high}.",
                severity="warning",
            )


def _ranks_of(shape: Node, ranks: _Ranks) -> frozenset[int] | None:
    """The ranks that a shape may have; None where it is not one of a few forms."""
    match shape:
        case Call(func="shape", args=(Name(id=name),)):
            return ranks(name)
        case ListOf(items=items):
            return frozenset((len(items),))
        case Call(func="reduce", args=(whole, _, keeps)):
            found = _ranks_of(whole, ranks)
            return found if found is None or keeps == Bool(True) else found | {0}
        case IfElse(then=then, orelse=orelse):
            one, other = _ranks_of(then, ranks), _ranks_of(orelse, ranks)
            return None if one is None or other is None else one | other
    return None
