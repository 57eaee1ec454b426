"""What a spec says beside its rules: the calls that it cannot judge, and those for which CANN has no kernel."""

from __future__ import annotations

from collections.abc import Iterator

from aclspec.codegen.compile.context import SUCCESS, Context, Path, in_order, known_products, texts
from aclspec.codegen.spec.caveats import Caveat, MissingKernel
from aclspec.runtime.abi.status import Status
from aclspec.runtime.rules.operator_info import CaveatInfo


def compile_caveats(context: Context) -> tuple[CaveatInfo, ...]:
    """The caveats, a missing kernel before what is not judged."""
    return (*_each(context, "kernels", context.spec.kernels), *_each(context, "unjudged", context.spec.unjudged))


def _each(context: Context, group: str, entries: tuple[Caveat, ...]) -> Iterator[CaveatInfo]:
    for index, entry in enumerate(entries):
        path: Path = (group, index)
        known_products(context, (*path, "products"), entry.products or ())
        if entry.when is None and entry.products is None:
            text = f"An entry of {group} ({entry.id}) is about every call; expected when or products."
            context.report(path, "missing-key", text)
        status = source = ""
        if isinstance(entry, MissingKernel):
            statuses = [name for name in Status.__members__ if name != SUCCESS]
            context.is_known((*path, "status"), "status", entry.status, statuses)
            status, source = entry.status, entry.source
        yield CaveatInfo(
            id=entry.id,
            kind="no kernel" if group == "kernels" else "unjudged",
            because=texts(entry.because),
            when=context.expression((*path, "when"), entry.when, "bool", "The guard", context.scope),
            products=in_order(entry.products or (), context.product_keys),
            rules=entry.rules,
            modes=entry.conformance,
            status=status,
            source=source,
        )
