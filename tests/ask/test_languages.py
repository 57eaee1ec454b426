"""The script of an operator in one language has the same data as the one in all, and the texts of that language."""

from __future__ import annotations

import json
from typing import Any

import pytest

from aclspec import ops
from aclspec.codegen.render.build import target_of
from aclspec.codegen.render.javascript.operator import render_operator_script
from aclspec.codegen.render.manual.words import LANGS, Lang
from tests.support.project import own_project


def data_of(script: str) -> Any:
    text = script[script.index("{") : script.rindex("}") + 1]
    return json.loads(text.replace(",\n  ]", "\n  ]").replace(",\n  }", "\n  }").replace(",\n}", "\n}"))


@pytest.mark.parametrize("lang", LANGS)
def test_a_script_keeps_one_language(lang: Lang) -> None:
    info, target = ops.get("prelu").info, target_of(own_project())
    own, both = (data_of(render_operator_script(info, target, lang=one)) for one in (lang, None))
    assert own["rows"] == both["rows"]
    assert [rule["says"] for rule in own["rules"]] == [{lang: rule["says"][lang]} for rule in both["rules"]]
