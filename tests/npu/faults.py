"""Every call of C that can fail is made to fail, once for each operator; run as a program, with ACLSPEC_STRICT=1.

Prints a JSON object: for each function, how many of its calls were made to fail.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from aclspec import ops
from aclspec.runtime import AclnnError, Status, Tensor, last_error
from aclspec.runtime.api.operator import Operator
from aclspec.runtime.npu import Context, DeviceArray, Stream, shutdown
from aclspec.runtime.npu.prototypes import Prototype
from aclspec.runtime.testing.data import example_argument

HARMLESS = {"aclGetRecentErrMsg"}
"""What the bridge can do without: a message of the library."""
_calls: Counter[str] = Counter()


def count_calls() -> None:
    """Count the calls of every C function from now on."""
    bind = Prototype.bind

    def counting(self: Prototype, library: Any) -> Any:
        function, name = bind(self, library), self.name

        def call(*arguments: Any) -> Any:
            _calls[name] += 1
            return function(*arguments)

        return call

    Prototype.bind = counting  # type: ignore[method-assign]


def inputs_of(operator: Operator) -> dict[str, Any]:
    """The inputs of the operator's first example."""
    return {name: example_argument(value) for name, value in operator.info.examples[0].inputs}


def on_device(value: Any) -> Any:
    """A tensor on the device; anything else is itself."""
    if isinstance(value, tuple):
        return tuple(map(on_device, value))
    return DeviceArray.from_host(value) if isinstance(value, Tensor) else value


def on_host(value: Any) -> Any:
    """The values of an output, wherever it is; of a list, end to end."""
    if isinstance(value, list | tuple):
        return np.concatenate([np.ravel(on_host(one)) for one in value])
    return None if value is None else value.to_host() if isinstance(value, DeviceArray) else np.asarray(value)


def blank(value: Any) -> Any:
    """Zeros like an output, or like each of a list."""
    if isinstance(value, list | tuple):
        return tuple(map(blank, value))
    return Tensor(data=np.zeros(value.shape, getattr(value.dtype, "numpy", value.dtype)))


def converted(operator: Operator) -> list[Any]:
    """The inputs of the operator's first example in C order, as its checks take them."""
    given = inputs_of(operator)
    values = [given.get(param.name) for param in operator.inputs]
    return [convert(value) for convert, value in zip(operator.converters, values, strict=True)]


def blanks(operator: Operator) -> list[Any]:
    """Zeros for each output of the operator's first example; None for one that is switched off."""
    given, inferred = inputs_of(operator), operator.inferred(converted(operator))
    like = [
        given.get(param.name) if one is None and param.is_input else one
        for param, one in zip(operator.outputs, inferred, strict=True)
    ]
    return [None if one is None else blank(one) for one in like]


def in_one_step(operator: Operator) -> list[Any]:
    """A call on arrays of the host."""
    return [on_host(value) for value in operator(**inputs_of(operator), backend="npu")]


def on_arrays_of_the_device(operator: Operator) -> list[Any]:
    """Calls on arrays of the device in a stream of their own, which nobody waits for."""
    given = {name: on_device(value) for name, value in inputs_of(operator).items()}
    stream = Stream()
    with stream:
        found = operator(**given, backend="npu")
        again = {name: on_device(value) for name, value in inputs_of(operator).items()}
        out = tuple(on_device(one) for one in blanks(operator))
        named = dict(zip((param.name for param in operator.outputs), out, strict=True))  # a tuple may be one list
        operator(**again, backend="npu", out=named)
    for first, second in zip(found, out, strict=True):
        if first is not None:
            written = np.ravel(on_host(first))  # fewer elements than out has where the data decides
            np.testing.assert_array_equal(written, np.ravel(on_host(second))[: written.size])
    values = [on_host(value) for value in out]
    stream.close()
    for value in (*given.values(), *again.values(), *found, *out):
        for one in value if isinstance(value, list | tuple) else (value,):
            if isinstance(one, DeviceArray):
                one.free()
    return values


def in_a_context(operator: Operator) -> list[Any]:
    """A call in a context of its own."""
    context = Context()
    with context:
        found = in_one_step(operator)
    context.close()
    return found


def in_two_phases(operator: Operator) -> list[Any]:
    """The two C functions, the second one twice; a status is raised as the error that it is."""
    values, outputs = converted(operator), blanks(operator)
    status, size, executor = operator.get_workspace_size(*operator.in_c_order(values, outputs), backend="npu")
    if executor is not None:
        status = executor.set_repeatable()
        for _ in range(2):
            status = status or operator.execute(np.empty(size, np.uint8), size, executor)
        status = executor.destroy() or status
    if status is not Status.ACLNN_SUCCESS:
        raise AclnnError(str(last_error()), status)
    return [None if one is None else on_host(one) for one in outputs]


def faults(function: str, calls: int, scenario: Callable[[], list[Any]], expected: list[Any]) -> None:
    """Make each of the first calls of a function fail, and the scenario with it.

    What the garbage collector frees can tell nobody: then the values are right, and at the end nothing has leaked.
    """
    frees = function.startswith(("aclDestroy", "aclrtDestroy", "aclrtFree"))
    for number in range(1, calls + 1):
        os.environ["ACLSPEC_FAULT"] = f"{function}:{number}"
        error, found = attempt(scenario)
        os.environ["ACLSPEC_FAULT"] = ""
        shutdown()
        if error is not None:
            check_told(error, function)
            continue
        assert frees or function in HARMLESS, f"{function}:{number} does not fail"
        for one, other in zip(expected, found, strict=True):
            np.testing.assert_array_equal(one, other)


def attempt(scenario: Callable[[], list[Any]]) -> tuple[AclnnError | None, list[Any]]:
    """What the scenario and the end of its session give: an error or values."""
    try:
        found = scenario()
        shutdown()
    except AclnnError as error:
        return error, []
    return None, found


def check_told(error: AclnnError, function: str) -> None:
    """The error names the function, the code and the library's own message."""
    text = str(error)
    assert function in text, text
    code = re.search(r"ACLSPEC_FAULT makes this call fail with (\d+)", text)
    assert code is not None, text
    assert int(error.status) == int(code[1]) or "null pointer" in text, text


def main(names: list[str], scenarios: list[str]) -> None:
    """Run the scenarios of the operators with every fault there can be."""
    count_calls()
    counts: Counter[str] = Counter()
    for name in names:
        operator = ops.get(name)
        for scenario in scenarios:
            run = partial(globals()[scenario], operator)
            _calls.clear()
            expected = run()
            shutdown()
            made = dict(_calls)
            for function, calls in made.items():
                faults(function, calls, run, expected)
                counts[function.replace(operator.name, "<operator>")] += calls
    print(json.dumps(counts))


if __name__ == "__main__":
    main(sys.argv[1].split(","), sys.argv[2].split(","))
