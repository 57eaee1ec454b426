"""Forty calls that users got wrong: what is answered first, and what is proposed; each fix is called."""

from __future__ import annotations

import re
from typing import Any

import pytest

from aclspec import ops
from aclspec.runtime import Tensor
from aclspec.runtime.api.answers import ProductVerdict

REFUSED, NOT_PORTABLE = "CANN refuses this with", "CANN takes this, its document forbids it"
DEFAULTS: dict[str, dict[str, Any]] = {
    "prelu_backward": {"grad_output": "float32[4,2]", "self": "float32[4,2]", "weight": "float32[2]"},
    "prelu": {"self": "float32[4,2]", "weight": "float32[2]"},
    "avg_pool2d": {
        "self": "float16[1,2,8,8]:NCHW",
        "kernel_size": (3, 3),
        "strides": (2, 2),
        "paddings": (1, 1),
        "ceil_mode": False,
        "count_include_pad": True,
        "divisor_override": 0,
        "cube_math_type": 0,
    },
    "max_pool2d_with_mask": {"self": "float32[1,2,8,8]:NCHW", "kernel_size": (2, 2), "stride": (2, 2)},
    "convolution": {
        "input": "float16[2,4,6,6]:NCHW",
        "weight": "float16[8,4,3,3]:NCHW",
        "bias": "float16[8]",
        "stride": (1, 1),
        "padding": (1, 1),
        "dilation": (1, 1),
        "transposed": False,
        "output_padding": (0, 0),
        "groups": 1,
        "cube_math_type": 0,
    },
    "convolution_backward": {
        "grad_output": "float16[2,4,4,4]:NCHW",
        "input": "float16[2,4,6,6]:NCHW",
        "weight": "float16[4,4,3,3]:NCHW",
        "bias_sizes": (4,),
        "stride": (1, 1),
        "padding": (0, 0),
        "dilation": (1, 1),
        "transposed": False,
        "output_padding": (0, 0),
        "groups": 1,
        "output_mask": (True, True, True),
        "cube_math_type": 0,
    },
    "add": {"self": "float32[4,2]", "other": "float32[4,2]", "alpha": 1},
    "matmul": {"self": "float16[4,2]", "mat2": "float16[2,3]", "cube_math_type": 0},
    "softmax": {"self": "float32[4,2]", "dim": -1},
    "cat": {"tensors": ["float32[4,2]", "float32[4,2]"], "dim": 0},
    "index_select": {"self": "float32[4,2]", "dim": 0, "index": "int64[3]"},
    "layer_norm": {"input": "float32[4,2]", "normalized_shape": (2,), "weight_optional": "float32[2]"},
    "topk": {"self": "float32[4,8]", "k": 2},
}
VOLUME = {
    "grad_output": "bfloat16[2,4,4,4,4]:NCDHW",
    "input": "bfloat16[2,4,6,6,6]:NCDHW",
    "weight": "bfloat16[4,2,3,3,3]:NCDHW",
    "stride": (1, 1, 1),
    "padding": (0, 0, 0),
    "dilation": (1, 1, 1),
    "output_padding": (0, 0, 0),
    "groups": 2,
}
BF16 = {"grad_output": "bfloat16[4,2]", "self": "bfloat16[4,2]", "weight": "bfloat16[2]"}
# operator, product, what differs from the call above, the beginning of the answer, and of a fix; "" for none
CALLS: list[tuple[str, str, dict[str, Any], str, str]] = [
    ("prelu_backward", "310P", BF16, REFUSED, ""),  # the document has no such product
    ("prelu_backward", "910A", BF16, REFUSED, "Give gradOutput, self and weight the dtype FLOAT"),
    ("prelu_backward", "A2", {"weight": "float32[3]"}, REFUSED, "Give weight the shape [2]."),
    ("prelu_backward", "A2", {"self": "float16[4,2]"}, REFUSED, "Give self the dtype FLOAT."),
    ("prelu_backward", "A2", {"grad_output": "float32[4,3]"}, REFUSED, "Give gradOutput the shape [4, 2]."),
    ("prelu_backward", "A2", {"out": {"gradInput": "float32[2,4]"}}, REFUSED, "Give gradInput the shape [4, 2]."),
    ("prelu_backward", "A2", {"weight": None}, REFUSED, "Pass FLOAT["),
    ("prelu", "A2", {"self": "int32[4,2]", "weight": "int32[2]"}, REFUSED, "Give self and weight the dtype"),
    ("prelu", "A2", {"weight": "float32[5]"}, REFUSED, "Give weight the shape [2]."),
    ("avg_pool2d", "A2", {"paddings": (2, 2)}, REFUSED, "Set paddings to [1, 1]."),
    ("avg_pool2d", "A2", {"strides": (0, 0)}, REFUSED, "Set strides to [1, 1]."),
    ("avg_pool2d", "A2", {"kernel_size": (0, 3)}, REFUSED, "Set kernelSize to ["),
    ("avg_pool2d", "910A", {"self": "bfloat16[1,2,8,8]:NCHW"}, REFUSED, "Give self the dtype"),
    ("avg_pool2d", "A2", {"out": "float16[1,2,5,4]:NCHW"}, REFUSED, "Give out the shape [1, 2, 4, 4]."),
    ("max_pool2d_with_mask", "A2", {"kernel_size": (0, 2)}, REFUSED, "Set kernelSize to ["),
    ("max_pool2d_with_mask", "A2", {"padding": (2, 2)}, REFUSED, "Set padding to ["),
    ("max_pool2d_with_mask", "A2", {"self": "float32[8,8]:ND"}, REFUSED, ""),  # rank and format must change
    ("convolution", "A2", {"weight": "float16[8,3,3,3]:NCHW"}, REFUSED, "Give weight the shape [8, 4, 3, 3]."),
    ("convolution", "A2", {"bias": "float16[7]"}, REFUSED, "Give bias the shape [8]."),
    ("convolution", "A2", {"groups": 3}, REFUSED, "Set groups to 1."),
    ("convolution", "A2", {"stride": (0, 1)}, REFUSED, "Set stride to [1, 1]."),
    ("convolution", "A2", {"dilation": (0, 1)}, REFUSED, "Set dilation to [1, 1]."),
    ("convolution_backward", "A2", VOLUME, NOT_PORTABLE, "Give input the dtype FLOAT."),
    ("convolution_backward", "A2", {"groups": 0}, REFUSED, "Set groups to 1."),
    ("convolution_backward", "A2", {"grad_output": "float16[2,4,5,4]:NCHW"}, NOT_PORTABLE, "Give gradOutput the shape"),
    ("convolution_backward", "A2", {"output_mask": (True, True)}, REFUSED, "Set outputMask to [True, True, True]."),
    ("add", "A2", {"other": "float32[4,3]"}, REFUSED, "Give other the shape [4, 2]."),
    ("add", "A2", {"out": "float32[4,3]"}, REFUSED, "Give out the shape [4, 2]."),
    ("add", "910A", {"self": "bfloat16[4,2]", "other": "bfloat16[4,2]"}, REFUSED, "Give self and other the dtype"),
    ("matmul", "A2", {"mat2": "float16[3,3]"}, REFUSED, "Give mat2 the shape [2, 3]."),
    ("matmul", "A2", {"out": "float16[4,4]"}, REFUSED, "Give out the shape [4, 3]."),
    ("matmul", "A2", {"mat2": "int32[2,3]"}, REFUSED, "Give mat2 the dtype FLOAT16."),
    ("softmax", "A2", {"dim": 2}, REFUSED, "Set dim to 1."),
    ("softmax", "A2", {"self": "int32[4,2]"}, REFUSED, ""),
    ("cat", "A2", {"dim": 2}, REFUSED, "Set dim to "),
    ("cat", "A2", {"out": "float32[9,2]"}, REFUSED, "Give out the shape [8, 2]."),
    ("index_select", "A2", {"index": "float32[3]"}, REFUSED, "Give index the dtype INT"),
    ("index_select", "A2", {"index": "int64[3,1]"}, REFUSED, "Flatten the leading axes of index"),
    ("layer_norm", "A2", {"normalized_shape": (4,)}, REFUSED, ""),
    ("layer_norm", "A2", {"weight_optional": "float32[3]"}, REFUSED, "Give weightOptional the shape [2]."),
    ("topk", "A2", {"k": 9}, REFUSED, "Set k to "),
    ("topk", "A2", {"k": -1}, REFUSED, "Set k to "),
]


def described(value: Any) -> Any:
    """Tensors in place of their literals."""
    if isinstance(value, str):
        return Tensor.parse(value)
    if isinstance(value, list):
        return [described(item) for item in value]
    return {name: described(one) for name, one in value.items()} if isinstance(value, dict) else value


def verdict(name: str, product: str, changes: dict[str, Any], lang: Any = "en") -> ProductVerdict:
    call = {key: described(value) for key, value in (DEFAULTS[name] | changes).items()}
    return next(iter(ops.get(name).explain(product=product, lang=lang, **call).values()))


def test_the_calls_work_before_they_are_spoilt() -> None:
    assert [name for name in DEFAULTS if not verdict(name, "A2", {}).works] == []


@pytest.mark.parametrize(("name", "product", "changes", "answer", "fix"), CALLS)
def test_the_answer_comes_first_and_a_fix_with_it(
    name: str, product: str, changes: dict[str, Any], answer: str, fix: str
) -> None:
    found = verdict(name, product, changes)
    assert found.answer.startswith(answer), str(found)
    assert [one for one in found.fixes if one.sentence.startswith(fix)] or not fix, str(found)
    assert found.deciding.reasons
    assert re.search("[一-鿿]", verdict(name, product, changes, "zh").answer)
    for one in found.fixes:
        call = {key: described(value) for key, value in (DEFAULTS[name] | changes).items()}
        operator = ops.get(name)
        spelled = {param.snake: param.name for param in operator.params}
        out = {key: one.changes.get(key, value) for key, value in _outputs(operator, call.pop("out", None)).items()}
        changed = {spelled[key]: one.changes.get(spelled[key], value) for key, value in call.items()}
        given: dict[str, Any] = {**changed, "out": out} if out else changed
        assert operator.explain(product=product, **given).ok, one.sentence


def _outputs(operator: Any, out: Any) -> dict[str, Any]:
    return out if isinstance(out, dict) else {} if out is None else {operator.outputs[0].name: out}


def test_most_of_the_calls_have_a_fix() -> None:
    assert sum(bool(fix) for *_, fix in CALLS) >= 30
