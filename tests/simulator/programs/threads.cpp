// Calls from several threads, each with its own stream, tensors and data: no wrong value, and no message of another thread.
// Arguments: the number of threads, and how many seconds.
#include <atomic>
#include <chrono>
#include <thread>

#include "aclnnop/aclnn_prelu.h"
#include "expect.h"

namespace {

using Clock = std::chrono::steady_clock;
std::atomic<long> calls{0};

void forward(int seed, aclrtStream stream) {
  const size_t count = 1 + seed % 7;
  std::vector<float> values(count);
  for (size_t at = 0; at < count; ++at) values[at] = static_cast<float>((seed * 31 + static_cast<int>(at) * 17) % 23 - 11);
  const float slope = static_cast<float>(seed % 5) * 0.25f;
  void *in = upload(values), *by = upload(std::vector<float>{slope}), *to = upload(std::vector<float>(count, 99.0f));
  const int64_t shape = static_cast<int64_t>(count);
  aclTensor *self = floats({shape}, in), *weight = floats({1}, by), *out = floats({shape}, to);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  EXPECT(aclnnPreluGetWorkspaceSize(self, weight, out, &size, &executor) == 0);
  void* workspace = nullptr;
  EXPECT(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
  EXPECT(aclnnPrelu(workspace, size, executor, stream) == 0);
  EXPECT(aclrtSynchronizeStream(stream) == 0);
  const std::vector<float> found = download<float>(to, count);
  for (size_t at = 0; at < count; ++at) EXPECT(found[at] == (values[at] > 0 ? values[at] : slope * values[at]));
  EXPECT(aclDestroyTensor(self) == 0 && aclDestroyTensor(weight) == 0 && aclDestroyTensor(out) == 0);
  for (void* each : {in, by, to, workspace}) EXPECT(aclrtFree(each) == 0);
}

void refused(int seed) {
  aclTensor* self = floats({seed % 9 + 2}, nullptr);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  EXPECT(aclnnPreluGetWorkspaceSize(self, nullptr, self, &size, &executor) == 161001);
  const std::string said = aclGetRecentErrMsg();
  EXPECT(said.find("aclnnPrelu.null-weight") != std::string::npos);
  EXPECT(said.find("\n[PID: ") == std::string::npos);  // one message, this thread's own
  EXPECT(aclGetRecentErrMsg() == nullptr);
  EXPECT(aclDestroyTensor(self) == 0);
}

void work(int number, Clock::time_point end) {
  EXPECT(aclrtSetDevice(0) == 0);
  aclrtStream stream = nullptr;
  EXPECT(aclrtCreateStream(&stream) == 0);
  int seed = number * 1000;
  do {
    forward(++seed, stream);
    refused(seed);
    ++calls;
  } while (Clock::now() < end);
  EXPECT(aclrtDestroyStream(stream) == 0);
  EXPECT(aclrtResetDevice(0) == 0);
}

}  // namespace

int main(int count, char** words) {
  const int threads = count > 1 ? std::atoi(words[1]) : 4;
  const double seconds = count > 2 ? std::atof(words[2]) : 0.5;
  EXPECT(aclInit(nullptr) == 0);
  const Clock::time_point end = Clock::now() + std::chrono::milliseconds(static_cast<int>(seconds * 1000));
  std::vector<std::thread> running;
  for (int at = 0; at < threads; ++at) running.emplace_back(work, at, end);
  for (std::thread& one : running) one.join();
  size_t room = 0, total = 0;
  EXPECT(aclrtSetDevice(0) == 0);
  EXPECT(aclrtGetMemInfo(ACL_HBM_MEM, &room, &total) == 0 && room == total);
  EXPECT(aclrtResetDevice(0) == 0);
  EXPECT(aclFinalize() == 0);
  std::printf("%ld calls of %d threads\n%d expectations\n", calls.load(), threads, expectations.load());
  return 0;
}
