/* The pieces of memory that are mapped into reserved addresses. */
#include <sys/mman.h>

#include "arena.h"
#include "memory.h"

size_t sim_piece_at(const sim_block *block, size_t at) {
    size_t low = 0, high = block->piece_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (block->pieces[middle].from + block->pieces[middle].size <= at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool sim_mapped_around(const sim_block *block, size_t at, size_t *from, size_t *to) {
    const sim_piece *pieces = block->pieces;
    const size_t found = sim_piece_at(block, at);
    if (found == block->piece_count || pieces[found].from > at) {
        return false;
    }
    size_t first = found, last = found;
    while (first > 0 && pieces[first - 1].from + pieces[first - 1].size == pieces[first].from) {
        first--;
    }
    while (last + 1 < block->piece_count && pieces[last].from + pieces[last].size == pieces[last + 1].from) {
        last++;
    }
    *from = pieces[first].from;
    *to = pieces[last].from + pieces[last].size;
    return true;
}

void sim_close_gap(const sim_block *block, size_t from, size_t to) {
    if (to > from) {
        mmap(block->bytes + from, to - from, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
        sim_hide_part(block->base + from, to - from);
    }
}

void sim_close_gaps(sim_block *block) {
    size_t from = 0;
    for (size_t at = 0; at < block->piece_count; at++) {
        sim_close_gap(block, from, block->pieces[at].from);
        from = block->pieces[at].from + block->pieces[at].size;
    }
    sim_close_gap(block, from, block->size);
    block->stale = false;
}
