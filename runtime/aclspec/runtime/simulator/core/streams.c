/* Streams: which tasks the program knows to be over, so that strict mode can tell when it reads a result, or frees a
 * buffer, too early. When a task runs, tells tasks.c. */
#include <stdlib.h>

#include "streams.h"

static void dispose_stream(void *object) { free(((sim_stream *)object)->waits); }

void sim_number_stream(sim_stream *stream) {
    static int32_t numbers;
    stream->id = __atomic_fetch_add(&numbers, 1, __ATOMIC_RELAXED);
}

int sim_create_stream(const sim_site *site, void **stream) {
    if (stream == NULL) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The pointer to the stream is null.");
    }
    sim_context *context = sim_context_of_thread(site);
    if (context == NULL) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    sim_stream *made = sim_create(site, SIM_STREAM, sizeof *made, dispose_stream);
    if (made == NULL) {
        return sim_fail(site, ACL_ERROR_RT_NO_STREAM_RESOURCE, "There is no memory for a stream.");
    }
    made->context = context;
    sim_number_stream(made);
    *stream = made;
    return 0;
}

/* Run and settle all that was launched on a stream. */
static void settle_now(sim_stream *stream) {
    sim_lock();
    const uint64_t last = stream->issued;
    sim_unlock();
    sim_reach(stream, last);
    sim_lock();
    sim_settle(stream, last);
    sim_unlock();
}

/* The failure of a task, told once. */
static int take_failure(const sim_site *site, sim_stream *stream) {
    sim_lock();
    const int code = stream->failure;
    stream->failure = 0;
    sim_unlock();
    return code == 0 ? 0 : sim_fail(site, code, "Something that was launched on the stream (%p) has failed.", (void *)stream);
}

int sim_destroy_stream(const sim_site *site, void *handle, bool force) {
    if (handle == NULL) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The stream is null.");
    }
    const int code = sim_check(site, SIM_STREAM, handle, ACL_ERROR_RT_INVALID_HANDLE);
    if (code != 0) {
        return code;
    }
    sim_stream *stream = handle;
    if (!force && stream->done < stream->issued) {
        sim_report(site, stream->head.serial, "The aclrtStream (%p)%s is destroyed before it is synchronized.", handle,
                   sim_origin(&stream->head.origin));
    }
    settle_now(stream);
    sim_end_subscription(stream, NULL);
    sim_bury(handle);
    return 0;
}

int sim_stream_of(const sim_site *site, void *handle, sim_stream **stream) {
    sim_context *context = sim_context_of_thread(site);
    if (context == NULL) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    if (handle == NULL) {
        *stream = context->standard;
        return 0;
    }
    const int code = sim_check(site, SIM_STREAM, handle, ACL_ERROR_RT_INVALID_HANDLE);
    if (code != 0) {
        return code;
    }
    *stream = handle;
    if ((*stream)->context != context) {
        return sim_fail(site, ACL_ERROR_RT_STREAM_CONTEXT, "The stream (%p) is not one of the current context.", handle);
    }
    return 0;
}

void sim_settle(sim_stream *stream, uint64_t task) {
    if (task <= stream->done) {
        return;
    }
    stream->done = task;
    size_t left = 0;
    for (size_t at = 0; at < stream->wait_count; at++) {
        const sim_wait wait = stream->waits[at];
        if (wait.from <= task) {
            sim_settle(wait.on, wait.task);
        } else {
            stream->waits[left++] = wait;
        }
    }
    stream->wait_count = left;
}

bool sim_note_wait(sim_stream *stream, const sim_event *event) {
    sim_lock();
    sim_stream *on = event->stream;
    const uint64_t task = event->task;
    const bool other = on != NULL && on != stream; /* an event that is nowhere recorded is already over */
    sim_wait *longer = realloc(stream->waits, sizeof *longer * (stream->wait_count + 1));
    if (longer != NULL) {
        stream->waits = longer;
        if (other) {
            longer[stream->wait_count++] = (sim_wait){++stream->issued, on, task};
        }
    }
    sim_unlock();
    if (longer == NULL || !other || !sim_is_pending(on, task)) {
        return longer != NULL;
    }
    sim_task *wait = sim_wait_task(on, task);
    if (wait != NULL) {
        sim_submit_behind(stream, wait);
    }
    return wait != NULL;
}

int sim_stream_number(const sim_site *site, void *handle, int32_t *number) {
    sim_stream *stream;
    const int code = sim_stream_of(site, handle, &stream);
    if (code == 0) {
        *number = stream->id;
    }
    return code;
}

int sim_synchronize(const sim_site *site, void *handle) {
    sim_stream *stream;
    int code = sim_stream_of(site, handle, &stream);
    code = code != 0 ? code : sim_refuse_captured(site, stream);
    if (code != 0) {
        return code;
    }
    settle_now(stream);
    return take_failure(site, stream);
}

int sim_query_stream(const sim_site *site, void *handle, bool *over) {
    sim_stream *stream;
    const int code = sim_stream_of(site, handle, &stream);
    if (code != 0) {
        return code;
    }
    *over = !sim_is_pending(stream, UINT64_MAX);
    return sim_synchronize(site, handle);
}

/* ---- all streams of a device, or of a context ---------------------------------------------------------------------- */

typedef struct sim_range {
    int32_t device;
    const sim_context *context;
    void (*visit)(sim_stream *stream, struct sim_range *range);
    sim_stream *found;
} sim_range;

static void visit_handle(const sim_handle *handle, void *given) {
    sim_range *range = given;
    sim_stream *stream = handle->kind == SIM_STREAM    ? (sim_stream *)handle
                         : handle->kind == SIM_CONTEXT ? ((sim_context *)handle)->standard
                                                       : NULL;
    if (stream != NULL && stream->context->device == range->device &&
        (range->context == NULL || stream->context == range->context)) {
        range->visit(stream, range);
    }
}

static sim_stream *each_stream(int32_t device, const sim_context *context, void (*visit)(sim_stream *, sim_range *)) {
    sim_range range = {device, context, visit, NULL};
    sim_lock();
    sim_each_handle(visit_handle, &range);
    sim_unlock();
    return range.found;
}

static void note_pending(sim_stream *stream, sim_range *range) {
    range->found = stream->first != NULL ? stream : range->found;
}

static void settle_one(sim_stream *stream, sim_range *range) {
    sim_settle(stream, stream->issued);
    range->found = stream->failure != 0 ? stream : range->found;
}

static void drain(int32_t device, const sim_context *context) {
    const sim_stream *before = NULL;
    for (sim_stream *one; (one = each_stream(device, context, note_pending)) != NULL && one != before; before = one) {
        sim_reach(one, UINT64_MAX);
    }
}

void sim_end_streams(int32_t device, const sim_context *context) {
    drain(device, context);
    each_stream(device, context, settle_one);
}

int sim_synchronize_device(const sim_site *site) {
    sim_context *context = sim_context_of_thread(site);
    if (context == NULL) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    const int code = sim_refuse_captured(site, NULL);
    if (code != 0) {
        return code;
    }
    drain(context->device, NULL);
    sim_stream *failed = each_stream(context->device, NULL, settle_one);
    return failed != NULL ? take_failure(site, failed) : 0;
}

/* ---- what a task uses ---------------------------------------------------------------------------------------------- */

enum { LONGEST = 8 }; /* of a chain of streams that wait for each other */

/* Whether what a stream does next comes behind a task of another one. */
static bool is_behind(const sim_stream *stream, const sim_stream *other, uint64_t task, int chain) {
    if (other == NULL || other == stream || task <= other->done) {
        return true;
    }
    for (size_t at = 0; at < stream->wait_count && chain < LONGEST; at++) {
        const sim_wait *wait = &stream->waits[at];
        if (wait->on == other ? wait->task >= task : is_behind(wait->on, other, task, chain + 1)) {
            return true;
        }
    }
    return false;
}

/* Reserved addresses hold memory of many owners: of them as one nothing is known for certain. */
static bool is_watched(const sim_block *block) { return block != NULL && block->pieces == NULL; }

void sim_note_use(const sim_site *site, sim_block *block, sim_stream *stream, uint64_t task, bool write) {
    if (!is_watched(block)) {
        return;
    }
    if (sim_late() && !(is_behind(stream, block->stream, block->written, 0) &&
                        (!write || is_behind(stream, block->user, block->used, 0)))) {
        sim_report(site, block->serial, "The device memory (0x%zx)%s is used by two streams at a time: no event lets the second wait "
                   "for the first.", (size_t)block->base, sim_origin(&block->origin));
    }
    block->user = stream;
    block->used = task;
    if (write) {
        block->stream = stream;
        block->written = task;
    }
}

void sim_settled(const sim_site *site, const sim_block *block, sim_use use) {
    if (!is_watched(block)) {
        return;
    }
    sim_lock();
    const sim_stream *stream = use == SIM_READ ? block->stream : block->user;
    const uint64_t task = use == SIM_READ ? block->written : block->used;
    const bool over = stream == NULL || task <= stream->done;
    sim_unlock();
    if (over) {
        return;
    }
    if (use == SIM_READ) {
        sim_report(site, block->serial, "The device memory (0x%zx)%s is read before the call that writes to it is over: the stream "
                   "is not synchronized.", (size_t)block->base, sim_origin(&block->origin));
    } else if (use == SIM_WRITTEN) {
        sim_report(site, block->serial, "The device memory (0x%zx)%s is overwritten while a launched call uses it: the stream is "
                   "not synchronized.", (size_t)block->base, sim_origin(&block->origin));
    } else {
        sim_report(site, block->serial, "The device memory (0x%zx)%s is freed while a launched call uses it: the stream is not "
                   "synchronized.", (size_t)block->base, sim_origin(&block->origin));
    }
}
