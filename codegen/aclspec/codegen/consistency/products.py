"""The products that an operator lists, and those that its product rule lets through."""

from __future__ import annotations

from aclspec.codegen.compile.context import Context
from aclspec.codegen.findings import did_you_mean, one_of
from aclspec.codegen.spec.checks import ProductCheck
from aclspec.runtime.info import Mode, OperatorInfo


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
    for index, check in enumerate(context.spec.checks):
        if isinstance(check, ProductCheck) and index > 0:
            text = "The check of the product is not the first; on a product that is not listed no other is run."
            context.report(("checks", index), "order", text)
        products = getattr(check, "products", None) or ()
        for position, product in enumerate(products):
            modes = getattr(check, "enforced_by", ())
            reached = any(product in callable_products(context, info, mode) for mode in modes)
            if product in context.product_keys and not reached:
                text = f"A check is for a product ({product}) that the operator does not list, where it never runs."
                context.report(("checks", index, "products", position), "dead", text)
