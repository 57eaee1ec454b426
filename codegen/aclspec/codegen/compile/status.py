"""The status codes of a check, and the products that it names."""

from __future__ import annotations

from aclspec.codegen.compile.context import Context, Path
from aclspec.codegen.findings import did_you_mean, one_of
from aclspec.codegen.spec.checks import Check
from aclspec.runtime.info import MODES, Mode
from aclspec.runtime.status import Status

SUCCESS, NULLPTR, INVALID = "ACLNN_SUCCESS", "ACLNN_ERR_PARAM_NULLPTR", "ACLNN_ERR_PARAM_INVALID"
STATUSES = tuple(Status.__members__)


def statuses(
    context: Context, path: Path, check: Check, status: str | dict[Mode, str] | None, default: str
) -> tuple[tuple[Mode, str], ...]:
    """The status of each mode in which the check runs."""
    table: dict[Mode, str] = status if isinstance(status, dict) else dict.fromkeys(MODES, status or default)
    for mode, name in table.items():
        where = (*path, "status", mode) if isinstance(status, dict) else (*path, "status")
        if name not in STATUSES:
            expected = f"expected a name such as {NULLPTR}{did_you_mean(name, STATUSES)}"
            context.report(where, "unknown-status", f"A status ({name}) is unknown; {expected}")
        elif name == SUCCESS:
            context.report(where, "unknown-status", f"A check fails with {SUCCESS}; expected an error.")
        if isinstance(status, dict) and mode not in check.enforced_by:
            text_ = f"A status is given for a mode ({mode}) in which the check does not run."
            context.report(where, "unknown-status", text_, key=True)
    missing = [mode for mode in check.enforced_by if mode not in table]
    if missing:
        text_ = f"The status of a mode ({one_of(missing)}) is missing."
        context.report((*path, "status"), "unknown-status", text_, key=True)
    return tuple((mode, table[mode]) for mode in MODES if mode in check.enforced_by and mode in table)


def known_products(context: Context, path: Path, products: tuple[str, ...]) -> None:
    """Report products that do not exist."""
    for index, product in enumerate(products):
        if product not in context.product_keys:
            known = context.product_keys
            expected = f"expected one of {one_of(known)}{did_you_mean(product, known)}"
            context.report((*path, index), "unknown-product", f"A product ({product}) is unknown; {expected}")
        elif product in products[:index]:
            context.report((*path, index), "duplicate-id", f"A product ({product}) is listed twice.")
