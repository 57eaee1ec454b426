/* The table of handles: what each holds, as the layer saw it being created.
 *
 * An object is counted: the table holds it, and so does every call that looks at it, so that another thread may destroy the
 * handle meanwhile. A destroyed handle stays in the table for a while, to know it again when it is used. */
#include <execinfo.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "scalars.h"

enum { BUCKETS = 1 << 14, LOCKS = 64, REMEMBERED = 4096 };

static layer_object *buckets[BUCKETS];
static pthread_mutex_t locks[LOCKS] = {[0 ... LOCKS - 1] = PTHREAD_MUTEX_INITIALIZER};
static const void *destroyed[REMEMBERED]; /* handles, the oldest is overwritten */
static unsigned destroyed_count;
static pthread_mutex_t ring = PTHREAD_MUTEX_INITIALIZER;

static size_t bucket_of(const void *handle) {
    const uint64_t mixed = (uint64_t)(uintptr_t)handle * 0x9E3779B97F4A7C15u;
    return (size_t)(mixed >> 50); /* 14 bits */
}

static pthread_mutex_t *lock_of(size_t bucket) { return &locks[bucket % LOCKS]; }

void layer_lock_table(bool lock) {
    for (int at = 0; at < LOCKS; at++) {
        (lock ? pthread_mutex_lock : pthread_mutex_unlock)(&locks[at]);
    }
    (lock ? pthread_mutex_lock : pthread_mutex_unlock)(&ring);
}

layer_object *layer_new(const void *handle, layer_kind kind, size_t bytes) {
    layer_object *object = malloc(sizeof *object + bytes);
    if (object != NULL) {
        memset(object, 0, sizeof *object);
        object->handle = handle;
        object->kind = kind;
        object->users = 1;
        if (layer_is.where) {
            object->frame_count = backtrace(object->frames, LAYER_FRAMES);
        }
    }
    return object;
}

void layer_release(layer_object *object) {
    if (object == NULL || atomic_fetch_sub_explicit(&object->users, 1, memory_order_acq_rel) > 1) {
        return;
    }
    for (uint64_t at = 0; at < object->member_count; at++) {
        layer_release(object->members[at]);
    }
    if (object->kind == LAYER_EXECUTOR) {
        layer_data_free(object->is.executor.data);
        free(object->is.executor.line);
    }
    free(object->members);
    free(object);
}

void layer_data_free(layer_data *data) {
    for (size_t at = 0; data != NULL && at < data->count; at++) {
        layer_release(data->shots[at].tensor);
    }
    if (data != NULL) {
        layer_free(&data->inputs);
    }
    free(data);
}

/* Where the object of a handle hangs; the bucket is locked. */
static layer_object **place(size_t bucket, const void *handle) {
    layer_object **at = &buckets[bucket];
    while (*at != NULL && (*at)->handle != handle) {
        at = &(*at)->next;
    }
    return at;
}

static layer_object *unhook(layer_object **at) {
    layer_object *object = *at;
    if (object != NULL) {
        *at = object->next;
        object->next = NULL;
    }
    return object;
}

void layer_track(layer_object *object) {
    const size_t bucket = bucket_of(object->handle);
    pthread_mutex_lock(lock_of(bucket));
    layer_object *before = unhook(place(bucket, object->handle));
    object->next = buckets[bucket];
    buckets[bucket] = object;
    pthread_mutex_unlock(lock_of(bucket));
    layer_release(before);
}

layer_object *layer_hold(const void *handle) {
    const size_t bucket = bucket_of(handle);
    pthread_mutex_lock(lock_of(bucket));
    layer_object *object = *place(bucket, handle);
    if (object != NULL) {
        atomic_fetch_add_explicit(&object->users, 1, memory_order_relaxed);
    }
    pthread_mutex_unlock(lock_of(bucket));
    return object;
}

/* Drop a handle that was destroyed long ago, unless there is a new one at its address. */
static void drop(const void *handle) {
    const size_t bucket = bucket_of(handle);
    pthread_mutex_lock(lock_of(bucket));
    layer_object **at = place(bucket, handle);
    layer_object *old = *at != NULL && (*at)->destroyed ? unhook(at) : NULL;
    pthread_mutex_unlock(lock_of(bucket));
    layer_release(old);
}

layer_object *layer_forget(const void *handle, layer_kind kind, layer_was *was) {
    const size_t bucket = bucket_of(handle);
    *was = LAYER_WAS_UNKNOWN;
    pthread_mutex_lock(lock_of(bucket));
    layer_object *object = *place(bucket, handle);
    if (object != NULL && object->kind != kind) {
        object = NULL;
    } else if (object != NULL) {
        *was = object->destroyed ? LAYER_WAS_DESTROYED : LAYER_WAS_ALIVE;
        object->destroyed = true;
        atomic_fetch_add_explicit(&object->users, 1, memory_order_relaxed);
    }
    pthread_mutex_unlock(lock_of(bucket));
    if (*was == LAYER_WAS_ALIVE) {
        pthread_mutex_lock(&ring);
        const unsigned at = destroyed_count++ % REMEMBERED;
        const void *oldest = destroyed[at];
        destroyed[at] = handle;
        pthread_mutex_unlock(&ring);
        if (oldest != NULL) {
            drop(oldest);
        }
    }
    return object;
}

void layer_restore(const void *handle) {
    const size_t bucket = bucket_of(handle);
    pthread_mutex_lock(lock_of(bucket));
    layer_object *object = *place(bucket, handle);
    if (object != NULL) {
        object->destroyed = false;
    }
    pthread_mutex_unlock(lock_of(bucket));
}

void layer_each(void (*visit)(const layer_object *object, void *state), void *state) {
    for (size_t bucket = 0; bucket < BUCKETS; bucket++) {
        pthread_mutex_lock(lock_of(bucket));
        for (const layer_object *object = buckets[bucket]; object != NULL; object = object->next) {
            if (!object->destroyed) {
                visit(object, state);
            }
        }
        pthread_mutex_unlock(lock_of(bucket));
    }
}

/* ---- objects of what creating functions were given */

/* Row-major strides; an axis without elements counts as one element. */
static void contiguous(const int64_t *shape, uint64_t rank, int64_t *strides) {
    uint64_t step = 1;
    for (uint64_t axis = rank; axis-- > 0;) {
        strides[axis] = (int64_t)step;
        step *= shape[axis] > 0 ? (uint64_t)shape[axis] : 1;
    }
}

layer_object *layer_tensor_object(const void *handle, const int64_t *shape, uint64_t rank, const int64_t *strides, int64_t offset,
                                  const int64_t *storage, uint64_t storage_rank, int32_t dtype, int32_t format) {
    const size_t size = sizeof *shape;
    layer_object *object = layer_new(handle, LAYER_TENSOR, size * (2 * rank + storage_rank));
    if (object == NULL || (shape == NULL && rank > 0) || (storage == NULL && storage_rank > 0)) {
        layer_release(object);
        return NULL;
    }
    int64_t *room = object->room;
    if (rank > 0) {
        memcpy(room, shape, size * rank);
        if (strides != NULL) {
            memcpy(room + rank, strides, size * rank);
        } else {
            contiguous(shape, rank, room + rank);
        }
    }
    if (storage_rank > 0) {
        memcpy(room + 2 * rank, storage, size * storage_rank);
    }
    object->is.tensor = (aclspec_tensor){room, rank, room + rank, offset, room + 2 * rank, storage_rank, dtype, format};
    return object;
}

layer_object *layer_list_object(const void *handle, layer_kind kind, const void *const *value, uint64_t size) {
    const uint64_t length = value != NULL ? size : 0;
    layer_object *object = layer_new(handle, kind, (size_t)length * sizeof(void *));
    layer_object **members = calloc(length + 1, sizeof *members);
    if (object == NULL || members == NULL) {
        layer_release(object);
        free(members);
        return NULL;
    }
    const aclspec_tensor **items = (const aclspec_tensor **)object->room;
    object->is.tensors = (aclspec_tensor_list){items, length, true};
    object->members = members;
    object->member_count = length;
    for (uint64_t at = 0; at < length; at++) {
        layer_object *member = value[at] != NULL ? layer_hold(value[at]) : NULL;
        if (member != NULL && member->kind != layer_kind_in(object)) {
            layer_release(member);
            member = NULL;
        }
        const bool known = member != NULL && !member->destroyed;
        members[at] = member;
        items[at] = known ? &member->is.tensor : NULL;
        object->is.tensors.known = object->is.tensors.known && (known || value[at] == NULL);
    }
    return object;
}

layer_object *layer_member(const layer_object *list, uint64_t at, layer_kind kind) {
    layer_object *member = at < list->member_count ? list->members[at] : NULL;
    return member != NULL && member->kind == kind ? member : NULL;
}

layer_object *layer_scalar_object(const void *handle, const void *bytes, int32_t dtype) {
    layer_object *object = layer_new(handle, LAYER_SCALAR, 0);
    if (object != NULL) {
        object->is.scalar = layer_scalar_of(bytes, dtype);
    }
    return object;
}
