"""What a docstring says of parameters: in words, as the page does, with Python names and no name of a let."""

from __future__ import annotations

from dataclasses import replace

from aclspec.codegen.emit.fact_set import FactSet
from aclspec.codegen.emit.scope import Scope
from aclspec.codegen.render.params import Context, OutputView, ParamView
from aclspec.runtime.language.parser import parse
from aclspec.runtime.rules.operator_info import InferInfo, ParamInfo
from tests.support.handmade import operator

INFO = operator()
PARAMS = {param.name: param for param in INFO.params}


def context(*params: ParamInfo) -> Context:
    info = replace(
        INFO, params=(*(one for one in INFO.params if one.name not in {two.name for two in params}), *params)
    )
    return Context(info, untyped=False, inferring=False, passed=FactSet(Scope(info, ()), ()), omittable=False)


def test_an_output_is_described_in_words() -> None:
    kernel = replace(PARAMS["kernel"], snake="kernel_size")
    out = replace(PARAMS["out"], required=parse("wide"))
    rule = InferInfo("out", parse("[channels, half, kernel[0]]"), parse("dtype(x)"), None)
    view = OutputView(out, context(kernel, out), rule)
    assert " ".join(view.field_doc.split()).endswith(
        "shape: [the channel count of ``x``, ``groups`` // 2, ``kernel_size[0]``]; "
        "dtype unless given: the dtype of ``x``; "
        'None unless ``groups`` is greater than 8 and ``flag`` is true. """'
    )


def test_the_bounds_of_elements_are_described_in_words() -> None:
    x = replace(PARAMS["x"], elements=(("min", parse("0")), ("below", parse("channels"))))
    assert ParamView(x, context(x)).facts.endswith("; elements at least 0 and less than the channel count of ``x``.")
