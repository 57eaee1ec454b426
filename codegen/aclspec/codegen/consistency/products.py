"""The products that an operator lists, and those that its product rule lets through."""

from __future__ import annotations

from aclspec.codegen.compile.context import Context
from aclspec.codegen.findings import did_you_mean, listing, one_of
from aclspec.codegen.spec.checks import ProductCheck
from aclspec.runtime.info import MODES, Mode, OperatorInfo


def callable_products(context: Context, info: OperatorInfo, mode: Mode) -> tuple[str, ...]:
    """The products on which a call gets past the product rule."""
    gated = any(rule.kind == "product" and mode in dict(rule.status) for rule in info.rules)
    return tuple(key for key in context.product_keys if not gated or key in context.listed)


def check_products(context: Context, info: OperatorInfo) -> None:
    """Every listed product exists, once; the product rule comes first; what names products is not dead."""
    for index, entry in enumerate(context.spec.products):
        path = ("products", index, "product")
        if entry.product not in context.product_keys:
            known = context.product_keys
            expected = f"expected one of {one_of(known)}{did_you_mean(entry.product, known)}"
            context.report(path, "unknown-product", f"A product ({entry.product}) is unknown; {expected}")
        elif entry.product in context.listed[:index]:
            context.report(path, "duplicate-id", f"A product ({entry.product}) is listed twice.")
    if set(context.listed) <= set(context.product_keys):
        _check_reach(context, info)


def _check_reach(context: Context, info: OperatorInfo) -> None:
    """The product rule comes first, and no check or row is for a product that it refuses."""
    for index, check in enumerate(context.spec.checks):
        if isinstance(check, ProductCheck) and index > 0:
            text = "The check of the product is not the first; on a product that is not listed no other is run."
            context.report(("checks", index), "order", text)
        for position, product in enumerate(getattr(check, "products", None) or ()):
            reached = any(product in callable_products(context, info, mode) for mode in check.enforced_by)
            if product in context.product_keys and not reached:
                text = f"A check is for a product ({product}) on which the product rule lets no call through to it."
                context.report(("checks", index, "products", position), "dead", text)
    for index, row in enumerate(context.spec.dtypes):
        for position, product in enumerate(row.products):
            dead = [mode for mode in row.conformance if product not in callable_products(context, info, mode)]
            if product in context.product_keys and dead:
                text = (
                    f"A dtype row is for a product ({product}) that the product rule refuses in {listing(dead)} mode."
                )
                context.report(("dtypes", index, "products", position), "dead", text)
    if context.spec.dtypes:
        _check_missing_rows(context, info)


def _check_missing_rows(context: Context, info: OperatorInfo) -> None:
    """Every product that a call can get to has a dtype row in every mode."""
    for mode in MODES:
        covered = {product for row in context.spec.dtypes if mode in row.conformance for product in row.products}
        missing = [key for key in callable_products(context, info, mode) if key not in covered]
        if missing:
            found = f"No dtype row is for {listing(missing)} in {mode} mode"
            text = f"{found}; expected one, or a product check in that mode."
            context.report(("dtypes",), "missing-row", text, key=True)
