"""A call explained over the products: status, violations, outcomes, shortcut, and all of it as plain values."""

from __future__ import annotations

import json

from aclspec import ops
from aclspec.codegen.render.manual.words import LANGS
from aclspec.runtime.abi.products import KEYS
from aclspec.runtime.abi.status import Status
from aclspec.runtime.api.explain import explain
from aclspec.runtime.rules.operator_info import RuleInfo
from tests.support.handmade import call, operator, rule, tensor

PRODUCT = RuleInfo("product", "product", (), (("document", "ACLNN_ERR_PARAM_INVALID"),))
EMPTY = rule(None, "is_empty(x)", name="empty", kind="shortcut", effect="unwritten")
INFO = operator(
    PRODUCT,
    rule("rank(x) == 2", name="rank"),
    rule("groups == 4", name="groups", products=("atlas_training",)),
    EMPTY,
    rule("kernel[9] == 1", name="late"),
)


def test_every_product_there_is() -> None:
    found = explain(INFO, call(groups=5))
    assert tuple(found) == KEYS
    assert [product for product, verdict in found.items() if verdict.ok] == ["atlas_a2"]
    assert not found.ok


def test_violations_in_the_order_of_the_checks() -> None:
    verdict = explain(INFO, call(x=tensor((2,)), groups=5), "atlas_training")["atlas_training"]
    assert verdict.status is Status.ACLNN_ERR_PARAM_INVALID
    assert verdict.rule == "aclnnEverything.rank"
    assert [tuple(one) for one in verdict.violations] == [
        ("aclnnEverything.rank", Status.ACLNN_ERR_PARAM_INVALID, "The rank of x is 1; it must be 2."),
        ("aclnnEverything.groups", Status.ACLNN_ERR_PARAM_INVALID, "groups is 5; it must be 4."),
    ]
    assert dict(verdict.outcomes) == {
        "aclnnEverything.product": "holds",
        "aclnnEverything.fits-int64": "holds",
        "aclnnEverything.rank": "fails",
        "aclnnEverything.groups": "fails",
        "aclnnEverything.empty": "n/a",
        "aclnnEverything.late": "n/a",
    }


def test_the_shortcut_that_is_taken() -> None:
    verdict = explain(INFO, call(x=tensor((2, 0))), ["atlas_a2"])["atlas_a2"]
    assert (verdict.ok, verdict.shortcut, verdict.effect) == (True, "aclnnEverything.empty", "unwritten")
    assert verdict.outcomes["aclnnEverything.late"] == "skipped"


def test_modes_and_languages() -> None:
    assert explain(INFO, call(), "ascend_950", "library").ok
    verdict = explain(INFO, call(x=tensor((2,))), "ascend_950", "library", "zh")["ascend_950"]
    assert verdict.violations[0].sentence == "x 的维数为 1；应为 2。"


def test_text_puts_products_together_that_say_the_same() -> None:
    lines = str(explain(INFO, call(x=tensor((2,))))).splitlines()
    assert lines[0] == "aclnnEverything (conformance: document, level: computed)"
    assert "atlas_training, atlas_a2: CANN refuses this with 161002 (ACLNN_ERR_PARAM_INVALID)" in lines
    assert "  aclnnEverything.rank (161002): The rank of x is 1; it must be 2." in lines
    alone = str(explain(INFO, call(x=tensor((2, 0))))["atlas_a2"]).splitlines()
    assert alone[0] == "atlas_a2: works"
    assert alone[1].startswith("  aclnnEverything.empty: When x is empty, the call succeeds")


def test_plain_values_survive_json() -> None:
    found = explain(INFO, call(x=tensor((2,)))).to_dict()
    assert json.loads(json.dumps(found)) == found
    assert found["operator"] == "aclnnEverything"
    assert found["products"]["atlas_a2"]["violations"] == [
        {"rule": "aclnnEverything.rank", "status": 161002, "sentence": "The rank of x is 1; it must be 2."}
    ]


def test_a_sentence_names_six_of_many_dtypes_and_plain_values_name_all() -> None:
    gather = ops.get("gather")
    wrong = {"self": tensor((2, 3), "INT4"), "dim": 0, "index": tensor((2, 3), "INT64"), "out": tensor((2, 3), "INT4")}
    ends = {"en": "FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, and 7 more.", "zh": "INT32、另有 7 项。"}
    for lang in LANGS:
        found = explain(gather.info, wrong, "atlas_a2", lang=lang)
        assert found["atlas_a2"].violations[0].sentence.endswith(ends[lang])
        whole = found.to_dict()["products"]["atlas_a2"]["violations"][0]["sentence"]
        assert "BF16" in whole
        assert whole.count("INT") > 5
