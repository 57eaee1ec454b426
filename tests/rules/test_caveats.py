"""What a spec knows beside its rules: calls that are not judged, missing kernels, products that nobody names."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from aclspec import ops
from aclspec.codegen.render.info import render_info
from aclspec.runtime.abi.errors import AclnnError
from aclspec.runtime.abi.status import Status
from aclspec.runtime.api.explain import explain
from aclspec.runtime.language.parser import parse_compiled
from aclspec.runtime.rules.operator_data import info_of
from aclspec.runtime.rules.operator_info import CaveatInfo, RuleInfo, Text
from aclspec.runtime.tensors.tensor import Tensor
from tests.support.handmade import call, operator, rule, tensor

PRODUCT = RuleInfo("product", "product", (), (("document", "ACLNN_ERR_PARAM_INVALID"),))
ODD = CaveatInfo(
    "odd",
    "unjudged",
    Text("Four groups are not looked into.", "未考察四组的情形。"),
    parse_compiled("groups == 4"),
    products=("atlas_training",),
    rules=("rank",),
)
NO_KERNEL = CaveatInfo(
    "five",
    "no kernel",
    Text("Five groups have no kernel.", "五组没有内核。"),
    parse_compiled("groups == 5"),
    status="ACLNN_ERR_INNER_NULLPTR",
    source="report",
)
INFO = replace(
    operator(
        PRODUCT,
        rule("rank(x) == 2", name="rank"),
        rule("groups != 9", name="groups"),
        rule(None, "is_empty(x)", name="empty", kind="shortcut", effect="unwritten"),
    ),
    caveats=(NO_KERNEL, ODD),
)
FLAT = tensor((2,))


def verdict(product: str = "atlas_training", **arguments: object) -> str:
    return explain(INFO, call(**arguments), product)[product].verdict


def test_a_caveat_decides_where_no_rule_refuses() -> None:
    assert verdict(groups=3) == "works"
    assert verdict(groups=4) == "not judged"
    assert verdict(groups=4, product="atlas_a2") == "works"
    assert verdict(groups=5) == "no kernel"
    assert verdict(groups=9) == "refused"


def test_a_rule_that_leaves_the_case_out_does_not_refuse_it() -> None:
    assert verdict(x=FLAT, groups=3) == "refused"
    assert verdict(x=FLAT, groups=5) == "refused"
    assert verdict(x=FLAT, groups=4, product="atlas_a2") == "refused"
    found = explain(INFO, call(x=FLAT, groups=4), "atlas_training")["atlas_training"]
    assert (found.verdict, found.status, found.works, found.rule) == ("not judged", None, None, None)
    assert found.outcomes["aclnnEverything.rank"] == "n/a"
    assert not found.fixes


def test_a_call_that_ends_early_needs_no_kernel() -> None:
    assert verdict(x=tensor((2, 0)), groups=5) == "works"


def test_the_mode_of_a_caveat() -> None:
    info = replace(INFO, caveats=(replace(ODD, modes=("library",)),))
    found = explain(info, call(x=FLAT, groups=4), "atlas_training")["atlas_training"]
    assert (found.document.verdict, found.library.verdict) == ("refused", "not judged")
    assert found.verdict == "not judged"


def test_a_product_that_only_the_library_does_not_refuse() -> None:
    assert verdict("ascend_950") == "undocumented"
    assert verdict("ascend_950", x=FLAT) == "refused"
    assert verdict("ascend_950", groups=5) == "no kernel"
    checked = replace(INFO, rules=(replace(PRODUCT, status=(*PRODUCT.status, ("library", "ACLNN_ERR_INNER"))),))
    assert explain(checked, call(), "ascend_950")["ascend_950"].verdict == "refused"


@pytest.mark.parametrize(
    ("lang", "lines"),
    [
        (
            "en",
            [
                "atlas_training: CANN has no kernel for this: 561103 (ACLNN_ERR_INNER_NULLPTR)",
                "  Five groups have no kernel. Public reports say so.",
            ],
        ),
        (
            "zh",
            [
                "atlas_training: CANN 没有用于该调用的内核：561103 (ACLNN_ERR_INNER_NULLPTR)",
                "  五组没有内核。依据：公开报告。",
            ],
        ),
    ],
)
def test_the_answer_names_the_evidence(lang: str, lines: list[str]) -> None:
    found = explain(INFO, call(groups=5), "atlas_training", lang=lang)["atlas_training"]  # type: ignore[arg-type]
    assert str(found).splitlines() == lines


SINCE = CaveatInfo(
    "seven",
    "version",
    Text("8.0.RC3 refuses seven groups, 8.1 takes them.", "8.0.RC3 拒绝七组，8.1 接受。"),
    parse_compiled("groups == 7"),
    status="ACLNN_ERR_PARAM_INVALID",
    source="report",
    since="8.1",
)
NEWEST = (None, "8.1.RC1", "8.10", "9.0")


@pytest.mark.parametrize("cann", [*NEWEST, "8.0.RC3", "7.0"])
def test_a_version_of_cann(cann: str | None) -> None:
    info = replace(INFO, caveats=(SINCE,))
    found = explain(info, call(groups=7), "atlas_a2", cann=cann)["atlas_a2"]
    sentence = "CANN before 8.1 refuses this. 8.0.RC3 refuses seven groups, 8.1 takes them. Public reports say so."
    assert found.verdict == ("works" if cann in NEWEST else "refused")
    assert (found.reasons or (found.note,)) == (sentence,)
    assert found.rule == (None if cann in NEWEST else "aclnnEverything.seven")
    assert explain(info, call(groups=6), "atlas_a2", cann=cann)["atlas_a2"].note == ""


UNTIL = replace(
    SINCE, id="nine", when=parse_compiled("groups == 9"), rules=("groups",), since="", until="8.1", source="library"
)


@pytest.mark.parametrize("cann", [*NEWEST, "8.0.RC3", "7.0"])
def test_a_version_of_cann_that_takes_a_call_no_more(cann: str | None) -> None:
    info = replace(INFO, caveats=(UNTIL,))
    found = explain(info, call(groups=9), "atlas_a2", cann=cann)["atlas_a2"]
    assert found.verdict == ("refused" if cann in NEWEST else "works")
    assert found.rule == ("aclnnEverything.groups" if cann in NEWEST else None)
    taken = "CANN before 8.1 takes this. 8.0.RC3 refuses seven groups, 8.1 takes them. The library's sources say so."
    assert found.note == (taken if cann in NEWEST else "")
    assert (str(found).splitlines()[-1] == f"  {taken}") is (cann in NEWEST)
    both = replace(info, caveats=(replace(UNTIL, since="7.5"),))
    found = explain(both, call(groups=9), "atlas_a2", cann=cann)["atlas_a2"]
    assert found.verdict == ("works" if cann == "8.0.RC3" else "refused")
    assert explain(info, call(groups=9, x=FLAT), "atlas_a2", cann="8.0")["atlas_a2"].rule == "aclnnEverything.rank"


@pytest.mark.parametrize("cann", ["8", "8.x", "CANN 8.0", "8.0x", ""])
def test_what_is_no_version_of_cann(cann: str) -> None:
    with pytest.raises(ValueError, match="The version of CANN"):
        explain(INFO, call(), "atlas_a2", cann=cann)


def test_plain_values() -> None:
    found = explain(INFO, call(groups=4), "atlas_training").to_dict()
    assert found["version"] == 1
    product = found["products"]["atlas_training"]
    assert (product["verdict"], product["works"], product["status"]) == ("not judged", None, None)
    assert product["library"]["note"] == "Four groups are not looked into."
    kernel = explain(INFO, call(groups=5), "atlas_training").to_dict()["products"]["atlas_training"]
    assert (kernel["verdict"], kernel["works"], kernel["status"]) == (
        "no kernel",
        False,
        Status.ACLNN_ERR_INNER_NULLPTR,
    )


def test_caveats_survive_the_file() -> None:
    assert info_of({**json.loads(render_info(INFO))} | {"rules": [], "lets": []}).caveats == INFO.caveats


def test_the_refusal_of_a_call_says_that_the_spec_leaves_the_case_out() -> None:
    line = "the spec leaves this case out, CANN may take the call"
    for product, said in (("ascend_950", True), ("atlas_a2", False)):
        with pytest.raises(AclnnError) as caught:
            ops.get("aclnnAbs")(Tensor(shape=(4,), dtype="complex32"), product=product)
        assert (line in str(caught.value)) is said


def test_families_and_variants_inherit_caveats() -> None:
    def rules(name: str) -> dict[str, tuple[str, ...]]:
        return {caveat.id: caveat.rules for caveat in ops.get(name).info.caveats}

    assert rules("triu")["complex32"] == ("dtype-self", "dtype-out")
    assert rules("elu") == {"complex": ("dtype-out",)}
    assert rules("inplace_elu") == {"bf16": ("dtype-self-ref",)}


def test_a_fix_never_leads_to_a_caveat() -> None:
    """FLOAT is what a LayerNorm of DOUBLE would become, and has no kernel on this product."""
    row = Tensor(shape=(2, 8), dtype="float64")
    found = ops.get("aclnnLayerNorm").explain(row, [8], product="atlas_200i_500_a2")
    assert found.verdicts["atlas_200i_500_a2"].verdict == "refused"
    assert [fix.changes["input"].dtype.name for fix in found.fixes] == ["FLOAT16"]
