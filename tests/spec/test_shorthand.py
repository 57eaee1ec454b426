"""Short forms: each means what the long form means, and a mistake in one is found at its place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from aclspec.codegen.pipeline.load import load_project
from aclspec.codegen.source.findings import SpecErrors
from aclspec.runtime.rules.operator_info import OperatorInfo
from tests.support.fences import blocks

HERE = Path(__file__).parent
PLAIN = """\
op: aclnnHalve
summary: [Halves self., 将 self 减半。]
products: [atlas_training, atlas_a2]
params:
  self: {in: tensor, doc: [The input., 输入。]}
  out: {out: tensor, shape: shape(self), dtype: dtype(self), doc: [The output., 输出。]}
dtypes:
  - {same: [FLOAT, FLOAT16], add: {BF16: atlas_a2}}
rules:
  - {not-huge: numel(self) < 1000000}
compute: {kernel: "halve:halve", roles: {operand: dtype(self)}}
examples:
  two: {title: [Two elements, 两个元素], call: {self: "FLOAT[2]: 1 3", out: "FLOAT[2]: 0.5 1.5"}}
"""


def long_form() -> str:
    """The spec that has everything, which its original document lists."""
    return (HERE / "scale.yaml").read_text(encoding="utf-8").replace("op:", "listed_by: document\nop:", 1)


def compiled(specs: Path, text: str) -> OperatorInfo:
    (specs / "math" / "one.yaml").write_text(text, encoding="utf-8")
    (operator,) = load_project(specs).operators
    return operator.info


def refusal(specs: Path, *edits: tuple[str, str]) -> list[str]:
    """The findings about the plain spec with some texts replaced."""
    text = PLAIN
    for old, new in edits:
        assert text.count(old) == 1
        text = text.replace(old, new)
    with pytest.raises(SpecErrors) as caught:
        compiled(specs, text)
    return [str(finding) for finding in caught.value.findings if finding.severity == "error"]


def families(specs: Path, text: str) -> None:
    (specs / "common").mkdir()
    (specs / "common" / "families.yaml").write_text(text, encoding="utf-8")


def test_the_short_form_means_what_the_long_form_means(specs: Path) -> None:
    short = (HERE / "scale_short.yaml").read_text(encoding="utf-8")
    assert compiled(specs, short) == compiled(specs, long_form())


def test_all_leaves_out_what_another_entry_names(specs: Path) -> None:
    text = PLAIN.replace("rules:\n", "rules:\n  - {rank: out, enforced_by: document}\n")
    rules = {rule.id: rule for rule in compiled(specs, text).rules}
    assert list(rules)[-3:] == ["out-shape", "rank-out", "not-huge"]
    assert [mode for mode, _ in rules["rank-out"].status] == ["document"]
    assert [mode for mode, _ in rules["rank-self"].status] == ["document", "library"]


def test_the_usual_checks_stand_in_front_of_rules(specs: Path) -> None:
    info = compiled(specs, PLAIN)
    assert [rule.id for rule in info.rules] == [
        *("product", "null-self", "null-out", "dtype-self", "dtype-out", "dtypes"),
        *("format-self", "format-out", "rank-self", "rank-out", "out-shape", "not-huge"),
    ]
    assert [(row.products, dict(row.cells)["self"]) for row in info.rows] == [
        (("atlas_training",), ("FLOAT",)),
        (("atlas_training",), ("FLOAT16",)),
        (("atlas_a2",), ("FLOAT",)),
        (("atlas_a2",), ("FLOAT16",)),
        (("atlas_a2",), ("BF16",)),
    ]
    assert info.category == "math"
    assert info.header == "aclnn_halve.h"


def test_a_usual_check_is_stated_where_it_is_not_the_usual_one(specs: Path) -> None:
    own = "rules:\n  - {group: {enforced_by: document}, checks: [{format: all}, {null: all}]}\n"
    info = compiled(specs, PLAIN.replace("rules:\n", own))
    usual = compiled(specs, PLAIN)
    assert [rule.id for rule in info.rules] == [rule.id for rule in usual.rules]
    document_only = {rule.id for rule in info.rules if "library" not in dict(rule.status)}
    assert document_only == {"null-self", "null-out", "format-self", "format-out"}


def test_a_named_set_stands_for_its_words(specs: Path) -> None:
    named = PLAIN.replace("params:", "sets: {OPEN: [ND, NCHW], HALF: [FLOAT16, BF16]}\nparams:")
    named = named.replace("{in: tensor,", "{in: tensor, formats: OPEN,")
    named = named.replace("products: [atlas_training, ", "products: [")
    rows = "  - {row: {self: [FLOAT, HALF], out: T}, where: {T: [FLOAT, HALF]}}\n"
    info = compiled(specs, named.replace("  - {same: [FLOAT, FLOAT16], add: {BF16: atlas_a2}}\n", rows))
    assert info.params[0].formats == compiled(specs, named.replace(": OPEN", ": [ND, NCHW]")).params[0].formats
    assert {dict(row.cells)["self"] for row in info.rows} == {("FLOAT", "FLOAT16", "BF16")}
    assert [dict(row.cells)["out"] for row in info.rows] == [("FLOAT",), ("FLOAT16",), ("BF16",)]


def test_the_axes_of_one_rank_stand_in_a_list_of_their_own(specs: Path) -> None:
    def axes(text: str) -> tuple[tuple[str, ...], ...]:
        compiled(specs, PLAIN.replace("{in: tensor,", f"{{in: tensor, axes: {text},"))
        (operator,) = load_project(specs).operators
        return operator.spec.params[0].axes

    assert axes("[N, C]") == axes("[[N, C]]") == (("N", "C"),)
    assert axes("[[N, C], [N, C, L]]") == (("N", "C"), ("N", "C", "L"))


def test_the_header_is_named_after_the_operator_even_where_python_reserves_its_name(specs: Path) -> None:
    assert compiled(specs, PLAIN.replace("aclnnHalve", "aclnnCheck")).header == "aclnn_check.h"


def test_a_group_of_products_is_its_products(specs: Path) -> None:
    info = compiled(specs, PLAIN.replace("[atlas_training, atlas_a2]", "[before_a2, atlas_a2]"))
    assert [product for product, _ in info.products] == ["atlas_inference", "atlas_training", "atlas_a2"]


def test_a_stated_rule_takes_the_place_of_the_usual_one(specs: Path) -> None:
    info = compiled(specs, PLAIN.replace("not-huge: numel(self) < 1000000", "out-shape: numel(out) == numel(self)"))
    (rule,) = [rule for rule in info.rules if rule.id == "out-shape"]
    assert rule is info.rules[-1]


def test_one_tolerance_and_exact(specs: Path) -> None:
    (usual,) = compiled(specs, PLAIN).compute.tolerance
    assert usual.factor > 0
    exact = PLAIN.replace("roles: {operand", "tolerance: exact, roles: {operand")
    (tolerance,) = compiled(specs, exact).compute.tolerance
    assert tolerance.factor == 0


def test_an_example_is_like_another(specs: Path) -> None:
    more = PLAIN + '  same: {title: [The same, 相同], like: two, outputs: {out: "FLOAT[2]: 0.5 1.5"}}\n'
    one, other = compiled(specs, more).examples
    assert (one.inputs, one.outputs) == (other.inputs, other.outputs)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (
            ("numel(self) < 1000000", "numel(selff) < 1000000"),
            "specs/math/one.yaml:10:22: A name (selff) is neither a parameter nor a let; did you mean self?",
        ),
        (
            ("shape: shape(self)", "shape: shape(out)"),
            None,
        ),
        (
            ("self: {in: tensor,", "self: {in: tensr,"),
            None,
        ),
        (
            ("[Halves self., 将 self 减半。]", "[Halves self.]"),
            None,
        ),
        (
            ("{same: [FLOAT, FLOAT16]", "{same: [FLOAT, FLOAT17]"),
            None,
        ),
        (
            ('self: "FLOAT[2]: 1 3"', 'self: "FLOAT[2]: 1 3 5"'),
            "specs/math/one.yaml:13:51: A tensor of shape ([2]) has 2 elements; the example gives 3 values.",
        ),
        (
            ('self: "FLOAT[2]: 1 3"', 'self: "FLOAT[2 1]: 1 3"'),
            "specs/math/one.yaml:13:51: The value of entry 1 of shape is a string (2 1); expected an integer.",
        ),
        (
            ("BF16: atlas_a2", "BF16: atlas_a4"),
            None,
        ),
        (
            ("- {not-huge: numel(self) < 1000000}", "- {not-huge: [1]}"),
            None,
        ),
    ],
)
def test_a_mistake_is_found_at_its_place(specs: Path, edit: tuple[str, str], message: str | None) -> None:
    line = PLAIN[: PLAIN.index(edit[0])].count("\n") + 1
    found = refusal(specs, edit)
    assert any(one.startswith(f"specs/math/one.yaml:{line}:") for one in found), found
    assert message is None or found == [message]


FAMILY = """\
families:
  mapped:
    doc: [One for each., 逐一对应。]
    names: [x, out]
    spec:
      params:
        $out: {shape: shape($x), dtype: dtype($x)}
      rules:
        - {shortcut: nothing, when: is_empty($x), outputs: unwritten}
      let:
        elements: [numel($x), the number of elements, 元素个数]
"""


def test_a_rule_of_the_spec_stands_in_place_of_one_of_its_family(specs: Path) -> None:
    families(specs, FAMILY.replace("      rules:\n", "      rules:\n        - {not-huge: rank($x) < 8}\n"))
    text = PLAIN.replace("products:", "use: {mapped: {x: self}}\nproducts:")
    own = "  - {shortcut: nothing, when: numel(self) == 0, outputs: zeros}\ncompute:"
    for spec, effect in ((text, "unwritten"), (text.replace("compute:", own, 1), "zeros")):
        rules = compiled(specs, spec).rules
        assert [rule.id for rule in rules][-3:] == ["out-shape", "not-huge", "nothing"]
        assert rules[-1].effect == effect
        assert rules[-2].params == compiled(specs, PLAIN).rule("not-huge").params


def test_a_family_adds_what_the_spec_does_not_say(specs: Path) -> None:
    families(specs, FAMILY)
    text = PLAIN.replace("products:", "use: {mapped: {x: self}}\nproducts:").replace(
        "shape: shape(self), dtype: dtype(self), ", ""
    )
    info = compiled(specs, text)
    assert [rule.id for rule in info.rules][-3:] == ["out-shape", "not-huge", "nothing"]
    assert info.infer == compiled(specs, PLAIN).infer
    lets = "let:\n  twice: [2 * elements, twice the number, 个数的二倍]\nrules:"
    with_let = text.replace("rules:", lets).replace("numel(self) < 1000000", "twice < 2000000")
    assert [let.name for let in compiled(specs, with_let).lets] == ["elements", "twice"]
    usual = ", ".join(f"{{{kind}: all}}" for kind in ("product", "null", "dtype", "dtypes", "format", "rank"))
    whole = text.replace("rules:\n", f"checks:\n  - {{group: {{}}, checks: [{usual}]}}\n")
    whole = whole.replace("compute:", "  - {shortcut: end, when: numel(self) == 1, outputs: unwritten}\ncompute:")
    added = FAMILY.replace("      rules:\n", "      rules:\n        - {small: rank($x) < 8}\n")
    (specs / "common" / "families.yaml").write_text(added, encoding="utf-8")
    assert [rule.id for rule in compiled(specs, whole).rules][-4:] == ["not-huge", "small", "end", "nothing"]


@pytest.mark.parametrize(
    ("use", "message"),
    [
        ("maped", "A family (maped) does not exist; did you mean mapped?"),
        ("{mapped: {y: self}}", "A family (mapped) has no name (y); expected x and out."),
        ("{mapped: {x: slef}}", "A name (slef) is neither a parameter nor a let; did you mean self?"),
        (
            "[[mapped]]",
            "The value of use is no name of a family; expected a name, a list of names, or a mapping by name.",
        ),
    ],
)
def test_a_wrong_use_is_refused_where_it_stands(specs: Path, use: str, message: str) -> None:
    families(specs, FAMILY)
    found = refusal(specs, ("products:", f"use: {use}\nproducts:"), (" shape: shape(self), dtype: dtype(self),", ""))
    assert any(one.startswith("specs/math/one.yaml:3:") and message in one for one in found), found


def test_a_family_that_is_not_well_formed_is_found_in_its_file(specs: Path) -> None:
    families(specs, FAMILY.replace("names: [x, out]", "name: [x, out]"))
    with pytest.raises(SpecErrors) as caught:
        compiled(specs, PLAIN)
    assert "specs/common/families.yaml:3:5: The key (names) of mapped is missing" in str(caught.value.findings[0])


def test_clauses_of_one_place(specs: Path, errors: Callable[..., object]) -> None:
    del errors
    (specs / "clauses").mkdir()
    (specs / "clauses" / "900.yaml").write_text(
        'document: "900"\nfile: a.txt\noperator: aclnnHalve\nclauses:\n  - place: [Function, 功能]\n    says:\n'
        "      function.1: [It halves., 减半。]\n      function.2: {says: [Twice., 两次。], note: [Why?, 为何？]}\n",
        encoding="utf-8",
    )
    (specs / "math" / "one.yaml").write_text(
        PLAIN.replace("products:", 'source: {document: "900", clauses: [function.1, function.2]}\nproducts:'),
        encoding="utf-8",
    )
    project = load_project(specs)
    (file,) = project.clauses
    assert [(clause.id, clause.place.en, clause.says.zh) for clause in file.clauses] == [
        ("900.function.1", "Function", "减半。"),
        ("900.function.2", "Function", "两次。"),
    ]
    assert project.operators[0].spec.source is not None
    assert project.operators[0].spec.source.clauses == ("900.function.1", "900.function.2")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_reference_shows_a_complete_operator_and_a_family(specs: Path, repository: Path, lang: str) -> None:
    page = repository / "site" / "docs" / lang / "reference" / "spec.md"
    shown = {block.title: block.text for block in blocks(page)}
    assert [rule.id for rule in compiled(specs, shown["halve.yaml"]).rules][-2:] == ["out-shape", "empty"]
    families(specs, shown["families.yaml"])
    used = shown["halve.yaml"].replace("params:", "use: {broadcasting: {other: self}}\nparams:", 1)
    assert "broadcast" in [rule.id for rule in compiled(specs, used).rules]


SUM = """\
op: aclnnSum
summary: [The sum., 和。]
products: [atlas_training, atlas_a2]
params:
  self: {in: tensor, doc: [The first., 其一。]}
  other: {in: tensor, doc: [The second., 其二。]}
  alpha: {in: double, default: 1.0, doc: [A factor., 系数。]}
  out: {out: tensor, shape: shape(self), dtype: dtype(self), doc: [The sum., 和。]}
dtypes: [{same: [FLOAT, FLOAT16]}]
rules:
  - {other-shape: shape(other) == shape(self)}
compute: {kernel: "sums:sum", roles: {operand: dtype(self)}}
examples:
  one: {title: [One, 一], call: {self: "FLOAT[1]: 1", other: "FLOAT[1]: 2", alpha: 1.0, out: "FLOAT[1]: 3"}}
"""
HALF = """\
op: aclnnHalf
summary: [The half., 一半。]
products: [atlas_training, atlas_a2]
use: same
formula: {out: {latex: "x / 2"}}
params:
  self: {in: tensor, doc: [The input., 输入。]}
dtypes: [{same: FLOAT}, {same: FLOAT16}, {same: DOUBLE}]
rules: []
compute: {kernel: "sums:half", roles: {operand: dtype(self)}, reference: {formula: {out: self / 2}}}
examples:
  one: {title: [One, 一], call: {self: "FLOAT[1]: 1", out: "FLOAT[1]: 0.5"}}
"""
IN_PLACE = """\
op: aclnnInplaceSum
variant_of: math/sum.yaml
rename: {self: selfRef, out: selfRef}
params:
  selfRef: {inout: tensor}
  alpha: null
"""


def variant(specs: Path, text: str) -> OperatorInfo:
    (specs / "math" / "sum.yaml").write_text(SUM, encoding="utf-8")
    (specs / "math" / "inplace_sum.yaml").write_text(text, encoding="utf-8")
    return next(one.info for one in load_project(specs).operators if one.info.name != "aclnnSum")


def test_a_variant_takes_what_it_does_not_state(specs: Path) -> None:
    info = variant(specs, IN_PLACE)
    assert [(param.name, param.direction) for param in info.params] == [("selfRef", "inout"), ("other", "in")]
    assert info.header == "aclnn_inplace_sum.h"
    assert [rule.id for rule in info.rules][-2:] == ["rank-other", "other-shape"]
    assert dict(info.params[0].formats) == {-1: ("ND",)}
    assert info.examples == ()


def test_a_variant_may_have_more_parameters_in_its_own_order(specs: Path) -> None:
    more = "op: aclnnSumV2\nvariant_of: math/sum.yaml\nparams:\n  self: {}\n  other: {}\n  alpha: {default: 2.0}\n"
    info = variant(specs, more + "  keep: {in: bool, default: false, doc: [Whether., 是否。]}\n  out: {}\n")
    assert [param.name for param in info.params] == ["self", "other", "alpha", "keep", "out"]
    assert info.params[2].default == 2.0
    assert info.params[0].doc.en == "The first."
    assert [example.id for example in info.examples] == ["one"]


def test_a_variant_keeps_two_axes_of_one_name(specs: Path) -> None:
    square = SUM.replace("  other: {in: tensor", "  other: {in: tensor, rank: [1, 2], axes: [[N], [N, N]]")
    (specs / "math" / "sum.yaml").write_text(square, encoding="utf-8")
    (specs / "math" / "inplace_sum.yaml").write_text(IN_PLACE, encoding="utf-8")
    made = next(one for one in load_project(specs).operators if one.info.name == "aclnnInplaceSum")
    assert made.spec.params[1].axes == (("N",), ("N", "N"))


def test_a_variant_takes_families_with_its_own_names(specs: Path) -> None:
    text = (
        "families:\n  same:\n    doc: [The same shape., 同形。]\n    names: [self, out]\n    spec:\n      params:\n"
        "        $out: {out: tensor, shape: shape($self), dtype: dtype($self), doc: [The result., 结果。]}\n"
        "      rules: [{shortcut: empty, when: is_empty($self), outputs: unwritten}]\n"
        "      notes: {formats: {note: [ND alone., 仅 ND。], rules: format-$self}}\n"
    )
    families(specs, text)
    (specs / "math" / "half.yaml").write_text(HALF, encoding="utf-8")
    (specs / "math" / "inplace_half.yaml").write_text(
        "op: aclnnInplaceHalf\nvariant_of: math/half.yaml\nrename: {self: selfRef, out: selfRef}\n"
        "params:\n  selfRef: {inout: tensor}\n",
        encoding="utf-8",
    )
    made = next(one for one in load_project(specs).operators if one.info.name == "aclnnInplaceHalf")
    info = made.info
    assert [(param.name, param.direction) for param in info.params] == [("selfRef", "inout")]
    assert [formula.id for formula in made.spec.formula] == ["self-ref"]
    assert made.spec.notes[0].rules == ("format-self-ref",)
    assert [rule.id for rule in info.rules][1:-1] == [
        f"{kind}-self-ref" for kind in ("null", "dtype", "format", "rank")
    ]
    assert info.infer == ()
    assert info.compute.reference is not None
    assert info.compute.reference.outputs == (("selfRef", "selfRef / 2"),)


def test_a_variant_keeps_the_names_of_a_function_of_its_reference(specs: Path) -> None:
    torch = "{torch: torch.asin, arguments: {input: input}, outputs: {out: result}}"
    base = HALF.replace("use: same\n", "").replace("self", "input").replace("{formula: {out: input / 2}}", torch)
    out = "  out: {out: tensor, shape: shape(input), dtype: dtype(input), doc: [It., 它。]}\n"
    base = base.replace("dtypes:", out + "dtypes:")
    (specs / "math" / "half.yaml").write_text(base, encoding="utf-8")
    (specs / "math" / "inplace_half.yaml").write_text(
        "op: aclnnInplaceHalf\nvariant_of: math/half.yaml\nrename: {input: inputRef, out: inputRef}\n"
        "formula: null\nparams:\n  inputRef: {inout: tensor}\n",
        encoding="utf-8",
    )
    info = next(one.info for one in load_project(specs).operators if one.info.name == "aclnnInplaceHalf")
    assert info.compute.reference is not None
    assert info.compute.reference.arguments == (("input", "inputRef"),)


def test_what_families_of_a_variant_say_goes_before_what_it_takes(specs: Path) -> None:
    text = (
        "families:\n  in_place:\n    doc: [In place., 原地。]\n    names: [selfRef]\n    spec:\n      params:\n"
        "        $selfRef: {inout: tensor, doc: [Both., 输入与输出。]}\n"
        "      rules: [{shortcut: empty, when: is_empty($selfRef), outputs: unwritten}]\n"
    )
    families(specs, text)
    info = variant(specs, IN_PLACE.replace("params:\n  selfRef: {inout: tensor}\n", "use: in_place\nparams:\n"))
    assert [(param.name, param.direction) for param in info.params] == [("selfRef", "inout"), ("other", "in")]
    assert info.params[0].doc.en == "Both."
    assert info.rules[-1].id == "empty"


@pytest.mark.parametrize("base", ["math/summ.yaml", "math/inplace_sum.yaml", "."])
def test_a_variant_of_nothing_is_refused_where_it_says_so(specs: Path, base: str) -> None:
    with pytest.raises(SpecErrors) as caught:
        variant(specs, IN_PLACE.replace("math/sum.yaml", base))
    assert f"specs/math/inplace_sum.yaml:2:13: The spec ({base}) that this is a variant of does not exist" in str(
        caught.value
    )


def test_a_variant_renames_only_what_there_is(specs: Path) -> None:
    with pytest.raises(SpecErrors) as caught:
        variant(specs, IN_PLACE.replace("{self: selfRef,", "{slf: selfRef,"))
    assert (
        "specs/math/inplace_sum.yaml:3:10: A key of rename (slf) is no parameter of the spec that this is a variant of"
        "; did you mean self?"
    ) in str(caught.value)


@pytest.mark.parametrize(
    ("after", "what"),
    [
        ("FLOAT16[1]: 3", "dtype (FLOAT16) of selfRef; before the call it has FLOAT"),
        ("FLOAT[1, 1]: 3", "shape ([1, 1]) of selfRef; before the call it has [1]"),
    ],
)
def test_a_tensor_that_is_written_in_place_stays_what_it_is(specs: Path, after: str, what: str) -> None:
    call = '{selfRef: "FLOAT[1]: 1", other: "FLOAT[1]: 2"}'
    example = f'examples:\n  one: {{title: [One, 一], call: {call}, outputs: {{selfRef: "{after}"}}}}\n'
    with pytest.raises(SpecErrors) as caught:
        variant(specs, IN_PLACE + example)
    assert f"An example (one) expects a {what}." in str(caught.value)


def test_usual_cells_stand_in_the_rows_below_that_do_not_state_them(specs: Path) -> None:
    rows = """\
  - {row: {self: FLOAT, out: FLOAT}}
  - usual: {out: T}
  - {row: {self: [FLOAT16, INT16]}, where: {T: [FLOAT16]}}
  - {row: {self: INT8, out: INT32}}
"""
    info = compiled(specs, PLAIN.replace("  - {same: [FLOAT, FLOAT16], add: {BF16: atlas_a2}}\n", rows))
    assert [dict(row.cells) for row in info.rows] == [
        {"self": ("FLOAT",), "out": ("FLOAT",)},
        {"self": ("FLOAT16", "INT16"), "out": ("FLOAT16",)},
        {"self": ("INT8",), "out": ("INT32",)},
    ]


def test_a_mistake_in_usual_cells_is_found_at_its_place(specs: Path) -> None:
    rows = "{same: [FLOAT, FLOAT16], add: {BF16: atlas_a2}}"
    found = refusal(specs, (rows, "usual: {oot: FLOAT}\n  - {row: {self: FLOAT}}\n  - {row: {self: FLOAT16}}"))
    assert len(found) == 1
    assert "one.yaml:8:" in found[0]
    assert "oot" in found[0]
    assert "(row)" in refusal(specs, (rows, "usual: {self: FLOAT}"))[0]
    assert "(row)" in refusal(specs, (rows, "{usual: {self: FLOAT}, products: atlas_a2}"))[0]
    assert "(row)" in refusal(specs, (rows, "usual: [self]"))[0]


def test_the_value_of_a_misspelled_key_is_found_at_its_entry(specs: Path) -> None:
    found = refusal(specs, ("- {not-huge: numel(self) < 1000000}", "- {whem: A fraction, dtype: all}"))
    assert [one.split(": ")[0] for one in found] == ["specs/math/one.yaml:10:5", "specs/math/one.yaml:10:6"]


def test_there_may_be_no_dtype_rows(specs: Path) -> None:
    text = PLAIN.replace("\n  - {same: [FLOAT, FLOAT16], add: {BF16: atlas_a2}}", " []")
    assert compiled(specs, text).rows == ()
