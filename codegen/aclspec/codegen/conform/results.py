"""The results of a run: one Parquet file, one row a call, written in parts that a cut-off run leaves behind.

A part holds whole pieces. The rows of a piece count once: what is merged is the first part that holds it, and pieces
that are not planned are left out. Files come to be under another name and are renamed, so that each is whole or absent.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from aclspec.codegen.conform.process import Row
from aclspec.codegen.source.atomic import atomic_write

SCHEMA = pa.schema(
    [
        pa.field("id", pa.string(), False),
        pa.field("piece", pa.string(), False),
        pa.field("operator", pa.string(), False),
        pa.field("product", pa.string(), False),
        pa.field("spec", pa.string(), False),
        pa.field("origin", pa.string(), False),
        pa.field("seed", pa.int64(), False),
        pa.field("call", pa.string(), False),
        pa.field("size", pa.float64(), False),
        pa.field("rule", pa.string(), False),
        pa.field("expected", pa.int32(), False),
        pa.field("actual", pa.int32()),
        pa.field("outcome", pa.string(), False),
        pa.field("detail", pa.string(), False),
        pa.field("compared", pa.int64(), False),
        pa.field("worst_ulp", pa.float64(), False),
        pa.field("ulp", pa.list_(pa.int64()), False),
        pa.field("seconds", pa.float64(), False),
        pa.field("worker", pa.string(), False),
    ]
)
"""The columns; the guide on conformance says what each holds."""
VERSION = 1
PIECES, RUN = b"aclspec.pieces", b"aclspec.run"
ROWS, SECONDS = 20_000, 5.0
"""A part is written when it has this number of rows, or after this time."""


class ResultsError(Exception):
    """A file that holds no results; the message is one sentence."""


def require_results(file: Path) -> None:
    """ResultsError for a file that is no Parquet file, or one of other columns."""
    try:
        own, run = pq.read_schema(file), run_of(file)
    except (pa.ArrowException, ValueError) as error:
        raise ResultsError(f"The file {file} is not a file of results: it cannot be read as Parquet") from error
    if [(one.name, one.type) for one in own] != [(one.name, one.type) for one in SCHEMA]:
        raise ResultsError(f"The file {file} is not a file of results: its columns are others")
    if not all(isinstance(one, dict) for one in (run, run.get("settings", {}), run.get("environment", {}))):
        raise ResultsError(f"The file {file} is not a file of results: its {RUN.decode()} is no object")


class Parts:
    """The folder of parts beside the file of results, to which one process adds pieces."""

    def __init__(self, out: Path) -> None:
        """The folder of a file of results."""
        self.out = out
        self.folder = out.with_name(out.name + ".parts")
        self._rows: list[Row] = []
        self._pieces: list[str] = []
        self._since = time.monotonic()

    @property
    def exist(self) -> bool:
        """Whether an earlier run left parts behind."""
        return any(self.folder.glob("*.parquet"))

    def files(self) -> list[Path]:
        """The parts in the order in which they were written, behind the results of an earlier run."""
        return [*([self.out] if self.out.is_file() else []), *sorted(self.folder.glob("*.parquet"))]

    def pieces(self) -> set[str]:
        """The pieces that are done."""
        return {piece for file in self.files() for piece in pieces_of(file)}

    def add(self, piece: str, rows: Iterable[Row]) -> None:
        """Add a whole piece; it is on the disk after some seconds, or when `flush` returns."""
        self._rows += rows
        self._pieces.append(piece)
        if len(self._rows) >= ROWS or time.monotonic() - self._since > SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write what was added."""
        if self._pieces:
            self.folder.mkdir(parents=True, exist_ok=True)
            name = f"{time.time_ns():020d}-{uuid4().hex[:8]}.parquet"
            table = pa.Table.from_pylist(self._rows, SCHEMA)
            _write(self.folder / name, [table], {PIECES: json.dumps(self._pieces).encode()})
        self._rows, self._pieces, self._since = [], [], time.monotonic()

    def merge(self, planned: Collection[str], about: Mapping[str, Any]) -> int:
        """Make the file of results of the planned pieces, and remove the parts; how many rows it has."""
        self.flush()
        taken: list[str] = []
        counts = [0]

        def tables() -> Iterator[pa.Table]:
            left = set(planned)
            for file in self.files():
                own = [piece for piece in dict.fromkeys(pieces_of(file)) if piece in left]
                left.difference_update(own)
                taken.extend(own)
                for table in batches(file):
                    mask = pc.is_in(table["piece"], pa.array(own, pa.string()))
                    kept = table.filter(mask)
                    counts[0] += kept.num_rows
                    yield kept

        def metadata() -> dict[bytes, bytes]:
            return {PIECES: json.dumps(taken).encode(), RUN: json.dumps({"version": VERSION, **about}).encode()}

        _write(self.out, tables(), metadata)
        shutil.rmtree(self.folder, ignore_errors=True)
        return counts[0]


def _write(path: Path, tables: Iterable[pa.Table], metadata: Any) -> None:
    """Write a file of results whole; ``metadata`` may be a function that is called after the last row."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as beside, pq.ParquetWriter(beside, SCHEMA, compression="zstd") as writer:
        for table in tables:
            writer.write_table(table)
        writer.add_key_value_metadata(metadata() if callable(metadata) else metadata)


def pieces_of(file: Path) -> list[str]:
    """The pieces that a file holds, those without a call among them."""
    found: list[str] = json.loads(_metadata(file).get(PIECES, b"[]"))
    return found


def run_of(file: Path) -> dict[str, Any]:
    """What is known of the run that made a file: its settings, versions and device."""
    found: dict[str, Any] = json.loads(_metadata(file).get(RUN, b"{}"))
    return found


def batches(file: Path, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
    """The rows of a file, some at a time."""
    with pq.ParquetFile(file) as opened:
        for batch in opened.iter_batches(ROWS, columns=columns):
            yield pa.Table.from_batches([batch])


def rows_of(file: Path, columns: Sequence[str] | None = None) -> Iterator[Row]:
    """The rows of a file, one at a time."""
    for table in batches(file, columns):
        yield from table.to_pylist()


def _metadata(file: Path) -> dict[bytes, bytes]:
    found = pq.read_metadata(file).metadata
    return dict(found or {})
