"""Parts of compiled specs that are the very same object in all operators that say the same.

Operators of a family have most of their rules, parameters and lets in common. What follows from such a part alone is
remembered for the object (see `aclspec.codegen.same`): that is quick, and never takes equals for the same, such as 0.0
for -0.0, or 1 for 1.0 and true.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final, Generic, TypeVar

from aclspec.runtime.info import LetInfo, ParamInfo, RuleInfo

_MOST = 1 << 12
"""So many parts of a kind are remembered; then they are forgotten, and each is met for the first time again."""
_T = TypeVar("_T")


class _Parts(Generic[_T]):
    """The parts of one kind; ``written`` tells apart those that are equal and yet not the same."""

    def __init__(self, written: Callable[[_T], Hashable]) -> None:
        """Nothing has been met yet."""
        self._written = written
        self._met: dict[tuple[_T, Hashable], _T] = {}

    def __call__(self, part: _T) -> _T:
        """The part that was met first and is the same as this one."""
        if len(self._met) == _MOST:
            self._met.clear()
        return self._met.setdefault((part, self._written(part)), part)


# Trees are told apart by what they are, not by what they are equal to: those of the same text are one object.
shared_rule: Final = _Parts[RuleInfo](lambda rule: (id(rule.require), id(rule.when)))
shared_let: Final = _Parts[LetInfo](lambda let: id(let.value))
shared_param: Final = _Parts[ParamInfo](
    lambda param: (id(param.required), id(param.checked), repr((param.default, param.values)))
)
