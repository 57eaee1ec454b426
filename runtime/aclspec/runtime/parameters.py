"""The parameters of an operator as its binding knows them, and how a Python call is bound to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from aclspec.runtime.errors import type_error

REQUIRED: Final = object()
"""The default of a parameter that has none."""
NOT_GIVEN: Final = object()
"""The default of ``out`` where None would say something: that an output called out is null."""


class Param(NamedTuple):
    """One parameter of phase one.

    ``type`` is a key of `aclspec.runtime.paramtypes.PARAM_TYPES`. ``optional``: the Python function may be called
    without it, which means null. ``formats`` are the legal formats of a tensor by rank (-1: any rank).
    ``partial``: the kernel may leave elements of an output as they were.
    """

    name: str
    snake: str
    type: str = "tensor"
    direction: str = "in"
    optional: bool = False
    default: object = REQUIRED
    formats: tuple[tuple[int, tuple[str, ...]], ...] = ()
    partial: bool = False

    @property
    def is_input(self) -> bool:
        """Whether the Python function takes it as an argument."""
        return self.direction != "out"

    @property
    def is_output(self) -> bool:
        """Whether the Python function returns it."""
        return self.direction != "in"

    @property
    def value_when_left_out(self) -> object:
        """What a call without it means: the default, null for an optional one, else `REQUIRED`."""
        return None if self.default is REQUIRED and self.optional else self.default


def bind(
    params: Sequence[Param], args: Sequence[object], keywords: Mapping[str, object], function: str
) -> tuple[object, ...]:
    """The values of ``params`` in order; TypeError naming the parameter and the function when the call does not fit."""
    if len(args) > len(params):
        raise type_error(
            f"The number of positional arguments ({len(args)}) exceeds that of the parameters ({len(params)}: "
            f"{', '.join(param.name for param in params)}).",
            None,
            function,
        )
    values: list[object] = [*args, *[param.value_when_left_out for param in params[len(args) :]]]
    spelled: dict[int, str] = dict.fromkeys(range(len(args)), "")
    index = {name: at for at, param in enumerate(params) for name in (param.name, param.snake)}
    for name, value in keywords.items():
        at = index.get(name)
        if at is None:
            raise _unknown(name, params, function)
        if at in spelled:
            raise _twice(params[at], name, spelled[at], function)
        spelled[at] = name
        values[at] = value
    missing = [param.name for param, value in zip(params, values, strict=True) if value is REQUIRED]
    if missing:
        raise _missing(missing, function)
    return tuple(values)


def _unknown(name: str, params: Iterable[Param], function: str) -> TypeError:
    from aclspec.runtime.suggest import did_you_mean

    known = [spelling for param in params for spelling in (param.snake, param.name)]
    return type_error(f"The keyword ({name}) is not a parameter{did_you_mean(name, known)}.", None, function)


def _twice(param: Param, name: str, before: str, function: str) -> TypeError:
    how = f"the keywords {before} and {name}" if before else f"position and by the keyword {name}"
    return type_error(f"The argument {param.name} is given twice, by {how}.", None, function)


def _missing(names: Sequence[str], function: str) -> TypeError:
    if len(names) == 1:
        return type_error(f"The argument {names[0]} is missing.", None, function)
    return type_error(f"The arguments {', '.join(names[:-1])} and {names[-1]} are missing.", None, function)
