/* What a task uses: strict mode tells when two streams use a block at a time, and when the program touches it too early. */
#include "streams.h"

enum { LONGEST = 8 }; /* of a chain of streams that wait for each other */

/* Whether what a stream does next comes behind a task of another one. */
static bool is_behind(const sim_stream *stream, const sim_stream *other, uint64_t task, int chain) {
    if (other == NULL || other == stream || task <= other->done) {
        return true;
    }
    for (size_t at = 0; at < stream->wait_count && chain < LONGEST; at++) {
        const sim_wait *wait = &stream->waits[at];
        if (wait->on == other ? wait->task >= task : is_behind(wait->on, other, task, chain + 1)) {
            return true;
        }
    }
    return false;
}

/* Reserved addresses hold memory of many owners: of them as one nothing is known for certain. */
static bool is_watched(const sim_block *block) { return block != NULL && block->pieces == NULL; }

void sim_note_use(const sim_site *site, sim_block *block, sim_stream *stream, uint64_t task, bool write) {
    if (!is_watched(block)) {
        return;
    }
    if (sim_late() && !(is_behind(stream, block->stream, block->written, 0) &&
                        (!write || is_behind(stream, block->user, block->used, 0)))) {
        sim_report(site, block->serial, "The device memory (0x%zx)%s is used by two streams at a time: no event lets the second wait "
                   "for the first.", (size_t)block->base, sim_origin(&block->origin));
    }
    block->user = stream;
    block->used = task;
    if (write) {
        block->stream = stream;
        block->written = task;
    }
}

void sim_settled(const sim_site *site, const sim_block *block, sim_use use) {
    if (!is_watched(block)) {
        return;
    }
    sim_lock();
    const sim_stream *stream = use == SIM_READ ? block->stream : block->user;
    const uint64_t task = use == SIM_READ ? block->written : block->used;
    const bool over = stream == NULL || task <= stream->done;
    sim_unlock();
    if (over) {
        return;
    }
    if (use == SIM_READ) {
        sim_report(site, block->serial, "The device memory (0x%zx)%s is read before the call that writes to it is over: the stream "
                   "is not synchronized.", (size_t)block->base, sim_origin(&block->origin));
    } else if (use == SIM_WRITTEN) {
        sim_report(site, block->serial, "The device memory (0x%zx)%s is overwritten while a launched call uses it: the stream is "
                   "not synchronized.", (size_t)block->base, sim_origin(&block->origin));
    } else {
        sim_report(site, block->serial, "The device memory (0x%zx)%s is freed while a launched call uses it: the stream is not "
                   "synchronized.", (size_t)block->base, sim_origin(&block->origin));
    }
}
