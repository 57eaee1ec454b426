"""Recordings that tests write by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Write = Callable[..., Path]
HEAD = {"aclspec_record": 3, "process": 1, "rank": ""}


def tensor(*shape: int, dtype: str = "FLOAT", format: str = "ND", **more: Any) -> dict[str, Any]:
    return {"dtype": dtype, "shape": list(shape), "format": format} | more


def line(operator: str, arguments: dict[str, Any], status: int = 0, **more: Any) -> dict[str, Any]:
    second = {"status": 0, "nanoseconds": 3000, "executor": "new"} if status == 0 else None
    common = {"product": "atlas_a2", "arguments": arguments, "status": status, "rule": None, "workspace": 0}
    return {"operator": operator, **common, "nanoseconds": 2000, "second": second, "thread": 1} | more


def prelu(channels: int, **more: Any) -> dict[str, Any]:
    """A call of two channels with this number of weights."""
    arguments = {"self": tensor(4, 2), "weight": tensor(channels), "out": tensor(4, 2)}
    return line("aclnnPrelu", arguments, **more)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes lines behind a head into a file; text is written as it is."""

    def write(*lines: dict[str, Any] | str, name: str = "calls.jsonl", head: dict[str, Any] | None = HEAD) -> Path:
        texts = [one if isinstance(one, str) else json.dumps(one) + "\n" for one in ([head] if head else []) + [*lines]]
        path = tmp_path / name
        path.write_text("".join(texts), encoding="utf-8")
        return path

    return write
