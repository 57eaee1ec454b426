"""``aclspec show OP``."""

from __future__ import annotations

from typing import Any

from aclspec.cli import operators, output
from aclspec.cli.errors import GOOD
from aclspec.runtime.dtypetable import DtypeTable, Line, dtype_table
from aclspec.runtime.info import OperatorInfo, ParamInfo, RuleInfo, Text
from aclspec.runtime.paramtypes import PARAM_TYPES
from aclspec.runtime.predicate.sentences import Lang, requirement
from aclspec.runtime.status import Status

MARKS = {"both": "yes", "library": "library only", "document": "document only", "": "-"}


def perform(operator: str, lang: Lang, as_json: bool) -> int:
    """Show one operator."""
    info = operators.find(operator).info
    if as_json:
        output.show_json(_document(info, lang))
        return GOOD
    output.show(output.plain(f"{info.name}  ({info.snake}, {info.header})", "bold"))
    output.show(output.plain(_say(info.summary, lang)), "\n")
    output.show(_params(info, lang), _matrix(info, dtype_table(info)), _rules(info, lang))
    return GOOD


def _say(text: Text, lang: Lang) -> str:
    return text.zh if lang == "zh" else text.en


def _params(info: OperatorInfo, lang: Lang) -> Any:
    rows = [
        (param.name, param.direction, _type(param), _rank(param), _formats(param), _say(param.doc, lang))
        for param in info.params
    ]
    return output.table("Parameters", ("name", "", "type", "rank", "formats", "meaning"), rows)


def _type(param: ParamInfo) -> str:
    values = f" in {', '.join(map(str, param.values))}" if param.values else ""
    lengths = f" of length {' or '.join(map(str, param.lengths))}" if param.lengths else ""
    optional = ", may be null" if param.optional or param.required is not None else ""
    return f"{PARAM_TYPES[param.type].c}{values}{lengths}{optional}"


def _is_tensor(param: ParamInfo) -> bool:
    return PARAM_TYPES[param.type].predicate in ("tensor", "tensors")


def _rank(param: ParamInfo) -> str:
    low, high = param.rank
    if not _is_tensor(param):
        return ""
    return str(low) if low == high else f"{low} to {high}"


def _formats(param: ParamInfo) -> str:
    return "; ".join(
        ", ".join(formats) if rank < 0 else f"{', '.join(formats)} (rank {rank})" for rank, formats in param.formats
    )


def _mark(info: OperatorInfo, line: Line, product: str) -> str:
    """The modes in which a product takes a combination: one of the keys of `MARKS`."""
    modes = {mode for at in line.rows.get(product, ()) for mode in info.rows[at].modes}
    return "both" if len(modes) > 1 else next(iter(modes), "")


def _matrix(info: OperatorInfo, shown: DtypeTable) -> Any:
    columns = [*("\n".join(group) for group in shown.groups), *(key.replace("_", "_\n", 1) for key in shown.products)]
    rows = [
        [*(", ".join(cell) for cell in line.dtypes), *(MARKS[_mark(info, line, key)] for key in shown.products)]
        for line in shown.lines
    ]
    return output.table("Data types that are legal together, by product", columns, rows)


def _rules(info: OperatorInfo, lang: Lang) -> Any:
    rows = [
        (number, rule.id, _status(rule), _scope(rule), requirement(info, rule, lang))
        for number, rule in enumerate(info.rules, 1)
    ]
    return output.table("Checks, in their order", ("", "rule", "status", "where", "requirement"), rows)


def _status(rule: RuleInfo) -> str:
    numbers = dict.fromkeys(str(int(Status[name])) for _, name in rule.status)
    return "ends with 0" if rule.kind == "shortcut" else " / ".join(numbers)


def _scope(rule: RuleInfo) -> str:
    modes = [mode for mode, _ in rule.status]
    only = [f"{modes[0]} mode"] if len(modes) == 1 else []
    return ", ".join([*only, *rule.products]) or "everywhere"


def _document(info: OperatorInfo, lang: Lang) -> dict[str, object]:
    shown = dtype_table(info)
    return {
        "name": info.name,
        "snake": info.snake,
        "header": info.header,
        "category": info.category,
        "summary": _say(info.summary, lang),
        "products": [{"product": key, "listed_by": by} for key, by in info.products],
        "parameters": [_parameter(param, lang) for param in info.params],
        "dtypes": [
            {
                "parameters": {
                    name: cell for group, cell in zip(shown.groups, line.dtypes, strict=True) for name in group
                },
                "products": {key: mark for key in shown.products if (mark := _mark(info, line, key))},
            }
            for line in shown.lines
        ],
        "rules": [_rule(info, rule, lang) for rule in info.rules],
    }


def _parameter(param: ParamInfo, lang: Lang) -> dict[str, object]:
    common: dict[str, object] = {
        "name": param.name,
        "snake": param.snake,
        "type": param.type,
        "c": PARAM_TYPES[param.type].c,
        "direction": param.direction,
        "optional": param.optional,
        "meaning": _say(param.doc, lang),
    }
    if _is_tensor(param):
        common |= {"rank": param.rank, "formats": {str(rank): formats for rank, formats in param.formats}}
    if param.values or param.lengths:
        common |= {"values": param.values, "lengths": param.lengths}
    return common | ({"default": param.default} if param.has_default else {})


def _rule(info: OperatorInfo, rule: RuleInfo, lang: Lang) -> dict[str, object]:
    return {
        "id": f"{info.name}.{rule.id}",
        "kind": rule.kind,
        "status": {mode: int(Status[name]) for mode, name in rule.status},
        "products": rule.products,
        "requirement": requirement(info, rule, lang),
        "clauses": rule.clauses,
    }
