// A program that misuses handles, one way for each argument.
#include <cstdio>
#include <cstring>

#include "acl/acl.h"
#include "aclnnop/aclnn_abs.h"

static aclTensor *tensor() {
    static void *memory = nullptr;
    if (memory == nullptr) {
        aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST);
    }
    const int64_t shape[] = {2};
    return aclCreateTensor(shape, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 1, memory);
}

static void *workspace_of(uint64_t size) {
    void *workspace = nullptr;
    if (size > 0) {
        aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST);
    }
    return workspace;
}

static void misuse(const char *how) {
    aclTensor *self = tensor(), *out = tensor();
    uint64_t size = 0;
    aclOpExecutor *executor = nullptr;
    const auto is = [how](const char *name) { return std::strcmp(how, name) == 0; };
    if (is("destroy-twice")) {
        aclDestroyTensor(self);
        std::printf("%d\n", aclDestroyTensor(self));
    } else if (is("element-twice")) {
        aclTensorList *list = aclCreateTensorList(&self, 1);
        aclDestroyTensorList(list);
        std::printf("%d\n", aclDestroyTensor(self));
    } else if (is("use-after")) {
        aclDestroyTensor(self);
        std::printf("%d\n", aclnnAbsGetWorkspaceSize(self, out, &size, &executor));
    } else if (is("run-twice")) {
        std::printf("%d\n", aclnnAbsGetWorkspaceSize(self, out, &size, &executor));
        void *workspace = workspace_of(size);
        std::printf("%d\n", aclnnAbs(workspace, size, executor, nullptr));
        std::printf("%d\n", aclnnAbs(workspace, size, executor, nullptr));
    } else if (is("repeatable")) {
        std::printf("%d\n", aclnnAbsGetWorkspaceSize(self, out, &size, &executor));
        void *workspace = workspace_of(size);
        std::printf("%d\n", aclSetAclOpExecutorRepeatable(executor));
        std::printf("%d\n", aclnnAbs(workspace, size, executor, nullptr));
        std::printf("%d\n", aclnnAbs(workspace, size, executor, nullptr));
        std::printf("%d\n", aclDestroyAclOpExecutor(executor));
    } else if (is("never-run")) {
        std::printf("%d\n", aclnnAbsGetWorkspaceSize(self, out, &size, &executor));
    } else if (is("small-workspace")) {
        std::printf("%d\n", aclnnAbsGetWorkspaceSize(self, out, &size, &executor));
        std::printf("%d\n", aclnnAbs(workspace_of(size), size - 1, executor, nullptr));
    } else if (is("null-workspace")) {
        std::printf("%d\n", aclnnAbsGetWorkspaceSize(self, out, &size, &executor));
        std::printf("%d\n", aclnnAbs(nullptr, size, executor, nullptr));
    } else if (is("left")) {
        return;
    }
    if (!is("destroy-twice") && !is("element-twice") && !is("use-after")) {
        aclDestroyTensor(self);
    }
    aclDestroyTensor(out);
}

int main(int count, char **arguments) {
    aclInit(nullptr);
    aclrtSetDevice(0);
    for (int at = 1; at < count; at++) {
        misuse(arguments[at]);
    }
    aclrtResetDevice(0);
    return aclFinalize();
}
