"""A call on the device in one step: convert, check, to the device, both phases, wait, back."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from aclspec.runtime.calling import effect_of
from aclspec.runtime.compute import require_data
from aclspec.runtime.errors import AclnnError
from aclspec.runtime.messages import record
from aclspec.runtime.modes import is_exact, resolve_conformance
from aclspec.runtime.npu.arrays import DeviceArray
from aclspec.runtime.npu.call_plan import plan_of
from aclspec.runtime.npu.launch import Launch
from aclspec.runtime.npu.outputs import DeviceOutputs
from aclspec.runtime.npu.plan import Kept, Kind
from aclspec.runtime.npu.session import Session, session
from aclspec.runtime.npu.settings import checks_first, product_of_device, soc_of
from aclspec.runtime.npu.slots import flattened
from aclspec.runtime.npu.stream import current_stream
from aclspec.runtime.scalar import Scalar
from aclspec.runtime.tensor import Tensor

if TYPE_CHECKING:
    from aclspec.runtime.operator import Operator
    from aclspec.runtime.parameters import Param


def call(
    operator: Operator,
    inputs: Sequence[Any],
    product: str | None,
    conformance: str | None,
    backend: str | None,
    compute: str | None,
    out: object,
) -> Any:
    """The outputs of an operator as its result class; AclnnError for a call that the rules or the library refuse.

    What passes leaves a plan for the calls like it.
    """
    asked = inputs, product, conformance, backend, out, True
    wanted = operator.plans.call_key(*asked) if compute is None else None
    try:
        owner = session()
        key = product_of_device(owner, product)
        mode = resolve_conformance(conformance)
        refuse_exact(compute)
        values = [convert(value) for convert, value in zip(operator.converters, inputs, strict=True)]
        outputs = DeviceOutputs(operator, values, out)
        checked = checks_first()
        described = operator.in_c_order(values, outputs.described())
        effect = effect_of(operator, key, mode, described, outputs) if checked else None
        if checked and effect is None:
            require(operator, values, operator.inputs)
        targets = outputs.placed(values, effect, blank=not checked)
        in_order = operator.in_c_order(values, targets, writing=True)
        kept = Kept(soc_of(owner), Kind((operator.name, key, mode, *map(kind_of, in_order))))
        is_kept = _Run(owner, operator, in_order, kept.kind, effect, blank=not checked).perform()
        if wanted is not None and is_kept and checked and effect is None:
            plan = plan_of(operator, kept, inputs, in_order, *wanted[1:])
            again = operator.plans.call_key(*asked)
            if plan is not None and again is not None and again[0] == wanted[0]:  # nobody changed an array meanwhile
                operator.plans.keep(wanted[0], plan)
        if outputs.given:
            outputs.finish(targets, effect)
        return outputs.results(inputs, targets)
    except AclnnError as error:
        record(error.rule or operator.name, str(error))
        raise


def refuse_exact(compute: str | None) -> None:
    """Refuse ``compute="exact"``: the device computes as it does."""
    if is_exact(compute):
        raise ValueError('The device computes as it does: compute="exact" goes with backend="numpy" only.')


def require(operator: Operator, values: Sequence[Any], params: Sequence[Param]) -> None:
    """Refuse to compute with a tensor that has no data, on the host or on the device."""
    if any(type(one) is Tensor and not one.has_data for one in flattened(values)):
        there = [None if isinstance(value, DeviceArray) else value for value in values]
        for at, value in enumerate(there):
            if type(value) is tuple:
                there[at] = tuple(one for one in value if type(one) is Tensor)
        require_data(params, there, operator.name)


class _Run:
    """One call that passed the checks, on its way through the library."""

    def __init__(
        self, owner: Session, operator: Operator, values: Sequence[Any], kind: Kind, effect: str | None, blank: bool
    ) -> None:
        self.owner, self.operator, self.values = owner, operator, values
        self.kind, self.effect, self.blank = kind, effect, blank

    def perform(self) -> bool:
        """Run it on the stream of this thread, with an executor of an earlier such call where there is one.

        The answer is whether the executor is kept for later calls.
        """
        stream, may_go_on = current_stream(self.owner)
        with stream.lock:
            launch = stream.plans.take(self.kind) or self._made()
            try:
                everything = self.blank or self.effect is not None
                launch.run(list(flattened(self.values)), stream, may_go_on, everything, self.effect != "unwritten")
            except BaseException:
                stream.settle_again()  # nothing is freed under work that goes on
                launch.abandon()
                raise
            stream.keep(self.kind, launch)
        return launch.is_repeatable

    def _made(self) -> Launch:
        launch = planned(self.owner, self.operator, self.values)
        try:
            if self.blank:  # no rule of ours has looked: the library has, by now
                require(self.operator, self.values, self.operator.params)
        except BaseException:
            launch.abandon()
            raise
        return launch


def planned(owner: Session, operator: Operator, values: Sequence[Any]) -> Launch:
    """Phase one of a call, made repeatable where the library allows it."""
    launch = Launch(owner, operator, values)
    if launch.make_repeatable():
        owner.libraries.aclGetRecentErrMsg()  # it runs once, then; that is no failure of this call
    return launch


def kind_of(value: Any) -> Hashable:
    """What of a value decides about the executor: for a tensor all but its data and where that is."""
    if isinstance(value, Tensor):
        where = "device" if isinstance(value, DeviceArray) else value.has_data
        if value._layout is None and value.is_contiguous:
            return where, value.shape, value.dtype, value.format
        return where, value.shape, value.dtype, value.format, value.strides, value.offset, value.storage_shape
    if type(value) is tuple:
        return tuple(map(kind_of, value))
    if isinstance(value, Scalar):
        return repr(value)
    return value.hex() if type(value) is float else value  # which tells -0.0 from 0.0
