"""What pages load is made lighter without a loss: it has the texts of one language."""

from __future__ import annotations

import json
from typing import Any

from aclspec import ops
from aclspec.codegen.pages.localized import localized
from aclspec.codegen.render.build import target_of
from aclspec.codegen.render.javascript.operator import render_operator_script
from tests.support.project import own_project


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
