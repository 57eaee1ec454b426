/* The queue of a stream. In strict mode what is launched runs late: when the program waits for it, as on a device that
 * is still busy. A result that is read too early is then not there yet, and an input that is overwritten too early is
 * what the call computes with. Otherwise a task runs in the call that launches it. */
#include <stdlib.h>

#include "forks.h"
#include "phases.h"
#include "streams.h"

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER; /* one task at a time, in the order of its stream */
static __thread bool running;                            /* this thread is inside of a task */

bool sim_late(void) { return sim_strict(); }

/* With the lock held. */
static void append(sim_stream *stream, sim_task *task) {
    task->next = NULL;
    *(stream->last != NULL ? &stream->last->next : &stream->first) = task;
    stream->last = task;
}

uint64_t sim_submit(sim_stream *stream, sim_task *task) {
    sim_lock();
    if (sim_is_captured(stream)) {
        sim_capture(stream, task);
        const uint64_t before = stream->issued;
        sim_unlock();
        return before;
    }
    const uint64_t number = task->number = ++stream->issued;
    if (task->mark != NULL) {
        task->mark(task, stream);
    }
    append(stream, task);
    sim_unlock();
    return number; /* by now another thread may have run it */
}

void sim_submit_behind(sim_stream *stream, sim_task *task) {
    sim_lock();
    task->number = stream->issued;
    append(stream, task);
    sim_unlock();
}

static sim_task *next_task(sim_stream *stream, uint64_t until) {
    sim_lock();
    sim_task *task = stream->first;
    if (task != NULL && task->number > until) {
        task = NULL;
    }
    if (task != NULL) {
        stream->first = task->next;
        stream->last = stream->first != NULL ? stream->last : NULL;
    }
    sim_unlock();
    return task;
}

/* A task may wait for another stream, whose tasks then run here. */
void sim_run_tasks(sim_stream *stream, uint64_t until) {
    for (sim_task *task = next_task(stream, until); task != NULL; task = next_task(stream, until)) {
        const int code = task->run(task);
        if (code != 0) {
            stream->failure = code;
            sim_tell_exception(stream, task->number, code);
        }
        task->discard(task);
    }
}

bool sim_is_pending(sim_stream *stream, uint64_t until) {
    sim_lock();
    const bool pending = stream->first != NULL && stream->first->number <= until;
    sim_unlock();
    return pending;
}

void sim_reach(sim_stream *stream, uint64_t task) {
    /* Inside of a task this is a function of the program, and what it waits for cannot go before that task. */
    if (running || sim_is_forked() || !sim_is_pending(stream, task)) {
        return;
    }
    pthread_mutex_lock(&turn);
    running = true;
    sim_run_tasks(stream, task);
    running = false;
    pthread_mutex_unlock(&turn);
}

/* ---- waiting for an event ----------------------------------------------------------------------------------------- */

typedef struct wait_task {
    sim_task task;
    sim_stream *on;
    uint64_t until;
} wait_task;

static int run_wait(sim_task *task) {
    sim_run_tasks(((wait_task *)task)->on, ((wait_task *)task)->until);
    return 0;
}

static void discard_plain(sim_task *task) { free(task); }

sim_task *sim_wait_task(sim_stream *on, uint64_t until) {
    wait_task *made = calloc(1, sizeof *made);
    if (made != NULL) {
        *made = (wait_task){{.run = run_wait, .discard = discard_plain}, on, until};
    }
    return made != NULL ? &made->task : NULL;
}
