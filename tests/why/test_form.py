"""The form of the site finds what Python finds: on every example of the grammar, and on hostile texts."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from aclspec import ops
from aclspec.codegen.pipeline.load import load_tables
from aclspec.codegen.render.grammar import render_script
from aclspec.codegen.source.folders import find_specs
from aclspec.runtime.why.about import About
from aclspec.runtime.why.facts import Facts, gather
from aclspec.runtime.why.grammar import grammar

TOP = Path(__file__).parents[2]
SCRIPT = TOP / "site/docs/assets/javascripts/why.js"
PASTED = load_tables(find_specs())[0].pasted
ASK = """
const { readFileSync } = require("fs");
const [grammar, script, texts] = JSON.parse(readFileSync(0, "utf8"));
(0, eval)(grammar);
(0, eval)(readFileSync(script, "utf8"));
const why = globalThis.aclspecWhy;
console.log(JSON.stringify(texts.map((text) => {
  const { cases, loose } = why.gather(text);
  return [cases, loose, [...cases.map(([, facts]) => facts), loose].map(why.failures)];
})));
"""


def texts() -> list[str]:
    assert PASTED.forms is not None
    examples = [one.text for form in PASTED.forms.forms.values() for one in form.examples]
    return [
        *examples,
        "\n".join(examples),
        "\r\n".join(reversed(examples)),
        "error code is 161002\ncall aclnnMul failed\ncall aclnnAdd failed\nEZ9999\nerror code is 507015 on Ascend910B2",
        "Tensor self not implemented for DT_DOUBLE, dtype support list [DT_FLOAT,DT_DOUBLE,made_up]",
        "addmmTensor.self. not implemented for DT_BF16 torch.float16. torch.matmul. aclnnAdd_12_made aclnnAdd.-.",
        "aclnn" * 2_000,
        "\n".join(f"call aclnnMadeUp{at} failed, error code is {561000 + at}" for at in range(60)),
        "",
        "错误码：５６１００２ 错误码 561002 aclnnTopk的self 不支持 double",
    ]


@pytest.mark.skipif(shutil.which("node") is None, reason="node")
def test_the_form_finds_what_python_finds() -> None:
    infos = [ops.get(name).info for name in ("softmax", "mm")]
    given = json.dumps([render_script(PASTED, infos), str(SCRIPT), texts()])
    done = subprocess.run(["node", "-e", ASK], input=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    about = About(ops.CATALOG, "en", None)
    for text, found in zip(texts(), json.loads(done.stdout), strict=True):
        cases, loose = gather(grammar().lines(text.replace("\r\n", "\n")), grammar(), 20)
        told: list[Facts] = [*cases, loose]
        failures = [[failure.name for failure in about._failures(one)] for one in told]
        assert found == [[[one.operator, one.by_kind] for one in cases], loose.by_kind, failures], text


def test_the_page_has_the_script_and_its_data() -> None:
    for lang, up in (("en", ".."), ("zh", "../..")):
        page = (TOP / f"site/docs/{lang}/guides/paste.md").read_text(encoding="utf-8")
        assert f'<script src="{up}/assets/ask/grammar.js"></script>' in page
        assert f'<script src="{up}/assets/javascripts/{SCRIPT.name}"></script>' in page
        assert '<div class="aclspec-why"></div>' in page
