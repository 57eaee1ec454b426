/* All streams of a device, or of a context: what was launched on them runs, and is over. */
#include "streams.h"

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

sim_stream *sim_end_streams(int32_t device, const sim_context *context) {
    drain(device, context);
    return each_stream(device, context, settle_one);
}
