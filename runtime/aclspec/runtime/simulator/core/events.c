/* Events: a place in a stream, with the time at which it was passed. */
#include <time.h>

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

int sim_record_event(const sim_site *site, void *handle, void *stream) {
    sim_event *event = handle;
    sim_stream *where;
    int code = check(site, handle);
    if (code == 0) {
        code = sim_stream_of(site, stream, &where);
    }
    if (code == 0) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        sim_lock();
        event->stream = where;
        event->task = where->issued;
        event->nanoseconds = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
        sim_unlock();
    }
    return code;
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
    if (code == 0 && !sim_note_wait(where, event)) {
        code = sim_fail(site, ACL_ERROR_RT_MEMORY_ALLOCATION, "There is no memory to note what the stream waits for.");
    }
    return code;
}

int sim_synchronize_event(const sim_site *site, void *handle) {
    const sim_event *event = handle;
    const int code = check(site, handle);
    if (code == 0) {
        sim_lock();
        if (event->stream != NULL) {
            sim_settle(event->stream, event->task);
        }
        sim_unlock();
    }
    return code;
}

int sim_event_recorded(const sim_site *site, void *handle, bool *recorded) {
    sim_event *event = handle;
    const int code = check(site, handle);
    if (code == 0) {
        sim_lock();
        *recorded = event->stream != NULL;
        if (event->stream != NULL) {
            sim_settle(event->stream, event->task);
        }
        sim_unlock();
    }
    return code;
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
