"""What must hold of the derived cases of any operator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import product

import pytest

from aclspec.codegen.derive import Cases
from aclspec.codegen.derive.report import count
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.rules.interpreter import evaluate
from aclspec.runtime.rules.operator_info import OperatorInfo
from aclspec.runtime.search.space import DTYPES, Space, applies, targets, vacuous
from aclspec.runtime.testing.expected import argument
from aclspec.runtime.testing.suite import Case, Outcome

OWN = ("aclnnPreluBackward", "aclnnBatchNormReduceBackward")
OPERATORS = (
    *OWN,
    "aclnnToyPoolBackward",
    "aclnnToyConvBackward",
    "aclnnToyEverything",
    "aclnnToyScaled",
    "aclnnToyTurned",
)
everything = pytest.mark.parametrize("name", OPERATORS)
Info = Callable[[str], OperatorInfo]
Derived = Callable[[str], Cases]


def _call(info: OperatorInfo, cases: Cases, case: Case) -> dict[str, object]:
    literals = cases.suite.call(case)
    return {param.name: argument(literals[param.name], param.type) for param in info.params}


@everything
def test_every_spec_can_be_derived(name: str, cases_of: Derived) -> None:
    assert cases_of(name).errors == cases_of(name).undecided == ()
    assert cases_of(name).suite.gaps == {}


@everything
def test_every_rule_decides_wherever_it_applies(name: str, info_of: Info, cases_of: Derived) -> None:
    info, suite = info_of(name), cases_of(name).suite
    space = Space(info)
    decided = {
        (outcome.failing[0], target)
        for case in suite.violations
        for target, outcome in suite.outcomes(case).items()
        if outcome.failing and case.id.startswith(outcome.failing[0])
    }
    missing = [
        (rule.id, target)
        for rule in info.rules
        if rule.require is not None and rule.outcome == "error"
        for target in targets(info)
        if applies(rule, target) and not vacuous(space, rule, target) and (rule.id, target) not in decided
    ]
    assert missing == []


@everything
def test_a_violation_breaks_its_rule_first_and_alone_but_for_companions(
    name: str, info_of: Info, cases_of: Derived
) -> None:
    suite, companions = cases_of(name).suite, cases_of(name).companions
    for case in suite.violations:
        rule = case.id.rpartition("-")[0]
        deciding = [outcome for outcome in suite.outcomes(case).values() if outcome.failing[:1] == (rule,)]
        assert any(set(outcome.failing) <= {rule, *companions.get(rule, ())} for outcome in deciding), case.id
    for rule in companions:
        cases = [case for case in suite.violations if case.id.rpartition("-")[0] == rule]
        outcomes = [outcome for case in cases for outcome in suite.outcomes(case).values()]
        seen = {other for outcome in outcomes if outcome.failing[:1] == (rule,) for other in outcome.failing}
        assert seen >= set(companions[rule]), rule


@everything
def test_outcomes_are_those_of_the_interpreter_on_the_literals(name: str, info_of: Info, cases_of: Derived) -> None:
    info, cases = info_of(name), cases_of(name)
    for case in (case for group in cases.suite.groups.values() for case in group[::7]):
        call = _call(info, cases, case)
        for target, outcome in cases.suite.outcomes(case).items():
            report = evaluate(info, call, target.product, target.mode)
            assert Outcome(int(report.status), report.failing, report.shortcut) == outcome, case.id


@everything
def test_the_base_call_is_valid_somewhere(name: str, cases_of: Derived) -> None:
    suite = cases_of(name).suite
    assert suite.call(suite.valid[0]) == suite.base
    assert any(outcome.status == 0 for outcome in suite.outcomes(suite.valid[0]).values())


@everything
def test_every_outcome_is_told_for_every_cell(name: str, cases_of: Derived) -> None:
    suite = cases_of(name).suite
    for case in (case for group in suite.groups.values() for case in group):
        assert set(suite.outcomes(case)) == set(suite.targets), case.id


@everything
def test_cases_are_counted_without_making_them(name: str, cases_of: Derived) -> None:
    suite = cases_of(name).suite
    assert suite.sizes == {group: len(cases) for group, cases in suite.groups.items()}
    made = Counter(tuple(case.expect.items()) for group in suite.groups.values() for case in group)
    counted: Counter[tuple[tuple[str, str], ...]] = Counter()
    for expect, number in suite.expected:
        counted[tuple(expect.items())] += number
    assert counted == made


@everything
def test_ids_are_unique(name: str, cases_of: Derived) -> None:
    for group in cases_of(name).suite.groups.values():
        ids = [case.id for case in group]
        assert len(set(ids)) == len(ids)


@everything
def test_ranks_flags_and_masks_are_covered(name: str, info_of: Info, cases_of: Derived) -> None:
    info, cases = info_of(name), cases_of(name)
    calls = [_call(info, cases, case) for case in cases.suite.valid]
    for param in info.params:
        values = [call[param.name] for call in calls]
        if param.type == "tensor":
            ranks = {len(value.shape) for value in values if value is not None}  # type: ignore[attr-defined]
            assert ranks == set(range(param.rank[0], param.rank[1] + 1)), param.name
        elif param.type == "bool":
            assert set(values) == {True, False}
        elif param.type == "bool_array" and param.lengths == (3,):
            assert len({value for value in values if value is not None}) == 8
        if PARAM_TYPES[param.type].pointer and (param.optional or param.required is not None):
            assert any(value is None for value in values), param.name
            assert any(value is not None for value in values), param.name


@everything
def test_every_shortcut_is_taken(name: str, info_of: Info, cases_of: Derived) -> None:
    suite = cases_of(name).suite
    taken = {outcome.shortcut for case in suite.valid for outcome in suite.outcomes(case).values()}
    assert taken - {None} == {rule.id for rule in info_of(name).rules if rule.kind == "shortcut"}


def test_every_illegal_dtype_is_swept(info_of: Info, cases_of: Derived) -> None:
    suite = cases_of("aclnnPreluBackward").suite
    for param in ("gradOutput", "self", "weight", "gradInput", "gradWeight"):
        swept = [sweep for sweep in suite.sweeps if sweep.param == param and sweep.facet == "dtype"]
        values = {value for sweep in swept for text, _ in sweep.outcomes for value in text.split()}
        assert values == set(DTYPES) - {"FLOAT"}, param


def test_the_complement_of_a_dtype_row_is_exhaustive_while_it_is_small(cases_of: Derived) -> None:
    suite = cases_of("aclnnPreluBackward").suite
    (table,) = suite.combinations
    training = [case for case in table.cases(suite.base) if "bf16" not in case.id]
    assert len(training) == 2**5 - 2
    (table,) = cases_of("aclnnBatchNormReduceBackward").suite.combinations
    assert sum(len(values) for _, values in table.outcomes) == 3 * 3 - 3


def test_a_large_complement_shows_every_pair(cases_of: Derived) -> None:
    (table,) = cases_of("aclnnPreluBackward").suite.combinations
    lines = [text.split() for _, texts in table.outcomes for text in texts]
    dtypes = ("FLOAT", "FLOAT16", "BF16")
    for one in range(5):
        for other in range(one + 1, 5):
            seen = {(line[one], line[other]) for line in lines}
            assert seen == {(left, right) for left in dtypes for right in dtypes}


def test_rows_that_name_null_show_every_combination_and_what_is_beside_them(cases_of: Derived) -> None:
    suite = cases_of("aclnnToyScaled").suite
    calls = [suite.call(case) for group in suite.groups.values() for case in group]
    seen = {tuple(str(call[name]).partition("[")[0] for name in ("self", "scale")) for call in calls}
    legal = {("float16", "None"), *((one, other) for one in ("int8", "int16") for other in ("float32", "bfloat16"))}
    assert legal | {("float16", "float32"), ("float16", "bfloat16"), ("int8", "None")} <= seen


def test_rows_show_every_combination_with_an_optional_parameter_left_out(cases_of: Derived) -> None:
    suite = cases_of("aclnnToyBounded").suite
    calls = [suite.call(case) for group in suite.groups.values() for case in group]
    seen = {tuple(str(call[name]).partition("[")[0] for name in ("self", "weight")) for call in calls}
    rows = {("float32", "float32"), ("float16", "float16"), ("int8", "float32")}
    assert rows | {(one, "None") for one, _ in rows} | {("float16", "float32"), ("int8", "float16")} <= seen


def test_a_float_stands_on_its_bounds_and_beyond_them(cases_of: Derived) -> None:
    suite = cases_of("aclnnToyBounded").suite
    calls = [suite.call(case) for group in suite.groups.values() for case in group]
    limits: dict[str, set[float]] = {}
    for call in calls:
        if isinstance(limit := call["limit"], float):
            limits.setdefault(str(call["self"]).partition("[")[0], set()).add(limit)
    for dtype, most in (("int8", 127.0), ("float16", 65504.0)):
        assert most in limits[dtype]
        assert max(limits[dtype]) > most
    assert 1000000.0 in limits["float32"]


def test_every_row_of_a_product_shows_every_combination(cases_of: Derived) -> None:
    suite = cases_of("aclnnToyRows").suite
    calls = [suite.call(case) for group in suite.groups.values() for case in group]
    names = ("one", "two", "three", "out", "scale")
    seen = {tuple(str(call[name]).partition("[")[0] for name in names) for call in calls}
    floats, integers, outs = (
        ("hifloat8", "float8_e4m3fn"),
        ("int8", "int16", "int32"),
        ("float16", "bfloat16", "float32"),
    )
    assert set(product(("float16",), (*floats, "float8_e5m2"), integers, outs, ("None",))) <= seen
    assert set(product(("bfloat16",), floats, integers, outs, ("None",))) <= seen


def test_the_bounds_of_ranks_and_lengths_are_there(cases_of: Derived) -> None:
    pool = cases_of("aclnnToyPoolBackward").suite
    arrays = [pool.call(case)["kernelSize"] for group in pool.groups.values() for case in group]
    lengths = {len(array) for array in arrays if isinstance(array, tuple)}
    assert {0, 1, 2, 3} <= lengths
    prelu = cases_of("aclnnPreluBackward").suite
    texts = {str(prelu.call(case)["self"]) for case in (*prelu.boundaries, *prelu.violations, *prelu.valid)}
    ranks = {0 if text.startswith("float32[]") else text.partition(":")[0].count(",") + 1 for text in texts}
    assert {0, 8, 9} <= ranks
    values = {pool.call(case)["divisorOverride"] for group in pool.groups.values() for case in group}
    assert {-256, -255, -254, 254, 255, 256} <= values


def test_the_product_rule_is_told_apart(cases_of: Derived) -> None:
    suite = cases_of("aclnnPreluBackward").suite
    assert suite.unlisted == {"document:atlas_inference,atlas_200i_500_a2": "161002 product"}
    assert {target.product for target in suite.targets if target.mode == "library"} >= {
        "atlas_inference",
        "atlas_200i_500_a2",
    }


@pytest.mark.parametrize("name", ["aclnnToyPoolBackward", "aclnnToyConvBackward"])
def test_the_report_counts_every_rule(name: str, info_of: Info, cases_of: Derived) -> None:
    counts = count(info_of(name), cases_of(name))
    assert counts.cases == sum(counts.groups.values())
    assert [rule.rule for rule in counts.rules] == [rule.id for rule in info_of(name).rules]
    assert all(rule.cases > 0 for rule in counts.rules)


def test_the_report_counts_targets_and_products(info_of: Info, cases_of: Derived) -> None:
    pool = count(info_of("aclnnToyPoolBackward"), cases_of("aclnnToyPoolBackward"))
    by_rule = {rule.rule: rule for rule in pool.rules}
    assert by_rule["divisor-range"].targets == 2
    assert by_rule["product"].cases == 4
