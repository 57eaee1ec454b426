/* Captures from their begin to their end, and graphs: a run of a graph is one task, which runs all of its tasks. */
#include <stdlib.h>

#include "graphs.h"

/* ---- events -------------------------------------------------------------------------------------------------------- */

void sim_capture_record(sim_event *event, sim_stream *stream) {
    sim_lock();
    event->stream = stream;
    event->task = stream->issued;
    event->graph = stream->graph;
    event->graph_serial = stream->graph != NULL ? stream->graph->head.serial : 0;
    sim_unlock();
}

/* With the lock held: the graph that captures an event; NULL where it has ended. */
static sim_graph *capturing(const sim_event *event) {
    const sim_handle *found = event->graph != NULL ? sim_find(event->graph) : NULL;
    const bool lives = found != NULL && found->live && found->serial == event->graph_serial;
    return lives && event->graph->open ? event->graph : NULL;
}

bool sim_is_event_captured(const sim_event *event) {
    sim_lock();
    const bool captured = capturing(event) != NULL;
    sim_unlock();
    return captured;
}

bool sim_capture_wait(sim_stream *stream, const sim_event *event) {
    sim_lock();
    sim_graph *graph = capturing(event);
    if (graph != NULL && stream->graph == NULL) {
        if (sim_grow(&graph->streams, graph->stream_count)) {
            graph->streams[graph->stream_count++] = stream;
            stream->graph = graph;
        } else {
            graph->failed = true;
        }
    }
    const bool captured = graph != NULL || sim_is_captured(stream);
    sim_stream *before = event->stream;
    const uint64_t task = event->task;
    sim_unlock();
    if (captured && before != NULL) {
        sim_reach(before, task); /* what is not in the graph is over before it */
    }
    return captured;
}

/* ---- captures ------------------------------------------------------------------------------------------------------ */

static void dispose(void *object) {
    sim_graph *graph = object;
    free(graph->streams);
    free(graph->tasks);
}

int sim_capture_begin(const sim_site *site, void *handle, int mode) {
    sim_stream *stream;
    const int code = sim_stream_of(site, handle, &stream);
    if (code != 0) {
        return code;
    }
    if (handle == NULL || mode < GLOBAL || mode > RELAXED) {
        return sim_fail(site, ACL_ERROR_RT_PARAM_INVALID, handle == NULL ? "The default stream cannot be captured." : "The mode is unknown.");
    }
    if (sim_is_captured(stream)) {
        return sim_fail(site, ACL_ERROR_RT_STREAM_CAPTURED, "The stream (%p) is captured already.", handle);
    }
    sim_graph *graph = sim_create(site, SIM_GRAPH, sizeof *graph, dispose);
    if (graph == NULL || !sim_grow(&graph->streams, 0)) {
        return sim_fail(site, ACL_ERROR_RT_MEMORY_ALLOCATION, "There is no memory for a graph.");
    }
    sim_lock();
    graph->origin = graph->streams[0] = stream;
    graph->stream_count = 1;
    graph->mode = mode;
    graph->thread = pthread_self();
    graph->open = true;
    stream->graph = graph;
    sim_unlock();
    sim_count_capture(graph, 1);
    return 0;
}

int sim_capture_info(const sim_site *site, void *handle, int *status, void **found) {
    sim_stream *stream;
    const int code = sim_stream_of(site, handle, &stream);
    if (code != 0) {
        return code;
    }
    if (status == NULL) {
        return sim_fail(site, ACL_ERROR_RT_PARAM_INVALID, "The pointer to the status is null.");
    }
    *status = stream->graph != NULL;
    if (found != NULL) {
        *found = stream->graph;
    }
    return 0;
}

int sim_capture_end(const sim_site *site, void *handle, void **found) {
    sim_stream *stream;
    const int code = sim_stream_of(site, handle, &stream);
    if (code != 0) {
        return code;
    }
    sim_graph *graph = stream->graph;
    if (graph == NULL || found == NULL) {
        return sim_fail(site, graph == NULL ? ACL_ERROR_RT_STREAM_NOT_CAPTURED : ACL_ERROR_RT_PARAM_INVALID, "The %s.",
                        graph == NULL ? "stream is not captured" : "pointer to the graph is null");
    }
    if (graph->origin != stream) {
        return sim_fail(site, ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED, "The capture began on another stream.");
    }
    if (graph->mode != RELAXED && !pthread_equal(graph->thread, pthread_self())) {
        return sim_fail(site, ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD, "The capture began in another thread.");
    }
    sim_lock();
    graph->open = false;
    for (size_t at = 0; at < graph->stream_count; at++) {
        graph->streams[at]->graph = NULL;
    }
    sim_unlock();
    sim_count_capture(graph, -1);
    *found = graph;
    return graph->failed ? sim_fail(site, ACL_ERROR_RT_MEMORY_ALLOCATION, "There was no memory for a task of the graph.") : 0;
}

/* ---- finished graphs ----------------------------------------------------------------------------------------------- */

/* A graph whose capture has ended; NULL with the failure in `code`. */
static sim_graph *finished(const sim_site *site, void *handle, int *code) {
    sim_graph *graph = handle;
    *code = handle == NULL ? sim_fail(site, ACL_ERROR_RT_PARAM_INVALID, "The graph is null.")
                           : sim_check(site, SIM_GRAPH, handle, ACL_ERROR_RT_PARAM_INVALID);
    if (*code == 0 && graph->open) {
        *code = sim_fail(site, ACL_ERROR_RT_MODEL_CAPTURED, "The graph (%p) is still captured.", handle);
    }
    return *code == 0 ? graph : NULL;
}

typedef struct run_task {
    sim_task task;
    sim_graph *graph;
} run_task;

static int run_all(sim_task *task) {
    const sim_graph *graph = ((run_task *)task)->graph;
    int code = 0;
    for (size_t at = 0; code == 0 && at < graph->count; at++) {
        code = graph->tasks[at]->run(graph->tasks[at]);
    }
    return code;
}

static void mark_all(const sim_task *task, sim_stream *stream) {
    const sim_graph *graph = ((const run_task *)task)->graph;
    for (size_t at = 0; at < graph->count; at++) {
        sim_task *one = graph->tasks[at];
        one->number = task->number;
        if (one->mark != NULL) {
            one->mark(one, stream);
        }
    }
}

static void discard_run(sim_task *task) { free(task); }

static void reach_last(const sim_graph *graph) {
    if (graph->on != NULL) {
        sim_reach(graph->on, graph->task);
    }
}

int sim_run_graph(const sim_site *site, void *handle, void *where) {
    int code;
    sim_graph *graph = finished(site, handle, &code);
    sim_stream *stream = NULL;
    code = code != 0 ? code : sim_stream_of(site, where, &stream);
    if (code == 0 && sim_is_captured(stream)) {
        code = sim_fail(site, ACL_ERROR_RT_STREAM_CAPTURED, "The stream (%p) is captured; a graph cannot run in another.", where);
    }
    run_task *made = code == 0 ? malloc(sizeof *made) : NULL;
    if (made == NULL) {
        return code != 0 ? code : sim_fail(site, ACL_ERROR_RT_MEMORY_ALLOCATION, "There is no memory for a task of a stream.");
    }
    if (graph->on != stream) {
        reach_last(graph);
    }
    *made = (run_task){{.run = run_all, .mark = mark_all, .discard = discard_run}, graph};
    graph->on = stream;
    graph->task = sim_submit(stream, &made->task);
    if (!sim_late()) {
        sim_reach(stream, graph->task);
    }
    return 0;
}

static void discard_replaced(sim_graph *graph) {
    while (graph->replaced != NULL) {
        sim_task *task = graph->replaced;
        graph->replaced = task->next;
        task->discard(task);
    }
}

static void retire_group(const sim_handle *handle, void *given) {
    const sim_task_group *group = (const sim_task_group *)handle;
    sim_task_group **found = given;
    if (handle->kind == SIM_GROUP && group->graph == (*found)->graph) {
        *found = (sim_task_group *)group;
    }
}

/* The groups of a graph end with it. */
static void retire_groups(sim_graph *graph) {
    sim_task_group none = {.graph = graph}, *found;
    do {
        found = &none;
        sim_lock();
        sim_each_handle(retire_group, &found);
        sim_unlock();
        if (found != &none) {
            sim_retire(found);
        }
    } while (found != &none);
}

int sim_destroy_graph(const sim_site *site, void *handle) {
    int code;
    sim_graph *graph = finished(site, handle, &code);
    if (graph == NULL) {
        return code;
    }
    reach_last(graph);
    retire_groups(graph);
    discard_replaced(graph);
    for (size_t at = 0; at < graph->count; at++) {
        graph->tasks[at]->discard(graph->tasks[at]);
    }
    graph->count = 0;
    sim_retire(graph);
    return 0;
}

int sim_print_graph(const sim_site *site, void *handle) {
    int code;
    const sim_graph *graph = finished(site, handle, &code);
    if (graph != NULL) {
        sim_say("The graph (%p) has %zu tasks of %zu streams.", handle, graph->count, graph->stream_count);
    }
    return code;
}

/* ---- groups of tasks ----------------------------------------------------------------------------------------------- */

static int refuse_uncaptured(const sim_site *site, void *handle) {
    return sim_fail(site, ACL_ERROR_RT_STREAM_NOT_CAPTURED, "The stream (%p) is not captured, or has no group of tasks that began.", handle);
}

int sim_group_begin(const sim_site *site, void *handle) {
    sim_stream *stream;
    const int code = sim_stream_of(site, handle, &stream);
    if (code != 0 || stream->graph == NULL || stream->group != NULL) {
        return code != 0 ? code : refuse_uncaptured(site, handle);
    }
    sim_task_group *group = sim_create(site, SIM_GROUP, sizeof *group, NULL);
    if (group == NULL) {
        return sim_fail(site, ACL_ERROR_RT_MEMORY_ALLOCATION, "There is no memory for a group of tasks.");
    }
    group->graph = stream->graph;
    group->first = group->graph->count;
    stream->group = group;
    return 0;
}

int sim_group_end(const sim_site *site, void *handle, void **found) {
    sim_stream *stream;
    const int code = sim_stream_of(site, handle, &stream);
    if (code != 0 || stream->graph == NULL || stream->group == NULL || found == NULL) {
        return code != 0 ? code : refuse_uncaptured(site, handle);
    }
    stream->group->count = stream->graph->count - stream->group->first;
    *found = stream->group;
    stream->group = NULL;
    return 0;
}

int sim_update_begin(const sim_site *site, void *handle, void *given) {
    sim_stream *stream;
    int code = sim_stream_of(site, handle, &stream);
    code = code != 0 ? code : sim_check(site, SIM_GROUP, given, ACL_ERROR_RT_PARAM_INVALID);
    if (code == 0 && (sim_is_captured(stream) || ((sim_task_group *)given)->graph->open)) {
        code = sim_fail(site, ACL_ERROR_RT_STREAM_CAPTURED, "The stream (%p) or the graph of the group is captured.", handle);
    }
    if (code == 0) {
        sim_task_group *group = given;
        reach_last(group->graph);
        group->next = 0;
        stream->update = group;
    }
    return code;
}

int sim_update_end(const sim_site *site, void *handle) {
    sim_stream *stream;
    const int code = sim_stream_of(site, handle, &stream);
    if (code != 0 || stream->update == NULL) {
        return code != 0 ? code : refuse_uncaptured(site, handle);
    }
    const sim_task_group *group = stream->update;
    stream->update = NULL;
    discard_replaced(group->graph);
    return group->next == group->count ? 0
                                       : sim_fail(site, ACL_ERROR_RT_PARAM_INVALID, "The group has %zu tasks, and is given %zu.",
                                                  group->count, group->next);
}
