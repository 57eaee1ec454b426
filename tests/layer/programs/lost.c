/* A float by its prototype, and by variable arguments, which pass a double. */
#include "stubbed.h"

typedef int32_t (*variable)(const void *self, const void *target, int64_t reduction, ...);

int main(void) {
    const int64_t shape[] = {2, 2};
    uint64_t size;
    void *executor, *tensor = tensor_of(2, shape, 0);
    void (*volatile function)(void) = (void (*)(void))aclnnSmoothL1LossGetWorkspaceSize;
    aclnnSmoothL1LossGetWorkspaceSize(tensor, tensor, 0, 0.5f, tensor, &size, &executor);
    aclnnSmoothL1LossGetWorkspaceSize(tensor, tensor, 1, 0.0f, tensor, &size, &executor);
    ((variable)function)(tensor, tensor, (int64_t)2, 0.5, tensor, &size, &executor);
    aclDestroyTensor(tensor);
    return 0;
}
