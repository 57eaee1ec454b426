"""Handles of the wrong kind: CANN's answer stays, and no module reads an element without asking what it is."""

from __future__ import annotations

import re

import pytest

from aclspec.codegen.layer.build import SOURCES
from tests.layer.conftest import Layer
from tests.layer.test_transparent import assert_same


@pytest.mark.parametrize("mode", ["explain", "portability"])
def test_handles_of_the_wrong_kind(layer: Layer, mode: str) -> None:
    program = layer.program("kinds")
    plain, layered = layer.run(program), layer.run(program, ACLSPEC_LAYER=mode, **layer.preload)
    assert plain.out.count(": 161002\n") == 8
    assert_same(plain, layered)
    assert "aclnnCatGetWorkspaceSize returned 161002" in layered.err
    assert layered.err.count("The call is not judged: tensors is a handle of another type, or none that the layer") == 1
    assert layered.err.count("The call is not judged: out is a handle of another type") == 1


def test_one_function_reads_the_elements_of_lists() -> None:
    readers = {path.name for path in SOURCES.glob("*.c") if re.search(r"(->|\.)members\b", path.read_text("utf-8"))}
    assert readers == {"track.c"}
