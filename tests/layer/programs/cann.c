/* A stub of CANN that does nothing: its handles bear whatever they are made of, and every call of an operator succeeds, but for
 * one whose first tensor is null. It has four operators, none of the others, and a cache of executors. It is small enough for sanitizers to see all. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t *shape, *strides, *storage;
    uint64_t rank, stored;
    int64_t offset;
    int32_t dtype, format;
} tensor;

typedef struct {
    uint64_t size;
} array;

static int64_t *copy(const int64_t *values, uint64_t count) {
    int64_t *made = malloc(sizeof *made * (count + 1));
    if (made != NULL && values != NULL && count > 0) {
        memcpy(made, values, sizeof *made * count);
    } else if (made != NULL) {
        memset(made, 0, sizeof *made * (count + 1));
    }
    return made;
}

enum { MOST = 64 };

void *aclCreateTensor(const int64_t *shape, uint64_t rank, int32_t dtype, const int64_t *strides, int64_t offset, int32_t format,
                      const int64_t *storage, uint64_t stored, void *data) {
    (void)data;
    if (rank > MOST || stored > MOST || (shape == NULL && rank > 0) || (storage == NULL && stored > 0)) {
        return NULL;
    }
    tensor *made = malloc(sizeof *made);
    *made = (tensor){copy(shape, rank), copy(strides, rank), copy(storage, stored), rank, stored, offset, dtype, format};
    return made;
}

int32_t aclDestroyTensor(const void *handle) {
    tensor *old = (tensor *)handle;
    if (old != NULL) {
        free(old->shape);
        free(old->strides);
        free(old->storage);
        free(old);
    }
    return 0;
}

#define NUMBERS(name, field, count)                                                                                    \
    int32_t name(const tensor *of, int64_t **out, uint64_t *number) {                                                  \
        *out = copy(of->field, of->count);                                                                             \
        *number = of->count;                                                                                           \
        return 0;                                                                                                      \
    }
NUMBERS(aclGetViewShape, shape, rank)
NUMBERS(aclGetViewStrides, strides, rank)
NUMBERS(aclGetStorageShape, storage, stored)

#define NUMBER(name, type, field)                                                                                      \
    int32_t name(const tensor *of, type *out) {                                                                        \
        *out = of->field;                                                                                              \
        return 0;                                                                                                      \
    }
NUMBER(aclGetViewOffset, int64_t, offset)
NUMBER(aclGetFormat, int32_t, format)
NUMBER(aclGetDataType, int32_t, dtype)

#define ARRAY(noun, element)                                                                                           \
    void *aclCreate##noun(const element *values, uint64_t size) {                                                      \
        array *made = size > 1 << 20 ? NULL : malloc(sizeof *made);                                                    \
        if (made != NULL) {                                                                                            \
            made->size = values == NULL ? 0 : size;                                                                    \
        }                                                                                                              \
        return made;                                                                                                   \
    }                                                                                                                  \
    int32_t aclDestroy##noun(const void *handle) {                                                                     \
        free((void *)handle);                                                                                          \
        return 0;                                                                                                      \
    }                                                                                                                  \
    int32_t aclGet##noun##Size(const array *of, uint64_t *size) {                                                      \
        *size = of->size;                                                                                              \
        return 0;                                                                                                      \
    }
ARRAY(IntArray, int64_t)
ARRAY(FloatArray, float)
ARRAY(BoolArray, bool)

void *aclCreateScalar(void *value, int32_t dtype) { return value != NULL && dtype >= 0 ? calloc(1, sizeof(array)) : NULL; }

int32_t aclDestroyScalar(const void *handle) {
    free((void *)handle);
    return 0;
}

const char *aclrtGetSocName(void) { return "Ascend910B2"; }
const char *aclGetRecentErrMsg(void) { return NULL; }
int32_t aclDestroyAclOpExecutor(void *executor) { return executor == NULL ? 561103 : 0; }
int32_t aclSetAclOpExecutorRepeatable(void *executor) { return executor == NULL ? 561103 : 0; }

/* One setter of addresses, as if this CANN had no others. */
int32_t aclSetInputTensorAddr(void *executor, size_t index, void *tensor, void *address) {
    (void)index, (void)address;
    return executor == NULL || tensor == NULL ? 561103 : 0;
}

enum { NULL_POINTER = 161001, INVALID = 161002, WORKSPACE = 64 };
static _Thread_local void *cached;

static int32_t first(const void *tensor, uint64_t *workspace, void **executor) {
    static _Thread_local char executors[64];
    static _Thread_local unsigned next;
    if (tensor == NULL || workspace == NULL || executor == NULL) {
        return NULL_POINTER;
    }
    *workspace = WORKSPACE;
    cached = *executor = &executors[next++ % sizeof executors];
    return 0;
}

#define SECOND(name)                                                                                                   \
    int32_t name(void *workspace, uint64_t size, void *executor, void *stream) {                                       \
        (void)workspace, (void)size, (void)stream;                                                                     \
        return executor == NULL ? NULL_POINTER : 0;                                                                    \
    }

int32_t aclnnPreluBackwardGetWorkspaceSize(const void *gradOutput, const void *self, const void *weight, void *gradInput,
                                           void *gradWeight, uint64_t *workspace, void **executor) {
    (void)self, (void)weight, (void)gradInput, (void)gradWeight;
    return first(gradOutput, workspace, executor);
}
SECOND(aclnnPreluBackward)

int32_t aclnnAbsGetWorkspaceSize(const void *self, void *out, uint64_t *workspace, void **executor) {
    (void)out;
    return first(self, workspace, executor);
}
SECOND(aclnnAbs)

int32_t aclnnFlipGetWorkspaceSize(const void *self, const void *dims, void *out, uint64_t *workspace, void **executor) {
    (void)dims, (void)out;
    return first(self, workspace, executor);
}
SECOND(aclnnFlip)

int32_t aclnnConvolutionBackwardGetWorkspaceSize(const void *gradOutput, const void *input, const void *weight,
                                                 const void *biasSizes, const void *stride, const void *padding,
                                                 const void *dilation, bool transposed, const void *outputPadding, int groups,
                                                 const void *outputMask, int8_t cubeMathType, void *gradInput, void *gradWeight,
                                                 void *gradBias, uint64_t *workspace, void **executor) {
    (void)input, (void)weight, (void)biasSizes, (void)stride, (void)padding, (void)dilation, (void)transposed;
    (void)outputPadding, (void)groups, (void)outputMask, (void)cubeMathType, (void)gradInput, (void)gradWeight, (void)gradBias;
    return first(gradOutput, workspace, executor);
}
SECOND(aclnnConvolutionBackward)

int32_t aclnnSmoothL1LossGetWorkspaceSize(const void *self, const void *target, int64_t reduction, float beta, void *result,
                                          uint64_t *workspace, void **executor) {
    (void)target, (void)result;
    printf("%lld: %g\n", (long long)reduction, (double)beta);
    return first(self, workspace, executor);
}
SECOND(aclnnSmoothL1Loss)

/* The cache of executors: the last one of each thread, under any key. */
int32_t PTAFindExecCache(uint8_t *key, uint64_t length, uint64_t *hash) {
    *hash = length > 0 ? key[0] : 0;
    return cached != NULL;
}

void *PTAGetExecCache(uint64_t hash, uint64_t *workspace) {
    (void)hash;
    *workspace = WORKSPACE;
    return cached;
}

/* Memory of the host stands for the device's. A graph is captured where the variable says so. */
static _Thread_local uint64_t waits;

int32_t aclrtSynchronizeStream(void *stream) {
    (void)stream;
    waits++;
    return 0;
}

uint64_t stub_waits(void) { return waits; }

int32_t aclrtMemcpy(void *to, size_t room, const void *from, size_t count, int32_t kind) {
    if (count > room || kind != 2) {
        return INVALID;
    }
    memcpy(to, from, count);
    return 0;
}

int32_t aclmdlRICaptureGetInfo(void *stream, int32_t *status, void **graph) {
    (void)stream, (void)graph;
    *status = getenv("STUB_CAPTURES") != NULL;
    return 0;
}
