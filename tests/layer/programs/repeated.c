/* An executor that runs again: where its tensors are at first, after one of them was moved, and after one that it does not have.
 * Then a tensor in a private format, and one whose elements are half a byte. With an argument, a second executor works in place. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "stubbed.h"

enum { FLOAT = 0, INT4 = 29, ND = 2, NC1HWC0 = 3 };
static char workspace[64];

static void *line_of(float *numbers) {
    const int64_t shape[] = {2};
    return aclCreateTensor(shape, 1, FLOAT, NULL, 0, ND, shape, 1, numbers);
}

static void *repeatable(void *self, void *out) {
    uint64_t size;
    void *executor;
    aclnnAbsGetWorkspaceSize(self, out, &size, &executor);
    aclSetAclOpExecutorRepeatable(executor);
    return executor;
}

static void once(void *self, void *out) {
    uint64_t size;
    void *executor;
    aclnnAbsGetWorkspaceSize(self, out, &size, &executor);
    aclnnAbs(workspace, size, executor, NULL);
    aclDestroyTensor(self);
    aclDestroyTensor(out);
}

int main(int count, char **arguments) {
    float first[] = {-1, 2}, second[] = {3, -4}, results[] = {1, 2}, stored[2 * 4] = {0, 1, 2, 3, 4, 5, 6, 7};
    void *self = line_of(first), *out = line_of(results), *other = line_of(second);
    void *executor = repeatable(self, out);
    aclnnAbs(workspace, sizeof workspace, executor, NULL);
    aclSetInputTensorAddr(executor, 0, self, second);
    first[0] = 100; /* nobody reads this any more */
    aclnnAbs(workspace, sizeof workspace, executor, NULL);
    aclSetInputTensorAddr(executor, 0, other, first);
    aclnnAbs(workspace, sizeof workspace, executor, NULL);
    aclDestroyAclOpExecutor(executor);
    const int64_t view[] = {1, 3, 1, 2}, storage[] = {1, 1, 1, 2, 4}, half[] = {2};
    once(aclCreateTensor(view, 4, FLOAT, NULL, 0, NC1HWC0, storage, 5, stored), line_of(results));
    once(aclCreateTensor(half, 1, INT4, NULL, 0, ND, half, 1, stored), line_of(results));
    if (count > 1) {
        executor = repeatable(other, other);
        aclSetInputTensorAddr(executor, 0, other, first);
        aclnnAbs(workspace, sizeof workspace, executor, NULL);
        aclDestroyAclOpExecutor(executor);
    }
    printf("another setter: %s\n", dlsym(RTLD_DEFAULT, "aclSetTensorAddr") != NULL ? arguments[0] : "none");
    aclDestroyTensor(self);
    aclDestroyTensor(out);
    aclDestroyTensor(other);
    return 0;
}
