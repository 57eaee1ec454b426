// A program that makes a wrong call, forks, and makes it again in the child; and one that destroys a handle in a static destructor.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "acl/acl.h"
#include "aclnnop/aclnn_abs.h"

struct Kept {
    ~Kept() { std::printf("destroyed at the end: %d\n", aclDestroyTensor(handle)); }
    aclTensor *handle = nullptr;
};

static Kept kept;

static int wrong() {
    uint64_t size;
    aclOpExecutor *executor;
    return aclnnAbsGetWorkspaceSize(nullptr, kept.handle, &size, &executor);
}

int main() {
    const int64_t shape[] = {2};
    aclInit(nullptr);
    aclrtSetDevice(0);
    kept.handle = aclCreateTensor(shape, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 1, nullptr);
    std::printf("before: %d\n", wrong());
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        const int status = wrong();
        std::printf("child: %d\n", status);
        std::fflush(stdout);
        return 0; // and so through the destructors
    }
    int status = 0;
    waitpid(child, &status, 0);
    std::printf("after: %d, the child ended with %d\n", wrong(), status);
    aclrtResetDevice(0);
    return aclFinalize();
}
