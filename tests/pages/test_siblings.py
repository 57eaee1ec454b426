"""The relatives of an operator, by its name."""

from __future__ import annotations

import pytest

from aclspec.codegen.pages.siblings import Form, form_of, siblings
from tests.support.project import own_project


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("aclnnPrelu", Form("prelu", False, False, 1)),
        ("aclnnHardswishBackwardV2", Form("hardswish", True, False, 2)),
        ("aclnnFlashAttentionScoreGradV2", Form("flashattentionscore", True, False, 2)),
        ("aclnnMoeInitRoutingV2Grad", Form("moeinitrouting", True, False, 2)),
        ("aclnnInplaceAddV3", Form("add", False, True, 3)),
        ("aclnnGrad", Form("grad", False, False, 1)),
    ],
)
def test_a_name_is_taken_apart(name: str, form: Form) -> None:
    assert form_of(name) == form


def test_relatives_have_their_kinds() -> None:
    project = own_project()
    assert siblings(project, "aclnnPrelu") == {"gradient": ["aclnnPreluBackward"]}
    assert siblings(project, "aclnnPreluBackward") == {"forward": ["aclnnPrelu"]}
    found = siblings(project, "aclnnFlashAttentionScore")
    assert found["gradient"][0] == "aclnnFlashAttentionScoreGrad"
    assert "aclnnFlashAttentionScoreV2" in found["versions"]
    assert "aclnnInplaceAdd" in siblings(project, "aclnnAdd")["in_place"]
    assert siblings(project, "aclnnInplaceAdd")["out_of_place"][0] == "aclnnAdd"
