/* Contexts, streams and events, as the sources of the core see them. */
#ifndef ACLSPEC_STREAMS_H
#define ACLSPEC_STREAMS_H

#include "internal.h"

enum { SIM_DEVICES = 1, SIM_OPTIONS = 4 };

/* What a stream waits for: a task of another stream. */
typedef struct sim_wait {
    uint64_t from; /* the first task that waits */
    sim_stream *on;
    uint64_t task;
} sim_wait;

/* Tasks run when they are launched; that a program has not waited for them yet is only noted. */
struct sim_stream {
    sim_handle head;
    sim_context *context;
    uint64_t issued, done; /* tasks, numbered from 1 */
    sim_wait *waits;
    size_t wait_count;
};

struct sim_context {
    sim_handle head;
    int32_t device;
    bool primary;
    sim_stream *standard; /* the default stream */
    int64_t options[SIM_OPTIONS];
};

typedef struct sim_event {
    sim_handle head;
    sim_stream *stream; /* where it was recorded last; NULL: nowhere yet */
    uint64_t task;
    int64_t nanoseconds;
} sim_event;

/* The context of this thread; NULL with a recorded failure where there is none. */
sim_context *sim_context_of_thread(const sim_site *site);
/* The tasks of a stream up to this one are over, and with them all that they waited for. The caller holds the lock. */
void sim_settle(sim_stream *stream, uint64_t task);
/* The next task of the stream waits for an event; false when there is no memory to note it. */
bool sim_note_wait(sim_stream *stream, const sim_event *event);
/* The end of a handle whose object stays, because others point to it. */
void sim_bury(const void *handle);

#endif
