// Every function of the runtime, with what it answers and what it refuses.
#include <cmath>
#include <limits>
#include <thread>

#include "acl/acl_rt_allocator.h"
#include "expect.h"

static void life() {
  REFUSED(ACL_ERROR_UNINITIALIZE, aclFinalize());
  REFUSED(ACL_ERROR_INVALID_FILE, aclInit("/no/such/file"));
  EXPECT(aclInit(nullptr) == 0);
  REFUSED(ACL_ERROR_REPEAT_INITIALIZE, aclInit(nullptr));
  uint64_t left = 0;
  EXPECT(aclFinalizeReference(&left) == 0 && left == 1);
  EXPECT(aclFinalizeReference(&left) == 0 && left == 0);
  REFUSED(ACL_ERROR_REPEAT_FINALIZE, aclFinalize());
  EXPECT(aclInit(nullptr) == 0);
  REFUSED(ACL_ERROR_REPEAT_INITIALIZE, aclInit(nullptr));
  EXPECT(aclFinalize() == 0);  // one is enough, however often it was initialized
  REFUSED(ACL_ERROR_REPEAT_FINALIZE, aclFinalize());
}

static void messages() {
  EXPECT(aclGetRecentErrMsg() == nullptr);
  EXPECT(aclrtFree(nullptr) != 0);
  EXPECT(aclrtSetDevice(99) == ACL_ERROR_RT_INVALID_DEVICEID);
  const std::string last = aclGetRecentErrMsg();
  EXPECT(last.find("aclrtSetDevice") != std::string::npos);
  EXPECT(last.find("aclrtFree") == std::string::npos);  // nobody asked of the older failure, which is another's
  EXPECT(last.find("[PID: ") == 0);
  EXPECT(aclGetRecentErrMsg() == nullptr);
  EXPECT(aclrtFree(nullptr) != 0);
  std::thread([] { EXPECT(aclGetRecentErrMsg() == nullptr); }).join();  // each thread has its own
  EXPECT(aclGetRecentErrMsg() != nullptr);
}

static void before_a_device() {
  int32_t device = -1;
  void* handle = nullptr;
  REFUSED(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDevice(&device));
  REFUSED(ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateStream(&handle));
  REFUSED(ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateEvent(&handle));
  REFUSED(ACL_ERROR_RT_CONTEXT_NULL, aclrtSynchronizeDevice());
  REFUSED(ACL_ERROR_RT_CONTEXT_NULL, aclrtSynchronizeStream(nullptr));
  REFUSED(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetCurrentContext(&handle));
  char byte = 0;
  size_t free = 0, total = 0;
  REFUSED(ACL_ERROR_RT_CONTEXT_NULL, aclrtMalloc(&handle, 8, ACL_MEM_MALLOC_HUGE_FIRST));
  REFUSED(ACL_ERROR_RT_CONTEXT_NULL, aclrtMallocHost(&handle, 8));
  REFUSED(ACL_ERROR_RT_CONTEXT_NULL, aclrtMemcpy(&byte, 1, &byte, 1, ACL_MEMCPY_HOST_TO_HOST));
  REFUSED(ACL_ERROR_RT_CONTEXT_NULL, aclrtMemset(&byte, 1, 0, 1));
  REFUSED(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
  EXPECT(aclrtMemcpy(nullptr, 0, nullptr, 0, ACL_MEMCPY_HOST_TO_HOST) == 0 && aclrtMemset(nullptr, 0, 0, 0) == 0);
  EXPECT(handle == nullptr);
  REFUSED(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(-1));
}

static void devices() {
  int32_t device = -1, major = 0, minor = 0, patch = 0, attribute = -1, number = 0;
  uint32_t count = 0;
  int64_t value = 0;
  aclrtRunMode mode = ACL_DEVICE;
  EXPECT(aclrtGetDevice(&device) == 0 && device == 0);
  REFUSED(ACL_ERROR_INVALID_PARAM, aclrtGetDevice(nullptr));
  EXPECT(aclrtGetDeviceCount(&count) == 0 && count == 1);
  REFUSED(ACL_ERROR_INVALID_PARAM, aclrtGetDeviceCount(nullptr));
  EXPECT(aclrtGetRunMode(&mode) == 0 && mode == ACL_HOST);
  REFUSED(ACL_ERROR_INVALID_PARAM, aclrtGetRunMode(nullptr));
  EXPECT(aclrtSynchronizeDevice() == 0 && aclrtSynchronizeDeviceWithTimeout(1000) == 0);
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeDeviceWithTimeout(-2));
  EXPECT(std::strcmp(aclrtGetSocName(), "Ascend910B2") == 0);
  EXPECT(aclrtGetVersion(&major, &minor, &patch) == 0 && major == 1 && minor == 17 && patch == 0);
  REFUSED(ACL_ERROR_INVALID_PARAM, aclrtGetVersion(&major, nullptr, &patch));
  EXPECT(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_CUBE_CORE_NUM, &value) == 0 && value == 24);
  EXPECT(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_VECTOR_CORE_NUM, &value) == 0 && value == 48);
  EXPECT(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_AICPU_CORE_NUM, &value) == 0 && value > 0);
  size_t free = 0, total = 0;
  EXPECT(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total) == 0);
  EXPECT(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE, &value) == 0 && static_cast<size_t>(value) == total);
  EXPECT(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_L2_CACHE_SIZE, &value) == 0 && value > 0);
  EXPECT(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_PHY_CHIP_ID, &value) == 0 && value == 0);
  EXPECT(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_IS_VIRTUAL, &value) == 0 && value == 0);
  REFUSED(ACL_ERROR_RT_INVALID_DEVICEID, aclrtGetDeviceInfo(7, ACL_DEV_ATTR_CUBE_CORE_NUM, &value));
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtGetDeviceInfo(0, static_cast<aclrtDevAttr>(999), &value));
  REFUSED(ACL_ERROR_INVALID_PARAM, aclrtGetDeviceInfo(0, ACL_DEV_ATTR_CUBE_CORE_NUM, nullptr));
  EXPECT(aclGetDeviceCapability(0, ACL_DEVICE_INFO_AI_CORE_NUM, &value) == 0 && value == 24);
  EXPECT(aclGetDeviceCapability(0, ACL_DEVICE_INFO_VECTOR_CORE_NUM, &value) == 0 && value == 48);
  EXPECT(aclGetDeviceCapability(0, ACL_DEVICE_INFO_L2_SIZE, &value) == 0 && value > 0);
  REFUSED(ACL_ERROR_INVALID_PARAM, aclGetDeviceCapability(0, ACL_DEVICE_INFO_UNDEFINED, &value));
  EXPECT(aclGetCannAttribute(ACL_CANN_ATTR_BF16, &attribute) == 0 && attribute == 1);
  EXPECT(aclGetCannAttribute(ACL_CANN_ATTR_INF_NAN, &attribute) == 0 && attribute == 1);
  EXPECT(aclGetCannAttribute(ACL_CANN_ATTR_JIT_COMPILE, &attribute) == 0 && attribute == 0);
  REFUSED(ACL_ERROR_INVALID_PARAM, aclGetCannAttribute(ACL_CANN_ATTR_UNDEFINED, &attribute));
  aclCANNPackageVersion version;
  EXPECT(aclsysGetCANNVersion(ACL_PKG_NAME_CANN, &version) == 0 && std::strcmp(version.majorVersion, "9") == 0);
  REFUSED(ACL_ERROR_INVALID_PARAM, aclsysGetCANNVersion(ACL_PKG_NAME_CANN, nullptr));
  char name[] = "runtime", text[ACL_PKG_VERSION_MAX_SIZE];
  EXPECT(aclsysGetVersionStr(name, text) == 0 && std::strcmp(text, version.version) == 0);
  REFUSED(ACL_ERROR_INVALID_PARAM, aclsysGetVersionStr(name, nullptr));
  EXPECT(aclsysGetVersionNum(name, &number) == 0 && number == 90000000);
  REFUSED(ACL_ERROR_INVALID_PARAM, aclsysGetVersionNum(nullptr, &number));
}

static void contexts() {
  aclrtContext own = nullptr, first = nullptr, now = nullptr;
  int64_t value = 0;
  EXPECT(aclrtGetCurrentContext(&first) == 0 && first != nullptr);
  EXPECT(aclrtCreateContext(&own, 0) == 0);
  EXPECT(aclrtGetCurrentContext(&now) == 0 && now == own);  // a new context is the current one
  aclrtStream stream = nullptr;
  EXPECT(aclrtCreateStream(&stream) == 0);
  EXPECT(aclrtSetCurrentContext(first) == 0);
  REFUSED(ACL_ERROR_RT_STREAM_CONTEXT, aclrtSynchronizeStream(stream));  // it is one of the other context
  EXPECT(aclrtDestroyStream(stream) == 0);
  EXPECT(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1) == 0);
  EXPECT(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value) == 0 && value == 1);
  EXPECT(aclrtSetSysParamOpt(ACL_OPT_ENABLE_DEBUG_KERNEL, 5) == 0);
  EXPECT(aclrtGetSysParamOpt(ACL_OPT_ENABLE_DEBUG_KERNEL, &value) == 0 && value == 5);
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtSetSysParamOpt(static_cast<aclSysParamOpt>(77), 1));
  REFUSED(ACL_ERROR_INVALID_PARAM, aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, nullptr));
  EXPECT(aclrtDestroyContext(own) == 0);
  REFUSED(ACL_ERROR_RT_INVALID_HANDLE, aclrtDestroyContext(own));
  REFUSED(ACL_ERROR_RT_INVALID_HANDLE, aclrtSetCurrentContext(own));
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtDestroyContext(first));
  REFUSED(ACL_ERROR_INVALID_PARAM, aclrtDestroyContext(nullptr));
  REFUSED(ACL_ERROR_INVALID_PARAM, aclrtSetCurrentContext(nullptr));
  REFUSED(ACL_ERROR_INVALID_PARAM, aclrtCreateContext(nullptr, 0));
  REFUSED(ACL_ERROR_RT_INVALID_DEVICEID, aclrtCreateContext(&own, 3));
  std::thread([first] {
    EXPECT(aclrtSynchronizeDevice() == ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT(aclrtSetCurrentContext(first) == 0 && aclrtSynchronizeDevice() == 0);
  }).join();
}

static void streams_and_events() {
  aclrtStream one = nullptr, two = nullptr;
  aclrtEvent event = nullptr, later = nullptr, flagged = nullptr, extra = nullptr;
  aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
  aclrtEventRecordedStatus recorded = ACL_EVENT_RECORDED_STATUS_COMPLETE;
  float milliseconds = -1;
  EXPECT(aclrtCreateStream(&one) == 0);
  EXPECT(aclrtCreateStreamWithConfig(&two, 0, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC) == 0);
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtCreateStreamWithConfig(&two, 0, 0x8000));
  REFUSED(ACL_ERROR_INVALID_PARAM, aclrtCreateStream(nullptr));
  EXPECT(aclrtCreateEvent(&event) == 0 && aclrtCreateEvent(&later) == 0);
  EXPECT(aclrtCreateEventWithFlag(&flagged, ACL_EVENT_TIME_LINE) == 0);
  EXPECT(aclrtCreateEventExWithFlag(&extra, ACL_EVENT_SYNC) == 0);
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtCreateEventWithFlag(&flagged, 0));
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtCreateEventExWithFlag(&flagged, 0x4000));
  EXPECT(aclrtQueryEventStatus(event, &recorded) == 0 && recorded == ACL_EVENT_RECORDED_STATUS_NOT_READY);
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtEventElapsedTime(&milliseconds, event, later));
  EXPECT(aclrtRecordEvent(event, one) == 0 && aclrtStreamWaitEvent(two, event) == 0);
  EXPECT(aclrtRecordEvent(later, nullptr) == 0);
  EXPECT(aclrtQueryEventStatus(event, &recorded) == 0 && recorded == ACL_EVENT_RECORDED_STATUS_COMPLETE);
  EXPECT(aclrtEventElapsedTime(&milliseconds, event, later) == 0 && milliseconds >= 0);
  REFUSED(ACL_ERROR_INVALID_PARAM, aclrtEventElapsedTime(nullptr, event, later));
  REFUSED(ACL_ERROR_INVALID_PARAM, aclrtQueryEventStatus(event, nullptr));
  EXPECT(aclrtSynchronizeEvent(event) == 0 && aclrtResetEvent(event, one) == 0);
  EXPECT(aclrtQueryEventStatus(event, &recorded) == 0 && recorded == ACL_EVENT_RECORDED_STATUS_NOT_READY);
  EXPECT(aclrtSynchronizeStream(one) == 0 && aclrtSynchronizeStreamWithTimeout(two, 10) == 0);
  EXPECT(aclrtSynchronizeStreamWithTimeout(nullptr, -1) == 0);
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStreamWithTimeout(two, 0));
  EXPECT(aclrtStreamQuery(one, &status) == 0 && status == ACL_STREAM_STATUS_COMPLETE);
  REFUSED(ACL_ERROR_INVALID_PARAM, aclrtStreamQuery(one, nullptr));
  for (aclrtEvent each : {event, later, flagged, extra}) {
    EXPECT(aclrtDestroyEvent(each) == 0);
  }
  REFUSED(ACL_ERROR_RT_INVALID_HANDLE, aclrtDestroyEvent(event));
  REFUSED(ACL_ERROR_RT_INVALID_HANDLE, aclrtRecordEvent(event, one));
  REFUSED(ACL_ERROR_INVALID_PARAM, aclrtDestroyEvent(nullptr));
  REFUSED(ACL_ERROR_RT_INVALID_HANDLE, aclrtSynchronizeStream(event));  // an event is no stream
  EXPECT(aclrtDestroyStream(one) == 0 && aclrtDestroyStreamForce(two) == 0);
  REFUSED(ACL_ERROR_RT_INVALID_HANDLE, aclrtDestroyStream(one));
  REFUSED(ACL_ERROR_RT_INVALID_HANDLE, aclrtSynchronizeStream(one));
  REFUSED(ACL_ERROR_INVALID_PARAM, aclrtDestroyStream(nullptr));
}

static void memory() {
  void *device = nullptr, *other = nullptr, *cached = nullptr, *host = nullptr;
  size_t before = 0, after = 0, total = 0;
  int numbers[4] = {1, 2, 3, 4}, back[4] = {0};
  const size_t bytes = sizeof numbers;
  EXPECT(aclrtGetMemInfo(ACL_HBM_MEM, &before, &total) == 0 && before <= total);
  EXPECT(aclrtMalloc(&device, bytes, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
  EXPECT(aclrtMallocAlign32(&other, bytes, ACL_MEM_MALLOC_NORMAL_ONLY) == 0);
  EXPECT(aclrtMallocCached(&cached, bytes, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
  EXPECT(aclrtMallocHost(&host, bytes) == 0);
  EXPECT(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total) == 0 && before - after == 3 * bytes);
  EXPECT(reinterpret_cast<uintptr_t>(device) % 64 == 0 && reinterpret_cast<uintptr_t>(host) % 64 == 0);
  REFUSED(ACL_ERROR_INVALID_PARAM, aclrtMalloc(&other, 0, ACL_MEM_MALLOC_HUGE_FIRST));
  REFUSED(ACL_ERROR_INVALID_PARAM, aclrtMalloc(nullptr, 4, ACL_MEM_MALLOC_HUGE_FIRST));
  REFUSED(ACL_ERROR_INVALID_PARAM, aclrtMalloc(&other, 4, static_cast<aclrtMemMallocPolicy>(99)));
  REFUSED(ACL_ERROR_INVALID_PARAM, aclrtMallocHost(&host, 0));
  REFUSED(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMalloc(&other, total + 1, ACL_MEM_MALLOC_HUGE_FIRST));
  REFUSED(ACL_ERROR_INVALID_PARAM, aclrtGetMemInfo(ACL_HBM_MEM, nullptr, &total));
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtGetMemInfo(static_cast<aclrtMemAttr>(50), &after, &total));

  std::memcpy(host, numbers, bytes);
  EXPECT(aclrtMemcpy(device, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE) == 0);
  EXPECT(aclrtMemcpy(other, bytes, device, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE) == 0);
  EXPECT(aclrtMemcpyAsync(cached, bytes, other, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE, nullptr) == 0);
  EXPECT(aclrtSynchronizeStream(nullptr) == 0);
  EXPECT(aclrtMemcpy(back, bytes, cached, bytes, ACL_MEMCPY_DEFAULT) == 0 && std::memcmp(back, numbers, bytes) == 0);
  EXPECT(aclrtMemcpy(back, bytes, numbers + 1, 8, ACL_MEMCPY_HOST_TO_HOST) == 0 && back[0] == 2 && back[1] == 3);
  void* middle = static_cast<char*>(device) + 8;
  EXPECT(aclrtMemcpy(back, bytes, middle, 8, ACL_MEMCPY_DEVICE_TO_HOST) == 0 && back[0] == 3 && back[1] == 4);
  EXPECT(aclrtMemset(device, bytes, 0, 4) == 0 && aclrtMemsetAsync(middle, 8, 0xFF, 8, nullptr) == 0);
  EXPECT(aclrtSynchronizeStream(nullptr) == 0);
  EXPECT(aclrtMemcpy(back, bytes, device, bytes, ACL_MEMCPY_DEVICE_TO_HOST) == 0);
  EXPECT(back[0] == 0 && back[1] == 2 && back[2] == -1 && back[3] == -1);
  EXPECT(aclrtMemcpy(nullptr, 0, nullptr, 0, ACL_MEMCPY_HOST_TO_DEVICE) == 0);  // nothing to copy, nothing to check
  EXPECT(aclrtMemset(nullptr, 0, 0, 0) == 0 && aclrtMemsetAsync(nullptr, 0, 0, 0, nullptr) == 0);
  EXPECT(aclrtMemcpyAsync(nullptr, 0, nullptr, 0, ACL_MEMCPY_DEFAULT, nullptr) == 0);
  REFUSED(ACL_ERROR_INVALID_PARAM, aclrtMemcpy(nullptr, bytes, numbers, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
  REFUSED(ACL_ERROR_INVALID_PARAM, aclrtMemcpy(device, bytes, numbers, bytes, static_cast<aclrtMemcpyKind>(9)));
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy(device, 4, numbers, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy(middle, bytes, numbers, bytes, ACL_MEMCPY_HOST_TO_DEVICE));  // 8 are left
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy(back, bytes, numbers, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy(back, bytes, numbers, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy(back, bytes, device, bytes, ACL_MEMCPY_HOST_TO_HOST));
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtMemset(device, 4, 0, 8));

  aclrtPtrAttributes attributes;
  EXPECT(aclrtPointerGetAttributes(host, &attributes) == 0 && attributes.location.type == ACL_MEM_LOCATION_TYPE_HOST);
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(host));
  EXPECT(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL) == ACL_ERROR_RT_PARAM_INVALID);
  EXPECT(aclrtGetLastError(ACL_RT_THREAD_LEVEL) == ACL_ERROR_RT_PARAM_INVALID);
  EXPECT(aclrtGetLastError(ACL_RT_THREAD_LEVEL) == 0 && aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL) == 0);
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtGetLastError(static_cast<aclrtLastErrLevel>(3)));
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeHost(device));
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(middle));
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(numbers));
  EXPECT(aclrtFree(device) == 0 && aclrtFree(other) == 0 && aclrtFree(cached) == 0 && aclrtFreeHost(host) == 0);
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(device));
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy(back, bytes, device, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
  REFUSED(ACL_ERROR_INVALID_PARAM, aclrtFree(nullptr));
  REFUSED(ACL_ERROR_INVALID_PARAM, aclrtFreeHost(nullptr));
}

static void types() {
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT(aclDataTypeSize(ACL_FLOAT) == 4 && aclDataTypeSize(ACL_BF16) == 2 && aclDataTypeSize(ACL_STRING) == 0);
  EXPECT(aclDataTypeSize(ACL_DT_UNDEFINED) == 0 && aclDataTypeSize(ACL_INT4) == 1 && aclDataTypeSize(ACL_COMPLEX32) == 4);
  EXPECT(aclDataTypeSize(ACL_COMPLEX128) == 16 && aclDataTypeSize(ACL_INT64) == 8 && aclDataTypeSize(ACL_FLOAT4_E2M1) == 8);
  EXPECT(aclFloatToFloat16(1.0f) == 0x3C00 && aclFloatToFloat16(-2.5f) == 0xC100 && aclFloatToFloat16(65504.0f) == 0x7BFF);
  EXPECT(aclFloatToFloat16(inf) == 0x7BFF && aclFloatToFloat16(-inf) == 0xFBFF && aclFloatToFloat16(1e9f) == 0x7BFF);
  EXPECT((aclFloatToFloat16(std::nanf("")) & 0x7FFF) == 0x7BFF);
  EXPECT(aclFloat16ToFloat(0x7C00) == 65536.0f && aclFloat16ToFloat(0x7E00) == 98304.0f && aclFloat16ToFloat(0xC100) == -2.5f);
  for (int bits = 0; bits < 0x7C00; ++bits) {  // every number comes back, the subnormal ones too
    EXPECT(aclFloatToFloat16(aclFloat16ToFloat(static_cast<aclFloat16>(bits))) == bits);
  }
  EXPECT(aclFloatToFloat16(1.0f + 1.0f / 2048) == 0x3C00 && aclFloatToFloat16(1.0f + 3.0f / 2048) == 0x3C02);  // ties to even
  EXPECT(aclFloatToFloat16(std::ldexp(1.0f, -25)) == 0 && aclFloatToFloat16(std::ldexp(1.5f, -25)) == 1);
  EXPECT(aclFloatToFloat16(2047.9f) == 0x6800);  // the carry reaches the exponent
  ACL_APP_LOG(ACL_ERROR, "logged %d", 42);
  ACL_APP_LOG(ACL_DEBUG, "not logged %d", 43);
}

static void allocators() {
  const auto allocate = [](aclrtAllocator, size_t) -> void* { return nullptr; };
  const auto advise = [](aclrtAllocator, size_t, aclrtAllocatorAddr) -> void* { return nullptr; };
  const auto release = [](aclrtAllocator, aclrtAllocatorBlock) {};
  const auto address = [](aclrtAllocatorBlock block) -> void* { return block; };
  int object = 0;
  aclrtAllocatorDesc desc = aclrtAllocatorCreateDesc();
  EXPECT(desc != nullptr && aclrtAllocatorSetObjToDesc(desc, &object) == 0);
  EXPECT(aclrtAllocatorSetAllocFuncToDesc(desc, allocate) == 0 && aclrtAllocatorSetFreeFuncToDesc(desc, release) == 0);
  EXPECT(aclrtAllocatorSetAllocAdviseFuncToDesc(desc, advise) == 0);
  EXPECT(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, address) == 0);
  REFUSED(ACL_ERROR_INVALID_PARAM, aclrtAllocatorSetFreeFuncToDesc(desc, nullptr));
  EXPECT(aclrtAllocatorRegister(nullptr, desc) == 0 && aclrtAllocatorUnregister(nullptr) == 0);
  EXPECT(aclrtAllocatorDestroyDesc(desc) == 0);
  REFUSED(ACL_ERROR_INVALID_PARAM, aclrtAllocatorDestroyDesc(desc));
  REFUSED(ACL_ERROR_INVALID_PARAM, aclrtAllocatorRegister(nullptr, nullptr));
}

int main() {
  life();
  messages();
  EXPECT(aclInit(nullptr) == 0);
  before_a_device();
  EXPECT(aclrtSetDevice(0) == 0);
  devices();
  contexts();
  streams_and_events();
  memory();
  types();
  allocators();
  EXPECT(aclrtSetDevice(0) == 0);
  EXPECT(aclrtResetDevice(0) == 0 && aclrtSynchronizeDevice() == 0);  // set twice, reset once
  EXPECT(aclrtResetDeviceForce(0) == 0);
  REFUSED(ACL_ERROR_RT_CONTEXT_NULL, aclrtSynchronizeDevice());
  REFUSED(ACL_ERROR_RT_INVALID_DEVICEID, aclrtResetDevice(5));
  EXPECT(aclFinalize() == 0);
  std::printf("%d expectations\n", expectations.load());
  return 0;
}
