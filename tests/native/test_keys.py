"""The compiled keys of plans: equal for calls that are alike, and different for all others."""

from __future__ import annotations

import gc
import itertools
import os
import sys
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from aclspec.runtime.environment import Variable
from aclspec.runtime.native import build
from aclspec.runtime.native.keys import CompiledKeys, address_of, load_keys
from aclspec.runtime.native.library import Library

CHOICE = Variable("ACLSPEC_TEST_CHOICE")
FLAT = np.arange(12, dtype=np.float32)


@pytest.fixture
def keys(compiled: Library) -> CompiledKeys:
    """The module that was built for the session's tests."""
    found = load_keys(build.folder(), [CHOICE])
    assert found is not None
    return found


DIFFERENT: list[Any] = [
    *(None, False, True, 0, 1, 2, -1, 2**63 - 1, -(2**63), 0.0, -0.0, 1.0, float("inf"), "", "1", "a", "\0"),
    *([], (), [0], [False], [0.0], [1], [1, 1], (1,), ["1"], [None], [1.0]),
    *(FLAT, FLAT.reshape(3, 4), FLAT.reshape(4, 3), FLAT[:0], FLAT[:1], FLAT.reshape(1, 12), FLAT[0:1].reshape(())),
    *(FLAT.astype(kind) for kind in (">f4", np.float16, ml_dtypes.bfloat16, np.int32)),
    *(FLAT.reshape(3, 4).T, FLAT[::2], np.lib.stride_tricks.as_strided(FLAT, (12,), (0,))),
]


def test_values_that_differ_have_different_keys(keys: CompiledKeys) -> None:
    made = [keys.key((value,)) for value in DIFFERENT]
    assert None not in made
    assert len(set(made)) == len(made)
    assert [keys.key([value]) for value in DIFFERENT] == made
    pairs = [keys.key(pair) for pair in itertools.product(DIFFERENT, repeat=2)]
    assert len(set(pairs)) == len(pairs)
    assert not set(pairs) & set(made)


def test_only_the_elements_of_arrays_do_not_count(keys: CompiledKeys) -> None:
    other = np.full_like(FLAT, 7)
    assert keys.key((other,)) == keys.key((FLAT.copy(),))
    other.flags.writeable = False
    assert keys.key((other,)) != keys.key((FLAT.copy(),))
    assert keys.key((FLAT[:3],)) != keys.key((FLAT[:3].copy(),)), "who owns the memory counts"


@pytest.mark.parametrize(
    "value",
    [
        *(
            2**63,
            -(2**63) - 1,
            1j,
            b"1",
            {},
            {1},
            object(),
            np.float32(1),
            np.int64(1),
            np.bool_(True),
            np.array([1])[0],
        ),
        *([[1]], [np.int64(1)], [FLAT], range(2), type("List", (list,), {})(), type("Int", (int,), {})(1), "\ud800"),
        *(FLAT.view(type("Array", (np.ndarray,), {})), list(range(10_000)), "a" * 10_000),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_not_told_apart_has_no_key(keys: CompiledKeys, value: Any) -> None:
    assert keys.key((value,)) is None
    assert keys.key((1, value)) is None


def test_values_come_in_a_tuple_or_a_list(keys: CompiledKeys) -> None:
    for values in (None, 1, "ab", {1: 2}, FLAT, iter(())):
        assert keys.key(values) is None  # type: ignore[arg-type]
        assert keys.are_own(values) is False
        with pytest.raises(TypeError):
            keys.have_shapes(values, [])  # type: ignore[arg-type]


def test_the_environment_counts(keys: CompiledKeys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(CHOICE.name, raising=False)
    made = [keys.key(())]
    for text in ("", "1", "11"):
        monkeypatch.setenv(CHOICE.name, text)
        made.append(keys.key(()))
    assert None not in made
    assert len(set(made)) == 4
    os.environ.pop(CHOICE.name)
    assert keys.key(()) == made[0]


def test_what_is_given_as_out_counts(keys: CompiledKeys) -> None:
    one, other, flat = np.ones(3), np.ones((2, 2)), FLAT.copy()
    given: list[Any] = [
        *({}, {"a": one}, {"b": one}, {"a": other}, {"a": one, "b": other}, {"b": other, "a": one}, {"a": None}),
        *((), (one,), (one, other), (other, one), (one, None), (None, one), None, one, other, flat, {"a": flat[:3]}),
    ]
    made = [keys.call_key((1, flat), out) for out in given]
    found = [one for one in made if one is not None]
    assert len(found) == len(given)
    assert len({key for key, _ in found}) == len(given)
    assert not {key for key, _ in found} & {keys.key(values) for values in ((1, flat), (1, flat, one), (1, flat, [1]))}
    for (_, arrays), out in zip(found, given, strict=True):
        expected = out.values() if isinstance(out, dict) else out if isinstance(out, tuple) else [out]
        assert [id(array) for array in arrays] == [id(array) for array in expected]
    assert keys.call_key([1, flat], [one, other]) == keys.call_key((1, flat.copy()), (one, other))
    assert keys.call_key((2, flat), (one, other)) != keys.call_key((1, flat), (one, other))
    for refused in (
        {1: one},
        {type("Name", (str,), {})("a"): one},
        {"a": object()},
        (np.float32(1),),
        [[one]],
        "\ud800",
    ):
        assert keys.call_key((1, flat), refused) is None
    assert keys.call_key((object(),), (one,)) is None
    assert keys.call_key(5, (one,)) is None  # type: ignore[arg-type]


def test_arrays_of_their_own(keys: CompiledKeys) -> None:
    one, other = np.ones(3), np.ones(3)
    assert keys.are_own((one, 5, [one], other, None))
    assert not keys.are_own([one, other, one])
    assert not keys.are_own((one, other[:2]))
    assert not keys.are_own((np.frombuffer(b"12345678"),))
    assert keys.are_own([np.ones(1) for _ in range(32)])
    assert not keys.are_own([np.ones(1) for _ in range(33)]), "so many are left to Python"
    assert keys.are_own((one, 1), [], (other,))
    assert not keys.are_own((one, 1), (other, one))
    assert not keys.are_own((one,), (other[:2],))
    assert not keys.are_own((one,), other)


def some_view(random: np.random.Generator) -> Any:
    """A part of one buffer: in C order, or with other steps, backwards too, or without elements."""
    begin, size = random.integers(0, 60), random.integers(1, 12)
    part = VIEWED[begin : begin + size * random.integers(1, 4)]
    turned = part[: len(part) // 2 * 2].reshape(2, -1).T
    kinds = (part, part[::2], part[::-1], part[:1], part[:0], part[:4].reshape(-1, 1), turned)
    chosen = kinds[random.integers(len(kinds))]
    return chosen.view(random.choice(["f4", "i4", "u4"])) if random.integers(2) else chosen


VIEWED = np.zeros(120, np.float32)


def test_what_is_apart_shares_no_memory(keys: CompiledKeys) -> None:
    random, found = np.random.default_rng(5), [0, 0]
    for _ in range(3000):
        values = [some_view(random) if random.integers(5) else 7 for _ in range(random.integers(2, 5))]
        written = random.integers(0, 2, len(values)).astype(np.uint8).tobytes()
        arrays = [(one, mark) for one, mark in zip(values, written, strict=True) if isinstance(one, np.ndarray)]
        pairs = [(one, other) for (one, a), (other, b) in itertools.combinations(arrays, 2) if a or b]
        apart = keys.are_apart(values, written)
        overlap = any(np.may_share_memory(one, other) for one, other in pairs)
        assert not (apart and overlap)
        if not overlap and all(one.flags.c_contiguous and one.size != 1 for one, _ in arrays):
            assert apart, "neighbours in C order are told apart to the byte"
        found[apart] += bool(pairs)
    assert min(found) > 300


def test_only_what_is_written_has_to_be_apart(keys: CompiledKeys) -> None:
    one, other = np.ones(3), np.ones(3)
    assert keys.are_apart((one, one, other), b"\0\0\1")
    assert not keys.are_apart([one, one, other], b"\1\0\0")
    assert not keys.are_apart((one, other, one[2:]), b"\0\1\1")
    assert keys.are_apart([one[:1], 5, one[2:], None], b"\1\1\1\1") is False, "one element may be 32 bytes"
    assert keys.are_apart((np.ones((8, 1, 1))[:4], other), b"\1\1")
    assert keys.are_apart([np.ones(1) for _ in range(32)], b"\1" * 32)
    refused: list[Any] = [([one] * 33, b"\0" * 33), ((one,), b""), ((one,), "1"), (one, b"\1"), (5, b"\1")]
    assert not any(keys.are_apart(*given) for given in refused)


def test_shapes(keys: CompiledKeys) -> None:
    values = [FLAT.reshape(3, 4), None, 5, np.ones(())]
    assert keys.have_shapes(values, [(3, 4), None, None, ()])
    for wrong in ([(4, 3), None, None, ()], [(3,), None, None, ()], [(3, 4), None, (5,), ()], [(3, 4), None, None]):
        assert not keys.have_shapes(values, wrong)


class There:
    """An array that is not on the host, and says what kind it is."""

    _kind: object

    def __init__(self, kind: object) -> None:
        self.text = kind

    @property
    def kind(self) -> object:
        """The text, which is kept from now on."""
        self._kind = self.text
        return self.text


class Silent:
    """Such an array that fails to say it."""

    def __getattr__(self, name: str) -> object:
        raise RuntimeError(name)


def test_arrays_elsewhere_are_told_by_their_kind(keys: CompiledKeys) -> None:
    from aclspec.runtime.npu import DeviceArray

    try:
        assert keys.key((There("a"),)) is None
        keys.know(There, "_kind", "kind")
        one = There("".join(("a", "bc")))
        made = keys.key((one, 1))
        one.text = "b"
        assert made == keys.key((one, 1)) == keys.key((There("abc"), 1)) is not None
        counted = [sys.getrefcount(one._kind)]
        assert len({keys.key((one,)) for _ in range(50)}) == 1
        counted.append(sys.getrefcount(one._kind))
        assert counted[0] == counted[1]
        texts = ["a", "b", "", "ab", "\u4e2d" * 300]
        others = [keys.key((There(text),)) for text in texts] + [keys.key((value,)) for value in DIFFERENT]
        assert None not in others
        assert len(set(others)) == len(others)
        for refused in (There(None), There(b"a"), There("\ud800"), There("a" * 10_000), type("Sub", (There,), {})("a")):
            assert keys.key((refused,)) is None
        keys.know(Silent, "_kind", "kind")
        assert keys.key((Silent(),)) is None
    finally:
        keys.know(DeviceArray, "_kind", "kind")


def test_addresses(keys: CompiledKeys) -> None:
    for value in (FLAT, FLAT[3:], FLAT.reshape(3, 4).T, FLAT[::-2], np.empty(0), FLAT.astype(ml_dtypes.bfloat16)):
        assert keys.address(value) == address_of(value) == value.__array_interface__["data"][0]
    masked = np.ma.array(FLAT)
    assert keys.address(masked) is None
    assert address_of(masked) == masked.__array_interface__["data"][0]


def test_nothing_leaks(keys: CompiledKeys) -> None:
    def take() -> None:
        for value in (*DIFFERENT, 2**63, object(), [FLAT], "\ud800"):
            keys.key((value, 1))
            keys.are_own((value, FLAT))
            keys.have_shapes([FLAT, value], [(12,), None])
            keys.are_apart((value, FLAT), b"\0\1")
            keys.call_key((value, FLAT), {"a": FLAT, "b": value})
            keys.call_key((1, FLAT), (value, FLAT))
            keys.call_key((1,), value)

    take()
    arrays = [value for value in DIFFERENT if isinstance(value, np.ndarray | list)]
    counted = [sys.getrefcount(value) for value in arrays]
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(200):
        take()
    gc.collect()
    assert sys.getallocatedblocks() - before < 100
    assert [sys.getrefcount(value) for value in arrays] == counted


def test_without_the_module_keys_are_made_in_python(
    compiled: Library, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert load_keys(tmp_path, [CHOICE]) is None
    monkeypatch.setenv("ACLSPEC_NATIVE", "0")
    assert load_keys(build.folder(), [CHOICE]) is None
    monkeypatch.delenv("ACLSPEC_NATIVE")
    from aclspec.runtime.native.keys import keys_path

    keys_path(tmp_path).write_bytes(b"not a library")
    assert load_keys(tmp_path, [CHOICE]) is None
