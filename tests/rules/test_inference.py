"""An output that the caller leaves out is judged as it follows from the inputs, and blamed for nothing of theirs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aclspec import ops
from aclspec.runtime.api.explain import explain
from aclspec.runtime.language.parser import parse_compiled
from aclspec.runtime.rules.inference import completed
from aclspec.runtime.rules.interpreter import INFERRED
from aclspec.runtime.rules.operator_info import InferInfo, OperatorInfo
from tests.agreement.test_agreement import derived_calls
from tests.support.handmade import call, operator, rule, tensor
from tests.support.operators import some


def inferring(shape: str, *rules: tuple[str, str]) -> OperatorInfo:
    """The operator made by hand whose output has a shape, with rules by their names."""
    entry = InferInfo("out", parse_compiled(shape), parse_compiled("dtype(x)"))
    return replace(operator(*(rule(text, name=name) for name, text in rules)), infer=(entry,))


LONGER = inferring("shape(x) + [1]", ("rank-x", "rank(x) <= 2"), ("rank-out", "rank(out) <= 2"))


@pytest.mark.parametrize(
    ("shape", "decides", "outcome"),
    [((2,), None, "holds"), ((2, 3), "rank-out", "fails"), ((2, 3, 4), "rank-x", "n/a")],
)
def test_a_rule_about_an_output_that_was_left_out(shape: tuple[int, ...], decides: str | None, outcome: str) -> None:
    found = explain(LONGER, call(x=tensor(shape), out=INFERRED), "atlas_a2")["atlas_a2"]
    assert found.rule == (decides and f"aclnnEverything.{decides}")
    assert found.outcomes["aclnnEverything.rank-out"] == outcome
    assert len(found.reasons) == (decides is not None)
    given = explain(LONGER, call(x=tensor(shape), out=tensor((*shape, 1))), "atlas_a2")["atlas_a2"]
    assert found.verdict == given.verdict


def test_the_sentence_has_what_follows() -> None:
    found = explain(LONGER, call(x=tensor((2, 3)), out=INFERRED), "atlas_a2")["atlas_a2"]
    assert found.reasons == ("The rank of out is 3; it must be at most 2.",)


def test_an_output_that_does_not_follow_stays_left_out() -> None:
    info = inferring("[dim(x, 4)]", ("rank-out", "rank(out) == 7"))
    given = call(x=tensor((2, 3)), out=INFERRED)
    assert completed(info, given) is given
    assert explain(info, given, "atlas_a2")["atlas_a2"].outcomes["aclnnEverything.rank-out"] == "n/a"


def test_an_output_that_is_not_required_is_null() -> None:
    params = tuple(
        replace(param, required=parse_compiled("flag")) if param.name == "out" else param for param in LONGER.params
    )
    info = replace(LONGER, params=params)
    for flag, shape in ((True, (2, 1)), (False, None)):
        out: Any = completed(info, call(x=tensor((2,)), flag=flag, out=INFERRED))["out"]
        assert (out and out.shape) == shape


def test_what_was_given_is_kept() -> None:
    given = call(x=tensor((2,)), out=tensor((9,)))
    assert completed(LONGER, given) is given


@pytest.mark.parametrize("name", some(16, small=5))
def test_the_interpreter_infers_what_the_generated_function_does(name: str, repository: Path) -> None:
    table = ops.get(name)
    outputs = [param.name for param in table.outputs if not param.is_input]
    for given in derived_calls(table, repository)[:12]:
        found = completed(table.info, {**given, **dict.fromkeys(outputs, INFERRED)})
        wanted = table.inferred([given[param.name] for param in table.inputs])
        for param, output in zip(table.outputs, wanted, strict=True):
            if not param.is_input:
                mine = found[param.name]
                assert described(None if mine is INFERRED else mine) == described(output), (param.name, given)


def described(value: Any) -> Any:
    """The shapes and dtypes of tensors."""
    if isinstance(value, tuple | list):
        return [described(one) for one in value]
    return value and (value.shape, value.dtype)


def test_an_optional_output_that_is_not_supported_stays_null() -> None:
    adaptive = ops.get("aclnnAdaLayerNormQuant")
    x, row = tensor((1, 2), "FLOAT16"), tensor((2,), "FLOAT16")
    assert adaptive.explain(x, row, row, product="atlas_a2")["atlas_a2"].ok
    out = (tensor((1, 2), "INT8"), tensor((1,), "FLOAT"), tensor((0,), "FLOAT"))
    found = adaptive.explain(x, row, row, out=out, product="atlas_a2")["atlas_a2"]
    assert found.rule == "aclnnAdaLayerNormQuant.dtype-quant-offset-optional"
