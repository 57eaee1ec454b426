// A planted fault ends the device process in a call: a failure that stays until the device is reset. Argument: what it says.
#include "device/call.h"

int main(int, char** words) {
  const bool late = std::getenv("ACLSPEC_STRICT") != nullptr;
  start();
  Call call;
  EXPECT(call.launch() == (late ? 0 : 507899));
  if (late) EXPECT(aclrtSynchronizeStream(nullptr) == 507899);
  const std::string first = said();
  EXPECT(has(first, words[1]));
  EXPECT(has(first, " in aclnnPrelu(self=FLOAT[4], weight=FLOAT[1], out=FLOAT[4]). Every call that needs it fails until aclrtResetDevice."));
  unsetenv("ACLSPEC_SIMULATOR_FAULT");
  float value = 0;
  REFUSED(507899, aclrtSynchronizeStream(nullptr));
  REFUSED(507899, aclrtSynchronizeDevice());
  REFUSED(507899, aclrtMemcpy(&value, 4, call.target, 4, ACL_MEMCPY_DEVICE_TO_HOST));
  REFUSED(507899, aclrtMemset(call.target, 16, 0, 16));
  REFUSED(507899, call.launch());
  EXPECT(aclrtResetDevice(0) == 0 && aclrtSetDevice(0) == 0);
  EXPECT(call.launch() == 0 && aclrtSynchronizeStream(nullptr) == 0 && call.is_right());
  std::printf("%d expectations\n", expectations.load());
  std::fflush(stdout);
  std::_Exit(0);
}
