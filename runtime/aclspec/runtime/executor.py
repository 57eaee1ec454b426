"""The executor between the two phases, with the life that it has in C."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from aclspec.runtime.errors import AclnnError
from aclspec.runtime.leaves import leaves
from aclspec.runtime.messages import record
from aclspec.runtime.status import Status

if TYPE_CHECKING:
    from aclspec.runtime.operator import Operator

ALIGNMENT = 512
LARGEST = 1 << 24
_SUCCESS = Status.ACLNN_SUCCESS
_ndarray = np.ndarray


class Checked(NamedTuple):
    """A call that passed the checks of phase one, without its values.

    ``run`` computes a call that has a plan, from its arrays and attributes in C order.
    """

    operator: Operator
    product: str
    effect: str | None
    backend: str
    exact: bool
    workspace_size: int
    run: Callable[[Sequence[Any]], None] | None = None


class Executor:
    """A checked call that waits for its second phase; treat it as an opaque handle.

    The second phase spends it, whether it succeeds or fails. After `set_repeatable` it lives until `destroy`.
    """

    __slots__ = ("_alive", "_repeatable", "call", "values")

    def __init__(self, call: Checked, values: Sequence[Any]) -> None:
        """The executor of a call with these values in C order: tensors and attributes, of a planned one arrays."""
        self.call = call
        self.values = values
        self._alive = True
        self._repeatable = False

    @property
    def operator(self) -> Operator:
        """The operator whose second phase takes it."""
        return self.call.operator

    @property
    def workspace_size(self) -> int:
        """The bytes of workspace that phase one asked for."""
        return self.call.workspace_size

    def at_once(self, operator: Operator, workspace: object, size: object, stream: object) -> Status | None:
        """The second phase of a call that has a plan and is given enough of NumPy's memory; None: not such a call."""
        compute = self.call.run
        if compute is None or type(size) is not int or not self.is_enough(operator, workspace, size):
            return None
        try:
            compute(self.values)
        except AclnnError as error:
            record(operator.name, str(error))
            return error.status
        finally:
            if not self._repeatable:
                self._alive, self.values = False, ()
        return _SUCCESS

    def is_enough(self, operator: Operator, workspace: object, size: int) -> bool:
        """Whether it is a live executor of an operator that is given enough of NumPy's memory."""
        return (
            self._alive
            and self.call.operator is operator
            and type(workspace) is _ndarray
            and self.call.workspace_size <= size <= workspace.nbytes
        )

    def plan(self, given: Sequence[Any]) -> Any:
        """What answers phase one to calls like this one, which was ``given`` these values; None: each goes its way."""
        if self.call.effect is not None:
            return None
        from aclspec.runtime.phase_plan import PhasePlan

        return PhasePlan(self, given)

    @property
    def is_alive(self) -> bool:
        """Whether a second phase may still take it."""
        return self._alive

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
        """What the second phase does to it, whatever comes of that phase."""
        if not self._repeatable:
            self._release()

    def _release(self) -> None:
        self._alive = False
        self.values = ()  # the caller's arrays are his alone again

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


def workspace_fault(executor: Executor, workspace: object, size: int) -> tuple[Status, str] | None:
    """What is wrong with the workspace of a second phase, as a status and a sentence."""
    if size > 0 and (workspace is None or (isinstance(workspace, int) and workspace == 0)):
        return Status.ACLNN_ERR_PARAM_NULLPTR, f"The workspace is null although workspaceSize ({size}) is not 0."
    if size < executor.workspace_size:
        return Status.ACLNN_ERR_PARAM_INVALID, (
            f"The workspaceSize ({size}) is less than the {executor.workspace_size} bytes that phase one asked for."
        )
    held = held_bytes(workspace)
    if held is not None and held < size:
        return Status.ACLNN_ERR_PARAM_INVALID, f"The workspace holds {held} bytes, less than workspaceSize ({size})."
    return None


def held_bytes(workspace: object) -> int | None:
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
