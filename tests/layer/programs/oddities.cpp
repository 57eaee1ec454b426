// Calls with arguments that look wrong, and calls with right ones. Argument: which.
#include <cstdio>
#include <cstring>

#include "acl/acl.h"
#include "aclnnop/aclnn_cat.h"
#include "aclnnop/aclnn_smooth_l1_loss.h"

static const int64_t shape[] = {2, 4}, strides[] = {8, 1}, half[] = {8};

static aclTensor *tensor(const int64_t *steps, int64_t offset, const int64_t *storage, uint64_t rank) {
    static float memory[64];
    return aclCreateTensor(shape, 2, ACL_FLOAT, steps, offset, ACL_FORMAT_ND, storage, rank, memory);
}

static int cat(aclOpExecutor **executor) {
    const aclTensor *views[] = {tensor(strides, 0, half, 1)};
    aclTensorList *list = aclCreateTensorList(views, 1);
    aclTensor *out = tensor(nullptr, 0, shape, 2);
    uint64_t size = 0;
    const int status = aclnnCatGetWorkspaceSize(list, 0, out, &size, executor);
    aclDestroyTensorList(list);
    aclDestroyTensor(out);
    return status;
}

using Variable = aclnnStatus (*)(const aclTensor *, const aclTensor *, int64_t, ...);

int main(int, char **arguments) {
    aclInit(nullptr);
    aclrtSetDevice(0);
    const char *which = arguments[1];
    const auto is = [which](const char *word) { return std::strcmp(which, word) == 0; };
    const aclTensor *self = is("view") ? tensor(strides, 0, half, 1) : is("before") ? tensor(nullptr, -1, half, 1) : tensor(nullptr, 0, half, 1);
    aclTensor *target = tensor(nullptr, 0, shape, 2), *result = tensor(nullptr, 0, shape, 2);
    const int64_t reduction = is("handle") ? reinterpret_cast<int64_t>(target) : is("memory") ? reinterpret_cast<int64_t>(&which)
                              : is("large") ? int64_t{1} << 45 : is("refused") || is("lost-refused") ? 7 : 0;
    const auto variable = reinterpret_cast<Variable>(aclnnSmoothL1LossGetWorkspaceSize);
    uint64_t size = 0;
    aclOpExecutor *executor = nullptr;
    const int status = is("list") ? cat(&executor)
                       : is("lost") || is("lost-refused") ? variable(self, target, reduction, 0.5, result, &size, &executor)
                       : aclnnSmoothL1LossGetWorkspaceSize(self, target, reduction, is("zero") ? 0.0f : 0.5f, result, &size, &executor);
    std::printf("%d\n", status);
    if (status == 0) {
        aclDestroyAclOpExecutor(executor);
    }
    aclDestroyTensor(self);
    aclDestroyTensor(target);
    aclDestroyTensor(result);
    aclrtResetDevice(0);
    return aclFinalize();
}
