"""A spec whose entries are each right, and which contradicts itself."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Refused = Callable[..., None]
RULE = "    require: format(out) == ND\n"
CASES = {
    # Dtype rows
    "rows that overlap": (
        (
            "  - row: {self: BF16, bias: [BF16, FLOAT], out: BF16}",
            "  - «row: {self: FLOAT, bias: [BF16, FLOAT], out: FLOAT}",
        ),
        "A dtype row overlaps the one on line 55 for atlas_a2: both allow self FLOAT, bias FLOAT, out FLOAT.",
    ),
    "a row that lists twice": (
        ("where: {T: [FLOAT, FLOAT16]}", "where: {T: [FLOAT, FLOAT16, FLOAT]}"),
        "A dtype row lists one combination twice (self FLOAT, bias FLOAT, out FLOAT).",
    ),
    "a product without a row": (
        ("products: [atlas_a2, atlas_training]", "products: [atlas_a2]"),
        "No dtype row is for atlas_training in document mode; expected one, or a product check in that mode.",
    ),
    "a row for a product that is refused": (
        (
            "  - row: {self: BF16, bias: [BF16, FLOAT], out: BF16}\n    products: [atlas_a2]",
            "  - row: {self: BF16, bias: [BF16, FLOAT], out: BF16}\n    products: [atlas_a2, «atlas_a3]",
        ),
        "A dtype row is for a product (atlas_a3) that the product rule refuses in document and library mode.",
    ),
    "BF16 where there is none": (
        (
            "  - row: {self: BF16, bias: [BF16, FLOAT], out: BF16}\n    products: [atlas_a2]",
            "  - row: {self: BF16, bias: [BF16, FLOAT], out: BF16}\n    products: «[atlas_a2, atlas_training]",
        ),
        "A dtype row has BF16 for atlas_training, whose cores do not know it.",
    ),
    "a missing cell": (
        ("- row: {self: BF16, bias: [BF16, FLOAT], out: BF16}", "- «row: {self: BF16, out: BF16}"),
        "A dtype row has no cell for bias, for which another row has one.",
    ),
    "a cell of a parameter without a dtype": (
        ("bias: [BF16, FLOAT], out: BF16}", "bias: [BF16, FLOAT], out: BF16, «mode: BF16}"),
        None,
    ),
    "a variable of no cell": (
        ("sets: {S: [FLOAT, FLOAT16]}", "sets: {S: [FLOAT, FLOAT16], «U: [FLOAT]}"),
        "A variable (U) stands in no cell.",
    ),
    "a variable called like a dtype": (
        ("sets: {S: [FLOAT, FLOAT16]}", "sets: {S: [FLOAT, FLOAT16], «BF16: [FLOAT]}"),
        None,
    ),
    # The table and its checks
    "a fact without a check": (
        ("  - {contiguous: [self]}\n", ""),
        "No check covers that self is contiguous; expected an entry ({contiguous: [self]}) under checks.",
    ),
    "a check without a fact": (
        ("- {contiguous: [self]}", "- {contiguous: [self, «out]}"),
        "A check (contiguous) names a parameter (out) that it says nothing of: it may be non-contiguous.",
    ),
    "a null check of an optional parameter": (
        ("- {null: all}", "- {null: [self, sizes, out, «bias]}"),
        "A check (null) names a parameter (bias) that it says nothing of: it is optional or no pointer.",
    ),
    "a joint check without its own": (
        ("- {dtype: [self, bias, out]}\n", "- {dtype: [self, out]}\n  - {dtype: [bias], enforced_by: [document]}\n"),
        "The joint dtype check runs in library mode, where the dtype of bias has no check of its own.",
    ),
    "a joint check of one": (
        ("- {dtypes: [self, bias, out]}", "- {«dtypes: [self]}"),
        None,
    ),
    "the product check later": (
        ("checks:\n  - {product: all}\n  - {null: all}\n", "checks:\n  - {null: all}\n  - «{product: all}\n"),
        "The check of the product is not the first; on a product that is not listed no other is run.",
    ),
    "a status of a mode that does not run": (
        ("{value: [mode], status: {document", "{value: [mode], enforced_by: [library], status: {«document"),
        "A status is given for a mode (document) in which the check does not run.",
    ),
    "a failure that is a success": (
        ("library: ACLNN_ERR_INNER}", "library: «ACLNN_SUCCESS}"),
        "A check fails with ACLNN_SUCCESS; expected an error.",
    ),
    "a mode without a status": (
        (
            "status: {document: ACLNN_ERR_PARAM_INVALID, library: ACLNN_ERR_INNER}",
            "«status: {library: ACLNN_ERR_INNER}",
        ),
        "The status of a mode (document) is missing.",
    ),
    # Parameters
    "tensor keys of a bool": (
        ("    type: bool\n", "    type: bool\n    «rank: [0, 1]\n"),
        "The key (rank) says nothing of a parameter (wanted) of type bool.",
    ),
    "const of what is only read": (
        ("    type: bool\n", "    type: bool\n    «const: true\n"),
        "The key (const) says nothing of a parameter (wanted) that is in.",
    ),
    "optional by value": (
        ("    type: bool\n", "    type: bool\n    «optional: true\n"),
        "The key (optional) says nothing of a parameter (wanted) of type bool.",
    ),
    "a default of an output": (
        ("    required: wanted\n", "    required: wanted\n    «default: null\n"),
        "The key (default) says nothing of an output (out).",
    ),
    "an output that is an attribute": (
        ("    type: bool\n    direction: in\n", "    type: bool\n    direction: «out\n"),
        None,
    ),
    "lengths of a tensor": (
        ("    noncontiguous: refused", "    noncontiguous: refused\n    «lengths: []"),
        "The key (lengths) says nothing of a parameter (self) of type tensor.",
    ),
    "ranks upside down": (("rank: [1, 4]", "rank: «[4, 1]"), "The least rank (4) is above the greatest (1)."),
    "a value outside its type": (
        ("values: [0, 1]", "values: [0, 1, «128]"),
        "A value (128) of a parameter (mode) is outside its C type, -128 to 127.",
    ),
    "a default of the wrong type": (
        ("default: 1.0", "default: «one"),
        "The default (one) of a parameter (alpha) is no double.",
    ),
    "a default that is no value": (
        ("default: 0", "default: «2"),
        "The default (2) of a parameter (mode) is none of its values; expected 0 or 1.",
    ),
    "a default of null": (
        ("    lengths: [1, 2]", "    lengths: [1, 2]\n    default: «null"),
        "The default of a parameter (sizes) is null; expected optional: true beside it.",
    ),
    "a default of a wrong length": (
        ("    lengths: [1, 2]", "    lengths: [1, 2]\n    default: «[1, 2, 3]"),
        "The default of a parameter (sizes) has 3 elements; expected 1 or 2.",
    ),
    # Rules that do nothing
    "always true": (
        (RULE, "    require: «format(out) == ND or rank(self) >= 0\n"),
        None,
    ),
    "its own guard": (
        ("require: all(s > 0 for s in sizes)", "when: mode == 1\n    require: «mode != 0"),
        "A rule (sizes-positive) never fails: its requirement (mode != 0) is always true where its guard holds.",
    ),
    "never true": (
        ("require: all(s > 0 for s in sizes)", "require: «mode < 0 and mode > 3"),
        "A rule (sizes-positive) fails every call: its requirement (mode < 0 and mode > 3) is never true.",
    ),
    "a guard that is never true": (
        ("require: all(s > 0 for s in sizes)", "when: «rank(self) < 0\n    require: all(s > 0 for s in sizes)"),
        "A rule (sizes-positive) never applies: its guard (rank(self) < 0) is never true.",
    ),
    "a guard that is for nothing but what is refused": (
        ("    require: all(s > 0 for s in sizes)", "    when: «mode > 1\n    require: all(s > 0 for s in sizes)"),
        "A rule (sizes-positive) never applies: rules before it refuse every call that its guard (mode > 1) is for.",
    ),
    "said before": (
        ("require: all(s > 0 for s in sizes)", "require: «rank(self) <= 4"),
        "A rule (sizes-positive) never fails first: rank-self and others before it refuse what it would.",
    ),
    "within the C type": (
        ("require: all(s > 0 for s in sizes)", "require: «mode <= 127"),
        "A rule (sizes-positive) never fails: its requirement (mode <= 127) is always true.",
    ),
    "a rank that is never negative": (
        ("require: all(s > 0 for s in sizes)", "require: «all(n >= 0 for n in [rank(self), len(sizes)])"),
        "A rule (sizes-positive) never fails: its requirement (all(n >= 0 for n in [rank(self), len(sizes)])) is "
        "always true.",
    ),
    "a shortcut always taken": (
        ("when: is_empty(self)\n", "when: «rank(self) >= 0\n"),
        "A shortcut (empty-input) is always taken; its condition (rank(self) >= 0) is never false.",
    ),
    # Outputs
    "no inference": (
        ("infer:\n  out: {shape: shape(self), dtype: dtype(self)}\n", ""),
        None,
    ),
    "no tolerance": (
        ("  tolerance:\n    out: {terms: 1, unit: dtype(self)}\n", "  «tolerance: {}\n"),
        "An output (out) has no tolerance; expected its terms and unit.",
    ),
    "precision for some products": (
        ("    - roles: {compute: FLOAT}\n", "    - {roles: {compute: FLOAT}, products: [atlas_a2]}\n"),
        "The precision table may have no row for atlas_training; expected a last one without a guard.",
    ),
    "a precision row that is never reached": (
        ("    - roles: {compute: FLOAT}\n", "    - roles: {compute: FLOAT}\n    - «roles: {compute: FLOAT16}\n"),
        "A row of the precision table is never reached: the rows before it answer for all its products.",
    ),
    "settings that differ": (
        ("    - roles: {compute: FLOAT}\n", "    - {roles: {compute: FLOAT}, «settings: {layout: \"'bits'\"}}\n"),
        None,
    ),
    "a setting called like a role": (
        ("    - roles: {compute: FLOAT}\n", "    - {roles: {compute: FLOAT}, settings: {compute: 1}}\n"),
        None,
    ),
    "roles that differ": (
        ("    - roles: {compute: FLOAT}\n", "    - «roles: {accumulate: FLOAT, compute: FLOAT}\n"),
        None,
    ),
}
MARKED = [name for name, (edit, message) in CASES.items() if message and "«" in edit[1]]


@pytest.mark.parametrize("case", MARKED, ids=str)
def test_refused(refused: Refused, case: str) -> None:
    edit, message = CASES[case]
    refused(message, edit)


PLACED = {
    "a row that lists twice": ("55:5", None),
    "a product without a row": ("54:1", None),
    "a fact without a check": ("16:20", None),
    "a joint check without its own": ("68:21", None),
    "a joint check of one": ("67:14", "A joint dtype check names 1 parameter; expected two or more."),
    "precision for some products": ("98:3", None),
    "always true": (
        "71:14",
        "A rule (out-format) never fails: its requirement (format(out) == ND or rank(self) >= 0) is always true.",
    ),
    "no inference": ("1:1", "An output (out) has no inference; expected its shape and dtype under infer."),
    "settings that differ": (
        "99:7",
        "A row of the precision table gives no value for layout, for which another row does.",
    ),
    "a setting called like a role": (
        "100:44",
        "A setting (compute) has the name of a role; the kernel gets both in one mapping.",
    ),
    "roles that differ": (
        "99:8",
        "A row of the precision table gives no dtype for accumulate, for which another row does.",
    ),
    "a cell of a parameter without a dtype": (
        "59:55",
        "A dtype row names a parameter (mode) of type int8, which has no dtype.",
    ),
    "a variable called like a dtype": (
        "57:33",
        "A variable (BF16) has the name of a dtype or of another variable.",
    ),
}


@pytest.mark.parametrize("case", PLACED, ids=str)
def test_refused_there(errors: Callable[..., tuple[object, ...]], case: str) -> None:
    (old, new), stated = CASES[case]
    place, message = PLACED[case]
    found = [str(finding) for finding in errors((old, new.replace("«", "")))]
    assert f"specs/math/scale.yaml:{place}: {message or stated}" in found


def test_a_format_that_no_rank_can_have(refused: Refused) -> None:
    refused(
        "Formats are given for a rank (0) outside 1 to 4.",
        ("    formats: [ND, NCHW]\n    rank: [1, 4]", "    formats: {any: [ND], «0: [ND]}\n    rank: [1, 4]"),
    )


def test_a_rank_without_formats(refused: Refused) -> None:
    refused(
        "Formats are given for some ranks but not for 2 or 4; expected the key any.",
        ("    formats: [ND, NCHW]\n    rank: [1, 4]", "    «formats: {1: [ND], 3: [ND]}\n    rank: [1, 4]"),
    )


def test_names_of_axes_that_no_rank_has(refused: Refused) -> None:
    ranks = "    formats: [ND, NCHW]\n    rank: [1, 4]"
    refused("Axes have names for a rank (5) outside 1 to 4.", (ranks, ranks + "\n    axes: [[N], «[N, C, D, H, W]]"))
    refused("Axes have names for a rank (2) twice.", (ranks, ranks + "\n    axes: [[N, C], «[M, K]]"))
    refused("Axes have names for a rank (5) outside 1 to 4.", (ranks, ranks + "\n    axes: «[N, C, D, H, W]"))


def test_names_of_axes_of_a_number(refused: Refused) -> None:
    refused(
        "The key (axes) says nothing of a parameter (alpha) of type double.",
        ("  - name: alpha\n", "  - name: alpha\n    «axes: [N]\n"),
    )


def test_an_earlier_rule_of_another_mode_is_no_repetition(load: Callable[..., object]) -> None:
    load(
        ("- {contiguous: [self]}", "- {contiguous: [self], enforced_by: [document]}"),
        (
            "- id: sizes-positive\n",
            "- {id: late, require: is_contiguous(self), enforced_by: [library]}\n  - id: sizes-positive\n",
        ),
    )


def test_an_earlier_rule_with_a_guard_is_no_repetition(load: Callable[..., object]) -> None:
    load(("- id: sizes-positive\n", "- {id: not-empty, require: not is_empty(bias)}\n  - id: sizes-positive\n"))


def test_a_nan_is_neither_below_nor_above(load: Callable[..., object]) -> None:
    load(("- id: sizes-positive\n", "- {id: a-number, require: alpha < 0 or alpha >= 0}\n  - id: sizes-positive\n"))


@pytest.mark.parametrize(
    ("default", "what"),
    [
        ("one", "(one) of a parameter (alpha) is no scalar."),
        ("[1]", "([1]) of a parameter (alpha) is no scalar."),
        (str(2**64), f"of a parameter (alpha) is an integer ({2**64}) that its C type cannot hold."),
    ],
)
def test_a_default_that_is_no_scalar(errors: Callable[..., tuple[object, ...]], default: str, what: str) -> None:
    found = errors(
        (
            "    type: double\n    direction: in\n    default: 1.0",
            f"    type: scalar\n    direction: in\n    default: {default}",
        ),
        ("alpha == alpha", "dtype(alpha) == FLOAT"),
    )
    assert [str(finding).split(": ", 1)[1] for finding in found] == [f"The default {what}"]
