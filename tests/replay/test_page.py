"""The page of a recording: an obstacle stands once for all products, and operators are links."""

from __future__ import annotations

import re

import pytest

from aclspec.cli.catalog import find
from aclspec.codegen.reports.replay import render, shared_obstacles
from aclspec.runtime.abi.products import KEYS
from aclspec.runtime.replay.judging import Judge
from aclspec.runtime.replay.recording import read
from aclspec.runtime.replay.summary import Summary, port, summarize
from aclspec.runtime.rules.sentences import Lang
from tests.replay.conftest import Write, line, prelu, tensor


def summary_of(write: Write, lang: Lang = "en") -> Summary:
    """Calls with a weight that no product takes, and with a dtype that some take."""
    bf16 = {name: tensor(*shape, dtype="BF16") for name, shape in (("self", (4, 2)), ("weight", (2,)), ("out", (4, 2)))}
    recording = read([write(prelu(2), prelu(3), prelu(3), line("aclnnPrelu", bf16))])
    judge = Judge(find, lang)
    summary = summarize(recording, judge)
    port(summary, recording, judge, KEYS)
    return summary


def test_an_obstacle_stands_once_for_all_products(write: Write) -> None:
    summary = summary_of(write)
    found = {one.rule: one for one in shared_obstacles(summary.ports, "en")}
    weight = found["aclnnPrelu.weight-numel"]
    (reason,) = weight.reasons
    assert reason.products == [f"{port.product}: 2 calls" for port in summary.ports]
    assert reason.fixes
    dtype = found["aclnnPrelu.dtype-self"]
    assert len(dtype.reasons) > 1  # a sentence names its product
    assert {product for one in dtype.reasons for product in one.products} < {f"{key}: 1 call" for key in KEYS}
    pairs = {(port.product, one.rule) for port in summary.ports for one in port.obstacles}
    assert sum(len(reason.products) for one in found.values() for reason in one.reasons) == len(pairs)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_links_lead_to_rows_and_headings_differ(write: Write, lang: Lang) -> None:
    text = render(summary_of(write, lang), lang)
    targets = set(re.findall(r'href="#([^"]+)"', text))
    assert targets
    assert targets <= set(re.findall(r'id="([^"]+)"', text))
    headings = re.findall(r"<h2>(.*?)</h2>", text)
    assert len(headings) == len(set(headings)) == 4
    for table in re.findall(r"<thead>.*?</thead>", text, re.DOTALL):
        heads = re.findall("<th>(.*?)</th>", table)
        assert len(heads) == len(set(heads))
