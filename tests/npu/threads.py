"""Threads that call through the bridge for some seconds, in every way, each operator that the default product computes.

Prints a JSON object: the calls that were made and the threads that made them.
"""

from __future__ import annotations

import json
import random
import sys
import threading
import time
from functools import partial
from typing import Any

import numpy as np

from aclspec import ops
from aclspec.runtime.abi._product_table import DEFAULT
from aclspec.runtime.npu import shutdown
from tests.npu.faults import in_a_context, in_one_step, in_two_phases, on_arrays_of_the_device
from tests.support.operators import computed

WAYS = (in_one_step, in_two_phases, on_arrays_of_the_device, in_a_context)
THREADS = 8


def main(seconds: float) -> None:
    """Run the threads; an exception or a wrong value in any of them ends the process with it."""
    documented = (ops.get(name) for name in computed())
    operators = [operator for operator in documented if DEFAULT in dict(operator.info.products)]
    calls: list[tuple[Any, list[Any]]] = [
        (partial(way, operator), way(operator)) for operator in operators for way in WAYS
    ]
    made = [0] * THREADS
    failures: list[BaseException] = []
    until = time.monotonic() + seconds

    def work(at: int) -> None:
        choice = random.Random(at)
        try:
            while time.monotonic() < until and not failures:
                call, expected = choice.choice(calls)
                for one, other in zip(expected, call(), strict=True):
                    np.testing.assert_array_equal(one, other)
                made[at] += 1
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(at,)) for at in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    shutdown()
    print(json.dumps({"calls": sum(made), "threads": sum(bool(count) for count in made)}))


if __name__ == "__main__":
    main(float(sys.argv[1]))
