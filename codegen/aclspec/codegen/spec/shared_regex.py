"""Regular expressions in the subset that Python and JavaScript read alike, and that match in linear time.

A pattern is characters, classes, groups, alternatives and repetitions. Three rules keep the time linear in the length
of a line: it begins with a character, a boundary or the start of the line; a repetition has a largest count and none
inside; and what may follow a repetition begins with none of the characters that it takes, so that a match is never
tried twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import reduce
from typing import Final, TypeAlias

MOST_COPIES: Final = 256
"""How often a part may be repeated."""
MOST_STARTS: Final = 4
"""With how many different characters a match may begin, where no boundary stands before it."""
_OTHER: Final = "\U0010ffff"
"""Stands for every character that is not ASCII and that no pattern names."""
_ASCII: Final = frozenset(map(chr, range(128)))
_DIGITS: Final = frozenset("0123456789")
_WORD: Final = frozenset(one for one in _ASCII if one.isalnum() or one == "_")
_CLASSES: Final = {"d": _DIGITS, "w": _WORD}
_PLAIN: Final = r".^$*+?{}[]()|/\-" + "\"'"
"""What a backslash may stand before to mean itself."""
Chars: TypeAlias = frozenset[str]


class PatternError(ValueError):
    """A pattern outside the subset; the message says what stands at which character."""


@dataclass(slots=True)
class _Part:
    """A part of a pattern: the characters that it may begin with, those that it may take at all, and its openness.

    ``open`` has, for each repetition that may end at the end of the part, the characters that it takes.
    """

    first: Chars = frozenset()
    takes: Chars = frozenset()
    nullable: bool = True
    repeats: bool = False
    anchored: bool = False
    """Whether it begins with a boundary or the start of the line."""
    open: list[Chars] = field(default_factory=list)


class _Reader:
    """Reads a pattern, by recursive descent."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.groups = text, 0, 0
        self.universe = _ASCII | {one for one in text if one not in _ASCII} | {_OTHER}

    def error(self, what: str) -> PatternError:
        return PatternError(f"{what} at character {self.at + 1}")

    def peek(self) -> str:
        return self.text[self.at] if self.at < len(self.text) else ""

    def take(self) -> str:
        char = self.peek()
        if not char:
            raise self.error("the pattern ends too early")
        self.at += 1
        return char

    def alternatives(self) -> _Part:
        parts = [self.sequence()]
        while self.peek() == "|":
            self.at += 1
            parts.append(self.sequence())
        return _Part(
            _union(one.first for one in parts),
            _union(one.takes for one in parts),
            any(one.nullable for one in parts),
            any(one.repeats for one in parts),
            all(one.anchored for one in parts),
            [chars for one in parts for chars in one.open],
        )

    def sequence(self) -> _Part:
        whole = _Part()
        is_begun = False
        while self.peek() not in ("", "|", ")"):
            part = self.repeated()
            if clash := next((chars & part.first for chars in whole.open if chars & part.first), None):
                raise self.error(f"a repetition takes what may follow it ({min(clash)!r})")
            if not is_begun:
                whole.anchored = part.anchored
            whole.first |= part.first if whole.nullable else frozenset()
            whole.open = [*part.open, *(whole.open if part.nullable else [])]
            whole.takes |= part.takes
            whole.nullable &= part.nullable
            whole.repeats |= part.repeats
            is_begun = True
        return whole

    def repeated(self) -> _Part:
        part = self.item()
        least, most = self.counts()
        if (least, most) == (1, 1):
            return part
        if self.peek() in "?*+{" and self.peek():
            raise self.error("a repetition is repeated or lazy")
        if part.anchored and not part.takes:
            raise self.error("a boundary is repeated")
        if most > 1 and part.repeats:
            raise self.error("a repetition stands inside another")
        if most > 1 and part.nullable:
            raise self.error("a part that may be empty is repeated")
        again = part.takes if most > 1 else part.first  # of an optional part the choice is at its beginning
        found = [*part.open, *([again] if most > least else [])]
        return _Part(part.first, part.takes, least == 0, part.repeats or most > 1, part.anchored, found)

    def counts(self) -> tuple[int, int]:
        """The least and the greatest number of copies that stand behind an item."""
        char = self.peek()
        if char in ("*", "+"):
            raise self.error(f"a repetition without a largest count ({char}); write {{1,{MOST_COPIES}}}")
        if char == "?":
            self.at += 1
            return 0, 1
        if char != "{":
            return 1, 1
        end = self.text.find("}", self.at)
        inner = self.text[self.at + 1 : max(end, 0)].split(",")
        if len(inner) > 2 or not all(one.isascii() and one.isdigit() for one in inner):
            raise self.error("a count is not {least,most}")
        least, most = int(inner[0]), int(inner[-1])
        if not least <= most or not 0 < most <= MOST_COPIES:
            raise self.error(f"a count is not within 0 to {MOST_COPIES}")
        self.at = end + 1
        return least, most

    def item(self) -> _Part:
        char = self.take()
        match char:
            case "(":
                return self.group()
            case "[":
                return _one(self.chars())
            case "\\":
                return self.escaped()
            case "^" | "$":
                return _Part(anchored=True)
            case "." | "*" | "+" | "?" | "{" | "}" | "]":
                self.at -= 1
                raise self.error(f"the character {char} has no meaning here; a backslash makes it a character")
        return _one(frozenset(char))

    def group(self) -> _Part:
        if self.text.startswith("?:", self.at):
            self.at += 2
        elif self.peek() == "?":
            raise self.error("a group of another kind than (...) and (?:...)")
        else:
            self.groups += 1
        part = self.alternatives()
        if self.peek() != ")":
            raise self.error("a group is not closed")
        self.at += 1
        return part

    def escaped(self) -> _Part:
        char = self.take()
        if char == "b":
            return _Part(anchored=True)
        if char in _CLASSES:
            return _one(_CLASSES[char])
        if char not in _PLAIN:
            self.at -= 1
            raise self.error(f"the escape \\{char} is not one that both languages read alike")
        return _one(frozenset(char))

    def chars(self) -> Chars:
        """The characters of a class, behind its opening bracket."""
        is_negated = self.peek() == "^"
        self.at += is_negated
        found: set[str] = set()
        while self.peek() != "]":
            before = self.class_member()
            if self.peek() == "-" and self.text[self.at + 1 : self.at + 2] != "]":
                self.at += 1
                after = self.class_member()
                if len(before) != 1 or len(after) != 1 or not {*before, *after} <= _ASCII:
                    raise self.error("a range is not one of ASCII characters")
                found |= {chr(code) for code in range(ord(min(before)), ord(min(after)) + 1)}
            else:
                found |= before
        self.at += 1
        if not found:
            raise self.error("a class is empty")
        return frozenset(self.universe - found if is_negated else found)

    def class_member(self) -> Chars:
        char = self.take()
        if char == "[":
            raise self.error("a bracket in a class without a backslash")
        if char != "\\":
            return frozenset(char)
        char = self.take()
        if char in _CLASSES:
            return _CLASSES[char]
        if char not in _PLAIN:
            raise self.error(f"the escape \\{char} is not one that both languages read alike")
        return frozenset(char)


def groups_of(pattern: str) -> int:
    """The number of groups of a pattern of the subset; PatternError for one outside it."""
    reader = _Reader(pattern)
    whole = reader.alternatives()
    if reader.at < len(pattern):
        raise reader.error("a group is closed that was not opened")
    if whole.nullable:
        raise PatternError("the pattern matches nothing at all")
    if not whole.anchored and len(whole.first) > MOST_STARTS:
        raise PatternError("the pattern begins with neither a few characters nor a boundary")
    return reader.groups


def _one(chars: Chars) -> _Part:
    return _Part(chars, chars, nullable=False)


def _union(sets: Iterable[Chars]) -> Chars:
    return reduce(frozenset.union, sets, frozenset())
