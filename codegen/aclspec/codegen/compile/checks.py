"""The check list, every kind of check lowered to `when` and `require`."""

from __future__ import annotations

from aclspec.codegen.compile.context import (
    INVALID,
    NULLPTR,
    SUCCESS,
    Context,
    Path,
    in_order,
    kebab,
    known_products,
    statuses,
    text,
)
from aclspec.codegen.compile.lower import conjunction, joint, requirement, subjects, substitute
from aclspec.codegen.compile.params import columns, has_fact
from aclspec.codegen.source.findings import did_you_mean
from aclspec.codegen.spec.checks import (
    Check,
    FailingCheck,
    JointCheck,
    ProductCheck,
    Rule,
    Shortcut,
    TableCheck,
)
from aclspec.runtime.language.nodes import Node
from aclspec.runtime.rules.dtype_table import refuse_nothing
from aclspec.runtime.rules.operator_info import FITS_INT64, MODES, ParamInfo, RowInfo, RuleInfo

_NAMED = ("rule", "shortcut")
"""The kinds of rules whose ids the spec states."""


class ChecksCompiler:
    """Compiles the entries of ``checks`` in their order; ``paths`` remembers the entry of each rule."""

    def __init__(self, context: Context, params: tuple[ParamInfo, ...], rows: tuple[RowInfo, ...]) -> None:
        """Prepare for one operator."""
        self.rows = rows
        self.context = context
        self.params = {param.name: param for param in reversed(params)}
        self.columns = columns(context)
        self.rules: list[RuleInfo] = []
        self.paths: dict[str, Path] = {}
        self.covered: list[tuple[str, str, str, Path]] = []
        """Facts of the table that a rule covers: kind, parameter, rule, place."""
        self.attempted: set[str] = set()
        """Ids of rules with errors of their own: a reference to them is no error."""

    def compile(self) -> tuple[RuleInfo, ...]:
        """All rules, in the order of the checks."""
        for index, check in enumerate(self.context.spec.checks):
            path: Path = ("checks", index)
            match check:
                case ProductCheck():
                    self._product(path, check)
                case TableCheck():
                    self._table(path, check)
                case JointCheck():
                    self._joint(path, check)
                case Rule():
                    self._rule(path, check)
                case Shortcut():
                    self._shortcut(path, check)
        return tuple(self.rules)

    def _add(self, path: Path, rule: RuleInfo, id_path: Path) -> None:
        """Append a rule, unless its id is taken."""
        if rule.id == FITS_INT64.id:
            text_ = f"A rule ({rule.id}) has the id of the rule of the language; expected another id."
            self.context.report(id_path, "duplicate-id", text_)
        if rule.id in self.paths:
            first = next(one for one in self.rules if one.id == rule.id)
            text_ = f"is declared twice; the first is on line {self.context.at(self.paths[rule.id]).line}."
            if first.kind not in _NAMED and rule.kind in _NAMED:  # that may stand in no line of its own
                text_ = f"has the id of the check of {first.kind}; expected another id."
            self.context.report(id_path, "duplicate-id", f"A rule ({rule.id}) {text_}")
            return
        self.paths[rule.id] = path
        self.rules.append(rule)

    def _product(self, path: Path, check: ProductCheck) -> None:
        status = statuses(self.context, path, check, check.status, INVALID)
        rule = RuleInfo("product", "product", (), status, clauses=check.clauses, doc=text(check.doc))
        self._add(path, rule, (*path, "product"))

    def _table(self, path: Path, check: TableCheck) -> None:
        for name in self._targets(path, check):
            where = self._target_path(path, check, name)
            if check.by is not None:
                self.covered.append((check.kind, name, check.by.replace("{it}", kebab(name)), where))
                continue
            rule_id = (check.id or f"{check.kind}-{{it}}").replace("{it}", kebab(name))
            require = requirement(check.kind, self.params[name], self.context.scope)
            guard = self.params[name].required if check.kind == "null" else self.params[name].checked
            default = NULLPTR if check.kind == "null" else INVALID
            rule = self._failing(path, check, rule_id, (name,), require, guard, default, name)
            self._add(path, rule, (*path, "id") if check.id else where)
            self.covered.append((check.kind, name, rule_id, where))

    def _target_path(self, path: Path, check: Check, name: str) -> Path:
        names = getattr(check, check.kind)
        return (*path, check.kind) if names == "all" else (*path, check.kind, names.index(name))

    def _targets(self, path: Path, check: TableCheck | JointCheck) -> tuple[str, ...]:
        """The parameters of an entry, those that do not fit reported and left out."""
        names = getattr(check, check.kind)
        kind = "dtype" if isinstance(check, JointCheck) else check.kind
        fitting = [name for name, param in self.context.params.items() if has_fact(param, kind, self.columns)]
        if names == "all":
            if not fitting:
                self.context.report((*path, check.kind), "no-fact", f"No parameter has what a check ({kind}) is about.")
            elsewhere = set() if isinstance(check, JointCheck) else self._named_elsewhere(check.kind)
            return tuple(name for name in fitting if name not in elsewhere)
        good = []
        for index, name in enumerate(names):
            if self._known_param((*path, check.kind, index), name):
                if name in fitting:
                    good.append(name)
                else:
                    self._no_fact((*path, check.kind, index), kind, name)
        return tuple(dict.fromkeys(good))

    def _named_elsewhere(self, kind: str) -> set[str]:
        """The parameters that a check of this kind names under its usual id: ``all`` leaves them to it."""
        checks = [one for one in self.context.spec.checks if isinstance(one, TableCheck) and one.kind == kind]
        return {name for one in checks if one.id is None and one.targets != "all" for name in one.targets}

    def _no_fact(self, path: Path, kind: str, name: str) -> None:
        why = {
            "null": "it is optional or no pointer",
            "dtype": "no dtype row has a cell for it",
            "format": "it states no formats",
            "rank": "it is no tensor",
            "empty": "it may be empty",
            "contiguous": "it may be non-contiguous",
            "length": "it states no lengths",
            "value": "it states no values",
        }[kind]
        self.context.report(
            path, "no-fact", f"A check ({kind}) names a parameter ({name}) that it says nothing of: {why}."
        )

    def _known_param(self, path: Path, name: str) -> bool:
        if name in self.params:
            return True
        hint = did_you_mean(name, self.params)
        self.context.report(path, "unknown-param", f"A check names a parameter ({name}) that does not exist{hint}")
        return False

    def _joint(self, path: Path, check: JointCheck) -> None:
        names = self._targets(path, check)
        if len(names) < 2:
            text_ = f"A joint dtype check names {len(names)} parameter{'s' * (len(names) != 1)}; expected two or more."
            self.context.report((*path, "dtypes"), "no-fact", text_)
            return
        if not self._is_refused(names):
            return
        rule = self._failing(path, check, check.id, names, joint(names), None, INVALID, None)
        self._add(path, rule, (*path, "id") if "id" in check.model_fields_set else (*path, "dtypes"))

    def _is_refused(self, names: tuple[str, ...]) -> bool:
        """Whether the rows refuse some dtypes together that they allow one by one, on some product and in some mode."""
        places = {(product, mode) for row in self.rows for product in row.products for mode in row.modes}
        for product, mode in places:
            rows = [row.table for row in self.rows if product in row.products and mode in row.modes]
            if not refuse_nothing(rows, [name for name in names if any(name in row for row in rows)]):
                return True
        return False

    def _rule(self, path: Path, check: Rule) -> None:
        if check.each is None and "{it}" in check.id:
            self.context.report((*path, "id"), "each", "An id holds {it} but the rule has no each.")
        if check.each is not None and "{it}" not in check.id:
            self.context.report((*path, "id"), "each", f"A rule with each needs {{it}} in its id ({check.id}).")
        self.attempted |= {check.id.replace("{it}", kebab(name)) for name in check.each or ("",)}
        node = self.context.parse((*path, "require"), check.require)
        if node is None:
            return
        for index, name in enumerate(check.each or (None,)):
            if name is not None and not self._known_param((*path, "each", index), name):
                continue
            scope = self._scope(name)
            if self.context.check(node, "bool", "The requirement", scope):
                bound = substitute(node, name)
                rule_id = check.id.replace("{it}", kebab(name)) if name else check.id
                params = subjects(bound, self.context, first=name)
                rule = self._failing(path, check, rule_id, params, bound, self._checked(bound), INVALID, name)
                self._add(path, rule, (*path, "id"))

    def _checked(self, require: Node) -> Node | None:
        """When the parameters whose facts a requirement uses are looked at at all."""
        used = subjects(require, self.context, skip_null_tests=True)
        return conjunction(*dict.fromkeys(self.params[name].checked for name in used))

    def _scope(self, name: str | None) -> dict[str, str]:
        """The scope of a rule: ``it`` has the type of the element of ``each``."""
        return self.context.scope if name is None else {**self.context.scope, "it": self.context.scope[name]}

    def _failing(
        self,
        path: Path,
        check: FailingCheck,
        rule_id: str,
        params: tuple[str, ...],
        require: Node,
        guard: Node | None,
        default: str,
        name: str | None,
    ) -> RuleInfo:
        when = self.context.expression((*path, "when"), check.when, "bool", "The guard", self._scope(name))
        bound = substitute(when, name) if when is not None else None
        return RuleInfo(
            id=rule_id,
            kind=check.kind,
            params=params if bound is None else tuple(dict.fromkeys((*params, *subjects(bound, self.context)))),
            status=statuses(self.context, path, check, check.status, default),
            require=require,
            when=conjunction(guard, bound),
            products=self._products((*path, "products"), check.products),
            outcome=check.outcome if isinstance(check, Rule) else "error",
            clauses=tuple(clause.replace("{it}", name) if name else clause for clause in check.clauses),
            doc=text(check.doc),
        )

    def _shortcut(self, path: Path, check: Shortcut) -> None:
        self.attempted.add(check.shortcut)
        when = self.context.expression((*path, "when"), check.when, "bool", "The condition")
        if when is None:
            return
        rule = RuleInfo(
            id=check.shortcut,
            kind="shortcut",
            params=subjects(when, self.context),
            status=tuple((mode, SUCCESS) for mode in MODES if mode in check.enforced_by),
            when=when,
            products=self._products((*path, "products"), check.products),
            effect=check.outputs,
            clauses=check.clauses,
            doc=text(check.doc),
        )
        self._add(path, rule, (*path, "shortcut"))

    def _products(self, path: Path, products: tuple[str, ...] | None) -> tuple[str, ...]:
        known_products(self.context, path, products or ())
        return in_order(products or (), self.context.product_keys)
