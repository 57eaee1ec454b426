"""The lines of a generated function: its statements with their comments, and the locals they need."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from aclspec.codegen.emit.layout import comment, statement
from aclspec.codegen.emit.printer import INDENT
from aclspec.codegen.emit.program import Line, Local, Part, Section, Test
from aclspec.codegen.emit.python import Names, Py
from aclspec.codegen.same import Same
from aclspec.codegen.told import sentence
from aclspec.runtime.info import OperatorInfo, RuleInfo

ANNOTATIONS: Final = {
    "bool": "bool",
    "int": "int",
    "float": "float",
    "string": "str",
    "dtype": "DType",
    "format": "Format | None",
    "ints": "tuple[int, ...]",
    "bools": "tuple[bool, ...]",
    "floats": "tuple[float, ...]",
    "strings": "tuple[str, ...]",
    "dtypes": "tuple[DType, ...]",
    "formats": "tuple[Format | None, ...]",
}


Written: TypeAlias = dict[Same[Part], tuple[str, ...]]
"""The lines of statements, by the parts of a program that they belong to."""


class Writer:
    """Writes the program of one function with the names and words of an operator.

    ``verdict`` gives the name of what a rule answers.
    """

    def __init__(self, info: OperatorInfo, verdict: Callable[[RuleInfo], str], written: Written) -> None:
        """A writer for a function of this operator; ``written`` are its statements as far as they were written."""
        self.info, self.verdict, self.written = info, verdict, written
        self.lets = {let.name: let for let in info.lets}
        self.rules = {rule.id: rule for rule in info.rules}
        self.declared: set[str] = set()

    def lines(self, program: Sequence[Part], depth: int, names: Names) -> Iterator[str]:
        """The lines of a block; ``names`` are the locals that it finds bound."""
        known = dict(names)
        for part in program:
            match part:
                case Local():
                    yield from self._local(part, depth, known)
                    known[part.shared.key] = part.name
                case Section():
                    yield from comment(part.comment, depth)
                    yield from self._statement(part, "if ", part.condition, ":", depth, known)
                    yield from self.lines(part.parts, depth + 1, known)
                case Line():
                    yield from comment(part.comment, depth)
                    yield from self._statement(part, part.before, part.value, "", depth, known)
                case Test():
                    yield from self._test(part, depth, known)

    def _statement(self, part: Part, before: str, value: Py, after: str, depth: int, names: Names) -> tuple[str, ...]:
        """The lines of a part's statement, in which none of an operator's own names and words stands."""
        key = Same(part)
        if key not in self.written:
            self.written[key] = tuple(statement(before, value, after, depth, names))
        return self.written[key]

    def _local(self, local: Local, depth: int, names: Names) -> Iterator[str]:
        """The binding of a local; its type is said where its name first stands."""
        let = self.lets.get(local.let or "")
        if let is not None and let.doc is not None:
            yield from comment(f"{let.name} is {let.doc.en}.", depth)
        new = let is not None and local.name not in self.declared
        self.declared.add(local.name)
        annotation = f": {ANNOTATIONS[let.type]}" if let is not None and new else ""
        yield from self._statement(local, f"{local.name}{annotation} = ", local.value, "", depth, names)

    def _test(self, test: Test, depth: int, names: Names) -> Iterator[str]:
        rule = self.rules[test.rule.id]
        yield from comment(f"{self.info.name}.{rule.id}: {sentence(self.info, rule, 'en')}", depth)
        yield from self._statement(test, "if ", test.condition, ":", depth, names)
        yield f"{INDENT * (depth + 1)}return {self.verdict(rule)}"
