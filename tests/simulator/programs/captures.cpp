// Graphs: what a captured stream is given runs only when the graph does, again and again, in the memory that it was given.
#include <thread>

#include "aclnnop/aclnn_add.h"
#include "expect.h"

using Floats = std::vector<float>;
static const bool strict = std::getenv("ACLSPEC_STRICT") != nullptr;  // there the use of what is destroyed is reported

struct Sum {  // to = one + other
  aclTensor *one, *other, *to;
  aclScalar* alpha;
};

static Sum sum(void* one, void* other, void* to) {
  float alpha = 1;
  return {floats({4}, one), floats({4}, other), floats({4}, to), aclCreateScalar(&alpha, ACL_FLOAT)};
}

static void end(const Sum& sum) {
  for (aclTensor* each : {sum.one, sum.other, sum.to}) EXPECT(aclDestroyTensor(each) == 0);
  EXPECT(aclDestroyScalar(sum.alpha) == 0);
}

static void add(void* one, void* other, void* to, aclrtStream stream) {
  const Sum made = sum(one, other, to);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  void* workspace = nullptr;
  EXPECT(aclnnAddGetWorkspaceSize(made.one, made.other, made.alpha, made.to, &size, &executor) == 0);
  if (size > 0) EXPECT(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
  EXPECT(aclnnAdd(workspace, size, executor, stream) == 0);
  if (size > 0) EXPECT(aclrtFree(workspace) == 0);
  end(made);
}

static int status_of(aclrtStream stream) {
  aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED;
  EXPECT(aclmdlRICaptureGetInfo(stream, &status, nullptr) == 0);
  return status;
}

static void put(void* device, const Floats& values) {
  EXPECT(aclrtMemcpy(device, 16, values.data(), 16, ACL_MEMCPY_HOST_TO_DEVICE) == 0);
}

static void run(aclmdlRI graph, aclrtStream stream) {
  EXPECT(aclmdlRIExecuteAsync(graph, stream) == 0 && aclrtSynchronizeStream(stream) == 0);
}

static void replay(aclrtStream stream, aclrtStream side) {
  void *x = upload(Floats{1, 2, 3, 4}), *y = upload(Floats(4)), *z = upload(Floats(4, 9));
  aclrtEvent fork = nullptr, join = nullptr;
  aclmdlRI graph = nullptr;
  EXPECT(aclrtCreateEvent(&fork) == 0 && aclrtCreateEvent(&join) == 0);
  EXPECT(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL) == 0);
  EXPECT(status_of(stream) == ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE && status_of(side) == ACL_MODEL_RI_CAPTURE_STATUS_NONE);
  add(x, x, y, stream);
  EXPECT(aclrtRecordEvent(fork, stream) == 0 && aclrtStreamWaitEvent(side, fork) == 0);
  EXPECT(status_of(side) == ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
  EXPECT(aclrtMemcpyAsync(z, 16, y, 16, ACL_MEMCPY_DEVICE_TO_DEVICE, side) == 0);
  EXPECT(aclrtRecordEvent(join, side) == 0 && aclrtStreamWaitEvent(stream, join) == 0);
  add(z, x, z, stream);
  EXPECT(aclrtMemsetAsync(y, 16, 0, 8, stream) == 0);
  REFUSED(107027, aclrtSynchronizeStream(stream));
  REFUSED(107028, aclrtSynchronizeEvent(fork));
  REFUSED(107030, aclrtSynchronizeDevice());
  float value = 0;
  REFUSED(107030, aclrtMemcpy(&value, 4, x, 4, ACL_MEMCPY_DEVICE_TO_HOST));
  REFUSED(107027, aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
  REFUSED(107036, aclmdlRICaptureEnd(side, &graph));
  REFUSED(107000, aclmdlRICaptureEnd(stream, nullptr));
  EXPECT(aclmdlRICaptureEnd(stream, &graph) == 0 && graph != nullptr);
  EXPECT(status_of(stream) == 0 && status_of(side) == 0);
  EXPECT(download<float>(y, 4) == Floats(4) && download<float>(z, 4) == Floats(4, 9));
  run(graph, stream);
  EXPECT(download<float>(z, 4) == (Floats{3, 6, 9, 12}) && download<float>(y, 4) == (Floats{0, 0, 6, 8}));
  put(x, {10, 20, 30, 40});
  run(graph, side);
  EXPECT(download<float>(z, 4) == (Floats{30, 60, 90, 120}));
  put(x, {1, 1, 1, 1});
  EXPECT(aclmdlRIExecute(graph, -1) == 0 && download<float>(z, 4) == Floats(4, 3));
  EXPECT(aclmdlRIDebugPrint(graph) == 0 && aclmdlRIDestroy(graph) == 0);
  if (!strict) REFUSED(107000, aclmdlRIExecuteAsync(graph, stream));
  for (void* each : {x, y, z}) EXPECT(aclrtFree(each) == 0);
  for (aclrtEvent each : {fork, join}) EXPECT(aclrtDestroyEvent(each) == 0);
}

static void groups(aclrtStream stream, aclrtStream side) {
  void *x = upload(Floats(4, 1)), *y = upload(Floats(4, 5)), *z = upload(Floats(4));
  aclmdlRI graph = nullptr;
  aclrtTaskGrp group = nullptr;
  EXPECT(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED) == 0);
  EXPECT(aclmdlRICaptureTaskGrpBegin(stream) == 0);
  add(x, x, z, stream);
  EXPECT(aclmdlRICaptureTaskGrpEnd(stream, &group) == 0 && group != nullptr);
  add(z, z, z, stream);
  EXPECT(download<float>(z, 4) == Floats(4));  // nothing is refused in this mode
  EXPECT(aclmdlRICaptureEnd(stream, &graph) == 0);
  run(graph, stream);
  EXPECT(download<float>(z, 4) == Floats(4, 4));
  EXPECT(aclmdlRICaptureTaskUpdateBegin(side, group) == 0);
  add(x, y, z, side);
  EXPECT(aclmdlRICaptureTaskUpdateEnd(side) == 0);
  EXPECT(download<float>(z, 4) == Floats(4, 4));
  run(graph, stream);
  EXPECT(download<float>(z, 4) == Floats(4, 12));
  EXPECT(aclmdlRICaptureTaskUpdateBegin(side, group) == 0);
  REFUSED(107000, aclmdlRICaptureTaskUpdateEnd(side));
  REFUSED(107029, aclmdlRICaptureTaskUpdateEnd(side));
  REFUSED(107029, aclmdlRICaptureTaskGrpBegin(stream));
  REFUSED(107029, aclmdlRICaptureTaskGrpEnd(stream, &group));
  EXPECT(aclmdlRIDestroy(graph) == 0);
  if (!strict) REFUSED(107000, aclmdlRICaptureTaskUpdateBegin(side, group));
  for (void* each : {x, y, z}) EXPECT(aclrtFree(each) == 0);
}

static void modes(aclrtStream stream) {
  void* x = upload(Floats(4, 1));
  aclmdlRI graph = nullptr;
  aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
  EXPECT(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL) == 0);
  std::thread([x] { EXPECT(aclrtSetDevice(0) == 0 && download<float>(x, 4) == Floats(4, 1)); }).join();
  std::thread([stream] {
    aclmdlRI none = nullptr;
    EXPECT(aclrtSetDevice(0) == 0);
    REFUSED(107038, aclmdlRICaptureEnd(stream, &none));
  }).join();
  float value = 0;
  REFUSED(107030, aclrtMemcpy(&value, 4, x, 4, ACL_MEMCPY_DEVICE_TO_HOST));
  EXPECT(aclmdlRICaptureThreadExchangeMode(&mode) == 0 && mode == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
  EXPECT(download<float>(x, 4) == Floats(4, 1));
  EXPECT(aclmdlRICaptureThreadExchangeMode(&mode) == 0 && mode == ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
  aclmdlRICaptureStatus status;
  EXPECT(aclmdlRICaptureGetInfo(stream, &status, &graph) == 0);
  REFUSED(107026, aclmdlRIDestroy(graph));
  EXPECT(aclmdlRICaptureEnd(stream, &graph) == 0 && aclmdlRIDestroy(graph) == 0);
  REFUSED(107029, aclmdlRICaptureEnd(stream, &graph));
  REFUSED(107000, aclmdlRICaptureBegin(nullptr, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
  REFUSED(107000, aclmdlRICaptureGetInfo(stream, nullptr, nullptr));
  REFUSED(107000, aclmdlRICaptureThreadExchangeMode(nullptr));
  REFUSED(107000, aclmdlRIDestroy(nullptr));
  EXPECT(aclrtFree(x) == 0);
}

int main() {
  start();
  aclrtStream stream = nullptr, side = nullptr;
  EXPECT(aclrtCreateStream(&stream) == 0 && aclrtCreateStream(&side) == 0);
  replay(stream, side);
  groups(stream, side);
  modes(stream);
  for (aclrtStream each : {stream, side}) EXPECT(aclrtDestroyStream(each) == 0);
  return finish();
}
