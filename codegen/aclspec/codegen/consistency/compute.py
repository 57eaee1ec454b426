"""The precision table answers for every product."""

from __future__ import annotations

from typing import Any

from aclspec.codegen.compile.context import Context
from aclspec.codegen.findings import listing
from aclspec.runtime.info import OperatorInfo


def check_compute(context: Context, info: OperatorInfo) -> None:
    """Every product ends in a row without a guard, every row can be reached, all rows name the same things."""
    rows = info.compute.precision
    open_to: set[str] = set()
    for index, row in enumerate(rows):
        products = set(row.products or context.product_keys)
        if products <= open_to:
            text = "A row of the precision table is never reached: the rows before it answer for all its products."
            context.report(("compute", "precision", index), "dead", text)
        if row.when is None:
            open_to |= products
    missing = [key for key in context.listed if key not in open_to and key in context.product_keys]
    if missing and len(rows) == len(context.spec.compute.precision):
        text = f"The precision table may have no row for {listing(missing)}; expected a last one without a guard."
        context.report(("compute", "precision"), "missing-row", text, key=True)
    _check_names(context, "roles", "dtype")
    _check_names(context, "settings", "value")
    for index, entry in enumerate(context.spec.compute.precision):
        for name in entry.settings:
            if name in entry.roles:
                text = f"A setting ({name}) has the name of a role; the kernel gets both in one mapping."
                context.report(("compute", "precision", index, "settings", name), "duplicate-id", text, key=True)


def _check_names(context: Context, section: str, what: str) -> None:
    """Every row has the roles, or the settings, of every other row."""
    rows: list[dict[str, Any]] = [getattr(row, section) for row in context.spec.compute.precision]
    known = dict.fromkeys(name for row in rows for name in row)
    for index, row in enumerate(rows):
        lacking = [name for name in known if name not in row]
        if lacking:
            text = f"A row of the precision table gives no {what} for {listing(lacking)}, for which another row does."
            context.report(("compute", "precision", index, section), "missing-key", text, key=True)
