"""An operator made by hand that has a parameter of every type, with rules from text, and calls of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aclspec.codegen.wording.rules import with_sentences
from aclspec.runtime.language.nodes import Node
from aclspec.runtime.language.parser import parse
from aclspec.runtime.rules.operator_info import ComputeInfo, LetInfo, OperatorInfo, ParamInfo, RowInfo, RuleInfo, Text
from aclspec.runtime.tensors.tensor import Tensor

DOC = Text("A parameter.", "参数。")
PARAMS = (
    ("x", "tensor", "in"),
    ("y", "tensor", "in"),
    ("parts", "tensor_list", "in"),
    ("alpha", "scalar", "in"),
    ("kernel", "int_array", "in"),
    ("stride", "int_array", "in"),
    ("mask", "bool_array", "in"),
    ("ratios", "float_array", "in"),
    ("flag", "bool", "in"),
    ("groups", "int64", "in"),
    ("eps", "double", "in"),
    ("mode", "string", "in"),
    ("acc", "dtype", "in"),
    ("out", "tensor", "out"),
)
FORMATS = ((4, ("NCHW", "NHWC")), (-1, ("ND",)))
INVALID = (("document", "ACLNN_ERR_PARAM_INVALID"), ("library", "ACLNN_ERR_PARAM_INVALID"))
ROWS = (
    RowInfo((("x", ("FLOAT",)), ("y", ("FLOAT",)), ("out", ("FLOAT", "FLOAT16"))), ("atlas_a2", "atlas_training")),
    RowInfo((("x", ("FLOAT16",)), ("y", ("FLOAT16",)), ("out", ("FLOAT", "FLOAT16"))), ("atlas_a2",)),
    RowInfo((("x", ("BF16",)), ("y", ("FLOAT",)), ("out", ("BF16",))), ("atlas_a2",), ("library",)),
)
LETS = (
    LetInfo("channels", parse("dim(x, 1)"), "int", Text("the channel count of x", "x 的通道数")),
    LetInfo(
        "axis",
        parse("wrap(groups - 5, rank(x))"),
        "int",
        Text("the axis groups - 5, counted from the start", "从头计数的轴 groups - 5"),
    ),
    LetInfo("half", parse("groups // 2"), "int"),
    LetInfo("global_window", parse("groups == 0"), "bool", Text("the global window", "全局窗口")),
    LetInfo("wide", parse("groups > 8 and flag"), "bool"),
)


def operator(*rules: RuleInfo, checked: Mapping[str, str] | None = None) -> OperatorInfo:
    """The operator with these rules; ``checked`` gives a parameter the guard of that name."""
    guards = {name: parse(text) for name, text in (checked or {}).items()}
    params: list[Any] = [
        ParamInfo(
            name,
            name,
            kind,
            direction,  # type: ignore[arg-type]
            DOC,
            formats=FORMATS if kind == "tensor" else (),
            checked=guards.get(name),
        )
        for name, kind, direction in PARAMS
    ]
    info = OperatorInfo(
        name="aclnnEverything",
        snake="everything",
        header="aclnn_everything.h",
        category="test",
        summary=DOC,
        spec="everything.yaml",
        products=(("atlas_a2", "document"), ("atlas_training", "document")),
        params=tuple(params),
        rows=ROWS,
        lets=LETS,
        rules=rules,
        infer=(),
        compute=ComputeInfo("none:none", (), ()),
    )
    return with_sentences(info)


def rule(text: str | None, when: str | Node | None = None, *, name: str = "r", **changes: Any) -> RuleInfo:
    """A rule from the texts of its predicate and its guard."""
    parts: dict[str, Any] = {
        "kind": "rule",
        "params": (),
        "status": INVALID,
        "require": None if text is None else parse(text),
        "when": parse(when) if isinstance(when, str) else when,
    }
    return RuleInfo(name, **{**parts, **changes})


def tensor(shape: tuple[int, ...], dtype: str = "FLOAT", format: str | None = None) -> Tensor:
    """A tensor without data."""
    return Tensor(shape=shape, dtype=dtype, format=format)


def call(**changes: object) -> dict[str, object]:
    """A call in which nothing is null, with these changes."""
    given: dict[str, object] = {
        "x": tensor((2, 3)),
        "y": tensor((4, 3)),
        "parts": (tensor((2,)), tensor((0,), "FLOAT16")),
        "alpha": 0.5,
        "kernel": (3, 2),
        "stride": (1, 0),
        "mask": (True, False, True),
        "ratios": (0.5, 2.0),
        "flag": True,
        "groups": 4,
        "eps": 1e-5,
        "mode": "mean",
        "acc": "FLOAT",
        "out": tensor((2, 3, 4, 5), format="NCHW"),
    }
    return {**given, **changes}
