"""The generated function of an operator: its signature for people and type checkers, the operator behind it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from aclspec.runtime.operator import Operator

P = ParamSpec("P")
R = TypeVar("R")


def function_of(operator: Operator) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let the operator answer the calls of a function that spells them out.

    The function says, to readers and to type checkers, what a call looks like and which call of the operator it is.
    Going to the operator at once saves a frame, gives a wrong call the project's own sentences, and lets a keyword be
    a C name too.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def call(*args: Any, **keywords: Any) -> Any:
            return operator(*args, **keywords)

        return call

    return decorate
