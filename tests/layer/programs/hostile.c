/* Calls that no careful program makes, against the stub, which bears them: null wherever a pointer may be null, garbage lengths,
 * negative counts, dtypes and formats that there are not. Arguments: how many calls, how many threads. */
#include <pthread.h>
#include <string.h>

#include "stubbed.h"

enum { KEPT = 8, LONGEST = 12 };
static long calls;

typedef struct {
    uint64_t state;
    void *tensors[KEPT], *ints[KEPT], *bools[KEPT];
} hostile;

static uint64_t any(hostile *of) {
    of->state ^= of->state << 13;
    of->state ^= of->state >> 7;
    return of->state ^= of->state << 17;
}

static int64_t number(hostile *of) {
    static const int64_t extremes[] = {0, 1, -1, 2, INT64_MAX, INT64_MIN, 1LL << 32, -(1LL << 31), 7, 3};
    return any(of) % 3 != 0 ? extremes[any(of) % 10] : (int64_t)any(of);
}

static void renew(hostile *of) {
    int64_t shape[LONGEST], strides[LONGEST], storage[LONGEST];
    bool mask[LONGEST];
    for (int at = 0; at < LONGEST; at++) {
        shape[at] = any(of) % 2 != 0 ? (int64_t)(any(of) % 5) : number(of);
        strides[at] = number(of);
        storage[at] = number(of);
        mask[at] = any(of) % 2;
    }
    const int at = (int)(any(of) % KEPT);
    const bool garbage = any(of) % 8 == 0; /* the stub refuses such a length */
    const uint64_t rank = garbage ? (uint64_t)number(of) | 1ULL << 40 : any(of) % (LONGEST + 1);
    aclDestroyTensor(of->tensors[at]);
    of->tensors[at] = aclCreateTensor(any(of) % 16 == 0 ? NULL : shape, rank, (int32_t)number(of) % 50, any(of) % 2 ? strides : NULL, number(of),
                                      (int32_t)number(of) % 60, any(of) % 16 == 0 ? NULL : storage, any(of) % (LONGEST + 1), NULL);
    aclDestroyIntArray(of->ints[at]);
    of->ints[at] = aclCreateIntArray(any(of) % 8 == 0 ? NULL : shape, garbage ? 1ULL << 50 : any(of) % (LONGEST + 1));
    aclDestroyBoolArray(of->bools[at]);
    of->bools[at] = aclCreateBoolArray(any(of) % 8 == 0 ? NULL : mask, garbage ? 1ULL << 50 : any(of) % (LONGEST + 1));
}

#define TENSOR(of) of->tensors[any(of) % KEPT]
#define INTS(of) of->ints[any(of) % KEPT]

static void call(hostile *of) {
    uint64_t size, *workspace = any(of) % 16 == 0 ? NULL : &size;
    void *made = NULL, **executor = any(of) % 16 == 0 ? NULL : &made;
    switch (any(of) % 4) {
    case 0:
        aclnnPreluBackwardGetWorkspaceSize(TENSOR(of), TENSOR(of), TENSOR(of), TENSOR(of), TENSOR(of), workspace, executor);
        break;
    case 1:
        aclnnFlipGetWorkspaceSize(TENSOR(of), INTS(of), TENSOR(of), workspace, executor);
        aclnnFlip(any(of) % 2 ? &size : NULL, any(of), made, NULL);
        break;
    case 2: aclnnAbsGetWorkspaceSize(TENSOR(of), TENSOR(of), workspace, executor); break;
    default:
        aclnnConvolutionBackwardGetWorkspaceSize(TENSOR(of), TENSOR(of), TENSOR(of), INTS(of), INTS(of), INTS(of), INTS(of),
                                                 any(of) % 2, INTS(of), (int)number(of), of->bools[any(of) % KEPT],
                                                 (int8_t)number(of), TENSOR(of), TENSOR(of), TENSOR(of), workspace, executor);
    }
}

static void *run(void *seed) {
    hostile of = {.state = (uint64_t)(uintptr_t)seed * 0x9E3779B97F4A7C15u + 1};
    for (long at = 0; at < calls; at++) {
        renew(&of);
        call(&of);
    }
    for (int at = 0; at < KEPT; at++) {
        aclDestroyTensor(of.tensors[at]);
        aclDestroyIntArray(of.ints[at]);
        aclDestroyBoolArray(of.bools[at]);
    }
    return NULL;
}

int main(int count, char **arguments) {
    pthread_t threads[16];
    calls = count > 1 ? atol(arguments[1]) : 1000;
    const int wanted = count > 2 ? atoi(arguments[2]) : 1;
    for (long at = 0; at < wanted && at < 16; at++) {
        pthread_create(&threads[at], NULL, run, (void *)(at + 1));
    }
    for (int at = 0; at < wanted && at < 16; at++) {
        pthread_join(threads[at], NULL);
    }
    printf("%ld calls of %d threads\n", calls, wanted);
    return 0;
}
