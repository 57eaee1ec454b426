"""What a spec may not say, key by key: one sentence at the exact place."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Refused = Callable[..., None]
PARAM_KEYS = (
    "name, type, direction, const, optional, required, checked, formats, rank, axes, empty, noncontiguous, partial, "
    "data_dependent, elements, "
    "values, lengths, default, doc or clauses"
)
CHECK_KEYS = "product, null, dtype, format, rank, empty, contiguous, length, value, dtypes, require or shortcut"
CASES = {
    "unknown key": (
        ("    noncontiguous: refused", "    «noncontigous: refused"),
        f"The key (noncontigous) of entry 1 of params is unknown; expected one of {PARAM_KEYS}; "
        "did you mean noncontiguous?",
    ),
    "unknown key at the top": (
        ("formula:", "«formulas:"),
        "The key (formulas) of the file is unknown; expected one of op, header, category, summary, level, draft, "
        "sample, torch, source, products, formula, params, dtypes, let, checks, infer, compute, examples, calls, "
        "notes, unjudged, kernels or versions; did you mean formula?",
    ),
    "a name that calls no operator in PyTorch": (
        ("formula:", "torch: [torch.mul, «mul]\nformula:"),
        "The value (mul) of entry 2 of torch is wrong; expected a function such as torch.add, Tensor.add, aten::add or "
        "torch_npu.npu_swiglu.",
    ),
    "missing key": (
        ("summary: {en: Scales self., zh: 缩放 self。}", "summary: «{en: Scales self.}"),
        "The key (zh) of summary is missing; expected en and zh.",
    ),
    "wrong word": (
        ("direction: out\n", "direction: «outt\n"),
        "The value (outt) of direction is unknown; expected in, out, inout or unknown; did you mean out?",
    ),
    "wrong type": (
        ("optional: true", "optional: «1"),
        "The value of optional is a number (1); expected true or false.",
    ),
    "a text where a list stands": (
        ("rank: [1, 4]", "rank: «any"),
        "The value of rank is a string (any); expected a list.",
    ),
    "a list where a text stands": (
        ("require: format(out) == ND", "require: «[format(out) == ND]"),
        "The value of require is a list; expected a string, a number or true or false.",
    ),
    "a word where a mapping stands": (
        ("    out: {terms: 1, unit: dtype(self)}", "    out: «exact"),
        "The value of out is a string (exact); expected a mapping with terms and unit.",
    ),
    "a word where the only mapping of a list stands": (
        (
            "    - {roles: {compute: HFLOAT32}, products: [atlas_a2], when: mode == 1}\n"
            "    - roles: {compute: FLOAT}\n",
            "    - «FLOAT\n",
        ),
        "The value of entry 1 of precision is a string (FLOAT); expected a mapping with roles.",
    ),
    "null": (
        ("kernel: scale:scale", "kernel: «~"),
        "The value of kernel is null; expected a string.",
    ),
    "an element of the wrong type": (
        ("lengths: [1, 2]", "lengths: [1, «two]"),
        "The value of entry 2 of lengths is a string (two); expected an integer.",
    ),
    "a pattern": (
        ("op: aclnnScale", "op: «Scale"),
        "The value (Scale) of op is wrong; expected a C name such as aclnnPreluBackward.",
    ),
    "a long name of an axis": (
        ("    noncontiguous: refused", "    axes: [N, «channels]\n    noncontiguous: refused"),
        "The value (channels) of entry 2 of axes is wrong; expected one to six letters, digits or slashes, "
        "such as N, Cin or kH.",
    ),
    "an id that is not kebab-case": (
        ("id: out-shape", "id: «outShape"),
        "The value (outShape) of id is wrong; expected lower-case words joined by hyphens, such as weight-numel or "
        "shape-{it}.",
    ),
    "out of range": (
        ("rank: [1, 4]", "rank: [1, «9]"),
        "The value (9) of entry 2 of rank is wrong; expected at most 8.",
    ),
    "a pair of one": (("rank: [1, 4]", "rank: «[1]"), "The list rank has 1 element; expected 2."),
    "a pair of none": (("rank: [1, 4]", "rank: «[]"), "The list rank has 0 elements; expected 2."),
    "an empty list": (
        ("each: [bias]", "each: «[]"),
        "The value of each is wrong; it has 0 elements; expected at least 1.",
    ),
    "an empty text": (("en: The bias.", "en: «''"), "The value () of en is wrong; expected some text."),
    "a wrong key of a map": (
        ("      any: [ND]", "      «anny: [ND]"),
        "The key (anny) of formats is wrong; expected any; did you mean any?",
    ),
    "a check of no kind": (
        ("- {length: [sizes]}", "- «{lenght: [sizes]}"),
        f"A check (lenght) does not say its kind; expected one key of {CHECK_KEYS}; did you mean length?",
    ),
    "a check of two kinds": (
        ("- {contiguous: [self]}", "- {contiguous: [self], «empty: [self]}"),
        "A check has 2 kinds (contiguous, empty); expected one of them.",
    ),
    "a check that is a word": (
        ("- {contiguous: [self]}", "- «contiguous"),
        "A check is a string (contiguous); expected a mapping.",
    ),
    "an unknown key of a check": (
        ("- {contiguous: [self]}", "- {contiguous: [self], «claues: []}"),
        "The key (claues) of entry 9 of checks is unknown; expected one of enforced_by, clauses, doc, products, "
        "status, when, id, by or contiguous; did you mean clauses?",
    ),
    "a mode that does not exist": (
        ("{document: ACLNN_ERR_PARAM_INVALID,", "{«documents: ACLNN_ERR_PARAM_INVALID,"),
        "The key (documents) of status is wrong; expected document or library; did you mean document?",
    ),
    "values of an example": (
        ("values: [1, 2]}", "values: [1, «x]}"),
        "The value of entry 2 of values is a string (x); expected a number.",
    ),
    "an example's tensor": (
        ("self: {dtype: FLOAT, shape: [2]", "self: {dtype: FLOAT, shape: [«-2]"),
        "The value (-2) of entry 1 of shape is wrong; expected at least 0.",
    ),
    "a text with a comma": (
        ("summary: {en: Scales self., zh: 缩放 self。}", "summary: «[One step, all of it, 一步。]"),
        "The value of summary is a list of 3 parts; expected [English, Chinese], each in "
        "quotes where it holds a comma.",
    ),
    "a text in one language": (
        ("summary: {en: Scales self., zh: 缩放 self。}", "summary: «[Scales self.]"),
        "The value of summary is a list of 1 part; expected [English, Chinese].",
    ),
    "a text that is a word": (
        ("doc: {en: The input., zh: 输入。}", "doc: «The input."),
        "The value of doc is a string (The input.); expected [English, Chinese].",
    ),
    "the number of a status": (
        ("- {contiguous: [self]}", "- {contiguous: [self], status: «161002}"),
        "The value of status is a number (161002); expected a name such as ACLNN_ERR_PARAM_NULLPTR; "
        "did you mean ACLNN_ERR_PARAM_INVALID?",
    ),
    "the number of a status in one mode": (
        ("{document: ACLNN_ERR_PARAM_INVALID, library", "{document: «161, library"),
        "The value of document is a number (161); expected a name such as ACLNN_ERR_PARAM_NULLPTR.",
    ),
    "a function that is none of PyTorch": (
        ("  tolerance:\n", "  reference: {torch: «torh.add, outputs: {out: result}}\n  tolerance:\n"),
        "The value (torh.add) of torch is wrong; expected a function of PyTorch, such as torch.add.",
    ),
    "a let without a value": (
        ('{value: "dim(self, 0)", doc', '«{val: "dim(self, 0)", doc'),
        None,
    ),
}


@pytest.mark.parametrize("case", [name for name, (_, message) in CASES.items() if message], ids=str)
def test_refused(refused: Refused, case: str) -> None:
    edit, message = CASES[case]
    refused(message, edit)


def test_all_complaints_at_once(errors: Callable[..., tuple[object, ...]]) -> None:
    found = errors(
        ("op: aclnnScale", "op: Scale"),
        ("direction: out\n", "direction: outt\n"),
        ('{value: "dim(self, 0)", doc', '{val: "dim(self, 0)", doc'),
        ("optional: true", "optional: 1"),
    )
    assert [str(finding).split(": ", 1)[0].split(":", 1)[1] for finding in found] == [
        "1:5",
        "21:15",
        "49:16",
        "62:13",
        "62:14",
    ]


def test_a_long_value_is_cut(errors: Callable[..., tuple[object, ...]]) -> None:
    (finding,) = errors(("direction: out\n", f"direction: {'o' * 500}\n"))
    assert len(str(finding)) < 200
