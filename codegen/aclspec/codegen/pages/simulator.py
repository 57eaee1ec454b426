"""What the simulator emulates: functions of CANN beside the operators with their answers, libraries, and operators."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from aclspec.codegen.pages.checkout import project_of
from aclspec.codegen.pages.predicate_reference import table
from aclspec.codegen.render.manual.markdown import MARKDOWN
from aclspec.codegen.render.manual.words import Lang
from aclspec.codegen.simulator.interface import Answer, Interface, Runtime, read_runtime

_HEADS: dict[Lang, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "en": (
        ("functions", "answer", "which"),
        ("library", "exports", "linked with"),
        ("operator", "header", "functions"),
    ),
    "zh": (("函数类别", "应答", "函数"), ("库", "导出", "链接"), ("算子", "头文件", "函数")),
}
_TITLES: dict[Lang, tuple[str, str, str]] = {
    "en": ("Functions beside the operators", "Libraries", "Operators"),
    "zh": ("算子之外的函数", "库", "算子"),
}
_ANSWERS: dict[Lang, dict[Answer, str]] = {
    "en": {"computed": "as CANN's", "success": "0, nothing to do", "refused": "refused: {message}", "absent": "absent"},
    "zh": {"computed": "与 CANN 相同", "success": "返回 0，无需操作", "refused": "拒绝：{message}", "absent": "不存在"},
}
_ALL: dict[Lang, str] = {"en": "the functions of every operator", "zh": "全部算子的函数"}
_NO_HEADER: dict[Lang, str] = {"en": "without a header", "zh": "无头文件"}


def simulator(lang: Lang, root: Path) -> str:
    """The tables of a checkout."""
    functions, libraries, operators = _TITLES[lang]
    heads = _HEADS[lang]
    runtime = read_runtime(root / "specs")
    parts = [f"## {functions} {{: #functions}}\n"]
    for interface in runtime.interfaces.values():
        title = interface.spec.header or f"{interface.name} ({_NO_HEADER[lang]})"
        parts += [f"### {title}\n", table(heads[0], _interface(interface, lang))]
    parts += [f"## {libraries} {{: #libraries}}\n", table(heads[1], _libraries(runtime, lang))]
    parts += [f"## {operators} {{: #operators}}\n", table(heads[2], _operators(root))]
    return "\n".join(parts)


def _interface(interface: Interface, lang: Lang) -> Iterator[tuple[str, ...]]:
    for doc, functions in interface.groups:
        for answer, words in _ANSWERS[lang].items():
            found = [function for function in functions if function.answer == answer]
            if found:
                text = words.format(message=found[0].message)
                names = list(dict.fromkeys(function.shown for function in found))
                yield doc.zh if lang == "zh" else doc.en, text, MARKDOWN.codes(names)


def _libraries(runtime: Runtime, lang: Lang) -> Iterator[tuple[str, ...]]:
    for name, library in runtime.libraries.items():
        held = [runtime.interfaces[one].spec.header or one for one in library.holds]
        exports = _ALL[lang] if library.operators else MARKDOWN.codes(held)
        yield f"`lib{name}.so`", exports, MARKDOWN.codes([f"lib{one}.so" for one in library.needs])


def _operators(root: Path) -> Iterator[tuple[str, ...]]:
    for operator in project_of(root).operators:
        info = operator.info
        link = f"[`{info.name}`](operators/{info.snake}.md)"
        yield link, f"`aclnnop/{info.header}`", MARKDOWN.codes((f"{info.name}GetWorkspaceSize", info.name))
