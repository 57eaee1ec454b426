// How long a call of both phases takes on a tiny tensor: the best of many batches, as JSON, in seconds.
// Compile it with -O2, as any program of the simulator; `simulator.py` beside it does.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#include "acl/acl.h"
#include "aclnnop/aclnn_prelu.h"

int main(int count, char** words) {
  constexpr int ROUNDS = 100;
  const int batches = count > 1 ? std::atoi(words[1]) : 200;
  const float values[4] = {-1, 2, -3, 4};
  const int64_t shape[2] = {2, 2}, one[1] = {1};
  void *data = nullptr, *slope = nullptr, *target = nullptr, *workspace = nullptr;
  aclInit(nullptr);
  aclrtSetDevice(0);
  for (void** each : {&data, &slope, &target, &workspace}) aclrtMalloc(each, 512, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMemcpy(data, sizeof values, values, sizeof values, ACL_MEMCPY_HOST_TO_DEVICE);
  aclrtMemcpy(slope, sizeof *values, values, sizeof *values, ACL_MEMCPY_HOST_TO_DEVICE);
  aclTensor* self = aclCreateTensor(shape, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 2, data);
  aclTensor* weight = aclCreateTensor(one, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, one, 1, slope);
  aclTensor* out = aclCreateTensor(shape, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 2, target);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  double best[2] = {1e9, 1e9};
  for (int batch = 0; batch < batches; ++batch) {
    double phases[2] = {};
    for (int round = 0; round < ROUNDS; ++round) {
      const auto start = std::chrono::steady_clock::now();
      if (aclnnPreluGetWorkspaceSize(self, weight, out, &size, &executor) != 0) return 1;
      const auto middle = std::chrono::steady_clock::now();
      if (aclnnPrelu(workspace, size, executor, nullptr) != 0) return 1;
      const auto end = std::chrono::steady_clock::now();
      phases[0] += std::chrono::duration<double>(middle - start).count();
      phases[1] += std::chrono::duration<double>(end - middle).count();
    }
    for (int at : {0, 1}) best[at] = std::min(best[at], phases[at] / ROUNDS);
  }
  std::printf("{\"phase one\": %.3e, \"phase two\": %.3e, \"both\": %.3e}\n", best[0], best[1], best[0] + best[1]);
  return aclFinalize();
}
