// A call that is made again and again: -0.5 times what is below 0.
#ifndef CALL_H
#define CALL_H

#include "aclnnop/aclnn_prelu.h"
#include "programs/expect.h"

struct Call {
  void* memory = upload(std::vector<float>{-1, 2, -3, 4});
  void* slope = upload(std::vector<float>{0.5f});
  void* target = upload(std::vector<float>(4, 9.0f));
  aclTensor* self = floats({4}, memory);
  aclTensor* weight = floats({1}, slope);
  aclTensor* out = floats({4}, target);
  void* workspace = nullptr;
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;

  int launch() {
    EXPECT(aclnnPreluGetWorkspaceSize(self, weight, out, &size, &executor) == 0);
    if (workspace == nullptr) EXPECT(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    return aclnnPrelu(workspace, size, executor, nullptr);
  }
  bool is_right() { return download<float>(target, 4) == std::vector<float>({-0.5f, 2, -1.5f, 4}); }
};

inline std::string said() {
  const char* found = aclGetRecentErrMsg();
  return found == nullptr ? "" : found;
}

inline bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

#endif
