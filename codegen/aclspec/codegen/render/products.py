"""The table of products in the runtime: the one generated file outside of the generated folder."""

from __future__ import annotations

from aclspec.codegen.emit.pretty import lay_out, quoted, tuple_literal
from aclspec.codegen.load import Project
from aclspec.codegen.render.environment import template
from aclspec.codegen.render.target import Target


def render_product_table(project: Project, target: Target) -> str:
    """The text of the table."""
    rows = tuple_literal(
        tuple_literal(
            (
                quoted(product.key),
                quoted(product.name.en),
                quoted(product.name.zh),
                str(product.arch),
                str(product.bf16),
                tuple_literal(map(quoted, product.socs)),
            )
        )
        for product in project.products
    )
    annotation = "tuple[tuple[str, str, str, int, bool, tuple[str, ...]], ...]"
    return template("product_table.py.j2").render(
        header=target.header("specs/common/products.yaml"),
        keys=[product.key for product in project.products],
        default=next(product.key for product in project.products if product.default),
        lines=list(lay_out(f"TABLE: {annotation} = ", rows)),
    )
