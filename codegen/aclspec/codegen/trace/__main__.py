"""``python -m aclspec.codegen.trace``: print the trace; exit 1 when an end dangles."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from aclspec.codegen.folders import find_specs
from aclspec.codegen.load import load_project
from aclspec.codegen.trace import tables
from aclspec.codegen.trace.build import trace


def main(arguments: list[str] | None = None) -> int:
    """Trace the specs of a checkout, or of ``--specs``, whose tests and manual stand beside them."""
    parser = argparse.ArgumentParser(prog="python -m aclspec.codegen.trace", description=main.__doc__)
    parser.add_argument("--specs", type=Path, help="directory of specs")
    parser.add_argument("--generated", type=Path, help="directory of the generated files")
    parser.add_argument("--json", action="store_true", help="print the whole report as JSON")
    parser.add_argument("--rows", action="store_true", help="print every clause and every rule")
    options = parser.parse_args(arguments)
    specs = find_specs(options.specs).resolve()
    report = trace(load_project(specs), specs.parent, options.generated)
    if options.json:
        json.dump(report.to_json(), sys.stdout, indent=2, ensure_ascii=False)
        print()
    else:
        print(tables.text(report, rows=options.rows))
    return 0 if report.ok else 1


if __name__ == "__main__":
    sys.exit(main())
