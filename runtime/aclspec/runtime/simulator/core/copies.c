/* Copies on a stream, and what fills memory. */
#include <stdlib.h>
#include <string.h>

#include "streams.h"

typedef struct copy_task {
    sim_task task;
    sim_site site;
    sim_block *to, *from;
    unsigned char *target;
    const unsigned char *source; /* NULL: fill */
    size_t count;
    int value;
    unsigned char kept[]; /* the source where the host's own memory is it, which may be gone by then */
} copy_task;

static bool is_device(const sim_block *block) { return block != NULL && block->device; }

void sim_move_bytes(const sim_move *move) {
    const bool dry = sim_dry();
    if (dry && is_device(move->to)) {
        return;
    }
    if (dry && is_device(move->from)) {
        memset(move->target, 0, move->count);
    } else if (move->source != NULL) {
        memmove(move->target, move->source, move->count);
    } else {
        memset(move->target, move->value, move->count);
    }
}

static int run_copy(sim_task *task) {
    const copy_task *copy = (copy_task *)task;
    sim_move_bytes(&(sim_move){copy->to, copy->from, copy->target, copy->source, copy->count, copy->value});
    return 0;
}

static void mark_copy(const sim_task *task, sim_stream *stream) {
    const copy_task *copy = (const copy_task *)task;
    sim_note_use(&copy->site, copy->to, stream, task->number, true);
    sim_note_use(&copy->site, copy->from, stream, task->number, false);
}

static void discard_copy(sim_task *task) {
    copy_task *copy = (copy_task *)task;
    sim_unpin(copy->to);
    sim_unpin(copy->from);
    free(copy);
}

int sim_transfer(const sim_site *site, sim_stream *stream, const sim_move *move) {
    const bool unread = sim_dry() && is_device(move->to);
    const bool keep = move->source != NULL && move->from == NULL && !sim_is_captured(stream) && !unread;
    copy_task *copy = calloc(1, sizeof *copy + (keep ? move->count : 0));
    if (copy == NULL) {
        return sim_fail(site, ACL_ERROR_RT_MEMORY_ALLOCATION, "There is no memory for a task of a stream.");
    }
    if (keep) {
        memcpy(copy->kept, move->source, move->count);
    }
    copy->task = (sim_task){.run = run_copy, .mark = mark_copy, .discard = discard_copy};
    copy->site = *site;
    copy->to = sim_pin_again(move->to);
    copy->from = sim_pin_again(move->from);
    copy->target = move->target;
    copy->source = keep ? copy->kept : move->source;
    copy->count = move->count;
    copy->value = move->value;
    const bool late = sim_is_captured(stream) || (sim_late() && move->to != NULL); /* never into memory that may be gone by then */
    const uint64_t task = sim_submit(stream, &copy->task);
    if (!late) {
        sim_reach(stream, task);
    }
    return 0;
}
