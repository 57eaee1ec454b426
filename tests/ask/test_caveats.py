"""On the calls that its caveats are about, Python, the command line and the form give one verdict for each product."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aclspec import ops
from aclspec.cli import values
from aclspec.cli.app import run
from tests.agreement.test_agreement import derived_calls
from tests.ask.compare import texts_of
from tests.ask.node import Node
from tests.ask.test_verdicts import said
from tests.support.caveats import witness
from tests.support.operators import some

WITH_CAVEATS = [name for name in ops.names() if ops.get(name).info.caveats]
VERDICTS = {"unjudged": "not judged", "no kernel": "no kernel", "version": "works"}
STATUSES = {"works": 0, "not judged": 3, "no kernel": 4, "undocumented": 5}


@pytest.mark.parametrize("name", some(12, WITH_CAVEATS, small=4))
def test_one_verdict(node: Node, name: str, repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    operator = ops.get(name)
    calls: Any = derived_calls(operator, repository)[:40]
    for caveat in operator.info.caveats:
        product, call = witness(operator.info, caveat, calls)
        texts = texts_of(operator.info, call)
        for lang in ("en", "zh"):
            assert node.told(operator.info.snake, texts, lang) == said(operator, texts, lang), (caveat.id, texts)
        given: Any = {one: values.parse(operator.info.param(one), text) for one, text in texts.items()}
        found = operator.explain(**given, product=product, conformance=caveat.modes[-1])
        assert found[product].mode(caveat.modes[-1]).verdict == VERDICTS[caveat.kind]

        words = [part for one, text in texts.items() for part in (f"--{one}", text)]
        capsys.readouterr()
        status = run(["explain", name, *words, "--product", product, "--conformance", caveat.modes[-1], "--json"])
        shown = json.loads(capsys.readouterr().out)
        assert shown["products"] == json.loads(json.dumps(found.to_dict()))["products"]
        assert status == STATUSES[found[product].verdict]
