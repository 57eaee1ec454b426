"""The dtype rows as a table: without gaps, without overlap, and only of what the products can do."""

from __future__ import annotations

from itertools import combinations

from aclspec.codegen.compile.context import Context
from aclspec.codegen.compile.rows import columns, expand
from aclspec.codegen.compile.status import known_products
from aclspec.codegen.findings import listing
from aclspec.runtime.info import RowInfo


def check_rows(context: Context) -> None:
    """Check the table of rows."""
    expected = columns(context)
    order = [param.name for param in context.spec.params if param.name in expected]
    for index, row in enumerate(context.spec.dtypes):
        known_products(context, ("dtypes", index, "products"), row.products)
        missing = [name for name in order if name not in row.row]
        if missing:
            text = f"A dtype row has no cell for {listing(missing)}, for which another row has one."
            context.report(("dtypes", index, "row"), "missing-key", text, key=True)
        _check_dtypes(context, index)
    _check_overlaps(context)


def _check_dtypes(context: Context, index: int) -> None:
    """No row has a dtype that its product does not know."""
    row = context.spec.dtypes[index]
    words = {dtype for expanded in expand(context, row) for _, cell in expanded.cells for dtype in cell}
    lacking = [product.key for product in context.products if product.key in row.products and not product.bf16]
    if "BF16" in words and lacking:
        text = f"A dtype row has BF16 for {listing(lacking)}, whose cores do not know it."
        context.report(("dtypes", index, "products"), "product-dtype", text)


def _check_overlaps(context: Context) -> None:
    """No combination stands in two rows of one product and mode."""
    rows = [(index, row) for index, entry in enumerate(context.spec.dtypes) for row in expand(context, entry)]
    reported: set[tuple[int, int]] = set()
    for (first, left), (second, right) in combinations(rows, 2):
        products = [key for key in left.products if key in right.products]
        if (first, second) in reported or not products or not set(left.modes) & set(right.modes):
            continue
        common = _common(left, right)
        if common is None:
            continue
        reported.add((first, second))
        if first == second:
            text = f"A dtype row lists one combination twice ({common})."
        else:
            line = context.at(("dtypes", first)).line
            text = f"A dtype row overlaps the one on line {line} for {listing(products)}: both allow {common}."
        context.report(("dtypes", second), "overlap", text)


def _common(left: RowInfo, right: RowInfo) -> str | None:
    """A combination that both rows allow, as text."""
    cells = dict(right.cells)
    shared = []
    for name, dtypes in left.cells:
        both = [dtype for dtype in dtypes if dtype in cells.get(name, ())]
        if not both:
            return None
        shared.append(f"{name} {both[0]}")
    return ", ".join(shared) if len(cells) == len(left.cells) else None
