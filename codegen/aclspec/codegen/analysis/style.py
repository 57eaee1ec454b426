"""What is legal in a spec but not good: warnings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from math import prod
from pathlib import Path

from aclspec.codegen.compile.context import Context
from aclspec.codegen.compile.context import Path as Place
from aclspec.codegen.source.findings import START, Finding, display_path
from aclspec.codegen.source.naming import Name
from aclspec.codegen.source.yaml_tree import Key, Mapping, Scalar, Sequence, Tree
from aclspec.codegen.spec.checks import Check, FailingCheck, NullCheck, ProductCheck
from aclspec.runtime.language.nodes import Node, names
from aclspec.runtime.rules.operator_info import OperatorInfo, TensorValue
from aclspec.runtime.testing.formula import FormulaError, parse_formula

_CJK = "\u4e00-\u9fff\u3000-\u303f\uff00-\uffef"
_ASCII_MARK = re.compile(rf"(?<=[{_CJK}])[,;:!?]|[,;:!?](?=[{_CJK}])")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
"""A brace, or a backslash with what it escapes."""
_NULL = "ACLNN_ERR_PARAM_NULLPTR"
_FULL_WIDTH = dict(zip(",;:!?", "，；：！？", strict=True))


def check_style(context: Context, info: OperatorInfo) -> None:
    """Report what is legal but not good in one operator."""
    _check_file(context)
    _check_lets(context, info)
    _check_formulas(context)
    _check_order(context)
    if not context.spec.examples and info.facts.has_rules:
        context.report(("op",), "style", "The operator has no example.", severity="warning")
    if info.facts.has_kernel and _is_plain(info):
        text = "Each input of the examples holds 0 and 1 or one number alone; a swapped axis would go unnoticed."
        context.report(("examples",), "style", text, key=True, severity="warning")
    if context.source.tree is not None:
        for path, scalar in _chinese(context.source.tree, ()):
            _check_chinese(context, path, scalar)


def _is_plain(info: OperatorInfo) -> bool:
    """Whether each input of several elements holds 0 and 1 alone, or one number; not where all are written in place."""
    if not any(param.direction == "in" and param.type.startswith("tensor") for param in info.params):
        return False
    given = [value for example in info.examples for _, value in example.inputs]
    lists = [value if isinstance(value, tuple) else (value,) for value in given]
    tensors = [one for value in lists for one in value if isinstance(one, TensorValue) and one.dtype != "BOOL"]
    several = [set(one.values) for one in tensors if prod(one.shape) > 1]
    return bool(several) and all(len(one) == 1 or one <= {0, 1} for one in several)


def _check_file(context: Context) -> None:
    """The file stands where its category and its name say."""
    path, spec = context.source.path, context.spec
    expected = f"{Name(spec.op).snake}.yaml"
    if path.name != expected:
        text = f"The file of {spec.op} is called {path.name}; expected {expected}."
        context.report(("op",), "style", text, severity="warning")
    if path.parent.name != spec.category:
        text = f"The file of the category ({spec.category}) stands in a folder ({path.parent.name}) of another name."
        context.report(("category",), "style", text, severity="warning")


def _check_lets(context: Context, info: OperatorInfo) -> None:
    """Every let is used."""
    trees: list[Node | None] = [node for rule in info.rules for node in (rule.require, rule.when)]
    trees += [let.value for let in info.lets]
    trees += [caveat.when for caveat in info.caveats]
    trees += [node for entry in info.infer for node in (entry.shape, entry.dtype, entry.format)]
    trees += [node for row in info.compute.precision for node in (row.when, *(node for _, node in row.entries))]
    trees += [node for entry in info.compute.tolerance for node in (entry.terms, entry.unit)]
    trees += [node for param in info.params for node in (param.required, param.checked)]
    trees += [node for param in info.params for _, node in param.elements]
    used = {name for tree in trees if tree is not None for name in names(tree)} | _named_by_reference(info)
    for name in context.spec.let:
        if name not in used:
            context.report(("let", name), "style", f"A let ({name}) is never used.", key=True, severity="warning")


def _named_by_reference(info: OperatorInfo) -> set[str]:
    """The names in the formulas of the reference; one that does not parse is a finding already."""
    found: set[str] = set()
    reference = info.compute.reference
    for _, text in () if reference is None else (*reference.arguments, *reference.outputs):
        with suppress(FormulaError):
            found |= parse_formula(text).names
    return found


def _check_formulas(context: Context) -> None:
    """The braces of LaTeX pair, without which a page shows its source."""
    for index, formula in enumerate(context.spec.formula):
        depth = 0
        for brace in _BRACE.findall(formula.latex):
            depth += {"{": 1, "}": -1}.get(brace, 0)
            if depth < 0:
                break
        if depth:
            text = f"The braces of a formula ({formula.id}) do not pair."
            context.report(("formula", index, "latex"), "style", text, severity="warning")


def _check_order(context: Context) -> None:
    """Null checks come before all others, as in the library: the first failure decides the status."""
    other = False
    for index, check in enumerate(context.spec.checks):
        if isinstance(check, NullCheck) and other:
            text = "A null check comes after a check of another kind; the library does its null checks first."
            context.report(("checks", index), "style", text, severity="warning")
        other = other or not (isinstance(check, NullCheck | ProductCheck) or _reports_null(check))


def _reports_null(check: Check) -> bool:
    """Whether a check of another kind has the status of a null check, in some mode."""
    status = check.status if isinstance(check, FailingCheck) else None
    return _NULL in (status.values() if isinstance(status, dict) else (status,))


def _chinese(tree: Tree, path: Place) -> Iterator[tuple[Place, Scalar]]:
    """Every text under a key ``zh``."""
    if isinstance(tree, Mapping):
        for key, value in tree.values.items():
            if key == "zh" and isinstance(value, Scalar):
                yield (*path, key), value
            yield from _chinese(value, (*path, key))
    elif isinstance(tree, Sequence):
        for index, item in enumerate(tree.items):
            step: Key = index
            yield from _chinese(item, (*path, step))


def _check_chinese(context: Context, path: Place, scalar: Scalar) -> None:
    match = _ASCII_MARK.search(str(scalar.value))
    if match is not None:
        mark = match.group()
        text = f"A Chinese text has an ASCII mark ({mark}) beside a character; expected {_FULL_WIDTH[mark]}."
        context.report(path, "style", text, severity="warning")


def check_directory(root: Path) -> list[Finding]:
    """Files that look like specs but are none."""
    text = "The file ends in .yml and is not read; expected .yaml."
    return [Finding(display_path(file), START, "style", text, "warning") for file in sorted(root.rglob("*.yml"))]
