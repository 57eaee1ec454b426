"""What pages load is made lighter without a loss: the data of one language, rules of style that some page uses."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from aclspec import ops
from aclspec.codegen.pages.weight import localized, without_comments, without_unread, without_unused
from aclspec.codegen.render.build import target_of
from aclspec.codegen.render.javascript.files import bundled
from aclspec.codegen.render.javascript.operator import render_operator_script
from tests.support.project import own_project

WORDS = frozenset({"md-typeset", "tip", "a:b", "indigo"})


def data_of(script: str) -> Any:
    return json.loads(script[script.index("{") : script.rindex("}") + 1].replace(",\n  ]", "\n  ]"))


def test_a_script_keeps_one_language() -> None:
    whole = render_operator_script(ops.get("prelu").info, target_of(own_project()))
    english, chinese, both = (localized(whole, lang) for lang in ("en", "zh", None))
    assert english.startswith("globalThis.aclspecAsk.register({")
    assert english.endswith("});\n")
    assert len(english) < len(both) < len(whole)
    for text, other, lang in ((english, both, "en"), (chinese, both, "zh")):
        own, all_of_it = data_of(text), data_of(other)
        assert own["rows"] == all_of_it["rows"]
        assert [set(rule["says"]) for rule in own["rules"]] == [{lang}] * len(own["rules"])
        assert [rule["says"][lang] for rule in own["rules"]] == [rule["says"][lang] for rule in all_of_it["rules"]]


def test_comments_go_and_code_stays() -> None:
    script = '// head\n"use strict";\n\n/**\n * What it is.\n */\n  let url = "http://x"; // why\n'
    assert without_comments("  *moves(rule) {\n") == "*moves(rule) {\n"
    assert without_comments(script) == '"use strict";\nlet url = "http://x"; // why\n'


def test_the_library_without_comments_is_the_same_program(program: Callable[[str], str], tmp_path: Path) -> None:
    """Node parses it, and the methods that begin with a star, as lines of a comment do, are still there."""
    for name, text in bundled().items():
        if name.endswith(".js"):
            (tmp_path / name).write_text(without_comments(text), encoding="utf-8")
            subprocess.run([program("node"), "--check", str(tmp_path / name)], check=True)
            generators = re.findall(r"^ +(\*\w+\(.*)", text, re.MULTILINE)
            assert generators
            assert set(generators) <= set(without_comments(text).split("\n"))


def test_rules_that_match_nothing_go() -> None:
    css = (
        '@charset "utf-8";.md-typeset .tip,.other{color:red}.other .md-typeset{x:y}@media print{.other{x:"}"}}'
        ".tip:is(.other,.more){a:b}.tip:is(.other,.tip){c:d}.tip:not(.other){e:f}.a\\:b{g:h}[dir=rtl] .tip{i:j}"
        "[data-md-color-primary=red]{k:l}[data-md-color-primary=indigo] a{m:n}@font-face{o:p}li{q:r}"
    )
    assert without_unused(css, WORDS) == (
        '@charset "utf-8";.md-typeset .tip{color:red}.tip:is(.other,.tip){c:d}.tip:not(.other){e:f}.a\\:b{g:h}'
        "[data-md-color-primary=indigo] a{m:n}@font-face{o:p}li{q:r}"
    )


def test_properties_that_nothing_reads_go() -> None:
    css = ":root{--a:1px;--b:url('data:x;y}');--c:2}p{color:var(--a)}"
    assert without_unread(css, "b{top:var(--c)}") == ":root{--a:1px;--c:2}p{color:var(--a)}"
