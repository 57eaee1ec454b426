"""Phase one on the device: our checks, then those of the library, which makes an executor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from aclspec.runtime.backends import NPU
from aclspec.runtime.executor import Checked
from aclspec.runtime.modes import resolve_conformance
from aclspec.runtime.npu.calling import kind_of, planned, refuse_exact
from aclspec.runtime.npu.executor import DeviceExecutor
from aclspec.runtime.npu.launch import Launch
from aclspec.runtime.npu.outputs import check_apart_there
from aclspec.runtime.npu.plan import Kept, Kind
from aclspec.runtime.npu.session import session
from aclspec.runtime.npu.settings import checks_first, product_of_device, soc_of
from aclspec.runtime.npu.slots import flattened
from aclspec.runtime.npu.stream import default_stream
from aclspec.runtime.two_phase import checked, converted, wanted

if TYPE_CHECKING:
    from aclspec.runtime.operator import Operator


def begin(
    operator: Operator, given: Sequence[Any], product: str | None, conformance: str | None, compute: str | None
) -> DeviceExecutor:
    """Phase one of a call without a plan; AclnnError where we or the library refuse it."""
    owner = session()
    refuse_exact(compute)
    key, mode = product_of_device(owner, product), resolve_conformance(conformance)
    values = converted(operator, given)
    switched = wanted(operator, values)
    check_apart_there(operator, switched)
    if not checks_first():  # the library is to answer every call itself
        launch = Launch(owner, operator, values)
        return _executor(operator, key, None, switched, launch)
    effect = checked(operator, values, key, mode, f"{operator.name}GetWorkspaceSize")
    stream = default_stream(owner)
    kept = Kept(soc_of(owner), Kind((operator.name, key, mode, *map(kind_of, values))))
    launch = kept.take(owner, stream) or planned(owner, operator, values)
    try:
        launch.place(list(flattened(values)))
    except BaseException:
        launch.abandon()
        raise
    if launch.is_repeatable:
        return _executor(operator, key, effect, switched, launch, kept)
    return _executor(operator, key, effect, switched, launch)


def _executor(
    operator: Operator, key: str, effect: str | None, values: Sequence[Any], launch: Launch, kept: Kept | None = None
) -> DeviceExecutor:
    call = Checked(operator, key, effect, NPU, False, launch.size)
    home = None if kept is None else default_stream(launch.session)
    return DeviceExecutor(call, values, list(flattened(values)), launch, home, kept)
