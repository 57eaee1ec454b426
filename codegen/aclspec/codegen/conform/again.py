"""One call again: what the spec expects of it, and what a backend answers; the programs of reports use it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aclspec.codegen.conform.calls import Piece, Settings, text_of
from aclspec.codegen.conform.judge import Answer, Judge
from aclspec.codegen.conform.operators import find
from aclspec.runtime.testing.expected import arguments


def again(operator: str, product: str, *, seed: int, backend: str, call: Mapping[str, Any]) -> Answer:
    """Print what `explain` says of a call of literals, and what the backend answers, in this process."""
    found = find(operator)
    values = arguments(found.info, call)
    print(found.explain(**values, product=product, conformance="library"))
    settings = Settings(backend="numpy" if backend == "numpy" else "npu", mode="values", forbidden=True)
    judge = Judge(settings)
    piece = Piece(found.name, product, "", "derived", seed, (text_of(call),))
    (planned,) = judge.planned(piece)
    answer = judge.answer(piece, planned)
    print(f"expected {planned.expected}, answered {answer.actual}: {answer.outcome}")
    if answer.detail:
        print(answer.detail)
    return answer
