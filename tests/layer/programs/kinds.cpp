// Handles of the wrong kind: a scalar and an array as element of a list, as tensor, as list; a handle that was destroyed and whose
// address has another kind by now. CANN refuses each.
#include <cstdio>

#include "acl/acl.h"
#include "aclnnop/aclnn_cat.h"

static const int64_t shape[] = {2};
static int64_t number = 1 << 20; // where a tensor has its rank

static aclTensor *tensor() {
    static void *memory = nullptr;
    if (memory == nullptr) {
        aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST);
    }
    return aclCreateTensor(shape, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 1, memory);
}

template <typename To, typename From> static const To *as(const From *handle) { return reinterpret_cast<const To *>(handle); }

static void cat(const char *what, const aclTensorList *list, aclTensor *out) {
    uint64_t size = 0;
    aclOpExecutor *executor = nullptr;
    const int status = aclnnCatGetWorkspaceSize(list, 0, out, &size, &executor);
    std::printf("%s: %d\n", what, status);
}

static void cat_of(const char *what, const void *second, aclTensor *out) {
    const aclTensor *elements[] = {tensor(), static_cast<const aclTensor *>(second)};
    cat(what, aclCreateTensorList(elements, 2), out);
}

int main() {
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclTensor *out = tensor();
    aclScalar *scalar = aclCreateScalar(&number, ACL_INT64);
    aclIntArray *ints = aclCreateIntArray(shape, 1);
    const aclTensor *inner[] = {tensor()};
    aclTensorList *list = aclCreateTensorList(inner, 1);
    cat_of("a scalar as element", scalar, out);
    cat_of("an array as element", ints, out);
    cat_of("a list as element", list, out);
    cat("a scalar as list", as<aclTensorList>(scalar), out);
    cat("a tensor as list", as<aclTensorList>(tensor()), out);
    cat("a scalar as output", list, const_cast<aclTensor *>(as<aclTensor>(scalar)));
    aclTensor *old = tensor();
    aclDestroyTensor(old);
    cat_of("a destroyed element", old, out);
    for (int at = 0; at < 64; at++) { // until one has the address
        aclCreateScalar(&number, ACL_INT64);
    }
    cat_of("an element whose address has another kind", old, out);
    std::printf("a scalar destroyed as tensor: %d\n", aclDestroyTensor(as<aclTensor>(scalar)) != 0);
    std::printf("a tensor destroyed as list: %d\n", aclDestroyTensorList(as<aclTensorList>(out)) != 0);
    std::printf("and destroyed: %d %d\n", aclDestroyScalar(scalar), aclDestroyTensor(out));
    aclrtResetDevice(0);
    return aclFinalize();
}
