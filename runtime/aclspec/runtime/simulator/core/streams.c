/* Streams. Every task runs at once, in the thread that launches it; what is kept is which tasks the program knows to be
 * over, so that strict mode can tell when it reads a result, or frees a buffer, too early. */
#include <stdlib.h>

#include "streams.h"

static void dispose_stream(void *object) { free(((sim_stream *)object)->waits); }

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
    *stream = made;
    return 0;
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
    sim_lock();
    sim_settle(stream, stream->issued);
    sim_unlock();
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
    sim_wait *longer = realloc(stream->waits, sizeof *longer * (stream->wait_count + 1));
    if (longer != NULL) {
        stream->waits = longer;
        if (event->stream != NULL && event->stream != stream) { /* an event that is nowhere recorded is already over */
            longer[stream->wait_count++] = (sim_wait){++stream->issued, event->stream, event->task};
        }
    }
    sim_unlock();
    return longer != NULL;
}

int sim_synchronize(const sim_site *site, void *handle) {
    sim_stream *stream;
    const int code = sim_stream_of(site, handle, &stream);
    if (code == 0) {
        sim_lock();
        sim_settle(stream, stream->issued);
        sim_unlock();
    }
    return code;
}

static void settle_all(const sim_handle *handle, void *context) {
    sim_stream *stream = (sim_stream *)handle;
    if (handle->kind == SIM_STREAM && stream->context->device == ((sim_context *)context)->device) {
        sim_settle(stream, stream->issued);
    } else if (handle->kind == SIM_CONTEXT) {
        sim_stream *standard = ((sim_context *)handle)->standard;
        sim_settle(standard, standard->issued);
    }
}

int sim_synchronize_device(const sim_site *site) {
    sim_context *context = sim_context_of_thread(site);
    if (context == NULL) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    sim_lock();
    sim_each_handle(settle_all, context);
    sim_unlock();
    return 0;
}

uint64_t sim_launch(sim_stream *stream) {
    sim_lock();
    const uint64_t task = ++stream->issued;
    sim_unlock();
    return task;
}

void sim_mark(sim_block *block, sim_stream *stream, uint64_t task, bool write) {
    sim_lock();
    block->user = stream;
    block->used = task;
    if (write) {
        block->stream = stream;
        block->written = task;
    }
    sim_unlock();
}

void sim_settled(const sim_site *site, const sim_block *block, bool freed) {
    sim_lock();
    const sim_stream *stream = freed ? block->user : block->stream;
    const uint64_t task = freed ? block->used : block->written;
    const bool over = stream == NULL || task <= stream->done;
    sim_unlock();
    if (over) {
        return;
    }
    if (freed) {
        sim_report(site, block->serial, "The device memory (0x%zx)%s is freed while a launched call uses it: the stream is not "
                   "synchronized.", (size_t)block->base, sim_origin(&block->origin));
    } else {
        sim_report(site, block->serial, "The device memory (0x%zx)%s is read before the call that writes to it is over: the stream "
                   "is not synchronized.", (size_t)block->base, sim_origin(&block->origin));
    }
}
