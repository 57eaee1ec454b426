"""What the device process computes: phase two, and phase one of the few calls that C cannot judge.

Nothing here raises for a bad call. Each function answers (status, workspace size, result or None, message or None). The
result of the first two is what phase two needs; that of phase two are the lengths of outputs whose shapes depend on the
data, each behind the place of its parameter. Of the values of a message a tensor is ``(dtype, format, shape,
strides, offset, storage shape)``, a scalar ``(dtype, its bytes)``, a list or an array a tuple, and null is
None. A memory is ``(the bytes of the allocation, or those that are mapped around the address, and where in them the
storage starts)``, or ``(why there is none, 0)``.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from aclspec.runtime.abi.dtypes import DType
from aclspec.runtime.abi.environment import Mode, resolve_conformance
from aclspec.runtime.abi.errors import AclnnError, ParamError, while_calling
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.abi.parameters import Param
from aclspec.runtime.abi.status import Status
from aclspec.runtime.execution.backends import DEFAULT, resolve_backend
from aclspec.runtime.execution.compute import Lengths
from aclspec.runtime.execution.executor import workspace_size
from aclspec.runtime.execution.outputs import check_overlap
from aclspec.runtime.execution.two_phase import check, refusal_text
from aclspec.runtime.simulator.planted import check_planted, disturb, faults, spoil
from aclspec.runtime.tensors.halves import HALVES, unpacked
from aclspec.runtime.tensors.layout import Layout
from aclspec.runtime.tensors.tensor import Scalar, Tensor, with_data, wrap
from aclspec.runtime.torch_kernels.choice import resolve_kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from aclspec.runtime.rules.operator_table import OperatorTable


Memory: TypeAlias = "tuple[memoryview | int, int]"
_DTYPES = {int(dtype): dtype for dtype in DType if dtype.is_stored or dtype is DType.DT_UNDEFINED}
_FORMATS = {int(layout): layout for layout in Format}
_WHY = {
    1: "The address of {name} ({tensor}) is null.",
    2: "The address of {name} ({tensor}) is not in device memory; allocate it with aclrtMalloc.",
    3: "The address of {name} ({tensor}) is in device memory that is freed.",
    4: "The address of {name} ({tensor}) is a reserved one into which no memory is mapped.",
}


class Unusable(Exception):
    """A tensor of a launched call that has no memory to compute with."""


def described(operator: OperatorTable, values: Sequence[Any]) -> list[Any]:
    """The values of a call, tensors in no memory."""
    return [_value(param, value, operator.name) for param, value in zip(operator.params, values, strict=True)]


def with_memory(
    operator: OperatorTable, values: Sequence[Any], memories: Sequence[Any], effect: str | None
) -> tuple[Any, ...]:
    """The values of phase two, each tensor in the memory where it is now; `Unusable` for one that is in none."""
    if effect == "unwritten":
        return tuple(values)
    wanted = (param.is_output or effect is None for param in operator.params)
    parts = zip(operator.params, values, memories, wanted, strict=True)
    return tuple(_placed(param.name, value, memory) if want else None for param, value, memory, want in parts)


def _placed(name: str, value: Any, memory: Any) -> Any:
    if type(value) is Tensor:
        return _with_array(name, value, memory)
    if type(value) is tuple and type(memory) is tuple:  # a list of tensors; an array of numbers has no memory
        parts = zip(value, memory, strict=True)
        return tuple(_placed(f"{name}[{at}]", item, where) for at, (item, where) in enumerate(parts))
    return value


def _with_array(name: str, tensor: Tensor, memory: Memory) -> Tensor:
    held, start = memory
    if 0 in tensor.shape:
        held, start = memoryview(b""), -tensor.offset * tensor.dtype.itemsize
    if isinstance(held, int):
        raise Unusable(_WHY[held].format(name=name, tensor=tensor))
    try:
        array = _view(tensor, held, start)
    except (ValueError, TypeError, OverflowError):  # the last: strides or an offset beyond every address
        raise Unusable(
            f"The elements of {name} ({tensor}) are not all inside of its device memory: "
            f"{held.nbytes - start} bytes follow its address."
        ) from None
    return with_data(tensor, array)


def _view(tensor: Tensor, held: memoryview, start: int) -> NDArray[Any]:
    """The array of a tensor in these bytes from ``start`` on; an error of NumPy's where it is not all inside."""
    kind = tensor.dtype.numpy
    if kind is None:
        raise Unusable(f"The dtype ({tensor.dtype.name}) has no arithmetic in the simulator.")
    if tensor.numel <= 0:
        return np.empty(tensor.shape, kind)
    if tensor.dtype in HALVES:
        return _halves(tensor, kind, held, start)
    size = kind.itemsize
    steps = tuple(step * size for step in tensor.strides)
    return np.ndarray(tensor.shape, kind, held, start + tensor.offset * size, steps)


def _halves(tensor: Tensor, kind: np.dtype[Any], held: memoryview, start: int) -> NDArray[Any]:
    """The elements of a tensor with two in a byte, the first in its low half, in an array of their own."""
    last = tensor.offset + sum(
        max(0, step) * (size - 1) for size, step in zip(tensor.shape, tensor.strides, strict=True)
    )
    taken = np.frombuffer(held, np.uint8, last // 2 + 1, start)
    numbers = unpacked(taken, tensor.dtype)
    return np.ndarray(tensor.shape, kind, numbers.data, tensor.offset, tensor.strides)


def _put_back(tensor: Tensor, memory: Memory) -> None:
    """Write the elements of an output to its memory, two to a byte."""
    held, start = memory
    if isinstance(held, int) or not tensor.numel:
        return
    numbers = tensor.array.view(np.uint8) & 15
    places = np.full(tensor.shape, tensor.offset)
    for axis, (size, step) in enumerate(zip(tensor.shape, tensor.strides, strict=True)):
        places += (step * np.arange(size)).reshape(-1, *(1,) * (len(tensor.shape) - axis - 1))
    target = np.frombuffer(held, np.uint8)[start:]
    for odd in (0, 1):
        chosen = places % 2 == odd
        at = places[chosen] // 2
        target[at] = (target[at] & (15 if odd else 240)) | (numbers[chosen] << (4 * odd))


def _value(param: Param, value: Any, operator: str) -> Any:
    if value is None:
        return None
    if param.type == "tensor":
        return _described(param.name, value, operator)
    if param.type == "tensor_list":
        return tuple(item and _described(f"{param.name}[{at}]", item, operator) for at, item in enumerate(value))
    if param.type == "scalar":
        return _scalar(value)
    if param.type == "scalar_list":
        return tuple(item and _scalar(item) for item in value)
    return _member(_DTYPES, value, "dtype", param.name, operator) if param.type == "dtype" else value


def _described(name: str, value: tuple[Any, ...], operator: str) -> Tensor:
    dtype, layout, shape, strides, offset, storage = value
    kind = _member(_DTYPES, dtype, "dtype", name, operator)
    order = _member(_FORMATS, layout, "format", name, operator)
    return wrap(shape, kind, order, None, Layout(strides, offset, storage))


def _member(members: dict[int, Any], number: int, noun: str, name: str, operator: str) -> Any:
    found = members.get(number)
    if found is None:
        raise ParamError(f"The {noun} of {name} ({number}) is not one that aclnn has.", name, operator)
    return found


def _scalar(value: tuple[int, bytes]) -> Scalar:
    dtype = _DTYPES[value[0]]
    kind = dtype.numpy
    return Scalar(0 if kind is None else np.frombuffer(value[1], kind, 1)[0].item(), dtype)


OPERATORS = "aclspec.ops"
Answer = tuple[int, int, Any, str | None]
_operators: dict[str, OperatorTable] = {}


class Checked(NamedTuple):
    """A call that passed phase one: its values, the tensors in no memory, None for outputs that are switched off."""

    operator: OperatorTable
    product: str
    effect: str | None
    values: tuple[Any, ...]


def register(packages: str) -> None:
    """Make the operators of generated packages known: a line for each, its name and the folder it is imported from.

    A line without a name is the folder of kernels that stand outside of their package.
    """
    for line in packages.splitlines():
        name, _, home = line.partition("\t")
        if home not in sys.path:
            sys.path.append(home)
        if name:
            import_module(OPERATORS).register(name)


def phase_one(name: str, product: str, conformance: str, values: tuple[Any, ...]) -> Answer:
    """Judge a call that C leaves to Python, of the operator of a C name; the values are of the forms above."""
    operator = _operator(name)
    function = f"{name}GetWorkspaceSize"
    try:
        mode = resolve_conformance(conformance)
        given = tuple(described(operator, values))
        effect = _checked(operator, given, product, mode, function)
    except AclnnError as error:
        return int(error.status), 0, None, refusal_text(error, function)
    used = _used(operator, given)
    size = 0 if effect is not None else workspace_size(used)
    return int(Status.ACLNN_SUCCESS), size, _kept(operator, product, effect, used), None


def accept(name: str, product: str, effect: str | None, values: tuple[Any, ...]) -> Answer:
    """What phase two needs of a call that C accepted, with the effect of a shortcut."""
    operator = _operator(name)
    try:
        resolve_kernels()
    except ValueError as error:  # PyTorch is not there
        return int(Status.ACLNN_ERR_INNER), 0, None, while_calling(str(error), name)
    used = _used(operator, described(operator, values))
    return int(Status.ACLNN_SUCCESS), 0, _kept(operator, product, effect, used), None


def _kept(operator: OperatorTable, product: str, effect: str | None, used: Sequence[Any]) -> Checked:
    return Checked(operator, product, effect, tuple(used))


def phase_two(checked: Checked, memories: tuple[Memory, ...], later: bool) -> Answer:
    """Compute a checked call in the memory that its tensors have now; ``later``: only look whether that can be."""
    operator, product, effect, given = checked
    try:
        backend = resolve_backend(DEFAULT)
        if effect is None:
            backend.require_kernel(operator)
        values = with_memory(operator, given, memories, effect)
        if later:  # in strict mode
            told = _overlap(operator, values)
        if not later:
            planted = faults(operator.name)
            disturb(planted)
            lengths = backend.execute(operator, product, effect, False, values)
            for param, value, memory in zip(operator.params, values, memories, strict=True):
                if param.is_output and type(value) is Tensor and value.dtype in HALVES:
                    _put_back(value, memory)
            spoil(planted, operator, values)
            return int(Status.ACLNN_SUCCESS), 0, _by_place(operator, lengths), None
    except Unusable as error:
        return int(Status.ACLNN_ERR_RUNTIME_ERROR), 0, None, while_calling(str(error), operator.name)
    except AclnnError as error:
        return int(error.status), 0, None, refusal_text(error, operator.name)
    return int(Status.ACLNN_SUCCESS), 0, None, told


def _used(operator: OperatorTable, values: Sequence[Any]) -> tuple[Any, ...]:
    """The values, with None for each output that the attributes switch off, whatever the caller gave for it."""
    inputs = [value for param, value in zip(operator.params, values, strict=True) if param.is_input]
    required = iter(operator.inferred(inputs))
    on = [
        next(required) is not None or param.is_input or not operator.infers(param) if param.is_output else True
        for param in operator.params
    ]
    return tuple(value if one else None for value, one in zip(values, on, strict=True))


def _check_overlap(operator: OperatorTable, values: Sequence[Any]) -> None:
    """Refuse two outputs that have an element in common, which the library does not look for."""
    written = [value for param, value in zip(operator.params, values, strict=True) if param.is_output]
    check_overlap(operator.outputs, written, operator.name)


def _overlap(operator: OperatorTable, values: Sequence[Any]) -> str | None:
    """The sentence on two outputs that have an element in common, for strict mode."""
    try:
        _check_overlap(operator, values)
    except ParamError as error:
        return error.sentence
    return None


def _checked(operator: OperatorTable, given: tuple[Any, ...], product: str, mode: Mode, function: str) -> str | None:
    """What the checks of phase one answer, those of a planted fault where there is one."""
    planted = faults(operator.name)
    if planted:
        return check_planted(planted, operator, operator.info, given, product, mode, function)
    return check(operator, given, product, mode, function)


def _by_place(operator: OperatorTable, lengths: Lengths) -> tuple[tuple[int, int, int], ...] | None:
    """The lengths of outputs whose shapes depend on the data, each behind the place of its parameter in C order, and 1
    where it is that of the last axis rather than of the first.
    """
    if lengths is None:
        return None
    places = [(at, -param.dependent_axis) for at, param in enumerate(operator.params) if param.data_dependent]
    found = zip(places, lengths, strict=True)
    return tuple((*place, one) for place, one in found if one is not None) or None


def _operator(name: str) -> OperatorTable:
    operator = _operators.get(name)
    if operator is None:
        operator = _operators[name] = import_module(OPERATORS).get(name)
    return operator
