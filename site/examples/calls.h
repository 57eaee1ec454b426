// What the programs beside it share: tensors of FLOAT, views of them, and calls in one line.
// sample.h is the header that the samples of the manual share.
#pragma once

#include "sample.h"

using Shape = std::vector<int64_t>;

inline int64_t elements(const Shape& shape) {
  int64_t all = 1;
  for (int64_t size : shape) {
    all *= size;
  }
  return all;
}

// Values that look random and that the Python program can make again: sines of multiples of 0.7.
inline std::vector<float> wave(double phase, const Shape& shape) {
  std::vector<float> values;
  for (int64_t at = 0; at < elements(shape); ++at) {
    values.push_back(static_cast<float>(std::sin(0.7 * static_cast<double>(at) + phase)));
  }
  return values;
}

struct Tensor : DeviceTensor<float> {
  Tensor(const std::vector<float>& values, const Shape& shape)
      : DeviceTensor<float>(values, shape, ACL_FLOAT, ACL_FORMAT_ND) {}
  explicit Tensor(const Shape& shape) : Tensor(std::vector<float>(static_cast<size_t>(elements(shape))), shape) {}
  explicit Tensor(double phase, const Shape& shape) : Tensor(wave(phase, shape), shape) {}

  std::vector<float> values() const {
    std::vector<float> found(count);
    CHECK(aclrtMemcpy(found.data(), count * sizeof(float), memory, count * sizeof(float), ACL_MEMCPY_DEVICE_TO_HOST));
    return found;
  }
};

// The memory of a tensor in another shape, with strides or in another format: nothing is copied.
struct View {
  aclTensor* handle;
  View(const Tensor& of, const Shape& shape, const Shape& strides, aclFormat format = ACL_FORMAT_ND)
      : handle(aclCreateTensor(shape.data(), shape.size(), ACL_FLOAT, strides.data(), 0, format, shape.data(),
                               shape.size(), of.memory)) {}
  View(const View&) = delete;
  ~View() { aclDestroyTensor(handle); }
};

using Launch = aclnnStatus (*)(void*, uint64_t, aclOpExecutor*, aclrtStream);

// Phase two of a call, and its end: the workspace lives as long as it is used.
inline void launch(Launch function, const char* name, uint64_t size, aclOpExecutor* executor, aclrtStream stream) {
  void* workspace = nullptr;
  if (size > 0) {
    CHECK(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
  }
  check(function(workspace, size, executor, stream), name);
  CHECK(aclrtSynchronizeStream(stream));
  if (workspace != nullptr) {
    CHECK(aclrtFree(workspace));
  }
}

// Both phases of a call, on the stream of that name.
#define CALL(name, ...)                                           \
  do {                                                            \
    uint64_t size = 0;                                            \
    aclOpExecutor* executor = nullptr;                            \
    CHECK(name##GetWorkspaceSize(__VA_ARGS__, &size, &executor)); \
    launch(name, #name, size, executor, stream);                  \
  } while (false)

// A scalar of FLOAT, for the time of a call.
struct Scalar {
  aclScalar* handle;
  explicit Scalar(float value) : handle(aclCreateScalar(&value, ACL_FLOAT)) {}
  Scalar(const Scalar&) = delete;
  ~Scalar() { aclDestroyScalar(handle); }
};
