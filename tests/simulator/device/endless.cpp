// Calls until somebody ends the program or its device; then its status says which. It prints a line when it has begun.
#include <csignal>

#include "device/call.h"

int main() {
  start();
  Call call;
  for (long at = 0;; ++at) {
    const int code = call.launch();
    if (code != 0) {
      EXPECT(code == 507899 || code == 561000);
      EXPECT(has(said(), "The device process"));
      std::_Exit(code == 507899 ? 33 : 34);
    }
    EXPECT(call.is_right());
    if (at == 0) {
      std::puts("begun");
      std::fflush(stdout);
    }
  }
}
