"""Operators of a family share what was found out of one of them, and none of them shows what was found of another."""

from __future__ import annotations

import functools
import gc
import random
from collections.abc import Callable

import pytest

from aclspec.codegen.compile.shared import shared_let, shared_param, shared_rule
from aclspec.codegen.findings import SpecErrors
from aclspec.codegen.load import Project
from aclspec.codegen.lock import locked
from aclspec.codegen.render import environment
from aclspec.codegen.render.docs import index_entries, render_docs
from aclspec.codegen.render.info import render_info
from aclspec.codegen.render.javascript.operator import render_operator_script
from aclspec.codegen.render.target import Target
from aclspec.codegen.same import Made

LIKE_1 = "    type: double\n    direction: in\n    default: 1.0\n"
ALPHA = "    require: alpha == alpha\n    outcome: undefined\n"
SCALAR = (ALPHA, ALPHA.replace("alpha == alpha", "dtype(alpha) == DOUBLE"))
WANTED = (ALPHA, "    require: dtype(alpha) == DOUBLE\n")
GUARD = "    when: mode == 0\n"
RANKS, CONTIGUOUS = "  - {rank: [self, bias]}\n", "  - {contiguous: [self]}\n"
ONE_LINE_LATER = ("op: aclnnScale\n", "\nop: aclnnScale\n")
VARIANTS: dict[str, tuple[tuple[str, str], ...]] = {
    "plain": (),
    "default of another value": ((LIKE_1, LIKE_1.replace("1.0", "2.0")),),
    "default 1": (SCALAR, (LIKE_1, LIKE_1.replace("double", "scalar").replace("1.0", "1"))),
    "default 1.0": (SCALAR, (LIKE_1, LIKE_1.replace("double", "scalar"))),
    "default true": (SCALAR, (LIKE_1, LIKE_1.replace("double", "scalar").replace("1.0", "true"))),
    "default 0.0": ((LIKE_1, LIKE_1.replace("1.0", "0.0")),),
    "default -0.0": ((LIKE_1, LIKE_1.replace("1.0", "-0.0")),),
    "below 0.0": ((ALPHA, "    require: alpha > 0.0\n"),),
    "below -0.0": ((ALPHA, "    require: alpha > -0.0\n"),),
    "let 0.0": (("let:\n", 'let:\n  zero: "0.0"\n'), (ALPHA, "    require: alpha > zero\n")),
    "let -0.0": (("let:\n", 'let:\n  zero: "-0.0"\n'), (ALPHA, "    require: alpha > zero\n")),
    "a rule with words": ((ALPHA, f"{ALPHA}    doc: {{en: Some words., zh: 一些话。}}\n"),),
    "another let": (('"dim(self, 0)"', '"dim(self, 1)"'),),
    "other words for a let": (("the channel count", "the number of channels"),),
    "a parameter that is not checked": (("    optional: true\n", "    optional: true\n    checked: wanted\n"),),
    "another guard": ((GUARD, "    when: mode == 1\n"),),
    "no guard": ((GUARD, ""),),
    "other formats": (("    formats: [ND, NCHW]\n", "    formats: [ND]\n"),),
    "other rows": (("{S: [FLOAT, FLOAT16]}", "{S: [FLOAT]}"),),
    "another order": ((RANKS + CONTIGUOUS, CONTIGUOUS + RANKS),),
    "an example with a float": (WANTED, (LIKE_1, LIKE_1.replace("double", "scalar"))),
    "an example with a whole number": (
        WANTED,
        (LIKE_1, LIKE_1.replace("double", "scalar")),
        ("      alpha: 2.0\n", "      alpha: 2\n"),
    ),
    "an example of another dtype": (("self: {dtype: FLOAT, shape: [2]", "self: {dtype: FLOAT16, shape: [2]"),),
    "a guard on a number": ((ALPHA, "    require: dim(self, 0) == 2\n    when: alpha == 2.0\n"),),
    "another product": (
        ("  - product: atlas_training\n", "  - product: atlas_a3\n"),
        ("    products: [atlas_a2, atlas_training]\n", "    products: [atlas_a2, atlas_a3]\n"),
    ),
    "another type": (("    type: double\n", "    type: float\n"),),
    "a mistake": ((GUARD, "    when: mood == 0\n"),),
    "the mistake elsewhere": ((GUARD, "    when: mood == 0\n"), ONE_LINE_LATER),
    "a text that is no predicate": ((GUARD, "    when: mode == == 0\n"), ONE_LINE_LATER),
    "a rule that never fails": (("    require: all(s > 0 for s in sizes)\n", "    require: rank(self) >= 0\n"),),
    "it, one line later": (
        ("    require: all(s > 0 for s in sizes)\n", "    require: rank(self) >= 0\n"),
        ONE_LINE_LATER,
    ),
    "a rule that says it again": (("    require: all(s > 0 for s in sizes)\n", "    require: not is_null(self)\n"),),
}


def forget() -> None:
    """What a process knows before its first spec."""
    for parts in (shared_rule, shared_let, shared_param):
        parts._met.clear()
    for found in gc.get_objects():
        # By their types: other libraries have objects that warn when they are asked for anything.
        if type(found) is Made:
            found._made.clear()
        elif type(found) is functools._lru_cache_wrapper and _is_of_specs(found.__module__):
            found.cache_clear()


def _is_of_specs(module: str) -> bool:
    """Whether what a module remembers may be of specs; templates are not, and take long to compile."""
    return module.startswith("aclspec.codegen") and module != environment.__name__


def told(load: Callable[..., Project], name: str) -> tuple[str, ...]:
    """Everything that follows from a variant without the search for its tests, or what is wrong with it."""
    try:
        project = load(*VARIANTS[name])
    except SpecErrors as errors:
        return tuple(map(str, errors.findings))
    (operator,) = project.operators
    target = Target("many", tuple(product.key for product in project.products))
    return (
        render_info(operator, target),
        render_operator_script(operator.info, target),
        *render_docs(project, operator).values(),
        *(str(entry.raised) for entry in index_entries(operator.info)),
        *(f"{rule} {found}" for rule, found in locked(operator.info)),
    )


@pytest.fixture(scope="module")
def alone() -> dict[str, tuple[str, ...]]:
    """What each variant comes to in a process that has seen no other one."""
    return {}


@pytest.mark.parametrize("seed", range(4))
def test_a_variant_comes_to_the_same_whatever_came_before(
    load: Callable[..., Project], alone: dict[str, tuple[str, ...]], seed: int
) -> None:
    for name in VARIANTS:
        if name not in alone:
            forget()
            alone[name] = told(load, name)
    forget()
    order = [*VARIANTS, *reversed(VARIANTS)]
    if seed:
        random.Random(seed).shuffle(order)
    for name in order:
        assert told(load, name) == alone[name], name


def test_the_variants_differ(load: Callable[..., Project]) -> None:
    """Else the test above would say little."""
    assert len({told(load, name) for name in VARIANTS}) == len(VARIANTS)
