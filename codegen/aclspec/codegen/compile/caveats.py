"""What a spec says beside its rules: calls that it cannot judge, that have no kernel, that some versions refuse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from aclspec.codegen.compile.context import SUCCESS, Context, Path, in_order, known_products, texts
from aclspec.codegen.spec.caveats import Caveat, MissingKernel, Versions
from aclspec.runtime.abi.status import Status
from aclspec.runtime.rules.operator_info import CaveatInfo, CaveatKind

KINDS: Final[Mapping[str, CaveatKind]] = {"versions": "version", "kernels": "no kernel", "unjudged": "unjudged"}
"""The kind of the caveats of each section."""


def compile_caveats(context: Context) -> tuple[CaveatInfo, ...]:
    """The caveats, in the order in which they decide."""
    spec = context.spec
    groups: tuple[tuple[str, tuple[Caveat, ...]], ...]
    groups = (("versions", spec.versions), ("kernels", spec.kernels), ("unjudged", spec.unjudged))
    return tuple(caveat for group, entries in groups for caveat in _each(context, group, entries))


def _each(context: Context, group: str, entries: tuple[Caveat, ...]) -> Iterator[CaveatInfo]:
    for index, entry in enumerate(entries):
        path: Path = (group, index)
        known_products(context, (*path, "products"), entry.products or ())
        if entry.when is None and entry.products is None and not isinstance(entry, Versions):
            text = f"An entry of {group} ({entry.id}) is about every call; expected when or products."
            context.report(path, "missing-key", text)
        if isinstance(entry, Versions):
            _check_versions(context, path, entry)
        status = source = ""
        if isinstance(entry, MissingKernel | Versions):
            statuses = [name for name in Status.__members__ if name != SUCCESS]
            status, source = entry.status or "", entry.source
            if status:
                context.is_known((*path, "status"), "status", status, statuses)
        yield CaveatInfo(
            id=entry.id,
            kind=KINDS[group],
            because=texts(entry.because),
            when=context.expression((*path, "when"), entry.when, "bool", "The guard", context.scope),
            products=in_order(entry.products or (), context.product_keys),
            rules=entry.rules,
            modes=entry.conformance,
            status=status,
            source=source,
            since=(isinstance(entry, Versions) and entry.since) or "",
            until=(isinstance(entry, Versions) and entry.until) or "",
        )


def _check_versions(context: Context, path: Path, entry: Versions) -> None:
    """It has a bound, and names the rules of newer versions where that is the upper one."""
    what = f"An entry of versions ({entry.id})"
    if entry.since is None and entry.until is None:
        context.report(path, "missing-key", f"{what} names no version; expected since or until.")
    if entry.until is not None and not entry.rules:
        text = f"{what} has until; expected rules, those that refuse the calls from then on."
        context.report(path, "missing-key", text)
