"""Ids, parts and what a run that was cut off leaves behind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from aclspec import ops
from aclspec.codegen.conform.calls import Piece, Settings, call_id, literals, read_call, text_of
from aclspec.codegen.conform.cases import derived_calls
from aclspec.codegen.conform.process import Row
from aclspec.codegen.conform.results import SCHEMA, Parts, pieces_of, rows_of, run_of
from aclspec.codegen.conform.run import alone, conform
from tests.conform import conftest

NUMPY = Settings("numpy")


@pytest.mark.parametrize("name", ["convolution_backward", "cat", "adds", "cast", "all"])
def test_a_call_is_the_same_after_it_was_written(name: str) -> None:
    operator = ops.get(name)
    for text in derived_calls(operator):
        written = text_of(read_call(operator.info, text))
        assert read_call(operator.info, written).keys() == literals(text).keys()
        assert text_of(read_call(operator.info, written)) == written


def test_a_call_of_any_size_has_a_row(tmp_path: Path) -> None:
    size = 2**57 + 1
    texts = (f'{{"self":"float32[{size}]","out":"float32[{size}]"}}', '{"self":"float32[2]","out":"float32[2]"}')
    piece = replace(conftest.pieces_of(["abs"])[0], calls=texts)
    assert sorted(row["size"] for row in conftest.run([piece], NUMPY, tmp_path / "found.parquet"))[1] >= 2 * size


def test_ids_follow_from_the_spec_the_call_and_the_seed() -> None:
    piece = Piece("aclnnAbs", "atlas_a2", "spec", "derived", 0, ("{}",))
    others = [
        replace(piece, spec="other"),
        replace(piece, seed=1),
        replace(piece, product="atlas_a3"),
        replace(piece, operator="aclnnErf"),
    ]
    keys = {one.id(NUMPY) for one in (piece, *others)}
    calls = {call_id(one, NUMPY, "{}") for one in (piece, *others)}
    assert len(keys) == len(calls) == 5
    assert call_id(piece, NUMPY, "{}") != call_id(piece, NUMPY, "{ }")
    assert piece.id(NUMPY) == replace(piece).id(Settings("numpy", timeout=1))
    assert piece.id(NUMPY) != piece.id(Settings("numpy", "values"))


def cut_off(after: int) -> conftest.Any:
    """A run that Ctrl-C ends after this number of pieces."""

    def execute(settings: Settings, pieces: Iterable[Piece]) -> Iterator[tuple[Piece, list[Row] | Exception]]:
        for at, done in enumerate(alone(settings, pieces)):
            if at == after:
                raise KeyboardInterrupt
            yield done

    return execute


def test_a_run_that_was_cut_off_goes_on(tmp_path: Path) -> None:
    pieces = conftest.pieces_of(["abs", "erf", "tanh"], random=20)
    whole = conftest.run(pieces, NUMPY, tmp_path / "whole.parquet")
    out = tmp_path / "cut.parquet"
    for after in (1, 2):
        with pytest.raises(KeyboardInterrupt):
            conform(pieces, NUMPY, out, cut_off(after))
        assert not out.exists()
        assert Parts(out).exist
    summary = conform(pieces, NUMPY, out)
    assert (summary.resumed, summary.calls) == (3, len(whole))
    assert conftest.timeless(list(rows_of(out))) == conftest.timeless(whole)
    assert not Parts(out).exist
    assert sorted(pieces_of(out)) == sorted(piece.id(NUMPY) for piece in pieces)
    assert run_of(out)["environment"]["aclspec"]
    assert pq.read_schema(out).remove_metadata() == SCHEMA


def test_a_piece_that_is_there_twice_counts_once(tmp_path: Path) -> None:
    pieces = conftest.pieces_of(["abs"])
    out = tmp_path / "r.parquet"
    rows = conftest.run(pieces, NUMPY, out)
    parts = Parts(out)
    for _ in range(2):
        parts.add(pieces[0].id(NUMPY), rows)
        parts.flush()
    assert conform(pieces, NUMPY, out).calls == len(rows)
    assert conftest.timeless(list(rows_of(out))) == conftest.timeless(rows)


def test_a_piece_that_cannot_be_done_is_told_and_done_later(tmp_path: Path) -> None:
    pieces = conftest.pieces_of(["abs", "erf"])
    out = tmp_path / "r.parquet"

    def execute(settings: Settings, given: Iterable[Piece]) -> Iterator[tuple[Piece, list[Row] | Exception]]:
        for piece, rows in alone(settings, given):
            yield piece, RuntimeError("lost") if piece.operator == "aclnnErf" else rows

    summary = conform(pieces, NUMPY, out, execute)
    assert summary.lost == ["aclnnErf on atlas_a2: lost"]
    assert not out.exists()
    assert conform(pieces, NUMPY, out).resumed == 1
    assert {row["operator"] for row in rows_of(out)} == {"aclnnAbs", "aclnnErf"}


def test_calls_that_only_the_document_forbids_wait_for_being_asked_for(tmp_path: Path) -> None:
    pieces = conftest.pieces_of(["prelu_backward"])
    plain = conftest.run(pieces, NUMPY, tmp_path / "plain.parquet")
    asked = conftest.run(pieces, Settings("numpy", forbidden=True), tmp_path / "asked.parquet")
    skipped = [row for row in plain if row["outcome"] == "skipped"]
    assert skipped
    assert all(row["detail"].startswith("only the document forbids it") for row in skipped)
    assert {row["outcome"] for row in asked} == {"agree"}
    assert len(asked) == len(plain)


def test_scalars_are_what_their_dtypes_hold_and_axes_of_one_size_do_not_matter(tmp_path: Path) -> None:
    """C is given 0.1 in FLOAT16 as 0.09998, and the library takes an output of other axes: both agree."""
    names = ["inplace_fill_scalar", "linspace"]
    rows = conftest.run(conftest.pieces_of(names, random=20), Settings("numpy", "values"), tmp_path / "r.parquet")
    assert {row["outcome"] for row in rows} <= {"agree", "skipped"}
    assert any("float16(0.0999755859375)" in row["call"] for row in rows)
    assert any(row["compared"] and '"out":"float32[5,1]"' in row["call"] for row in rows)
