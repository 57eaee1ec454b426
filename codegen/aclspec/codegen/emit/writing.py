"""The lines of a generated function: its statements with their comments, and the locals they need."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from aclspec.codegen.emit.layout import comment, statement
from aclspec.codegen.emit.printer import INDENT
from aclspec.codegen.emit.program import Line, Local, Part, Section, Test
from aclspec.codegen.emit.python import Names
from aclspec.codegen.told import requirement
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


class Writer:
    """Writes the program of one function with the names and words of an operator.

    ``verdict`` gives the name of what a rule answers.
    """

    def __init__(self, info: OperatorInfo, verdict: Callable[[RuleInfo], str]) -> None:
        """A writer for a function of this operator."""
        self.info, self.verdict = info, verdict
        self.lets = {let.name: let for let in info.lets}
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
                    yield from statement("if ", part.condition, ":", depth, known)
                    yield from self.lines(part.parts, depth + 1, known)
                case Line():
                    yield from comment(part.comment, depth)
                    yield from statement(part.before, part.value, "", depth, known)
                case Test():
                    yield from self._test(part, depth, known)

    def _local(self, local: Local, depth: int, names: Names) -> Iterator[str]:
        """The binding of a local; its type is said where its name first stands."""
        let = self.lets.get(local.let or "")
        if let is not None and let.doc is not None:
            yield from comment(f"{let.name} is {let.doc.en}.", depth)
        new = let is not None and local.name not in self.declared
        self.declared.add(local.name)
        annotation = f": {ANNOTATIONS[let.type]}" if let is not None and new else ""
        yield from statement(f"{local.name}{annotation} = ", local.value, "", depth, names)

    def _test(self, test: Test, depth: int, names: Names) -> Iterator[str]:
        rule = test.rule
        yield from comment(f"{self.info.name}.{rule.id}: {requirement(self.info, rule, 'en')}", depth)
        yield from statement("if ", test.condition, ":", depth, names)
        yield f"{INDENT * (depth + 1)}return {self.verdict(rule)}"
