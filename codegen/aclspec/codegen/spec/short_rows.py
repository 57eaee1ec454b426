"""Short forms of dtype rows: usual cells, dtypes of every tensor, and what some products add to them."""

from __future__ import annotations

from collections.abc import Iterator

from aclspec.codegen.source.tree_edit import drop, entries, mapping, put, sequence, word, words
from aclspec.codegen.source.yaml_tree import Key, Mapping, Sequence, Tree
from aclspec.codegen.spec.short_params import (
    TENSORS,
    Groups,
    known_set,
    lister,
    name_of,
    named,
    predicate_of,
    section,
)


def spread_usual(tree: Mapping) -> None:
    """The cells of an entry ``usual``, which stand in each row below it that does not state them itself."""
    rows = tree.values.get("dtypes")
    if not isinstance(rows, Sequence):
        return
    order = [name_of(entry) for entry in entries(tree, "params")]
    usual, kept = Mapping(rows.at), list[Tree]()
    for row, below in zip(rows.items, [*rows.items, None][1:], strict=True):
        stated = row.values.get("usual") if isinstance(row, Mapping) and len(row.values) == 1 else None
        if isinstance(stated, Mapping) and below is not None:
            usual = stated
            continue
        cells = row.values.get("row") if isinstance(row, Mapping) else None
        if isinstance(row, Mapping) and isinstance(cells, Mapping) and usual.values:
            values = usual.values | cells.values
            names = sorted(values, key=lambda name: _at(order, name))
            row.values["row"] = Mapping(cells.at, {name: values[name] for name in names}, usual.keys | cells.keys)
        kept.append(row)
    rows.items = kept


def expand_row(row: Tree, tree: Mapping, groups: Groups) -> Iterator[Tree]:
    """Rows with dtypes of every tensor, each for itself or all the same, with what some products add to them."""
    if not isinstance(row, Mapping):
        yield row
        return
    listed_by, modes = lister(tree), row.values.get("conformance")
    if listed_by is not None and "listed_by" not in row.values and (modes is None or "document" in words(modes)):
        put(row, "listed_by", listed_by)
    kind = next((kind for kind in ("each", "same") if kind in row.values), None)
    if "products" not in row.values:
        products = [entry.values["product"] for entry in entries(tree, "products") if "product" in entry.values]
        put(row, "products", sequence(row.at, products))
    _name_cells(row, tree)
    if kind is None:
        yield row
        return
    dtypes, of, add = drop(row, kind), drop(row, "of"), drop(row, "add")
    cells = row.values.get("row")
    cells = cells if isinstance(cells, Mapping) else Mapping(row.at)
    tensors = [name_of(entry) for entry in entries(tree, "params") if predicate_of(entry) in TENSORS]
    chosen = words(of) or [name for name in tensors if name not in cells.values]
    order = [name_of(entry) for entry in entries(tree, "params")]
    whole: dict[Key, Tree] = {name: word("T", row.at) for name in chosen}
    whole |= cells.values
    put(
        row,
        "row",
        mapping(row.at, {str(name): whole[name] for name in sorted(whole, key=lambda one: _at(order, one))}),
    )
    yield from _grouped_rows(row, "sets" if kind == "each" else "where", named(dtypes, tree), _added(add, tree, groups))


def _name_cells(row: Mapping, tree: Mapping) -> None:
    """The named sets of the operator in the cells of a row, and in the dtypes of its variables and its own sets."""
    own = {str(name) for part in ("where", "sets") for name in section(row, part)}
    for part in ("row", "where", "sets"):
        for name, cell in section(row, part).items():
            items = cell.items if isinstance(cell, Sequence) else [cell]
            if not own & set(words(cell)) and any(known_set(item, tree) for item in items):
                section(row, part)[name] = Sequence(cell.at, named(cell, tree))


def _at(order: list[str], name: Key) -> int:
    return order.index(str(name)) if name in order else len(order)


def _added(add: Tree | None, tree: Mapping, groups: Groups) -> list[tuple[list[Tree], set[str]]]:
    """The dtypes that some products add, with these products."""
    found = []
    for name, where in zip(add.keys.values(), add.values.values(), strict=True) if isinstance(add, Mapping) else ():
        products = {product for word in words(where) for product in groups.get(word, (word,))}
        found.append((named(name, tree), products))
    return found


def _grouped_rows(
    row: Mapping, kind: str, dtypes: list[Tree], added: list[tuple[list[Tree], set[str]]]
) -> Iterator[Tree]:
    """A row for the products that add the same dtypes."""
    products = row.values["products"]
    items = [products] if not isinstance(products, Sequence) else products.items
    unlisted = {product for _, where in added for product in where} - {one for item in items for one in words(item)}
    items = [*items, *(word(product, row.at) for product in sorted(unlisted))]
    rows: dict[tuple[str, ...], tuple[list[Tree], list[Tree]]] = {}
    for product in items:
        own = [*dtypes, *(one for more, where in added if set(words(product)) & where for one in more)]
        rows.setdefault(tuple(words(Sequence(row.at, own))), (own, []))[1].append(product)
    for own, where in rows.values():
        made = Mapping(row.at, dict(row.values), dict(row.keys))
        put(made, kind, mapping(row.at, {"T": Sequence(row.at, own)}))
        put(made, "products", Sequence(products.at, where))
        yield made
