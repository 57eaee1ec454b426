"""Errors and what is left of them for last_error."""

from __future__ import annotations

import copy
import pickle
import threading
from typing import Any

import numpy as np
import pytest

import aclspec.runtime
from aclspec import ops
from aclspec.runtime import AclnnError, Status, last_error
from aclspec.runtime.abi.errors import CAPACITY, record
from aclspec.runtime.abi.suggest import did_you_mean
from aclspec.runtime.api.operator import Operator


def test_an_error_has_status_rule_and_violations(prelu: Operator, call: dict[str, Any]) -> None:
    with pytest.raises(AclnnError) as raised:
        prelu(**(call | {"weight": np.zeros(3, np.float32)}), product="atlas_training")
    error = raised.value
    assert error.status is Status.ACLNN_ERR_PARAM_INVALID
    assert error.rule == "aclnnPreluBackward.weight-numel"
    assert [violation.rule for violation in error.violations] == ["aclnnPreluBackward.weight-numel"]
    assert str(error) == (
        "The number of elements of weight is 3; it must be 1 or the channel count of self (2).\n"
        " - while checking rule aclnnPreluBackward.weight-numel for atlas_training\n"
        " - while calling aclnnPreluBackward"
    )


def test_an_error_names_every_violation_in_the_order_of_the_checks(prelu: Operator) -> None:
    x = np.zeros((4, 2), np.float32)
    with pytest.raises(AclnnError) as raised:
        prelu(np.zeros((3, 2), np.float32), x, np.zeros(3, np.float64))
    rules = [violation.rule.rpartition(".")[2] for violation in raised.value.violations]
    assert rules == ["dtype-weight", "weight-numel", "grad-output-broadcast"]
    assert raised.value.rule == raised.value.violations[0].rule


def test_nobody_is_blamed_for_a_tensor_that_he_did_not_give(prelu: Operator, call: dict[str, Any]) -> None:
    for change in ({"self": None}, {"weight": None}, {"weight": np.zeros(2)}, {"self": np.zeros((1,) * 9, np.float32)}):
        with pytest.raises(AclnnError) as raised:
            prelu(**(call | change))
        text = str(raised.value) + "".join(violation.sentence for violation in raised.value.violations)
        assert "gradInput" not in text.split("\n")[0]
        assert not any("grad-input" in violation.rule for violation in raised.value.violations)


def test_errors_pickle(prelu: Operator, call: dict[str, Any]) -> None:
    for change in ({"weight": np.zeros(3, np.float32)}, {"self": call["self"][::-1]}):
        with pytest.raises(AclnnError) as raised:
            prelu(**(call | change))
        again = pickle.loads(pickle.dumps(raised.value))
        assert (str(again), again.status, again.rule) == (str(raised.value), raised.value.status, raised.value.rule)


def test_last_error_is_gone_once_read(prelu: Operator, call: dict[str, Any]) -> None:
    assert last_error() is None
    with pytest.raises(AclnnError):
        prelu(**(call | {"weight": None}))
    assert prelu(**call) is not None  # a good call leaves the message of the bad one
    text = last_error()
    assert text is not None
    assert text.startswith("aclnnPreluBackward.null-weight: ")
    assert last_error() is None


def test_last_error_has_the_newest_first_and_not_all() -> None:
    for number in range(CAPACITY + 5):
        record("id", str(number))
    text = last_error()
    assert text is not None
    lines = text.splitlines()
    assert lines[0] == f"id: {CAPACITY + 4}"
    assert len(lines) == CAPACITY


def test_last_error_belongs_to_a_thread() -> None:
    record("mine", "reason")
    found: list[str | None] = []

    def other() -> None:
        found.append(last_error())
        record("theirs", "reason")
        found.append(last_error())

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert found == [None, "theirs: reason"]
    assert last_error() == "mine: reason"


def test_public_names() -> None:
    for name in aclspec.runtime.__all__:
        assert getattr(aclspec.runtime, name) is not None
        assert name in dir(aclspec.runtime)
    assert callable(aclspec.runtime.last_error)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = aclspec.runtime.nothing


def test_operators_pickle_and_copy(prelu: Operator) -> None:
    assert pickle.loads(pickle.dumps(prelu)) is prelu
    assert copy.deepcopy(prelu) is copy.copy(prelu) is prelu


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("prelu", " (did you mean prelu_backward?)"),
        ("aclnnPrelu", " (did you mean aclnnPreluBackward?)"),
        ("PRELU_BACKWARD", " (did you mean prelu_backward?)"),
        ("zzz", ""),
    ],
)
def test_the_name_that_was_meant(name: str, hint: str) -> None:
    assert did_you_mean(name, ["prelu_backward", "aclnnPreluBackward", "max_pool"]) == hint


@pytest.mark.parametrize("name", ["aclnnPreluBackward", "PreluBackward", "prelu_backward"])
def test_the_names_of_an_operator(name: str) -> None:
    assert ops.get(name).name == "aclnnPreluBackward"


def test_an_unknown_operator() -> None:
    with pytest.raises(
        LookupError, match=r"The operator \(prelu_backwards\) is unknown \(did you mean prelu_backward\?\)"
    ):
        ops.get("prelu_backwards")
    with pytest.raises(TypeError, match=r"The name of an operator \(3\) is not a string."):
        ops.get(3)  # type: ignore[arg-type]
