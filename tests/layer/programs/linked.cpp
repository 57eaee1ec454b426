// A program that is linked with CANN's libraries: right calls and wrong ones. It prints statuses and outputs.
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_flip.h"
#include "aclnnop/aclnn_prelu_backward.h"

struct Tensor {
    Tensor(std::vector<int64_t> dims, std::vector<float> values, aclDataType dtype = ACL_FLOAT) : bytes(values.size() * sizeof(float)) {
        aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
        aclrtMemcpy(memory, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
        handle = aclCreateTensor(dims.data(), dims.size(), dtype, nullptr, 0, ACL_FORMAT_ND, dims.data(), dims.size(), memory);
    }
    ~Tensor() {
        aclDestroyTensor(handle);
        aclrtFree(memory);
    }
    void print(const char *name) const {
        std::vector<float> values(bytes / sizeof(float));
        aclrtMemcpy(values.data(), bytes, memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
        std::printf("%s:", name);
        for (const float value : values) {
            std::printf(" %g", value);
        }
        std::printf("\n");
    }
    size_t bytes;
    void *memory = nullptr;
    aclTensor *handle = nullptr;
};

static aclrtStream stream;

template <typename Second> static void finish(const char *name, int status, uint64_t size, aclOpExecutor *executor, Second second) {
    std::printf("%s: %d\n", name, status);
    if (status == 0) {
        void *workspace = nullptr;
        if (size > 0) {
            aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST);
        }
        std::printf("%s, phase two: %d\n", name, second(workspace, size, executor, stream));
        aclrtSynchronizeStream(stream);
        if (workspace != nullptr) {
            aclrtFree(workspace);
        }
    }
}

static void prelu(const char *name, int64_t channels) {
    Tensor grad({4, 2}, std::vector<float>(8, 1)), self({4, 2}, {-1, 1, -2, 2, -3, 3, -4, 4});
    Tensor weight({channels}, std::vector<float>(channels, 0.5f));
    Tensor grad_input({4, 2}, std::vector<float>(8, 9)), grad_weight({channels}, std::vector<float>(channels, 9));
    uint64_t size = 7;
    aclOpExecutor *executor = nullptr;
    const int status = aclnnPreluBackwardGetWorkspaceSize(grad.handle, self.handle, weight.handle, grad_input.handle,
                                                          grad_weight.handle, &size, &executor);
    finish(name, status, size, executor, aclnnPreluBackward);
    grad_input.print("gradInput");
    grad_weight.print("gradWeight");
}

static void flip(const char *name, int64_t axis) {
    Tensor self({2, 2}, {1, 2, 3, 4}), out({2, 2}, {0, 0, 0, 0});
    aclIntArray *dims = aclCreateIntArray(&axis, 1);
    uint64_t size = 7;
    aclOpExecutor *executor = nullptr;
    const int status = aclnnFlipGetWorkspaceSize(self.handle, dims, out.handle, &size, &executor);
    finish(name, status, size, executor, aclnnFlip);
    out.print("out");
    aclDestroyIntArray(dims);
}

int main() {
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtCreateStream(&stream);
    prelu("prelu", 2);
    prelu("prelu of three channels", 3);
    prelu("prelu of three channels again", 3);
    flip("flip", 1);
    flip("flip of axis 5", 5);
    uint64_t size;
    std::printf("null executor: %d\n", aclnnPreluBackwardGetWorkspaceSize(nullptr, nullptr, nullptr, nullptr, nullptr, &size, nullptr));
    const char *message = aclGetRecentErrMsg();
    std::printf("message: %s\n", message == nullptr ? "none" : "some");
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    return aclFinalize();
}
