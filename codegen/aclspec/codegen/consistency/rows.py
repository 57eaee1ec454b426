"""The dtype rows as a table: complete, without overlap, and only of what the products can do."""

from __future__ import annotations

from itertools import combinations

from aclspec.codegen.compile.checks import known_products
from aclspec.codegen.compile.context import Context
from aclspec.codegen.compile.rows import columns, expand
from aclspec.codegen.consistency.products import callable_products
from aclspec.codegen.findings import listing
from aclspec.runtime.info import MODES, OperatorInfo, RowInfo


def check_rows(context: Context, info: OperatorInfo) -> None:
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
        _check_reach(context, info, index)
    if context.spec.dtypes:
        _check_overlaps(context)
        _check_missing(context, info)


def _check_dtypes(context: Context, index: int) -> None:
    """No row has a dtype that its product does not know."""
    row = context.spec.dtypes[index]
    words = {dtype for expanded in expand(context, row) for _, cell in expanded.cells for dtype in cell}
    lacking = [product.key for product in context.products if product.key in row.products and not product.bf16]
    if "BF16" in words and lacking:
        text = f"A dtype row has BF16 for {listing(lacking)}, whose cores do not know it."
        context.report(("dtypes", index, "products"), "product-dtype", text)


def _check_reach(context: Context, info: OperatorInfo, index: int) -> None:
    """No row is for a product that the product rule refuses in each of its modes."""
    row = context.spec.dtypes[index]
    for position, product in enumerate(row.products):
        dead = [mode for mode in row.conformance if product not in callable_products(context, info, mode)]
        if product in context.product_keys and dead:
            text = f"A dtype row is for a product ({product}) that the product rule refuses in {listing(dead)} mode."
            context.report(("dtypes", index, "products", position), "dead", text)


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


def _check_missing(context: Context, info: OperatorInfo) -> None:
    """Every product that a call can get to has a row in every mode."""
    for mode in MODES:
        covered = {product for row in context.spec.dtypes if mode in row.conformance for product in row.products}
        missing = [key for key in callable_products(context, info, mode) if key not in covered]
        if missing:
            text = (
                f"No dtype row is for {listing(missing)} in {mode} mode; expected one, or a product check in that mode."
            )
            context.report(("dtypes",), "missing-row", text, key=True)
