"""Mutation coverage: the variants of rules, lets, outputs and precision that calls distinguish from the original.

A call shows a variant of a rule where the rule is reached and the variant decides otherwise; it shows a variant of a
let where another rule decides, another output follows, or the precision differs. It also shows on which side of a bound
it is, which index or divisor is the first that does not exist, and what a rule would refuse where it does not apply.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from aclspec.codegen.compile.lower import Lets
from aclspec.codegen.derive.variants import variants
from aclspec.runtime.language.evaluation import Code, Frame
from aclspec.runtime.language.library import fits_int64
from aclspec.runtime.language.nodes import And, Arith, Compare, IfElse, Index, Int, ListOf, Name, Node, names
from aclspec.runtime.language.nodes import Call as Function
from aclspec.runtime.language.types import Checker
from aclspec.runtime.language.values import UNDEFINED
from aclspec.runtime.rules.operator_info import InferInfo, RuleInfo, types_of
from aclspec.runtime.search.call import Call, key_of
from aclspec.runtime.search.oracle import Check, Kind, Oracle

Feature = tuple[Hashable, ...]
"""The rule or output that a feature belongs to, else ``let`` or ``precision``, and what is shown of it."""
_NOTHING = Index(ListOf(()), Int(0))


class Expression:
    """An expression, its variants, and the indices and divisors in it."""

    def __init__(self, oracle: Oracle, owner: str, node: Node, others: tuple[Node, ...] = ()) -> None:
        """Compile the expression, its variants, with these others, and its edges."""
        self.owner, self.node = owner, node
        self.code = oracle.compiler.code(node)
        self.places = oracle.places(node)
        self.key = key_of(self.places)
        self.seen: dict[Hashable, list[tuple[Hashable, Any]]] = {}
        self.variants = dict(enumerate((*variants(node), *others)))
        self.codes: dict[Hashable, Code] = {at: oracle.compiler.code(one) for at, one in self.variants.items()}
        self.untold = dict(self.codes)
        """The variants that some call has still to show; the others need no value any more."""
        self.bounds = [
            (part, oracle.compiler.code(part.left), oracle.compiler.code(part.right))
            for part in _conjuncts(node)
            if isinstance(part, Compare)
        ]
        self.edges = [(oracle.compiler.code(size), oracle.compiler.code(at)) for size, at in _edges(oracle, node)]

    def differing(self, frame: Frame) -> list[tuple[Hashable, Any]]:
        """The variants still to show that have another value, with this value; memoised."""
        key = self.key(frame.call)
        found = self.seen.get(key)
        if found is None:
            value = self.code(frame)
            values = ((at, _value(code, frame)) for at, code in self.untold.items())
            found = self.seen[key] = [(at, other) for at, other in values if other != value]
        return found

    def at_edges(self, frame: Frame) -> Iterator[Feature]:
        """Each index that is the first out of range, or the last within it, and whether it alone is out of range."""
        defined = self.code(frame) is not UNDEFINED
        places = [(size(frame), index(frame)) for size, index in self.edges]
        beyond = [UNDEFINED in place or not 0 <= place[1] < place[0] for place in places]
        for at, (end, axis) in enumerate(places):
            if UNDEFINED not in (end, axis) and (end - axis in (0, 1) or axis == -1):
                yield self.owner, self.node, "edge", at, min(end - axis, 2), defined, sum(beyond) == beyond[at]


class Coverage:
    """The features of one operator that calls have shown so far."""

    def __init__(self, oracle: Oracle) -> None:
        """Nothing shown."""
        self.oracle = oracle
        self.shown: set[Feature] = set()
        info = oracle.space.info
        self._seen: set[Hashable] = set()
        self._met: set[Call] = set()
        self._conditions = {
            node: Expression(oracle, check.rule.id, node)
            for check in oracle.checks
            for node in (check.rule.when, check.rule.require)
            if node is not None
        }
        self._unseen: dict[Feature, dict[Hashable, Code]] = {
            (check.rule.id, node): dict(self._conditions[node].codes)
            for check in oracle.checks
            for node in (check.rule.when, check.rule.require)
            if node is not None
        }
        """The variants of the conditions of each rule that some call has still to show."""
        self._outputs = [Expression(oracle, item.param, self._followed(item)) for item in info.infer]
        wanted = {item.param: info.param(item.param).required for item in info.infer}
        self._wanted = {name: oracle.compiler.code(node) for name, node in wanted.items() if node is not None}
        self._precision = [(kind, one) for kind in oracle.kinds for one in self._chains(kind)]
        self._lets = {name: Expression(oracle, name, node) for name, node in oracle.space.lets.items()}
        self._users = {name: self._dependents(name) for name in self._lets}

    def _followed(self, item: InferInfo) -> Node:
        """Shape and dtype of an output, undefined where nothing follows."""
        required = self.oracle.space.info.param(item.param).required
        conditions = (*([] if required is None else [required]), *self.oracle.space.info.relied_on(item))
        described: Node = ListOf((item.shape, item.dtype))
        whole = IfElse(And(conditions), described, _NOTHING) if conditions else described
        return Lets(self.oracle.space.info.lets).expand(whole)  # so that each use of a let has variants of its own

    def _chains(self, kind: Kind) -> Iterator[Expression]:
        """The precision tables of the products of a kind, each with its variants by a row of another product."""
        rows = self.oracle.space.info.compute.precision

        def chain(included: list[bool]) -> Node:
            result: Node = _NOTHING
            for row in reversed([row for row, is_in in zip(rows, included, strict=True) if is_in]):
                entries = ListOf(tuple(value for _, value in row.entries))
                result = entries if row.when is None else IfElse(row.when, entries, result)
            return result

        for own in dict.fromkeys(tuple(row.applies_to(target.product) for row in rows) for target in kind.targets):
            foreign = [at for at, is_own in enumerate(own) if not is_own and rows[at].when is not None]
            others = tuple(chain([*own[:at], True, *own[at + 1 :]]) for at in foreign)
            yield Expression(self.oracle, "precision", chain(list(own)), others)

    def _dependents(self, name: str) -> tuple[list[Check], list[Expression], list[tuple[Kind, Expression]]]:
        """The checks, the outputs and the precision tables that depend on a let."""

        def depends(*nodes: Node | None) -> bool:
            parts = (part for node in nodes if node is not None for part in self.oracle.parts(node))
            return any(isinstance(part, Name) and part.id == name for part in parts)

        checks = [check for check in self.oracle.checks if depends(check.rule.when, check.rule.require)]
        return (
            checks,
            [one for one in self._outputs if depends(one.node)],
            [(kind, one) for kind, one in self._precision if depends(one.node)],
        )

    def new(self, call: Call) -> set[Feature]:
        """The features that this call is the first to show; from now on they are shown.

        A call that the rule of the language refuses, since a tensor is too large, shows nothing of the spec.
        """
        if call in self._met:
            return set()
        self._met.add(call)
        if not fits_int64(call):
            return set()
        bits, frame = self.oracle.verdict(call), Frame(call)
        fresh = {one for one in self._features(call, bits, frame) if one not in self.shown}
        self.shown |= fresh
        self._tell(fresh)
        return fresh

    def _tell(self, fresh: set[Feature]) -> None:
        """Drop the variants that these features were the last to show."""
        for feature in fresh:
            if len(feature) == 3:
                self._unseen.get(feature[:2], {}).pop(feature[2], None)
        for expression in (*self._outputs, *(one for _, one in self._precision)):
            for at in [at for at in expression.untold if (expression.owner, expression.node, at) in fresh]:
                del expression.untold[at]
        for name in {feature[2] for feature in fresh if feature[0] == "let"}:
            let = self._lets[str(name)]
            for at in [at for at in let.untold if not any(self._untold_uses(str(name), at))]:
                del let.untold[at]

    def _untold_uses(self, name: str, at: Hashable) -> Iterator[Feature]:
        """The features by which calls may still show a variant of a let."""
        checks, outputs, tables = self._users[name]
        uses: list[Feature] = [("check", name, at)] if checks else []
        uses += [("infer", name, at)] if outputs else []
        uses += [("precision", name, at, table.node) for _, table in tables]
        yield from (("let", *use) for use in uses if ("let", *use) not in self.shown)

    def is_complete(self, rule: RuleInfo) -> bool:
        """Whether every variant of a rule and of the lets in it is shown."""
        return not any(self.missing(rule))

    def shows_guard(self, rule: RuleInfo) -> bool:
        """Whether some call would break a rule if its guard held."""
        return (rule.id, "decides", False, True) in self.shown

    def missing(self, rule: RuleInfo) -> Iterator[tuple[Feature, Node]]:
        """Each variant of a rule and of the lets in it that no call shows, with the condition to show it."""
        nodes = [node for node in (rule.when, rule.require) if node is not None]
        for node in nodes:
            for at, one in self._conditions[node].variants.items():
                if (rule.id, node, at) not in self.shown and self._is_typed(one):
                    yield (rule.id, node, at), Compare("!=", node, one)
        used = {name for node in nodes for part in self.oracle.parts(node) for name in names(part)}
        for name in sorted(used & self._lets.keys()):
            for at, one in self._lets[name].variants.items():
                if ("let", "check", name, at) not in self.shown and self._is_typed(one):
                    yield ("let", "check", name, at), Compare("!=", Name(name), one)

    def _is_typed(self, variant: Node) -> bool:
        """Whether the types of a variant fit: one that subtracts lists has no value that a search could look at."""
        checker = Checker(types_of(self.oracle.space.info))
        checker.check(variant)
        return not any(problem.kind == "type" for problem in checker.problems)

    def shows(self, feature: Feature, rule: RuleInfo, call: Call) -> bool:
        """Whether a call that reaches a rule shows a missing variant."""
        frame = Frame(call)
        if feature[0] == "let":
            _, _, name, at = feature
            frame.lets[name] = value = _value(self._lets[name].codes[at], Frame(call))  # type: ignore[index]
            if value == self._lets[name].code(Frame(call)):  # type: ignore[index]
                return False
            return self._decides_otherwise(self._users[name][0], self.oracle.verdict(call), frame)  # type: ignore[index]
        _, node, at = feature
        for check in self.oracle.checks:
            if check.rule is rule:
                frame.rows = check.rows
                for part, decisive in _deciding(rule, *_decision(check, frame)):
                    expression = self._conditions[part]
                    if part == node and (
                        (_value(expression.codes[at], frame) is decisive) is not (expression.code(frame) is decisive)
                    ):
                        return True
        return False

    def _features(self, call: Call, bits: int, frame: Frame) -> Iterator[Feature]:
        reached = self.oracle.reached_anywhere(bits)
        for number, group in enumerate(self.oracle.groups.values()):
            key = (number, group.key(call), reached & group.mask)
            if key not in self._seen:
                self._seen.add(key)
                for check in group.checks:
                    if check.bit & reached:
                        frame.rows = check.rows
                        yield from self._rule(check, frame)
        if ("elsewhere", bits) not in self._seen:
            self._seen.add(("elsewhere", bits))
            yield from self._elsewhere(bits)
        for output in self._outputs:
            seen = (output.node, output.key(call))
            if seen not in self._seen:
                self._seen.add(seen)
                yield from self._output(output, frame)
        for kind, chain in self._precision:
            if not bits & kind.active:
                yield from (("precision", chain.node, at) for at, _ in chain.differing(frame))
        for name, let in self._lets.items():
            yield from self._let(name, let, call, bits, frame)

    def _rule(self, check: Check, frame: Frame) -> Iterator[Feature]:
        """Variants that decide otherwise, on which side of a bound the call is, and the edges."""
        rule, (applies, fails) = check.rule, _decision(check, frame)
        yield rule.id, "decides", applies, fails
        for node, decisive in _deciding(rule, applies, fails):
            expression = self._conditions[node]
            decides = expression.code(frame) is decisive
            for at, code in self._unseen[rule.id, node].items():
                if (_value(code, frame) is decisive) is not decides:
                    yield rule.id, node, at
            for part, left, right in expression.bounds:
                one, other = left(frame), right(frame)
                if _is_number(one) and _is_number(other) and abs(one - other) <= 1:
                    yield rule.id, part, "bound", one - other
                if _is_number(one) and isinstance(other, tuple) and {one - 1, one, one + 1} & set(other):
                    yield rule.id, part, "member", one
            yield from expression.at_edges(frame)

    def _elsewhere(self, bits: int) -> Iterator[Feature]:
        """The rules that would decide in a kind of target where they do not apply."""
        for number, kind in enumerate(self.oracle.kinds):
            deciding = bits & kind.active
            before = (deciding & -deciding) - 1 if deciding else -1
            elsewhere = bits & ~kind.active & before
            for check in self.oracle.checks if elsewhere else ():
                if check.bit & elsewhere:
                    yield check.rule.id, "elsewhere", kind.targets[0].mode, kind.active & check.bit, number

    def _output(self, output: Expression, frame: Frame) -> Iterator[Feature]:
        """Variants that follow otherwise, which inputs are null where the output is wanted or not, and the edges."""
        nulls = tuple(place for place in output.places if frame.call[place] is None)
        wanted = self._wanted[output.owner](frame) if output.owner in self._wanted else True
        yield output.owner, "null", nulls, output.code(frame) is UNDEFINED, wanted
        yield from ((output.owner, output.node, at) for at, _ in output.differing(frame))
        yield from output.at_edges(frame)

    def _let(self, name: str, let: Expression, call: Call, bits: int, frame: Frame) -> Iterator[Feature]:
        """Variants by which another rule decides, another output follows, or the precision differs."""
        checks, outputs, tables = self._users[name]
        for at, value in let.differing(frame):
            missing = [use for use in ("check", "infer") if ("let", use, name, at) not in self.shown]
            untold = [one for one in tables if ("let", "precision", name, at, one[1].node) not in self.shown]
            if not missing and not untold:
                continue
            changed = Frame(call)
            changed.lets[name] = value
            if "check" in missing and self._decides_otherwise(checks, bits, changed):
                yield "let", "check", name, at
            if "infer" in missing and any(_value(one.code, changed) != one.code(frame) for one in outputs):
                yield "let", "infer", name, at
            for kind, table in untold:
                if not bits & kind.active and table.code(changed) != table.code(frame):
                    yield "let", "precision", name, at, table.node

    def _decides_otherwise(self, checks: list[Check], bits: int, frame: Frame) -> bool:
        """Whether other rules are the first to fail where these are decided in another frame."""
        moved = bits
        for check in checks:
            frame.rows = check.rows
            if (check.when is None or _value(check.when, frame) is True) and (
                check.require is None or _value(check.require, frame) is False
            ):
                moved |= check.bit
            else:
                moved &= ~check.bit
        return any(_lowest(moved & kind.active) != _lowest(bits & kind.active) for kind in self.oracle.kinds)


def _decision(check: Check, frame: Frame) -> tuple[bool, bool]:
    """Whether a rule applies, and whether it would fail."""
    applies = check.when is None or check.when(frame) is True
    return applies, check.require is None or check.require(frame) is False


def _deciding(rule: RuleInfo, applies: bool, fails: bool) -> Iterator[tuple[Node, bool]]:
    """The conditions of a rule whose value matters, and the value by which it refuses."""
    if rule.when is not None and fails:
        yield rule.when, True
    if rule.require is not None and applies:
        yield rule.require, False


def _lowest(bits: int) -> int:
    return bits & -bits


def _value(code: Code, frame: Frame) -> Any:
    """The value of a variant, undefined where its types allow none."""
    try:
        return code(frame)
    except (TypeError, AttributeError):
        return UNDEFINED


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _conjuncts(node: Node) -> tuple[Node, ...]:
    return node.items if isinstance(node, And) else (node,)


def _edges(oracle: Oracle, node: Node) -> Iterator[tuple[Node, Node]]:
    """Each size and index in an expression, where the index may be the first that is not there; and each divisor."""
    for part in dict.fromkeys(oracle.parts(node)):
        match part:
            case Function(func="dim", args=(tensor, at)):
                yield Function("rank", (tensor,)), at
            case Index(base=base, index=at) if part != _NOTHING and not (
                isinstance(base, Function) and base.func == "range"
            ):
                yield Function("len", (base,)), at
            case Arith(op="//" | "%", right=right) | Function(func="ceil_div", args=(_, right)):
                yield right, Int(0)
            case _:
                continue
