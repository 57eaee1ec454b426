"""Several operators derived at once, each in a process of its own; what they derive is kept for the run that asked."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

from aclspec.codegen.derive.cache import is_kept
from aclspec.codegen.derive.cases import derive_cases
from aclspec.runtime.info import OperatorInfo


def derive_ahead(infos: Iterable[OperatorInfo]) -> None:
    """Derive what is not kept yet, on all cores; without a place to keep it, or with one operator, do nothing."""
    missing = [info for info in infos if is_kept(info) is False]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if min(len(missing), cores) < 2:
        return
    context = multiprocessing.get_context("spawn")  # a fork would copy the threads of a progress bar
    with ProcessPoolExecutor(min(cores, len(missing)), mp_context=context) as pool:
        try:
            for done in as_completed([pool.submit(_derive, info) for info in missing]):
                done.result()
        except BrokenProcessPool:
            return  # no process to be had: the run derives one operator after the other


def _derive(info: OperatorInfo) -> None:
    derive_cases(info)
