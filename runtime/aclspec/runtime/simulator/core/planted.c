/* Planted faults by which a call ends its process, or what that has: ACLSPEC_SIMULATOR_FAULT="crash:aclnnX=8,hang:aclnnX,leak:aclnnX"
 * for calls with a tensor of 8 elements or more. The device process knows the other kinds. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "judge.h"

enum { LOST = 32 << 20, LONGEST = 256 };

static int64_t elements(const sim_view *view) {
    int64_t product = 1;
    for (uint64_t axis = 0; axis < view->rank; axis++) {
        if (__builtin_mul_overflow(product, view->dims[axis], &product)) {
            return INT64_MAX;
        }
    }
    return product;
}

static int64_t most_elements(const aclOpExecutor *call) {
    int64_t most = 0;
    for (size_t at = 0; at < call->slot_count; at++) {
        const int64_t found = call->slots[at].tensor != NULL ? elements(&call->slots[at].view) : 0;
        most = found > most ? found : most;
    }
    return most;
}

static void suffer(const char *kind) {
    static char *lost;
    if (strcmp(kind, "crash") == 0) {
        signal(SIGSEGV, SIG_DFL);
        raise(SIGSEGV);
    } else if (strcmp(kind, "hang") == 0) {
        for (;;) {
            pause();
        }
    } else if (strcmp(kind, "leak") == 0 && (lost = malloc(LOST)) != NULL) {
        memset(lost, 1, LOST);
    }
}

void sim_suffer(const aclOpExecutor *call) {
    const char *entries = getenv("ACLSPEC_SIMULATOR_FAULT");
    for (const char *at = entries; at != NULL && *at != '\0'; at += at[strcspn(at, ",")] == ',' ? strcspn(at, ",") + 1 : strcspn(at, ",")) {
        char kind[LONGEST], name[LONGEST];
        long long least = 1;
        const int found = sscanf(at, "%255[^:,]:%255[^=,]=%lld", kind, name, &least);
        if (found >= 2 && strcmp(name, call->op->name) == 0 && most_elements(call) >= least) {
            suffer(kind);
        }
    }
}
