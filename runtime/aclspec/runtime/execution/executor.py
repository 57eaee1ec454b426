"""The executor between the two phases, with the life that it has in C."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from aclspec.runtime.abi.errors import AclnnError, record, while_calling
from aclspec.runtime.abi.status import Status
from aclspec.runtime.execution.compute import Lengths
from aclspec.runtime.tensors.tensor import leaves

if TYPE_CHECKING:
    from aclspec.runtime.rules.operator_table import OperatorTable

ALIGNMENT = 512
LARGEST = 1 << 24


class Executor:
    """A checked call that waits for its second phase; treat it as an opaque handle.

    The second phase spends it, whether it succeeds or fails. After `set_repeatable` it lives until `destroy`.
    ``lengths`` is what the last second phase found: how long the first axis is of each output whose shape depends on
    the data, in C order; None where there is none, or a shortcut ended the call.
    """

    __slots__ = ("_alive", "_compute", "_repeatable", "lengths", "operator", "values", "workspace_size")

    def __init__(
        self, operator: OperatorTable, values: Sequence[Any], size: int, compute: Callable[[Sequence[Any]], Lengths]
    ) -> None:
        """The executor of a call with these values in C order, and the bytes of workspace that it asks for."""
        self.operator = operator
        self.values = values
        self.workspace_size = size
        self.lengths: Lengths = None
        self._compute = compute
        self._alive = True
        self._repeatable = False

    @property
    def is_alive(self) -> bool:
        """Whether a second phase may still take it."""
        return self._alive

    def run(self, workspace: object, size: int, stream: object) -> None:
        """The second phase; AclnnError where it is refused."""
        self.check_workspace(workspace, size)
        self.lengths = self._compute(self.values)

    def check_workspace(self, workspace: object, size: int) -> None:
        """AclnnError for a workspace that is not what phase one asked for; TypeError for what is none."""
        status = Status.ACLNN_ERR_PARAM_INVALID
        if size > 0 and (workspace is None or (isinstance(workspace, int) and workspace == 0)):
            status = Status.ACLNN_ERR_PARAM_NULLPTR
            sentence = f"The workspace is null although workspaceSize ({size}) is not 0."
        elif size < self.workspace_size:
            wanted = self.workspace_size
            sentence = f"The workspaceSize ({size}) is less than the {wanted} bytes that phase one asked for."
        elif (held := workspace_bytes(workspace)) is not None and held < size:
            sentence = f"The workspace holds {held} bytes, less than workspaceSize ({size})."
        else:
            return
        raise AclnnError(while_calling(sentence, self.operator.name), status)

    def set_repeatable(self) -> Status:
        """As aclSetAclOpExecutorRepeatable: from now on the second phase does not spend it."""
        if not self._alive:
            return _gone("aclSetAclOpExecutorRepeatable")
        self._repeatable = True
        return Status.ACLNN_SUCCESS

    def destroy(self) -> Status:
        """As aclDestroyAclOpExecutor: the end of a repeatable executor, or of one that nobody executed."""
        if not self._alive:
            return _gone("aclDestroyAclOpExecutor")
        self._release()
        return Status.ACLNN_SUCCESS

    def spend(self) -> None:
        """End it after a second phase, unless it is repeatable."""
        if not self._repeatable:
            self._release()

    def _release(self) -> None:
        self._alive = False
        self.values = ()  # drop the caller's arrays

    def __repr__(self) -> str:
        """The operator, and whether the executor is alive."""
        state = "repeatable" if self._repeatable else "ready"
        return f"<executor of {self.operator.name}, {state if self._alive else 'spent'}>"


def workspace_size(values: Sequence[Any]) -> int:
    """The scratch memory to ask for: as much as the tensors take, within limits, in whole lines of memory.

    # Note: no document gives a number; all that a caller may rely on is that the size is not 0 unless a shortcut ends
    the call.
    """
    total = sum(tensor.nbytes for value in values for tensor in leaves(value))
    lines = -(-min(max(total, 1), LARGEST) // ALIGNMENT)
    return lines * ALIGNMENT


def workspace_bytes(workspace: object) -> int | None:
    """The bytes of a workspace, None for an address; TypeError for what is neither."""
    if workspace is None or (isinstance(workspace, int) and not isinstance(workspace, bool)):
        return None
    held = getattr(workspace, "nbytes", None)
    if isinstance(held, int):
        return held
    try:
        return memoryview(workspace).nbytes  # type: ignore[arg-type]  # what has no buffer is refused below
    except TypeError:
        raise TypeError(
            f"The value of workspace (of type {type(workspace).__name__}) is neither memory, such as a NumPy array of "
            "bytes, nor an address, nor None."
        ) from None


def _gone(function: str) -> Status:
    record(function, "The executor is spent or destroyed.")
    return Status.ACLNN_ERR_INNER_NULLPTR
