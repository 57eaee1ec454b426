"""``aclspec show OP``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from aclspec.cli import output
from aclspec.cli.errors import UsageError
from aclspec.codegen.render.manual.texts import precision_roles
from aclspec.codegen.wording.rules import clause, noun
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.abi.status import Status
from aclspec.runtime.abi.suggest import did_you_mean
from aclspec.runtime.language.unparse import unparse
from aclspec.runtime.rules.answer_words import ANSWER_WORDS, of_versions, reason
from aclspec.runtime.rules.dtype_table import DtypeTable, Line, dtype_table
from aclspec.runtime.rules.operator_info import CaveatInfo, OperatorInfo, ParamInfo, PrecisionInfo, RuleInfo, Text
from aclspec.runtime.rules.sentences import Lang, requirement

WORDS: Final[dict[Lang, dict[str, str]]] = {
    "en": {
        "parameters": "Parameters",
        "parameter_columns": "name,,type,rank,formats,meaning",
        "dtypes": "Data types that are legal together, by product",
        "checks": "Checks, in their order",
        "check_columns": ",rule,status,where,requirement",
        "caveats": "What the checks do not say",
        "caveat_columns": "status,where,calls,reason",
        "in": "in",
        "out": "out",
        "inout": "inout",
        "unknown": "unknown",
        "level": "Level {}: {}",
        "values": "{} in {}",
        "lengths": "{} of length {}",
        "or": " or ",
        "optional": "{}, may be null",
        "range": "{} to {}",
        "of_rank": "{} (rank {})",
        "between": "; ",
        "ends": "ends with 0",
        "torch": "Functions of PyTorch that call it on an NPU: {}",
        "mode": "{} mode",
        "everywhere": "everywhere",
        "both": "yes",
        "library": "library only",
        "document": "document only",
        "": "-",
    },
    "zh": {
        "parameters": "参数",
        "parameter_columns": "名称,方向,类型,维数,数据格式,含义",
        "dtypes": "各产品上可同时使用的数据类型",
        "checks": "检查项（按检查顺序）",
        "check_columns": "序号,规则,返回码,适用范围,要求",
        "caveats": "检查项未涵盖的情况",
        "caveat_columns": "返回码,适用范围,调用,原因",
        "in": "输入",
        "out": "输出",
        "inout": "输入兼输出",
        "unknown": "未知",
        "level": "级别 {}：{}",
        "values": "{}，取值 {}",
        "lengths": "{}，长度 {}",
        "or": " 或 ",
        "optional": "{}，可为空指针",
        "range": "{} 至 {}",
        "of_rank": "{}（{} 维）",
        "between": "；",
        "ends": "返回 0，检查结束",
        "torch": "在 NPU 上调用它的 PyTorch 函数：{}",
        "mode": "{} 模式",
        "everywhere": "全部",
        "both": "支持",
        "library": "仅 library",
        "document": "仅 document",
        "": "-",
    },
}


@dataclass(frozen=True, slots=True)
class Filter:
    """What is shown of an operator: one product, one parameter, one rule; None is all of them."""

    product: str | None = None
    param: str | None = None
    rule: str | None = None

    def of(self, info: OperatorInfo) -> OperatorInfo:
        """The part of an operator that the filter leaves."""
        param = None if self.param is None else _param(info, self.param)
        params = tuple(one for one in info.params if param in (None, one.name))
        rules = tuple(rule for rule in info.checks if self._keeps(rule, param))
        rows = tuple(row for row in info.rows if self.product is None or self.product in row.products)
        caveats = tuple(one for one in info.caveats if not one.products or self.product in (None, *one.products))
        products = tuple(entry for entry in info.products if self.product in (None, entry[0]))
        if self.rule is not None:
            rules = (_named(rules, self.rule.removeprefix(f"{info.name}.")),)
            params = tuple(one for one in params if one.name in rules[0].params)
        return replace(info, params=params, rules=rules, rows=rows, products=products, caveats=caveats)

    def _keeps(self, rule: RuleInfo, param: str | None) -> bool:
        on_product = self.product is None or not rule.products or self.product in rule.products
        return on_product and (param is None or param in rule.params)


def _param(info: OperatorInfo, name: str) -> str:
    """The C name of a parameter by any spelling of it."""
    folded = name.replace("-", "_").strip("_").casefold()
    for param in info.params:
        if folded in (param.name.casefold(), param.snake.strip("_").casefold()):
            return param.name
    names = [param.name for param in info.params]
    raise UsageError(f"{info.name} has no parameter {name}{did_you_mean(name, names)}")


def _named(rules: tuple[RuleInfo, ...], name: str) -> RuleInfo:
    for rule in rules:
        if rule.id == name:
            return rule
    raise UsageError(f"The rule ({name}) is not among those shown{did_you_mean(name, [rule.id for rule in rules])}")


def show(operator: OperatorInfo, lang: Lang, as_json: bool, kept: Filter = Filter()) -> None:
    """Show one operator, or what a filter leaves of it."""
    info = kept.of(operator)
    if as_json:
        output.show_json(_document(info, lang))
        return
    output.show(output.plain(f"{info.name}  ({info.snake}, {info.header})", "bold"))
    output.show(output.plain(_say(info.summary, lang)))
    output.show(output.plain(WORDS[lang]["level"].format(info.level, getattr(info.facts, lang))), "\n")
    if info.torch and kept == Filter():
        output.show(output.plain(WORDS[lang]["torch"].format(", ".join(info.torch))), "\n")
    if info.params:
        output.show(_params(info, lang))
    if info.facts.has_rules and kept.rule is None and info.rows:
        output.show(_matrix(info, dtype_table(info), lang))
    if info.rules:
        output.show(_rules(info, operator, lang))
    if info.caveats and kept.rule is None:
        output.show(_caveats(info, lang))
    if info.facts.has_kernel and kept == Filter():
        output.show(precision_table(info, lang))


def _say(text: Text, lang: Lang) -> str:
    return text.zh if lang == "zh" else text.en


def _params(info: OperatorInfo, lang: Lang) -> Any:
    words = WORDS[lang]
    rows = [
        (
            param.name,
            words[param.direction],
            _type(param, lang),
            _rank(param, lang) if info.facts.has_rules else "",
            _formats(param, lang),
            _say(param.doc, lang),
        )
        for param in info.params
    ]
    return output.table(words["parameters"], words["parameter_columns"].split(","), rows)


def _type(param: ParamInfo, lang: Lang) -> str:
    words = WORDS[lang]
    text = PARAM_TYPES[param.type].c
    if param.values:
        text = words["values"].format(text, ", ".join(map(str, param.values)))
    if param.lengths:
        text = words["lengths"].format(text, words["or"].join(map(str, param.lengths)))
    return words["optional"].format(text) if param.optional or param.required is not None else text


def _is_tensor(param: ParamInfo) -> bool:
    return PARAM_TYPES[param.type].predicate in ("tensor", "tensors")


def _rank(param: ParamInfo, lang: Lang) -> str:
    low, high = param.rank
    if not _is_tensor(param):
        return ""
    return str(low) if low == high else WORDS[lang]["range"].format(low, high)


def _formats(param: ParamInfo, lang: Lang) -> str:
    words = WORDS[lang]
    return words["between"].join(
        ", ".join(formats) if rank < 0 else words["of_rank"].format(", ".join(formats), rank)
        for rank, formats in param.formats
    )


def _mark(info: OperatorInfo, line: Line, product: str) -> str:
    """The modes in which a product takes a combination: a key of `WORDS`."""
    modes = {mode for at in line.rows.get(product, ()) for mode in info.rows[at].modes}
    return "both" if len(modes) > 1 else next(iter(modes), "")


def _matrix(info: OperatorInfo, shown: DtypeTable, lang: Lang) -> Any:
    words = WORDS[lang]
    columns = [*("\n".join(group) for group in shown.groups), *(key.replace("_", "_\n", 1) for key in shown.products)]
    rows = [
        [*(", ".join(cell) for cell in line.dtypes), *(words[_mark(info, line, key)] for key in shown.products)]
        for line in shown.lines
    ]
    return output.table(words["dtypes"], columns, rows)


def _rules(info: OperatorInfo, operator: OperatorInfo, lang: Lang) -> Any:
    """The rules, each with its number among all of the operator's."""
    shown = {rule.id for rule in info.rules}
    rows = [
        (number, rule.id, _status(rule, lang), _scope(rule, lang), requirement(rule, lang))
        for number, rule in enumerate(operator.checks, 1)
        if rule.id in shown
    ]
    return output.table(WORDS[lang]["checks"], WORDS[lang]["check_columns"].split(","), rows)


def _caveats(info: OperatorInfo, lang: Lang) -> Any:
    """What no rule says: calls that are not judged, and those for which there is no kernel."""
    words, answers = WORDS[lang], ANSWER_WORDS[lang]
    rows = [
        (
            answers["not judged"] if one.kind == "unjudged" else str(int(Status[one.status])),
            ", ".join(one.products) or words["everywhere"],
            "" if one.when is None else unparse(one.when),
            of_versions(one, lang) if one.kind == "version" else reason(one, lang),
        )
        for one in info.caveats
    ]
    return output.table(words["caveats"], words["caveat_columns"].split(","), rows)


def _status(rule: RuleInfo, lang: Lang) -> str:
    numbers = dict.fromkeys(str(int(Status[name])) for _, name in rule.status)
    return WORDS[lang]["ends"] if rule.kind == "shortcut" else " / ".join(numbers)


def _scope(rule: RuleInfo, lang: Lang) -> str:
    modes = [mode for mode, _ in rule.status]
    only = [WORDS[lang]["mode"].format(modes[0])] if len(modes) == 1 else []
    return ", ".join([*only, *rule.products]) or WORDS[lang]["everywhere"]


def _document(info: OperatorInfo, lang: Lang) -> dict[str, object]:
    shown = dtype_table(info)
    return {
        "name": info.name,
        "snake": info.snake,
        "header": info.header,
        "category": info.category,
        "level": info.level,
        "summary": _say(info.summary, lang),
        "torch": info.torch,
        "products": [{"product": key, "listed_by": by} for key, by in info.products],
        "parameters": [_parameter(info, param, lang) for param in info.params],
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
        "caveats": [_caveat(one, lang) for one in info.caveats],
        "precision": precision_rows(info, lang),
    }


def _parameter(info: OperatorInfo, param: ParamInfo, lang: Lang) -> dict[str, object]:
    common: dict[str, object] = {
        "name": param.name,
        "snake": param.snake,
        "type": param.type,
        "c": PARAM_TYPES[param.type].c,
        "direction": param.direction,
        "optional": param.optional,
        "meaning": _say(param.doc, lang),
    }
    if _is_tensor(param) and info.facts.has_rules:
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
        "requirement": requirement(rule, lang),
        "clauses": rule.clauses,
    }


def _caveat(caveat: CaveatInfo, lang: Lang) -> dict[str, object]:
    return {
        "id": caveat.id,
        "kind": caveat.kind,
        "status": int(Status[caveat.status]) if caveat.status else None,
        "products": caveat.products,
        "when": None if caveat.when is None else unparse(caveat.when),
        "rules": caveat.rules,
        "since": caveat.since or None,
        "until": caveat.until or None,
        "reason": reason(caveat, lang),
    }


PRECISION_WORDS: Final[dict[Lang, dict[str, str]]] = {
    "en": {
        "title": "Precision: the first row that holds",
        "when": "when",
        "meaning": "meaning",
        "always": "always",
        "otherwise": "otherwise",
        "comma": ", ",
    },
    "zh": {
        "title": "计算精度（取首个成立的行）",
        "when": "条件",
        "meaning": "含义",
        "always": "始终",
        "otherwise": "其他情形",
        "comma": "，",
    },
}


def precision_table(info: OperatorInfo, lang: Lang) -> Any:
    """The table for people: when a row holds, the dtype or setting of each role, and what that means."""
    words = PRECISION_WORDS[lang]
    roles = precision_roles(info)
    rows = []
    for row in info.compute.precision:
        dtypes = _roles(info, row, lang)
        rows.append((_condition(info, row, lang), *(dtypes.get(role, "-") for role in roles), _meaning(row, lang)))
    return output.table(words["title"], [words["when"], *roles, words["meaning"]], rows)


def precision_rows(info: OperatorInfo, lang: Lang) -> list[dict[str, object]]:
    """The same for programs."""
    return [
        {
            "products": row.products,
            "when": None if row.when is None else clause(info, row.when, lang),
            "roles": _roles(info, row, lang),
            "meaning": _meaning(row, lang),
        }
        for row in info.compute.precision
    ]


def _roles(info: OperatorInfo, row: PrecisionInfo, lang: Lang) -> dict[str, str]:
    return {role: noun(info, value, lang) for role, value in row.entries}


def _condition(info: OperatorInfo, row: PrecisionInfo, lang: Lang) -> str:
    condition = () if row.when is None else (clause(info, row.when, lang),)
    words = PRECISION_WORDS[lang]
    alone = words["always" if len(info.compute.precision) == 1 else "otherwise"]
    return words["comma"].join([*row.products, *condition]) or alone


def _meaning(row: PrecisionInfo, lang: Lang) -> str:
    return "" if row.doc is None else getattr(row.doc, lang)
