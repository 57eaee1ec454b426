"""Directories of specs: what is read, from where, and with which result."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from aclspec.codegen.derive import Cases
from aclspec.codegen.emit.operator import emit
from aclspec.codegen.pipeline.load import load_project
from aclspec.codegen.render.build import OperatorBuild, Target
from aclspec.codegen.render.module import render_operator
from aclspec.codegen.source.findings import SpecErrors
from aclspec.codegen.source.folders import find_specs
from aclspec.codegen.spec.project import Operator, Project
from aclspec.runtime.abi.products import product_of
from aclspec.runtime.language.nodes import And, Call, Compare, IfElse, InRows, Int, ListOf, Name, Not, Str, Symbol
from aclspec.runtime.rules.operator_info import MODES, RuleInfo, TensorValue
from tests.support.project import own_project

PRODUCTS = """\
products:
  - {key: one, name: {en: One, zh: 一}, arch: 1, bf16: false, socs: [Soc1], default: true}
  - {key: two, name: {en: Two, zh: 二}, arch: 2, bf16: true, socs: [Soc2]}
"""


@pytest.fixture
def scale(load: Callable[..., Project]) -> Operator:
    return load().operators[0]


def rule(operator: Operator, rule_id: str) -> RuleInfo:
    return operator.info.rule(rule_id)


def test_the_own_specs_load() -> None:
    project = own_project()
    assert project.root == find_specs()
    assert {operator.info.name for operator in project.operators} >= {
        "aclnnPreluBackward",
        "aclnnBatchNormReduceBackward",
    }
    assert [finding for finding in project.warnings if finding.severity == "error"] == []
    assert project.operator("prelu_backward") is project.operator("aclnnPreluBackward")
    for operator in project.operators:
        assert operator.info.spec == f"specs/{operator.path.relative_to(project.root).as_posix()}"


@pytest.mark.all
def test_loading_twice_gives_equal_operators() -> None:
    """By their texts: a NaN that another process has read equals no other."""
    assert [repr(one.info) for one in own_project().operators] == [repr(one.info) for one in load_project().operators]


def test_names(scale: Operator) -> None:
    assert (scale.name.c, scale.name.snake) == ("aclnnScale", "scale")
    assert scale.info.spec == "specs/math/scale.yaml"
    assert scale.info.products == (("atlas_a2", "newer"), ("atlas_training", "newer"))


def test_order_of_the_checks(scale: Operator) -> None:
    assert [rule.id for rule in scale.info.rules] == [
        "product",
        "null-self",
        "null-sizes",
        "null-out",
        "dtype-self",
        "dtype-bias",
        "dtype-out",
        "dtypes",
        "format-self",
        "format-bias",
        "out-format",
        "rank-self",
        "rank-bias",
        "contiguous-self",
        "empty-bias",
        "length-sizes",
        "value-mode",
        "bias-bias",
        "sizes-positive",
        "rank-out",
        "out-shape",
        "not-nan",
        "empty-input",
    ]
    assert set(scale.places) == {rule.id for rule in scale.info.rules}
    assert scale.places["out-shape"].line == 84


def test_facts_as_predicates(scale: Operator) -> None:
    rank = Call("rank", (Name("self"),))
    assert rule(scale, "null-self").require == Not(Call("is_null", (Name("self"),)))
    assert rule(scale, "dtype-bias").require == InRows(("bias",))
    assert rule(scale, "dtypes").require == InRows(("self", "bias", "out"))
    assert rule(scale, "rank-self").require == And((Compare("<=", Int(1), rank), Compare("<=", rank, Int(4))))
    assert rule(scale, "rank-bias").require == Compare("<=", Call("rank", (Name("bias"),)), Int(8))
    assert rule(scale, "contiguous-self").require == Call("is_contiguous", (Name("self"),))
    assert rule(scale, "empty-bias").require == Not(Call("is_empty", (Name("bias"),)))
    assert rule(scale, "length-sizes").require == Compare("in", Call("len", (Name("sizes"),)), ListOf((Int(1), Int(2))))
    assert rule(scale, "value-mode").require == Compare("in", Name("mode"), ListOf((Int(0), Int(1))))
    formats = Call("format", (Name("bias"),))
    nchw, nd = Symbol("format", "NCHW"), Symbol("format", "ND")
    assert rule(scale, "format-bias").require == IfElse(
        Compare("==", Call("rank", (Name("bias"),)), Int(4)),
        Compare("in", formats, ListOf((nchw, nd))),
        Compare("==", formats, nd),
    )


def test_guards(scale: Operator) -> None:
    wanted = Name("wanted")
    assert rule(scale, "null-out").when == wanted
    assert rule(scale, "dtype-out").when == wanted
    # A parameter that is switched off is ignored by explicit rules too, and by those that speak of others beside it.
    assert rule(scale, "out-shape").when == wanted
    assert rule(scale, "dtypes").when is None
    assert rule(scale, "empty-bias").when == Compare("==", Name("mode"), Int(1))
    assert rule(scale, "null-self").when is None


def test_each(scale: Operator) -> None:
    assert rule(scale, "bias-bias").require == Compare(
        "==", Call("shape", (Name("bias"),)), ListOf((Name("channels"),))
    )
    assert rule(scale, "bias-bias").params == ("bias", "self", "mode")


def test_statuses(scale: Operator) -> None:
    assert dict(rule(scale, "null-self").status) == dict.fromkeys(MODES, "ACLNN_ERR_PARAM_NULLPTR")
    assert dict(rule(scale, "rank-self").status) == dict.fromkeys(MODES, "ACLNN_ERR_PARAM_INVALID")
    assert dict(rule(scale, "value-mode").status) == {
        "document": "ACLNN_ERR_PARAM_INVALID",
        "library": "ACLNN_ERR_INNER",
    }


def test_rows(scale: Operator) -> None:
    both = ("FLOAT", "FLOAT16")
    assert [dict(row.cells) for row in scale.info.rows] == [
        {"self": ("FLOAT",), "bias": both, "out": ("FLOAT",)},
        {"self": ("FLOAT16",), "bias": both, "out": ("FLOAT16",)},
        {"self": ("BF16",), "bias": ("BF16", "FLOAT"), "out": ("BF16",)},
    ]


def test_params(scale: Operator) -> None:
    params = {param.name: param for param in scale.info.params}
    assert params["self"].formats == ((-1, ("ND", "NCHW")),)
    assert params["bias"].formats == ((4, ("NCHW", "ND")), (-1, ("ND",)))
    assert (params["bias"].optional, params["bias"].empty, params["self"].noncontiguous) == (True, False, False)
    assert (params["mode"].default, params["mode"].has_default, params["wanted"].has_default) == (0, True, False)
    assert params["out"].required == params["out"].checked == Name("wanted")


def test_examples(scale: Operator) -> None:
    example = scale.info.examples[0]
    assert dict(example.inputs)["self"] == TensorValue("FLOAT", (2,), (1, 2))
    assert dict(example.inputs)["bias"] is None
    assert dict(example.inputs)["sizes"] == (1,)


def test_a_flat_directory(tmp_path: Path, scale_text: str) -> None:
    (tmp_path / "scale.yaml").write_text(scale_text, encoding="utf-8")
    (operator,) = load_project(tmp_path).operators
    assert operator.info.spec == f"{tmp_path.name}/scale.yaml"


def test_products_of_its_own(specs: Path, scale_text: str) -> None:
    (specs / "common").mkdir()
    (specs / "common" / "products.yaml").write_text(PRODUCTS, encoding="utf-8")
    text = scale_text.replace("atlas_training", "one").replace("atlas_a2", "two")
    (specs / "math" / "scale.yaml").write_text(text, encoding="utf-8")
    project = load_project(specs)
    assert [product.key for product in project.products] == ["one", "two"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("key: two", "key: one", "3:11: A product (one) is declared twice."),
        ("socs: [Soc2]", "socs: [soc1]", "3:68: A SoC name (soc1) already belongs to one."),
        (", default: true", "", "2:3: No product is the default; expected one."),
        ("socs: [Soc2]", "socs: [Soc2], default: true", "2:3: 2 products (one and two) are the default; expected one."),
        ("arch: 1", "arch: one", "2:46: The value of arch is a string (one); expected an integer."),
        ("socs: [Soc2]", "socs: [Soc2], standard_soc: Soc1", "3:89: The SoC name (Soc1) is not one of two."),
        (
            "socs: [Soc2]",
            "socs: [Soc2], cores: [{socs: [Soc3], cube: 1, vector: 1}]",
            "3:91: The SoC name (Soc3) is not one of two; did you mean Soc2?",
        ),
        (
            "socs: [Soc2]",
            "socs: [Soc2], cores: [{socs: [Soc2, Soc2], cube: 1, vector: 1}]",
            "3:97: The cores of a SoC (Soc2) are told twice.",
        ),
    ],
)
def test_bad_products(specs: Path, scale_text: str, old: str, new: str, message: str) -> None:
    (specs / "common").mkdir()
    (specs / "common" / "products.yaml").write_text(PRODUCTS.replace(old, new, 1), encoding="utf-8")
    text = scale_text.replace("atlas_training", "one").replace("atlas_a2", "two")
    (specs / "math" / "scale.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(SpecErrors) as caught:
        load_project(specs)
    assert f"specs/common/products.yaml:{message}" in [str(finding) for finding in caught.value.findings]


def test_the_own_products_tell_what_the_simulator_answers() -> None:
    """Each has a name that stands for it, and some cores; only names that are its own, of which a prefix is one."""
    for product in own_project().products:
        assert product.standard_soc is not None
        assert product_of(product.standard_soc) == product.key
        assert product.cores
    products = {product.key: product for product in own_project().products}
    assert products["ascend_950"].has_soc("Ascend950PR_1")
    assert not products["atlas_a2"].has_soc("Ascend910B")


def test_bad_statuses(specs: Path, scale_text: str) -> None:
    (specs / "common").mkdir()
    common = find_specs() / "common"
    (specs / "common" / "products.yaml").write_bytes((common / "products.yaml").read_bytes())
    text = (common / "status.yaml").read_text(encoding="utf-8").replace("ACLNN_SUCCESS", "ACLNN_SUCESS")
    (specs / "common" / "status.yaml").write_text(text, encoding="utf-8")
    (specs / "math" / "scale.yaml").write_text(scale_text, encoding="utf-8")
    with pytest.raises(SpecErrors) as caught:
        load_project(specs)
    assert [str(finding).split(": ", 1)[1] for finding in caught.value.findings] == [
        "No text is given for ACLNN_SUCCESS.",
        "A status (ACLNN_SUCESS) is unknown to the runtime; did you mean ACLNN_SUCCESS?",
    ]


CLAUSES = """\
document: "900"
file: 900.txt
operator: aclnnScale
clauses:
  - {id: 900.a.1, place: {en: A, zh: 甲}, says: {en: A., zh: 甲。}}
  - {id: 900.a.2, place: {en: A, zh: 甲}, says: {en: A., zh: 甲。}, waiver: {en: B., zh: 乙。}}
"""


WITH_CLAUSE = (
    "products:\n  - {product: atlas_a2}",
    'source: {document: "900"}\nproducts:\n  - {product: atlas_a2, clauses: [900.a.1]}',
)


def test_clauses(load: Callable[..., Project], specs: Path) -> None:
    (specs / "clauses").mkdir()
    (specs / "clauses" / "900.yaml").write_text(CLAUSES, encoding="utf-8")
    project = load(WITH_CLAUSE)
    assert [clause.id for clause in project.clauses[0].clauses] == ["900.a.1", "900.a.2"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("900.a.2", "900.a.1", "specs/clauses/900.yaml:6:10: A clause (900.a.1) is declared twice."),
        (
            "900.a.2",
            "901.a.2",
            "specs/clauses/900.yaml:6:10: A clause (901.a.2) does not start with the number of its document (900).",
        ),
        (
            "operator: aclnnScale",
            "operator: aclnnOther",
            "specs/math/scale.yaml:5:20: The document (900) describes aclnnOther, not aclnnScale.",
        ),
        (
            "900.a.1",
            "900.b.1",
            "specs/math/scale.yaml:7:35: A clause (900.a.1) does not exist; did you mean 900.b.1?",
        ),
    ],
)
def test_bad_clauses(errors: Callable[..., tuple[object, ...]], specs: Path, old: str, new: str, message: str) -> None:
    (specs / "clauses").mkdir()
    (specs / "clauses" / "900.yaml").write_text(CLAUSES.replace(old, new, 1), encoding="utf-8")
    found = errors(WITH_CLAUSE)
    assert message in [str(finding) for finding in found]


def test_two_files_of_one_operator(errors: Callable[..., tuple[object, ...]], specs: Path, scale_text: str) -> None:
    (specs / "math" / "again.yaml").write_text(scale_text, encoding="utf-8")
    (finding,) = errors()
    text = "An operator (aclnnScale) is already the subject of specs/math/again.yaml."
    assert str(finding) == f"specs/math/scale.yaml:1:5: {text}"


def test_the_errors_of_all_files(specs: Path, scale_text: str) -> None:
    for name in ("a", "b"):
        text = scale_text.replace("aclnnScale", f"aclnnScale{name.upper()}").replace("optional: true", "optional: 1")
        (specs / "math" / f"{name}.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(SpecErrors) as caught:
        load_project(specs)
    assert [finding.file for finding in caught.value.findings] == ["specs/math/a.yaml", "specs/math/b.yaml"]
    assert str(caught.value).count("\n") == 1


def test_settings_beside_roles(load: Callable[..., Project]) -> None:
    """A setting is chosen by the row, or by an expression; the kernel gets it in the mapping of the roles."""
    chosen = "{layout: \"'bits' if mode == 1 else 'argmax'\", block: 16}"
    operator = load(
        ("{compute: HFLOAT32}, products", f"{{compute: HFLOAT32}}, settings: {chosen}, products"),
        (
            "    - roles: {compute: FLOAT}\n",
            "    - {roles: {compute: FLOAT}, settings: {layout: \"'none'\", block: 1}}\n",
        ),
    ).operators[0]
    first, second = operator.info.compute.precision
    assert [name for name, _ in first.entries] == ["compute", "layout", "block"]
    assert second.settings == (("layout", Str("none")), ("block", Int(1)))
    target = Target("genops", ("atlas_a2", "atlas_training"))
    build = OperatorBuild(operator, emit(operator.info, target.universe, {}), cast(Cases, None))
    text = render_operator(build, target)
    assert ") -> dict[str, DType | str | int]:" in text
    assert 'return {"compute": _FLOAT, "layout": "none", "block": 1}' in text
