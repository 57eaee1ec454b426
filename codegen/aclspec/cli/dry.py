"""``aclspec simulator run --dry``: what is set for the program, and the porting report after it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from aclspec.cli import operators, output
from aclspec.cli.catalog import find
from aclspec.cli.errors import UsageError
from aclspec.cli.layer_findings import RECORD, Recordings
from aclspec.codegen.source.atomic import atomic_write
from aclspec.runtime.abi.products import KEYS

if TYPE_CHECKING:
    from aclspec.runtime.replay.dry import DryRun
    from aclspec.runtime.rules.sentences import Lang

FORMATS = (".html", ".json", ".txt")
_WHOLE = {"ACLSPEC_RECORD_PLACES": "1", "ACLSPEC_RECORD_CALLS": "", "ACLSPEC_RECORD_DATA": ""}
"""How calls are recorded: each with its place, and without what its tensors hold, which is nothing."""


@dataclass(frozen=True)
class Dry:
    """A run on the dry device: the products that judge its calls, and the file of the report."""

    products: tuple[str, ...]
    report: Path | None

    @contextmanager
    def run(self, record: str | None) -> Iterator[dict[str, str]]:
        """The variables of the program; the report is told when it is over."""
        with TemporaryDirectory(prefix="aclspec-dry-") as folder:
            device = Path(folder, "device.jsonl")
            pattern = os.path.abspath(record) if record is not None else str(Path(folder, "%p.jsonl"))
            recordings = Recordings(pattern)
            yield {"ACLSPEC_DRY": str(device), RECORD: pattern, **_WHOLE}
            self._tell(recordings.written(), device)

    def _tell(self, recorded: dict[Path, int], device: Path) -> None:
        from aclspec.codegen.simulator.interface import read_runtime
        from aclspec.codegen.toolchain.addresses import lines_of
        from aclspec.runtime.replay.dry import GIB, dry_run, read_seen
        from aclspec.runtime.replay.judging import Judge
        from aclspec.runtime.replay.places import callers
        from aclspec.runtime.replay.recording import RecordingError, read
        from aclspec.runtime.replay.summary import port, summarize

        judge = Judge(find, operators.language(_language()))
        with output.progress("judging") as tell:
            try:
                recording = read(recorded, tell, judge.lang, starts=recorded)
            except RecordingError as error:
                raise UsageError(str(error)) from error
            seen = read_seen(device, judge.lang)
            recording.notes += seen.notes
            lines = lines_of([*callers(recording), *seen.callers()])
            summary = summarize(recording, judge)
            port(summary, recording, judge, self.products, tell, lines)
        memory = read_runtime().device_memory_gib * GIB
        found = dry_run(summary, recording, seen, judge, memory, lines)
        if self.report is None:
            output.write(_rendered(found, judge.lang, ".txt"), end="", error=True)
            return
        with atomic_write(self.report) as beside:
            beside.write_text(_rendered(found, judge.lang, self.report.suffix), encoding="utf-8", errors="replace")


def _rendered(found: DryRun, lang: Lang, suffix: str) -> str:
    from aclspec.codegen.reports.dry import page, text

    if suffix == ".json":
        return json.dumps(found.to_dict(), indent=2, ensure_ascii=False) + "\n"
    return page(found, lang) if suffix == ".html" else text(found, lang)


def _language() -> str:
    return "zh" if os.environ.get("ACLSPEC_LANG") == "zh" else "en"


def dries_of(product: str | None, report: Path | None, each: bool) -> list[tuple[Dry, str | None]]:
    """The runs that the options mean, each with what the program sees; UsageError where they mean none.

    Of several names, with commas between, the first is what the program sees; ``all`` stands for every product. With
    ``each`` there is a run for each product, whose key stands in the name of its report.
    """
    if report is not None and (report.suffix not in FORMATS or not report.absolute().parent.is_dir()):
        raise UsageError(f"The report ({report}) is no file in a folder that exists, ending in {', '.join(FORMATS)}.")
    names = product.split(",") if product else ["all"]
    named = [name for name in names if name != "all"]
    seen = {operators.product(name): name for name in reversed(named)}  # of two names of a product the first
    keys = tuple(dict.fromkeys(map(operators.product, named)))
    keys = KEYS if "all" in names else keys
    if not each:
        return [(Dry(keys, report), named[0] if named else None)]
    return [(Dry((key,), report and report.with_stem(f"{report.stem}-{key}")), seen.get(key, key)) for key in keys]
