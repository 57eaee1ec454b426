"""Mistakes in predicates, at their place in the file, however the text is quoted or folded."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from aclspec.codegen.spec.project import Project

Refused = Callable[..., None]
RULE = "    require: format(out) == ND\n"
CASES = {
    "a dtype and an int": (
        (RULE, "    require: format(out) == ND and «dtype(self) == 3\n"),
        "The two sides of == (dtype(self) and 3) are a dtype and an int; expected one type.",
    ),
    "an undefined name": (
        (RULE, "    require: format(out) == ND or rank(«slef) > 1\n"),
        "A name (slef) is neither a parameter nor a let; did you mean self?",
    ),
    "a misspelt dtype": (
        (RULE, "    require: format(out) == ND or dtype(self) == «FLOAT61\n"),
        "A name (FLOAT61) is neither a parameter nor a let; did you mean FLOAT16?",
    ),
    "a division by zero": (
        (RULE, "    require: format(out) == ND or rank(self) % «0 == 1\n"),
        "The right side of % is 0, which divides nothing.",
    ),
    "an unknown function": (
        (RULE, "    require: format(out) == ND or «ranks(self) > 1\n"),
        "A function (ranks) is unknown; did you mean rank?",
    ),
    "too few arguments": (
        (RULE, "    require: format(out) == ND or «dim(self) > 1\n"),
        "A call of dim has 1 argument (dim(self)); expected 2.",
    ),
    "an argument of the wrong type": (
        (RULE, "    require: format(out) == ND or rank(«mode) > 1\n"),
        "Argument 1 of rank (mode) is an int; expected a tensor.",
    ),
    "no truth value": (
        (RULE, "    require: «rank(self)\n"),
        "The requirement (rank(self)) is an int; expected a bool.",
    ),
    "a syntax error": (
        (RULE, "    require: format(out) == ND or rank(self) «rank(self)\n"),
        "The predicate goes on with (rank), which cannot stand there.",
    ),
    "an end too early": (
        (RULE, "    require: format(out) ==«\n"),
        "The predicate ends too early.",
    ),
    "C operators": (
        (RULE, "    require: format(out) == ND «&& rank(self) > 1\n"),
        "An operator (&&) is unknown; did you mean and?",
    ),
    "single quotes": (
        (RULE, "    require: 'format(out) == ND and dtype(self) in [FLOAT] or ''a'' == ''b'' or «slef'\n"),
        "A name (slef) is neither a parameter nor a let; did you mean self?",
    ),
    "double quotes with escapes": (
        (RULE, '    require: "format(out) == ND or \\"a\\" == \\"\\x62\\" or «slef"\n'),
        "A name (slef) is neither a parameter nor a let; did you mean self?",
    ),
    "double quotes over two lines": (
        (RULE, '    require: "format(out) == ND \\\n      or rank(self) == 2 or «slef"\n'),
        "A name (slef) is neither a parameter nor a let; did you mean self?",
    ),
    "a plain text over lines": (
        (RULE, "    require: format(out) == ND\n      or rank(self) == 2\n\n      or «slef\n"),
        "A name (slef) is neither a parameter nor a let; did you mean self?",
    ),
    "a folded text": (
        (RULE, "    require: >-\n      format(out) == ND\n      or rank(self) == 2\n      or «slef\n"),
        "A name (slef) is neither a parameter nor a let; did you mean self?",
    ),
    "a folded text with deeper lines": (
        (RULE, "    require: >\n      format(out) == ND\n        or rank(self) == 2\n\n      or «slef\n"),
        "A name (slef) is neither a parameter nor a let; did you mean self?",
    ),
    "a literal text": (
        (RULE, "    require: |\n      format(out) == ND\n        or rank(self) == 2\n      or «slef\n"),
        "A name (slef) is neither a parameter nor a let; did you mean self?",
    ),
    "when": (
        ("- {empty: [bias], when: mode == 1}", "- {empty: [bias], when: mode == «alfa}"),
        "A name (alfa) is neither a parameter nor a let; did you mean alpha?",
    ),
    "a let after its use": (
        ("let:\n", "let:\n  twice: 2 * «channels\n"),
        "A let (channels) is used before it is declared; expected it above.",
    ),
    "a number as a condition": (
        ("    required: wanted\n", "    required: «1\n"),
        "The condition (1) is an int; expected a bool.",
    ),
    "an output in infer": (
        ("out: {shape: shape(self)", "out: {shape: shape(«out)"),
        "A parameter (out) is an output, which says nothing here; expected an input or a let.",
    ),
    "a shape that is none": (
        ("out: {shape: shape(self)", "out: {shape: «rank(self)"),
        "The shape (rank(self)) is an int; expected a list of int.",
    ),
    "a role": (
        ("roles: {compute: FLOAT}", "roles: {compute: «3}"),
        "The dtype of a role (3) is an int; expected a dtype.",
    ),
    "terms": (
        ("{terms: 1,", "{terms: «1.5,"),
        "The number of terms (1.5) is a float; expected an int.",
    ),
    "a parameter of each": (
        ("    each: [bias]\n", "    each: [bias, mode]\n"),
        None,
    ),
}


@pytest.mark.parametrize("case", [name for name, (_, message) in CASES.items() if message], ids=str)
def test_refused(refused: Refused, case: str) -> None:
    edit, message = CASES[case]
    refused(message, edit)


def test_a_setting_is_a_string_or_an_int(refused: Refused) -> None:
    refused(
        "A setting (FLOAT) is a dtype; expected a string or an int.",
        ("{compute: HFLOAT32}, products", "{compute: HFLOAT32}, settings: {layout: 1}, products"),
        ("- roles: {compute: FLOAT}\n", "- {roles: {compute: FLOAT}, settings: {layout: «FLOAT}}\n"),
    )


def test_every_mistake_of_a_predicate(errors: Callable[..., tuple[object, ...]]) -> None:
    found = errors((RULE, "    require: rank(mode) > 1 and dtype(self) == 3 and nothing and len(self) == 1\n"))
    places = [str(finding).split(": ", 1)[0] for finding in found]
    assert places == [f"specs/math/scale.yaml:71:{column}" for column in (19, 33, 54, 70)]


def test_each_element_has_its_own_type(errors: Callable[..., tuple[object, ...]]) -> None:
    (finding,) = errors(CASES["a parameter of each"][0])
    assert str(finding) == "specs/math/scale.yaml:80:20: Argument 1 of shape (it) is an int; expected a tensor."


@pytest.mark.parametrize(
    "text",
    [
        "(" * 3000 + "true",
        "not " * 900 + "true",
        "-" * 3000 + "1 == 1",
        "1" + " + 1" * 900 + " == 1",
        "1 == 1" + " if true else 1 == 1" * 100,
        "'" + "a" * 5000 + "' == 'a'",
        "9" * 500 + " == 1",
        "1e999 == 1.0",
        "shape(self)" + "[0]" * 300 + " == 1",
        "all(" * 300,
    ],
    ids=["parentheses", "not", "minus", "sum", "if", "length", "digits", "exponent", "indices", "all"],
)
def test_hostile_text_is_a_finding(errors: Callable[..., tuple[object, ...]], text: str) -> None:
    (finding,) = errors((RULE, f'    require: "{text}"\n'))
    assert len(str(finding)) < 300


def test_a_role_may_name_an_output(load: Callable[..., Project]) -> None:
    project = load(("    - roles: {compute: FLOAT}", "    - roles: {compute: dtype(out)}"))
    assert project.warnings == ()
