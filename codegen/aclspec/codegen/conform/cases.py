"""The calls of an operator: those that derivation found for its tests, and random ones by the tests' generator."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from aclspec.codegen.conform.calls import Piece, digest, text_of
from aclspec.codegen.conform.operators import find
from aclspec.codegen.source.atomic import atomic_write
from aclspec.codegen.source.folders import cache_folder, files_by_operator, find_specs, spec_texts
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.rules.operator_info import OperatorInfo
from aclspec.runtime.search.space import targets
from aclspec.runtime.testing.corpus import path_of, read
from aclspec.runtime.testing.suite import Suite

CALLS = 400
"""Calls of a piece at most: enough that a piece takes longer than its scheduling, few enough to be done in seconds."""
RANDOM = 200


def plan(
    names: Sequence[str], products: Sequence[str], random: int, seed: int, scale: int = 1, derived: bool = True
) -> Iterator[Piece]:
    """The pieces of a run, operator by operator; an empty list of products is every one that library mode knows."""
    specs = spec_digests()
    for name in names:
        operator = find(name)
        info = operator.info
        if not info.facts.has_rules:
            continue
        spec = specs.get(info.name) or digest(repr(info))
        chosen = [key for key in products_of(info) if not products or key in products]
        texts = derived_calls(operator) if derived else ()
        for product in chosen:
            for at in range(0, len(texts), CALLS):
                yield Piece(info.name, product, spec, "derived", seed, texts[at : at + CALLS])
            for at, start in enumerate(range(0, random, RANDOM)):
                own = int(digest(seed, at)[:8], 16)
                yield Piece(info.name, product, spec, "random", own, (), min(RANDOM, random - start), scale)


def products_of(info: OperatorInfo) -> tuple[str, ...]:
    """The products on which library mode asks the rules of an operator."""
    return tuple(one.product for one in targets(info) if one.mode == "library")


@lru_cache(maxsize=1)
def spec_digests() -> dict[str, str]:
    """The hash of the spec's text by C name, for the operators of the project."""
    root = find_specs()
    return {
        name: digest(*(text.decode(errors="replace") for text in spec_texts(root, file)))
        for name, file in files_by_operator(root).items()
    }


def derived_calls(operator: Operator) -> tuple[str, ...]:
    """The derived calls of an operator as texts, each once.

    They are those of its corpus where there is one beside its package; else they are derived, and cached.
    """
    suite = _suite(operator.module)
    return _cached(operator.info) if suite is None else _texts(suite)


def suite_of(operator: Operator) -> Suite:
    """The suite that random calls begin with."""
    return _suite(operator.module) or _derived(operator.name)


@lru_cache(maxsize=8)
def _derived(name: str) -> Suite:
    """The suite that derivation finds, which takes seconds; a process asks for it piece by piece."""
    from aclspec.codegen.derive import derive_cases  # most processes never need it: half of their start otherwise

    return derive_cases(find(name).info).suite


def _texts(suite: Suite) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text_of(suite.call(case)) for case in suite.cases))


@lru_cache(maxsize=8)
def _suite(module: str) -> Suite | None:
    """The suite of the corpus beside a package; None where there is none."""
    package, _, snake = module.rpartition(".")
    home = Path(str(sys.modules[package].__file__)).parents[package.count(".") + 1]
    file = path_of(home / "tests", snake)
    return read(file.read_text(encoding="utf-8"), find(snake).info).suite if file.is_file() else None


def _cached(info: OperatorInfo) -> tuple[str, ...]:
    """The calls that derivation finds, from the cache where it found them before."""
    folder = cache_folder("conform")
    path = None if folder is None else folder / f"{info.snake}-{digest(repr(info))[:32]}.json"
    with suppress(OSError, ValueError):
        if path is not None:
            return tuple(json.loads(path.read_bytes()))
    texts = _texts(_derived(info.name))
    if path is not None:
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            with atomic_write(path) as beside:
                beside.write_text(json.dumps(texts), encoding="utf-8")
    return texts
