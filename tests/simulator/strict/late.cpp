// Strict mode: what is launched runs when the program waits for it. Every step looks at the memory before and after.
#include "aclnnop/aclnn_prelu.h"
#include "programs/expect.h"

namespace {

using Floats = std::vector<float>;
const Floats data = {-1, 2, -3, 4}, halved = {-0.5f, 2, -1.5f, 4}, before = {9, 9, 9, 9};
constexpr size_t BYTES = 4 * sizeof(float);

struct Call {
  void *in = upload(data), *by = upload(Floats{0.5f}), *to = upload(before), *workspace = nullptr;
  aclTensor *self = floats({4}, in), *weight = floats({1}, by), *out = floats({4}, to);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;

  void launch(aclrtStream stream = nullptr) {
    EXPECT(aclnnPreluGetWorkspaceSize(self, weight, out, &size, &executor) == 0);
    if (workspace == nullptr) EXPECT(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    EXPECT(aclnnPrelu(workspace, size, executor, stream) == 0);
  }
  Floats result() { return download<float>(to, 4); }
  ~Call() {
    for (aclTensor* each : {self, weight, out}) EXPECT(aclDestroyTensor(each) == 0);
    for (void* each : {in, by, to, workspace}) if (each != nullptr) EXPECT(aclrtFree(each) == 0);
  }
};

void a_result_is_there_when_the_stream_is_synchronized() {
  Call call;
  call.launch();
  EXPECT(call.result() == before);  // too early
  EXPECT(aclrtSynchronizeStream(nullptr) == 0);
  EXPECT(call.result() == halved);
  EXPECT(aclrtSynchronizeStream(nullptr) == 0 && call.result() == halved);  // it runs once
}

void an_input_that_is_overwritten_is_what_the_call_sees() {
  Call call;
  call.launch();
  const Floats later = {-8, -8, -8, 8};
  EXPECT(aclrtMemcpy(call.in, BYTES, later.data(), BYTES, ACL_MEMCPY_HOST_TO_DEVICE) == 0);
  EXPECT(aclrtSynchronizeDevice() == 0);
  EXPECT(call.result() == Floats({-4, -4, -4, 8}));
}

void handles_may_go_before_the_call_runs() {
  Call call;
  call.launch();
  for (aclTensor** each : {&call.self, &call.weight, &call.out}) {
    EXPECT(aclDestroyTensor(*each) == 0);
    *each = nullptr;
  }
  EXPECT(aclrtSynchronizeStream(nullptr) == 0 && call.result() == halved);
}

void each_launch_has_its_own_addresses() {
  Call call;
  void *other = upload(Floats{-2, -2, -2, -2}), *target = upload(before);
  EXPECT(aclnnPreluGetWorkspaceSize(call.self, call.weight, call.out, &call.size, &call.executor) == 0);
  EXPECT(aclSetAclOpExecutorRepeatable(call.executor) == 0);
  EXPECT(aclrtMalloc(&call.workspace, call.size, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
  EXPECT(aclnnPrelu(call.workspace, call.size, call.executor, nullptr) == 0);
  EXPECT(aclSetInputTensorAddr(call.executor, 0, call.self, other) == 0);
  EXPECT(aclSetOutputTensorAddr(call.executor, 0, call.out, target) == 0);
  EXPECT(aclnnPrelu(call.workspace, call.size, call.executor, nullptr) == 0);
  EXPECT(aclDestroyAclOpExecutor(call.executor) == 0);
  EXPECT(aclrtSynchronizeStream(nullptr) == 0);
  EXPECT(call.result() == halved && download<float>(target, 4) == Floats(4, -1.0f));
  EXPECT(aclrtFree(other) == 0 && aclrtFree(target) == 0);
}

void copies_go_in_the_order_of_their_stream() {
  Call call;
  Floats mine = {-4, -4, 4, 4}, back(4, 0.0f);
  void* pinned = nullptr;
  EXPECT(aclrtMallocHost(&pinned, BYTES) == 0);
  std::memcpy(pinned, before.data(), BYTES);
  EXPECT(aclrtMemcpyAsync(call.in, BYTES, mine.data(), BYTES, ACL_MEMCPY_HOST_TO_DEVICE, nullptr) == 0);
  mine.assign(4, 77.0f);  // the host's own memory is taken at once, since it may be gone later
  call.launch();
  EXPECT(aclrtMemcpyAsync(pinned, BYTES, call.to, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, nullptr) == 0);
  EXPECT(std::memcmp(pinned, before.data(), BYTES) == 0);  // not yet
  EXPECT(aclrtMemsetAsync(call.to, BYTES, 0, BYTES, nullptr) == 0);
  EXPECT(aclrtSynchronizeStream(nullptr) == 0);
  EXPECT(std::memcmp(pinned, Floats({-2, -2, 4, 4}).data(), BYTES) == 0);
  EXPECT(call.result() == Floats(4, 0.0f));  // the filling came behind the copy
  std::memcpy(pinned, data.data(), BYTES);
  EXPECT(aclrtMemcpyAsync(call.in, BYTES, pinned, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, nullptr) == 0);
  std::memcpy(pinned, before.data(), BYTES);  // memory of aclrtMallocHost is read when the stream gets there
  EXPECT(aclrtMemcpyAsync(back.data(), BYTES, call.in, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, nullptr) == 0);
  EXPECT(back == before);  // memory that may be gone later is written at once, behind all before it
  EXPECT(aclrtSynchronizeStream(nullptr) == 0 && aclrtFreeHost(pinned) == 0);
}

void an_event_holds_up_another_stream() {
  aclrtStream one = nullptr, two = nullptr;
  aclrtEvent event = nullptr, start = nullptr;
  EXPECT(aclrtCreateStream(&one) == 0 && aclrtCreateStream(&two) == 0);
  EXPECT(aclrtCreateEvent(&event) == 0 && aclrtCreateEvent(&start) == 0);
  Call call;
  void* copy = upload(before);
  call.launch(one);
  EXPECT(aclrtMemcpyAsync(copy, BYTES, call.to, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, two) == 0);
  EXPECT(aclrtSynchronizeStream(two) == 0);
  EXPECT(download<float>(copy, 4) == before);  // the second stream knew nothing of the first
  EXPECT(aclrtSynchronizeStream(one) == 0);
  EXPECT(aclrtMemcpy(call.to, BYTES, before.data(), BYTES, ACL_MEMCPY_HOST_TO_DEVICE) == 0);
  EXPECT(aclrtRecordEvent(start, one) == 0);
  call.launch(one);
  EXPECT(aclrtRecordEvent(event, one) == 0 && aclrtStreamWaitEvent(two, event) == 0);
  EXPECT(aclrtMemcpyAsync(copy, BYTES, call.to, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, two) == 0);
  EXPECT(aclrtSynchronizeStream(two) == 0);
  EXPECT(download<float>(copy, 4) == halved && call.result() == halved);
  float milliseconds = -1;
  EXPECT(aclrtEventElapsedTime(&milliseconds, start, event) == 0 && milliseconds > 0);
  EXPECT(aclrtDestroyEvent(event) == 0 && aclrtDestroyEvent(start) == 0 && aclrtFree(copy) == 0);
  EXPECT(aclrtSynchronizeStream(one) == 0 && aclrtDestroyStream(one) == 0 && aclrtDestroyStream(two) == 0);
}

void who_asks_is_told_to_come_again() {
  aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
  aclrtEventRecordedStatus recorded = ACL_EVENT_RECORDED_STATUS_COMPLETE;
  aclrtEvent event = nullptr;
  EXPECT(aclrtCreateEvent(&event) == 0);
  Call call;
  call.launch();
  EXPECT(aclrtStreamQuery(nullptr, &status) == 0 && status == ACL_STREAM_STATUS_NOT_READY);
  EXPECT(aclrtStreamQuery(nullptr, &status) == 0 && status == ACL_STREAM_STATUS_COMPLETE);
  EXPECT(call.result() == halved);
  call.launch();
  EXPECT(aclrtRecordEvent(event, nullptr) == 0);
  EXPECT(aclrtQueryEventStatus(event, &recorded) == 0 && recorded == ACL_EVENT_RECORDED_STATUS_NOT_READY);
  EXPECT(aclrtQueryEventStatus(event, &recorded) == 0 && recorded == ACL_EVENT_RECORDED_STATUS_COMPLETE);
  EXPECT(aclrtRecordEvent(event, nullptr) == 0 && aclrtDestroyEvent(event) == 0);
  EXPECT(aclrtCreateEvent(&event) == 0);
  call.launch();
  EXPECT(aclrtRecordEvent(event, nullptr) == 0 && aclrtDestroyEvent(event) == 0);  // gone before the stream gets there
  EXPECT(aclrtSynchronizeStream(nullptr) == 0);
}

void a_failure_comes_with_the_waiting() {
  Call call;
  call.launch();
  EXPECT(aclrtFree(call.in) == 0);
  call.in = nullptr;
  EXPECT(aclrtSynchronizeStream(nullptr) == ACL_ERROR_RT_AICORE_EXCEPTION);
  const std::string said = aclGetRecentErrMsg();
  EXPECT(said.find("The address of self (float32[4]:ND) is in device memory that is freed.") != std::string::npos);
  EXPECT(said.find(" - while calling aclnnPrelu") != std::string::npos);
  EXPECT(aclrtSynchronizeStream(nullptr) == 0 && call.result() == before);  // told once
}

void a_stream_ends_with_all_of_its_work_done() {
  aclrtStream stream = nullptr;
  aclrtContext first = nullptr, own = nullptr;
  EXPECT(aclrtCreateStream(&stream) == 0);
  {
    Call call;
    call.launch(stream);
    EXPECT(aclrtDestroyStream(stream) == 0 && call.result() == halved);
  }
  EXPECT(aclrtGetCurrentContext(&first) == 0 && aclrtCreateContext(&own, 0) == 0);
  Call call;
  call.launch();
  EXPECT(aclrtDestroyContext(own) == 0 && aclrtSetCurrentContext(first) == 0 && call.result() == halved);
}

}  // namespace

int main() {
  start();
  a_result_is_there_when_the_stream_is_synchronized();
  an_input_that_is_overwritten_is_what_the_call_sees();
  handles_may_go_before_the_call_runs();
  each_launch_has_its_own_addresses();
  copies_go_in_the_order_of_their_stream();
  an_event_holds_up_another_stream();
  who_asks_is_told_to_come_again();
  a_failure_comes_with_the_waiting();
  a_stream_ends_with_all_of_its_work_done();
  return finish();
}
