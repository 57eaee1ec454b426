"""The first screen of the site: the field that finds an operator, and the answer to a call."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import yaml

from aclspec.codegen.pages.checkout import project_of
from aclspec.codegen.render.manual.words import LANGS, Lang
from aclspec.runtime.api.answers import ProductVerdict
from aclspec.runtime.api.explain import explain
from aclspec.runtime.rules.interpreter import INFERRED
from aclspec.runtime.testing.expected import argument

_DATA = Path("site/data/home.yaml")
_MARKS = {"works": "✓", "refused": "✗", "no kernel": "✗", "not judged": "?"}
_WORDS: dict[Lang, dict[str, str]] = {
    "en": {
        "paste": "Paste what you have",
        "hint": "A line of a log, a traceback, a call, an operator, a function of PyTorch, a code",
        "tries": "For example",
        "find": "Find",
        "open": "Open its form, filled with an example",
        "read": "Open its form, filled with what this text says",
        "found": "{0} found; Enter opens the first.",
        "nothing": "Nothing in this text is known here.",
        "answer": "What you get: each product's answer to a call",
        "form": "Open this call in its form",
        "needs": "The field needs JavaScript; aclspec why reads the same texts on a command line.",
    },
    "zh": {
        "paste": "粘贴已有的信息",
        "hint": "日志中的一行、traceback、一次调用、算子名、PyTorch 函数或错误码",
        "tries": "例如",
        "find": "查找",
        "open": "打开其表单（已填入示例）",
        "read": "打开其表单（已填入此文本给出的内容）",
        "found": "找到 {0} 项；按回车打开第一项。",
        "nothing": "此文本中没有可识别的内容。",
        "answer": "得到的结论：各产品如何回答一次调用",
        "form": "在表单中打开该调用",
        "needs": "该输入框需要 JavaScript；命令行中的 aclspec why 可读取同样的文本。",
    },
}


def home(lang: Lang, root: Path) -> str:
    """The field beside an answer that is made while the site is built, as HTML."""
    data: dict[str, Any] = yaml.safe_load((root / _DATA).read_text(encoding="utf-8"))
    top = "" if lang == LANGS[0] else "../"
    parts = _door(data["tries"], lang), _answer(data["answer"], lang, root)
    script = f'<script src="{top}assets/javascripts/door.js"></script>'
    return "\n".join(['<div class="aclspec-home">', *parts, "</div>", script])


def _door(tries: list[dict[str, Any]], lang: Lang) -> str:
    words = _WORDS[lang]
    given = "".join(f' data-{key}="{words[key]}"' for key in ("open", "read", "found", "nothing"))
    at = LANGS.index(lang)
    buttons = " ".join(
        f'<button type="button" data-text="{html.escape(one["text"])}">{html.escape(one["title"][at])}</button>'
        for one in tries
    )
    return (
        f'<form class="aclspec-door" data-lang="{lang}"{given}>\n'
        f'<label for="aclspec-paste">{words["paste"]}</label>\n'
        f'<textarea id="aclspec-paste" rows="3" spellcheck="false" placeholder="{words["hint"]}"></textarea>\n'
        f'<p><button type="submit" class="md-button md-button--primary">{words["find"]}</button> '
        f"<span>{words['tries']}</span> {buttons}</p>\n"
        f'<output aria-live="polite"></output>\n<ol></ol>\n<noscript>{words["needs"]}</noscript>\n</form>'
    )


def _answer(shown: Mapping[str, Any], lang: Lang, root: Path) -> str:
    info, words, call = project_of(root).operator(shown["operator"]).info, _WORDS[lang], shown["call"]
    values = {
        param.name: argument(call[param.name], param.type) if param.name in call else INFERRED for param in info.params
    }
    groups = [verdicts for _, verdicts in explain(info, values, lang=lang).groups()]
    groups.sort(key=lambda verdicts: [one.product != shown["product"] for one in verdicts])  # the chosen one first
    arguments = ", ".join(f"{name}={text}" for name, text in call.items())
    address = f"operators/{info.snake}.html#ask/{shown['product']}?{urlencode(call)}"
    return "\n".join(
        [
            f'<figure class="aclspec-answer"><figcaption>{words["answer"]}</figcaption>',
            f"<p><code>{info.name}({html.escape(arguments)})</code></p>",
            *(line for verdicts in groups for line in _verdict(verdicts, verdicts is groups[0])),
            f'<p><a href="{html.escape(address)}">{words["form"]}</a></p></figure>',
        ]
    )


def _verdict(verdicts: list[ProductVerdict], is_whole: bool) -> Iterator[str]:
    """What products say that answer alike, in the colour of their verdict; whole with reasons and fixes."""
    first = verdicts[0]
    keys = " ".join(f"<code>{one.product}</code>" for one in verdicts)
    mark = _MARKS.get(first.verdict, "!")
    yield f'<div class="aclspec-verdict aclspec-is-{first.verdict.replace(" ", "-")}">'
    yield f"<p>{keys} <b>{mark} {html.escape(first.answer)}</b></p>"
    yield from (f"<p>{html.escape(line.strip())}</p>" for line in first.lines() if is_whole)
    yield "</div>"
