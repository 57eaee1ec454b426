"""The derived calls of an operator as text: a call a line, which ``aclspec explain OP`` takes as it stands.

What follows a line's ``#`` says what must come of the call, and where (`aclspec.runtime.testing.suite`)::

    # --self tensor                            a parameter and its type
    # --out tensor, else inferred              ... and what a line that leaves it out means
    # document: atlas_a2 atlas_a3              the products that a mode lists
    ## base                                    the call that tables change; it states every parameter
    ## passes
    --self 'float32[2]'  # input-rank-1: *     every rule allows it, there; it also runs on data
    ## rank-self 161002 5a7e84128346d887       the calls of a rule: its status and the digest of its meaning
    --self 'float32[2,2]' --out 'float32[2,2]'  # fails: *    the rule refuses it; such a line states all outputs
    --self 'float32[1]'  # holds: *            on the bound of the rule
    --self 'float32[0]'  # ends: *             it succeeds by this shortcut
    # dtypes self: but FLOAT BF16; *           the base call with each of these dtypes is refused
    # formats self: NCHW NHWC; document
    # combinations self other: FLOAT INT8|INT16, BF16 INT8; *
    # fails only with: numel-self              rules that no call breaks this one without
    # unlisted: document: ascend_950           products on which the product rule refuses every call
    # never decides: library                   no call was found that it decides there
    # not decided: ...                         a sentence about it

A person's line ends in ``# keep: why``; `aclspec derive` says how it ends and never removes it.
"""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import NamedTuple

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.abi.parameters import PARAM_TYPES
from aclspec.runtime.rules.operator_info import MODES, Mode, OperatorInfo
from aclspec.runtime.testing.suite import Case, Combinations, Literal, Suite, Sweep, Target, describe, resolve

DTYPES = tuple(dtype.name for dtype in DType if dtype.is_stored)
FORMATS = tuple(format.name for format in Format if format is not Format.UNDEFINED)
FOLDER = "calls"
"""The folder of the corpora, beside that of the generated tests."""
INFERRED = "inferred"
KEEP = "keep: "
_WORD = re.compile(r"""--(?P<name>\w+) (?P<value>(?:'[^']*'|"[^"]*"|[^\s'"])+)\s*""")
_PARAMETER = re.compile(r"# --(?P<name>\w+) (?P<type>\w+)(?:, else (?P<default>.*))?")
_NULL = "null"


class CorpusError(ValueError):
    """A line of a corpus that cannot be read."""


class Parameter(NamedTuple):
    """The type of a parameter, and what a line that leaves it out means: a text, ``inferred``, or nothing."""

    type: str
    default: str | None

    @property
    def is_inferred(self) -> bool:
        """Whether it is an output that follows from the inputs."""
        return self.default == INFERRED


Signature = Mapping[str, Parameter]


def signature_of(info: OperatorInfo) -> dict[str, Parameter]:
    """The parameters of an operator, by C name in C order."""
    found = {}
    for param in info.params:
        default = None
        if param.direction == "out":
            default = INFERRED
        elif param.has_default:
            default = spell(param.type, param.default)
        elif param.optional:
            default = _NULL
        found[param.name] = Parameter(param.type, default)
    return found


def words(signature: Signature, call: Mapping[str, Literal], whole: bool = False) -> str:
    """A call as the options of ``aclspec explain``; what has its default is left out unless the ``whole`` is asked."""
    texts = []
    for name, parameter in signature.items():
        if name in call:
            text = spell(parameter.type, call[name])
            if whole or text != parameter.default:
                texts.append(f"--{name} {shlex.quote(text)}")
    return " ".join(texts)


def spell(kind: str, value: Literal) -> str:
    """A value as a person types it on the command line."""
    if value is None:
        return _NULL
    predicate = PARAM_TYPES[kind].predicate
    if isinstance(value, tuple):
        separator = ";" if predicate in ("tensors", "scalars") else ","
        text = separator.join(_one(item) for item in value)
        return f"{text};" if text == _NULL else text
    return _one(value)


def _one(value: Literal) -> str:
    if value is None:
        return _NULL
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        plain = value == value.strip() and value.isprintable() and value != _NULL and not value.startswith('"')
        return value if plain else json.dumps(value)
    return repr(value)


def parse(kind: str, text: str) -> Literal:
    """The literal of a text that `spell` wrote."""
    predicate = PARAM_TYPES[kind].predicate
    if text == _NULL:
        return None
    if predicate in _LISTS:
        separator, one = _LISTS[predicate]
        inner = text.removesuffix(";")
        return tuple(one(item) for item in inner.split(separator)) if inner else ()
    return _SINGLE[predicate](text)


def _bool(text: str) -> Literal:
    return text == "true"


def _text(text: str) -> Literal:
    return str(json.loads(text)) if text.startswith('"') else text


def _pointer(text: str) -> Literal:
    return None if text == _NULL else text


_SINGLE: dict[str, Callable[[str], Literal]] = {
    "tensor": _text,
    "scalar": _text,
    "string": _text,
    "dtype": _text,
    "bool": _bool,
    "int": int,
    "float": float,
}
_LISTS: dict[str, tuple[str, Callable[[str], Literal]]] = {
    "tensors": (";", _pointer),
    "scalars": (";", _pointer),
    "ints": (",", int),
    "bools": (",", _bool),
    "floats": (",", float),
}


@dataclass(frozen=True, slots=True)
class Kept:
    """A call that a person added, and why."""

    call: Mapping[str, Literal]
    why: str


@dataclass(frozen=True)
class Corpus:
    """What a file says: the suite, the digest of each rule that it was derived for, and what was seen of the rules."""

    operator: str
    signature: Signature
    suite: Suite
    digests: Mapping[str, str]
    companions: Mapping[str, tuple[str, ...]]
    undecided: tuple[tuple[str, str], ...]
    kept: tuple[Kept, ...]
    unjudged: tuple[int, ...]
    """The numbers of the lines that a person added since; their outcomes are not known yet."""


def read(text: str, info: OperatorInfo | None = None) -> Corpus:
    """Read a corpus; with the operator's ``info``, outputs that a line leaves out follow from its inputs."""
    return _Reader(text).corpus(info)


def path_of(tests: Path, snake: str) -> Path:
    """The corpus of an operator, beside the folder of the generated tests."""
    return tests.parent / FOLDER / f"{snake}.txt"


class _Reader:
    """Reads a corpus line by line."""

    def __init__(self, text: str) -> None:
        self.operator = ""
        self.signature: dict[str, Parameter] = {}
        self.products: dict[Mode, tuple[str, ...]] = {}
        self.base: dict[str, Literal] = {}
        self.cases: dict[str, list[Case]] = {"valid": [], "violations": [], "boundaries": []}
        self.sweeps: list[Sweep] = []
        self.combinations: list[Combinations] = []
        self.unlisted: dict[str, str] = {}
        self.gaps: dict[str, tuple[Target, ...]] = {}
        self.digests: dict[str, str] = {}
        self.companions: dict[str, tuple[str, ...]] = {}
        self.undecided: list[tuple[str, str]] = []
        self.kept: list[Kept] = []
        self.unjudged: list[int] = []
        self._counts: Counter[tuple[str, str]] = Counter()
        self._group = ""
        self._statuses: dict[Mode, int] = {}
        for number, line in enumerate(text.splitlines(), 1):
            try:
                self._line(number, line)
            except (ValueError, KeyError, TypeError, StopIteration) as error:
                raise CorpusError(f"Line {number} of the calls cannot be read ({line[:80]}): {error}") from error

    def corpus(self, info: OperatorInfo | None) -> Corpus:
        """What all lines say together."""
        suite = Suite(
            operator=self.operator,
            products=self.products,
            base=self.base,
            valid=tuple(self.cases["valid"]),
            violations=tuple(self.cases["violations"]),
            boundaries=tuple(self.cases["boundaries"]),
            sweeps=tuple(self.sweeps),
            combinations=tuple(self.combinations),
            unlisted=self.unlisted,
            gaps=self.gaps,
            info=info,
        )
        return Corpus(
            self.operator,
            self.signature,
            suite,
            self.digests,
            self.companions,
            tuple(self.undecided),
            tuple(self.kept),
            tuple(self.unjudged),
        )

    @cached_property
    def _defaults(self) -> dict[str, Literal]:
        """What a line that leaves parameters out means, those apart that are inferred; the head states it."""
        given = ((name, one) for name, one in self.signature.items() if not one.is_inferred)
        return {name: parse(one.type, one.default) for name, one in given if one.default is not None}

    def _line(self, number: int, line: str) -> None:
        if line.startswith("--"):
            self._call(number, line)
        elif line.startswith("## "):
            self._section(*line.split()[1:])
        elif found := _PARAMETER.fullmatch(line):
            self.signature[found["name"]] = Parameter(found["type"], found["default"])
        elif line.startswith("# "):
            self._comment(line[2:])
        elif line:
            raise ValueError("it is neither a call nor a comment")

    def _section(self, name: str, *rest: str) -> None:
        """``base``, ``passes``, or a rule with its status, which modes may have of their own, and its digest."""
        self._group = name
        if rest:
            *statuses, self.digests[name] = rest
            pairs = [one.rpartition("=")[::2] for one in statuses if one != "-"]
            self._statuses = {mode: int(status) for at, status in pairs for mode in MODES if at in ("", mode)}

    def _call(self, number: int, line: str) -> None:
        end = 0
        stated: dict[str, Literal] = {}
        while (found := _WORD.match(line, end)) is not None:
            end = found.end()
            stated[found["name"]] = parse(self.signature[found["name"]].type, _unquoted(found["value"]))
        note = line[end:].removeprefix("# ")
        if note == line[end:]:
            raise ValueError(f"what stands behind its last value ({line[end : end + 20]}) is no comment")
        what, _, why = note.partition(KEEP)
        call = {**self._defaults, **stated}
        if missing := [name for name, one in self.signature.items() if name not in call and not one.is_inferred]:
            raise ValueError(f"it lacks {', '.join(missing)}")
        if why:
            self.kept.append(Kept(call, why))
            if not what:
                self.unjudged.append(number)
                return
        self._judged(call, (what.removesuffix("; ") if why else note))

    def _judged(self, call: dict[str, Literal], note: str) -> None:
        """Add a call with its expected outcome."""
        kind, _, where = note.partition(": ")
        match kind:
            case _ if self._group == "base":
                self.base = call
            case _ if self._group == "passes":
                self._add("valid", kind, {where: "0"}, call)
            case "fails":
                self._add("violations", self._group, self._refused(where), call)
            case "holds":
                self._add("boundaries", self._group, {where: "0"}, call)
            case "ends":
                self._add("valid", self._group, {where: f"0 {self._group}"}, call)
            case _:
                raise ValueError(f"a call of a rule fails, holds or ends; this one ({kind}) does not")

    def _add(self, group: str, label: str, expect: dict[str, str], call: dict[str, Literal]) -> None:
        """Add a case; the ids of a label are numbered, those of rules from the first one on."""
        self._counts[label, group] += 1
        number = self._counts[label, group]
        name = label if number == 1 and group == "valid" else f"{label}-{number}"
        self.cases[group].append(Case(name, call, expect, "" if self._group == "passes" else self._group))

    def _comment(self, text: str) -> None:
        if not self._group:
            kind, found, rest = text.partition(": ")
            if kind in MODES and found:
                self.products[next(mode for mode in MODES if mode == kind)] = tuple(rest.split())
            elif text.startswith("Calls of "):
                self.operator = text.split()[2].strip(",.:")
            return
        kind, _, rest = text.partition(": ")
        match kind.split():
            case ["unlisted"]:
                mode = next(mode for mode in MODES if mode == rest.partition(":")[0])
                self.unlisted[rest] = f"{self._statuses[mode]} {self._group}"
            case ["fails", "only", "with"]:
                self.companions[self._group] = tuple(rest.split())
            case ["never", "decides"]:
                self.gaps[self._group] = tuple(resolve(rest, self.products))
            case ["not", "decided"]:
                self.undecided.append((self._group, rest))
            case ["dtypes" | "formats" as facet, param]:
                listed, _, where = rest.partition("; ")
                names = " ".join(_names(listed, DTYPES if facet == "dtypes" else FORMATS))
                sweep = Sweep(self._group, param, facet.removesuffix("s"), ((names, self._refused(where)),))
                self.sweeps.append(sweep)
            case ["combinations", *params]:
                listed, _, where = rest.partition("; ")
                choices = ([one.split("|") for one in row.split()] for row in listed.split(", "))
                every = tuple(" ".join(one) for choice in choices for one in product(*choice))
                self.combinations.append(Combinations(self._group, tuple(params), ((self._refused(where), every),)))
            case _:
                raise ValueError("it says nothing that is known")

    def _refused(self, where: str) -> dict[str, str]:
        """The outcome of calls that the rule refuses; where the modes have one status, it is one."""
        found: dict[int, list[Target]] = {}
        for target in resolve(where, self.products):
            found.setdefault(self._statuses[target.mode], []).append(target)
        return {describe(targets, self.products): f"{status} {self._group}" for status, targets in found.items()}


def _unquoted(value: str) -> str:
    """What the shell makes of a value; most are quoted once as a whole."""
    if value[0] == "'" == value[-1] and value.count("'") == 2:
        return value[1:-1]
    return shlex.split(value)[0] if "'" in value or '"' in value else value


def _names(text: str, every: tuple[str, ...]) -> Iterator[str]:
    """The names of a list, or with ``but`` all others."""
    listed, but, without = text.partition("but ")
    yield from (name for name in every if name not in without.split()) if but else listed.split()
