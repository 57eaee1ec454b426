/* What looks wrong in the arguments of a call though no rule speaks of it: never a reason for a refusal. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "layer.h"

/* ---- a view that leaves its storage */

static int64_t clamped(__int128 number) {
    return number > INT64_MAX ? INT64_MAX : number < INT64_MIN ? INT64_MIN : (int64_t)number;
}

/* The elements of a storage; -1 where that says nothing. */
static int64_t storage_of(const aclspec_tensor *tensor) {
    int64_t count = tensor->storage_rank > 0 ? 1 : -1;
    for (uint64_t axis = 0; count >= 0 && axis < tensor->storage_rank; axis++) {
        const int64_t size = tensor->storage_shape[axis];
        count = size < 0 || __builtin_mul_overflow(count, size, &count) ? -1 : count;
    }
    return count;
}

/* Which elements of the storage a view reaches, the end excluded; false for none. */
static bool reach(const aclspec_tensor *tensor, int64_t *begin, int64_t *end) {
    __int128 low = tensor->offset, high = low;
    for (uint64_t axis = 0; axis < tensor->rank; axis++) {
        if (tensor->shape[axis] <= 0) {
            return false;
        }
        const __int128 steps = (__int128)(tensor->shape[axis] - 1) * tensor->strides[axis];
        *(steps < 0 ? &low : &high) += steps;
    }
    *begin = clamped(low);
    *end = clamped(high + 1);
    return true;
}

static bool add_tensor(layer_text *text, const char *name, const aclspec_tensor *tensor) {
    const int64_t storage = layer_is_public(tensor->format) ? storage_of(tensor) : -1;
    int64_t begin, end;
    if (storage < 0 || !reach(tensor, &begin, &end) || (begin >= 0 && end <= storage)) {
        return false;
    }
    layer_add(text, LAYER_TEXT("The view of %s covers elements %lld to %lld of its storage, which has %lld.",
                               "%s 的视图覆盖其存储的第 %lld 至 %lld 个元素，而存储只有 %lld 个元素。"), name, (long long)begin,
              (long long)end - 1, (long long)storage);
    return true;
}

static bool add_view(layer_text *text, const layer_decoded *decoded, int at) {
    const char *name = decoded->op->params[at].name;
    const aclspec_argument *argument = &decoded->arguments[at];
    switch (layer_param_kinds[decoded->op - aclspec_operators][at]) {
    case LAYER_TENSOR: return argument->tensor != NULL && add_tensor(text, name, argument->tensor);
    case LAYER_TENSORS:
        for (uint64_t item = 0; argument->tensors != NULL && argument->tensors->items != NULL && item < argument->tensors->length; item++) {
            const aclspec_tensor *tensor = argument->tensors->items[item];
            if (tensor != NULL && add_tensor(text, name, tensor)) {
                return true;
            }
        }
        return false;
    default: return false;
    }
}

/* ---- a float that variable arguments lost */

static bool add_lost(layer_text *text, const layer_decoded *decoded, int at) {
    const double passed = decoded->values[at].whole, size = passed < 0 ? -passed : passed;
    if (decoded->values[at].real != 0 || !(size > 1e-6 && size < 1e12)) { /* 0, or what was left in the upper half */
        return false;
    }
    layer_add(text, LAYER_TEXT("%s is 0: the caller passed %g as a double, as variable arguments do; it must be a float.",
                               "%s 为 0：调用方按 double 传入 %g（可变参数即如此），应为 float。"), decoded->op->params[at].name, passed);
    return true;
}

/* ---- an integer that looks like a pointer */

static bool is_address(int64_t value) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)value;
    unsigned char present;
    layer_object *object = value > 0 ? layer_hold((const void *)at) : NULL;
    const bool known = object != NULL;
    layer_release(object);
    return known || (value > UINT32_MAX && mincore((void *)(at / page * page), 1, &present) == 0);
}

static bool add_pointer(layer_text *text, const layer_decoded *decoded, int at) {
    const unsigned char kind = layer_param_kinds[decoded->op - aclspec_operators][at];
    if ((kind != LAYER_P_INTEGER && kind != LAYER_P_NATURAL) || !is_address(decoded->values[at].integer)) {
        return false;
    }
    layer_add(text, LAYER_TEXT("%s is %#llx, an address of this process: a pointer may stand in its place.",
                               "%s 为 %#llx，是本进程的地址：该位置可能误传了指针。"), decoded->op->params[at].name,
              (unsigned long long)decoded->values[at].integer);
    return true;
}

static bool (*const adders[LAYER_ODDITIES])(layer_text *, const layer_decoded *, int) = {
    [LAYER_VIEW] = add_view, [LAYER_LOST] = add_lost, [LAYER_POINTER] = add_pointer};

bool layer_add_oddity(layer_text *text, const layer_decoded *decoded, layer_oddity oddity, const char *before) {
    bool any = false;
    for (int at = 0; at < decoded->op->param_count; at++) {
        layer_text one = {0};
        if (adders[oddity](&one, decoded, at)) {
            layer_add(text, "%s%s\n", before, one.at != NULL ? one.at : "");
            any = true;
        }
        layer_free(&one);
    }
    return any;
}
