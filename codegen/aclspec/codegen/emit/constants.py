"""The constants of a generated module: which its functions need, and their names."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field

from aclspec.codegen.emit.program import Local, Part, Section, expression
from aclspec.codegen.emit.python import Kept, Py, Ternary, parts
from aclspec.codegen.emit.tables import Constant


@dataclass
class Constants:
    """The constants of one module, in the order in which they are first needed."""

    names: dict[Hashable, str] = field(default_factory=dict)
    found: list[Constant] = field(default_factory=list)

    def gather(self, program: Sequence[Part]) -> None:
        """Add what the expressions of a function need, and then what only its locals do, which may be less plain."""
        every = list(_every(program))
        for part in sorted(every, key=lambda part: isinstance(part, Local)):
            self._gather(expression(part))

    def _gather(self, item: Py) -> None:
        if isinstance(item, Kept) and item not in self.names:
            name = item.name
            while any(name == constant.name for constant in self.found):
                name += "_"
            self.names[item] = name
            self.found.append(Constant(name, item.comment, item.value))
        for part in (item.cond, item.then, item.orelse) if isinstance(item, Ternary) else parts(item):
            self._gather(part)


def _every(program: Sequence[Part]) -> Iterator[Part]:
    """All parts of a program, those of its blocks too."""
    for part in program:
        yield part
        if isinstance(part, Section):
            yield from _every(part.parts)
