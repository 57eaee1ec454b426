"""Over random predicates and random calls: a verdict always, and a sentence always."""

from __future__ import annotations

import re
from random import Random

import pytest

from aclspec.runtime.language.nodes import Compare, Not, names
from aclspec.runtime.rules.interpreter import UNDEFINED, Environment, evaluate, evaluate_node
from aclspec.runtime.rules.operator_info import Mode
from aclspec.runtime.rules.sentences import Lang, failure, requirement
from aclspec.runtime.testing.amount import amount
from tests.support.handmade import operator, rule
from tests.support.predicates import call, tree

GROUPS = range(amount(5, 5, 50))
EACH = 1000
PRODUCTS = ("atlas_a2", "atlas_training", "ascend_950")
MODES: tuple[Mode, ...] = ("document", "library")
LANGS: tuple[Lang, ...] = ("en", "zh")
WRONG = re.compile(r"  |\{|\}|UNDEFINED|INFERRED|None|<aclspec|object at")


def assert_sentence(text: str, lang: Lang) -> None:
    assert text.endswith("." if lang == "en" else "。"), text
    assert not WRONG.search(text), text
    assert text.count("(") == text.count(")"), text
    assert text.count("[") == text.count("]"), text


@pytest.mark.parametrize("group", GROUPS)
def test_a_sentence_always(group: int) -> None:
    outcomes = set()
    for seed in range(group * EACH, (group + 1) * EACH):
        rng = Random(seed)
        one = rule(None, require=tree(rng), when=tree(rng, depth=2) if rng.random() < 0.3 else None)
        info, given, product, mode = operator(one), call(rng), rng.choice(PRODUCTS), rng.choice(MODES)
        outcome = evaluate(info, given, product, mode).outcomes["r"]
        outcomes.add(outcome)
        for lang in LANGS:
            assert_sentence(requirement(info.rules[0], lang), lang)
            if outcome == "fails":
                assert_sentence(failure(info, info.rules[0], given, product, mode, lang), lang)
    assert outcomes == {"holds", "fails", "n/a"}


@pytest.mark.parametrize("group", GROUPS)
def test_a_predicate_is_true_false_or_undefined(group: int) -> None:
    for seed in range(group * EACH, (group + 1) * EACH):
        rng = Random(seed)
        node, other = tree(rng), tree(rng, depth=3)
        env = Environment(operator(), call(rng), rng.choice(PRODUCTS), "document")
        found, second = evaluate_node(node, env), evaluate_node(other, env)
        assert found is True or found is False or found is UNDEFINED
        opposite = UNDEFINED if found is UNDEFINED else not found
        assert evaluate_node(Not(node), env) is opposite
        equal = UNDEFINED if found is UNDEFINED or second is UNDEFINED else found == second
        assert evaluate_node(Compare("==", node, other), env) is equal


def test_only_the_names_of_a_predicate_matter() -> None:
    info = operator()
    lets = {let.name: names(let.value) for let in info.lets}
    for seed in range(EACH):
        rng = Random(seed)
        node, given = tree(rng), call(rng)
        used = {name for top in names(node) for name in lets.get(top, {top})}
        reduced = {name: value if name in used else None for name, value in given.items()}
        found = [evaluate_node(node, Environment(info, one, "atlas_a2", "document")) for one in (given, reduced)]
        assert found[0] is found[1]
