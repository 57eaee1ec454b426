"""The numbers of the checks in C: integers beyond 128 bits, and floats as sentences show them, as Python has them."""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from tests.support.c_checks import CChecks

BITS = 2048
LARGEST = 2**BITS - 1


class Big(ctypes.Structure):
    _fields_ = (("units", ctypes.c_uint32 * 64), ("negative", ctypes.c_bool))

    @classmethod
    def of(cls, value: int) -> Big:
        size = abs(value)
        return cls((ctypes.c_uint32 * 64)(*(size >> 32 * at & 0xFFFFFFFF for at in range(64))), value < 0)

    def __int__(self) -> int:
        size = sum(int(unit) << 32 * at for at, unit in enumerate(self.units))
        return -size if self.negative else size


class Text(ctypes.Structure):
    _fields_ = (
        ("bytes", ctypes.c_char * 16384),
        ("length", ctypes.c_size_t),
        ("language", ctypes.c_int),
        ("unseen", ctypes.c_char_p),
    )

    def __str__(self) -> str:
        return bytes(self.bytes)[: self.length].decode()


def function(checks: CChecks, name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    found = checks.library[f"aclspec_{name}"]
    found.restype, found.argtypes = result, arguments
    return found


def numbers(random: Random, most: int) -> int:
    bits = random.choice((0, 1, 2, 31, 32, 33, 63, 64, 127, 128, 200, most))
    return random.choice((1, -1)) * max(0, random.getrandbits(bits) if bits else 0)


@pytest.mark.parametrize(
    ("name", "python"),
    [
        ("big_add", lambda one, other: one + other),
        ("big_sub", lambda one, other: one - other),
        ("big_mul", lambda one, other: one * other),
        ("big_floor_div", lambda one, other: one // other),
        ("big_mod", lambda one, other: one % other),
        ("big_max", max),
        ("big_min", min),
    ],
)
def test_integers_are_as_in_python(checks: CChecks, name: str, python: Callable[[int, int], int]) -> None:
    in_c, random = function(checks, name, Big, Big, Big), Random(name)
    for _ in range(300):
        one, other = numbers(random, 1000), numbers(random, 1000)
        if name in ("big_floor_div", "big_mod") and other == 0:
            continue
        assert int(in_c(Big.of(one), Big.of(other))) == python(one, other), (one, other)


def test_what_is_too_large_stays_at_the_largest(checks: CChecks) -> None:
    add, mul = (function(checks, name, Big, Big, Big) for name in ("big_add", "big_mul"))
    assert int(add(Big.of(LARGEST), Big.of(1))) == LARGEST
    assert int(mul(Big.of(-LARGEST), Big.of(2))) == -LARGEST
    assert int(mul(Big.of(2**1024), Big.of(-(2**1024)))) == -LARGEST
    assert int(mul(Big.of(2**1023), Big.of(2**1024))) == 2**2047


def test_integers_compare_as_in_python(checks: CChecks) -> None:
    compare, random = function(checks, "big_compare", ctypes.c_int, Big, Big), Random(3)
    for _ in range(300):
        one, other = numbers(random, 300), numbers(random, 300)
        other = random.choice((one, -one, other))
        assert compare(Big.of(one), Big.of(other)) == (one > other) - (one < other)


def test_integers_are_written_in_full(checks: CChecks) -> None:
    put, random = function(checks, "put_big", None, ctypes.c_void_p, Big), Random(4)
    for value in (0, -0, LARGEST, -LARGEST, *(numbers(random, 2000) for _ in range(100))):
        text = Text()
        put(ctypes.byref(text), Big.of(value))
        assert int(str(text)) == value
        assert str(text) == str(value)


def test_floats_are_written_as_in_python(checks: CChecks) -> None:
    put, random = function(checks, "put_float", None, ctypes.c_void_p, ctypes.c_double), Random(5)
    values = [0.0, -0.0, 1.0, 0.1, 1e15, 1e16, 1e17, 1e-4, 1e-5, 5e-324, 1.7976931348623157e308, 123456789012345678.0]
    values += [math.nan, math.inf, -math.inf, 9007199254740993.0, 1e22, 0.00012345, 1234.5]
    values += [struct.unpack("d", struct.pack("Q", random.getrandbits(64)))[0] for _ in range(2000)]
    values += [random.uniform(-1e6, 1e6) for _ in range(1000)]
    for value in values:
        text = Text()
        put(ctypes.byref(text), value)
        assert str(text) == repr(value)
