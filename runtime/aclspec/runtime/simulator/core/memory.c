/* Allocations. The address of device memory is a reserved page that nobody may touch, as on a device that has memory of
 * its own; the bytes are a part of the file that the device process maps, too. Host memory is on the heap, or pages that the
 * machine gives when they are touched. */
#include "memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arena.h"
#include "dry.h"
#include "forks.h"

enum { KEPT = 1 << 12, ALIGNMENT = 64, GARBAGE = 0xA5 };
static const size_t LARGE = (size_t)256 << 20;

static sim_block **table; /* by address; a freed one stays for a while */
static size_t count, room;
static sim_block *dead[KEPT];
static size_t oldest;
static size_t in_use[SIM_DEVICES];

static size_t pages(size_t size) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (size / page + 1) * page; /* at least one byte more than asked for: a page that ends every allocation */
}

/* The place of the first block that ends behind an address. */
static size_t place_of(uintptr_t address) {
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (table[middle]->base + table[middle]->size <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

sim_block *sim_block_at(const void *address) {
    const size_t at = place_of((uintptr_t)address);
    return at < count && table[at]->base <= (uintptr_t)address ? table[at] : NULL;
}

/* On the dry device the address stands for the bytes, which nobody touches. */
static bool is_dry(const sim_block *block) { return block->device && block->pieces == NULL && block->bytes == (unsigned char *)block->base; }

static void free_bytes(sim_block *block) {
    if (is_dry(block)) {
        block->bytes = NULL;
        return;
    }
    if (sim_block_kind_of(block) == SIM_DEVICE) {
        const size_t size = sim_part_size(block->size);
        munmap(block->bytes, size);
        sim_hide_part(block->base, size);
        sim_give_part(block->start, size);
    } else if (block->size >= LARGE || block->pieces != NULL) {
        munmap(block->bytes, pages(block->size));
        if (block->pieces != NULL) {
            sim_hide_part(block->base, block->size);
        }
    } else {
        free(block->bytes);
    }
    block->bytes = NULL;
}

void sim_destroy_block(sim_block *block) {
    if (block == NULL) {
        return;
    }
    if (block->bytes != NULL) {
        free_bytes(block);
    }
    if (block->device && block->base != 0) {
        munmap((void *)block->base, pages(block->size));
    }
    free(block->pieces);
    free(block);
}

static void forget(sim_block *block) {
    const size_t at = place_of(block->base);
    memmove(table + at, table + at + 1, sizeof *table * (--count - at));
    sim_destroy_block(block);
}

/* A freed block that nobody works on any more: the bytes go at once, a device address stays reserved for a while, so
 * that its later use is found out. */
static void bury(sim_block *block) {
    if (!block->device) {
        forget(block);
        return;
    }
    free_bytes(block);
    if (dead[oldest] != NULL) {
        forget(dead[oldest]);
    }
    dead[oldest] = block;
    oldest = (oldest + 1) % KEPT;
}

bool sim_insert_block(sim_block *block) {
    if (count == room) {
        const size_t wider = room != 0 ? 2 * room : 64;
        sim_block **longer = realloc(table, sizeof *table * wider);
        if (longer == NULL) {
            return false;
        }
        table = longer;
        room = wider;
    }
    const size_t at = place_of(block->base);
    memmove(table + at + 1, table + at, sizeof *table * (count++ - at));
    table[at] = block;
    return true;
}

/* Addresses that cost no memory; those of freed blocks go first where there are none left. */
void *sim_addresses(size_t size, int access, size_t alignment) {
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    const size_t length = pages(size), more = alignment != 0 ? alignment : 0;
    char *found = mmap(NULL, length + more, access, flags, -1, 0);
    if (found == MAP_FAILED) {
        sim_lock();
        for (size_t at = 0; at < KEPT; at++) {
            if (dead[at] != NULL) {
                forget(dead[at]);
                dead[at] = NULL;
            }
        }
        sim_unlock();
        found = mmap(NULL, length + more, access, flags, -1, 0);
    }
    if (found == MAP_FAILED) {
        return NULL;
    }
    const size_t before = more != 0 ? (more - (uintptr_t)found % more) % more : 0;
    if (before > 0) {
        munmap(found, before);
    }
    if (more > before) {
        munmap(found + before + length, more - before);
    }
    return found + before;
}

/* Strict mode: what was never written reads as nonsense, each time the same; of large memory only its start, since each page
 * that is written takes one of the machine's. */
static unsigned char *filled(unsigned char *bytes, size_t size) {
    if (bytes != NULL && sim_strict()) {
        memset(bytes, GARBAGE, size < LARGE ? size : LARGE);
    }
    return bytes;
}

static unsigned char *host_bytes(size_t size) {
    void *bytes = NULL;
    if (size >= LARGE) {
        bytes = sim_addresses(size, PROT_READ | PROT_WRITE, 0);
    } else if (posix_memalign(&bytes, ALIGNMENT, size) != 0) {
        bytes = NULL;
    }
    return filled(bytes, size);
}

static unsigned char *device_bytes(size_t size, size_t *start) {
    const size_t whole = sim_part_size(size);
    *start = sim_take_part(whole);
    unsigned char *bytes = *start != SIZE_MAX ? sim_map_part(NULL, *start, whole) : NULL;
    if (bytes == NULL && *start != SIZE_MAX) {
        sim_give_part(*start, whole);
    }
    return filled(bytes, size);
}

static sim_block *make(const sim_site *site, size_t size, bool device, int32_t where) {
    sim_block *block = calloc(1, sizeof *block);
    if (block == NULL) {
        return NULL;
    }
    *block = (sim_block){.size = size, .origin = *site, .device = device, .where = where, .live = true, .serial = sim_next_serial()};
    const bool dry = device && sim_dry();
    block->bytes = dry ? sim_addresses(size, PROT_NONE, 0) : device ? device_bytes(size, &block->start) : host_bytes(size);
    block->base = (uintptr_t)(device && !dry && block->bytes != NULL ? sim_addresses(size, PROT_NONE, 0) : block->bytes);
    const bool is_shown = !device || dry || block->base == 0 || sim_show_part(block->base, block->start, sim_part_size(size));
    if (block->base == 0 || !is_shown) {
        sim_destroy_block(block);
        return NULL;
    }
    return block;
}

/* ---- how much of a device is in use ------------------------------------------------------------------------------- */

bool sim_take_memory(int32_t device, size_t size, size_t *available) {
    const size_t total = sim_device_memory();
    sim_lock();
    *available = total - in_use[device];
    const bool fits = size <= *available;
    in_use[device] += fits ? size : 0;
    const size_t used = in_use[device];
    sim_unlock();
    if (fits && sim_dry()) {
        sim_dry_peak(device, used);
    }
    return fits;
}

void sim_give_memory(int32_t device, size_t size) {
    sim_lock();
    in_use[device] -= size;
    sim_unlock();
}

int sim_memory_info(const sim_site *site, size_t *available, size_t *total) {
    int32_t device;
    const int code = sim_current_device(site, &device);
    if (code == 0) {
        *total = sim_device_memory();
        sim_lock();
        *available = *total - in_use[device];
        sim_unlock();
    }
    return code;
}

size_t sim_total_memory(void) { return sim_device_memory(); }

/* ---- allocations -------------------------------------------------------------------------------------------------- */

static int no_room(const sim_site *site, size_t size, size_t available) {
    return sim_fail(site, ACL_ERROR_RT_MEMORY_ALLOCATION, "The %zu bytes cannot be allocated; %zu are available.", size, available);
}

int sim_allocate(const sim_site *site, void **out, size_t size, bool device) {
    if (out == NULL) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The pointer to the address is null.");
    }
    if (size == 0) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The size (0) is not greater than 0.");
    }
    int32_t where;
    const int code = sim_current_device(site, &where);
    if (code != 0) {
        return code;
    }
    size_t available = sim_device_memory();
    if (device ? !sim_take_memory(where, size, &available) : size > available) {
        return no_room(site, size, available);
    }
    sim_block *block = make(site, size, device, where);
    sim_lock();
    const bool inserted = block != NULL && sim_insert_block(block);
    sim_unlock();
    if (!inserted) {
        sim_destroy_block(block);
        if (device) {
            sim_give_memory(where, size);
        }
        return no_room(site, size, available);
    }
    *out = (void *)block->base;
    return 0;
}

/* Why an address cannot be freed: 0, or the failure. */
static int refused(const sim_site *site, const void *address, const sim_block *block, sim_block_kind kind) {
    static const char *const nouns[] = {"host memory", "device memory", "reserved memory"};
    const char *noun = nouns[kind];
    if (block == NULL || sim_block_kind_of(block) != kind) {
        sim_report(site, (uint64_t)(uintptr_t)address, "The address (%p) is not one of %s%s.", address, noun,
                   kind == SIM_RESERVED ? "" : " that was allocated");
        return sim_fail(site, ACL_ERROR_RT_PARAM_INVALID, "The address (%p) is not one of %s%s.", address, noun,
                        kind == SIM_RESERVED ? "" : " that was allocated");
    }
    if (!block->live) {
        sim_report(site, block->serial, "The %s (%p)%s is already freed.", noun, address, sim_origin(&block->origin));
        return sim_fail(site, ACL_ERROR_RT_PARAM_INVALID, "The %s (%p) is already freed.", noun, address);
    }
    if (block->base != (uintptr_t)address) {
        sim_report(site, block->serial, "The address (%p) is inside of the %s at 0x%zx%s.", address, noun, (size_t)block->base,
                   sim_origin(&block->origin));
        return sim_fail(site, ACL_ERROR_RT_PARAM_INVALID, "The address (%p) is inside of the %s at 0x%zx.", address, noun,
                        (size_t)block->base);
    }
    return 0;
}

int sim_end_block(const sim_site *site, void *address, sim_block_kind kind) {
    if (address == NULL) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The address is null.");
    }
    int code = kind == SIM_HOST ? 0 : sim_refuse_forked(site);
    if (code != 0) {
        return code;
    }
    sim_block *block = sim_pin(address);
    code = refused(site, address, block, kind);
    if (code == 0 && block->piece_count > 0) {
        code = sim_fail(site, ACL_ERROR_RT_PARAM_INVALID, "The reserved memory (%p) have memory that is still mapped.", address);
    }
    if (code != 0) {
        sim_unpin(block);
        return code;
    }
    sim_settled(site, block, SIM_FREED);
    if (kind == SIM_DEVICE) {
        sim_give_memory(block->where, block->size);
    }
    sim_lock();
    block->live = false;
    sim_unlock();
    sim_unpin(block);
    return 0;
}

int sim_release(const sim_site *site, void *address, bool device) {
    return sim_end_block(site, address, device ? SIM_DEVICE : SIM_HOST);
}

/* ---- blocks in use ------------------------------------------------------------------------------------------------ */

sim_block *sim_pin(const void *address) {
    sim_lock();
    sim_block *block = sim_block_at(address);
    if (block != NULL) {
        block->pins++;
    }
    sim_unlock();
    return block;
}

sim_block *sim_pin_again(sim_block *block) {
    if (block != NULL) {
        sim_lock();
        block->pins++;
        sim_unlock();
    }
    return block;
}

void sim_unpin(sim_block *block) {
    if (block != NULL) {
        sim_lock();
        if (--block->pins == 0) {
            if (!block->live && block->bytes != NULL) {
                bury(block);
            } else if (block->stale) {
                sim_close_gaps(block);
            }
        }
        sim_unlock();
    }
}

bool sim_span_of(const sim_block *block, const void *address, sim_span *span) {
    if (block == NULL || !block->live || block->bytes == NULL) {
        return false;
    }
    size_t from = 0, to = block->size;
    const size_t at = (uintptr_t)address - block->base;
    if (block->pieces != NULL) {
        sim_lock();
        const bool mapped = sim_mapped_around(block, at, &from, &to);
        sim_unlock();
        if (!mapped) {
            return false;
        }
    }
    *span = (sim_span){.bytes = block->bytes + from, .at = at - from, .size = to - from};
    return true;
}

void sim_freed(const sim_site *site, const char *noun, const void *address, const sim_block *block) {
    sim_report(site, block->serial, "The %s (%p) is device memory%s that is freed.", noun, address, sim_origin(&block->origin));
}

void sim_each_block(void (*visit)(const sim_block *block, void *context), void *context) {
    for (size_t at = 0; at < count; at++) {
        if (table[at]->live) {
            visit(table[at], context);
        }
    }
}
