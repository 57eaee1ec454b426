// A kernel fails in a way that nobody foresees: so does the call, and the device goes on.
#include "device/call.h"

int main() {
  const bool late = std::getenv("ACLSPEC_STRICT") != nullptr;
  start();
  Call call;
  EXPECT(call.launch() == (late ? 0 : 561000));
  if (late) EXPECT(aclrtSynchronizeStream(nullptr) == 507015);
  EXPECT(has(said(), "The simulator itself fails (ZeroDivisionError: a planted fault).\n - while calling aclnnPrelu"));
  EXPECT(aclrtSynchronizeStream(nullptr) == 0);
  aclTensor *one = floats({1}, call.memory), *slope = floats({1}, call.slope);
  EXPECT(one != nullptr && slope != nullptr);
  EXPECT(call.launch() == (late ? 0 : 561000));
  std::printf("%d expectations\n", expectations.load());
  std::fflush(stdout);
  std::_Exit(0);
}
