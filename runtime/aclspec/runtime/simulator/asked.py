"""What the device process answers to a message: its bytes are read, and `calls` decides and computes."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from aclspec.runtime.simulator import calls
from aclspec.runtime.simulator.mapping import forget_oldest, mapped
from aclspec.runtime.simulator.wire import (
    EFFECTS,
    MODES,
    SETTINGS,
    VERSION,
    WORD,
    Answer,
    Head,
    Kind,
    Memory,
    ScalarBytes,
    Tag,
    View,
)

_HEAD, _ANSWER = len(Head._fields), struct.Struct(f"{len(Answer._fields)}q")
_SHORT = 1 << 14
"""Bytes of a call up to which what they say is kept for the next one."""
_BROKEN = 561000
_settings: tuple[str, ...] = ()


class Call(NamedTuple):
    """A call without its memory: names, values of the forms that `calls` takes, and how many tensors each value has."""

    name: str
    product: str
    settings: tuple[str, ...]
    mode: str
    effect: str | None
    values: tuple[Any, ...]
    tensors: tuple[int | None, ...]
    """-1 for a tensor, the number of a list's, None of a parameter that has none."""


class _Reader:
    """Reads what a call is, word by word."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0
        self.words, self.numbers = memoryview(data).cast("q"), memoryview(data).cast("d")

    def word(self) -> int:
        self.at += 1
        return self.words[self.at - 1]

    def take(self, count: int) -> tuple[int, ...]:
        self.at += count
        return tuple(self.words[self.at - count : self.at])

    def number(self) -> float:
        self.at += 1
        return self.numbers[self.at - 1]

    def text(self) -> str:
        length = self.word()
        start = WORD * self.at
        self.at += (length + WORD - 1) // WORD
        return self.data[start : start + length].decode("utf-8", "replace")

    def given(self, read: Callable[[], Any]) -> Any:
        return read() if self.word() else None

    def listed(self, read: Callable[[], Any]) -> tuple[Any, ...]:
        return tuple(read() for _ in range(self.word()))

    def tensor(self) -> tuple[Any, ...]:
        view = View(*self.take(len(View._fields)))
        shape, strides, storage = self.take(view.rank), self.take(view.rank), self.take(view.storage_rank)
        return view.dtype, view.format, shape, strides, view.offset, storage

    def scalar(self) -> tuple[int, bytes]:
        start = WORD * (self.at + ScalarBytes._fields.index("first"))
        found = ScalarBytes(*self.take(len(ScalarBytes._fields)))
        return found.dtype, self.data[start : start + found.size]


_READ: Mapping[Tag, Callable[[_Reader], Any]] = {
    Tag.TENSOR: _Reader.tensor,
    Tag.TENSOR_LIST: lambda reader: reader.listed(lambda: reader.given(reader.tensor)),
    Tag.SCALAR: _Reader.scalar,
    Tag.SCALAR_LIST: lambda reader: reader.listed(lambda: reader.given(reader.scalar)),
    Tag.INT_ARRAY: lambda reader: reader.take(reader.word()),
    Tag.FLOAT_ARRAY: lambda reader: reader.listed(reader.number),
    Tag.BOOL_ARRAY: lambda reader: tuple(map(bool, reader.take(reader.word()))),
    Tag.BOOL: lambda reader: bool(reader.word()),
    Tag.INT: _Reader.word,
    Tag.UINT64: lambda reader: reader.word() & (1 << 64) - 1,
    Tag.FLOAT: _Reader.number,
    Tag.STRING: _Reader.text,
    Tag.DTYPE: _Reader.word,
}


def read_call(data: bytes) -> Call:
    """What a call is."""
    reader = _Reader(data)
    name, product, settings = reader.text(), reader.text(), tuple(reader.text() for _ in SETTINGS)
    mode, effect = MODES[reader.word()], EFFECTS[reader.word()]
    values: list[Any] = []
    tensors: list[int | None] = []
    for _ in range(reader.word()):
        tag = Tag(reader.word())
        value = _READ[tag](reader) if reader.word() else None
        values.append(value)
        tensors.append(-1 if tag is Tag.TENSOR else len(value or ()) if tag is Tag.TENSOR_LIST else None)
    return Call(name, product, settings, mode, effect, tuple(values), tuple(tensors))


def read_memories(call: Call, words: list[int]) -> tuple[Any, ...]:
    """Where the tensors of a call are, in the forms that `calls` takes; their parts of the file are mapped."""
    at = 0

    def one() -> tuple[memoryview | int, int] | None:
        nonlocal at
        found = Memory(*words[at : at + len(Memory._fields)])
        start = at + len(Memory._fields)
        at = start + 2 * found.parts
        if found.why:
            return found.why, 0
        return (mapped(found.size, tuple(words[start:at])), found.at) if found.parts else None

    return tuple(
        None if count is None else one() if count < 0 else tuple(one() for _ in range(count)) for count in call.tensors
    )


def _set(settings: tuple[str, ...]) -> None:
    """Have the variables that the program has; nothing else in this process sets them."""
    global _settings
    if settings != _settings:
        os.environ.update(zip(SETTINGS, settings, strict=True))
        _settings = settings


@lru_cache(maxsize=1024)
def _accepted(data: bytes) -> tuple[Call, calls.Answer]:
    """A call that C accepted, and what phase two needs of it."""
    call = read_call(data)
    _set(call.settings)
    return call, calls.accept(call.name, call.product, call.effect, call.values)


def answer(message: memoryview, tell: Callable[[], object]) -> bytes:
    """The answer to a message; what nobody foresaw is an answer, too, and ``tell`` is called while it is handled."""
    forget_oldest()
    try:
        return _answered(message)
    except Exception as error:
        tell()
        return packed((_BROKEN, 0, None, f"{type(error).__name__}: {error}"), broken=True)


def _answered(message: memoryview) -> bytes:
    words = message.cast("q")
    head = Head(*words[:_HEAD])
    if head.version != VERSION:
        raise RuntimeError("the simulator was built by another version of aclspec; build it again")
    end = WORD * _HEAD + head.described
    data = bytes(message[WORD * _HEAD : end])
    if head.kind == Kind.JUDGE:
        call = read_call(data)
        _set(call.settings)
        judged = calls.phase_one(call.name, call.product, call.mode, call.values)
        effect = None if judged[2] is None else judged[2].effect
        return packed((judged[0], judged[1], None, judged[3]), effect)
    call, accepted = (_accepted if len(data) <= _SHORT else _accepted.__wrapped__)(data)
    if accepted[2] is None:
        return packed(accepted)
    _set(call.settings)
    memories = read_memories(call, words[end // WORD :].tolist())
    return packed(calls.phase_two(accepted[2], memories, head.kind == Kind.LOOK))


def packed(found: calls.Answer, effect: str | None = None, broken: bool = False) -> bytes:
    """The bytes of an answer of `calls`."""
    status, workspace, lengths, sentence = found
    text = b"" if sentence is None else sentence.encode("utf-8", "replace")
    numbers = [number for length in lengths or () for number in length]
    size = _ANSWER.size + WORD * len(numbers) + len(text)
    head = _ANSWER.pack(size, status, workspace, EFFECTS.index(effect), broken, len(lengths or ()))
    return head + struct.pack(f"{len(numbers)}q", *numbers) + text if numbers or text else head
