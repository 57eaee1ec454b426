"""What the layer says: the sentence of the rule, once, in the language asked for; modes; and the life of handles."""

from __future__ import annotations

from pathlib import Path

import pytest

from aclspec import ops
from aclspec.runtime import Tensor
from tests.layer.conftest import Layer, Stub

FORMATS = """
#include <cstdio>
#include "acl/acl.h"
#include "aclnnop/aclnn_prelu_backward.h"
int main() {
  const int64_t shape[] = {4, 2}, one[] = {1};
  aclInit(nullptr);
  aclrtSetDevice(0);
  void* block;
  aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST);
  char* memory = static_cast<char*>(block);
  aclTensor* large[3];
  for (aclTensor*& tensor : large) {
    tensor = aclCreateTensor(shape, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_NCHW, shape, 2, memory += 512);
  }
  aclTensor* weight = aclCreateTensor(one, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, one, 1, memory += 512);
  aclTensor* grad_weight = aclCreateTensor(one, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, one, 1, memory += 512);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  std::printf("%d\\n", aclnnPreluBackwardGetWorkspaceSize(large[0], large[1], weight, large[2], grad_weight, &size,
                                                          &executor));
  return 0;
}
"""
"""The documents want ND, and the library does not look."""
LIBRARY = {"ACLSPEC_CONFORMANCE": "library"}


def sentence(zh: bool = False) -> str:
    """What Python says of the call of three channels."""
    operator = ops.get("aclnnPreluBackward")
    plane, weight = Tensor(shape=(4, 2), dtype="float32"), Tensor(shape=(3,), dtype="float32")
    found = operator.explain(plane, plane, weight, product="atlas_a2", lang="zh" if zh else "en")
    return found["atlas_a2"].violations[0].sentence


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_reason_is_that_of_python(layer: Layer, lang: str) -> None:
    done = layer.run(layer.program("linked"), ACLSPEC_LANG=lang, **layer.preload)
    assert sentence(lang == "zh") in done.err
    assert done.err.count(sentence(lang == "zh")) == 1  # of two calls alike
    assert "2 refused by the simulator: aclnnPreluBackward.weight-numel" in done.err or lang == "zh"
    assert "weight=FLOAT[3]:ND" in done.err


def test_what_the_documents_forbid(layer: Layer) -> None:
    program = layer.simulator.compile(FORMATS)
    explained = layer.run(program, **LIBRARY, **layer.preload)
    assert explained.out == "0\n"
    assert "format-" not in explained.err
    portable = layer.run(program, ACLSPEC_LAYER="portability", **LIBRARY, **layer.preload)
    assert portable.out == "0\n"
    assert "while checking rule aclnnPreluBackward.format-grad-output for atlas_a2" in portable.err
    enforced = layer.run(program, ACLSPEC_LAYER="enforce", **LIBRARY, **layer.preload)
    assert enforced.out == "161002\n"
    assert "is refused by the layer with 161002" in enforced.err
    assert "aclnnPreluBackward.format-grad-output" in enforced.err


def test_a_refusal_that_only_the_documents_explain(layer: Layer) -> None:
    documents = {"ACLSPEC_CONFORMANCE": "document"}
    refused = layer.run(layer.simulator.compile(FORMATS), **layer.preload, **documents)
    assert refused.out == "161002\n"
    assert "aclnnPreluBackward.format-grad-output" in refused.err
    assert "only the documents have this rule" in refused.err


@pytest.mark.parametrize(
    ("status", "en", "zh"),
    [
        (561000, "No rule of the specs explains this. Please report the call", "请将此调用报告给规格维护者。"),
        (561003, "CANN most likely has no kernel for this here", "CANN 在此处很可能没有可用的内核"),
        (561103, "CANN most likely has no kernel for this here", "CANN 在此处很可能没有可用的内核"),
        (561112, "CANN does not find the kernels package of this SoC", "CANN 找不到该 SoC 的内核包"),
        (561002, "its tiling refuses this", "任务切分（tiling）拒绝了该调用"),
        (361001, "A call of the runtime below the operator failed", "算子之下的运行时调用失败"),
    ],
)
def test_a_failure_that_no_rule_explains(layer: Layer, status: int, en: str, zh: str) -> None:
    fault = {"ACLSPEC_FAULT": f"aclnnFlipGetWorkspaceSize:1={status}"}
    done = layer.run(layer.program("linked"), **fault, **layer.preload)
    assert f"aclnnFlipGetWorkspaceSize returned {status}" in done.err
    assert en in done.err
    assert ("report the call" in done.err) == (status == 561000)
    assert zh in layer.run(layer.program("linked"), ACLSPEC_LANG="zh", **fault, **layer.preload).err
    assert "1 refused by the simulator, explained by no rule: aclnnFlip" in done.err


@pytest.mark.parametrize(
    ("lang", "sentences"),
    [
        ("en", ["CANN has no kernel for this. ", " - the case aclnnFlip.none-200i of the specs"]),
        ("zh", ["CANN 没有用于该调用的内核。", " - 规格中的情形 aclnnFlip.none-200i"]),
    ],
)
def test_a_failure_of_which_the_spec_knows(layer: Layer, lang: str, sentences: list[str]) -> None:
    fault = {"ACLSPEC_FAULT": "aclnnFlipGetWorkspaceSize:1=561103", "ACLSPEC_SOC": "Ascend310B4"}
    done = layer.run(layer.program("linked"), ACLSPEC_LANG=lang, **fault, **layer.preload)
    assert "aclnnFlipGetWorkspaceSize returned 561103" in done.err or lang == "zh"
    because = ops.get("aclnnFlip").info.caveats[0].because
    assert getattr(because, lang) in done.err
    for sentence in sentences:
        assert sentence in done.err
    assert "report the call" not in done.err
    assert "1 refused by the simulator: aclnnFlip.none-200i" in done.err or lang == "zh"


TWICE = """
#include <cstdio>
#include "acl/acl.h"
#include "aclnnop/aclnn_flip.h"
int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  for (int64_t axis = 0; axis < 2; ++axis) {
    const int64_t shape[] = {4, 2};
    void *from, *to;
    aclrtMalloc(&from, 32, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(&to, 32, ACL_MEM_MALLOC_HUGE_FIRST);
    aclTensor* self = aclCreateTensor(shape, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 2, from);
    aclTensor* out = aclCreateTensor(shape, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 2, to);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    std::printf("%d\\n", aclnnFlipGetWorkspaceSize(self, aclCreateIntArray(&axis, 1), out, &size, &executor));
  }
  return 0;
}
"""


def test_what_worked_before_is_named(layer: Layer) -> None:
    """The second call alone fails, so that the dtype of the first is known to have a kernel here."""
    program = layer.simulator.compile(TWICE)
    for number, said in ((1, False), (2, True)):
        done = layer.run(program, ACLSPEC_FAULT=f"aclnnFlipGetWorkspaceSize:{number}=561103", **layer.preload)
        assert done.out.splitlines()[number - 1] == "561103"
        assert ("CANN took other calls of this operator here, with self of FLOAT\n" in done.err) is said


def test_a_doubt_about_the_spec(stub: Stub) -> None:
    """The stub accepts whatever it gets."""
    done = stub.run("hostile", "500")
    assert "accepted by CANN, refused by the spec: the spec may be wrong: aclnnPreluBackward." in done.err


@pytest.mark.parametrize("soc", ["Ascend910A", "Ascend310P3"])
def test_the_product_is_that_of_the_device(layer: Layer, soc: str) -> None:
    product = {"Ascend910A": "atlas_training", "Ascend310P3": "atlas_inference"}[soc]
    assert f" for {product}" in layer.run(layer.program("linked"), ACLSPEC_SOC=soc, **layer.preload).err


def test_a_file_for_the_report(layer: Layer, tmp_path: Path) -> None:
    log = tmp_path / "report"
    done = layer.run(layer.program("linked"), ACLSPEC_LAYER_LOG=str(log), RANK="3", **layer.preload)
    assert "aclspec layer" not in done.err
    lines = log.read_text("utf-8").splitlines()
    assert len(lines) > 5
    assert all(line.startswith("[process ") and ", rank 3] " in line for line in lines)


def test_words_that_mean_nothing(layer: Layer) -> None:
    done = layer.run(layer.program("linked"), ACLSPEC_LAYER="loud", ACLSPEC_PRODUCT="atlas_9", **layer.preload)
    assert "The value of ACLSPEC_LAYER (loud)" in done.err
    assert done.err.count("The value of ACLSPEC_PRODUCT (atlas_9)") == 1


MISUSES = {
    "destroy-twice": "aclDestroyTensor destroys the aclTensor",
    "element-twice": "aclDestroyTensor destroys the aclTensor",
    "use-after": "is called with a handle (self) that was destroyed before; it returned 161002.",
    "run-twice": "its executor has run before, and was not made repeatable.",
    "never-run": "Executors whose phase two never ran: 1",
    "small-workspace": "with a workspace of 511 bytes, fewer than the 512 that phase one asked for.",
    "null-workspace": "with a null workspace of 512 bytes.",
    "left": "aclTensor: 2",
}


@pytest.mark.parametrize("how", MISUSES)
def test_a_handle_is_misused(layer: Layer, how: str) -> None:
    program = layer.program("lives")
    plain, layered = layer.run(program, how), layer.run(program, how, **layer.preload)
    assert (plain.status, plain.out) == (layered.status, layered.out)
    assert MISUSES[how] in layered.err


def test_a_right_life(layer: Layer) -> None:
    layered = layer.run(layer.program("lives"), "repeatable", **layer.preload)
    assert "aclspec layer" not in layered.err


def test_where_a_handle_was_created(layer: Layer) -> None:
    program = layer.program("lives", "-rdynamic")
    variables = {"ACLSPEC_LAYER_BACKTRACE": "1", **layer.preload}
    assert "created at" in layer.run(program, "left", **variables).err
    assert "created at" not in layer.run(program, "left", **layer.preload).err
