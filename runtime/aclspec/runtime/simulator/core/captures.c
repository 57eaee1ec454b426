/* Captures: what a captured stream is given goes into its graph, and what would wait for it is refused. */
#include <stdlib.h>

#include "graphs.h"

static int global_captures;         /* that no thread may disturb */
static __thread int own_captures;   /* of this thread, that it may not disturb itself */
static __thread int mode_of_thread; /* whether it minds */

bool sim_is_captured(const sim_stream *stream) { return stream->graph != NULL || stream->update != NULL; }

bool sim_grow(void *list, size_t count) {
    void **longer = realloc(*(void **)list, sizeof *longer * (count + 1));
    if (longer != NULL) {
        *(void **)list = longer;
    }
    return longer != NULL;
}

static void throw_away(sim_graph *graph, sim_task *task) {
    task->next = graph->replaced;
    graph->replaced = task;
}

void sim_capture(sim_stream *stream, sim_task *task) {
    sim_task_group *group = stream->update;
    sim_graph *graph = group != NULL ? group->graph : stream->graph;
    if (group != NULL) {
        const bool fits = group->next < group->count;
        sim_task **place = &graph->tasks[group->first + (fits ? group->next : 0)];
        group->next++;
        throw_away(graph, fits ? *place : task);
        if (fits) {
            *place = task;
        }
    } else if (sim_grow(&graph->tasks, graph->count)) {
        graph->tasks[graph->count++] = task;
    } else {
        graph->failed = true;
        throw_away(graph, task);
    }
}

int sim_refuse_captured(const sim_site *site, const sim_stream *stream) {
    if (stream != NULL && sim_is_captured(stream)) {
        return sim_fail(site, ACL_ERROR_RT_STREAM_CAPTURED, "The stream (%p) is captured: nothing runs on it that could be waited for.",
                        (const void *)stream);
    }
    return stream != NULL ? 0 : sim_refuse_waiting(site);
}

int sim_refuse_waiting(const sim_site *site) {
    const bool disturbs = own_captures > 0 || __atomic_load_n(&global_captures, __ATOMIC_RELAXED) > 0;
    return mode_of_thread == RELAXED || !disturbs
               ? 0
               : sim_fail(site, ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT,
                          "A stream is captured, in a mode in which nothing may be called that waits for the device.");
}

void sim_count_capture(const sim_graph *graph, int step) {
    own_captures += graph->mode == RELAXED ? 0 : step;
    __atomic_add_fetch(&global_captures, graph->mode == GLOBAL ? step : 0, __ATOMIC_RELAXED);
}

int sim_capture_mode(const sim_site *site, int *mode) {
    if (mode == NULL || *mode < GLOBAL || *mode > RELAXED) {
        return sim_fail(site, ACL_ERROR_RT_PARAM_INVALID, "The mode is null or unknown.");
    }
    const int before = mode_of_thread;
    mode_of_thread = *mode;
    *mode = before;
    return 0;
}
