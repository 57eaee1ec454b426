"""The exceptions of a bad call, how their messages are built, and the messages of this thread."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from aclspec.runtime.abi.status import Status


class Violation(NamedTuple):
    """A rule that fails: its full id, the status it alone would give, and the sentence with the actual values."""

    rule: str
    status: Status
    sentence: str


class AclnnError(Exception):
    """A call that aclnn refuses: ``status`` is what the C function returns, ``rule`` the full id of the first rule that
    fails (None when no rule of the spec is at fault), ``violations`` every rule that fails, in the order of the checks.
    """

    status: Status
    rule: str | None
    violations: tuple[Violation, ...]

    def __init__(
        self,
        message: str,
        status: int = Status.ACLNN_ERR_INNER,
        rule: str | None = None,
        violations: Sequence[Violation] = (),
    ) -> None:
        """An error with this message, complete with its context lines."""
        super().__init__(message)
        self.status = Status(status)
        self.rule = rule
        self.violations = tuple(violations)

    def __reduce__(self) -> tuple[object, ...]:
        """The parts that copy and pickle need."""
        return type(self), (str(self), int(self.status), self.rule, self.violations)

    def _repr_html_(self) -> str:
        """The status, the rule and the message, for notebooks."""
        from html import escape  # which a program without a notebook need not load

        head = f"<b>✗ {int(self.status)} ({self.status.name})</b>{f' {escape(self.rule)}' if self.rule else ''}"
        text = escape(str(self)).replace("\n", "<br>")
        return f"<div style='border-left: 4px solid #c62828; padding-left: 0.5em'>{head}<br>{text}</div>"


def while_calling(sentence: str, function: str | None, parameter: str | None = None) -> str:
    """A sentence with the lines of its context below it."""
    lines = [sentence]
    if parameter is not None and function is not None:
        lines.append(f" - while converting {parameter}")
    if function is not None:
        lines.append(f" - while calling {function}")
    return "\n".join(lines)


class ParamError(AclnnError):
    """A value of the right Python type that no aclnn parameter can hold: a negative stride, an int64 overflow.

    No rule of a spec says so; its id is ``<op>.argument``.
    """

    def __init__(self, sentence: str, parameter: str | None = None, operator: str | None = None) -> None:
        """An error about this parameter of this operator."""
        rule = None if operator is None else f"{operator}.argument"
        super().__init__(while_calling(sentence, operator, parameter), Status.ACLNN_ERR_PARAM_INVALID, rule)
        self.sentence = sentence
        self.parameter = parameter

    def __reduce__(self) -> tuple[object, ...]:
        """The parts that copy and pickle need."""
        return AclnnError, (str(self), int(self.status), self.rule, self.violations)


class ParamTypeError(TypeError):
    """A value of a Python type that a parameter does not take."""

    def __init__(self, sentence: str, parameter: str | None = None, function: str | None = None) -> None:
        """An error about this parameter of this function."""
        super().__init__(while_calling(sentence, function, parameter))
        self.sentence = sentence
        self.parameter = parameter

    def __reduce__(self) -> tuple[object, ...]:
        """The parts that copy and pickle need."""
        return TypeError, self.args

    def of(self, function: str) -> ParamTypeError:
        """The same about another function that was called."""
        return ParamTypeError(self.sentence, self.parameter, function)


CAPACITY = 16


class _Messages(threading.local):
    def __init__(self) -> None:
        self.queue: deque[str] = deque(maxlen=CAPACITY)


_messages = _Messages()


def record(identity: str, reason: str) -> None:
    """Keep a failure: the id of the rule (or the name of the function) and the reason."""
    _messages.queue.appendleft(f"{identity}: {reason}")


def last_error() -> str | None:
    """The failures of this thread since the last look, newest first; None when there was none."""
    queue = _messages.queue
    if not queue:
        return None
    text = "\n".join(queue)
    queue.clear()
    return text
