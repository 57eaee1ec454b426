"""Backends: who computes a checked call. ``numpy`` is always there; another one is registered under its name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from aclspec.runtime.abi.environment import Variable, is_exact
from aclspec.runtime.abi.products import resolve_product
from aclspec.runtime.execution.compute import (
    Kernel,
    Lengths,
    checked_lengths,
    require_data,
    require_shapes,
    reserve_doubles,
    run,
    run_exactly,
    write_zeros,
)
from aclspec.runtime.execution.elements import require_elements
from aclspec.runtime.execution.executor import Executor, workspace_size
from aclspec.runtime.execution.outputs import Outputs
from aclspec.runtime.rules.levels import no_kernel_error
from aclspec.runtime.torch_kernels.choice import kernel_in_use

if TYPE_CHECKING:
    from aclspec.runtime.abi.parameters import Param
    from aclspec.runtime.rules.operator_table import OperatorTable

FindKernel: TypeAlias = Callable[[Any], Kernel]
"""Takes an operator and finds its kernel; raises LookupError when it has none."""

ENVIRONMENT = Variable("ACLSPEC_BACKEND")
DEFAULT = "numpy"
NPU = "npu"
KERNELS = "aclspec.runtime.kernels"


class Backend:
    """Computes calls on the host, with a kernel for each operator; a subclass computes them elsewhere."""

    def __init__(self, name: str, find: FindKernel) -> None:
        """The backend of this name, whose kernels ``find`` finds."""
        self.name = name
        self._find = find

    def kernel(self, operator: OperatorTable) -> Kernel:
        """The kernel by which it computes an operator; ValueError when it has none."""
        try:
            return self._find(operator)
        except LookupError as error:
            raise ValueError(f"The backend {self.name} has no kernel for {operator.name}: {error}") from error

    def checks_first(self, operator: OperatorTable) -> bool:
        """Whether the project's checks decide before anything is computed."""
        return True

    def require_kernel(self, operator: OperatorTable) -> None:
        """Refuse to compute where it is known that nothing can, before anything is allocated."""
        if not operator.has_kernel:
            self.kernel(operator)

    def product(self, asked: str | None) -> str:
        """The product that a call means."""
        return resolve_product(asked)

    def is_exact(self, compute: str | None) -> bool:
        """Whether a call asks for the exact answer."""
        return is_exact(compute)

    def outputs(self, operator: OperatorTable, values: Sequence[Any], out: object) -> Outputs:
        """The outputs of a call with these converted inputs."""
        return Outputs(operator, values, out)

    def require_data(self, params: Sequence[Param], values: Sequence[Any], function: str) -> None:
        """Refuse to compute with a tensor that has no data."""
        require_data(params, values, function)

    def run(
        self,
        operator: OperatorTable,
        product: str,
        values: Sequence[Any],
        effect: str | None = None,
        exact: bool = False,
        fresh: bool = False,
    ) -> Lengths:
        """Compute a checked call of these values in C order; `compute.run` explains ``fresh``."""
        if effect is not None:
            return None
        kernel = self.kernel(operator)
        if operator.bounded:
            require_elements(operator, product, values)
        precision = operator.precision(product, *values) if operator.has_kernel else {}
        if exact:
            reserve_doubles(values, operator.name)
        lengths = (run_exactly if exact else run)(kernel, operator.params, values, precision, fresh)
        return None if lengths is None else checked_lengths(operator.params, lengths, operator.name)

    def executor(
        self,
        operator: OperatorTable,
        product: str,
        given: Sequence[Any],
        used: Sequence[Any],
        effect: str | None,
        exact: bool,
    ) -> Executor:
        """The executor of a call that passed phase one; ``used`` has None for outputs that are switched off."""
        size = 0 if effect is not None else workspace_size(used)
        return Executor(operator, used, size, partial(self.execute, operator, product, effect, exact))

    def execute(
        self, operator: OperatorTable, product: str, effect: str | None, exact: bool, values: Sequence[Any]
    ) -> Lengths:
        """Phase two of a call: write its outputs; AclnnError where that is not possible."""
        if effect == "zeros":
            write_zeros(operator.params, values, operator.name)
        if effect is not None:
            return None
        self.require_kernel(operator)
        self.require_data(operator.params, values, operator.name)
        require_shapes(values, operator.name)
        return self.run(operator, product, values, None, exact)


def _numpy(operator: OperatorTable) -> Kernel:
    """The kernel of `aclspec.runtime.kernels`, of PyTorch, or of another package."""
    if not operator.has_kernel:
        raise no_kernel_error(operator.name, operator.name)
    if operator.numpy_kernel is None:
        module, _, function = operator.kernel.partition(":")
        if "." in module:
            operator.numpy_kernel = _foreign(operator, module, function)
        else:
            operator.numpy_kernel = getattr(import_module(f"{KERNELS}.{module}"), function)
    return kernel_in_use(operator.kernel, operator.numpy_kernel)


def _foreign(operator: OperatorTable, module: str, function: str) -> Kernel:
    """The kernel of another package; LookupError says what is wrong with it."""
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
    except ValueError:  # a function of C has no signature
        return kernel
    return kernel


_backends: dict[str, Callable[[], Backend]] = {}


def provide_backend(name: str, load: Callable[[], Backend]) -> None:
    """Make a backend of the project known; it is loaded when it is first used."""
    _backends[name] = load


def register_backend(name: object, backend: FindKernel) -> None:
    """Make a backend callable under a name; the name of an earlier one is taken over, but never ours."""
    if not isinstance(name, str) or not name:
        raise TypeError(f"The name of a backend ({name!r}) is not a non-empty string.")
    if not callable(backend):
        raise TypeError(f"The backend {name} ({backend!r}) is not a callable that finds the kernel of an operator.")
    if name in (DEFAULT, NPU):
        raise ValueError(f"The backend {name} cannot be replaced.")
    _register(name, backend)


def _register(name: str, find: FindKernel) -> None:
    made = Backend(name, find)
    provide_backend(name, lambda: made)


_register(DEFAULT, _numpy)


def resolve_backend(name: object) -> Backend:
    """The backend that a call means: the argument, else ACLSPEC_BACKEND, else ``numpy``."""
    noun = "backend"
    if name is None:
        name = ENVIRONMENT.read()
        if name is None:
            return _backends[DEFAULT]()
        noun = str(ENVIRONMENT)
    if not isinstance(name, str):
        raise TypeError(f"The value of {noun} ({name!r}) is not the name of a backend, which is a string.")
    if name not in _backends:
        from aclspec.runtime.abi.suggest import did_you_mean

        raise ValueError(
            f"The value of {noun} ({name}) is not a backend{did_you_mean(name, _backends)}; "
            f"the backends are {', '.join(_backends)}."
        )
    return _backends[name]()
