/* A CANN root without arithmetic: what arrives in C is told back as text, in the error message of phase one. It knows
 * nothing of aclspec, and its functions have the types that C programs give them. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef LIBRARY
#define LIBRARY "?"
#endif

typedef struct object {
    char text[1024];
    int count;
    struct object *elements[16];
    float *data; /* of a tensor: its storage, at its offset */
    int64_t size;
} object;

extern int echo_alive;
extern char echo_told[8192];

#ifdef RUNTIME
int echo_alive;
char echo_told[8192];
static char message[8192];
static int context, stream;

int aclInit(const char *path) { return path == NULL ? 0 : 100003; }
int aclFinalize(void) { return 0; }
int aclrtSetDevice(int32_t device) { return device == 7 ? 107001 : 0; }
int aclrtResetDevice(int32_t device) { return device < 0; }
int aclrtGetCurrentContext(void **out) { return *out = &context, 0; }
int aclrtSetCurrentContext(void *given) { return given == &context ? 0 : 107002; }
int aclrtCreateStream(void **out) { return *out = &stream, 0; }
int aclrtDestroyStream(void *given) { return given != &stream; }
int aclrtSynchronizeStream(void *given) { return given != &stream; }
int aclrtMalloc(void **out, size_t size, int policy) { return (*out = policy == 0 ? malloc(size) : NULL) == NULL ? 207001 : 0; }
int aclrtFree(void *memory) { return free(memory), 0; }
int aclrtMemcpy(void *to, size_t room, const void *from, size_t count, int kind) {
    return count <= room && kind >= 0 && kind <= 3 ? (memcpy(to, from, count), 0) : 107000;
}
const char *aclrtGetSocName(void) { return "Ascend910B2"; }
const char *aclGetRecentErrMsg(void) {
    strcpy(message, echo_told);
    echo_told[0] = '\0';
    return message[0] != '\0' ? message : NULL;
}
#endif

#ifdef BASE
static void say(object *to, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const size_t used = strlen(to->text);
    vsnprintf(to->text + used, sizeof to->text - used, format, arguments);
    va_end(arguments);
}
static object *make(void) { return echo_alive++, calloc(1, sizeof(object)); }
static int destroy(object *one) {
    if (one != NULL) {
        for (int at = 0; at < one->count; at++) {
            destroy(one->elements[at]);
        }
        echo_alive--;
        free(one);
    }
    return 0;
}
static void say_ints(object *to, const char *name, const int64_t *values, uint64_t count) {
    say(to, "%s%s", name, values == NULL ? "null" : "[");
    for (uint64_t at = 0; values != NULL && at < count; at++) {
        say(to, "%s%lld", at ? "," : "", (long long)values[at]);
    }
    say(to, values == NULL ? "" : "]");
}
object *aclCreateTensor(const int64_t *dims, uint64_t rank, int dtype, const int64_t *strides, int64_t offset, int format,
                        const int64_t *storage, uint64_t storage_rank, void *data) {
    object *made = make();
    say(made, "tensor(%d", dtype);
    say_ints(made, " ", dims, rank);
    say_ints(made, " strides ", strides, rank);
    say(made, " offset %lld format %d", (long long)offset, format);
    say_ints(made, " storage ", storage, storage_rank);
    if (data != NULL && dtype == 0) { /* the address of the storage, whose floats a host can read */
        say(made, " first %g", ((float *)data)[offset]);
    }
    say(made, "%s)", data == NULL ? " nowhere" : "");
    made->data = data == NULL ? NULL : (float *)data + offset;
    made->size = 1;
    for (uint64_t at = 0; at < rank; at++) {
        made->size *= dims[at];
    }
    return made;
}
object *aclCreateScalar(const void *value, int dtype) {
    object *made = make();
    switch (dtype) {
    case 0: say(made, "float(%g)", *(const float *)value); break;
    case 1: case 27: say(made, "half(%d %04x)", dtype, *(const uint16_t *)value); break;
    case 2: say(made, "int8(%d)", *(const int8_t *)value); break;
    case 9: say(made, "int64(%lld)", (long long)*(const int64_t *)value); break;
    case 11: say(made, "double(%.17g)", *(const double *)value); break;
    case 12: say(made, "bool(%d)", *(const bool *)value); break;
    case 17: say(made, "complex(%g %g)", ((const double *)value)[0], ((const double *)value)[1]); break;
    default: say(made, "scalar(%d)", dtype);
    }
    return made;
}
object *aclCreateIntArray(const int64_t *values, uint64_t count) {
    object *made = make();
    say_ints(made, "ints", values, count);
    return made;
}
object *aclCreateFloatArray(const float *values, uint64_t count) {
    object *made = make();
    say(made, "floats");
    for (uint64_t at = 0; at < count; at++) {
        say(made, " %g", values[at]);
    }
    return made;
}
object *aclCreateBoolArray(const bool *values, uint64_t count) {
    object *made = make();
    say(made, "bools");
    for (uint64_t at = 0; at < count; at++) {
        say(made, " %d", values[at]);
    }
    return made;
}
static object *list(object *const *elements, uint64_t count) {
    object *made = make();
    say(made, "{");
    for (uint64_t at = 0; at < count; at++) {
        made->elements[made->count++] = elements[at];
        say(made, "%s%s", at ? "; " : "", elements[at] != NULL ? elements[at]->text : "null");
    }
    say(made, "}");
    return made;
}
object *aclCreateTensorList(object *const *elements, uint64_t count) { return list(elements, count); }
object *aclCreateScalarList(object *const *elements, uint64_t count) { return list(elements, count); }
int aclDestroyTensor(object *one) { return destroy(one); }
int aclDestroyScalar(object *one) { return destroy(one); }
int aclDestroyIntArray(object *one) { return destroy(one); }
int aclDestroyFloatArray(object *one) { return destroy(one); }
int aclDestroyBoolArray(object *one) { return destroy(one); }
int aclDestroyTensorList(object *one) { return destroy(one); }
int aclDestroyScalarList(object *one) { return destroy(one); }
int aclDestroyAclOpExecutor(object *one) { return destroy(one); }
int aclSetAclOpExecutorRepeatable(object *one) { return one == NULL ? 561103 : 561000; } /* no call can be repeated */
#endif

#ifdef OPERATORS
static const char *text(const object *one) { return one != NULL ? one->text : "null"; }

/* The floats stand between the integers, so that a wrong type moves the registers of those behind it. */
int aclnnHandmadeGetWorkspaceSize(const object *x, const object *parts, const object *alpha, const object *betas,
                                  const object *kernel, const object *mask, const object *ratios, bool flag, float small,
                                  int8_t mode, double eps, int32_t groups, int plain, int64_t wide, float other,
                                  uint64_t seed, const char *name, int dtype, double last, object *out, uint64_t *size,
                                  object **executor) {
    if (size == NULL || executor == NULL) {
        return 161001;
    }
    snprintf(echo_told, sizeof echo_told,
             LIBRARY " %s | %s | %s | %s | %s | %s | %s | %d %.9g %d %.17g %d %d %lld %.9g %llu %s %d %.17g | %s", text(x), text(parts),
             text(alpha), text(betas), text(kernel), text(mask), text(ratios), flag, small, mode, eps, groups, plain,
             (long long)wide, other, (unsigned long long)seed, name != NULL ? name : "null", dtype, last, text(out));
    return 161002;
}
int aclnnHandmade(void *workspace, uint64_t size, object *executor, void *stream) {
    (void)workspace, (void)size, (void)executor, (void)stream;
    return 161002;
}

/* The one operator that computes, on floats: out = self * factor; state and the tensors of parts grow by 1. */
static const object *self_, *state_, *parts_, *out_;
static double factor_;
static object call_;

int aclnnToldGetWorkspaceSize(const object *self, const object *state, const object *parts, double factor, const object *out,
                              uint64_t *size, object **executor) {
    if (self == NULL || out == NULL) {
        return 161001;
    }
    self_ = self, state_ = state, parts_ = parts, factor_ = factor, out_ = out;
    return *size = 0, *executor = &call_, 0;
}
static void grow(const object *one) {
    for (int64_t at = 0; one != NULL && at < one->size; at++) {
        one->data[at] += 1;
    }
}
int aclnnTold(void *workspace, uint64_t size, object *executor, void *stream) {
    (void)workspace, (void)size, (void)stream;
    for (int64_t at = 0; at < out_->size; at++) {
        out_->data[at] = (float)(self_->data[at] * factor_);
    }
    grow(state_);
    for (int at = 0; parts_ != NULL && at < parts_->count; at++) {
        grow(parts_->elements[at]);
    }
    return executor != &call_;
}
#endif
