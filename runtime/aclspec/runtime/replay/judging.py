"""What a product says to recorded calls: the compiled check decides, `explain` has the sentences of what is shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from aclspec.runtime.abi.status import Status
from aclspec.runtime.api.answers import ProductAnswer, ProductVerdict
from aclspec.runtime.api.explain import explain
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.replay.arguments import NotKnown, values_of
from aclspec.runtime.replay.recording import RecordedCall
from aclspec.runtime.replay.sentences import say
from aclspec.runtime.rules.sentences import Lang

Find: TypeAlias = Callable[[str], "Operator | None"]
"""Finds an operator by its C name; None for one that is unknown."""
KINDS: tuple[ProductAnswer, ...] = ("works", "not portable", "undocumented", "refused", "no kernel", "not judged")
"""The verdicts of `explain` on calls of operators with rules."""
SHOWN = 32
"""Elements of an array or a list in the text of a call, as in the reports of the layer; the recording has all."""


class Answer(NamedTuple):
    """What a product says: the status and the rule of a refusal, or why the call is not judged or has no kernel."""

    kind: ProductAnswer
    status: int = 0
    rule: str | None = None
    reason: str = ""


@dataclass
class Judge:
    """Judges calls, each once for each product."""

    find: Find
    lang: Lang = "en"
    _operators: dict[str, Operator | None] = field(default_factory=dict)
    _values: dict[int, tuple[RecordedCall, dict[str, Any] | NotKnown]] = field(default_factory=dict)

    def operator(self, name: str) -> Operator | None:
        """The operator of a C name."""
        if name not in self._operators:
            self._operators[name] = self.find(name)
        return self._operators[name]

    def values(self, call: RecordedCall) -> dict[str, Any]:
        """The arguments of a call of a known operator, without data; NotKnown where they are not all known."""
        if id(call) not in self._values:
            operator = self.operator(call.operator)
            assert operator is not None
            try:
                self._values[id(call)] = call, values_of(operator.info, call.arguments)
            except NotKnown as error:
                self._values[id(call)] = call, error
        found = self._values[id(call)][1]
        if isinstance(found, NotKnown):
            raise found
        return found

    def answer(self, call: RecordedCall, product: str) -> Answer:
        """What CANN answers on a product, and whether its document allows the call."""
        operator = self.operator(call.operator)
        if operator is None or not operator.has_rules:
            return Answer("not judged", reason=say("no spec", self.lang))
        try:
            values = self.values(call)
        except NotKnown as error:
            return Answer("not judged", reason=error.sentence(self.lang))
        if operator.info.caveats:
            found = explain(operator.info, values, product, "library", self.lang)[product]
            decided, why = found.deciding, found.deciding.note if found.deciding.caveat else ""
            return Answer(found.verdict, int(decided.status or 0), decided.rule or decided.caveat, why)
        for library in (True, False):
            verdict = operator.check(product, library, *values.values())
            if verdict is not None and (status := verdict.status(library)):
                unlisted = verdict.rule.endswith(".product")
                kind: ProductAnswer = "refused" if library else "undocumented" if unlisted else "not portable"
                return Answer(kind, status, verdict.rule)
        return Answer("works")

    def explained(self, call: RecordedCall, product: str) -> ProductVerdict | None:
        """The reasons and the fixes of a call on a product; None for one that cannot be judged."""
        operator = self.operator(call.operator)
        if operator is None or not operator.has_rules:
            return None
        try:
            return explain(operator.info, self.values(call), product, "library", self.lang)[product]
        except NotKnown:
            return None

    def text(self, call: RecordedCall) -> str:
        """The call as a person reads it."""
        try:
            values = self.values(call) if self.operator(call.operator) is not None else call.arguments
        except NotKnown:
            values = dict(call.arguments)
        return f"{call.operator}({', '.join(f'{name}={_text(value)}' for name, value in values.items())})"


def _text(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, tuple | list):
        shown = ", ".join(map(_text, value[:SHOWN]))
        return f"[{shown}{f', and {len(value) - SHOWN} more' if len(value) > SHOWN else ''}]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict) and "shape" in value:
        return f"{value.get('dtype')}{value['shape']}:{value.get('format')}"
    return getattr(value, "short", None) or str(value)


def status_text(status: int) -> str:
    """``161002 (ACLNN_ERR_PARAM_INVALID)``."""
    try:
        return f"{status} ({Status(status).name})"
    except ValueError:
        return str(status)
