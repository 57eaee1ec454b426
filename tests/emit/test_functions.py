"""Each function of the language is worth the same in the interpreter, in emitted code and in the derivation."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from random import Random

import pytest

from aclspec import ops
from aclspec.runtime.language.evaluation import Frame
from aclspec.runtime.language.functions import DOMAINS, FUNCTIONS, LISTS
from aclspec.runtime.language.nodes import (
    Bool,
    Call,
    Compare,
    Float,
    InRows,
    Int,
    ListOf,
    Name,
    Node,
    Str,
    Symbol,
    substitute,
)
from aclspec.runtime.language.parser import parse
from aclspec.runtime.rules.interpreter import UNDEFINED, Environment, evaluate_node, evaluator_of
from aclspec.runtime.rules.operator_info import ComputeInfo, InferInfo, Mode, OperatorInfo, ParamInfo, RuleInfo, Text
from aclspec.runtime.search.call import ScalarMeta, TensorMeta
from aclspec.runtime.search.oracle import Oracle
from aclspec.runtime.search.space import Space
from aclspec.runtime.tensors.tensor import Scalar, Tensor
from tests.agreement.test_agreement import derived_calls
from tests.emit.randomspec import KINDS, TYPES, UNIVERSE, random_call
from tests.emit.test_random_predicates import disagreement, emitted

NOTHING = Text("", "")
BOTH: tuple[tuple[Mode, str], ...] = (("document", "ACLNN_ERR_PARAM_INVALID"), ("library", "ACLNN_ERR_PARAM_INVALID"))
SHOWN = ("bool", "int", "float", "string", "dtype", "format", "ints")
SCALARS = (0, 2.5, True, float("nan"), -3)
NAMES = {KINDS.get(kind, kind): name for name, kind in TYPES.items()}
RULES, CALLS = 12, 25


def argument(kind: str, random: Random) -> Node:
    """A parameter, a fact of one, or a constant of a type."""
    names = [name for name, one in TYPES.items() if KINDS.get(one, one) == kind]
    constants: dict[str, Node] = {
        "int": Int(random.randrange(4)),
        "bool": Bool(random.random() < 0.5),
        "float": Float(random.choice((0.0, 0.5, 2.0))),
        "string": Str("a"),
        "dtype": Symbol("dtype", random.choice(("FLOAT", "BF16", "COMPLEX32", "INT4", "BOOL", "DT_UNDEFINED"))),
        "format": Symbol("format", random.choice(("ND", "FRACTAL_NZ"))),
    }
    facts = {"int": "rank(second)", "ints": "shape(first)", "dtype": "dtype(first)", "format": "format(first)"}
    choices: list[Node] = [Name(name) for name in names]
    choices += [constants[kind]] if kind in constants else []
    choices += [parse(facts[kind])] if kind in facts else []
    if not choices:  # a list of what no parameter is a list of
        element = next(one for one, name in LISTS.items() if name == kind)
        choices = [ListOf((argument(element, random), argument(element, random)))]
    return random.choice(choices)


def operator(name: str, random: Random) -> OperatorInfo:
    """An operator whose rules compare values of one function, some of them behind its domain."""
    bare = name in ("is_null", "format")  # functions that look at a parameter itself
    overloads = [one for one in FUNCTIONS[name] if one.result in SHOWN and (not bare or one.args[0] in NAMES)]
    rules = []
    for at in range(RULES):
        overload = random.choice(overloads)
        extra = random.randrange(2) if overload.variadic else 0
        kinds = (*overload.args, *overload.args[-1:] * extra)
        call = Call(name, tuple(argument(kind, random) for kind in kinds))
        if bare:
            call = Call(name, tuple(Name(NAMES[kind]) for kind in kinds))
        require = call if overload.result == "bool" else Compare("==", call, argument(overload.result, random))
        rules.append(RuleInfo(f"r{at}", "rule", (), BOTH, require=require))
    return info(tuple(rules))


def info(rules: tuple[RuleInfo, ...], infer: tuple[InferInfo, ...] = ()) -> OperatorInfo:
    params = [ParamInfo(name, name, kind, "in", NOTHING) for name, kind in TYPES.items()]
    params += [ParamInfo(one.param, one.param, "tensor", "out", NOTHING) for one in infer]
    compute = ComputeInfo("none:none", (), ())
    listed = tuple((product, "document") for product in UNIVERSE)
    return OperatorInfo("aclnnF", "f", "", "", NOTHING, "", listed, tuple(params), (), (), rules, infer, compute)


def given(random: Random) -> dict[str, object]:
    """A call whose tensors have any layout and whose scalars any kind of number."""
    found = random_call(random)
    found = {name: found[name] for name in TYPES}
    if found["scalar"] is not None:
        dtype = random.choice(("FLOAT", "INT32", "BOOL", "COMPLEX64", "COMPLEX32", "DOUBLE"))
        value = random.choice(SCALARS)
        found["scalar"] = Scalar(value, Tensor((), dtype).dtype)
    if random.random() < 0.4:
        rows, columns = random.randrange(1, 4), random.randrange(1, 4)
        batch = random.choice(((), (2,), (1,)))
        strides = (*(rows * columns for _ in batch), 1, rows)
        found["first"] = Tensor((*batch, rows, columns), "FLOAT", "ND", strides, offset=random.randrange(2))
    return {name: plain(value) for name, value in found.items()}


def plain(value: object) -> object:
    """A contiguous tensor with the strides that follow from its shape, as the derivation gives it."""
    if isinstance(value, Tensor) and value.is_contiguous and value.offset == 0:
        return Tensor(value.shape, value.dtype, value.format)
    return value


def derived(value: object) -> object:
    """An argument as the derivation holds it."""
    match value:
        case Tensor():
            strides = None if value.is_contiguous else value.strides
            format_ = "ND" if value.format is None else value.format.name
            return TensorMeta(value.shape, value.dtype.name, format_, strides, value.offset)
        case Scalar():
            return ScalarMeta(value.value, value.dtype.name)  # type: ignore[arg-type]
        case tuple():
            return tuple(map(derived, value))
        case _:
            return getattr(value, "name", value)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_has_one_value(name: str) -> None:
    random = Random(name)
    seen = set()
    for _ in range(4):
        one = operator(name, random)
        functions = emitted(one)
        code = evaluator_of(one)
        for _ in range(CALLS):
            call = given(random)
            assert disagreement(one, functions, call) is None, (call, functions.text)
            env = Environment(one, call, "alpha", "document")
            frame = Frame(tuple(map(derived, call.values())))
            for rule in one.rules:
                assert rule.require is not None
                wanted = evaluate_node(rule.require, env)
                assert code.code(rule.require)(frame) is wanted, (rule.require, call)
                seen.add(wanted)
    assert True in seen or False in seen
    assert UNDEFINED in seen or name == "is_null"


@pytest.mark.parametrize("name", DOMAINS)
def test_a_function_has_a_value_where_its_domain_holds(name: str) -> None:
    random = Random(name)
    for _ in range(300):
        for overload in FUNCTIONS[name]:
            args = dict(zip("abcdefg", (argument(kind, random) for kind in overload.args), strict=False))
            env = Environment(info(()), given(random), "alpha", "document")
            domain = evaluate_node(substitute(parse(DOMAINS[name]), args), env)
            if UNDEFINED in [evaluate_node(arg, env) for arg in args.values()]:
                continue
            assert (evaluate_node(Call(name, tuple(args.values())), env) is UNDEFINED) == (domain is not True)


@pytest.mark.parametrize("name", ["cat", "foreach_copy", "foreach_norm", "split_with_size"])
def test_rows_say_of_any_list_what_the_interpreter_says(name: str, repository: Path) -> None:
    """Of no list, of an empty one, of one with a null, of dtypes that differ; as rows are asked, and once more."""
    info = ops.get(name).info
    oracle = Oracle(Space(info))
    base = derived_calls(ops.get(name), repository)[0]
    lists = [param.name for param in info.params if param.type == "tensor_list"]
    rows = [rule.require for rule in info.rules if isinstance(rule.require, InRows)]
    short, other = Tensor((2,), "FLOAT", "ND"), Tensor((1, 3), "INT8", "ND")
    values = [None, (), (None,), (short,), (short, short), (short, other), (other, None)]
    seen = set()
    for given in product(values, repeat=len(lists)):
        call = base | dict(zip(lists, given, strict=True))
        for kind in oracle.kinds:
            env = Environment(info, call, kind.targets[0].product, kind.targets[0].mode)
            for node in rows:
                wanted = evaluate_node(node, env)
                for _ in range(2):
                    found = oracle.value(node, tuple(map(derived, call.values())), kind.rows)
                    assert found is wanted, (node, call, kind.targets[0])
                seen.add(wanted)
    assert {True, UNDEFINED} <= seen
