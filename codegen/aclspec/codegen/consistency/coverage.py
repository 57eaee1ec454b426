"""Every fact of the parameter table is carried by a check, and every rule that is named exists."""

from __future__ import annotations

from aclspec.codegen.compile.checks import ChecksCompiler
from aclspec.codegen.compile.context import Context, Path, kebab
from aclspec.codegen.compile.params import has_fact
from aclspec.codegen.findings import did_you_mean, listing
from aclspec.codegen.spec.checks import TABLE_KINDS
from aclspec.runtime.info import Mode, OperatorInfo, RuleInfo

_KEYS = {
    "null": "name",
    "format": "formats",
    "contiguous": "noncontiguous",
    "length": "lengths",
    "value": "values",
}


def check_coverage(context: Context, info: OperatorInfo, compiled: ChecksCompiler) -> None:
    """Check the facts, the rules that carry them, and the joint dtype checks."""
    carried = {(kind, name) for kind, name, _, _ in compiled.carried}
    for index, param in enumerate(context.spec.params):
        for kind in TABLE_KINDS:
            if has_fact(param, kind, compiled.columns) and (kind, param.name) not in carried:
                key = _KEYS.get(kind, kind)
                path: Path = ("params", index, key if key in param.model_fields_set else "name")
                entry = f"{{{kind}: [{param.name}]}}"
                text = f"No check carries {fact(kind, param.name)}; expected an entry ({entry}) under checks."
                context.report(path, "no-check", text)
    for kind, name, rule_id, path in compiled.carried:
        _check_by(context, info, compiled, (kind, name, rule_id, path))
    for rule in info.rules:
        _check_fails_with(context, info, compiled, rule)
        if rule.kind == "dtypes":
            _check_joint(context, info, compiled, rule)
    _check_notes(context, [*compiled.paths, *compiled.attempted])


def fact(kind: str, name: str) -> str:
    """A fact of the parameter table, as a noun."""
    claims = {"null": "not null", "empty": "not empty", "contiguous": "contiguous"}
    return f"that {name} is {claims[kind]}" if kind in claims else f"the {kind} of {name}"


def _check_by(
    context: Context, info: OperatorInfo, compiled: ChecksCompiler, carried: tuple[str, str, str, Path]
) -> None:
    """The rule that carries a fact exists and speaks of the parameter."""
    kind, name, rule_id, path = carried
    where = (*path[:2], "by")
    rule = next((rule for rule in info.rules if rule.id == rule_id), None)
    if rule is None and rule_id in compiled.attempted:
        return
    if rule is None:
        hint = did_you_mean(rule_id, compiled.paths)
        text = f"A rule ({rule_id}) that carries {fact(kind, name)} does not exist{hint}"
        context.report(where, "unknown-rule", text)
    elif name not in rule.params:
        text = f"A rule ({rule_id}) carries {fact(kind, name)} but does not speak of that parameter."
        context.report(where, "unknown-rule", text)


def _check_fails_with(context: Context, info: OperatorInfo, compiled: ChecksCompiler, rule: RuleInfo) -> None:
    """The rules without which this one cannot fail exist, and are others."""
    path = compiled.paths[rule.id]
    for position, other in enumerate(rule.fails_with):
        where = (*path, "fails_with", position)
        if other == rule.id:
            context.report(where, "unknown-rule", f"A rule ({other}) names itself under fails_with.")
        elif other not in compiled.paths and other not in compiled.attempted:
            hint = did_you_mean(other, compiled.paths)
            context.report(where, "unknown-rule", f"A rule ({other}) under fails_with does not exist{hint}")
        elif other in compiled.paths and not shares(info.rule(other), rule):
            text = f"A rule ({other}) under fails_with never runs where this one does, in no mode or on no product."
            context.report(where, "unknown-rule", text)


def shares(left: RuleInfo, right: RuleInfo) -> bool:
    """Whether two rules run together in some mode on some product."""
    modes = set(dict(left.status)) & set(dict(right.status))
    products = not left.products or not right.products or set(left.products) & set(right.products)
    return bool(modes) and bool(products)


def covers(left: RuleInfo, right: RuleInfo, mode: Mode | None = None) -> bool:
    """Whether the left rule runs wherever the right one does (in one mode, or in all of the right one's)."""
    wanted = set(dict(right.status)) if mode is None else {mode}
    products = not left.products or (bool(right.products) and set(right.products) <= set(left.products))
    return wanted <= set(dict(left.status)) and products


def _check_joint(context: Context, info: OperatorInfo, compiled: ChecksCompiler, rule: RuleInfo) -> None:
    """A joint dtype check says nothing of a dtype that no row has: its own check must, wherever the joint one runs."""
    path = compiled.paths[rule.id]
    by = {name: rule_id for kind, name, rule_id, _ in compiled.carried if kind == "dtype"}
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
    """Notes have ids of their own and name rules that exist, be it with mistakes."""
    for group in ("notes", "formula"):
        seen: dict[str, int] = {}
        for index, entry in enumerate(getattr(context.spec, group)):
            if seen.setdefault(entry.id, index) != index:
                text = f"An id ({entry.id}) stands twice under {group}."
                context.report((group, index, "id"), "duplicate-id", text)
    for index, note in enumerate(context.spec.notes):
        for position, rule_id in enumerate(note.rules):
            if rule_id not in known:
                text = f"A note names a rule ({rule_id}) that does not exist{did_you_mean(rule_id, known)}"
                context.report(("notes", index, "rules", position), "unknown-rule", text)
