// What the system refuses is a status. Arguments: a kind of limit.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <cstddef>

#include "device/call.h"

static void limit_files() {
  const rlimit least = {1 << 20, 1 << 20};
  EXPECT(setrlimit(RLIMIT_FSIZE, &least) == 0);
  start();
  void* memory = nullptr;
  REFUSED(207001, aclrtMalloc(&memory, size_t{4} << 20, ACL_MEM_MALLOC_HUGE_FIRST));
  Call call;
  EXPECT(call.launch() == 0 && call.is_right());
}

// A system without files in memory, as of some containers.
static void refuse_memfd() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_memfd_create, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {4, filter};
  EXPECT(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
  start();
  Call call;
  for (int at = 0; at < 3; ++at) EXPECT(call.launch() == 0 && call.is_right());
  EXPECT(aclrtFree(call.memory) == 0);
}

int main(int, char** words) {
  const std::string chosen = words[1];
  if (chosen == "files") limit_files();
  if (chosen == "memfd") refuse_memfd();
  std::printf("%d expectations\n", expectations.load());
  std::fflush(stdout);
  std::_Exit(0);
}
