"""This side of the process that makes calls: a piece goes in, rows come out, and a dead process is replaced."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any, TypeAlias

from aclspec.codegen.conform.calls import Piece, Settings
from aclspec.codegen.conform.judge import SKIPPED, Answer, Planned

Row: TypeAlias = dict[str, Any]
_GRACE = 30.0
"""Seconds beyond the limit of a call after which its process is taken for stuck, and killed from outside."""
_STARTING = 300.0
ENDS = 8
"""After this number of calls of one piece that end their process the others are left out: each may take a minute."""


class Ended(Exception):
    """The process has ended, and how."""

    def __init__(self, outcome: str, detail: str) -> None:
        """``crash`` or ``hang``, and a sentence."""
        super().__init__(detail)
        self.outcome, self.detail = outcome, detail


class Caller:
    """Calls in a process of their own, which is started anew after it ends."""

    def __init__(self, settings: Settings) -> None:
        """Nothing is started before the first piece."""
        self.settings = settings
        self._process: subprocess.Popen[bytes] | None = None

    def rows(self, piece: Piece) -> list[Row]:
        """A row for each call of a piece, in order; one that ends the process has a row that says so."""
        key, left, found, ends = piece.id(self.settings), piece, list[Row](), 0
        while True:
            planned, done = self._ask(left), 0
            try:
                for one in planned:
                    answer: Answer = self._receive(self.settings.timeout)
                    if answer.outcome == "leak":
                        self.close()
                        raise Ended("leak", answer.detail)
                    found.append(row_of(key, left, one, answer))
                    done += 1
                self._receive(_GRACE)
            except Ended as end:
                if done < len(planned):
                    found.append(row_of(key, left, planned[done], Answer(end.outcome, None, end.detail)))
                    ends += 1
                rest = planned[done + 1 :]
                if ends == ENDS:
                    why = Answer(SKIPPED, None, f"{ends} calls of the same operator have ended their process")
                    found += [row_of(key, left, one, why) for one in rest]
                elif rest:
                    left = replace(piece, calls=tuple(one.text for one in rest), random=0)
                    continue
            return found

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._send_end.close()
            self._receive_end.close()
            self._process.kill()
            self._process.wait()
            self._errors.close()
            self._process = None

    def _ask(self, piece: Piece) -> list[Planned]:
        """Send a piece to the process; its planned calls come back before any of them is made."""
        for attempt in range(3):
            try:
                self._start()
                self._send_end.send(piece)
                found: list[Planned] = self._receive(_STARTING)
                return found
            except (Ended, OSError) as error:
                self.close()
                if attempt == 2:
                    raise RuntimeError(
                        f"No process for the calls of {piece.operator} can be started: {error}"
                    ) from error
        raise AssertionError

    def _start(self) -> None:
        if self._process is not None and self._process.poll() is None:
            return
        self.close()
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the process
        command = [sys.executable, "-m", "aclspec.codegen.conform.child", str(theirs_in), str(theirs_out)]
        self._process = subprocess.Popen(
            command,
            env=_environment(self.settings),
            pass_fds=(theirs_in, theirs_out),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
            start_new_session=True,  # Ctrl-C is this side's to handle
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._send_end, self._receive_end = Connection(ours_out, readable=False), Connection(ours_in, writable=False)
        self._send_end.send(self.settings)
        self._receive(_STARTING)

    def _receive(self, seconds: float) -> Any:
        """What the process sends next; `Ended` where it has ended or is stuck."""
        try:
            if self._receive_end.poll(seconds + _GRACE):
                return self._receive_end.recv()
            ended = Ended("hang", f"The call has not come back within {seconds:g} s.")
        except (EOFError, OSError):
            ended = self._ended(seconds)
        self.close()
        raise ended

    def _ended(self, seconds: float) -> Ended:
        assert self._process is not None
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE)
        code = self._process.returncode
        if code == -signal.SIGALRM:
            return Ended("hang", f"The call has not come back within {seconds:g} s.")
        how = f"is ended by {signal.Signals(-code).name}" if code is not None and code < 0 else f"exits with {code}"
        self._errors.seek(0)
        said = self._errors.read()[-400:].decode(errors="replace").strip().rpartition("\n")[2]
        return Ended("crash", f"The process {how}{f': {said}' if said else '.'}")


def _environment(settings: Settings) -> dict[str, str]:
    """The variables of the process: the library's answers alone, in library mode, from the root that is meant."""
    kept = {name: value for name, value in os.environ.items() if name not in ("ACLSPEC_PRODUCT", "ACLSPEC_SOC")}
    own = {"ACLSPEC_NPU_CHECKS": "off", "ACLSPEC_CONFORMANCE": "library", "OMP_NUM_THREADS": "1"}
    own["OPENBLAS_NUM_THREADS"] = "1"
    if settings.root is not None:
        own |= dict.fromkeys(("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME", "ASCEND_CUSTOM_PATH"), settings.root)
    return kept | own | {"ACLSPEC_KERNELS": settings.kernels} | dict(settings.environment)


def row_of(key: str, piece: Piece, planned: Planned, answer: Answer) -> Row:
    """The row of a call."""
    return {
        "id": planned.id,
        "piece": key,
        "operator": piece.operator,
        "product": piece.product,
        "spec": piece.spec,
        "origin": piece.origin,
        "seed": piece.seed,
        "call": planned.text,
        "size": float(planned.size),  # beyond 2**53 the column holds no integer
        "rule": planned.rule,
        "expected": planned.expected,
        "actual": answer.actual,
        "outcome": answer.outcome,
        "detail": answer.detail[:2000],
        "compared": answer.measured.elements,
        "worst_ulp": answer.measured.worst,
        "ulp": list(answer.measured.histogram),
        "seconds": answer.seconds,
        "worker": _WORKER,
    }


_WORKER = f"{os.uname().nodename}:{os.getpid()}"
