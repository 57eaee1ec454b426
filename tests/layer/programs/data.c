/* Calls on memory that holds numbers: a transposed view at an offset, BF16, and as many more as the argument says. */
#include "stubbed.h"

enum { FLOAT = 0, BF16 = 27, ND = 2 };

static void call(void *self, void *out) {
    static char workspace[64];
    uint64_t size;
    void *executor;
    aclnnAbsGetWorkspaceSize(self, out, &size, &executor);
    aclnnAbs(workspace, size, executor, NULL);
    aclDestroyTensor(self);
    aclDestroyTensor(out);
}

int main(int count, char **arguments) {
    float numbers[] = {-1, 0, 1, 2, 3, 4, 5}, results[] = {6, 5, 4, 3, 2, 1};
    uint16_t narrow[] = {0x3F80, 0xC000}; /* 1 and -2 */
    const int64_t shape[] = {3, 2}, strides[] = {1, 3}, two[] = {2}, storage[] = {7}, none[] = {0, 2};
    call(aclCreateTensor(shape, 2, FLOAT, strides, 1, ND, storage, 1, numbers), aclCreateTensor(shape, 2, FLOAT, NULL, 0, ND, shape, 2, results));
    call(aclCreateTensor(two, 1, BF16, NULL, 0, ND, two, 1, narrow), aclCreateTensor(two, 1, BF16, NULL, 0, ND, two, 1, narrow));
    call(aclCreateTensor(none, 2, FLOAT, NULL, 0, ND, none, 2, NULL), aclCreateTensor(none, 2, FLOAT, NULL, 0, ND, none, 2, NULL));
    for (int at = 0; at < (count > 1 ? atoi(arguments[1]) : 0); at++) {
        call(aclCreateTensor(shape, 2, FLOAT, NULL, 0, ND, shape, 2, numbers), aclCreateTensor(shape, 2, FLOAT, NULL, 0, ND, shape, 2, results));
    }
    printf("%d waits\n", (int)stub_waits());
    return 0;
}
