"""The backend ``npu``: calls that our checks and the library's let through, computed on the device."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from aclspec.runtime.abi.environment import Variable, is_exact
from aclspec.runtime.abi.errors import AclnnError, ParamTypeError, record
from aclspec.runtime.abi.products import ENVIRONMENT, product_of, resolve_product
from aclspec.runtime.abi.status import Status
from aclspec.runtime.execution.backends import NPU, Backend
from aclspec.runtime.execution.compute import Kernel, Lengths, allocate, require_data, reserve
from aclspec.runtime.execution.executor import Executor, workspace_bytes
from aclspec.runtime.execution.outputs import Outputs, share_memory, written_part
from aclspec.runtime.npu.arrays import DeviceArray, Memory
from aclspec.runtime.npu.launch import Launch, flattened
from aclspec.runtime.npu.session import Session, session
from aclspec.runtime.npu.streams import Stream, current_stream, default_stream
from aclspec.runtime.tensors.layout import contiguous_strides
from aclspec.runtime.tensors.tensor import Tensor, each_leaf, leaves, provide

if TYPE_CHECKING:
    from aclspec.runtime.abi.parameters import Param
    from aclspec.runtime.rules.operator_table import OperatorTable


class DeviceExecutor(Executor):
    """The library's executor of a call that it accepted, with the buffers of the host's tensors."""

    __slots__ = ("checks_first", "launch")

    def __init__(
        self, values: Sequence[Any], launch: Launch, check: Callable[[Sequence[Any]], None], checks_first: bool
    ) -> None:
        """The executor behind ``launch``; ``check`` refuses values that cannot be computed with."""
        super().__init__(launch.operator, values, launch.size, check)
        self.launch = launch
        self.checks_first = checks_first

    @property
    def is_alive(self) -> bool:
        """Whether a second phase may still take it, which the end of the session rules out."""
        return self._alive and self.launch.session.is_open

    def run(self, workspace: object, size: int, stream: object) -> None:
        """Phase two, and the values of the host's tensors there and back; AclnnError where it is refused."""
        launch = self.launch
        launch.session.enter()
        if self.checks_first:
            self.check_workspace(workspace, size)
        if stream is not None and not isinstance(stream, Stream):
            text = f"The value of stream (of type {type(stream).__name__}) is neither a Stream nor None."
            raise ParamTypeError(text, None, self.operator.name)
        self._compute(self.values)
        queue = default_stream(launch.session) if stream is None else stream
        with queue.lock:
            try:
                address = self._address(workspace, size)
                can_go_on = launch.workspace is None and launch.is_resident and not self.operator.data_dependent
                goes_on = stream is not None and can_go_on
                launch.run(queue, address, size, goes_on)
                self.lengths = launch.lengths()
            except BaseException:
                queue.settle_again()  # nothing is freed under work that goes on
                raise
            if goes_on and not self._repeatable:
                self._alive = False
                self.values = ()
                queue.close_later(launch)

    def _address(self, workspace: object, size: int) -> int | None:
        """Where the workspace is on the device; memory of the host only says how many bytes there are to be."""
        if workspace is None or isinstance(workspace, int):
            return workspace
        if isinstance(workspace, DeviceArray):
            return workspace.address
        if isinstance(workspace, Memory):
            return workspace.handle
        if not isinstance(workspace, np.ndarray):
            workspace_bytes(workspace)
        return self.launch.scratch(size)

    def set_repeatable(self) -> Status:
        """As aclSetAclOpExecutorRepeatable, which refuses some calls."""
        status = super().set_repeatable()
        if status is Status.ACLNN_SUCCESS and not self.launch.is_repeatable:
            code = self.launch.make_repeatable()
            if code:
                self._repeatable = False
                name = "aclSetAclOpExecutorRepeatable"
                record(name, str(self.launch.session.libraries.failed(name, code)))
            return Status(code)
        return status

    def destroy(self) -> Status:
        """As aclDestroyAclOpExecutor."""
        try:
            return super().destroy()
        except AclnnError as error:
            record("aclDestroyAclOpExecutor", str(error))
            return error.status

    def spend(self) -> None:
        """End it after a second phase, unless it is repeatable; a failure is recorded."""
        try:
            super().spend()
        except AclnnError as error:
            record(self.operator.name, str(error))

    def _release(self) -> None:
        if self._alive:
            super()._release()
            self.launch.close()


def _of_host(tensor: Any) -> Any:
    """A tensor of the host; None for one on the device."""
    return None if isinstance(tensor, DeviceArray) else tensor


class DeviceOutputs(Outputs):
    """The outputs of one call, new ones on the device if any input is there.

    ``moved`` are those that overlap an input: each is computed in a copy, which then replaces it.
    """

    __slots__ = ("_blank", "_moved", "_resident")

    def __init__(self, operator: OperatorTable, values: Sequence[Any], out: object, blank: bool) -> None:
        """The outputs of a call with these converted inputs; ``blank``: any new one may stay unwritten."""
        super().__init__(operator, values, out)
        self._blank = blank
        self._resident = [one for value in values for one in leaves(value) if isinstance(one, DeviceArray)]
        self._moved: list[tuple[DeviceArray, DeviceArray]] = []

    def require_data(self) -> None:
        """Refuse a given output that has no data, on the host or on the device."""
        written = [None if one is None else each_leaf(_of_host, one) for one in self.written()]
        require_data(self.operator.outputs, written, self.operator.name)

    def targets(self, effect: str | None) -> list[Any]:
        """The tensors that the library writes; new ones hold zeros where it may leave some unwritten."""
        if self.given:
            self.check_given(effect)
        sources = dict(self.sources()) if self.operator.in_place else {}
        chosen: list[Any] = []
        for at, (param, mine) in enumerate(zip(self.operator.outputs, self.inferred, strict=True)):
            own = self.given[at] if self.given else None
            if mine is None:  # switched off
                chosen.append(None)
            elif sources.get(at) is not None:
                chosen.append(self._in_place(sources[at], own))
            else:
                zeroed = self._blank or effect is not None or param.partial
                owned = own if type(own) is tuple else each_leaf(lambda one, own=own: own, mine)
                chosen.append(each_leaf(partial(self._target, zeroed), mine, owned))
        return chosen

    def _target(self, zeroed: bool, tensor: Tensor, own: Tensor | None) -> Tensor:
        """The tensor that was given, where it has data; else a new one."""
        if isinstance(own, DeviceArray):
            return self._without_overlap(own)
        return own if own is not None and own.has_data else self._new(tensor, zeroed)

    def _new(self, tensor: Tensor, zeroed: bool) -> Tensor:
        reserve([tensor], self.operator.name)
        if self._resident:
            made = DeviceArray.like(tensor)
            if zeroed and made.memory is not None:
                made.memory.zero()
            return made
        provide(tensor, allocate(tensor, self.operator.name, zeroed))
        return tensor

    def _without_overlap(self, own: DeviceArray) -> DeviceArray:
        """The output itself, or a copy of it where an input lies in its memory."""
        if not any(share_memory(own, one) for one in self._resident):
            return own
        made = own.copy()
        self._moved.append((own, made))
        return made

    def _in_place(self, source: Any, own: Any) -> Any:
        """The tensor that is read and written: a copy, unless what the caller gave to write is what it reads."""
        if type(source) is tuple:
            owned = own or (None,) * len(source)
            return tuple(one and self._in_place(one, mine) for one, mine in zip(source, owned, strict=True))
        if isinstance(own, DeviceArray) and isinstance(source, DeviceArray) and own.is_same_view(source):
            return own
        if isinstance(own, DeviceArray):
            made = own.copy()
            made.assign(source)
            self._moved.append((own, made))
            return made
        values = source.to_host() if isinstance(source, DeviceArray) else np.array(source.array, order="C")
        host = Tensor(data=values, format=source.format)
        return DeviceArray.from_host(host) if self._resident and own is None else host

    def finish(self, targets: Sequence[Any], effect: str | None) -> None:
        """Bring what was computed elsewhere to where the caller wants it."""
        if effect == "unwritten":
            return
        for own, made in self._moved:
            if own.memory is not None and made.memory is not None:
                made.wait()
                own.memory.copy_from(made.memory)
        for param, given, target in zip(self.operator.outputs, self.given, targets, strict=True):
            if param.is_input and given is not None and target is not None:
                for mine, computed in zip(leaves(given), leaves(target), strict=True):
                    if mine.has_data:
                        np.copyto(mine.array, computed.array)

    def results(self, inputs: Sequence[Any], targets: Sequence[Any], lengths: Lengths = None) -> Any:
        """The outputs in the result class: the caller's own objects, else arrays of the kind that the inputs are."""
        if not self._resident:
            return super().results(inputs, targets, lengths)
        own = self.objects or [None] * len(targets)
        found = [
            target if given is None or target is None else given for given, target in zip(own, targets, strict=True)
        ]
        parts = zip(self.operator.outputs, found, self.by_output(lengths), strict=True)
        return self.operator.result._make(
            [one if length is None else _part(param, one, length) for param, one, length in parts]
        )


def _part(param: Param, array: Any, length: int) -> Any:
    """What is written of an output whose length depends on the data, as a view of it."""
    if isinstance(array, DeviceArray):
        shape = param.written(array.shape, length)
        strides = array.strides if param.dependent_axis == 0 else contiguous_strides(shape)
        return array.view(shape, strides, array.offset)
    return written_part(param, array, length)


CHECKS = Variable("ACLSPEC_NPU_CHECKS")
"""Whether the project's checks run before those of the library: ``on`` or ``off``."""


class DeviceBackend(Backend):
    """Takes whole calls to the CANN library."""

    def __init__(self) -> None:
        """The only one; nothing is loaded before its first call."""
        super().__init__(NPU, _no_kernel)

    def checks_first(self, operator: OperatorTable) -> bool:
        """Whether the project's own checks run before the library is asked: not where ACLSPEC_NPU_CHECKS is ``off``.

        Of an operator that is only declared there are none.
        """
        text = CHECKS.read()
        if text not in (None, "on", "off"):
            raise ValueError(f"The value of {CHECKS} ({text}) is neither on nor off.")
        return operator.has_rules and text != "off"

    def require_kernel(self, operator: OperatorTable) -> None:
        """The library has one, or says that it has none."""

    def product(self, asked: str | None) -> str:
        """The product of the device; ValueError where the caller or ACLSPEC_PRODUCT means another one."""
        soc = _soc_name(session())
        own = _product_of_soc(soc)
        if asked is None and ENVIRONMENT.read() is None:
            return own
        wanted = resolve_product(asked)
        if wanted != own:
            noun = "product" if asked is not None else str(ENVIRONMENT)
            raise ValueError(
                f"The value of {noun} ({asked or wanted}) means {wanted}, and the device is one of {own} ({soc}): "
                'backend="npu" computes on the device there is.'
            )
        return own

    def is_exact(self, compute: str | None) -> bool:
        """Refuse ``compute="exact"``: the device computes as it does."""
        if is_exact(compute):
            raise ValueError('The device computes as it does: compute="exact" goes with backend="numpy" only.')
        return False

    def outputs(self, operator: OperatorTable, values: Sequence[Any], out: object) -> Outputs:
        """The outputs of a call, new ones on the device if any input is there."""
        return DeviceOutputs(operator, values, out, blank=not self.checks_first(operator))

    def require_data(self, params: Sequence[Param], values: Sequence[Any], function: str) -> None:
        """Refuse to compute with a tensor that has no data, on the host or on the device."""
        if any(type(one) is Tensor and not one.has_data for one in flattened(values)):
            require_data(params, [_on_host(value) for value in values], function)

    def run(
        self,
        operator: OperatorTable,
        product: str,
        values: Sequence[Any],
        effect: str | None = None,
        exact: bool = False,
        fresh: bool = False,
    ) -> Lengths:
        """Both phases on this thread's stream; in a ``with stream`` block without waiting if all is on the device."""
        stream, may_go_on = current_stream(session())
        unchecked = not self.checks_first(operator)
        with stream.lock:
            launch = Launch(stream.session, operator, values)
            try:
                if unchecked:  # the library has looked, by now
                    self.require_data(operator.params, values, operator.name)
                goes_on = may_go_on and launch.is_resident and not operator.data_dependent
                loads, fetches = unchecked or effect is not None, effect != "unwritten"
                launch.run(stream, launch.scratch(launch.size), launch.size, goes_on, loads, fetches)
                lengths = None if effect is not None else launch.lengths()
            except BaseException:
                stream.settle_again()  # nothing is freed under work that goes on
                launch.abandon()
                raise
            if goes_on:
                stream.close_later(launch)
            else:
                launch.close()
        return lengths

    def executor(
        self,
        operator: OperatorTable,
        product: str,
        given: Sequence[Any],
        used: Sequence[Any],
        effect: str | None,
        exact: bool,
    ) -> DeviceExecutor:
        """The library's executor of a call that passed our checks; AclnnError where the library refuses it."""
        launch = Launch(session(), operator, given, used)
        check = partial(self._check_values, operator, effect)
        return DeviceExecutor(used, launch, check, self.checks_first(operator))

    def _check_values(self, operator: OperatorTable, effect: str | None, values: Sequence[Any]) -> None:
        if effect is None:
            self.require_data(operator.params, values, operator.name)


def _no_kernel(operator: OperatorTable) -> Kernel:
    raise LookupError("the device computes whole calls.")


def _on_host(value: Any) -> Any:
    """A value without its arrays on the device."""
    if type(value) is tuple:
        return tuple(one for one in value if type(one) is Tensor)
    return None if isinstance(value, DeviceArray) else value


def _soc_name(owner: Session) -> str:
    name: bytes | None = owner.libraries.aclrtGetSocName()
    if not name:
        raise owner.libraries.null("aclrtGetSocName")
    return str(name, "utf-8", "replace")


@cache
def _product_of_soc(name: str) -> str:
    own = product_of(name)
    if own is None:
        raise ValueError(f"The SoC of the device ({name}) is of no product that aclspec knows.")
    return own
