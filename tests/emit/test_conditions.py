"""Predicates become the conditions that a person would write."""

from __future__ import annotations

import re

import pytest

from aclspec.codegen.emit.constants import Constants
from aclspec.codegen.emit.fact_set import initial
from aclspec.codegen.emit.lowering import Lowering
from aclspec.codegen.emit.printer import show
from aclspec.codegen.emit.scope import Scope
from aclspec.runtime.language.nodes import And, Node
from aclspec.runtime.language.parser import parse
from aclspec.runtime.rules.operator_info import ComputeInfo, LetInfo, OperatorInfo, ParamInfo, Text

TYPES = {"x": "tensor", "y": "tensor", "stride": "int_array", "on": "bool", "count": "int64", "eps": "double"}
TYPES |= {"tensors": "tensor_list"}
NOTHING = Text("", "")
INFO = OperatorInfo(
    name="aclnnTried",
    snake="tried",
    header="",
    category="",
    summary=NOTHING,
    spec="",
    products=(("one", "document"),),
    params=tuple(ParamInfo(name, name, kind, "in", NOTHING) for name, kind in TYPES.items()),
    rows=(),
    lets=(LetInfo("channels", parse("dim(x, 1) if rank(x) > 1 else 1"), "int"),),
    rules=(),
    infer=(),
    compute=ComputeInfo("", (), ()),
)


GIVEN = "not is_null(x) and not is_null(y) and not is_null(stride)"


def emitted(text: str, known: str = GIVEN) -> tuple[str, str]:
    """The conditions under which a predicate fails and holds, where something is known already."""
    scope = Scope(INFO, ("one",))
    lowering = Lowering(scope, Constants(scope.universe, {}))
    facts = initial(scope).assume(_parsed(known)) if known else initial(scope)
    node = _parsed(text)
    return show(lowering.fails(node, facts)), show(lowering.holds(node, facts))


def _parsed(text: str) -> Node:
    node = parse(text)
    assert isinstance(node, Node)
    return node


@pytest.mark.parametrize(
    ("text", "fails", "holds"),
    [
        ("rank(x) <= 8", "len(x.shape) > 8", "len(x.shape) <= 8"),
        ("2 <= rank(x) <= 8", "not 2 <= len(x.shape) <= 8", "2 <= len(x.shape) <= 8"),
        ("1 < count", "count <= 1", "count > 1"),
        ("shape(x) == shape(y)", "x.shape != y.shape", "x.shape == y.shape"),
        ("shape(y) == [numel(x)]", "y.shape != (math.prod(x.shape),)", "y.shape == (math.prod(x.shape),)"),
        (
            "numel(x) == 1 or numel(x) == channels",
            "math.prod(x.shape) != 1 and math.prod(x.shape) != (x.shape[1] if len(x.shape) > 1 else 1)",
            "math.prod(x.shape) == 1 or math.prod(x.shape) == (x.shape[1] if len(x.shape) > 1 else 1)",
        ),
        ("not is_empty(x)", "0 in x.shape", "0 not in x.shape"),
        ("is_contiguous(x)", "not x.is_contiguous", "x.is_contiguous"),
        ("format(x) in [ND]", "x.format != _ND", "x.format == _ND"),
        ("format(x) in [ND, NCHW]", "x.format not in (_ND, _NCHW)", "x.format in (_ND, _NCHW)"),
        ("on == true", "not on", "on"),
        ("on != true", "on", "not on"),
        ("on and count > 1", "not on or count <= 1", "on and count > 1"),
        ("(on or count > 1) and count < 9", "(not on and count <= 1) or count >= 9", "(on or count > 1) and count < 9"),
        ("all(s > 0 for s in stride)", "any(s <= 0 for s in stride)", "all(s > 0 for s in stride)"),
        ("any(s > 0 for s in stride)", "all(s <= 0 for s in stride)", "any(s > 0 for s in stride)"),
        ("count > 3 if on else count > 5", "count <= 3 if on else count <= 5", "count > 3 if on else count > 5"),
        ("count in [1, 2] if on else count in [1, 2]", "count not in (1, 2)", "count in (1, 2)"),
        (
            "count in [1, 2] if on else count in [2, 3]",
            "count not in (1, 2) if on else count not in (2, 3)",
            "count in (1, 2) if on else count in (2, 3)",
        ),
        ("on if count > 3 else false", "count <= 3 or not on", "count > 3 and on"),
        (
            "on and 1 < count < 9 and eps > 0.5",
            "not on or count <= 1 or count >= 9 or not eps > 0.5",
            "on and 1 < count < 9 and eps > 0.5",
        ),
        ("sum([1] + stride) > 2", "sum((1, *stride)) <= 2", "sum((1, *stride)) > 2"),
    ],
)
def test_conditions_are_natural(text: str, fails: str, holds: str) -> None:
    assert emitted(text) == (fails, holds)


def test_a_float_that_is_not_less_may_be_no_number() -> None:
    assert emitted("eps > 0.5") == ("not eps > 0.5", "eps > 0.5")
    assert emitted("eps == 0.5") == ("eps != 0.5", "eps == 0.5")


@pytest.mark.parametrize(
    ("text", "known", "fails"),
    [
        ("rank(x) <= 8", "", "x is not None and len(x.shape) > 8"),
        ("dim(x, 1) == 3", "not is_null(x)", "len(x.shape) > 1 and x.shape[1] != 3"),
        ("dim(x, 1) == 3", "2 <= rank(x)", "x.shape[1] != 3"),
        ("dim(x, 1) == 3", "rank(y) > 3 and shape(x) == shape(y)", "x.shape[1] != 3"),
        ("dim(x, 1) == 3", "shape(x) == [1, 2]", "x.shape[1] != 3"),
        ("dim(x, 1) == 3", "rank(x) in [3, 4]", "x.shape[1] != 3"),
        ("dim(x, count) == 3", "0 <= count and count < rank(x)", "x.shape[count] != 3"),
        ("count // len(stride) == 2", "len(stride) in [1, 2]", "count // len(stride) != 2"),
        ("count // len(stride) == 2", "not is_null(stride)", "len(stride) != 0 and count // len(stride) != 2"),
        ("count // len(stride) == 2", "len(stride) != 0", "count // len(stride) != 2"),
        ("min(stride) > 0", "len(stride) >= 1", "min(stride) <= 0"),
        (
            "all(stride[i] > 0 for i in range(0, len(stride)))",
            "len(stride) <= 2",
            "any(stride[i] <= 0 for i in range(len(stride)))",
        ),
        ("rank(x) > 1 and dim(x, 1) == 3", "not is_null(x)", "len(x.shape) <= 1 or x.shape[1] != 3"),
        ("rank(x) < 2 or dim(x, 1) == 3", "not is_null(x)", "len(x.shape) >= 2 and x.shape[1] != 3"),
        ("stride[len(stride) - 1] == 2", "len(stride) in [1, 2]", "stride[-1] != 2"),
        ("stride[len(stride) - 1] == 2", "not is_null(stride)", "len(stride) >= 1 and stride[-1] != 2"),
        ("stride[len(stride) - 2] == 2", "len(stride) > 1", "stride[-2] != 2"),
        ("dim(x, rank(x) - 2) == 1", "3 <= rank(x) <= 4", "x.shape[-2] != 1"),
        ("dim(x, rank(x) - 2) == 1", "rank(y) == 2 and shape(x) == shape(y)", "x.shape[-2] != 1"),
        ("slice(shape(x), 0, rank(x) - 2) == [1]", "rank(x) >= 2", "x.shape[:-2] != (1,)"),
        ("slice(shape(x), rank(x) - 2, rank(x)) == [1, 1]", "rank(x) >= 2", "x.shape[-2:] != (1, 1)"),
        ("slice(stride, 1, len(stride) - 1) == [1]", "len(stride) == 3", "stride[1:-1] != (1,)"),
        ("count // stride[0] == 2", "len(stride) == 1 and all(s > 0 for s in stride)", "count // stride[0] != 2"),
        ("count // stride[0] == 2", "len(stride) == 1 and not any(s < 1 for s in stride)", "count // stride[0] != 2"),
        (
            "count // dim(x, 0) == 2",
            "rank(x) == 1 and all(s >= 1 for s in shape(x))",
            "count // x.shape[0] != 2",
        ),
        (
            "pool_out(count, 1, 1 if len(stride) == 0 else stride[0], 0, 0, 1, on) == 1",
            "not is_null(stride) and all(s > 0 for s in stride)",
            "shapes.pool_out(count, 1, 1 if len(stride) == 0 else stride[0], 0, 0, 1, on) != 1",
        ),
        (
            "broadcast(shape(x), shape(y)) == shape(x)",
            "not is_null(x) and not is_null(y)",
            "shapes.broadcastable(x.shape, y.shape) and shapes.broadcast(x.shape, y.shape) != x.shape",
        ),
        (
            "broadcast(shape(x), shape(y)) == shape(x)",
            "broadcastable(shape(x), shape(y))",
            "shapes.broadcast(x.shape, y.shape) != x.shape",
        ),
        (
            "(dim(x, 0) if on else dim(x, 1)) == 3",
            "",
            "x is not None and (len(x.shape) > 0 if on else len(x.shape) > 1)"
            " and (x.shape[0] if on else x.shape[1]) != 3",
        ),
        (
            "(dim(x, 1) if on else dim(x, 2) if count > 2 else dim(x, 1) + 1) == 3",
            "not is_null(x)",
            "(len(x.shape) > 1 if on else len(x.shape) > 2 if count > 2 else len(x.shape) > 1)"
            " and (x.shape[1] if on else x.shape[2] if count > 2 else x.shape[1] + 1) != 3",
        ),
        ("dim(x, 0) + dim(x, 2) == 3", "", "x is not None and len(x.shape) > 2 and x.shape[0] + x.shape[2] != 3"),
        ("rank(tensors[0]) == 2", "len(tensors) > 0", "tensors[0] is not None and len(tensors[0].shape) != 2"),
        ("rank(tensors[0]) == 2", "dtype(tensors[0]) == FLOAT", "len(tensors[0].shape) != 2"),
    ],
)
def test_guards_stand_only_where_they_are_needed(text: str, known: str, fails: str) -> None:
    assert emitted(text, known)[0] == fails


def test_a_decided_and_needs_no_guard() -> None:
    node = _parsed("dim(x, 5) == 1 and on")
    assert isinstance(node, And)
    assert emitted("dim(x, 5) == 1 and on")[0] == "(len(x.shape) > 5 and x.shape[5] != 1) or not on"


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("on and count == 1 or on and count == 2", "on and (count == 1 or count == 2)"),
        ("on or not on and count == 1", "on or count == 1"),
        ("on or not on", "True"),
        ("on and count == 1 or not on or count != 1", "True"),
        ("count == 1 or count != 2", "count != 2"),
        ("count == 2 or count != 2", "True"),
        ("count == 1 or count == 2", "count == 1 or count == 2"),
    ],
)
def test_what_repeats_in_an_or_stands_once(text: str, holds: str) -> None:
    assert emitted(text)[1] == holds


def test_a_guard_that_every_way_to_a_value_needs_stands_in_front() -> None:
    """Whichever part of the choice decides, the dtypes have to promote."""
    together = "promote(dtype(x), dtype(y))"
    fails, _ = emitted(
        f"(dtype(x) if {together} == BOOL or count == 0 and {together} == INT8 else {together}) == FLOAT"
    )
    assert fails.count("promotable") == 1
    assert fails.startswith("shapes.promotable(x.dtype, y.dtype) and (x.dtype if ")


def test_what_does_not_depend_on_the_element_is_asked_once() -> None:
    """Of a list whose elements have a value under a condition that is the same for all."""
    fails, _ = emitted("len([dim(x, 0) for s in stride]) == 4", "not is_null(x) and len(stride) > 0")
    assert fails == "len(x.shape) > 0 and len(tuple(x.shape[0] for s in stride)) != 4"
    fails, _ = emitted("len([dim(x, 0) for s in stride]) == 4", "not is_null(x) and not is_null(stride)")
    assert fails.startswith("(len(stride) <= 0 or len(x.shape) > 0) and ")


LONG = "conv_out(dim(x, 0), stride[0], count, stride[1], stride[1], 1)"
KNOWN = "rank(x) == 2 and rank(y) == 2 and len(stride) == 2 and count > 0"


def test_a_variable_is_not_the_outer_one_of_its_name() -> None:
    """A let brings its variables with it, where others may have their names."""
    inner = "max([1 if s > 5 else 2 for s in stride])"
    fails, _ = emitted(f"all(s <= 5 or {inner} == count for s in stride)")
    assert "tuple(1 if s > 5 else 2 for s in stride)" in fails


def test_an_and_in_an_or_stands_in_parentheses() -> None:
    """Python needs none there, the linter does."""
    fails, _ = emitted(f"({LONG} > 0 or dim(x, 0) == 3) and ({LONG} > 1 or dim(x, 1) == 4)", KNOWN)
    assert fails.startswith("(shapes.conv_out(")
    assert ") or (" in fails


@pytest.mark.parametrize(
    ("products", "name"),
    [
        (("five", "four"), "_LATE"),
        (("one", "five"), "_ONE_OR_FIVE"),
        (("one", "two", "three"), "_ALL_BUT_FOUR_AND_FIVE"),
        (("one", "two", "three", "four"), "_ALL_BUT_FIVE"),
    ],
)
def test_a_set_of_products_has_the_name_of_the_specs_or_says_what_it_holds(
    products: tuple[str, ...], name: str
) -> None:
    constants = Constants(("one", "two", "three", "four", "five"), {"late": ("four", "five")})
    asked = constants.where(
        frozenset(("document", product) for product in products),
        frozenset(("document", product) for product in constants.universe),
    )
    assert show(asked) == f"product in {name}"
    (held,) = constants.used([show(asked)])
    assert set(re.findall(r"\w+", held.value)) == {"frozenset", *products}
