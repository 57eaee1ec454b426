/* Functions of the program that a stream calls when it gets to them: at once, or in the thread that has subscribed to the
 * stream, when that thread asks for reports. */
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "streams.h"

/* A function that waits for its thread. */
typedef struct report {
    struct report *next;
    sim_stream *stream;
    uint64_t thread;
    sim_callback function;
    void *data;
    bool done;
    bool awaited; /* by the stream, whose task frees it */
} report;

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER; /* of the reports and of who has subscribed */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static report *waiting;

/* A thread may be named by pthread_self, or by its number in the system. */
static bool is_mine(uint64_t thread) { return thread == (uint64_t)pthread_self() || thread == (uint64_t)syscall(SYS_gettid); }

/* ---- who has subscribed ------------------------------------------------------------------------------------------- */

typedef struct subscription {
    struct subscription *next;
    sim_stream *stream;
    uint64_t thread;
} subscription;

static subscription *subscriptions;

static subscription **of_stream(const sim_stream *stream) {
    subscription **place = &subscriptions;
    while (*place != NULL && (*place)->stream != stream) {
        place = &(*place)->next;
    }
    return place;
}

int sim_subscribe(const sim_site *site, uint64_t thread, void *handle) {
    sim_stream *stream;
    const int code = sim_stream_of(site, handle, &stream);
    subscription *made = code == 0 ? calloc(1, sizeof *made) : NULL;
    if (made == NULL) {
        return code != 0 ? code : sim_fail(site, ACL_ERROR_RT_MEMORY_ALLOCATION, "There is no memory for a subscription.");
    }
    pthread_mutex_lock(&guard);
    const bool taken = *of_stream(stream) != NULL;
    if (!taken) {
        *made = (subscription){subscriptions, stream, thread};
        subscriptions = made;
    }
    pthread_mutex_unlock(&guard);
    if (taken) {
        free(made);
        return sim_fail(site, ACL_ERROR_RT_STREAM_SUBSCRIBE, "A thread has subscribed to the stream (%p) already.", handle);
    }
    return 0;
}

/* With the guard held: nobody comes any more for these. */
static void drop_reports(const sim_stream *stream) {
    report **place = &waiting;
    while (*place != NULL) {
        report *one = *place;
        if (one->stream != stream) {
            place = &one->next;
            continue;
        }
        *place = one->next;
        one->done = true;
        if (!one->awaited) {
            free(one);
        }
    }
    pthread_cond_broadcast(&changed);
}

bool sim_end_subscription(const sim_stream *stream, const uint64_t *thread) {
    pthread_mutex_lock(&guard);
    subscription **place = of_stream(stream), *found = *place;
    const bool ends = found != NULL && (thread == NULL || found->thread == *thread);
    if (ends) {
        *place = found->next;
        free(found);
        drop_reports(stream);
    }
    pthread_mutex_unlock(&guard);
    return ends;
}

int sim_unsubscribe(const sim_site *site, uint64_t thread, void *handle) {
    sim_stream *stream;
    const int code = sim_stream_of(site, handle, &stream);
    if (code != 0 || sim_end_subscription(stream, &thread)) {
        return code;
    }
    return sim_fail(site, ACL_ERROR_RT_THREAD_SUBSCRIBE, "The thread (%lu) has not subscribed to the stream (%p).",
                    (unsigned long)thread, handle);
}

/* ---- functions on a stream ---------------------------------------------------------------------------------------- */

typedef struct host_task {
    sim_task task;
    sim_stream *stream;
    sim_callback function;
    void *data;
    bool here;  /* in whichever thread the stream runs */
    bool block; /* the stream goes on when the function has run */
} host_task;

/* Wait with the guard held. */
static void wait_for(const report *one) {
    while (!one->done) {
        pthread_cond_wait(&changed, &guard);
    }
}

static int run_there(const host_task *host) {
    report *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    pthread_mutex_lock(&guard);
    const subscription *whose = *of_stream(host->stream);
    if (whose == NULL) {
        pthread_mutex_unlock(&guard);
        free(made);
        return ACL_ERROR_RT_STREAM_NO_CB_REG;
    }
    const bool awaited = host->block && !is_mine(whose->thread);
    *made = (report){NULL, host->stream, whose->thread, host->function, host->data, false, awaited};
    report **last = &waiting;
    while (*last != NULL) {
        last = &(*last)->next;
    }
    *last = made;
    pthread_cond_broadcast(&changed);
    if (awaited) {
        wait_for(made);
        free(made);
    }
    pthread_mutex_unlock(&guard);
    return 0;
}

static int run_host(sim_task *task) {
    const host_task *host = (host_task *)task;
    if (!host->here) {
        return run_there(host);
    }
    host->function(host->data);
    return 0;
}

static void discard_host(sim_task *task) { free(task); }

static int launch(const sim_site *site, void *handle, host_task wanted) {
    sim_stream *stream;
    int code = sim_stream_of(site, handle, &stream);
    if (code == 0 && wanted.function == NULL) {
        code = sim_fail(site, ACL_ERROR_INVALID_PARAM, "The function is null.");
    }
    if (code == 0 && !wanted.here) {
        pthread_mutex_lock(&guard);
        const bool known = *of_stream(stream) != NULL;
        pthread_mutex_unlock(&guard);
        code = known ? 0 : sim_fail(site, ACL_ERROR_RT_STREAM_NO_CB_REG, "No thread has subscribed to the stream (%p).", handle);
    }
    host_task *made = code == 0 ? malloc(sizeof *made) : NULL;
    if (made == NULL) {
        return code != 0 ? code : sim_fail(site, ACL_ERROR_RT_MEMORY_ALLOCATION, "There is no memory for a task of a stream.");
    }
    *made = wanted;
    made->task = (sim_task){.run = run_host, .discard = discard_host};
    made->stream = stream;
    const uint64_t number = sim_submit(stream, &made->task);
    if (!sim_late() && !sim_is_captured(stream)) {
        sim_reach(stream, number);
    }
    return 0;
}

int sim_launch_host(const sim_site *site, sim_callback function, void *data, void *stream) {
    return launch(site, stream, (host_task){.function = function, .data = data, .here = true});
}

int sim_launch_callback(const sim_site *site, sim_callback function, void *data, bool block, void *stream) {
    return launch(site, stream, (host_task){.function = function, .data = data, .block = block});
}

/* ---- the thread that runs them ------------------------------------------------------------------------------------ */

/* With the guard held: take the first report of this thread; NULL where none waits. */
static report *take(void) {
    for (report **place = &waiting; *place != NULL; place = &(*place)->next) {
        report *one = *place;
        if (is_mine(one->thread)) {
            *place = one->next;
            return one;
        }
    }
    return NULL;
}

static bool is_subscribed(void) {
    for (const subscription *one = subscriptions; one != NULL; one = one->next) {
        if (is_mine(one->thread)) {
            return true;
        }
    }
    return false;
}

/* With the guard held: run all reports of this thread; false where there are none. */
static bool run_reports(void) {
    bool found = false;
    for (report *one = take(); one != NULL; one = take()) {
        pthread_mutex_unlock(&guard);
        one->function(one->data);
        pthread_mutex_lock(&guard);
        one->done = true;
        if (!one->awaited) {
            free(one);
        }
        pthread_cond_broadcast(&changed);
        found = true;
    }
    return found;
}

int sim_process_report(const sim_site *site, int32_t timeout) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    const int64_t end = (int64_t)until.tv_nsec + (timeout > 0 ? (int64_t)timeout * 1000000 : 0);
    until.tv_sec += end / 1000000000;
    until.tv_nsec = end % 1000000000;
    pthread_mutex_lock(&guard);
    bool known = is_subscribed(), found = known && run_reports(), late = false;
    while (known && !found && !late) {
        late = timeout < 0 ? pthread_cond_wait(&changed, &guard) != 0 : pthread_cond_timedwait(&changed, &guard, &until) == ETIMEDOUT;
        known = is_subscribed();
        found = run_reports();
    }
    pthread_mutex_unlock(&guard);
    if (found) {
        return 0;
    }
    return known ? sim_fail(site, ACL_ERROR_RT_WAIT_TIMEOUT, "No report came in %d milliseconds.", timeout)
                 : sim_fail(site, ACL_ERROR_RT_THREAD_SUBSCRIBE, "The thread has not subscribed to a stream.");
}
