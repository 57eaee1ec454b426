// How long both phases of a 4x4 add take: the best of many batches, as JSON, in seconds. Compile it with -O2.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "acl/acl.h"
#include "aclnnop/aclnn_add.h"

int main() {
  constexpr int BATCHES = 200, ROUNDS = 100;
  const int64_t shape[2] = {4, 4};
  void* memory[4] = {};
  aclTensor* tensors[3] = {};
  float one = 1;
  aclInit(nullptr);
  aclrtSetDevice(0);
  for (void*& each : memory) aclrtMalloc(&each, 512, ACL_MEM_MALLOC_HUGE_FIRST);
  for (int at = 0; at < 3; ++at) {
    tensors[at] = aclCreateTensor(shape, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 2, memory[at]);
  }
  aclScalar* alpha = aclCreateScalar(&one, ACL_FLOAT);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  double best[2] = {1e9, 1e9};
  for (int batch = 0; batch < BATCHES; ++batch) {
    double phases[2] = {};
    for (int round = 0; round < ROUNDS; ++round) {
      const auto start = std::chrono::steady_clock::now();
      if (aclnnAddGetWorkspaceSize(tensors[0], tensors[1], alpha, tensors[2], &size, &executor) != 0) return 1;
      const auto middle = std::chrono::steady_clock::now();
      if (aclnnAdd(memory[3], size, executor, nullptr) != 0) return 1;
      const auto end = std::chrono::steady_clock::now();
      phases[0] += std::chrono::duration<double>(middle - start).count();
      phases[1] += std::chrono::duration<double>(end - middle).count();
    }
    for (int at : {0, 1}) best[at] = std::min(best[at], phases[at] / ROUNDS);
  }
  std::printf("{\"one\": %.3e, \"two\": %.3e}\n", best[0], best[1]);
  return aclFinalize();
}
