"""The search of the built site finds the right page for what people look for."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.support.find import results

pytestmark = pytest.mark.all

QUERIES = {
    lang: {str(query): pattern for query, pattern in queries.items()}
    for lang, queries in yaml.safe_load(Path(__file__).with_name("queries.yaml").read_text(encoding="utf-8")).items()
}
FIRST = 3
FEWEST = 42


def test_the_right_page_is_among_the_first_three(site: Path, program: Callable[[str], str]) -> None:
    missed = {}
    for lang, queries in QUERIES.items():
        index = site / ("search" if lang == "en" else f"{lang}/search") / "index.js"
        for query, found in results(program("node"), index, queries).items():
            places = [one["location"] for one in found[:FIRST]]
            if not any(re.fullmatch(queries[query], place) for place in places):
                missed[query] = places
    count = sum(map(len, QUERIES.values()))
    assert count == 46
    assert count - len(missed) >= FEWEST, missed
