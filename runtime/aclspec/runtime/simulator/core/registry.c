/* Every handle that the program got, by its address. A destroyed one is remembered for a while, so that its later use is
 * found out instead of reading freed memory. */
#include <stdlib.h>

#include "streams.h"

enum { BUCKETS = 1 << 14, KEPT = 1 << 13 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sim_handle *buckets[BUCKETS];
static sim_handle *dead[KEPT]; /* a ring: the oldest goes when a new one comes */
static size_t oldest;
static uint64_t serials;

static const char *const names[SIM_KINDS] = {
    "aclTensor",     "aclScalar",     "aclIntArray", "aclFloatArray", "aclBoolArray", "aclTensorList",
    "aclScalarList", "aclOpExecutor", "aclrtStream", "aclrtEvent",    "aclrtContext", "aclrtAllocatorDesc",
    "aclDataBuffer", "aclTensorDesc", "aclopAttr",   "aclprofConfig",
    "aclrtDrvMemHandle", "acltdtDataItem", "acltdtDataset", "acltdtChannelHandle",
    "aclmdlRI",          "aclrtTaskGrp",
};

void sim_lock(void) { pthread_mutex_lock(&lock); }
void sim_unlock(void) { pthread_mutex_unlock(&lock); }
const char *sim_kind_name(sim_kind kind) { return names[kind]; }
uint64_t sim_next_serial(void) { return __atomic_add_fetch(&serials, 1, __ATOMIC_RELAXED); }

static sim_handle **bucket(const void *handle) {
    return &buckets[((uintptr_t)handle >> 4) * 0x9E3779B97F4A7C15u >> 50];
}

void *sim_create(const sim_site *site, sim_kind kind, size_t bytes, void (*dispose)(void *object)) {
    sim_handle *handle = calloc(1, bytes);
    if (handle == NULL) {
        return NULL;
    }
    handle->kind = kind;
    handle->live = true;
    handle->origin = *site;
    handle->dispose = dispose;
    handle->serial = sim_next_serial();
    sim_lock();
    sim_handle **place = bucket(handle);
    handle->next = *place;
    *place = handle;
    sim_unlock();
    return handle;
}

const sim_handle *sim_find(const void *handle) {
    const sim_handle *found = *bucket(handle);
    while (found != NULL && found != handle) {
        found = found->next;
    }
    return found;
}

int sim_check(const sim_site *site, sim_kind kind, const void *handle, int code) {
    sim_lock();
    const sim_handle *found = sim_find(handle);
    const sim_handle copy = found != NULL ? *found : (sim_handle){0};
    sim_unlock();
    if (found != NULL && copy.live && copy.kind == kind) {
        return 0;
    }
    if (found == NULL) {
        sim_report(site, (uint64_t)(uintptr_t)handle, "The handle (%p) is not one of %s.", handle, names[kind]);
        return sim_fail(site, code, "The handle (%p) is not one of %s.", handle, names[kind]);
    }
    if (copy.kind != kind) {
        sim_report(site, copy.serial, "The handle (%p) is one of %s%s, not of %s.", handle, names[copy.kind],
                   sim_origin(&copy.origin), names[kind]);
        return sim_fail(site, code, "The handle (%p) is one of %s, not of %s.", handle, names[copy.kind], names[kind]);
    }
    const char *state = kind == SIM_EXECUTOR ? "spent or destroyed" : "destroyed";
    sim_report(site, copy.serial, "The %s (%p)%s is already %s.", names[kind], handle, sim_origin(&copy.origin), state);
    return sim_fail(site, code, "The %s (%p) is already %s.", names[kind], handle, state);
}

static void forget(sim_handle *handle) {
    sim_handle **place = bucket(handle);
    while (*place != handle) {
        place = &(*place)->next;
    }
    *place = handle->next;
    if (handle->dispose != NULL) {
        handle->dispose(handle);
    }
    free(handle);
}

/* With the lock held. */
static void forget_later(sim_handle *handle) {
    handle->live = false;
    if (dead[oldest] != NULL) {
        forget(dead[oldest]);
    }
    dead[oldest] = handle;
    oldest = (oldest + 1) % KEPT;
}

void sim_retire(const void *object) {
    sim_lock();
    sim_handle *handle = (sim_handle *)sim_find(object);
    if (handle != NULL && handle->live) {
        forget_later(handle);
    }
    sim_unlock();
}

void sim_forget_later(const void *object) {
    sim_lock();
    forget_later((sim_handle *)object);
    sim_unlock();
}

void sim_each_handle(void (*visit)(const sim_handle *handle, void *context), void *context) {
    for (size_t at = 0; at < BUCKETS; at++) {
        for (const sim_handle *handle = buckets[at]; handle != NULL; handle = handle->next) {
            if (handle->live) {
                visit(handle, context);
            }
        }
    }
}

void sim_bury(const void *object) {
    sim_lock();
    sim_handle *handle = (sim_handle *)sim_find(object);
    if (handle != NULL) {
        handle->live = false;
    }
    sim_unlock();
}
