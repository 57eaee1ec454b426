"""Warnings: what is legal and not good; and the schemas that help to write it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from aclspec.codegen.pages import short_forms
from aclspec.codegen.pages.predicate_reference import models
from aclspec.codegen.pipeline.load import lint
from aclspec.codegen.source.folders import find_specs
from aclspec.codegen.source.naming import Name
from aclspec.codegen.source.yaml_tree import plain, read
from aclspec.codegen.spec.json_schema import SCHEMAS, json_schema, schema_files
from aclspec.codegen.spec.project import Project
from tests.support.project import own_project

Load = Callable[..., Project]
CASES = {
    "category": (
        ("category: math", "category: maths"),
        "3:11: warning: The file of the category (maths) stands in a folder (math) of another name.",
    ),
    "formula": (
        ("latex: 'y = \\alpha x'", "latex: 'y = \\frac{\\alpha}{2 x \\}'"),
        "9:22: warning: The braces of a formula (out) do not pair.",
    ),
    "let": (("let:\n", "let:\n  unused: 3\n"), "62:3: warning: A let (unused) is never used."),
    "file": (
        ("op: aclnnScale", "op: aclnnScaled"),
        "1:5: warning: The file of aclnnScaled is called scale.yaml; expected scaled.yaml.",
    ),
    "mark": (
        ("zh: 缩放 self。", "zh: '缩放, self。'"),
        "4:33: warning: A Chinese text has an ASCII mark (,) beside a character; expected ，.",
    ),
}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_warning(load: Load, case: str) -> None:
    edit, message = CASES[case]
    assert [str(finding) for finding in load(edit).warnings] == [f"specs/math/scale.yaml:{message}"]


def test_null_checks_come_first(load: Load) -> None:
    joint = "  - {dtypes: [self, bias, out]}\n"
    project = load(("  - {null: all}\n", ""), (joint, joint + "  - {null: all}\n"))
    (finding,) = project.warnings
    assert (
        finding.message == "A null check comes after a check of another kind; the library does its null checks first."
    )


def test_nothing_to_say(load: Load) -> None:
    assert load().warnings == ()


UNTYPED = (
    ("  - name: sizes\n",
     "  - {name: other, type: KIND, direction: in, formats: [ND], doc: {en: More., zh: 更多。}}\n  - name: sizes\n"),
    ("- {format: [self, bias]}", "- {format: [self, bias, other]}"),
    ("- {rank: [self, bias]}", "- {rank: [self, bias, other]}"),
    ("      mode: 0\n", "      other: VALUE\n      mode: 0\n"),
)  # fmt: skip
ONE = "{dtype: FLOAT, shape: [1], values: 0}"


@pytest.mark.parametrize(
    ("kind", "rule"),
    [
        ("tensor", ""),
        ("tensor", "rank(other) < 8"),
        ("tensor", "dtype(self) == FLOAT or rank(other) < 8"),
        ("tensor", "dtype(other) in [FLOAT, FLOAT16]"),
        ("tensor", "promotable(dtype(self), dtype(other))"),
        ("tensor_list", ""),
        ("tensor_list", "all(rank(t) < 8 for t in other)"),
        ("tensor_list", "all(dtype(t) == FLOAT for t in other)"),
    ],
)
def test_a_tensor_of_any_dtype(load: Load, kind: str, rule: str) -> None:
    value = ONE if kind == "tensor" else f"[{ONE}]"
    edits = [(old, new.replace("KIND", kind).replace("VALUE", value)) for old, new in UNTYPED]
    added = f"  - {{id: of-other, require: '{rule}'}}\n" if rule else ""
    found = load(*edits, ("  - {contiguous: [self]}\n", f"{added}  - {{contiguous: [self]}}\n")).warnings
    text = (
        "specs/math/scale.yaml:27:12: warning: No dtype row and no rule limits the dtype of a tensor (other); "
        "expected it in the dtype rows."
    )
    is_limited = "dtype(other)" in rule or "dtype(t)" in rule
    assert [str(finding) for finding in found] == ([] if is_limited else [text])


def test_a_let_of_a_reference_is_used(load: Load) -> None:
    reference = "  reference:\n    formula: {out: self * extra}\n"
    let = ("let:\n", "let:\n  extra: {value: 2, doc: {en: two, zh: 二}}\n")
    assert load(let, ("examples:\n", f"{reference}examples:\n")).warnings == ()


def test_no_example(load: Load, scale_text: str) -> None:
    start, end = scale_text.index("examples:"), scale_text.index("notes:")
    (finding,) = load((scale_text[start:end], "")).warnings
    assert finding.message == "The operator has no example."


@pytest.mark.parametrize(
    ("values", "said"), [("[1, 2]", False), ("[3, 3]", True), ("3", True), ("[1, 0]", True), ("[0, 2]", False)]
)
def test_examples_of_plain_numbers_show_no_swapped_axis(load: Load, values: str, said: bool) -> None:
    found = load(("shape: [2], values: [1, 2]}", f"shape: [2], values: {values}}}")).warnings
    text = "Each input of the examples holds 0 and 1 or one number alone; a swapped axis would go unnoticed."
    assert [str(one) for one in found] == ([f"specs/math/scale.yaml:103:1: warning: {text}"] if said else [])


def test_examples_of_single_numbers_have_no_axis(load: Load) -> None:
    one = ("{dtype: FLOAT, shape: [2], values: [1, 2]}", "{dtype: FLOAT, shape: [1], values: [1]}")
    assert (
        load(one, ("{dtype: FLOAT, shape: [2], values: [2, 4]}", "{dtype: FLOAT, shape: [1], values: [2]}")).warnings
        == ()
    )


def test_lint_of_a_file(load: Load, specs: Path) -> None:
    load(CASES["let"][0], ("op: aclnnScale", "op: aclnnScaleUp"))
    (specs / "math" / "scale.yaml").rename(specs / "math" / "scale_up.yaml")
    (specs / "math" / "other.yaml").write_text("op: 1\n", encoding="utf-8")
    (specs / "math" / "late.yml").write_text("op: 1\n", encoding="utf-8")
    assert [finding.severity for finding in lint([specs / "math" / "scale_up.yaml"])] == ["warning"]
    assert {finding.file for finding in lint([specs])} == {
        "specs/math/other.yaml",
        "specs/math/scale_up.yaml",
        "specs/math/late.yml",
    }
    assert [finding.kind for finding in lint([specs / "nothing.yaml"])] == ["no-file"]


@pytest.mark.all
def test_the_own_specs_have_no_warnings() -> None:
    assert lint() == []


def _json(value: Any) -> Any:
    """What an editor sees: lists, and keys that are strings."""
    if isinstance(value, tuple):
        return [_json(item) for item in value]
    return {str(key): _json(item) for key, item in value.items()} if isinstance(value, dict) else value


def _document(path: Path) -> Any:
    tree = read(path).tree
    assert tree is not None
    return _json(plain(tree))


@pytest.mark.parametrize("kind", SCHEMAS)
def test_schemas_are_schemas(kind: str) -> None:
    jsonschema.Draft202012Validator.check_schema(json_schema(kind))


def test_every_key_of_the_schema_is_explained() -> None:
    """By `aclspec reference` and the site's page, be it of a model or of a short form."""
    known = short_forms.keys() | {row[0].strip("`") for _, rows in models() for row in rows}
    schema = json_schema("operator")
    assert {key for part in (schema, *schema["$defs"].values()) for key in part.get("properties", {})} <= known


@pytest.mark.all
def test_the_schema_accepts_the_specs() -> None:
    schema = json_schema("operator")
    validator = jsonschema.Draft202012Validator(schema)
    for operator in own_project().operators:
        validator.validate(_document(operator.path))
    jsonschema.validate(_document(Path(__file__).parent / "scale.yaml"), json_schema("operator"))
    common = find_specs() / "common"
    for kind in ("products", "status"):
        jsonschema.validate(_document(common / f"{kind}.yaml"), json_schema(kind))
    for path in (find_specs() / "clauses").glob("*.yaml"):
        jsonschema.validate(_document(path), json_schema("clauses"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    type: bool\n", "    type: boolean\n"),
        ("category: math\n", "category: math\nextra: 1\n"),
        ("- {length: [sizes]}", "- {lengths: [sizes]}"),
        ("zh: 缩放 self。", "cn: 缩放 self。"),
        ("      any: [ND]", "      11: [ND]"),
        ("formats: [ND, NCHW]", "formats: [ND, NCWH]"),
    ],
)
def test_the_schema_refuses(tmp_path: Path, scale_text: str, old: str, new: str) -> None:
    path = tmp_path / "scale.yaml"
    path.write_text(scale_text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(_document(path), json_schema("operator"))


def test_schema_files_are_reproducible() -> None:
    assert schema_files() == schema_files()
    assert all(text.endswith("}\n") for text in schema_files().values())


@pytest.mark.parametrize(
    ("c", "snake", "kebab"),
    [
        ("aclnnPreluBackward", "prelu_backward", "prelu-backward"),
        (
            "aclnnMaxPool2dWithMaskBackward",
            "max_pool2d_with_mask_backward",
            "max-pool2d-with-mask-backward",
        ),
        ("aclnnAddRmsNormQuantV2", "add_rms_norm_quant_v2", "add-rms-norm-quant-v2"),
        ("aclnnNLLLoss2d", "nll_loss2d", "nll-loss2d"),
        ("aclnnSmoothL1Loss", "smooth_l1_loss", "smooth-l1-loss"),
        ("aclnnConvertWeightToINT4Pack", "convert_weight_to_int4_pack", "convert-weight-to-int4-pack"),
        ("gradOutput", "grad_output", "grad-output"),
        ("inputG", "input_g", "input-g"),
        ("self", "self", "self"),
        ("lambda", "lambda_", "lambda"),
        ("product", "product_", "product"),
        ("aclnnCheck", "check_", "check"),
        ("aclnnRegister", "register_", "register"),
        ("check", "check", "check"),
        ("num_classes", "num_classes", "num-classes"),
    ],
)
def test_names(c: str, snake: str, kebab: str) -> None:
    name = Name(c)
    assert (name.snake, name.kebab, str(name)) == (snake, kebab, c)
