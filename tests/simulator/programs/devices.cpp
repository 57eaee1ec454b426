// Several devices, the default one of the configuration, and memory that a program maps itself. It runs with two devices
// of 8 GiB each unless the environment says otherwise.
#include <fstream>
#include <thread>
#include <unistd.h>

#include "aclnnop/aclnn_prelu.h"
#include "expect.h"

static const size_t MIB = size_t{1} << 20, GIB = size_t{1} << 30;

static void configurations() {
  const std::string path = "devices." + std::to_string(getpid()) + ".json";
  for (const char* wrong : {"{\"defaultDevice\": {\"default_device\": \"7\"}}", "{\"defaultDevice\":{\"default_device\":\"x\"}}"}) {
    std::ofstream(path) << wrong;
    EXPECT(aclInit(path.c_str()) != 0 && aclGetRecentErrMsg() != nullptr);
  }
  std::ofstream(path) << "{\"dump\": {\"dump_scene\": \"none\"}, \"defaultDevice\" : { \"default_device\" : \"1\" } }";
  EXPECT(aclInit(path.c_str()) == 0);
  std::thread([] {
    int32_t device = -1;
    EXPECT(aclrtGetDevice(&device) == 0 && device == 1);  // which this thread has not set
    void* memory = upload(std::vector<float>{1, 2});
    EXPECT(download<float>(memory, 2)[1] == 2 && aclrtFree(memory) == 0);
    EXPECT(aclrtSetDevice(0) == 0 && aclrtGetDevice(&device) == 0 && device == 0);
    EXPECT(aclrtResetDevice(0) == 0);
  }).join();
  EXPECT(aclrtSetDevice(1) == 0 && aclrtResetDevice(1) == 0 && aclFinalize() == 0);
  std::ofstream(path) << "{}";
  EXPECT(aclInit(path.c_str()) == 0);
  int32_t device = -1;
  REFUSED(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDevice(&device));  // the default ends with the runtime
  std::remove(path.c_str());
}

static void several() {
  uint32_t count = 0, flags = 7;
  int32_t device = -1, reaches = -1, active = -1;
  size_t free = 0, total = 0, other = 0;
  EXPECT(aclrtGetDeviceCount(&count) == 0 && count == 2);
  EXPECT(aclrtGetPrimaryCtxState(1, &flags, &active) == 0 && flags == 0 && active == 0);
  EXPECT(aclrtSetDevice(1) == 0 && aclrtGetDevice(&device) == 0 && device == 1);
  EXPECT(aclrtGetPrimaryCtxState(1, &flags, &active) == 0 && active == 1);
  REFUSED(ACL_ERROR_INVALID_PARAM, aclrtGetPrimaryCtxState(1, nullptr, &active));
  EXPECT(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total) == 0 && free == total && total == 8 * GIB);
  void* there = upload(std::vector<float>{1, 2, 3, 4});
  EXPECT(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total) == 0 && free < total);
  EXPECT(aclrtSetDevice(0) == 0 && aclrtGetMemInfo(ACL_HBM_MEM, &other, &total) == 0 && other == total);
  EXPECT(aclrtDeviceCanAccessPeer(&reaches, 0, 1) == 0 && reaches == 1);
  EXPECT(aclrtDeviceCanAccessPeer(&reaches, 0, 0) == 0 && reaches == 0);
  EXPECT(aclrtDeviceEnablePeerAccess(1, 0) == 0 && aclrtDeviceDisablePeerAccess(1) == 0);
  REFUSED(ACL_ERROR_INVALID_PARAM, aclrtDeviceCanAccessPeer(nullptr, 0, 1));
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtDeviceEnablePeerAccess(0, 0));
  REFUSED(ACL_ERROR_RT_INVALID_DEVICEID, aclrtDeviceDisablePeerAccess(2));
  void* here = upload(std::vector<float>(4));
  EXPECT(aclrtMemcpy(here, 16, there, 16, ACL_MEMCPY_DEVICE_TO_DEVICE) == 0 && download<float>(here, 4)[3] == 4);
  REFUSED(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(2));
  aclrtPtrAttributes attributes;
  EXPECT(aclrtPointerGetAttributes(there, &attributes) == 0 && attributes.location.id == 1);
  EXPECT(attributes.location.type == ACL_MEM_LOCATION_TYPE_DEVICE);
  EXPECT(aclrtPointerGetAttributes(&count, &attributes) == 0 && attributes.location.type == ACL_MEM_LOCATION_TYPE_UNREGISTERED);
  REFUSED(ACL_ERROR_INVALID_PARAM, aclrtPointerGetAttributes(there, nullptr));
  EXPECT(aclrtFree(here) == 0 && aclrtFree(there) == 0 && aclrtResetDevice(1) == 0);
}

// What a program allocates at once and hardly uses.
static void large() {
  void *most = nullptr, *more = nullptr;
  size_t free = 0, total = 0;
  EXPECT(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total) == 0 && free == total);
  EXPECT(aclrtMalloc(&most, total, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
  REFUSED(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMalloc(&more, 1, ACL_MEM_MALLOC_HUGE_FIRST));
  EXPECT(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total) == 0 && free == 0);
  char* end = static_cast<char*>(most) + total - 4;
  const int value = 42;
  EXPECT(aclrtMemcpy(end, 4, &value, 4, ACL_MEMCPY_HOST_TO_DEVICE) == 0 && download<int>(end, 1)[0] == 42);
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy(end, 8, end - 8, 8, ACL_MEMCPY_DEVICE_TO_DEVICE));
  EXPECT(aclrtFree(most) == 0 && aclrtMalloc(&most, total, ACL_MEM_MALLOC_HUGE_FIRST) == 0 && aclrtFree(most) == 0);
  REFUSED(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMalloc(&more, total + 1, ACL_MEM_MALLOC_HUGE_FIRST));
}

static aclrtDrvMemHandle physical(size_t size) {
  aclrtPhysicalMemProp prop = {};
  prop.memAttr = ACL_HBM_MEM_HUGE;
  prop.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
  aclrtDrvMemHandle handle = nullptr;
  EXPECT(aclrtMallocPhysical(&handle, size, &prop, 0) == 0);
  return handle;
}

// A call on tensors that begin in one handle and end in the next.
static void across(char* range) {
  const int64_t count = 3 * MIB / sizeof(float), one = 1;
  std::vector<float> values(count);
  for (int64_t at = 0; at < count; ++at) values[at] = static_cast<float>(at % 7 - 3);
  char* input = range;
  EXPECT(aclrtMemcpy(input, 3 * MIB, values.data(), 3 * MIB, ACL_MEMCPY_HOST_TO_DEVICE) == 0);
  void *slope = upload(std::vector<float>{0.5f}), *workspace = nullptr;
  aclTensor *self = floats({1, count}, input), *weight = floats({1}, slope), *out = floats({1, count}, input);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  EXPECT(aclnnPreluGetWorkspaceSize(self, weight, out, &size, &executor) == 0);
  if (size > 0) EXPECT(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
  EXPECT(aclnnPrelu(workspace, size, executor, nullptr) == 0 && aclrtSynchronizeStream(nullptr) == 0);
  const std::vector<float> found = download<float>(input, count);
  for (int64_t at = 0; at < count; ++at) {
    if (found[at] != (values[at] > 0 ? values[at] : values[at] / 2)) EXPECT(!"the values are right");
  }
  EXPECT(found.size() == static_cast<size_t>(count) && one == 1);
  for (aclTensor* each : {self, weight, out}) EXPECT(aclDestroyTensor(each) == 0);
  EXPECT(aclrtFree(slope) == 0);
  if (workspace != nullptr) EXPECT(aclrtFree(workspace) == 0);
}

static void mapped() {
  size_t granularity = 0, before = 0, after = 0, total = 0;
  aclrtPhysicalMemProp prop = {};
  EXPECT(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &granularity) == 0 && granularity == 2 * MIB);
  REFUSED(ACL_ERROR_INVALID_PARAM, aclrtMemGetAllocationGranularity(nullptr, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &granularity));
  EXPECT(aclrtGetMemInfo(ACL_HBM_MEM, &before, &total) == 0);
  void *range = nullptr, *none = nullptr;
  EXPECT(aclrtReserveMemAddress(&range, 64 * GIB, 0, nullptr, 1) == 0);  // more than there is: it costs addresses
  EXPECT(aclrtReserveMemAddress(&none, 512, 0, nullptr, 1) == 0 && aclrtReleaseMemAddress(none) == 0);  // rounded up
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtReserveMemAddress(&none, 0, 0, nullptr, 1));
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtReserveMemAddress(&none, 2 * MIB, 64, nullptr, 1));
  REFUSED(ACL_ERROR_INVALID_PARAM, aclrtReserveMemAddress(nullptr, 2 * MIB, 0, nullptr, 1));
  EXPECT(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total) == 0 && after == before);
  char* base = static_cast<char*>(range);
  EXPECT(reinterpret_cast<uintptr_t>(base) % granularity == 0);
  char text[] = "mapped";
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy(base, 7, text, 7, ACL_MEMCPY_HOST_TO_DEVICE));  // nothing is there yet

  aclrtDrvMemHandle first = physical(2 * MIB), second = physical(4 * MIB), bad = nullptr;
  EXPECT(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total) == 0 && before - after == 6 * MIB);
  prop.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtMallocPhysical(&bad, MIB, &prop, 0));
  REFUSED(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMallocPhysical(&bad, total, &prop, 0));
  prop.location.id = 9;
  REFUSED(ACL_ERROR_RT_INVALID_DEVICEID, aclrtMallocPhysical(&bad, 2 * MIB, &prop, 0));
  EXPECT(aclrtMapMem(base, 2 * MIB, 0, first, 0) == 0 && aclrtMapMem(base + 2 * MIB, 4 * MIB, 0, second, 0) == 0);
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtMapMem(base, 2 * MIB, 0, first, 0));            // it is mapped
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtMapMem(base + 1, 2 * MIB, 0, first, 0));        // no multiple
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtMapMem(base + 8 * MIB, MIB, 0, first, 0));      // not all of it
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtMapMem(text, 2 * MIB, 0, first, 0));            // not reserved
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtMapMem(base + 8 * MIB, 2 * MIB, 0, range, 0));  // no handle
  across(base);
  EXPECT(aclrtMemcpy(base + 2 * MIB - 3, 7, text, 7, ACL_MEMCPY_HOST_TO_DEVICE) == 0);  // across the border
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtMemset(base + 6 * MIB - 2, 4, 0, 4));        // 2 bytes are left
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(base));
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtReleaseMemAddress(base));  // it holds memory

  EXPECT(aclrtUnmapMem(base + 2 * MIB) == 0);
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtUnmapMem(base + 2 * MIB));
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtMemset(base + 2 * MIB, 4, 0, 4));
  EXPECT(aclrtMapMem(base + 32 * GIB, 4 * MIB, 0, second, 0) == 0);
  EXPECT(std::memcmp(download<char>(base + 32 * GIB, 4).data(), "ped", 4) == 0);  // what was written stays
  EXPECT(aclrtFreePhysical(second) == 0);  // the mapping holds it
  EXPECT(download<char>(base + 32 * GIB, 4)[0] == 'p');
  EXPECT(aclrtUnmapMem(base + 32 * GIB) == 0 && aclrtUnmapMem(base) == 0 && aclrtFreePhysical(first) == 0);
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtFreePhysical(first));
  EXPECT(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total) == 0 && after == before);
  uint64_t shared = 0;
  int32_t process = 1;
  aclrtDrvMemHandle handle = physical(2 * MIB);
  REFUSED(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, 0, &shared));
  REFUSED(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtMemImportFromShareableHandle(1, 0, &bad));
  REFUSED(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtMemSetPidToShareableHandle(1, &process, 1));
  EXPECT(aclrtFreePhysical(handle) == 0);
  EXPECT(aclrtReleaseMemAddress(base) == 0);
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtReleaseMemAddress(base));
}

int main() {
  setenv("ACLSPEC_DEVICES", "2", 0);
  setenv("ACLSPEC_DEVICE_MEMORY", "8G", 0);
  configurations();
  several();
  large();
  mapped();
  EXPECT(aclrtResetDevice(0) == 0 && aclFinalize() == 0);
  std::printf("%d expectations\n", expectations.load());
  return 0;
}
