"""The precision table answers for every product."""

from __future__ import annotations

from aclspec.codegen.compile.context import Context
from aclspec.codegen.findings import listing
from aclspec.runtime.info import OperatorInfo


def check_compute(context: Context, info: OperatorInfo) -> None:
    """Every product ends in a row without a guard, every row can be reached, all rows name the same roles."""
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
    roles = dict.fromkeys(role for row in context.spec.compute.precision for role in row.roles)
    for index, entry in enumerate(context.spec.compute.precision):
        lacking = [role for role in roles if role not in entry.roles]
        if lacking:
            text = f"A row of the precision table gives no dtype for {listing(lacking)}, for which another row does."
            context.report(("compute", "precision", index, "roles"), "missing-key", text, key=True)
