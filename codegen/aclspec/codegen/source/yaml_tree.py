"""YAML read into a tree that knows where everything stands, each character of a scalar included.

The tree is built from libyaml's events, not by its constructor: plain scalars follow YAML 1.2 (so ``off`` is a string
and ``004`` is refused rather than read as octal), and what could hide a mistake or never end is refused: duplicate
keys, anchors, aliases, tags, several documents, deep nesting.
"""

from __future__ import annotations

import io
import re
from bisect import bisect_right
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import yaml

from aclspec.codegen.source.findings import START, Finding, display_path
from aclspec.runtime.language.nodes import Position

Plain: TypeAlias = "str | int | float | bool | tuple[Plain, ...] | dict[str | int, Plain] | None"
Key: TypeAlias = str | int
MAX_DEPTH = 32
MAX_BYTES = 1_000_000
"""The largest file that is read."""
MAX_TEXT = 20_000
"""Characters of a text."""
MAX_ENTRIES = 2_000
"""Entries of a list or of a mapping; no operator has as many parameters or rules."""
_LOADER: type[yaml.SafeLoader] | type[yaml.CSafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


MADE = (0, 0)
"""The span of a scalar that the file does not have."""


@dataclass(slots=True)
class Scalar:
    """A string, a number, a truth value or null; ``span`` is its source text, quotes included."""

    value: str | int | float | bool | None
    at: Position
    style: str
    span: tuple[int, int]


@dataclass(slots=True)
class Sequence:
    """A list."""

    at: Position
    items: list[Tree] = field(default_factory=list)


@dataclass(slots=True)
class Mapping:
    """A mapping; ``keys`` has the scalar of each key."""

    at: Position
    values: dict[Key, Tree] = field(default_factory=dict)
    keys: dict[Key, Scalar] = field(default_factory=dict)


Tree: TypeAlias = Scalar | Sequence | Mapping


class YamlError(Exception):
    """A text that is no YAML of ours, at one place."""

    def __init__(self, at: Position, kind: str, message: str) -> None:
        """Remember the place; the loader adds the file."""
        super().__init__(message)
        self.at, self.kind, self.message = at, kind, message


@dataclass(slots=True)
class Source:
    """One file: its text, its tree, and what reading it found."""

    path: Path
    text: str
    tree: Tree | None
    findings: list[Finding] = field(default_factory=list)

    @property
    def file(self) -> str:
        """The path as messages show it."""
        return display_path(self.path)


def read(path: Path) -> Source:
    """Read a file; a text that cannot be read has no tree and at least one finding."""
    source = Source(path, "", None)
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        source.findings.append(Finding(source.file, START, "yaml", f"The file has more than {MAX_BYTES} bytes."))
        return source
    try:
        text = data.decode("utf-8-sig")  # a byte order mark is no character of the text
        source.text = io.StringIO(text, newline=None).read()
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        source.findings.append(Finding(source.file, Position(line, 1), "encoding", "The file is not UTF-8 text."))
        return source
    return parse(source)


def parse(source: Source) -> Source:
    """Fill in the tree of a source from its text."""
    builder = _Builder(source.text)
    try:
        source.tree = builder.build()
    except YamlError as error:
        builder.problems.append(error)
    except yaml.MarkedYAMLError as error:
        builder.problems.append(_syntax(error, source.text))
    except yaml.reader.ReaderError as error:
        builder.problems.append(_unprintable(error, source.text))
    source.findings += [Finding(source.file, e.at, e.kind, e.message) for e in builder.problems]
    return source


def _unprintable(error: yaml.reader.ReaderError, text: str) -> YamlError:
    """A character that no YAML file may have; libyaml counts bytes up to it."""
    before = text.encode()[: error.position].decode(errors="replace")
    at = Position(before.count("\n") + 1, len(before) - before.rfind("\n"))
    code = error.character if isinstance(error.character, int) else ord(error.character)
    return YamlError(at, "yaml", f"A control character (U+{code:04X}) stands in the text; expected printable text.")


def _syntax(error: yaml.MarkedYAMLError, text: str) -> YamlError:
    """libyaml's complaint as a sentence of ours."""
    mark = error.problem_mark or error.context_mark
    at = Position(mark.line + 1, mark.column + 1) if mark else START
    problem = error.problem or "it cannot be parsed"
    if mark and text[mark.index : mark.index + 1] == "\t":
        return YamlError(at, "yaml", "The line is indented with a tab; expected spaces.")
    context = f" {error.context}" if error.context else ""
    # Predicates are full of brackets and commas, which end a plain text inside braces.
    hint = (
        "; quote a text that holds a bracket, a brace, a colon or a comma" if "did not find expected" in problem else ""
    )
    return YamlError(at, "yaml", f"The text is not YAML: {problem}{context}{hint}.")


class _Builder:
    """Turns events into a tree with an explicit stack, so that no depth of nesting can exhaust Python's."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.problems: list[YamlError] = []

    def build(self) -> Tree | None:
        root: Tree | None = None
        stack: list[tuple[Sequence | Mapping, list[Scalar]]] = []
        for event in yaml.parse(self.text, Loader=_LOADER):
            if isinstance(event, yaml.NodeEvent):
                tree = self._node(event, len(stack))
                if stack:
                    self._attach(stack[-1], tree)
                elif root is None:
                    root = tree
                if not isinstance(tree, Scalar):
                    stack.append((tree, []))
            elif isinstance(event, yaml.CollectionEndEvent):
                stack.pop()
            elif isinstance(event, yaml.DocumentStartEvent) and root is not None:
                raise YamlError(_at(event), "yaml", "A second document starts here; expected one document a file.")
        return root

    def _node(self, event: yaml.NodeEvent, depth: int) -> Tree:
        """The node that an event starts."""
        if event.anchor or getattr(event, "tag", None):
            raise _fancy(event)
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event)
        if depth >= MAX_DEPTH:
            raise YamlError(_at(event), "yaml", f"The nesting is deeper than {MAX_DEPTH} levels.")
        return Sequence(_at(event)) if isinstance(event, yaml.SequenceStartEvent) else Mapping(_at(event))

    def _scalar(self, event: yaml.ScalarEvent) -> Scalar:
        start, end, value = event.start_mark, event.end_mark, event.value
        span = (start.index, end.index) if start and end else (0, 0)
        if len(value) > MAX_TEXT:
            text = f"The text has {len(value)} characters; expected at most {MAX_TEXT}."
            raise YamlError(_at(event), "yaml", text)
        if event.style:
            return Scalar(value, _at(event), event.style, span)
        if LEADING_ZERO.fullmatch(value):
            text = f"A number ({value}) starts with 0; quote it if it is a string."
            self.problems.append(YamlError(_at(event), "yaml", text))
            return Scalar(value, _at(event), "", span)
        return Scalar(resolve(value), _at(event), "", span)

    def _attach(self, top: tuple[Sequence | Mapping, list[Scalar]], tree: Tree) -> None:
        """Add a node to its parent; in a mapping the first of each two is the key."""
        parent, pending = top
        if len(parent.items if isinstance(parent, Sequence) else parent.keys) == MAX_ENTRIES and not pending:
            raise YamlError(tree.at, "yaml", f"A list or mapping has more than {MAX_ENTRIES} entries.")
        if isinstance(parent, Sequence):
            parent.items.append(tree)
        elif not pending:
            pending.append(self._key(tree))
        else:
            key = pending.pop()
            name = key.value if isinstance(key.value, int) and not isinstance(key.value, bool) else str(key.value)
            if name in parent.keys:
                first = parent.keys[name].at
                text = f"The key ({name}) stands twice in one mapping; the first is on line {first.line}."
                self.problems.append(YamlError(key.at, "duplicate-key", text))
            else:
                parent.keys[name], parent.values[name] = key, tree

    def _key(self, tree: Tree) -> Scalar:
        if not isinstance(tree, Scalar):
            raise YamlError(tree.at, "yaml", "A key is a list or a mapping; expected a word.")
        if not tree.style and (tree.value is None or isinstance(tree.value, bool)):
            # ``null:`` names a kind of check; a key is always a word, never null or a truth value.
            tree.value = self.text[slice(*tree.span)]
        return tree


def _fancy(event: yaml.NodeEvent) -> YamlError:
    """An anchor, an alias or a tag."""
    feature, found = ("anchor", event.anchor) if event.anchor else ("tag", getattr(event, "tag", ""))
    what = "An alias" if isinstance(event, yaml.AliasEvent) else f"A YAML {feature}"
    return YamlError(_at(event), "yaml", f"{what} ({found}) is used; expected plain YAML without it.")


def _at(event: yaml.Event) -> Position:
    mark = event.start_mark
    return Position(mark.line + 1, mark.column + 1) if mark else START


def plain(tree: Tree) -> Plain:
    """The tree as dicts, tuples and scalars."""
    match tree:
        case Scalar(value=value):
            return value
        case Sequence(items=items):
            return tuple(plain(item) for item in items)
        case Mapping(values=values):
            return {key: plain(value) for key, value in values.items()}


def find(tree: Tree, path: tuple[Key, ...]) -> Tree | None:
    """The node at a path of keys and indices."""
    for step in path:
        if isinstance(tree, Mapping) and step in tree.values:
            tree = tree.values[step]
        elif isinstance(tree, Sequence) and isinstance(step, int) and 0 <= step < len(tree.items):
            tree = tree.items[step]
        else:
            return None
    return tree


_INT = re.compile(r"[-+]?(0|[1-9][0-9]*)|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
LEADING_ZERO = re.compile(r"[-+]?0[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?")
_NUMBERS = frozenset("+-.0123456789")
_CONSTANTS: dict[str, float | bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}


def looks_like_number(text: str) -> bool:
    """Whether a plain scalar begins as a number does."""
    return text[:1] in _NUMBERS


def resolve(text: str) -> str | int | float | bool | None:
    """The value of a plain scalar after the core schema of YAML 1.2."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if looks_like_number(text) and len(text) <= 40:
        if _INT.fullmatch(text):
            return int(text, 0)
        if _FLOAT.fullmatch(text):
            return float(text)
    return text


_SPACE = re.compile(r"[ \t\r\n]+")
_JOINED_LINES = re.compile(r"(\\\n[ \t\n]*)+")
"""A backslash at the end of a line joins two lines of a double-quoted scalar."""
_ESCAPE_LENGTH = {"x": 4, "u": 6, "U": 10}


@dataclass(frozen=True, slots=True)
class Lines:
    """The line starts of a text, to turn an index into a position."""

    starts: tuple[int, ...]

    @classmethod
    def of(cls, text: str) -> Lines:
        """Find the starts of all lines."""
        return cls((0, *(found.end() for found in re.finditer("\n", text))))

    def at(self, index: int) -> Position:
        """The one-based line and column of an index."""
        line = bisect_right(self.starts, index)
        return Position(line, index - self.starts[line - 1] + 1)


def offsets(text: str, scalar: Scalar) -> list[int]:
    """The index in ``text`` of each character of the scalar's value, and one past the last.

    A value and its source differ only in quotes, escapes and folded white space, so one walk matches both.
    """
    value = scalar.value if isinstance(scalar.value, str) else ""
    index, end = scalar.span
    if scalar.style in ("|", ">"):
        index = text.find("\n", index, end) + 1 or end  # past the header of a block
    elif scalar.style:
        index, end = index + 1, end - 1
    places: list[int] = []
    for char in value:
        if scalar.style == '"':
            index = _match(_JOINED_LINES, text, index)
        if char not in " \t\n":
            index = _match(_SPACE, text, index)
        places.append(min(index, end))
        pair = text[index : index + 2]
        if scalar.style == '"' and pair.startswith("\\"):
            index += _ESCAPE_LENGTH.get(pair[1:], 2)
        elif scalar.style == "'" and pair == "''":
            index += 2
        else:
            index += 1
    return [*places, min(index, end)]


def _match(pattern: re.Pattern[str], text: str, index: int) -> int:
    """The end of the match at an index, if there is one."""
    found = pattern.match(text, index)
    return found.end() if found else index
