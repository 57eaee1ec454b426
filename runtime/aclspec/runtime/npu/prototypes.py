"""The C functions that the bridge calls, with their types for ctypes.

Nothing is ever called through a variadic or an untyped prototype: a double by value would land in the wrong register.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any, NamedTuple

HANDLE = ctypes.c_void_p
STATUS = ctypes.c_int32

_POINTERS = (
    *("aclTensor*", "aclScalar*", "aclIntArray*", "aclFloatArray*", "aclBoolArray*", "aclTensorList*"),
    *("aclScalarList*", "aclOpExecutor*", "aclrtStream", "aclrtEvent", "aclrtContext", "void*"),
)
_OUT = ("void**", "aclOpExecutor**", "aclrtStream*", "aclrtEvent*", "aclrtContext*")

C_TYPES: dict[str, Any] = {
    **dict.fromkeys(_POINTERS, HANDLE),
    **dict.fromkeys(_OUT, ctypes.POINTER(HANDLE)),
    **dict.fromkeys(("aclDataType", "aclFormat", "aclError", "int"), ctypes.c_int),
    **dict.fromkeys(("aclrtMemcpyKind", "aclrtMemMallocPolicy"), ctypes.c_int),
    "aclnnStatus": STATUS,
    "bool": ctypes.c_bool,
    "int8_t": ctypes.c_int8,
    "int32_t": ctypes.c_int32,
    "int64_t": ctypes.c_int64,
    "uint32_t": ctypes.c_uint32,
    "uint64_t": ctypes.c_uint64,
    "size_t": ctypes.c_size_t,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    "char*": ctypes.c_char_p,
    "bool*": ctypes.POINTER(ctypes.c_bool),
    "float*": ctypes.POINTER(ctypes.c_float),
    "int32_t*": ctypes.POINTER(ctypes.c_int32),
    "uint32_t*": ctypes.POINTER(ctypes.c_uint32),
    "int64_t*": ctypes.POINTER(ctypes.c_int64),
    "int64_t**": ctypes.POINTER(ctypes.POINTER(ctypes.c_int64)),
    "uint64_t*": ctypes.POINTER(ctypes.c_uint64),
}
"""The ctypes type of every C type that a prototype holds, ``const`` left out: it changes nothing for the caller."""


class Prototype(NamedTuple):
    """A C function: its name, the type that it returns and the types that it takes."""

    name: str
    returns: str
    takes: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Prototype:
        """The prototype of a line such as ``aclError aclrtFree(void*)``."""
        returns, _, rest = text.strip().partition(" ")
        name, _, inside = rest.rstrip(")").partition("(")
        return cls(name, returns, tuple(part.strip() for part in inside.split(",") if part.strip()))

    def bind(self, library: ctypes.CDLL) -> Any:
        """The function of a library with these types; AttributeError where the library has none of this name."""
        function = library[self.name]  # by item: a new function object, whose types are ours alone
        function.argtypes = [C_TYPES[kind] for kind in self.takes]
        function.restype = C_TYPES[self.returns]
        return function

    def __str__(self) -> str:
        """As C writes it."""
        return f"{self.returns} {self.name}({', '.join(self.takes)})"


_PHASE_ONE_OUT = ("uint64_t*", "aclOpExecutor**")
_PHASE_TWO = ("void*", "uint64_t", "aclOpExecutor*", "aclrtStream")


def phases_of(name: str, types: Iterable[str]) -> tuple[Prototype, Prototype]:
    """The prototypes of both phases of an operator with parameters of these C types."""
    return (
        Prototype(f"{name}GetWorkspaceSize", "aclnnStatus", (*types, *_PHASE_ONE_OUT)),
        Prototype(name, "aclnnStatus", _PHASE_TWO),
    )


_RUNTIME = """
aclError aclInit(char*)
aclError aclFinalize()
aclError aclrtSetDevice(int32_t)
aclError aclrtResetDevice(int32_t)
aclError aclrtGetDeviceCount(uint32_t*)
aclError aclrtGetVersion(int32_t*, int32_t*, int32_t*)
aclError aclrtCreateContext(aclrtContext*, int32_t)
aclError aclrtDestroyContext(aclrtContext)
aclError aclrtSetCurrentContext(aclrtContext)
aclError aclrtGetCurrentContext(aclrtContext*)
aclError aclrtCreateStream(aclrtStream*)
aclError aclrtDestroyStream(aclrtStream)
aclError aclrtSynchronizeStream(aclrtStream)
aclError aclrtStreamWaitEvent(aclrtStream, aclrtEvent)
aclError aclrtMalloc(void**, size_t, aclrtMemMallocPolicy)
aclError aclrtFree(void*)
aclError aclrtMemcpy(void*, size_t, void*, size_t, aclrtMemcpyKind)
aclError aclrtMemset(void*, size_t, int32_t, size_t)
aclError aclrtCreateEvent(aclrtEvent*)
aclError aclrtDestroyEvent(aclrtEvent)
aclError aclrtRecordEvent(aclrtEvent, aclrtStream)
aclError aclrtSynchronizeEvent(aclrtEvent)
aclError aclrtEventElapsedTime(float*, aclrtEvent, aclrtEvent)
char* aclGetRecentErrMsg()
char* aclrtGetSocName()
"""
_BASE = """
aclTensor* aclCreateTensor(int64_t*, uint64_t, aclDataType, int64_t*, int64_t, aclFormat, int64_t*, uint64_t, void*)
aclScalar* aclCreateScalar(void*, aclDataType)
aclIntArray* aclCreateIntArray(int64_t*, uint64_t)
aclFloatArray* aclCreateFloatArray(float*, uint64_t)
aclBoolArray* aclCreateBoolArray(bool*, uint64_t)
aclTensorList* aclCreateTensorList(void**, uint64_t)
aclScalarList* aclCreateScalarList(void**, uint64_t)
aclnnStatus aclDestroyTensor(aclTensor*)
aclnnStatus aclDestroyScalar(aclScalar*)
aclnnStatus aclDestroyIntArray(aclIntArray*)
aclnnStatus aclDestroyFloatArray(aclFloatArray*)
aclnnStatus aclDestroyBoolArray(aclBoolArray*)
aclnnStatus aclDestroyTensorList(aclTensorList*)
aclnnStatus aclDestroyScalarList(aclScalarList*)
aclnnStatus aclGetViewShape(aclTensor*, int64_t**, uint64_t*)
aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor*)
aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor*)
"""


def _table(text: str) -> dict[str, Prototype]:
    prototypes = map(Prototype.parse, text.strip().splitlines())
    return {prototype.name: prototype for prototype in prototypes}


RUNTIME = _table(_RUNTIME)
BASE = _table(_BASE)
