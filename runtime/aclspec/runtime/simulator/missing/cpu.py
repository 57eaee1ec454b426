"""A dispatch mode that repeats on the CPU what the device refuses for want of a kernel, and counts it."""

from __future__ import annotations

import atexit
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

from aclspec.runtime.abi.status import Status

_LACKING = {200001, int(Status.ACLNN_ERR_INNER_FIND_KERNEL_ERROR)}
_NAME = re.compile(r"call (\w+) failed")
_CODE = re.compile(r"error code is (\d+)")
counts: Counter[tuple[str, str]] = Counter()
"""How often each operator, with the function of PyTorch that calls it, was computed on the CPU."""


def missing(error: RuntimeError) -> str | None:
    """The operator whose absence refused a call; None for another error."""
    text = str(error)
    name, code = _NAME.search(text), _CODE.search(text)
    return name[1] if name and code and int(code[1]) in _LACKING else None


def dispatch(mode: Any, func: Any, types: Sequence[type], args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
    """Call a function of PyTorch, and where an operator is lacking, repeat it on copies in host memory."""
    given = dict(kwargs or {})
    try:
        return func(*args, **given)
    except RuntimeError as error:
        name = missing(error)
        if name is None:
            raise
        try:
            result = repeat(func, args, given)
        except (RuntimeError, NotImplementedError) as second:
            raise error from second
    counts[name, str(func)] += 1
    return result


def repeat(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function of PyTorch on copies in host memory; what it mutates is written back."""
    copies: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
    devices: set[torch.device] = set()

    def to_host(value: Any) -> Any:
        if isinstance(value, torch.device) and value.type != "cpu":
            devices.add(value)
            return torch.device("cpu")
        if not isinstance(value, torch.Tensor) or value.device.type == "cpu":
            return value
        devices.add(value.device)
        if id(value) not in copies:
            copies[id(value)] = (value, value.detach().cpu())
        return copies[id(value)][1]

    host_args, host_kwargs = tree_map(to_host, args), tree_map(to_host, kwargs)
    result = func(*host_args, **host_kwargs)
    originals = {id(copy): original for original, copy in copies.values()}
    for argument in mutated(func, args, kwargs):
        for tensor in argument if isinstance(argument, list | tuple) else [argument]:
            if id(tensor) in copies:
                original, copy = copies[id(tensor)]
                if original.shape != copy.shape:
                    original.resize_(copy.shape)
                original.copy_(copy)
    device = next(iter(devices), torch.device("cpu"))

    def to_device(value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        return originals[id(value)] if id(value) in originals else value.to(device)

    return tree_map(to_device, result)


def mutated(func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Iterator[Any]:
    """The arguments that a function of PyTorch writes to, as its schema says."""
    for at, argument in enumerate(func._schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            value = args[at] if at < len(args) else kwargs.get(argument.name)
            if value is not None:
                yield value


def report() -> None:
    """List what was computed on the CPU, the most frequent first."""
    if not counts:
        return
    sys.stdout.flush()
    total = sum(counts.values())
    print(f"aclspec: PyTorch computed {total} calls on the CPU, for want of these operators:", file=sys.stderr)
    for (name, func), count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        print(f"  {count:6d}  {name}  ({func})", file=sys.stderr)


def start() -> None:
    """Watch all calls of this thread, and those of its backward passes, until the program ends."""
    base: Any = TorchDispatchMode
    type("OnCpu", (base,), {"__torch_dispatch__": dispatch})().__enter__()
    atexit.register(report)
