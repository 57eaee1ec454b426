"""A pasted line of a log or of a recording, and pasted C++, give the call again."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.ask.node import Node

LOG = """aclspec layer: aclnnPreluGetWorkspaceSize returned 161002 (ACLNN_ERR_PARAM_INVALID)
  The number of elements of weight is 3; it must be 1 or the channel count of self (2).
   - while checking rule aclnnPrelu.weight-numel for atlas_a3
   - while calling aclnnPreluGetWorkspaceSize(self=FLOAT[4, 2]:ND:strides=[1, 4]:offset=2, weight=FLOAT[3]:ND, out=null)
"""
RECORD = {
    "operator": "aclnnPrelu",
    "product": "atlas_a2",
    "arguments": {
        "self": {"dtype": "FLOAT", "shape": [4, 2], "format": "ND", "strides": [1, 4], "offset": 0},
        "weight": {"dtype": "BF16", "shape": [2], "format": "ND", "storage_shape": [8]},
        "out": {"dtype": "FLOAT", "shape": [4, 2], "format": "ND"},
    },
}
CPP = """
  // the shapes
  std::vector<int64_t> gradShape = {2, 2, 7, 7};
  std::vector<int64_t> inputShape{2, 2, 7, 7};
  int64_t weightShape[] = {2, 2, 1, 1};
  std::vector<int64_t> steps = {1, 1}, none = {0, 0};
  int8_t cube = 1;
  aclTensor *grad = nullptr;
  ret = CreateAclTensor(gradData, gradShape, &gradAddr, aclDataType::ACL_FLOAT16, aclFormat::ACL_FORMAT_NCHW, &grad);
  aclTensor *input = aclCreateTensor(inputShape.data(), inputShape.size(), ACL_FLOAT16, nullptr, 0, ACL_FORMAT_NCHW,
                                     inputShape.data(), inputShape.size(), inputAddr);
  aclTensor *weight = aclCreateTensor(weightShape, 4, ACL_FLOAT16, nullptr, 0, ACL_FORMAT_NCHW, weightShape, 4, at);
  aclIntArray *stride = aclCreateIntArray(steps.data(), 2);
  auto padding = aclCreateIntArray(none.data(), 2);
  bool mask[3] = {true, true, false};
  aclBoolArray *outputMask = aclCreateBoolArray(mask, 3);
  ret = aclnnConvolutionBackwardGetWorkspaceSize(grad, input, weight, nullptr, stride, padding, stride, false,
      padding, 1, outputMask, cube, gradInput, gradWeight, nullptr, &size, &executor);
"""


def test_a_log(node: Node) -> None:
    found = node.pasted("prelu", LOG)
    assert found["product"] == "atlas_a3"
    assert found["unread"] == []
    assert found["texts"] == {"self": "FLOAT[4, 2]:ND:strides=1, 4:offset=2", "weight": "FLOAT[3]:ND", "out": "null"}
    assert node.tensors([found["texts"]["self"]]) == ["float32[4,2]:ND:strides=1,4:offset=2"]


def test_what_a_log_does_not_tell_is_left(node: Node) -> None:
    line = "aclnnCatGetWorkspaceSize(tensors=[FLOAT[4, 2]:ND, FLOAT[3, 2]:ND], dim=0, out=?)"
    found = node.pasted("cat", line)
    assert found["texts"] == {"tensors": "FLOAT[4, 2]:ND; FLOAT[3, 2]:ND", "dim": "0"}
    assert node.pasted("cat", line.replace("[FLOAT[4, 2]:ND, FLOAT[3, 2]:ND]", "[2 ?]"))["unread"] == ["tensors"]


def test_a_recording(node: Node) -> None:
    found = node.pasted("prelu", f'{{"aclspec_record": 1, "process": 7, "rank": ""}}\n{json.dumps(RECORD)}')
    assert found["product"] == "atlas_a2"
    assert found["texts"] == {
        "self": "FLOAT[4,2]:ND:strides=1,4",
        "weight": "BF16[2]:ND:storage=8",
        "out": "FLOAT[4,2]:ND",
    }
    scalar: dict[str, Any] = {"self": None, "other": {"dtype": "FLOAT", "value": 2.5}, "alpha": {"unknown": True}}
    found = node.pasted("adds", json.dumps({**RECORD, "operator": "aclnnAdds", "arguments": scalar}))
    assert (found["texts"], found["unread"]) == ({"self": "null", "other": "2.5:FLOAT"}, ["alpha"])


def test_cpp(node: Node) -> None:
    found = node.pasted("convolution_backward", CPP)
    assert found["texts"] == {
        "gradOutput": "FLOAT16[2,2,7,7]:NCHW",
        "input": "FLOAT16[2,2,7,7]:NCHW:storage=2,2,7,7",
        "weight": "FLOAT16[2,2,1,1]:NCHW:storage=2,2,1,1",
        "biasSizes": "null",
        "stride": "1,1",
        "padding": "0,0",
        "dilation": "1,1",
        "transposed": "false",
        "outputPadding": "0,0",
        "groups": "1",
        "outputMask": "true,true,false",
        "cubeMathType": "1",
        "gradBias": "null",
    }
    assert found["unread"] == ["gradInput", "gradWeight"]  # which nobody makes


def test_what_is_no_call_is_refused(node: Node) -> None:
    for text in ("hello", "{", "aclnnPreluGetWorkspaceSize", "{}"):
        assert node.pasted("prelu", text) == {"refused": "bad_paste"}
    assert node.pasted("prelu", LOG.replace("aclnnPrelu", "aclnnAdd")) == {"refused": "other_operator"}


def test_every_argument_of_a_call_comes_back(node: Node) -> None:
    """The texts of the form itself, as a log would have them."""
    texts = node.pasted("convolution_backward", CPP)["texts"]
    lists = ("stride", "padding", "dilation", "outputPadding", "outputMask")
    written = {name: re.sub(r"=([\d,]+)", r"=[\1]", text) for name, text in texts.items()}
    line = ", ".join(f"{name}={f'[{text}]' if name in lists else text}" for name, text in written.items())
    again = node.pasted("convolution_backward", f"aclnnConvolutionBackwardGetWorkspaceSize({line})")
    assert again["texts"] == texts
