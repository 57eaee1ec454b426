/* Contexts, streams and events, as the sources of the core see them. */
#ifndef ACLSPEC_STREAMS_H
#define ACLSPEC_STREAMS_H

#include "internal.h"

enum { SIM_OPTIONS = 4 };

/* What a stream waits for: a task of another stream. */
typedef struct sim_wait {
    uint64_t from; /* the first task that waits */
    sim_stream *on;
    uint64_t task;
} sim_wait;

/* Something that a stream has to do. */
typedef struct sim_task {
    struct sim_task *next;
    uint64_t number;
    int (*run)(struct sim_task *task); /* 0, or the failure that the stream then has */
    void (*mark)(const struct sim_task *task, sim_stream *stream); /* note what it uses, with the lock held; or NULL */
    void (*discard)(struct sim_task *task);
} sim_task;

struct sim_stream {
    sim_handle head;
    sim_context *context;
    int32_t id; /* a number of its own */
    uint64_t issued, done; /* tasks, numbered from 1; done are those that the program has waited for */
    sim_task *first, *last; /* those that have not run yet */
    int failure;            /* of a task, until somebody synchronizes */
    sim_wait *waits;
    size_t wait_count;
    struct sim_graph *graph; /* that captures it; NULL: none */
    struct sim_task_group *group; /* of its tasks, that has begun; NULL: none */
    struct sim_task_group *update; /* the tasks that what it is given now replaces; NULL: none */
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
    struct sim_graph *graph; /* that captured the record; it may have ended */
    uint64_t graph_serial;
} sim_event;

/* The context of this thread; NULL with a recorded failure where there is none. */
sim_context *sim_context_of_thread(const sim_site *site);
/* The tasks of a stream up to this one are over, and with them all that they waited for. The caller holds the lock. */
void sim_settle(sim_stream *stream, uint64_t task);
/* The next task of the stream waits for an event; false when there is no memory to note it. */
bool sim_note_wait(sim_stream *stream, const sim_event *event);
/* A stream that is new. */
void sim_number_stream(sim_stream *stream);
/* The end of a subscription, of whichever thread where `thread` is NULL; false where there is none. */
bool sim_end_subscription(const sim_stream *stream, const uint64_t *thread);
/* Tell the program, if it wants to know, that a task has failed. */
void sim_tell_exception(const sim_stream *stream, uint64_t task, int code);
/* Whether tasks run when the program waits for them, and not when it launches them. */
bool sim_late(void);
/* Whether a stream is captured, so that its tasks are kept and not run. */
bool sim_is_captured(const sim_stream *stream);
/* With the lock held: keep a task of a captured stream. */
void sim_capture(sim_stream *stream, sim_task *task);
/* Note that an event is recorded on a captured stream; that a stream waits for it, and so is captured too. */
void sim_capture_record(sim_event *event, sim_stream *stream);
bool sim_capture_wait(sim_stream *stream, const sim_event *event);
bool sim_is_event_captured(const sim_event *event);
/* 0, or the refusal of what waits for a device while a stream is captured; `stream` NULL: for any. */
int sim_refuse_captured(const sim_site *site, const sim_stream *stream);
/* Give a stream a task: the number that it has in it. */
uint64_t sim_submit(sim_stream *stream, sim_task *task);
/* A task that goes with the last one of the stream. */
void sim_submit_behind(sim_stream *stream, sim_task *task);
/* Run the tasks of a stream up to this one; the second for a caller that is a task itself. */
void sim_reach(sim_stream *stream, uint64_t task);
void sim_run_tasks(sim_stream *stream, uint64_t task);
/* Whether one of them has not run yet. */
bool sim_is_pending(sim_stream *stream, uint64_t task);
/* A task that waits for another stream; NULL when there is no memory. */
sim_task *sim_wait_task(sim_stream *on, uint64_t task);
/* Run everything on a device, or in one context of it; `context` NULL: in all. A stream that failed, or NULL. */
sim_stream *sim_end_streams(int32_t device, const sim_context *context);
/* Note, with the lock held, that a task uses a block; a block that is NULL is none. */
void sim_note_use(const sim_site *site, sim_block *block, sim_stream *stream, uint64_t task, bool write);
/* One more pin of a block that is pinned; NULL of none. */
sim_block *sim_pin_again(sim_block *block);
/* The end of a handle whose object stays, because others point to it. */
void sim_bury(const void *handle);
/* Nothing points any more to the object of a handle that has ended. */
void sim_forget_later(const void *handle);

#endif
