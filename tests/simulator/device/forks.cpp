// Forked processes have no device, and keep none; whoever waits for children never sees the device. Argument: how long the child
// lives on, in seconds, behind the program.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "device/call.h"

static volatile std::sig_atomic_t ended = 0;

static void child(Call& call, int seconds) {
  float value = 0;
  void* memory = nullptr;
  const struct { const char* name; int code; } answers[] = {
      {"aclrtSetDevice", aclrtSetDevice(0)},
      {"aclrtMalloc", aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST)},
      {"aclrtFree", aclrtFree(call.memory)},
      {"aclrtMemcpy", aclrtMemcpy(&value, 4, call.target, 4, ACL_MEMCPY_DEVICE_TO_HOST)},
      {"aclrtMemset", aclrtMemset(call.target, 16, 0, 16)},
      {"aclrtSynchronizeStream", aclrtSynchronizeStream(nullptr)},
      {"aclrtSynchronizeDevice", aclrtSynchronizeDevice()},
  };
  for (const auto& one : answers) if (one.code != 107002) { std::printf("%s answers %d\n", one.name, one.code); std::fflush(stdout); _exit(3); }
  if (!has(said(), "was forked from one that uses the device, and cannot use it itself")) _exit(4);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  if (aclnnPreluGetWorkspaceSize(call.self, call.weight, call.out, &size, &executor) != 0) _exit(5);
  if (aclnnPrelu(call.workspace, size, executor, nullptr) == 0) _exit(6);
  sleep(seconds);
  _exit(7);
}

int main(int count, char** words) {
  const int seconds = count > 1 ? std::atoi(words[1]) : 0;
  std::signal(SIGCHLD, [](int) { ended = ended + 1; });
  EXPECT(aclInit(nullptr) == 0);
  const pid_t early = fork();  // before there is a device
  if (early == 0) {
    EXPECT(aclrtSetDevice(0) == 0);
    Call call;
    EXPECT(call.launch() == 0 && call.is_right());
    _exit(7);
  }
  int status = 0;
  EXPECT(waitpid(early, &status, 0) == early && WEXITSTATUS(status) == 7 && ended == 1);
  EXPECT(aclrtSetDevice(0) == 0);
  Call call;
  EXPECT(call.launch() == 0 && call.is_right());
  EXPECT(wait(&status) == -1 && errno == ECHILD);
  EXPECT(waitpid(-1, &status, __WALL) == -1 && errno == ECHILD && ended == 1);
  const pid_t made = fork();
  if (made == 0) child(call, seconds);
  if (seconds == 0) EXPECT(wait(&status) == made && WIFEXITED(status) && WEXITSTATUS(status) == 7);
  EXPECT(call.launch() == 0 && call.is_right());
  if (seconds > 0) std::_Exit(0);
  EXPECT(ended == 2);
  return finish();
}
