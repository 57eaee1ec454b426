// Device memory at its addresses: a program sees it where ACLSPEC_DEVICE_VISIBLE asks for it, and nothing of it elsewhere.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/call.h"

static bool visible;

// Whether a byte can be read, asked of the kernel: no signal.
static bool readable(const void* address) {
  static int ends[2];
  static const bool made = pipe2(ends, O_NONBLOCK) == 0;
  EXPECT(made);
  char byte;
  const bool found = write(ends[1], address, 1) == 1;
  if (found) EXPECT(read(ends[0], &byte, 1) == 1);
  return found;
}

static void allocations() {
  const std::vector<float> values = {1, -2, 3, -4};
  auto* shown = static_cast<float*>(upload(values));
  EXPECT(readable(shown) == visible && readable(reinterpret_cast<char*>(shown) + 15) == visible);
  if (visible) {
    EXPECT(std::memcmp(shown, values.data(), 16) == 0);
    shown[1] = 20;
    EXPECT((download<float>(shown, 4) == std::vector<float>{1, 20, 3, -4}));
  }
  EXPECT(aclrtFree(shown) == 0);
  EXPECT(!readable(shown));
  char* pages = nullptr;  // exactly as many bytes as pages have: the next one is nobody's
  EXPECT(aclrtMalloc(reinterpret_cast<void**>(&pages), 8192, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
  EXPECT(readable(pages + 8191) == visible && !readable(pages + 8192));
  EXPECT(aclrtFree(pages) == 0 && !readable(pages));
  EXPECT(!readable(pages + 8191));
}

static void what_an_operator_writes() {
  Call call;
  EXPECT(call.launch() == 0 && aclrtSynchronizeStream(nullptr) == 0 && call.is_right());
  EXPECT(readable(call.target) == visible);
  const std::vector<float> copied = download<float>(call.target, 4);
  if (visible) EXPECT(std::memcmp(call.target, copied.data(), 16) == 0);
  for (aclTensor* each : {call.self, call.weight, call.out}) EXPECT(aclDestroyTensor(each) == 0);
  for (void* each : {call.memory, call.slope, call.target, call.workspace}) EXPECT(aclrtFree(each) == 0);
}

static void mapped_memory() {
  const size_t size = 2 << 20;
  aclrtPhysicalMemProp prop = {};
  prop.memAttr = ACL_HBM_MEM_HUGE;
  prop.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
  aclrtDrvMemHandle handle = nullptr;
  char* base = nullptr;
  EXPECT(aclrtMallocPhysical(&handle, size, &prop, 0) == 0);
  EXPECT(aclrtReserveMemAddress(reinterpret_cast<void**>(&base), 2 * size, 0, nullptr, 1) == 0);
  EXPECT(!readable(base));
  EXPECT(aclrtMapMem(base + size, size, 0, handle, 0) == 0);
  EXPECT(!readable(base) && readable(base + size) == visible && readable(base + 2 * size - 1) == visible);
  EXPECT(aclrtMemset(base + size, size, 7, size) == 0);
  if (visible) EXPECT(base[size] == 7 && base[2 * size - 1] == 7);
  EXPECT(aclrtUnmapMem(base + size) == 0 && !readable(base + size));
  EXPECT(aclrtMapMem(base, size, 0, handle, 0) == 0);
  EXPECT(readable(base) == visible && (!visible || base[size - 1] == 7));
  EXPECT(aclrtUnmapMem(base) == 0 && aclrtReleaseMemAddress(base) == 0 && aclrtFreePhysical(handle) == 0);
  EXPECT(!readable(base));
}

static void a_forked_process() {
  void* kept = upload(std::vector<float>{5});
  const pid_t child = fork();
  if (child == 0) std::_Exit(readable(kept) ? 1 : 0);
  int status = -1;
  EXPECT(waitpid(child, &status, 0) == child && status == 0);
  EXPECT(readable(kept) == visible);
  EXPECT(aclrtFree(kept) == 0);
}

int main(int, char** words) {
  visible = std::strcmp(words[1], "visible") == 0;
  start();
  allocations();
  what_an_operator_writes();
  mapped_memory();
  a_forked_process();
  return finish();
}
