"""The tables of parameters, products and dtype rows agree with each other."""

from __future__ import annotations

from itertools import combinations
from math import isfinite

from aclspec.codegen.compile.context import Context, Path, beyond, fits, known_products, type_of
from aclspec.codegen.compile.params import ATTRIBUTE_DTYPES, columns, expand
from aclspec.codegen.source.findings import did_you_mean, listing, one_of
from aclspec.codegen.spec.checks import ProductCheck
from aclspec.codegen.spec.operator import Param
from aclspec.runtime.language.functions import ELEMENTS
from aclspec.runtime.rules.levels import LEVELS
from aclspec.runtime.rules.operator_info import MODES, Mode, OperatorInfo, RowInfo

_TENSOR_KEYS = ("formats", "rank", "axes", "empty", "noncontiguous")
_WITHOUT_DEFAULT = ("tensor", "tensors", "scalars")


def check_params(context: Context) -> None:
    """Check every parameter by itself."""
    for index, param in enumerate(context.spec.params):
        path: Path = ("params", index)
        _check_keys(context, path, param)
        _check_tensor(context, path, param)
        for position, value in enumerate(param.values):
            _check_value(context, (*path, "values", position), param, value)
        _check_default(context, (*path, "default"), param)
        _check_clauses(context, (*path, "clauses"), param)


def _check_keys(context: Context, path: Path, param: Param) -> None:
    """Keys that say nothing of this type or direction."""
    kind = type_of(param)
    of_type = f"a parameter ({param.name}) of type {param.type}"
    wrong: dict[str, str | None] = {
        **dict.fromkeys(_TENSOR_KEYS, of_type if kind.predicate not in ("tensor", "tensors") else None),
        "elements": None if kind.predicate in ("tensor", "tensors") and param.direction != "out" else of_type,
        "const": f"a parameter ({param.name}) that is {param.direction}"
        if param.direction in ("in", "unknown")
        else None,
        "lengths": None if kind.pointer and kind.predicate in ELEMENTS else of_type,
        "values": None if kind.predicate in ("bool", "int", "string", "dtype") else of_type,
        "optional": None if kind.pointer else of_type,
        "required": None if kind.pointer else of_type,
        "default": of_type if kind.predicate in _WITHOUT_DEFAULT else None,
    }
    if param.direction == "out":
        wrong["elements"] = f"an output ({param.name})"
    if param.direction != "in":
        wrong["default"] = f"an output ({param.name})"
    if param.direction != "out":
        wrong["partial"] = wrong["data_dependent"] = f"a parameter ({param.name}) that is {param.direction}"
    elif kind.predicate != "tensor":
        wrong["data_dependent"] = of_type
    if param.optional and kind.pointer and param.direction != "out":
        wrong["required"] = f"an optional parameter ({param.name})"
    for key, what in wrong.items():
        if what is not None and key in param.model_fields_set:
            context.report((*path, key), "param-type", f"The key ({key}) says nothing of {what}.", key=True)
    if param.direction not in ("in", "unknown") and kind.predicate not in ("tensor", "tensors"):
        text = f"A parameter ({param.name}) of type {param.type} is {param.direction}; expected in."
        context.report((*path, "direction"), "param-type", text)


def _check_tensor(context: Context, path: Path, param: Param) -> None:
    """The formats and the ranks of a tensor agree."""
    if type_of(param).predicate not in ("tensor", "tensors"):
        return
    low, high = param.rank
    if low > high:
        context.report((*path, "rank"), "value", f"The least rank ({low}) is above the greatest ({high}).")
    _check_axes(context, path, param)
    if param.formats is None and not LEVELS[context.spec.level].has_rules:
        return
    if param.formats is None:
        text = f"A tensor ({param.name}) names no formats; expected the key formats."
        context.report(path, "missing-key", text)
    elif isinstance(param.formats, dict):
        named = [rank for rank in param.formats if isinstance(rank, int)]
        for rank in named:
            if not low <= rank <= high:
                text = f"Formats are given for a rank ({rank}) outside {low} to {high}."
                context.report((*path, "formats", rank), "dead", text, key=True)
        missing = [str(rank) for rank in range(low, high + 1) if rank not in named]
        if missing and "any" not in param.formats:
            text = f"Formats are given for some ranks but not for {one_of(missing)}; expected the key any."
            context.report((*path, "formats"), "missing-key", text, key=True)


def _check_axes(context: Context, path: Path, param: Param) -> None:
    """Axes have names for ranks that the tensor may have, once for each."""
    (low, high), named = param.rank, [len(names) for names in param.axes]
    for index, rank in enumerate(named):
        if not low <= rank <= high:
            text = f"Axes have names for a rank ({rank}) outside {low} to {high}."
            context.report((*path, "axes", index), "dead", text)
        elif rank in named[:index]:
            text = f"Axes have names for a rank ({rank}) twice."
            context.report((*path, "axes", index), "duplicate-id", text)


def _check_value(context: Context, path: Path, param: Param, value: object) -> None:
    """A legal value is of the parameter's own type and within its range."""
    kind = type_of(param)
    if kind.predicate not in ("bool", "int", "string", "dtype"):
        return
    if not fits(kind.predicate, value):
        context.report(
            path, "value", f"A value ({value}) of a parameter ({param.name}) does not fit its type {kind.key}."
        )
    elif kind.is_integer and isinstance(value, int) and not kind.low <= value <= kind.high:
        text = f"A value ({value}) of a parameter ({param.name}) is outside its C type, {kind.low} to {kind.high}."
        context.report(path, "value", text)
    elif kind.predicate == "dtype":
        context.is_known(path, "dtype", str(value), ATTRIBUTE_DTYPES)


def _check_default(context: Context, path: Path, param: Param) -> None:
    """A default is a value that the parameter may have."""
    kind, value = type_of(param), param.default
    if not param.has_default or kind.predicate in _WITHOUT_DEFAULT:
        return
    if value is None:
        if not param.optional:
            text = f"The default of a parameter ({param.name}) is null; expected optional: true beside it."
            context.report(path, "value", text)
    elif not fits(kind.predicate, value):
        shown = list(value) if isinstance(value, tuple) else value
        context.report(path, "value", f"The default ({shown}) of a parameter ({param.name}) is no {kind.key}.")
    elif outside := beyond(kind, value):
        noun = "an integer" if isinstance(outside[0], int) else "a number"
        text = f"The default of a parameter ({param.name}) is {noun} ({outside[0]}) that its C type cannot hold."
        context.report(path, "value", text)
    elif any(
        isinstance(item, float) and not isfinite(item) for item in (value if isinstance(value, tuple) else (value,))
    ):
        text = f"The default ({value}) of a parameter ({param.name}) is not finite; expected a number that is."
        context.report(path, "value", text)
    elif param.values and value not in param.values:
        expected = one_of(str(choice) for choice in param.values)
        text = f"The default ({value}) of a parameter ({param.name}) is none of its values; expected {expected}."
        context.report(path, "value", text)
    elif isinstance(value, tuple) and param.lengths and len(value) not in param.lengths:
        expected = one_of(str(length) for length in param.lengths)
        text = f"The default of a parameter ({param.name}) has {len(value)} elements; expected {expected}."
        context.report(path, "value", text)
    elif not isinstance(value, tuple):
        _check_value(context, path, param, value)


def _check_clauses(context: Context, path: Path, param: Param) -> None:
    """The keys of ``clauses`` name fields of a parameter."""
    fields = [name for name in Param.model_fields if name != "clauses"] + ["dtype"]
    for name in param.clauses:
        if name not in fields:
            text = f"A field ({name}) of a parameter is unknown; expected one of {one_of(fields)}"
            context.report((*path, name), "unknown-key", text + did_you_mean(name, fields), key=True)


def callable_products(context: Context, info: OperatorInfo, mode: Mode) -> tuple[str, ...]:
    """The products on which a call gets past the product rule."""
    gated = any(rule.kind == "product" and mode in dict(rule.status) for rule in info.rules)
    return tuple(key for key in context.product_keys if not gated or key in context.listed)


def check_products(context: Context, info: OperatorInfo) -> None:
    """Every listed product exists, once; the product rule comes first; what names products is not dead."""
    for index, entry in enumerate(context.spec.products):
        path = ("products", index, "product")
        known = context.is_known(path, "product", entry.product, context.product_keys)
        if known and entry.product in context.listed[:index]:
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
    cells = right.table
    shared = []
    for name, dtypes in left.table.items():
        both = [dtype for dtype in dtypes if dtype in cells.get(name, ())]
        if not both:
            return None
        shared.append(f"{name} {both[0]}")
    return ", ".join(shared) if len(cells) == len(left.cells) else None
