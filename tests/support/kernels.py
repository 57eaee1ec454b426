"""The kernels that backends compute with."""

from __future__ import annotations

from aclspec.runtime.execution.backends import resolve_backend
from aclspec.runtime.execution.compute import Kernel
from aclspec.runtime.rules.operator_table import OperatorTable


def kernel_of(operator: OperatorTable, backend: str) -> Kernel:
    """The kernel by which a backend computes an operator; ValueError when it has none."""
    return resolve_backend(backend).kernel(operator)
