"""The messages between a program and its device process, described once: C structs are rendered from these classes.

Every field is a signed word of eight bytes. A message is a `Head`, what the call is, and where its tensors are; equal
bytes of the second part are an equal call. Numbers with a fraction are the bits of a double, a text is its length in
bytes and these, filled with zeros to whole words.

- What the call is: the texts of the operator's C name, of the product and of the variables `SETTINGS`, the places of
  mode and effect in `MODES` and `EFFECTS`, and the number of parameters. Of each parameter follow its `Tag`, whether it
  is given, and where it is, by the tag: a `View` with shape, strides and shape of the storage; a `ScalarBytes`; one
  word; a text; or of a list the number of elements and these, each tensor or scalar of it behind a word that says
  whether it is given.
- Where tensors are: for each of them, null ones too, a `Memory` and its `Part`s.
- The answer is an `Answer`, its `Length`s, and the bytes of a sentence.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple
from zlib import crc32


class Head(NamedTuple):
    """How a message begins."""

    length: int
    """The bytes of the message."""
    version: int
    """`VERSION`."""
    kind: int
    """`Kind`."""
    described: int
    """The bytes behind the head that say what the call is."""


class View(NamedTuple):
    """A tensor."""

    dtype: int
    format: int
    offset: int
    rank: int
    storage_rank: int


class ScalarBytes(NamedTuple):
    """A scalar."""

    dtype: int
    size: int
    first: int
    second: int


class Memory(NamedTuple):
    """The memory around a tensor's address."""

    why: int
    """`Why` there is none; 0: there is."""
    at: int
    """The byte of it that the address is."""
    size: int
    """How many bytes it has."""
    parts: int
    """How many parts of the file it is, in their order."""


class Part(NamedTuple):
    """A part of the file that holds the memory of devices."""

    start: int
    size: int


class Answer(NamedTuple):
    """How an answer begins."""

    length: int
    """The bytes of the answer."""
    status: int
    workspace: int
    effect: int
    """The place in `EFFECTS`."""
    broken: int
    """1: nobody foresaw what the sentence says."""
    lengths: int
    """How many lengths of outputs follow."""


class Length(NamedTuple):
    """How long an axis of an output is whose shape depends on the data."""

    param: int
    is_last: int
    """1: it is the last axis, 0: the first."""
    length: int


STRUCTS: Final = (Head, View, ScalarBytes, Memory, Part, Answer, Length)
WORD: Final = 8


class Kind(IntEnum):
    """What is asked."""

    JUDGE = 1
    """Whether phase one accepts the call, which C leaves to Python."""
    LOOK = 2
    """Whether the tensors of the call have memory; nothing is computed."""
    COMPUTE = 3


class Tag(IntEnum):
    """What a parameter is."""

    TENSOR = 0
    TENSOR_LIST = 1
    SCALAR = 2
    SCALAR_LIST = 3
    INT_ARRAY = 4
    FLOAT_ARRAY = 5
    BOOL_ARRAY = 6
    BOOL = 7
    INT = 8
    UINT64 = 9
    FLOAT = 10
    STRING = 11
    DTYPE = 12


class Why(IntEnum):
    """Why a tensor has no memory."""

    NO_ADDRESS = 1
    NOT_OF_DEVICE = 2
    FREED = 3
    NOT_MAPPED = 4


ENUMS: Final = (Kind, Tag, Why)
MODES: Final = ("library", "document")
EFFECTS: Final = (None, "unwritten", "zeros")
SETTINGS: Final = ("ACLSPEC_KERNELS", "ACLSPEC_SIMULATOR_FAULT")
"""Variables that a program may change while it runs; one that is not set is an empty text."""
_FIELDS = [(one.__name__, one._fields) for one in STRUCTS]
_MEMBERS = [(one.__name__, list(one.__members__)) for one in ENUMS]
VERSION: Final = crc32(repr((_FIELDS, _MEMBERS, MODES, EFFECTS, SETTINGS)).encode())
"""A number of this description, by which a simulator that is older than the package is told."""
