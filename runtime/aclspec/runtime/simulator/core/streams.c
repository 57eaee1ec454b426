/* Streams: which tasks the program knows to be over, so that strict mode can tell when it reads a result, or frees a
 * buffer, too early. When a task runs, tells tasks.c. */
#include <stdlib.h>

#include "ask.h"
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
    code = take_failure(site, stream);
    return code != 0 ? code : sim_device_failure(site);
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

int sim_synchronize_device(const sim_site *site) {
    sim_context *context = sim_context_of_thread(site);
    if (context == NULL) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    const int code = sim_refuse_captured(site, NULL);
    if (code != 0) {
        return code;
    }
    sim_stream *failed = sim_end_streams(context->device, NULL);
    const int late = failed != NULL ? take_failure(site, failed) : 0;
    return late != 0 ? late : sim_device_failure(site);
}
