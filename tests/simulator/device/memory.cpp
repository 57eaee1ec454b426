// Freed memory is given back, in the program and in the device process; memory of reserved addresses may be anywhere in the file.
// Argument: how many steps.
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aclnnop/aclnn_foreach_abs.h"
#include "device/call.h"

static constexpr size_t MUCH = size_t{8} << 20;

// The bytes that the file of the devices' memory takes; -1 where there is none.
static long held() {
  long found = -1;
  DIR* folder = opendir("/proc/self/fd");
  for (dirent* one = readdir(folder); one != nullptr; one = readdir(folder)) {
    char target[256] = "";
    const std::string path = std::string("/proc/self/fd/") + one->d_name;
    struct stat state;
    if (readlink(path.c_str(), target, sizeof target - 1) > 0 && std::strstr(target, "aclspec-device") != nullptr && stat(path.c_str(), &state) == 0)
      found = state.st_blocks * 512L;
  }
  closedir(folder);
  return found;
}

static void step(int number) {
  void *in = nullptr, *out = nullptr, *workspace = nullptr;
  for (void** each : {&in, &out}) EXPECT(aclrtMalloc(each, MUCH + static_cast<size_t>(number % 7) * 4096, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
  EXPECT(aclrtMemset(in, MUCH, 0xBF, MUCH) == 0);  // -1.49...
  const int64_t count = MUCH / 4;
  void* slope = upload(std::vector<float>{0.5f});
  aclTensor *self = floats({count}, in), *weight = floats({1}, slope), *to = floats({count}, out);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  EXPECT(aclnnPreluGetWorkspaceSize(self, weight, to, &size, &executor) == 0);
  EXPECT(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
  EXPECT(aclnnPrelu(workspace, size, executor, nullptr) == 0);
  const std::vector<float> last = download<float>(static_cast<char*>(out) + MUCH - 4, 1);
  EXPECT(last[0] < -0.7f && last[0] > -0.8f);
  for (aclTensor* each : {self, weight, to}) EXPECT(aclDestroyTensor(each) == 0);
  for (void* each : {in, out, slope, workspace}) EXPECT(aclrtFree(each) == 0);
}

// Pieces of which the second in memory is the first in the file.
static void scattered() {
  const size_t piece = size_t{2} << 20;
  aclrtPhysicalMemProp prop = {};
  prop.handleType = ACL_MEM_HANDLE_TYPE_NONE;
  prop.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED;
  prop.memAttr = ACL_HBM_MEM_HUGE;
  prop.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
  aclrtDrvMemHandle parts[3] = {};
  for (auto& each : parts) EXPECT(aclrtMallocPhysical(&each, piece, &prop, 0) == 0);
  void* base = nullptr;
  EXPECT(aclrtReserveMemAddress(&base, 3 * piece, 0, nullptr, 0) == 0);
  const int order[3] = {2, 0, 1};
  for (int at = 0; at < 3; ++at) EXPECT(aclrtMapMem(static_cast<char*>(base) + at * piece, piece, 0, parts[order[at]], 0) == 0);
  const int64_t count = 3 * piece / 4;
  std::vector<float> values(count);
  for (int64_t at = 0; at < count; ++at) values[at] = static_cast<float>(at % 2 == 0 ? at : -at);
  EXPECT(aclrtMemcpy(base, 3 * piece, values.data(), 3 * piece, ACL_MEMCPY_HOST_TO_DEVICE) == 0);
  void* slope = upload(std::vector<float>{0.5f});
  aclTensor *self = floats({count}, base), *weight = floats({1}, slope);
  for (int round = 1; round <= 2; ++round) {
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    void* workspace = nullptr;
    EXPECT(aclnnPreluGetWorkspaceSize(self, weight, self, &size, &executor) == 0);
    EXPECT(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    EXPECT(aclnnPrelu(workspace, size, executor, nullptr) == 0);
    const std::vector<float> found = download<float>(base, count);
    bool same = true;
    for (int64_t at = 0; at < count; ++at) same = same && found[at] == (at % 2 == 0 ? at : -at / (round == 1 ? 2.0f : 4.0f));
    EXPECT(same);
    EXPECT(aclrtFree(workspace) == 0);
  }
  EXPECT(aclrtUnmapMem(base) == 0);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  EXPECT(aclnnPreluGetWorkspaceSize(self, weight, self, &size, &executor) == 0);
  void* workspace = nullptr;
  EXPECT(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
  REFUSED(361001, aclnnPrelu(workspace, size, executor, nullptr));
  for (int at = 1; at < 3; ++at) EXPECT(aclrtUnmapMem(static_cast<char*>(base) + at * piece) == 0);
  for (auto& each : parts) EXPECT(aclrtFreePhysical(each) == 0);
  EXPECT(aclrtReleaseMemAddress(base) == 0 && aclrtFree(workspace) == 0 && aclrtFree(slope) == 0);
  EXPECT(aclDestroyTensor(self) == 0 && aclDestroyTensor(weight) == 0);
}

// A message that is longer than any packet.
static void many() {
  constexpr int COUNT = 2000;
  std::vector<float> values(COUNT);
  for (int at = 0; at < COUNT; ++at) values[at] = static_cast<float>(-at);
  char *in = static_cast<char*>(upload(values)), *out = static_cast<char*>(upload(std::vector<float>(COUNT, 5.0f)));
  std::vector<const aclTensor*> from, to;
  for (int at = 0; at < COUNT; ++at) {
    from.push_back(floats({1}, in + 4 * at));
    to.push_back(floats({1}, out + 4 * at));
  }
  aclTensorList *one = aclCreateTensorList(from.data(), COUNT), *other = aclCreateTensorList(to.data(), COUNT);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  void* workspace = nullptr;
  EXPECT(aclnnForeachAbsGetWorkspaceSize(one, other, &size, &executor) == 0);
  EXPECT(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
  EXPECT(aclnnForeachAbs(workspace, size, executor, nullptr) == 0);
  const std::vector<float> found = download<float>(out, COUNT);
  bool same = true;
  for (int at = 0; at < COUNT; ++at) same = same && found[at] == at;
  EXPECT(same);
  EXPECT(aclDestroyTensorList(one) == 0 && aclDestroyTensorList(other) == 0);
  for (void* each : {static_cast<void*>(in), static_cast<void*>(out), workspace}) EXPECT(aclrtFree(each) == 0);
}

int main(int count, char** words) {
  start();
  const int steps = count > 1 ? std::atoi(words[1]) : 30;
  for (int at = 0; at < steps; ++at) {
    step(at);
    EXPECT(held() >= 0 && held() < 1 << 20);
  }
  scattered();
  many();
  EXPECT(held() < 1 << 20);
  return finish();
}
