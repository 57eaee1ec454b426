"""The functions of the runtime library and of the operator base library that the bridge calls."""

from __future__ import annotations

from aclspec.runtime.npu.ctable import Prototype

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
aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor*)
aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor*)
aclnnStatus aclSetTensorAddr(aclOpExecutor*, size_t, aclTensor*, void*)
aclnnStatus aclSetDynamicTensorAddr(aclOpExecutor*, size_t, size_t, aclTensorList*, void*)
"""


def _table(text: str) -> dict[str, Prototype]:
    prototypes = map(Prototype.parse, text.strip().splitlines())
    return {prototype.name: prototype for prototype in prototypes}


RUNTIME = _table(_RUNTIME)
BASE = _table(_BASE)
