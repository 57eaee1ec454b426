/* Graphs: the tasks that a captured stream was given, and those of the streams that wait for it meanwhile, kept in the
 * order in which they came. */
#ifndef SIM_GRAPHS_H
#define SIM_GRAPHS_H
#include "streams.h"

enum { GLOBAL, THREAD, RELAXED };

typedef struct sim_graph {
    sim_handle head;
    sim_stream *origin;
    sim_stream **streams; /* that are captured, the origin first */
    size_t stream_count;
    sim_task **tasks;
    size_t count;
    sim_task *replaced; /* to be discarded */
    pthread_t thread;   /* that began the capture */
    int mode;
    bool open, failed;
    sim_stream *on; /* where it runs last, and as which task */
    uint64_t task;
} sim_graph;

typedef struct sim_task_group {
    sim_handle head;
    sim_graph *graph;
    size_t first, count, next;
} sim_task_group;

/* Room for one more pointer; false when there is no memory. */
bool sim_grow(void *list, size_t count);
/* One capture more or less in the mode of a graph. */
void sim_count_capture(const sim_graph *graph, int step);

#endif
