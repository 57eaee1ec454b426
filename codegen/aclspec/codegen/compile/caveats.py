"""What a spec says beside its rules: the calls that it cannot judge, and those for which CANN has no kernel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from aclspec.codegen.compile.context import SUCCESS, Context, Path, in_order, known_products, texts
from aclspec.codegen.spec.caveats import MissingKernel, Unjudged
from aclspec.runtime.abi.status import Status
from aclspec.runtime.rules.operator_info import CaveatInfo


def compile_caveats(context: Context) -> tuple[CaveatInfo, ...]:
    """The caveats, a missing kernel before what is not judged."""
    return (*_kernels(context), *_unjudged(context))


def _kernels(context: Context) -> Iterator[CaveatInfo]:
    for index, entry in enumerate(context.spec.kernels):
        path: Path = ("kernels", index)
        statuses = [name for name in Status.__members__ if name != SUCCESS]
        context.is_known((*path, "status"), "status", entry.status, statuses)
        yield replace(_caveat(context, path, entry), status=entry.status, source=entry.source)


def _unjudged(context: Context) -> Iterator[CaveatInfo]:
    for index, entry in enumerate(context.spec.unjudged):
        path: Path = ("unjudged", index)
        if entry.when is None and entry.products is None:
            text = f"What is not judged ({entry.id}) is every call; expected a predicate under when, or products."
            context.report(path, "missing-key", text)
        yield replace(_caveat(context, path, entry), rules=entry.rules, modes=entry.conformance)


def _caveat(context: Context, path: Path, entry: Unjudged | MissingKernel) -> CaveatInfo:
    known_products(context, (*path, "products"), entry.products or ())
    return CaveatInfo(
        id=entry.id,
        kind="no kernel" if isinstance(entry, MissingKernel) else "unjudged",
        because=texts(entry.because),
        when=context.expression((*path, "when"), entry.when, "bool", "The guard", context.scope),
        products=in_order(entry.products or (), context.product_keys),
    )
