"""Every fact of the parameter table is covered by a check, and every rule can hold, fail and run first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import NamedTuple

from aclspec.codegen.analysis.bounds import Bounds
from aclspec.codegen.analysis.facts import EITHER, FALSE, TRUE, Facts, possible
from aclspec.codegen.analysis.sums import linear
from aclspec.codegen.analysis.terms import conjuncts
from aclspec.codegen.compile.checks import ChecksCompiler
from aclspec.codegen.compile.context import Context, Path, kebab
from aclspec.codegen.compile.lower import Lets, replace_names
from aclspec.codegen.compile.params import has_fact
from aclspec.codegen.source.findings import did_you_mean, listing
from aclspec.codegen.spec.checks import TABLE_KINDS, Rule
from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.language.nodes import (
    And,
    Call,
    Compare,
    Each,
    InRows,
    Name,
    Node,
    Quantifier,
    Symbol,
    children,
    names,
)
from aclspec.runtime.language.unparse import unparse
from aclspec.runtime.rules.operator_info import Mode, OperatorInfo, RuleInfo

_KEYS = {
    "null": "name",
    "format": "formats",
    "contiguous": "noncontiguous",
    "length": "lengths",
    "value": "values",
}


def check_coverage(context: Context, info: OperatorInfo, compiled: ChecksCompiler) -> None:
    """Check the facts, the rules that cover them, and the joint dtype checks."""
    covered = {(kind, name) for kind, name, _, _ in compiled.covered}
    for index, param in enumerate(context.spec.params):
        for kind in TABLE_KINDS:
            if has_fact(param, kind, compiled.columns) and (kind, param.name) not in covered:
                key = _KEYS.get(kind, kind)
                path: Path = ("params", index, key if key in param.model_fields_set else "name")
                entry = f"{{{kind}: [{param.name}]}}"
                text = f"No check covers {fact(kind, param.name)}; expected an entry ({entry}) under checks."
                context.report(path, "no-check", text)
    for kind, name, rule_id, path in compiled.covered:
        _check_by(context, info, compiled, (kind, name, rule_id, path))
    for rule in info.rules:
        if rule.kind == "dtypes":
            _check_joint(context, info, compiled, rule)
    _check_notes(context, [*compiled.paths, *compiled.attempted])


def fact(kind: str, name: str) -> str:
    """A fact of the parameter table, as a noun."""
    claims = {"null": "not null", "empty": "not empty", "contiguous": "contiguous"}
    return f"that {name} is {claims[kind]}" if kind in claims else f"the {kind} of {name}"


def _check_by(
    context: Context, info: OperatorInfo, compiled: ChecksCompiler, covered: tuple[str, str, str, Path]
) -> None:
    """The rule that covers a fact exists and speaks of the parameter."""
    kind, name, rule_id, path = covered
    where = (*path[:2], "by")
    rule = next((rule for rule in info.rules if rule.id == rule_id), None)
    if rule is None and rule_id in compiled.attempted:
        return
    if rule is None:
        hint = did_you_mean(rule_id, compiled.paths)
        text = f"A rule ({rule_id}) that covers {fact(kind, name)} does not exist{hint}"
        context.report(where, "unknown-rule", text)
    elif name not in rule.params:
        text = f"A rule ({rule_id}) covers {fact(kind, name)} but does not speak of that parameter."
        context.report(where, "unknown-rule", text)


def covers(left: RuleInfo, right: RuleInfo, mode: Mode | None = None) -> bool:
    """Whether the left rule runs wherever the right one does (in one mode, or in all of the right one's)."""
    wanted = set(dict(right.status)) if mode is None else {mode}
    products = not left.products or (bool(right.products) and set(right.products) <= set(left.products))
    return wanted <= set(dict(left.status)) and products


def _check_joint(context: Context, info: OperatorInfo, compiled: ChecksCompiler, rule: RuleInfo) -> None:
    """A joint dtype check says nothing of a dtype that no row has: its own check must, wherever the joint one runs."""
    path = compiled.paths[rule.id]
    by = {name: rule_id for kind, name, rule_id, _ in compiled.covered if kind == "dtype"}
    names = context.spec.checks[int(path[1])].dtypes  # type: ignore[union-attr]
    for name in rule.params:
        own = [other for other in info.rules if other.id in (by.get(name), f"dtype-{kebab(name)}")]
        lacking = [mode for mode, _ in rule.status if not any(covers(other, rule, mode) for other in own)]
        if own and lacking:
            where: Path = (*path, "dtypes") if names == "all" else (*path, "dtypes", names.index(name))
            modes = listing(lacking)
            text = f"The joint dtype check runs in {modes} mode, where the dtype of {name} has no check of its own."
            context.report(where, "no-check", text)


def _check_notes(context: Context, known: list[str]) -> None:
    """Notes and caveats have ids of their own and name rules that exist, be it with mistakes."""
    for group in ("notes", "formula", "unjudged", "kernels", "versions"):
        seen: dict[str, int] = {}
        for index, entry in enumerate(getattr(context.spec, group)):
            if seen.setdefault(entry.id, index) != index:
                text = f"An id ({entry.id}) stands twice under {group}."
                context.report((group, index, "id"), "duplicate-id", text)
    named = {
        ("notes", "A note"): [note.rules for note in context.spec.notes],
        ("unjudged", "An entry of unjudged"): [entry.rules for entry in context.spec.unjudged],
        ("kernels", "An entry of kernels"): [entry.rules for entry in context.spec.kernels],
        ("versions", "An entry of versions"): [entry.rules for entry in context.spec.versions],
    }
    for (group, noun), lists in named.items():
        for index, rules in enumerate(lists):
            for position, rule_id in enumerate(rules):
                if rule_id not in known:
                    text = f"{noun} names a rule ({rule_id}) that does not exist{did_you_mean(rule_id, known)}"
                    context.report((group, index, "rules", position), "unknown-rule", text)


def check_dtypes(context: Context, info: OperatorInfo) -> None:
    """Some rule is about the dtype of every tensor that a call must have."""
    lets = Lets(info.lets)
    asked = {name for rule in info.rules if rule.require for name in _typed(lets.expand(rule.require))}
    for index, param in enumerate(context.spec.params):
        is_tensor = PARAM_TYPES[param.type].predicate in ("tensor", "tensors")
        if is_tensor and not param.optional and param.name not in asked:
            text = (
                f"No dtype row and no rule limits the dtype of a tensor ({param.name}); expected it in the dtype rows."
            )
            context.report(("params", index, "name"), "any-dtype", text, severity="warning")


def _typed(node: Node) -> set[str]:
    """The names in a tree whose dtype it asks for; the elements of a list count as the list."""
    match node:
        case InRows(params=params):
            return set(params)
        case Call(func="dtype" | "promote" | "promotable"):
            return set(names(node))
        case Quantifier(var=var, over=over, body=body) | Each(var=var, over=over, body=body):
            return _typed(over) | _typed(replace_names(body, {var: over}))
    return set().union(*map(_typed, children(node)))


class _Problem(NamedTuple):
    """What is wrong with a rule: with its guard or with its requirement."""

    part: str
    kind: str
    text: str


def check_rules(context: Context, info: OperatorInfo, compiled: ChecksCompiler) -> None:
    """Check every rule for itself and against those before it."""
    lets, facts = Lets(info.lets), type_facts(info)
    seen: list[RuleInfo] = []
    for rule in info.rules:
        before = [earlier for earlier in seen if covers(earlier, rule)]
        problems = [*_never(rule, lets, facts, before)] or [*_always(rule, lets, facts)]
        for part, kind, text in problems:
            path = compiled.paths[rule.id]
            stands = part == "when" or isinstance(context.spec.checks[int(path[1])], Rule)
            context.report((*path, part) if stands else path, kind, text)
        if _refuses(rule):
            seen.append(rule)


def refuted(info: OperatorInfo, rule: RuleInfo, product: str, mode: Mode) -> str | None:
    """Why no call fails a rule first in one mode on one product, as a sentence; None where that is not proved."""
    lets, facts = Lets(info.lets), type_facts(info)
    rows = [dict(row.cells) for row in info.rows if product in row.products and mode in row.modes]
    before = [
        _with_dtypes(earlier, rows)
        for earlier in takewhile(lambda one: one is not rule, info.rules)
        if _refuses(earlier) and mode in dict(earlier.status) and product in (earlier.products or (product,))
    ]
    return next((problem.text for problem in _never(rule, lets, facts, before)), None)


def _refuses(rule: RuleInfo) -> bool:
    return rule.outcome == "error" and rule.kind != "shortcut"


def _with_dtypes(rule: RuleInfo, rows: Sequence[dict[str, tuple[str, ...]]]) -> RuleInfo:
    """The rule; the check of one parameter's dtype says which dtypes no row gives it."""
    if not isinstance(rule.require, InRows) or len(rule.require.params) > 1 or not rows:
        return rule
    (name,) = rule.require.params
    legal = {dtype for row in rows for dtype in row.get(name, DType.__members__)}
    dtype = Call("dtype", (Name(name),))
    illegal = (one for one in DType.__members__ if one not in legal)
    return replace(rule, require=And(tuple(Compare("!=", dtype, Symbol("dtype", one)) for one in illegal)))


def type_facts(info: OperatorInfo) -> Facts:
    """What the C types alone say of the parameters."""
    kinds = {param.name: PARAM_TYPES[param.type] for param in info.params}
    bounds = {linear(Name(name)).key: (kind.low, kind.high) for name, kind in kinds.items() if kind.is_integer}
    lists = frozenset(name for name, kind in kinds.items() if kind.predicate in ("ints", "bools", "floats"))
    floats = frozenset(name for name, kind in kinds.items() if kind.predicate in ("float", "floats"))
    return Facts(Bounds(bounds), lists, floats)


def _always(rule: RuleInfo, lets: Lets, facts: Facts) -> Iterator[_Problem]:
    """Whether a rule fails every call."""
    everywhere = rule.kind == "rule" and rule.when is None and not rule.products
    if everywhere and rule.require is not None and possible(lets.expand(rule.require), facts) == FALSE:
        text = f"A rule ({rule.id}) fails every call: its requirement ({unparse(rule.require)}) is never true."
        yield _Problem("require", "vacuous", text)


def _never(rule: RuleInfo, lets: Lets, facts: Facts, before: Sequence[RuleInfo]) -> Iterator[_Problem]:
    """Whether a rule never applies or never fails, by itself or after the rules before it; sound, but not complete."""
    if rule.when is not None and (problem := _idle(rule, rule.when, lets, facts, before)) is not None:
        yield problem
    elif rule.require is not None:
        require, guards = lets.expand(rule.require), [] if rule.when is None else [lets.expand(rule.when)]
        if possible(require, facts.assuming(guards)) == TRUE:
            given = " where its guard holds" if possible(require, facts) != TRUE else ""
            text = f"A rule ({rule.id}) never fails: its requirement ({unparse(rule.require)}) is always true{given}."
            yield _Problem("require", "vacuous", text)
        else:
            yield from _repeated(rule, require, lets, facts.assuming(guards), before)


def _idle(rule: RuleInfo, when: Node, lets: Lets, facts: Facts, before: Sequence[RuleInfo]) -> _Problem | None:
    """Whether the guard of a rule is never true, of a call that reaches it; or that of a shortcut always."""
    guard = possible(lets.expand(when), facts)
    after = facts.assuming(lets.expand(one.require) for one in before if one.require is not None and one.when is None)
    if guard == FALSE:
        text = f"A rule ({rule.id}) never applies: its guard ({unparse(when)}) is never true."
    elif guard == TRUE and rule.kind == "shortcut":
        text = f"A shortcut ({rule.id}) is always taken; its condition ({unparse(when)}) is never false."
    elif possible(lets.expand(when), after) == FALSE:
        guarded = f"its guard ({unparse(when)}) is for"
        text = f"A rule ({rule.id}) never applies: rules before it refuse every call that {guarded}."
    else:
        return None
    return _Problem("when", "vacuous", text)


def _repeated(
    rule: RuleInfo, require: Node, lets: Lets, facts: Facts, before: Sequence[RuleInfo]
) -> Iterator[_Problem]:
    """Whether the rules before this one leave it nothing to refuse."""
    guards = set(conjuncts(lets.expand(rule.when))) if rule.when is not None else set()
    asked = {one.id: lets.expand(one.require) for one in before if one.require and _asked(one, guards, lets)}
    everything = facts.assuming(asked.values())
    if possible(require, everything) == EITHER and everything.bounds.is_sound:
        return
    for earlier, required in asked.items():
        facts = facts.assuming([required])
        if possible(require, facts) == TRUE:
            text = f"A rule ({rule.id}) never fails first: {earlier} and others before it refuse what it would."
            yield _Problem("require", "repeated", text)
            return


def _asked(earlier: RuleInfo, guards: set[Node], lets: Lets) -> bool:
    """Whether an earlier rule applies wherever these guards hold."""
    needed = lets.expand(earlier.when) if earlier.when is not None else None
    return needed is None or needed in guards or set(conjuncts(needed)[1:] or [needed]) <= guards
