"""Backends: who computes. ``numpy`` is always there; another one is registered under its name.

``npu`` is no set of kernels: it takes the whole call to the CANN library (`aclspec.runtime.npu`).
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from aclspec.runtime.environment import Variable
from aclspec.runtime.native.kernel import with_compiled

if TYPE_CHECKING:
    from aclspec.runtime.operator import Operator

Kernel: TypeAlias = Callable[..., None]
"""Takes all parameters in C order (arrays, attributes, None), the roles and the settings; writes the outputs."""
Backend: TypeAlias = "Callable[[Operator], Kernel]"
"""Finds the kernel of an operator; raises LookupError when it has none."""

ENVIRONMENT = Variable("ACLSPEC_BACKEND")
NPU_CHECKS = Variable("ACLSPEC_NPU_CHECKS")
"""Whether the project's checks run before those of the library: ``on`` or ``off``."""
DEFAULT = "numpy"
NPU = "npu"
KERNELS = "aclspec.runtime.kernels"


def _numpy(operator: Operator) -> Kernel:
    module, _, function = operator.kernel.partition(":")
    if "." not in module:
        return with_compiled(getattr(import_module(f"{KERNELS}.{module}"), function), module, function)
    return _foreign(operator, module, function)


def _foreign(operator: Operator, module: str, function: str) -> Kernel:
    """The kernel of another package, about which nothing is known; LookupError says what is wrong with it."""
    from inspect import signature

    try:
        kernel: Kernel = getattr(import_module(module), function)
    except (ImportError, AttributeError, SyntaxError) as error:
        raise LookupError(f"{operator.kernel} cannot be loaded ({error}).") from error
    if not callable(kernel):
        raise LookupError(f"{operator.kernel} is not a function ({kernel!r}).")
    wanted = [*(param.name for param in operator.params), "precision"]
    try:
        signature(kernel).bind(*wanted)
    except TypeError as error:
        raise LookupError(f"{operator.kernel} does not take ({', '.join(wanted)}): {error}.") from error
    except ValueError:  # a function of C says nothing of what it takes
        return kernel
    return kernel


def _npu(operator: Operator) -> Kernel:
    raise LookupError("the device computes whole calls.")


_backends: dict[str, Any] = {DEFAULT: _numpy, NPU: _npu}


def register_backend(name: object, backend: Backend) -> None:
    """Make a backend callable under a name; the name of an earlier one is taken over, but never ours."""
    if not isinstance(name, str) or not name:
        raise TypeError(f"The name of a backend ({name!r}) is not a non-empty string.")
    if not callable(backend):
        raise TypeError(f"The backend {name} ({backend!r}) is not a callable that finds the kernel of an operator.")
    if name in (DEFAULT, NPU):
        raise ValueError(f"The backend {name} cannot be replaced.")
    _backends[name] = backend


def backend_names() -> tuple[str, ...]:
    """The registered backends."""
    return tuple(_backends)


def resolve_backend(name: object) -> str:
    """The backend that a call means: the argument, else ACLSPEC_BACKEND, else ``numpy``."""
    noun = "backend"
    if name is None:
        name = ENVIRONMENT.read()
        if name is None:
            return DEFAULT
        noun = str(ENVIRONMENT)
    if not isinstance(name, str):
        raise TypeError(f"The value of {noun} ({name!r}) is not the name of a backend, which is a string.")
    if name not in _backends:
        from aclspec.runtime.suggest import did_you_mean

        raise ValueError(
            f"The value of {noun} ({name}) is not a backend{did_you_mean(name, _backends)}; "
            f"the backends are {', '.join(_backends)}."
        )
    return name


def kernel_of(operator: Operator, backend: str) -> Kernel:
    """The kernel by which a backend computes an operator; ValueError when it has none."""
    try:
        kernel: Kernel = _backends[backend](operator)
    except LookupError as error:
        raise ValueError(f"The backend {backend} has no kernel for {operator.name}: {error}") from error
    return kernel
