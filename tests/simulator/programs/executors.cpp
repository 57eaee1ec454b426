// The two phases: what they answer, what they refuse, and the life of an executor between them.
#include <cmath>
#include <cstdint>

#include "aclnnop/aclnn_prelu.h"
#include "aclnnop/aclnn_prelu_backward.h"
#include "expect.h"

namespace {

const std::vector<float> data = {-1, 2, -3, 4, -5, 6};

struct Call {
  void *self_memory, *weight_memory, *out_memory;
  aclTensor *self, *weight, *out;
  uint64_t size = 77;
  aclOpExecutor* executor = nullptr;
  void* workspace = nullptr;

  Call() {
    self_memory = upload(data);
    weight_memory = upload(std::vector<float>{0.5f});
    out_memory = upload(std::vector<float>(6, 9.0f));
    self = floats({2, 3}, self_memory);
    weight = floats({1}, weight_memory);
    out = floats({2, 3}, out_memory);
  }

  ~Call() {
    EXPECT(aclDestroyTensor(self) == 0 && aclDestroyTensor(weight) == 0 && aclDestroyTensor(out) == 0);
    EXPECT(aclrtFree(self_memory) == 0 && aclrtFree(weight_memory) == 0 && aclrtFree(out_memory) == 0);
    if (workspace != nullptr) {
      EXPECT(aclrtFree(workspace) == 0);
    }
  }

  void check() {
    EXPECT(aclnnPreluGetWorkspaceSize(self, weight, out, &size, &executor) == 0 && executor != nullptr && size > 0);
    if (workspace == nullptr) {
      EXPECT(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    }
  }

  aclnnStatus launch(aclrtStream stream = nullptr) { return aclnnPrelu(workspace, size, executor, stream); }

  std::vector<float> result() {
    EXPECT(aclrtSynchronizeStream(nullptr) == 0);
    return download<float>(out_memory, 6);
  }
};

const std::vector<float> halved = {-0.5f, 2, -1.5f, 4, -2.5f, 6};

void one_call() {
  Call call;
  call.check();
  EXPECT(call.launch() == 0);
  EXPECT(call.result() == halved);
  REFUSED(161002, call.launch());  // the executor is spent
  REFUSED(561103, aclSetAclOpExecutorRepeatable(call.executor));
  REFUSED(561103, aclDestroyAclOpExecutor(call.executor));
}

void refused_by_a_rule() {
  Call call;
  aclTensor* two = floats({2}, call.self_memory);
  EXPECT(aclnnPreluGetWorkspaceSize(call.self, two, call.out, &call.size, &call.executor) == 161002);
  EXPECT(call.size == 77 && call.executor == nullptr);  // neither is written
  const std::string said = aclGetRecentErrMsg();
  EXPECT(said.find("The number of elements of weight is 2; it must be 1 or the channel count of self (3).") != std::string::npos);
  EXPECT(said.find("aclnnPrelu.weight-numel") != std::string::npos);
  REFUSED(161001, aclnnPreluGetWorkspaceSize(nullptr, call.weight, call.out, &call.size, &call.executor));
  REFUSED(161001, aclnnPreluGetWorkspaceSize(call.self, call.weight, call.out, nullptr, &call.executor));
  REFUSED(161001, aclnnPreluGetWorkspaceSize(call.self, call.weight, call.out, &call.size, nullptr));
  EXPECT(aclDestroyTensor(two) == 0);
  REFUSED(161002, aclnnPreluGetWorkspaceSize(call.self, two, call.out, &call.size, &call.executor));  // it is destroyed
  int64_t dims[1] = {1};
  aclTensor* odd = aclCreateTensor(dims, 1, static_cast<aclDataType>(999), nullptr, 0, ACL_FORMAT_ND, dims, 1, nullptr);
  REFUSED(161002, aclnnPreluGetWorkspaceSize(call.self, odd, call.out, &call.size, &call.executor));
  EXPECT(aclDestroyTensor(odd) == 0);
  aclTensor* strange = aclCreateTensor(dims, 1, ACL_FLOAT, nullptr, 0, static_cast<aclFormat>(999), dims, 1, nullptr);
  REFUSED(161002, aclnnPreluGetWorkspaceSize(call.self, strange, call.out, &call.size, &call.executor));
  EXPECT(aclDestroyTensor(strange) == 0);
}

void refused_at_launch() {
  Call call;
  REFUSED(161001, aclnnPrelu(call.workspace, 0, nullptr, nullptr));
  call.check();
  REFUSED(161001, aclnnPrelu(nullptr, call.size, call.executor, nullptr));
  REFUSED(561103, aclDestroyAclOpExecutor(call.executor));  // that has spent it
  call.check();
  REFUSED(161002, aclnnPrelu(call.workspace, 1, call.executor, nullptr));
  call.check();
  REFUSED(361001, aclnnPrelu(&call, call.size, call.executor, nullptr));  // host memory
  call.check();
  REFUSED(361001, aclnnPrelu(call.workspace, call.size + 4096, call.executor, nullptr));  // more than it holds
  call.check();
  REFUSED(161002, aclnnPreluBackward(call.workspace, call.size, call.executor, nullptr));  // another operator's
  call.check();
  aclrtStream gone = nullptr;
  EXPECT(aclrtCreateStream(&gone) == 0 && aclrtDestroyStream(gone) == 0);
  REFUSED(361001, call.launch(gone));
  call.check();
  EXPECT(aclDestroyAclOpExecutor(call.executor) == 0);  // one that nobody launched
  REFUSED(561103, aclDestroyAclOpExecutor(nullptr));
  REFUSED(561103, aclSetAclOpExecutorRepeatable(nullptr));
  EXPECT(download<float>(call.out_memory, 6) == std::vector<float>(6, 9.0f));  // nothing was written by any of them
}

void wrong_memory() {
  Call call;
  std::vector<float> host(6, 1.0f);
  aclTensor* on_host = floats({2, 3}, host.data());
  aclTensor* without = floats({2, 3}, nullptr);
  aclTensor* small = floats({2, 3}, call.weight_memory);
  for (aclTensor* bad : {on_host, without, small}) {
    call.check();
    EXPECT(aclDestroyAclOpExecutor(call.executor) == 0);
    EXPECT(aclnnPreluGetWorkspaceSize(bad, call.weight, call.out, &call.size, &call.executor) == 0);
    REFUSED(361001, call.launch());
    EXPECT(aclDestroyTensor(bad) == 0);
  }
}

// Strides and offsets that lead elsewhere: aclCreateTensor takes them, phase one does not look, phase two does.
void elsewhere() {
  Call call;
  const int64_t shape[2] = {2, 3}, least = INT64_MIN, most = INT64_MAX;
  const struct { int64_t strides[2], offset; } all[] = {
      {{-3, 1}, 0}, {{-3, 1}, -1}, {{3, 1}, -7}, {{3, 1}, 1}, {{4, 1}, 0}, {{most, 1}, 0}, {{least, 1}, 0},
      {{3, most}, 0}, {{3, 1}, most}, {{3, 1}, least}, {{most / 2 + 1, most / 2 + 1}, 0}, {{least, least}, least}};
  for (const auto& one : all) {
    aclTensor* bad = aclCreateTensor(shape, 2, ACL_FLOAT, one.strides, one.offset, ACL_FORMAT_ND, shape, 2, call.self_memory);
    EXPECT(aclnnPreluGetWorkspaceSize(bad, call.weight, call.out, &call.size, &call.executor) == 0);
    if (call.workspace == nullptr) EXPECT(aclrtMalloc(&call.workspace, call.size, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    REFUSED(361001, call.launch());
    aclTensor* long_weight = floats({3, 3}, call.self_memory);
    REFUSED(161002, aclnnPreluGetWorkspaceSize(bad, long_weight, call.out, &call.size, &call.executor));
    EXPECT(aclDestroyTensor(bad) == 0 && aclDestroyTensor(long_weight) == 0);
  }
}

void views() {
  Call call;
  const int64_t shape[2] = {2, 3}, down[2] = {1, 2}, back[2] = {-3, -1}, six[1] = {6};
  aclTensor* columns = aclCreateTensor(shape, 2, ACL_FLOAT, down, 0, ACL_FORMAT_ND, six, 1, call.self_memory);
  aclTensor* reversed = aclCreateTensor(shape, 2, ACL_FLOAT, back, 5, ACL_FORMAT_ND, six, 1, call.out_memory);
  EXPECT(aclnnPreluGetWorkspaceSize(columns, call.weight, reversed, &call.size, &call.executor) == 0);
  EXPECT(aclrtMalloc(&call.workspace, call.size, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
  EXPECT(call.launch() == 0);
  // columns is [[-1, -3, -5], [2, 4, 6]]; the output is written backwards
  EXPECT(call.result() == std::vector<float>({6, 4, 2, -2.5f, -1.5f, -0.5f}));
  EXPECT(aclDestroyTensor(columns) == 0 && aclDestroyTensor(reversed) == 0);
}

void repeatable() {
  Call call;
  call.check();
  EXPECT(aclSetAclOpExecutorRepeatable(call.executor) == 0);
  for (int round = 0; round < 3; ++round) {
    EXPECT(call.launch() == 0);
    EXPECT(call.result() == halved);
  }
  void* other = upload(std::vector<float>{-2, -2, -2, -2, -2, -2});
  void* target = upload(std::vector<float>(6, 0.0f));
  for (auto set : {aclSetInputTensorAddr, AclSetInputTensorAddr, aclSetTensorAddr, AclSetTensorAddr}) {
    EXPECT(set(call.executor, 0, call.self, other) == 0);
    EXPECT(call.launch() == 0 && call.result() == std::vector<float>(6, -1.0f));
    EXPECT(set(call.executor, 0, call.self, call.self_memory) == 0);
    EXPECT(call.launch() == 0 && call.result() == halved);
  }
  for (auto set : {aclSetOutputTensorAddr, AclSetOutputTensorAddr}) {
    EXPECT(set(call.executor, 0, call.out, target) == 0);
  }
  EXPECT(aclSetTensorAddr(call.executor, 2, call.out, target) == 0);  // the inputs come first, then the output
  EXPECT(call.launch() == 0 && aclrtSynchronizeStream(nullptr) == 0 && download<float>(target, 6) == halved);
  REFUSED(161002, aclSetInputTensorAddr(call.executor, 2, call.self, other));
  REFUSED(161002, aclSetOutputTensorAddr(call.executor, 1, call.out, other));
  REFUSED(161002, aclSetTensorAddr(call.executor, 3, call.out, other));
  REFUSED(561103, aclSetTensorAddr(nullptr, 0, call.self, other));
  REFUSED(561103, aclSetTensorAddr(call.executor, 0, nullptr, other));
  const aclTensor* owned[1] = {floats({1}, nullptr)};
  aclTensorList* list = aclCreateTensorList(owned, 1);
  for (auto set : {aclSetDynamicInputTensorAddr, AclSetDynamicInputTensorAddr, aclSetDynamicOutputTensorAddr,
                   AclSetDynamicOutputTensorAddr, aclSetDynamicTensorAddr, AclSetDynamicTensorAddr}) {
    REFUSED(161002, set(call.executor, 0, 0, list, other));  // the operator has no list
    REFUSED(561103, set(nullptr, 0, 0, list, other));
    REFUSED(561103, set(call.executor, 0, 0, nullptr, other));
  }
  EXPECT(aclDestroyTensorList(list) == 0);
  EXPECT(aclDestroyAclOpExecutor(call.executor) == 0);
  REFUSED(161002, call.launch());
  EXPECT(aclrtFree(other) == 0 && aclrtFree(target) == 0);
}

void empty() {
  const int64_t none[2] = {0, 3};
  uint64_t size = 5;
  aclOpExecutor* executor = nullptr;
  Call call;
  aclTensor* self = aclCreateTensor(none, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, none, 2, nullptr);
  aclTensor* out = aclCreateTensor(none, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, none, 2, nullptr);
  EXPECT(aclnnPreluGetWorkspaceSize(self, call.weight, out, &size, &executor) == 0 && size == 0);
  EXPECT(aclnnPrelu(nullptr, 0, executor, nullptr) == 0);
  EXPECT(aclDestroyTensor(self) == 0 && aclDestroyTensor(out) == 0);
}

void dump() {
  Call call;
  aclTensor* tensors[3] = {call.self, call.weight, call.out};
  EXPECT(aclDumpOpTensors("Prelu", "one", tensors, 2, 1, nullptr) == 0);
  REFUSED(161001, aclDumpOpTensors(nullptr, "one", tensors, 2, 1, nullptr));
  REFUSED(161001, aclDumpOpTensors("Prelu", "one", nullptr, 2, 1, nullptr));
}

}  // namespace

int main() {
  start();
  one_call();
  refused_by_a_rule();
  refused_at_launch();
  wrong_memory();
  elsewhere();
  views();
  repeatable();
  empty();
  dump();
  return finish();
}
