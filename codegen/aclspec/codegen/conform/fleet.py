"""The pieces of a run on a Dask cluster: one worker process a device, each with a process that makes the calls.

What is submitted is keyed by the id of its piece, so that one that is asked twice runs once. A worker that is lost
takes its piece along; the scheduler gives that to another, and what comes too late or twice is left out here.
"""

from __future__ import annotations

import atexit
import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

import dask
from distributed import Client, SpecCluster, as_completed
from distributed.nanny import Nanny
from distributed.scheduler import KilledWorker, Scheduler
from distributed.security import Security

from aclspec.codegen.conform.calls import Piece, Settings
from aclspec.codegen.conform.process import Caller, Row
from aclspec.codegen.conform.run import work
from aclspec.codegen.conform.tls import SCHEMES, Tls

AHEAD = 4
"""Pieces that wait for each worker, so that none idles and the scheduler holds few."""
RETRIES = 100
"""How often a piece is given to another worker after one is lost."""
LOOPBACK = "127.0.0.1"
_SILENT = logging.CRITICAL
_INFORMATION: Any = {"dashboard": False, "dashboard_address": f"{LOOPBACK}:0"}
"""Each process also serves pages about itself, without a password, and by default to every network."""
VISIBLE = "ASCEND_RT_VISIBLE_DEVICES"
CONFIG = {
    "distributed.scheduler.allowed-failures": RETRIES,
    "distributed.admin.log-format": "%(name)s: %(message)s",
    "logging.distributed": "critical",
}
_callers: dict[Settings, Caller] = {}


def do(settings: Settings, piece: Piece) -> list[Row]:
    """The rows of a piece, on a worker; its process for calls stays for the next piece."""
    caller = _callers.get(settings)
    if caller is None:
        for other in _callers.values():
            other.close()
        _callers.clear()
        caller = _callers[settings] = Caller(settings)
        atexit.register(caller.close)
    return work(caller, piece)


class Fleet:
    """The workers of a cluster."""

    def __init__(self, client: Client) -> None:
        """The workers that this client reaches."""
        self.client = client

    def execute(self, settings: Settings, pieces: Iterable[Piece]) -> Iterator[tuple[Piece, list[Row] | Exception]]:
        """Do the pieces, a few for each worker at a time; the result of each once."""
        left = iter(pieces)
        waiting: dict[str, tuple[Piece, int, Any]] = {}
        finished = as_completed(loop=self.client.loop, with_results=True, raise_errors=False)

        def submit(piece: Piece, attempt: int = 0) -> None:
            key = f"conform-{piece.id(settings)}-{attempt}"
            future = self.client.submit(do, settings, piece, key=key, pure=True, retries=RETRIES)
            waiting[key] = piece, attempt, future
            finished.add(future)

        def fill() -> None:
            wanted = AHEAD * max(1, len(self.client.nthreads())) - len(waiting)
            for piece in islice(left, max(0, wanted)):
                submit(piece)

        fill()
        while waiting:
            future, result = next(finished)
            known = waiting.pop(future.key, None)
            if known is None:
                continue
            piece, attempt, _ = known
            if isinstance(result, list):  # the worker that did it may be lost by now, and the status with it
                yield piece, result
            elif isinstance(failure := _failure(result), KilledWorker) and attempt < RETRIES:
                submit(piece, attempt + 1)  # a scheduler elsewhere gives up after few lost workers
            else:
                yield piece, failure
            fill()


def _failure(result: Any) -> Exception:
    error = result[1] if isinstance(result, tuple) else result
    return error if isinstance(error, Exception) else RuntimeError(str(error))


@contextmanager
def fleet(address: str | None, workers: int, devices: bool = False, tls: Tls | None = None) -> Iterator[Fleet]:
    """The workers of a scheduler, or ``workers`` of this machine; ``devices``: each has a device of its own."""
    security = _security(tls, address)
    with dask.config.set(CONFIG):
        if address is not None:
            with Client(address, security=security, set_as_default=False) as client:
                yield Fleet(client)
            return
        with (
            _local(workers, devices, security) as cluster,
            Client(cluster, security=security, set_as_default=False) as client,
        ):
            yield Fleet(client)


def _security(tls: Tls | None, address: str | None) -> Security:
    """What dask.distributed is told: to encrypt and to check certificates, else what its own configuration says."""
    if tls is None:
        configured = Security()
        if address is not None and address.startswith(SCHEMES) and not configured.tls_ca_file:
            raise ValueError("certificates are missing, --tls-ca-file, --tls-cert and --tls-key")
        return configured
    files = {
        f"tls_{role}_{kind}": str(file)
        for role in ("client", "scheduler", "worker")
        for kind, file in (("cert", tls.cert), ("key", tls.key))
    }
    return Security(tls_ca_file=str(tls.ca_file), require_encryption=True, **files)


def _local(workers: int, devices: bool, security: Security) -> Any:
    """A cluster of processes that listens on this machine's loopback alone."""
    options = {"security": security, "host": LOOPBACK, **_INFORMATION}
    own = {**options, "nthreads": 1, "silence_logs": _SILENT}
    specs = {
        at: {"cls": Nanny, "options": {**own, "env": {VISIBLE: str(at)} if devices else {}}} for at in range(workers)
    }
    protocol = "tls://" if security.require_encryption else "tcp://"
    scheduler = {"cls": Scheduler, "options": {**options, "protocol": protocol}}
    return SpecCluster(workers=specs, scheduler=scheduler, name="conform", security=security, silence_logs=_SILENT)


def serve(address: str, device: int | None, tls: Tls | None = None) -> None:
    """Be a worker of a scheduler until it ends or this process is told to."""
    import asyncio

    async def run() -> None:
        env = {} if device is None else {VISIBLE: str(device)}
        async with Nanny(address, nthreads=1, env=env, security=_security(tls, address), **_INFORMATION) as nanny:
            await nanny.finished()

    with dask.config.set(CONFIG):
        asyncio.run(run())
