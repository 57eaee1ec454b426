"""The operators known by signature alone: ``specs/signatures.yaml``, compiled like specs that declare."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from aclspec.codegen.analysis.consistency import check_operator
from aclspec.codegen.compile.context import Context
from aclspec.codegen.compile.operator import compile_operator
from aclspec.codegen.source.findings import Finding
from aclspec.codegen.source.folders import SIGNATURES, find_specs
from aclspec.codegen.source.naming import Name
from aclspec.codegen.source.tree_edit import put, word
from aclspec.codegen.source.yaml_tree import Mapping, Scalar, Source, read
from aclspec.codegen.spec.operator import OperatorSpec
from aclspec.codegen.spec.project import Operator, Project
from aclspec.codegen.spec.shorthand import expand_operator
from aclspec.codegen.spec.signatures import Signature, SignaturesFile
from aclspec.codegen.spec.validation import validate
from aclspec.runtime.rules.operator_info import OperatorInfo

CATEGORY = "declared"


def read_signatures(
    root: Path, tables: Project, specified: Collection[str]
) -> tuple[tuple[OperatorInfo, ...], list[Finding]]:
    """The operators of a directory's table of signatures, in order, and what is wrong with it.

    ``specified`` are the names of the operators that have a spec, which says more.
    """
    path = root / SIGNATURES
    if not path.is_file():
        return (), []
    source = read(path)
    if validate(source, SignaturesFile) is None:
        return (), source.findings
    findings = source.findings
    found: list[OperatorInfo] = []
    taken = {Name(name).snake: name for name in specified}
    for key, tree in _entries(source):
        name = str(key.value)
        other = taken.setdefault(Name(name).snake, name)
        if name in specified:
            findings.append(_duplicate(source, key, f"An operator ({name}) has a spec; take it off the table."))
        elif other != name:
            findings.append(_duplicate(source, key, f"An operator ({name}) is {other} in snake_case."))
        else:
            found += _compiled(path, key, tree, tables, findings)
    return tuple(sorted(found, key=lambda info: info.name)), findings


def signature_of(name: str) -> Signature | None:
    """The signature of an operator in the project's own table; None of one that is not in it."""
    path = find_specs() / SIGNATURES
    table = validate(read(path), SignaturesFile) if path.is_file() else None
    return None if table is None else table.signatures.get(name)


def check_signatures(root: Path, operators: Sequence[Operator]) -> Iterator[Finding]:
    """Where a spec and the tables of signatures, that of its directory and the project's own, do not agree."""
    for path in dict.fromkeys((root.resolve() / SIGNATURES, find_specs().resolve() / SIGNATURES)):
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        stated = {one.info.name: one for one in operators if f"{one.info.name}:" in text}
        for key, tree in _entries(read(path)) if stated else ():
            operator, params = stated.get(str(key.value)), tree.values.get("params")
            if operator is not None and isinstance(params, Mapping):
                known = {str(name): str(one.value) for name, one in params.values.items() if isinstance(one, Scalar)}
                yield from _differences(operator, known)


def _differences(operator: Operator, known: dict[str, str]) -> Iterator[Finding]:
    """Where the parameters of a spec are not those of a table: their names in order, then types and directions."""
    context, params = Context(operator.spec, operator.source, (), []), operator.spec.params
    names = [param.name for param in params]
    table = f"the table of signatures for {operator.spec.op}"
    if names != list(known):
        text = f"The parameters ({', '.join(names)}) are not those in {table}; expected {', '.join(known)}."
        context.report(("params",), "signature", text, severity="warning")
    for index, param in enumerate(params):
        direction, kind = known.get(param.name, f"{param.direction} {param.type}").split()[-2:]
        if kind != param.type or direction not in (param.direction, "unknown"):
            found = f"A parameter ({param.name}) is {param.direction} {param.type}"
            text = f"{found}; expected {direction} {kind}, as in {table}."
            context.report(("params", index, "name"), "signature", text, severity="warning")
    yield from context.findings


def _entries(source: Source) -> Iterator[tuple[Scalar, Mapping]]:
    """The name of each operator, and what the table says of it."""
    table = source.tree.values["signatures"] if isinstance(source.tree, Mapping) else None
    if isinstance(table, Mapping):
        yield from ((table.keys[name], tree) for name, tree in table.values.items() if isinstance(tree, Mapping))


def _duplicate(source: Source, key: Scalar, text: str) -> Finding:
    return Finding(source.file, key.at, "duplicate-id", text)


def _compiled(
    path: Path, key: Scalar, tree: Mapping, tables: Project, findings: list[Finding]
) -> Iterator[OperatorInfo]:
    """One operator; none where it has mistakes."""
    put(tree, "op", key)
    put(tree, "level", word("declared", key.at))
    source = Source(path, "", expand_operator(tree, CATEGORY, tables.groups))
    model = validate(source, OperatorSpec)
    if model is not None:
        context = Context(model, source, tables.products, source.findings, has_function=False)
        info, checks = compile_operator(context, f"{path.parent.resolve().name}/{SIGNATURES}")
        check_operator(context, info, checks)
        if not source.findings:
            yield info
    findings += source.findings
