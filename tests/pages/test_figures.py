"""The file of figures that `make bench` writes: every row is kept, in place of the one that measured the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.benchmarks.figures import Figures


def test_rows_that_differ_in_what_they_measure_stand_side_by_side(tmp_path: Path) -> None:
    path = tmp_path / "figures.json"
    rows: list[dict[str, Any]] = [{"way": way, "seconds": 1.0} for way in ("cold", "unchanged")]
    rows += [{"operator": "aclnnPrelu", "way": way, "seconds": 1.0} for way in ("call", "two phases")]
    Figures(path).measure("some", rows, str, True)
    assert json.loads(path.read_text())["some"] == rows
    again = [{**row, "full": 2.0} for row in rows[:2]]
    Figures(path).measure("some", again, str, False)
    assert json.loads(path.read_text())["some"] == [*rows[2:], *again]
    Figures(path).measure("some", again, str, True)
    assert json.loads(path.read_text())["some"] == again
