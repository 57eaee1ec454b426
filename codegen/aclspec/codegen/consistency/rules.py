"""Rules that can never fail, never hold, never run, or only say again what an earlier rule said."""

from __future__ import annotations

from aclspec.codegen.compile.checks import ChecksCompiler
from aclspec.codegen.compile.context import Context, Path
from aclspec.codegen.compile.lower import replace_names
from aclspec.codegen.consistency.coverage import covers
from aclspec.codegen.predicate.intervals import Interval
from aclspec.codegen.predicate.unparse import unparse
from aclspec.codegen.predicate.vacuity import EITHER, FALSE, TRUE, Facts, conjuncts, possible
from aclspec.codegen.spec.checks import Rule
from aclspec.runtime.info import OperatorInfo, RuleInfo
from aclspec.runtime.paramtypes import PARAM_TYPES
from aclspec.runtime.predicate.nodes import Node


def check_rules(context: Context, info: OperatorInfo, compiled: ChecksCompiler) -> None:
    """Check every rule for itself and against those before it."""
    lets = Lets(info)
    facts = _type_facts(info)
    seen: list[RuleInfo] = []
    for rule in info.rules:
        path = compiled.paths[rule.id]
        if rule.when is not None and possible(lets.expand(rule.when), facts) == FALSE:
            text = f"A rule ({rule.id}) never applies: its guard ({unparse(rule.when)}) is never true."
            context.report((*path, "when"), "vacuous", text)
        elif rule.kind == "shortcut" and rule.when is not None and possible(lets.expand(rule.when), facts) == TRUE:
            text = f"A shortcut ({rule.id}) is always taken; its condition ({unparse(rule.when)}) is never false."
            context.report((*path, "when"), "vacuous", text)
        elif rule.when is not None and possible(lets.expand(rule.when), _after(seen, rule, lets, facts)) == FALSE:
            guard = unparse(rule.when)
            text = (
                f"A rule ({rule.id}) never applies: rules before it refuse every call that its guard ({guard}) is for."
            )
            context.report((*path, "when"), "vacuous", text)
        elif rule.require is not None:
            _check_rule(context, path, rule, lets, facts, seen)
        if rule.outcome == "error" and rule.kind != "shortcut":
            seen.append(rule)


def _after(seen: list[RuleInfo], rule: RuleInfo, lets: Lets, facts: Facts) -> Facts:
    """What holds of every call that reaches a rule: what the rules before it demand without a guard."""
    return facts.assuming(
        lets.expand(earlier.require)
        for earlier in seen
        if earlier.require is not None and earlier.when is None and covers(earlier, rule)
    )


class Lets:
    """The lets of an operator, each with those before it put in."""

    def __init__(self, info: OperatorInfo) -> None:
        """Put in the lets of an operator."""
        self.values: dict[str, Node] = {}
        for let in info.lets:
            self.values[let.name] = replace_names(let.value, self.values)
        self._expanded: dict[Node, Node] = {}

    def expand(self, node: Node) -> Node:
        """A tree with its lets put in."""
        found = self._expanded.get(node)
        if found is None:
            found = self._expanded[node] = replace_names(node, self.values)
        return found


def _type_facts(info: OperatorInfo) -> Facts:
    """What the C types alone say of the parameters."""
    kinds = {param.name: PARAM_TYPES[param.type] for param in info.params}
    ranges = {name: Interval(kind.low, kind.high) for name, kind in kinds.items() if kind.is_integer}
    lists = frozenset(name for name, kind in kinds.items() if kind.predicate in ("ints", "bools", "floats"))
    floats = frozenset(name for name, kind in kinds.items() if kind.predicate in ("float", "floats"))
    return Facts(ranges, frozenset(), lists, floats)


def _check_rule(context: Context, path: Path, rule: RuleInfo, lets: Lets, facts: Facts, seen: list[RuleInfo]) -> None:
    """Whether a rule can fail, alone and after those before it, and whether it can hold."""
    if rule.require is None:
        return
    require = lets.expand(rule.require)
    guards = [] if rule.when is None else [lets.expand(rule.when)]
    where = (*path, "require") if isinstance(context.spec.checks[int(path[1])], Rule) else path
    own = possible(require, facts.assuming(guards))
    if own == TRUE:
        given = " where its guard holds" if possible(require, facts) != TRUE else ""
        text = f"A rule ({rule.id}) never fails: its requirement ({unparse(rule.require)}) is always true{given}."
        context.report(where, "vacuous", text)
    elif own == FALSE and rule.kind == "rule" and rule.when is None and not rule.products:
        text = f"A rule ({rule.id}) fails every call: its requirement ({unparse(rule.require)}) is never true."
        context.report(where, "vacuous", text)
    elif not rule.fails_with:
        _check_repetition(context, where, rule, require, lets, facts.assuming(guards), seen)


def _check_repetition(
    context: Context,
    where: Path,
    rule: RuleInfo,
    require: Node,
    lets: Lets,
    facts: Facts,
    seen: list[RuleInfo],
) -> None:
    """Whether the rules before this one leave it nothing to refuse."""
    guards = set(conjuncts(lets.expand(rule.when))) if rule.when is not None else set()
    before = [earlier for earlier in seen if covers(earlier, rule) and _asked(earlier, guards, lets)]
    everything = facts.assuming(lets.expand(earlier.require) for earlier in before if earlier.require is not None)
    if possible(require, everything) == EITHER and everything.ranges.is_sound:
        return
    for earlier in before:
        if earlier.require is None:
            continue
        facts = facts.assuming([lets.expand(earlier.require)])
        if possible(require, facts) == TRUE:
            text = f"A rule ({rule.id}) never fails first: {earlier.id} and others before it refuse what it would."
            context.report(where, "repeated", text)
            return


def _asked(earlier: RuleInfo, guards: set[Node], lets: Lets) -> bool:
    """Whether an earlier rule applies wherever these guards hold."""
    if earlier.require is None:
        return False
    needed = lets.expand(earlier.when) if earlier.when is not None else None
    return needed is None or needed in guards or set(conjuncts(needed)[1:] or [needed]) <= guards
