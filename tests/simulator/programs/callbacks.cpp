// Functions that a stream calls, the answers about failures and timeouts, and channels.
#include <pthread.h>

#include <thread>

#include "acl/acl_prof.h"
#include "acl/acl_tdt.h"
#include "expect.h"

static std::string order;
static std::thread::id caller;

static void note(void* letter) {
  order += *static_cast<const char*>(letter);
  caller = std::this_thread::get_id();
}

static void on_the_host() {
  aclrtStream stream = nullptr;
  char a = 'a', b = 'b';
  EXPECT(aclrtCreateStream(&stream) == 0);
  EXPECT(aclrtLaunchHostFunc(stream, note, &a) == 0 && aclrtLaunchHostFunc(nullptr, note, &b) == 0);
  EXPECT(aclrtSynchronizeStream(stream) == 0 && aclrtSynchronizeStream(nullptr) == 0);
  EXPECT(order == "ab");
  REFUSED(ACL_ERROR_INVALID_PARAM, aclrtLaunchHostFunc(stream, nullptr, &a));
  REFUSED(ACL_ERROR_RT_INVALID_HANDLE, aclrtLaunchHostFunc(&a, note, &a));
  EXPECT(aclrtDestroyStream(stream) == 0);
}

// A thread asks for reports until it is told to end.
struct Reporter {
  std::atomic<bool> over{false};
  std::thread thread{[this] { while (!over) aclrtProcessReport(20); }};
  uint64_t id() { return static_cast<uint64_t>(thread.native_handle()); }
  void end() {
    over = true;
    thread.join();
  }
};

static void in_another_thread() {
  aclrtStream stream = nullptr;
  char x = 'x', y = 'y';
  order.clear();
  EXPECT(aclrtCreateStream(&stream) == 0);
  REFUSED(ACL_ERROR_RT_STREAM_NO_CB_REG, aclrtLaunchCallback(note, &x, ACL_CALLBACK_BLOCK, stream));
  Reporter reporter;
  const std::thread::id there = reporter.thread.get_id();
  EXPECT(aclrtSubscribeReport(reporter.id(), stream) == 0);
  REFUSED(ACL_ERROR_RT_STREAM_SUBSCRIBE, aclrtSubscribeReport(1, stream));
  REFUSED(ACL_ERROR_INVALID_PARAM, aclrtLaunchCallback(nullptr, &x, ACL_CALLBACK_BLOCK, stream));
  REFUSED(ACL_ERROR_INVALID_PARAM, aclrtLaunchCallback(note, &x, static_cast<aclrtCallbackBlockType>(7), stream));
  EXPECT(aclrtLaunchCallback(note, &x, ACL_CALLBACK_NO_BLOCK, stream) == 0);
  EXPECT(aclrtLaunchCallback(note, &y, ACL_CALLBACK_BLOCK, stream) == 0);
  EXPECT(aclrtSynchronizeStream(stream) == 0);
  EXPECT(order == "xy" && caller == there);  // the stream has waited for the second, and so for the first
  REFUSED(ACL_ERROR_RT_THREAD_SUBSCRIBE, aclrtUnSubscribeReport(1, stream));
  EXPECT(aclrtUnSubscribeReport(reporter.id(), stream) == 0);
  REFUSED(ACL_ERROR_RT_STREAM_NO_CB_REG, aclrtLaunchCallback(note, &x, ACL_CALLBACK_BLOCK, stream));
  reporter.end();
  EXPECT(aclrtDestroyStream(stream) == 0);
}

static void in_this_thread() {
  char z = 'z';
  order.clear();
  REFUSED(ACL_ERROR_RT_THREAD_SUBSCRIBE, aclrtProcessReport(10));
  REFUSED(ACL_ERROR_RT_PARAM_INVALID, aclrtProcessReport(0));
  EXPECT(aclrtSubscribeReport(static_cast<uint64_t>(pthread_self()), nullptr) == 0);
  REFUSED(ACL_ERROR_RT_WAIT_TIMEOUT, aclrtProcessReport(1));
  EXPECT(aclrtLaunchCallback(note, &z, ACL_CALLBACK_BLOCK, nullptr) == 0 && aclrtSynchronizeStream(nullptr) == 0);
  EXPECT(order.empty());  // it waits for this thread
  EXPECT(aclrtProcessReport(-1) == 0 && order == "z");
  EXPECT(aclrtUnSubscribeReport(static_cast<uint64_t>(pthread_self()), nullptr) == 0);
}

static void failures() {
  int32_t one = -1, two = -1, process = 0;
  aclrtStream stream = nullptr;
  EXPECT(aclrtCreateStream(&stream) == 0);
  EXPECT(aclrtStreamGetId(stream, &one) == 0 && aclrtStreamGetId(nullptr, &two) == 0 && one >= 0 && one != two);
  REFUSED(ACL_ERROR_INVALID_PARAM, aclrtStreamGetId(stream, nullptr));
  EXPECT(aclrtSetExceptionInfoCallback([](aclrtExceptionInfo*) {}) == 0 && aclrtSetExceptionInfoCallback(nullptr) == 0);
  EXPECT(aclrtGetTaskIdFromExceptionInfo(nullptr) == 0xFFFFFFFF && aclrtGetStreamIdFromExceptionInfo(nullptr) == 0xFFFFFFFF);
  EXPECT(aclrtGetThreadIdFromExceptionInfo(nullptr) == 0xFFFFFFFF && aclrtGetDeviceIdFromExceptionInfo(nullptr) == 0xFFFFFFFF);
  EXPECT(aclrtGetErrorCodeFromExceptionInfo(nullptr) == 0xFFFFFFFF);
  EXPECT(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_INFNAN) == 0 && aclrtSetOpWaitTimeout(9) == 0 && aclrtSetOpExecuteTimeOut(9) == 0);
  EXPECT(aclrtSetStreamFailureMode(stream, 1) == 0 && aclrtSetStreamOverflowSwitch(stream, 1) == 0);
  EXPECT(aclrtDeviceGetBareTgid(&process) == 0 && process > 0);
  REFUSED(ACL_ERROR_INVALID_PARAM, aclrtDeviceGetBareTgid(nullptr));
  aclrtBinHandle binary = nullptr;
  aclrtFuncHandle function = nullptr;
  REFUSED(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtBinaryLoadFromData("", 0, nullptr, &binary));
  REFUSED(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtBinaryGetFunction(binary, "f", &function));
  REFUSED(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtGetFunctionAddr(function, nullptr, nullptr));
  EXPECT(aclmdlInitDump() == 0 && aclmdlSetDump("") == 0 && aclmdlFinalizeDump() == 0);
  EXPECT(aclrtDestroyStream(stream) == 0);
}

static void channels() {
  size_t size = 7, slices = 7, slice = 7;
  int64_t dims[2] = {2, 3}, back[2] = {};
  float data[6] = {};
  acltdtChannelHandle *channel = acltdtCreateChannel(0, "one"), *wide = acltdtCreateChannelWithCapacity(0, "two", 8);
  EXPECT(channel != nullptr && wide != nullptr && channel != wide);
  EXPECT(acltdtCreateChannel(5, "far") == nullptr && aclGetRecentErrMsg() != nullptr);
  EXPECT(acltdtCreateChannel(0, nullptr) == nullptr && aclGetRecentErrMsg() != nullptr);
  EXPECT(acltdtQueryChannelSize(channel, &size) == 0 && size == 0);
  REFUSED(ACL_ERROR_INVALID_PARAM, acltdtQueryChannelSize(channel, nullptr));
  acltdtDataset* dataset = acltdtCreateDataset();
  acltdtDataItem* item = acltdtCreateDataItem(ACL_TENSOR_DATA_TENSOR, dims, 2, ACL_FLOAT, data, sizeof data);
  EXPECT(acltdtCreateDataItem(ACL_TENSOR_DATA_TENSOR, nullptr, 2, ACL_FLOAT, data, 4) == nullptr);
  EXPECT(acltdtGetDatasetSize(dataset) == 0 && acltdtAddDataItem(dataset, item) == 0 && acltdtGetDatasetSize(dataset) == 1);
  EXPECT(acltdtGetDataItem(dataset, 0) == item && acltdtGetDataItem(dataset, 1) == nullptr);
  EXPECT(std::strcmp(acltdtGetDatasetName(dataset), "") == 0);
  EXPECT(acltdtGetTensorTypeFromItem(item) == ACL_TENSOR_DATA_TENSOR && acltdtGetDataTypeFromItem(item) == ACL_FLOAT);
  EXPECT(acltdtGetDataAddrFromItem(item) == data && acltdtGetDataSizeFromItem(item) == sizeof data);
  EXPECT(acltdtGetDimNumFromItem(item) == 2 && acltdtGetDimsFromItem(item, back, 2) == 0 && back[1] == 3);
  REFUSED(ACL_ERROR_INVALID_PARAM, acltdtGetDimsFromItem(item, back, 1));
  EXPECT(acltdtGetSliceInfoFromItem(item, &slices, &slice) == 0 && slices == 0 && slice == 0);
  REFUSED(ACL_ERROR_INVALID_PARAM, acltdtGetSliceInfoFromItem(item, nullptr, &slice));
  EXPECT(acltdtReceiveTensor(channel, dataset, 0) == ACL_ERROR_RT_QUEUE_EMPTY && acltdtReceiveTensor(wide, dataset, 1) == 207013);
  REFUSED(ACL_ERROR_FEATURE_UNSUPPORTED, acltdtSendTensor(channel, dataset, 0));
  REFUSED(ACL_ERROR_INVALID_PARAM, acltdtSendTensor(nullptr, dataset, 0));
  EXPECT(acltdtCleanChannel(channel) == 0 && acltdtStopChannel(channel) == 0 && acltdtDestroyChannel(channel) == 0);
  EXPECT(acltdtDestroyChannel(wide) == 0 && acltdtDestroyDataset(dataset) == 0 && acltdtDestroyDataItem(item) == 0);
  REFUSED(ACL_ERROR_INVALID_PARAM, acltdtDestroyDataItem(item));
  EXPECT(acltdtGetTensorTypeFromItem(nullptr) == ACL_TENSOR_DATA_UNDEFINED && acltdtGetDataTypeFromItem(nullptr) == ACL_DT_UNDEFINED);
}

static void profiler() {
  uint32_t device = 0;
  aclprofConfig* config = aclprofCreateConfig(&device, 1, ACL_AICORE_PIPE_UTILIZATION, nullptr, 1);
  EXPECT(aclprofInit("out", 3) == 0 && aclprofSetConfig(1, "x", 1) == 0 && config != nullptr);
  EXPECT(aclprofStart(config) == 0 && aclprofStop(config) == 0 && aclprofFinalize() == 0);
  EXPECT(aclprofDestroyConfig(config) == 0);
  REFUSED(ACL_ERROR_INVALID_PARAM, aclprofDestroyConfig(config));
  REFUSED(ACL_ERROR_INVALID_PARAM, aclprofDestroyConfig(nullptr));
}

int main() {
  start();
  on_the_host();
  in_another_thread();
  in_this_thread();
  failures();
  channels();
  profiler();
  return finish();
}
