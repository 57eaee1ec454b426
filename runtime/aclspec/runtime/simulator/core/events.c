/* Events: a place in a stream, with the time at which it was passed. */
#include <stdlib.h>
#include <time.h>

#include "ask.h"
#include "streams.h"

static int check(const sim_site *site, const void *event) {
    if (event == NULL) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The event is null.");
    }
    return sim_check(site, SIM_EVENT, event, ACL_ERROR_RT_INVALID_HANDLE);
}

int sim_create_event(const sim_site *site, void **event) {
    if (event == NULL) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The pointer to the event is null.");
    }
    if (sim_context_of_thread(site) == NULL) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    sim_event *made = sim_create(site, SIM_EVENT, sizeof *made, NULL);
    if (made == NULL) {
        return sim_fail(site, ACL_ERROR_RT_MEMORY_ALLOCATION, "There is no memory for an event.");
    }
    *event = made;
    return 0;
}

int sim_destroy_event(const sim_site *site, void *event) {
    const int code = check(site, event);
    if (code == 0) {
        sim_retire(event);
    }
    return code;
}

static int64_t clock_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* An event behind tasks that run late happens when they have. */
typedef struct stamp_task {
    sim_task task;
    sim_event *event;
    uint64_t serial;
} stamp_task;

static int run_stamp(sim_task *task) {
    const stamp_task *stamp = (stamp_task *)task;
    sim_lock();
    const sim_handle *found = sim_find(stamp->event); /* it may be destroyed by now */
    if (found != NULL && found->live && found->serial == stamp->serial) {
        stamp->event->nanoseconds = clock_now();
    }
    sim_unlock();
    return 0;
}

static void discard_stamp(sim_task *task) { free(task); }

static bool stamp_later(sim_event *event, sim_stream *stream) {
    stamp_task *made = calloc(1, sizeof *made);
    if (made != NULL) {
        *made = (stamp_task){{.run = run_stamp, .discard = discard_stamp}, event, event->head.serial};
        sim_submit_behind(stream, &made->task);
    }
    return made != NULL;
}

int sim_record_event(const sim_site *site, void *handle, void *stream) {
    sim_event *event = handle;
    sim_stream *where;
    int code = check(site, handle);
    if (code == 0) {
        code = sim_stream_of(site, stream, &where);
    }
    if (code != 0) {
        return code;
    }
    if (sim_is_captured(where)) {
        sim_capture_record(event, where);
        return 0;
    }
    sim_lock();
    event->graph = NULL;
    event->stream = where;
    event->task = where->issued;
    event->nanoseconds = clock_now();
    sim_unlock();
    return !sim_is_pending(where, UINT64_MAX) || stamp_later(event, where)
               ? 0
               : sim_fail(site, ACL_ERROR_RT_MEMORY_ALLOCATION, "There is no memory for a task of a stream.");
}

int sim_reset_event(const sim_site *site, void *handle, void *stream) {
    sim_stream *where;
    int code = check(site, handle);
    if (code == 0) {
        code = sim_stream_of(site, stream, &where);
    }
    if (code == 0) {
        sim_lock();
        ((sim_event *)handle)->stream = NULL;
        sim_unlock();
    }
    return code;
}

int sim_wait_event(const sim_site *site, void *stream, void *handle) {
    const sim_event *event = handle;
    sim_stream *where;
    int code = check(site, handle);
    if (code == 0) {
        code = sim_stream_of(site, stream, &where);
    }
    if (code == 0 && sim_capture_wait(where, event)) {
        return 0;
    }
    if (code == 0 && !sim_note_wait(where, event)) {
        code = sim_fail(site, ACL_ERROR_RT_MEMORY_ALLOCATION, "There is no memory to note what the stream waits for.");
    }
    return code;
}

/* Run what is before an event, which the program then knows to be over: whether it was recorded and nothing was left to
 * run. */
static bool reach_event(const sim_event *event) {
    sim_lock();
    sim_stream *stream = event->stream;
    const uint64_t task = event->task;
    sim_unlock();
    if (stream == NULL) {
        return false;
    }
    const bool over = !sim_is_pending(stream, task);
    sim_reach(stream, task);
    sim_lock();
    sim_settle(stream, task);
    sim_unlock();
    return over;
}

int sim_synchronize_event(const sim_site *site, void *handle) {
    int code = check(site, handle);
    if (code == 0 && sim_is_event_captured(handle)) {
        code = sim_fail(site, ACL_ERROR_RT_EVENT_CAPTURED, "The event (%p) is recorded on a stream that is captured.", handle);
    }
    if (code == 0) {
        reach_event(handle);
        code = sim_device_failure(site);
    }
    return code;
}

int sim_event_recorded(const sim_site *site, void *handle, bool *recorded) {
    const int code = check(site, handle);
    if (code == 0) {
        *recorded = reach_event(handle);
    }
    return code;
}

/* The program has not waited for it, but it can only be told when it has happened. */
static void run_before(const sim_event *event) {
    sim_lock();
    sim_stream *stream = event->stream;
    const uint64_t task = event->task;
    sim_unlock();
    if (stream != NULL) {
        sim_reach(stream, task);
    }
}

int sim_elapsed(const sim_site *site, void *from, void *to, float *milliseconds) {
    const sim_event *first = from, *second = to;
    int code = check(site, from);
    if (code == 0) {
        code = check(site, to);
    }
    if (code != 0) {
        return code;
    }
    run_before(first);
    run_before(second);
    sim_lock();
    const bool recorded = first->stream != NULL && second->stream != NULL;
    const int64_t nanoseconds = second->nanoseconds - first->nanoseconds;
    sim_unlock();
    if (!recorded) {
        return sim_fail(site, ACL_ERROR_RT_PARAM_INVALID, "An event is not recorded.");
    }
    *milliseconds = (float)nanoseconds * 1e-6f;
    return 0;
}
