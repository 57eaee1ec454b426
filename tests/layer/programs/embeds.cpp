// A program in C++ in whose process a library keeps a Python interpreter for itself, as some of CANN's do. Argument: libpython.
#include <dlfcn.h>

#include <cstdio>

#include "acl/acl.h"
#include "aclnnop/aclnn_abs.h"

int main(int count, char **arguments) {
    void *python = count > 1 ? dlopen(arguments[1], RTLD_NOW | RTLD_GLOBAL) : nullptr;
    if (python == nullptr) {
        return 1;
    }
    reinterpret_cast<void (*)(int)>(dlsym(python, "Py_InitializeEx"))(0);
    uint64_t size;
    aclOpExecutor *executor;
    std::printf("%d\n", aclnnAbsGetWorkspaceSize(nullptr, nullptr, &size, &executor));
    return 0;
}
