/* A CANN that bears any handle, to be attacked: it knows which addresses are handles of its own, of which kind, and answers 161002 to
 * all others. An address that was destroyed is used again soon, for any kind. But its getters read what they are given, as those of
 * CANN do: one that is asked of an address that never was a handle ends the process. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HANDLES = 512, AXES = 8, ELEMENTS = 8, INVALID = 161002, WORKSPACE = 64 };
typedef enum { NONE, TENSOR, SCALAR, INTS, TENSORS, SCALARS, EXECUTOR } kind;

typedef struct {
    kind is;
    bool repeatable;
    uint64_t count, stored; /* of axes or elements */
    int64_t shape[AXES], strides[AXES], storage[AXES];
    int64_t offset;
    int32_t dtype, format;
    const void *elements[ELEMENTS];
} handle;

static handle pool[HANDLES];
static unsigned next;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

/* Whether an address is that of a handle, of whichever kind. */
static bool is_ours(const void *address) {
    const uintptr_t place = (uintptr_t)address - (uintptr_t)pool;
    return place < sizeof pool && place % sizeof *pool == 0;
}

static bool is(const void *address, kind wanted) { return is_ours(address) && ((const handle *)address)->is == wanted; }

/* A new handle at the lowest address that is free from a place on; NULL where there are too many. */
static handle *make(kind of) {
    for (unsigned tried = 0; tried < HANDLES; tried++) {
        handle *made = &pool[next % HANDLES];
        if (made->is == NONE) {
            *made = (handle){.is = of};
            return made;
        }
        next = next % HANDLES + 1;
    }
    return NULL;
}

static void destroy(handle *old) {
    for (uint64_t at = 0; (old->is == TENSORS || old->is == SCALARS) && at < old->count; at++) {
        handle *element = (handle *)old->elements[at];
        if (is(element, old->is == TENSORS ? TENSOR : SCALAR)) {
            element->is = NONE;
        }
    }
    old->is = NONE;
    next = (unsigned)(old - pool);
}

static int32_t destroy_as(const void *address, kind of) {
    pthread_mutex_lock(&guard);
    const bool done = is(address, of);
    if (done) {
        destroy((handle *)address);
    }
    pthread_mutex_unlock(&guard);
    return done ? 0 : INVALID;
}

#define DESTROY(name, of)                                                                                              \
    int32_t name(const void *address) { return destroy_as(address, of); }
DESTROY(aclDestroyTensor, TENSOR)
DESTROY(aclDestroyScalar, SCALAR)
DESTROY(aclDestroyIntArray, INTS)
DESTROY(aclDestroyTensorList, TENSORS)
DESTROY(aclDestroyScalarList, SCALARS)
DESTROY(aclDestroyAclOpExecutor, EXECUTOR)

void *aclCreateTensor(const int64_t *shape, uint64_t rank, int32_t dtype, const int64_t *strides, int64_t offset, int32_t format,
                      const int64_t *storage, uint64_t stored, void *data) {
    (void)data;
    if (rank > AXES || stored > AXES) {
        return NULL;
    }
    pthread_mutex_lock(&guard);
    handle *made = make(TENSOR);
    if (made != NULL) {
        made->count = rank;
        made->stored = stored;
        made->offset = offset;
        made->dtype = dtype;
        made->format = format;
        memcpy(made->shape, shape, sizeof *shape * rank);
        memcpy(made->strides, strides != NULL ? strides : shape, sizeof *shape * rank);
        memcpy(made->storage, storage, sizeof *storage * stored);
    }
    pthread_mutex_unlock(&guard);
    return made;
}

void *aclCreateScalar(void *value, int32_t dtype) {
    (void)value, (void)dtype;
    pthread_mutex_lock(&guard);
    handle *made = make(SCALAR);
    pthread_mutex_unlock(&guard);
    return made;
}

/* A list of whatever: the call that takes it looks at the elements. */
static void *list(kind of, const void *const *elements, uint64_t count) {
    if (count > ELEMENTS) {
        return NULL;
    }
    pthread_mutex_lock(&guard);
    handle *made = make(of);
    if (made != NULL) {
        made->count = count;
        memcpy(made->elements, elements, sizeof *elements * count);
    }
    pthread_mutex_unlock(&guard);
    return made;
}

void *aclCreateTensorList(const void *const *elements, uint64_t count) { return list(TENSORS, elements, count); }
void *aclCreateScalarList(const void *const *elements, uint64_t count) { return list(SCALARS, elements, count); }

void *aclCreateIntArray(const int64_t *values, uint64_t count) {
    (void)values;
    pthread_mutex_lock(&guard);
    handle *made = make(INTS);
    if (made != NULL) {
        made->count = count;
    }
    pthread_mutex_unlock(&guard);
    return made;
}

/* ---- getters */

/* What CANN's getters of shapes answer was made by operator new[], and is the caller's. */
static void *new_array(size_t size) {
    void *(*operator_new)(size_t) = (void *(*)(size_t))dlsym(RTLD_DEFAULT, "_Znam");
    return operator_new != NULL ? operator_new(size) : malloc(size);
}

static int32_t ask(const void *address, void (*answer)(const handle *of, void *out, uint64_t *count), void *out, uint64_t *count) {
    if (!is_ours(address)) {
        fprintf(stderr, "a getter was asked of %p, which is no handle\n", address);
        abort();
    }
    pthread_mutex_lock(&guard);
    answer(address, out, count);
    pthread_mutex_unlock(&guard);
    return 0;
}

#define NUMBERS(name, field, length)                                                                                   \
    static void numbers_##field(const handle *of, void *out, uint64_t *count) {                                        \
        const uint64_t axes = of->length < AXES ? of->length : AXES;                                                   \
        *(int64_t **)out = memcpy(new_array(sizeof of->field), of->field, sizeof of->field);                            \
        *count = axes;                                                                                                 \
    }                                                                                                                  \
    int32_t name(const void *of, int64_t **out, uint64_t *count) { return ask(of, numbers_##field, out, count); }
NUMBERS(aclGetViewShape, shape, count)
NUMBERS(aclGetViewStrides, strides, count)
NUMBERS(aclGetStorageShape, storage, stored)

#define NUMBER(name, type, field)                                                                                      \
    static void number_of_##field##_##name(const handle *of, void *out, uint64_t *count) {                             \
        (void)count;                                                                                                   \
        *(type *)out = of->field;                                                                                      \
    }                                                                                                                  \
    int32_t name(const void *of, type *out) { return ask(of, number_of_##field##_##name, out, NULL); }
NUMBER(aclGetViewOffset, int64_t, offset)
NUMBER(aclGetFormat, int32_t, format)
NUMBER(aclGetDataType, int32_t, dtype)
NUMBER(aclGetIntArraySize, uint64_t, count)
NUMBER(aclGetTensorListSize, uint64_t, count)
NUMBER(aclGetScalarListSize, uint64_t, count)

const char *aclrtGetSocName(void) { return "Ascend910B2"; }
const char *aclGetRecentErrMsg(void) { return NULL; }

/* ---- operators */

int32_t aclSetAclOpExecutorRepeatable(void *executor) {
    pthread_mutex_lock(&guard);
    const bool done = is(executor, EXECUTOR);
    if (done) {
        ((handle *)executor)->repeatable = true;
    }
    pthread_mutex_unlock(&guard);
    return done ? 0 : INVALID;
}

int32_t aclSetInputTensorAddr(void *executor, size_t index, void *tensor, void *address) {
    (void)index, (void)address;
    pthread_mutex_lock(&guard);
    const bool done = is(executor, EXECUTOR) && is(tensor, TENSOR);
    pthread_mutex_unlock(&guard);
    return done ? 0 : INVALID;
}

int32_t aclSetDynamicInputTensorAddr(void *executor, size_t index, size_t relative, void *tensors, void *address) {
    (void)index, (void)relative, (void)address;
    pthread_mutex_lock(&guard);
    const bool done = is(executor, EXECUTOR) && is(tensors, TENSORS);
    pthread_mutex_unlock(&guard);
    return done ? 0 : INVALID;
}

/* Whether a parameter is what it must be, its elements included. */
static bool fits(const void *address, kind wanted) {
    bool fit = is(address, wanted);
    for (uint64_t at = 0; fit && (wanted == TENSORS || wanted == SCALARS) && at < ((const handle *)address)->count; at++) {
        fit = is(((const handle *)address)->elements[at], wanted == TENSORS ? TENSOR : SCALAR);
    }
    return fit;
}

static int32_t first(bool fit, uint64_t *workspace, void **executor) {
    *executor = fit ? make(EXECUTOR) : NULL;
    *workspace = WORKSPACE;
    return *executor != NULL ? 0 : INVALID;
}

static int32_t second(void *executor) {
    pthread_mutex_lock(&guard);
    const bool done = is(executor, EXECUTOR);
    if (done && !((handle *)executor)->repeatable) {
        destroy(executor);
    }
    pthread_mutex_unlock(&guard);
    return done ? 0 : INVALID;
}

#define OPERATOR(name, parameters, fit)                                                                                \
    int32_t name##GetWorkspaceSize parameters {                                                                        \
        pthread_mutex_lock(&guard);                                                                                    \
        const int32_t status = first(fit, workspace, executor);                                                        \
        pthread_mutex_unlock(&guard);                                                                                  \
        return status;                                                                                                 \
    }                                                                                                                  \
    int32_t name(void *workspace, uint64_t size, void *executor, void *stream) {                                       \
        (void)workspace, (void)size, (void)stream;                                                                     \
        return second(executor);                                                                                       \
    }
OPERATOR(aclnnCat, (const void *tensors, int64_t dim, void *out, uint64_t *workspace, void **executor),
         ((void)dim, fits(tensors, TENSORS) && fits(out, TENSOR)))
OPERATOR(aclnnAdds, (const void *self, const void *other, const void *alpha, void *out, uint64_t *workspace, void **executor),
         fits(self, TENSOR) && fits(other, SCALAR) && fits(alpha, SCALAR) && fits(out, TENSOR))
OPERATOR(aclnnFlip, (const void *self, const void *dims, void *out, uint64_t *workspace, void **executor),
         fits(self, TENSOR) && fits(dims, INTS) && fits(out, TENSOR))
OPERATOR(aclnnForeachDivScalarList, (const void *x, const void *scalars, void *out, uint64_t *workspace, void **executor),
         fits(x, TENSORS) && fits(scalars, SCALARS) && fits(out, TENSORS))
