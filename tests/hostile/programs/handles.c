/* Calls with foreign, destroyed and reused handles, of the right kind and of any other, which all threads share; the statuses that
 * CANN answers are counted. Arguments: how many calls in all, how many threads, the seed. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void *aclCreateTensor(const int64_t *shape, uint64_t rank, int32_t dtype, const int64_t *strides, int64_t offset, int32_t format,
                      const int64_t *storage, uint64_t stored, void *data);
void *aclCreateScalar(void *value, int32_t dtype);
void *aclCreateIntArray(const int64_t *values, uint64_t count);
void *aclCreateTensorList(const void *const *elements, uint64_t count);
void *aclCreateScalarList(const void *const *elements, uint64_t count);
int32_t aclSetAclOpExecutorRepeatable(void *executor);
int32_t aclSetInputTensorAddr(void *executor, size_t index, void *tensor, void *address);
int32_t aclSetDynamicInputTensorAddr(void *executor, size_t index, size_t relative, void *tensors, void *address);
int32_t aclnnCatGetWorkspaceSize(const void *tensors, int64_t dim, void *out, uint64_t *workspace, void **executor);
int32_t aclnnAddsGetWorkspaceSize(const void *self, const void *other, const void *alpha, void *out, uint64_t *workspace, void **executor);
int32_t aclnnFlipGetWorkspaceSize(const void *self, const void *dims, void *out, uint64_t *workspace, void **executor);
int32_t aclnnForeachDivScalarListGetWorkspaceSize(const void *x, const void *scalars, void *out, uint64_t *workspace, void **executor);

#define DESTROYERS(X)                                                                                                  \
    X(aclDestroyTensor) X(aclDestroyScalar) X(aclDestroyIntArray) X(aclDestroyTensorList) X(aclDestroyScalarList)       \
    X(aclDestroyAclOpExecutor)
#define SECONDS(X) X(aclnnCat) X(aclnnAdds) X(aclnnFlip) X(aclnnForeachDivScalarList)
#define DECLARE_DESTROYER(name) int32_t name(const void *handle);
#define DECLARE_SECOND(name) int32_t name(void *workspace, uint64_t size, void *executor, void *stream);
#define NAME(name) name,
DESTROYERS(DECLARE_DESTROYER)
SECONDS(DECLARE_SECOND)

static int32_t (*const destroyers[])(const void *) = {DESTROYERS(NAME)};
static int32_t (*const seconds[])(void *, uint64_t, void *, void *) = {SECONDS(NAME)};

enum { KINDS = 6, KEPT = 16, AXES = 4, ELEMENTS = 4, OPERATORS = 4 };
static _Atomic(void *) kept[KINDS][KEPT]; /* by the kind that each had when it was made */
static char foreign[256];                 /* memory of the program's */
static atomic_long statuses[3];           /* 0, 161002, others */
static long calls;
static uint64_t seed;

static uint64_t any(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

/* A handle that is meant to be of a kind: mostly one that was, sometimes of another kind, foreign or null. */
static void *some(uint64_t *state, int kind) {
    switch (any(state) % 24) {
    case 0: return NULL;
    case 1: return &foreign[any(state) % sizeof foreign];
    case 2: return (void *)(uintptr_t)(any(state) >> any(state) % 64);
    case 3: kind = (int)(any(state) % KINDS);
    }
    return kept[kind][any(state) % KEPT];
}

static void create(uint64_t *state) {
    const int kind = (int)(any(state) % (KINDS - 1));
    int64_t numbers[AXES] = {0};
    const void *elements[ELEMENTS];
    double value = (double)any(state);
    void *made = NULL;
    for (int at = 0; at < AXES; at++) {
        numbers[at] = (int64_t)(any(state) % 4);
    }
    for (int at = 0; at < ELEMENTS; at++) {
        elements[at] = some(state, kind == 4);
    }
    const uint64_t count = any(state) % (AXES + 1);
    switch (kind) {
    case 0:
        made = aclCreateTensor(numbers, count, (int32_t)(any(state) % 14), any(state) % 2 ? numbers : NULL, (int64_t)(any(state) % 3),
                               (int32_t)(any(state) % 4) - 1, numbers, any(state) % 2 ? count : any(state) % (AXES + 1), foreign);
        break;
    case 1: made = aclCreateScalar(&value, (int32_t)(any(state) % 13)); break;
    case 2: made = aclCreateIntArray(numbers, count); break;
    case 3: made = aclCreateTensorList(elements, any(state) % (ELEMENTS + 1)); break;
    default: made = aclCreateScalarList(elements, any(state) % (ELEMENTS + 1));
    }
    if (made != NULL) {
        kept[kind][any(state) % KEPT] = made;
    }
}

static void note(int32_t status) { statuses[status == 0 ? 0 : status == 161002 ? 1 : 2]++; }

static void call(uint64_t *state) {
    uint64_t workspace = 0;
    void *executor = NULL;
    const int chosen = (int)(any(state) % OPERATORS);
    switch (chosen) {
    case 0: note(aclnnCatGetWorkspaceSize(some(state, 3), (int64_t)(any(state) % 3), some(state, 0), &workspace, &executor)); break;
    case 1:
        note(aclnnAddsGetWorkspaceSize(some(state, 0), some(state, 1), some(state, 1), some(state, 0), &workspace, &executor));
        break;
    case 2: note(aclnnFlipGetWorkspaceSize(some(state, 0), some(state, 2), some(state, 0), &workspace, &executor)); break;
    default:
        note(aclnnForeachDivScalarListGetWorkspaceSize(some(state, 3), some(state, 4), some(state, 3), &workspace, &executor));
    }
    if (executor != NULL) {
        kept[5][any(state) % KEPT] = executor;
        if (any(state) % 4 == 0) {
            note(aclSetAclOpExecutorRepeatable(executor));
        }
    }
    if (any(state) % 4 == 0) {
        note(aclSetInputTensorAddr(some(state, 5), 0, some(state, 0), foreign));
        note(aclSetDynamicInputTensorAddr(some(state, 5), 0, any(state) % ELEMENTS, some(state, 3), foreign));
    }
    note(seconds[any(state) % 8 == 0 ? any(state) % OPERATORS : (uint64_t)chosen](foreign, workspace, some(state, 5), NULL));
}

static void *attack(void *number) {
    uint64_t state = (seed + (uint64_t)(uintptr_t)number) * 0x9E3779B97F4A7C15u | 1;
    for (long at = 0; at < calls; at++) {
        const int kind = (int)(any(&state) % KINDS);
        create(&state);
        call(&state);
        note(destroyers[any(&state) % 16 == 0 ? any(&state) % KINDS : (uint64_t)kind](some(&state, kind)));
    }
    return NULL;
}

int main(int count, char **arguments) {
    pthread_t threads[16];
    if (count < 4) {
        return 2;
    }
    const long wanted = atol(arguments[2]);
    calls = atol(arguments[1]) / wanted;
    seed = strtoull(arguments[3], NULL, 10);
    for (long at = 0; at < wanted && at < 16; at++) {
        pthread_create(&threads[at], NULL, attack, (void *)(at + 1));
    }
    for (long at = 0; at < wanted && at < 16; at++) {
        pthread_join(threads[at], NULL);
    }
    printf("%ld calls of %ld threads: 0 %ld, 161002 %ld, others %ld\n", calls * wanted, wanted, (long)statuses[0], (long)statuses[1],
           (long)statuses[2]);
    return 0;
}
