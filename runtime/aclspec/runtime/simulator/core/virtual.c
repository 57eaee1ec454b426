/* Virtual memory: addresses that a program reserves, and the memory that it maps into them. A handle has a part of the file
 * that holds all memory of devices; so mapped parts that lie side by side are one memory, and what was written stays when it is
 * mapped elsewhere. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "arena.h"
#include "forks.h"
#include "memory.h"

static const size_t GRANULARITY = (size_t)2 << 20;

static int misfit(const sim_site *site, size_t size) {
    return sim_fail(site, ACL_ERROR_RT_PARAM_INVALID, "The size (%zu) is not a multiple of %zu greater than 0.", size, GRANULARITY);
}

static bool fits(size_t size) { return size > 0 && size % GRANULARITY == 0; }

int sim_granularity(size_t *size) {
    *size = GRANULARITY;
    return 0;
}

/* ---- physical memory ---------------------------------------------------------------------------------------------- */

int sim_allocate_physical(const sim_site *site, void **handle, size_t size, int32_t device) {
    int code = sim_check_device(site, device);
    if (code == 0 && !fits(size)) {
        code = misfit(site, size);
    }
    if (code != 0) {
        return code;
    }
    size_t available;
    if (!sim_take_memory(device, size, &available)) {
        return sim_fail(site, ACL_ERROR_RT_MEMORY_ALLOCATION, "The %zu bytes cannot be allocated; %zu are available.", size, available);
    }
    sim_physical *made = sim_create(site, SIM_PHYSICAL, sizeof *made, NULL);
    const size_t start = made != NULL ? sim_take_part(size) : SIZE_MAX;
    if (start == SIZE_MAX) {
        sim_retire(made);
        sim_give_memory(device, size);
        return sim_fail(site, ACL_ERROR_RT_MEMORY_ALLOCATION, "There is no memory for a handle.");
    }
    made->start = start;
    made->size = size;
    made->device = device;
    *handle = made;
    return 0;
}

/* Neither the handle nor a mapping is left. */
static void give_back(sim_physical *physical) {
    sim_give_part(physical->start, physical->size);
    sim_give_memory(physical->device, physical->size);
    sim_forget_later(physical);
}

int sim_free_physical(const sim_site *site, void *handle) {
    int code = sim_refuse_forked(site);
    code = code != 0 ? code : sim_check(site, SIM_PHYSICAL, handle, ACL_ERROR_RT_PARAM_INVALID);
    if (code != 0) {
        return code;
    }
    sim_physical *physical = handle;
    sim_lock();
    physical->head.live = false;
    const bool over = physical->mapped == 0;
    sim_unlock();
    if (over) {
        give_back(physical);
    }
    return 0;
}

/* ---- reserved addresses ------------------------------------------------------------------------------------------- */

/* Any size: it is rounded up. */
int sim_reserve(const sim_site *site, void **address, size_t wanted) {
    int32_t device;
    size_t size = 0;
    int code = sim_current_device(site, &device);
    if (code == 0 && (wanted == 0 || __builtin_add_overflow(wanted, GRANULARITY - 1, &size))) {
        code = sim_fail(site, ACL_ERROR_RT_PARAM_INVALID, "The size (%zu) is 0 or beyond every address.", wanted);
    }
    if (code != 0) {
        return code;
    }
    size -= size % GRANULARITY;
    sim_block *block = calloc(1, sizeof *block);
    if (block != NULL) {
        *block = (sim_block){.size = size, .origin = *site, .device = true, .where = device, .live = true, .serial = sim_next_serial()};
        block->pieces = malloc(sizeof *block->pieces);
        block->bytes = sim_addresses(size, PROT_NONE, GRANULARITY);
        block->base = (uintptr_t)sim_addresses(size, PROT_NONE, GRANULARITY);
    }
    sim_lock();
    const bool made = block != NULL && block->pieces != NULL && block->bytes != NULL && block->base != 0 && sim_insert_block(block);
    sim_unlock();
    if (!made) {
        sim_destroy_block(block);
        return sim_fail(site, ACL_ERROR_RT_MEMORY_ALLOCATION, "The %zu bytes of addresses cannot be reserved.", size);
    }
    *address = (void *)block->base;
    return 0;
}

int sim_release_addresses(const sim_site *site, void *address) { return sim_end_block(site, address, SIM_RESERVED); }

/* With the lock held: add a piece, which is mapped already. */
static bool insert(sim_block *block, size_t at, sim_piece piece) {
    sim_piece *longer = realloc(block->pieces, sizeof *longer * (block->piece_count + 1));
    if (longer == NULL) {
        return false;
    }
    block->pieces = longer;
    memmove(longer + at + 1, longer + at, sizeof *longer * (block->piece_count++ - at));
    longer[at] = piece;
    return true;
}

/* With the lock held. */
static bool map(sim_block *block, size_t from, sim_physical *physical) {
    const size_t at = sim_piece_at(block, from);
    if (at < block->piece_count && block->pieces[at].from < from + physical->size) {
        return false; /* something is mapped there */
    }
    if (sim_map_part(block->bytes + from, physical->start, physical->size) == NULL) {
        return false;
    }
    if (!sim_show_part(block->base + from, physical->start, physical->size) || !insert(block, at, (sim_piece){from, physical->size, physical})) {
        sim_close_gap(block, from, from + physical->size);
        return false;
    }
    physical->mapped++;
    return true;
}

int sim_map(const sim_site *site, void *address, size_t size, size_t offset, void *handle) {
    sim_physical *physical = handle;
    int code = sim_refuse_forked(site);
    code = code != 0 ? code : sim_check(site, SIM_PHYSICAL, handle, ACL_ERROR_RT_PARAM_INVALID);
    if (code != 0) {
        return code;
    }
    if (offset != 0 || size != physical->size) {
        return sim_fail(site, ACL_ERROR_RT_PARAM_INVALID, "The %zu bytes from %zu on are not the whole memory of the handle, %zu bytes.",
                        size, offset, physical->size);
    }
    sim_lock();
    sim_block *block = sim_block_at(address);
    const size_t from = block != NULL ? (uintptr_t)address - block->base : 0;
    const bool inside = block != NULL && block->live && block->pieces != NULL && from % GRANULARITY == 0 && size <= block->size - from;
    const bool mapped = inside && map(block, from, physical);
    sim_unlock();
    if (!inside) {
        return sim_fail(site, ACL_ERROR_RT_PARAM_INVALID, "The %zu bytes at %p are not inside of reserved addresses, at a multiple of %zu.",
                        size, address, GRANULARITY);
    }
    return mapped ? 0 : sim_fail(site, ACL_ERROR_RT_PARAM_INVALID, "Memory is mapped at %p already.", address);
}

int sim_unmap(const sim_site *site, void *address) {
    const int code = sim_refuse_forked(site);
    if (code != 0) {
        return code;
    }
    sim_physical *physical = NULL;
    bool over = false;
    sim_lock();
    sim_block *block = sim_block_at(address);
    const size_t from = block != NULL ? (uintptr_t)address - block->base : 0;
    const size_t at = block != NULL && block->live && block->pieces != NULL ? sim_piece_at(block, from) : 0;
    if (block != NULL && block->live && at < block->piece_count && block->pieces[at].from == from) {
        physical = block->pieces[at].physical;
        over = --physical->mapped == 0 && !physical->head.live;
        if (block->pins == 0) {
            sim_close_gap(block, from, from + physical->size);
        } else {
            block->stale = true; /* a call that is under way may still touch it */
        }
        memmove(block->pieces + at, block->pieces + at + 1, sizeof *block->pieces * (--block->piece_count - at));
    }
    sim_unlock();
    if (physical == NULL) {
        return sim_fail(site, ACL_ERROR_RT_PARAM_INVALID, "No memory is mapped at %p.", address);
    }
    if (over) {
        give_back(physical);
    }
    return 0;
}
