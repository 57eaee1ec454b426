// A program that finds every function of aclnn as torch_npu does: by dlopen and dlsym, custom libraries first.
// Where its first argument is "linked", it calls the functions that create handles as linked ones, and finds those of operators.
// Otherwise each argument is the name of a function, and the program prints whether it finds it.
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"

static void *open_trusted(const std::string &path) {
    struct stat status;
    if (stat(path.c_str(), &status) != 0 || (status.st_uid != 0 && status.st_uid != geteuid())) {
        return nullptr;
    }
    return dlopen(path.c_str(), RTLD_LAZY);
}

static const std::vector<void *> &libraries() {
    static const std::vector<void *> opened = [] {
        std::vector<void *> all;
        const char *custom = std::getenv("ASCEND_CUSTOM_OPP_PATH");
        std::stringstream paths(custom == nullptr ? "" : custom);
        for (std::string path; std::getline(paths, path, ':');) {
            if (void *handle = open_trusted(path + "/op_api/lib/libcust_opapi.so")) {
                all.push_back(handle);
            }
        }
        for (const char *name : {"libopapi_math.so", "libopapi_nn.so", "libopapi.so", "libnnopbase.so"}) {
            if (void *handle = dlopen(name, RTLD_LAZY)) {
                all.push_back(handle);
            }
        }
        return all;
    }();
    return opened;
}

static void *find(const char *name) {
    for (void *handle : libraries()) {
        if (void *function = dlsym(handle, name)) {
            return function;
        }
    }
    return nullptr;
}

#define FIND(name) reinterpret_cast<decltype(&name)>(find(#name))
using First = aclnnStatus (*)(const aclTensor *, const aclIntArray *, aclTensor *, uint64_t *, aclOpExecutor **);
using Second = aclnnStatus (*)(void *, uint64_t, aclOpExecutor *, aclrtStream);

static void flip(int64_t axis, bool linked) {
    const auto create = linked ? aclCreateTensor : FIND(aclCreateTensor);
    const auto destroy = linked ? aclDestroyTensor : FIND(aclDestroyTensor);
    const auto create_array = linked ? aclCreateIntArray : FIND(aclCreateIntArray);
    const auto destroy_array = linked ? aclDestroyIntArray : FIND(aclDestroyIntArray);
    const auto first = reinterpret_cast<First>(find("aclnnFlipGetWorkspaceSize"));
    const auto second = reinterpret_cast<Second>(find("aclnnFlip"));
    const int64_t shape[] = {2, 2};
    const float values[] = {1, 2, 3, 4};
    void *memory[2];
    aclTensor *tensors[2];
    for (int at = 0; at < 2; at++) {
        aclrtMalloc(&memory[at], sizeof values, ACL_MEM_MALLOC_HUGE_FIRST);
        aclrtMemcpy(memory[at], sizeof values, values, sizeof values, ACL_MEMCPY_HOST_TO_DEVICE);
        tensors[at] = create(shape, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 2, memory[at]);
    }
    aclIntArray *dims = create_array(&axis, 1);
    uint64_t size = 7;
    aclOpExecutor *executor = nullptr;
    int status = first(tensors[0], dims, tensors[1], &size, &executor);
    std::printf("flip %d: %d\n", static_cast<int>(axis), status);
    if (status == 0) {
        void *workspace = nullptr;
        if (size > 0) {
            aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST);
        }
        status = second(workspace, size, executor, nullptr);
        aclrtSynchronizeStream(nullptr);
        float out[4];
        aclrtMemcpy(out, sizeof out, memory[1], sizeof out, ACL_MEMCPY_DEVICE_TO_HOST);
        std::printf("phase two: %d, out: %g %g %g %g\n", status, out[0], out[1], out[2], out[3]);
        if (workspace != nullptr) {
            aclrtFree(workspace);
        }
    }
    destroy_array(dims);
    for (int at = 0; at < 2; at++) {
        destroy(tensors[at]);
        aclrtFree(memory[at]);
    }
}

int main(int count, char **names) {
    aclInit(nullptr);
    aclrtSetDevice(0);
    const bool linked = count > 1 && std::string(names[1]) == "linked";
    if (count == 1 || linked) {
        for (const int64_t axis : {1, 5, -1}) {
            flip(axis, linked);
        }
    }
    for (int at = linked ? 2 : 1; at < count; at++) {
        std::printf("%s: %s\n", names[at], find(names[at]) != nullptr ? "found" : "not found");
    }
    for (void *library : libraries()) {
        dlclose(library);
    }
    aclrtResetDevice(0);
    return aclFinalize();
}
