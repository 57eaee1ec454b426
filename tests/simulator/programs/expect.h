// What the test programs share: an expectation counts, a broken one says where and ends the program.
#ifndef EXPECT_H
#define EXPECT_H

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"

inline std::atomic<int> expectations{0};

#define EXPECT(condition)                                                          \
  do {                                                                             \
    ++expectations;                                                                \
    if (!(condition)) {                                                            \
      std::printf("%s:%d: %s is false\n", __FILE__, __LINE__, #condition);         \
      const char* said = aclGetRecentErrMsg();                                     \
      std::printf("%s\n", said == nullptr ? "(no message)" : said);                \
      std::fflush(stdout); std::_Exit(1);                                                            \
    }                                                                              \
  } while (0)

// A failure with this code, told in a message of this thread.
#define REFUSED(code, call)                                                        \
  do {                                                                             \
    EXPECT((call) == (code));                                                      \
    EXPECT(aclGetRecentErrMsg() != nullptr);                                       \
  } while (0)

inline void start() {
  EXPECT(aclInit(nullptr) == 0);
  EXPECT(aclrtSetDevice(0) == 0);
}

inline int finish() {
  EXPECT(aclrtResetDevice(0) == 0);
  EXPECT(aclFinalize() == 0);
  std::printf("%d expectations\n", expectations.load());
  return 0;
}

// Device memory that holds these values.
template <typename T>
void* upload(const std::vector<T>& values) {
  void* device = nullptr;
  const size_t bytes = values.size() * sizeof(T);
  EXPECT(aclrtMalloc(&device, bytes, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
  EXPECT(aclrtMemcpy(device, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE) == 0);
  return device;
}

template <typename T>
std::vector<T> download(const void* device, size_t count) {
  std::vector<T> values(count);
  EXPECT(aclrtMemcpy(values.data(), count * sizeof(T), device, count * sizeof(T), ACL_MEMCPY_DEVICE_TO_HOST) == 0);
  return values;
}

// A contiguous float tensor on this memory.
inline aclTensor* floats(const std::vector<int64_t>& shape, void* device) {
  return aclCreateTensor(shape.data(), shape.size(), ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape.data(), shape.size(), device);
}

#endif
