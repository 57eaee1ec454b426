"""The corpus of an operator: lines that are calls, which the command line takes, and what stands behind their ``#``."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from aclspec import ops
from aclspec.cli.main import main
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.rules.verdict import Verdict
from aclspec.runtime.testing.amount import amount
from aclspec.runtime.testing.corpus import Corpus, CorpusError, parse, read, signature_of, spell, words
from aclspec.runtime.testing.items import Failed, Items
from aclspec.runtime.testing.suite import Case, Literal, Suite

TOP = Path(__file__).parents[2]
VALUES: dict[str, tuple[Literal, ...]] = {
    "tensor": ("float32[4,2]", "bfloat16[]:NCHW:strides=1,4:offset=2", None),
    "tensors": (("float32[1]", "int8[]"), ("300 * float32[2]",), (), (None,), (None, "int8[1]"), None),
    "scalar": ("float32(1.5)", "int64(-3)", "bool(True)", "float32(nan)", None),
    "scalars": (("float32(1.0)", "float32(-inf)"), ("int8(1)",), (), None),
    "ints": ((1, -2), (5,), (), None),
    "bools": ((True, False), (), None),
    "floats": ((0.5, -1e-30), (), None),
    "bool": (True, False),
    "int": (0, -(2**63), 2**64 - 1),
    "float": (0.1, -1.0, math.inf),
    "string": ("none", "", " a", "it's", '"quoted"', "null", "a;b  # c", "--x 1", "面"),
    "dtype": ("BF16",),
}
TEXT = """\
# Calls of aclnnPreluBackward, written by `aclspec derive prelu_backward`.
# --gradOutput tensor
# --self tensor
# --weight tensor
# --gradInput tensor, else inferred
# --gradWeight tensor, else inferred
# document: atlas_a2
# library: atlas_a2

## base
--gradOutput 'float32[4]' --self 'float32[4]' --weight 'float32[1]' --gradInput 'float32[4]' --gradWeight null  # *

## passes
--gradOutput 'float16[4,2]' --self 'float16[4,2]' --weight 'float16[2]'  # wide: *

## weight-numel document=161002 library=561002 0123456789abcdef
--gradOutput 'float16[4,2]' --self 'float16[4,2]' --weight 'float16[3]'  # fails: *
--gradOutput 'float16[4,2]' --self 'float16[4,2]' --weight 'float16[3]' --gradInput null  # fails: document
# combinations self weight: FLOAT FLOAT16|BF16; library
# never decides: library
# fails only with: rank-self
# not decided: It is not decided whether it fails first.
--gradOutput 'float16[4,2]' --self 'float16[4,2]' --weight 'float16[5]'  # keep: a client passes it
--gradOutput 'float16[4,2]' --self 'float16[4,2]' --weight 'float16[2]'  # holds: *; keep: the bound
"""


@pytest.fixture
def corpus() -> Corpus:
    return read(TEXT, ops.get("aclnnPreluBackward").info)


def test_there_are_values_of_every_type() -> None:
    assert {kind.predicate for kind in PARAM_TYPES.values()} == VALUES.keys()


@pytest.mark.parametrize(
    ("key", "value"), [(key, value) for key, kind in PARAM_TYPES.items() for value in VALUES[kind.predicate]]
)
def test_a_value_survives_its_text(key: str, value: Literal) -> None:
    if value is None and not PARAM_TYPES[key].pointer:
        pytest.skip("no pointer")
    text = spell(key, value)
    assert repr(parse(key, text)) == repr(value)
    assert "\n" not in text


def test_lines_are_cases_and_outputs_follow(corpus: Corpus) -> None:
    suite = corpus.suite
    first, second = suite.violations
    assert (first.id, second.id, first.rule) == ("weight-numel-1", "weight-numel-2", "weight-numel")
    assert suite.call(first)["gradInput"] == "float16[4,2]"
    assert suite.call(second)["gradInput"] is None
    assert {cell.mode: outcome.status for cell, outcome in suite.outcomes(first).items()} == {
        "document": 161002,
        "library": 561002,
    }
    assert [case.id for case in suite.groups["combinations"]] == [
        "weight-numel-float-float16",
        "weight-numel-float-bf16",
    ]
    assert [case.id for case in suite.valid] == ["wide"]
    assert [cell.mode for cell in suite.gaps["weight-numel"]] == ["library"]


def test_what_else_a_file_says(corpus: Corpus) -> None:
    assert corpus.operator == "aclnnPreluBackward"
    assert corpus.digests == {"weight-numel": "0123456789abcdef"}
    assert corpus.companions == {"weight-numel": ("rank-self",)}
    assert corpus.undecided == (("weight-numel", "It is not decided whether it fails first."),)
    assert dict(corpus.signature) == signature_of(ops.get("aclnnPreluBackward").info)


def test_what_a_person_adds(corpus: Corpus) -> None:
    added, judged = corpus.kept
    assert (added.why, judged.why) == ("a client passes it", "the bound")
    assert added.call["weight"] == "float16[5]"
    assert corpus.unjudged == (TEXT.splitlines().index(next(one for one in TEXT.splitlines() if "client" in one)) + 1,)
    assert [case.id for case in corpus.suite.boundaries] == ["weight-numel-1"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# fails: *\n", "\n"),
        ("# fails: *\n", "# breaks: *\n"),
        ("# fails: *\n", "fails: *\n"),
        ("--weight 'float16[3]'  # fails: *", "# fails: *"),
        ("--weight 'float16[3]'  #", "--weigth 'float16[3]'  #"),
        ("# never decides", "# never"),
        ("document=161002", "document=soon"),
        ("# fails: document\n", "# fails: hardware\n"),
        ("## base\n", "## base\nnonsense\n"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(old: str, new: str) -> None:
    assert old in TEXT
    with pytest.raises(CorpusError, match=r"Line \d+ of the calls cannot be read"):
        read(TEXT.replace(old, new, 1))


def _lines(name: str) -> list[tuple[str, Case, Suite]]:
    """The first line of each kind of each rule of an operator, with its case."""
    text = (TOP / "generated" / "calls" / f"{name}.txt").read_text(encoding="utf-8")
    suite = read(text, ops.get(name).info).suite
    calls = [line for line in text.partition("## passes\n")[2].splitlines() if line.startswith("--")]
    signature = signature_of(ops.get(name).info)
    first = {(case.rule, group): case for group, cases in reversed([*suite.groups.items()]) for case in reversed(cases)}
    found = []
    for case in first.values():
        given = words(signature, suite.call(case), whole=True)
        line = next((one for one in calls if _whole(name, suite, one) == given), None)
        if line is not None:
            found.append((line, case, suite))
    return found


def _whole(name: str, suite: Suite, line: str) -> str:
    """A line with all that it leaves out."""
    info = ops.get(name).info
    call = read(f"{_head(name)}\n## passes\n{line.partition('  # ')[0]}  # one: *\n", info).suite
    call = Suite(call.operator, call.products, suite.base, call.valid, (), info=info)
    return words(signature_of(info), call.call(call.valid[0]), whole=True)


def _head(name: str) -> str:
    text = (TOP / "generated" / "calls" / f"{name}.txt").read_text(encoding="utf-8")
    return text.partition("\n## base\n")[0]


@pytest.mark.parametrize("name", ["prelu_backward", "adds", "cat", "foreach_norm", "arange", "linalg_vector_norm"])
def test_a_line_works_behind_explain(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines = _lines(name)
    assert len(lines) > 5
    for line, case, suite in lines[:: amount(8, 1)]:
        cell, outcome = next(iter(suite.outcomes(case).items()))
        given = shlex.split(line, comments=True)
        main(["explain", name, *given, "--product", cell.product, "--conformance", cell.mode, "--json"])
        verdict = json.loads(capsys.readouterr().out)["products"][cell.product]
        assert verdict["status"] == outcome.status, line
        assert [one["rule"] for one in verdict["violations"]][:1] == [
            f"{ops.get(name).name}.{rule}" for rule in outcome.failing[:1]
        ], line


@pytest.fixture
def broken() -> Callable[..., Operator]:
    """A double of an operator whose check answers what a test says."""

    def make(check: Callable[..., Verdict | None]) -> Operator:
        double = object.__new__(Operator)
        double.__dict__.update(vars(ops.get("aclnnPreluBackward")))
        double.check = check
        return double

    return make


def test_a_failing_item_lists_every_call_that_failed(broken: Callable[..., Operator]) -> None:
    operator = broken(lambda *args: None)
    text = (TOP / "generated" / "calls" / "prelu_backward.txt").read_text(encoding="utf-8")
    suite = read(text, operator.info).suite
    items = {item.name: item for item in Items(operator, suite)}
    cases = [case for case in suite.cases if case.rule == "dtype-self"]
    assert len(cases) > 5
    with pytest.raises(Failed) as caught:
        items["dtype-self-document"].run()
    said = str(caught.value).splitlines()
    assert said[0] == f"{len(cases)} calls fail; a line is one for `aclspec explain prelu_backward`:"
    assert sum(line.startswith("--") for line in said) == len(cases)
    assert sum("reproduce(" in line for line in said) == len(cases)
    items["passes-document"].run()


def test_items_have_names_of_their_own() -> None:
    for name in ("prelu_backward", "adds", "quant_matmul_v4"):
        operator = ops.get(name)
        text = (TOP / "generated" / "calls" / f"{name}.txt").read_text(encoding="utf-8")
        names = [item.name for item in Items(operator, read(text, operator.info).suite)]
        assert len(set(names)) == len(names)
        assert {"passes-document", "passes-library", "elsewhere", "inferred"} <= set(names)
        assert ("without-kernel" in names) == (not operator.info.facts.has_kernel)
