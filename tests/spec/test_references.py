"""Names of a spec that mean nothing, or mean two things."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Refused = Callable[..., None]
PRODUCTS = "atlas_inference, atlas_training, atlas_a2, atlas_a3, ascend_950 or atlas_200i_500_a2"
DTYPES = (
    "FLOAT, FLOAT16, INT8, INT32, UINT8, INT16, UINT16, UINT32, INT64, UINT64, DOUBLE, BOOL, STRING, COMPLEX64, "
    "COMPLEX128, BF16, INT4, UINT1, COMPLEX32, HIFLOAT8, FLOAT8_E5M2, FLOAT8_E4M3FN, FLOAT8_E8M0, "
    "FLOAT6_E3M2 and 3 more"
)
CASES = {
    "a product": (
        ("- product: atlas_training", "- product: «atlas_traning"),
        f"A product (atlas_traning) is unknown; expected one of {PRODUCTS}; did you mean atlas_training?",
    ),
    "a product twice": (
        ("- product: atlas_training", "- product: atlas_training\n  - product: «atlas_a2"),
        "A product (atlas_a2) is listed twice.",
    ),
    "a product of a precision row": (
        ("products: [atlas_a2], when", "products: [«a2], when"),
        f"A product (a2) is unknown; expected one of {PRODUCTS}.",
    ),
    "a format twice": (
        ("formats: [ND, NCHW]", "formats: [ND, «ND]"),
        "A format (ND) is listed twice.",
    ),
    "a parameter of a check": (
        ("- {length: [sizes]}", "- {length: [sizes, «size]}"),
        "A check names a parameter (size) that does not exist; did you mean sizes?",
    ),
    "a parameter of each": (
        ("each: [bias]", "each: [bias, «bais]"),
        "A check names a parameter (bais) that does not exist; did you mean bias?",
    ),
    "a parameter of infer": (
        (
            "  out: {shape: shape(self), dtype",
            "  out: {shape: shape(self), dtype: dtype(self)}\n  «oot: {shape: shape(self), dtype",
        ),
        "A key of infer names a parameter (oot) that does not exist; expected an output; did you mean out?",
    ),
    "an input under tolerance": (
        ("    out: {terms: 1", "    «self: {terms: 1, unit: FLOAT}\n    out: {terms: 1"),
        "A key of tolerance names a parameter (self) that is an input; expected an output.",
    ),
    "a parameter of an example": (
        ("      mode: 0\n", "      mode: 0\n      «modes: 0\n"),
        "An example names a parameter (modes) that does not exist; did you mean mode?",
    ),
    "an output among the inputs of an example": (
        ("      mode: 0\n", "      mode: 0\n      «out: 0\n"),
        "An example names a parameter (out) that is not an input.",
    ),
    "a status": (
        ("library: ACLNN_ERR_INNER}", "library: «ACLNN_ERR_INER}"),
        "A status (ACLNN_ERR_INER) is unknown; expected a name such as ACLNN_ERR_PARAM_NULLPTR; "
        "did you mean ACLNN_ERR_INNER?",
    ),
    "a rule of by": (
        ("by: out-format}", "by: «out-formt}"),
        "A rule (out-formt) that covers the format of out does not exist; did you mean out-format?",
    ),
    "a rule of by that is about something else": (
        ("by: out-format}", "by: «sizes-positive}"),
        "A rule (sizes-positive) covers the format of out but does not speak of that parameter.",
    ),
    "a rule of a note": (
        ("    rules: [out-shape]", "    rules: [«out-shapes]"),
        "A note names a rule (out-shapes) that does not exist; did you mean out-shape?",
    ),
    "a rule of what is not judged": (
        ("notes:\n", "unjudged:\n  odd: {when: mode == 1, because: [B., 乙。], rules: [«out-shapes]}\nnotes:\n"),
        "An entry of unjudged names a rule (out-shapes) that does not exist; did you mean out-shape?",
    ),
    "everything not judged": (
        ("notes:\n", "unjudged:\n  «odd: {because: [B., 乙。]}\nnotes:\n"),
        "An entry of unjudged (odd) is about every call; expected when or products.",
    ),
    "a caveat about no call": (
        ("notes:\n", "unjudged:\n  odd: {when: «rank(self) < 0, because: [B., 乙。]}\nnotes:\n"),
        "An entry of unjudged (odd) is about no call: its predicate never holds.",
    ),
    "a version": (
        (
            "notes:\n",
            "versions:\n  odd: {products: [atlas_a2], source: report, since: «8.1.RC1, because: [B., 乙。]}\nnotes:\n",
        ),
        "The value (8.1.RC1) of since is wrong; expected two numbers and a dot, such as 8.1.",
    ),
    "no version": (
        ("notes:\n", "versions:\n  «odd: {source: report, because: [B., 乙。]}\nnotes:\n"),
        "An entry of versions (odd) names no version; expected since or until.",
    ),
    "a version without the rules of newer ones": (
        ("notes:\n", 'versions:\n  «odd: {source: report, until: "8.1", because: [B., 乙。]}\nnotes:\n'),
        "An entry of versions (odd) has until; expected rules, those that refuse the calls from then on.",
    ),
    "evidence of a missing kernel": (
        ("notes:\n", "kernels:\n  odd: {products: [atlas_a2], source: «rumour, because: [B., 乙。]}\nnotes:\n"),
        "The value (rumour) of source is unknown; expected document, library or report.",
    ),
    "a clause": (
        ("- {contiguous: [self]}", "- {contiguous: [self], clauses: [«000.x.1]}"),
        "A clause (000.x.1) does not exist.",
    ),
    "a field of clauses": (
        ("noncontiguous: refused", "noncontiguous: refused\n    clauses: {«format: []}"),
        "A field (format) of a parameter is unknown; expected one of name, type, direction, const, optional, required, "
        "checked, formats, rank, axes, empty, noncontiguous, partial, data_dependent, elements, values, "
        "lengths, default, doc or dtype; did you mean formats?",
    ),
    "a parameter twice": (
        ("  - name: alpha\n", "  - name: «wanted\n"),
        None,
    ),
    "parameters that differ in casing alone": (
        (
            "  - name: sizes\n",
            "  - {name: Bias, type: bool, direction: in, doc: {en: B., zh: 乙。}}\n  - name: sizes\n",
        ),
        None,
    ),
    "a rule twice": (
        ("- id: sizes-positive", "- id: «out-format"),
        "A rule (out-format) is declared twice; the first is on line 70.",
    ),
    "an implicit rule twice": (
        ("- {length: [sizes]}", "- {length: [sizes]}\n  - {rank: [«self]}"),
        "A rule (rank-self) is declared twice; the first is on line 72.",
    ),
    "a rule with the id of a check": (
        ("- id: sizes-positive", "- id: «null-self"),
        "A rule (null-self) has the id of the check of null; expected another id.",
    ),
    "a rule with the id of that of the language": (
        ("- id: sizes-positive", "- id: «fits-int64"),
        "A rule (fits-int64) has the id of the rule of the language; expected another id.",
    ),
    "a shortcut with the id of a check": (
        ("- shortcut: empty-input", "- shortcut: «rank-self"),
        "A rule (rank-self) has the id of the check of rank; expected another id.",
    ),
    "an example twice": (
        (
            "notes:",
            "  - {id: «small, title: {en: A, zh: 甲}, inputs: {self: {dtype: FLOAT, shape: [2], values: 1}, "
            "sizes: [1], mode: 0, alpha: 1.0, wanted: false}}\nnotes:",
        ),
        "An example (small) is declared twice.",
    ),
    "a note twice": (
        ("notes:", "notes:\n  - {id: only, kind: note, doc: {en: A., zh: 甲。}}"),
        None,
    ),
    "a let with the name of a parameter": (
        ("  channels: {", "  «mode: 3\n  channels: {"),
        None,
    ),
    "a let with the name of a dtype": (
        ("  channels: {", "  «FLOAT: 3\n  channels: {"),
        "A let (FLOAT) has a name that predicates reserve.",
    ),
    "a parameter with a reserved name": (
        ("  - name: alpha\n", "  - {name: «it, type: bool, direction: in, doc: {en: A., zh: 甲。}}\n  - name: alpha\n"),
        None,
    ),
    **{
        f"a parameter with a name in use ({name})": (
            (
                "  - name: alpha\n",
                f"  - {{name: «{name}, type: bool, direction: in, default: true, doc: {{en: A., zh: 甲。}}}}\n"
                "  - name: alpha\n",
            ),
            f"A parameter ({name}) has a name that the C prototype or the Python module cannot have; "
            "expected another name.",
        )
        for name in ("class", "restrict", "workspaceSize", "executor", "aclTensor", "int64_t", "OPERATOR", "_", "unix")
    },
    "an axis counted from the end": (
        ('{value: "dim(self, 0)"', '{value: "dim(self, «-1)"'),
        "Argument 2 of dim (-1) is negative; expected 0 or more, or rank(self) - 1 to count from the end.",
    ),
    "a bound counted from the end": (
        ("    require: all(s > 0 for s in sizes)", "    require: sum(slice(sizes, 0, «-1)) > 0"),
        "Argument 3 of slice (-1) is negative; expected 0 or more, or len(sizes) - 1 to count from the end.",
    ),
    "a tolerance of negative terms": (
        ("out: {terms: 1, unit", "out: {terms: «-5, unit"),
        "The number of terms of out (-5) is negative; expected how many terms each element sums.",
    ),
    "a tolerance of a negative factor": (
        ("out: {terms: 1, unit", "out: {terms: 1, factor: «-1, unit"),
        "The value (-1) of factor is wrong; expected at least 0.",
    ),
    **{
        f"the vendor's {theirs} in a row": (
            ("{self: BF16, bias: [BF16, FLOAT]", f"{{self: BF16, bias: [BF16, «{theirs}]"),
            f"A dtype ({theirs}) is unknown; expected a variable of the row or one of {DTYPES}; did you mean {ours}?",
        )
        for theirs, ours in (("BFLOAT16", "BF16"), ("FLOAT32", "FLOAT"), ("FLOAT64", "DOUBLE"), ("ACL_BF16", "BF16"))
    },
    "the vendor's name in a predicate": (
        ("unit: dtype(self)}", "unit: «BFLOAT16}"),
        "A name (BFLOAT16) is neither a parameter nor a let; did you mean BF16?",
    ),
    "the vendor's name in an example": (
        ("self: {dtype: FLOAT, shape", "self: {dtype: «FLOAT32, shape"),
        f"A dtype (FLOAT32) is unknown; expected one of {DTYPES}; did you mean FLOAT?",
    ),
    "a default that is not finite": (
        ("default: 1.0", "default: «.inf"),
        "The default (inf) of a parameter (alpha) is not finite; expected a number that is.",
    ),
    "a let that names itself": (
        ('{value: "dim(self, 0)"', '{value: "«channels + 1"'),
        "A let (channels) is used before it is declared; expected it above.",
    ),
    "a default that its C type cannot hold": (
        ("    default: 0\n", "    default: «128\n"),
        "The default of a parameter (mode) is an integer (128) that its C type cannot hold.",
    ),
    "it without each": (
        ("- id: sizes-positive", "- id: «sizes-{it}"),
        "An id holds {it} but the rule has no each.",
    ),
    "each without it": (
        ("- id: bias-{it}", "- id: «bias-shape"),
        "A rule with each needs {it} in its id (bias-shape).",
    ),
}


@pytest.mark.parametrize("case", [name for name, (_, message) in CASES.items() if message], ids=str)
def test_refused(refused: Refused, case: str) -> None:
    edit, message = CASES[case]
    refused(message, edit)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (CASES["a parameter twice"][0], "A parameter (wanted) is declared twice."),
        (
            CASES["parameters that differ in casing alone"][0],
            "A parameter (Bias) is the same as another (bias) in snake_case.",
        ),
        (CASES["a note twice"][0], "An id (only) stands twice under notes."),
        (CASES["a let with the name of a parameter"][0], "A let (mode) has the name of a parameter."),
        (CASES["a parameter with a reserved name"][0], "A parameter (it) has a name that predicates reserve."),
    ],
    ids=["a parameter twice", "casing", "a note twice", "let", "reserved"],
)
def test_refused_among_others(errors: Callable[..., tuple[object, ...]], edit: tuple[str, str], message: str) -> None:
    found = errors((edit[0], edit[1].replace("«", "")))
    assert message in [str(finding).split(": ", 1)[1] for finding in found]


@pytest.mark.parametrize("name", ["product", "Product", "conformance", "backend", "compute", "lang"])
def test_a_parameter_with_the_name_of_a_keyword(errors: Callable[..., tuple[object, ...]], name: str) -> None:
    declared = f"  - {{name: {name}, type: bool, direction: in, doc: {{en: A., zh: 甲。}}}}\n  - name: alpha\n"
    texts = [str(finding).split(": ", 1)[1] for finding in errors(("  - name: alpha\n", declared))]
    assert f"A parameter ({name}) has the name of a keyword that every call takes; expected another name." in texts


@pytest.mark.parametrize(("type_", "direction"), [("bool", "in"), ("tensor", "in"), ("tensor", "inout")])
def test_a_parameter_out_that_is_read(errors: Callable[..., tuple[object, ...]], type_: str, direction: str) -> None:
    declared = f"  - {{name: out, type: {type_}, direction: {direction}, doc: {{en: A., zh: 甲。}}}}\n  - name: alpha\n"
    texts = [str(finding).split(": ", 1)[1] for finding in errors(("  - name: alpha\n", declared))]
    head = "A parameter (out) has the name of a keyword that every call takes"
    assert f"{head}; expected the direction out or another name." in texts


def test_lets_that_name_each_other(errors: Callable[..., tuple[object, ...]]) -> None:
    other = '  other: {value: "channels", doc: {en: a, zh: 甲}}\n'
    found = errors(('{value: "dim(self, 0)"', '{value: "other"'), ("checks:\n", f"{other}checks:\n"))
    text = "A let (other) is used before it is declared; expected it above."
    assert [str(finding).split(": ", 1)[1] for finding in found] == [text]


def test_a_note_on_a_rule_with_mistakes(errors: Callable[..., tuple[object, ...]]) -> None:
    (finding,) = errors(("== shape(self)\n  - id: not-nan", "== shpae(self)\n  - id: not-nan"))
    assert "A function (shpae) is unknown" in str(finding)


def test_unknown_format(errors: Callable[..., tuple[object, ...]]) -> None:
    (finding,) = errors(("formats: [ND, NCHW]", "formats: [ND, NCWH]"))
    assert str(finding).startswith("specs/math/scale.yaml:14:19: A format (NCWH) is unknown; expected one of UNDEFINED")
    assert str(finding).endswith("did you mean NCHW?")


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("{T: [FLOAT, FLOAT16]}", "{T: [FLOAT, FLAOT16]}", "56:24"),
        ("bias: [BF16, FLOAT], out", "bias: [BF16, FP32], out", "59:36"),
        ("out: BF16}", "out: BFLOAT16}", "59:49"),
        ("self: {dtype: FLOAT,", "self: {dtype: FLOT,", "107:21"),
    ],
)
def test_unknown_dtype(errors: Callable[..., tuple[object, ...]], old: str, new: str, place: str) -> None:
    (finding,) = errors((old, new))
    word = next(word for word in ("FLAOT16", "FP32", "BFLOAT16", "FLOT") if word in new)
    assert str(finding).startswith(f"specs/math/scale.yaml:{place}: A dtype ({word}) is unknown; expected ")
